"""The constants that calls pass for an argument of a kernel, from a function or a program.

    %w = snippets.constant dense<...>       %w = program.data "w" dense<...>
    %r = lir.call @k(%x, %w)                %y = program.node "y" (%a = %x, %b = %w) impl<...> {
                                              %0 = lir.call @k(%a, %b)
                                              program.yield %0
                                            }

A node's body reads only its arguments, and each argument stands for an operand of the node.
"""

from collections.abc import Iterator, Sequence

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, BlockArgument, OpResult, SSAValue, Use
from xdsl.rewriter import Rewriter

from snippets_mlir.dialects.lir.call import CallOp
from snippets_mlir.dialects.program.data import DataOp
from snippets_mlir.dialects.program.node import NodeOp
from snippets_mlir.dialects.snippets.attributes import PanelsAttr
from snippets_mlir.dialects.snippets.constants import ConstantOp

Given = ConstantOp | DataOp
"""A constant of a host function, or of a program."""


def constants_given(argument: BlockArgument, calls: Sequence[CallOp]) -> tuple[Given, ...] | None:
    """The constants that a kernel's calls pass for an argument; None if one call passes none."""
    given = [_outside(call.inputs[argument.index]) for call in calls]
    found = dict.fromkeys(v.op for v in given if isinstance(v, OpResult))
    made = tuple(op for op in found if isinstance(op, ConstantOp | DataOp))
    return made if given and all(value.owner in made for value in given) else None


def _outside(value: SSAValue) -> SSAValue:
    """The value outside of a node for a value in it."""
    if isinstance(value, BlockArgument) and isinstance(node := value.owner.parent_op(), NodeOp):
        return node.inputs[value.index]
    return value


def reads_of(value: SSAValue) -> Iterator[Use]:
    """The uses of a value by computing ops: in a node's body, not by the node itself."""
    for use in value.uses:
        if isinstance(use.operation, NodeOp):
            yield from use.operation.block.args[use.index].uses
        else:
            yield use


def pack_constant(constant: Given, form: PanelsAttr, type_: TensorType[Attribute]) -> None:
    """Pack a constant into panels, with the node arguments that stand for it."""
    if isinstance(constant, DataOp):
        packed = DataOp(constant.id.data, form, type_)
    else:
        packed = ConstantOp(form, type_)
    packed.attributes.update(constant.attributes)
    Rewriter.replace_op(constant, packed)
    for use in packed.result.uses:
        if isinstance(use.operation, NodeOp):
            Rewriter.replace_value_with_new_type(use.operation.block.args[use.index], type_)
