"""Change the types of a subgraph's inputs and outputs, inside and outside.

Outside, arguments and results of the function are memory, so they take the new type. Every other
value is converted to it, or back, by an op that the pass gives.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from snippets_mlir.dialects.snippets.subgraph import SubgraphOp
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.walking import ops_inside

Convert = Callable[[SSAValue], Sequence[Operation]]
"""Ops that convert a value to the other type; the result of the last one is the new value."""

KEEP = "-"
"""Stands in lists for a type or layout that does not change."""


def listed(subgraph: SubgraphOp, attribute: str, option: tuple[str, ...]) -> tuple[str, ...]:
    """The texts in an attribute of the subgraph, else those of the option."""
    attr = subgraph.attributes.get(attribute)
    if not isinstance(attr, ArrayAttr):
        return option
    items = cast("ArrayAttr[Attribute]", attr)
    return tuple(item.data if isinstance(item, StringAttr) else str(item) for item in items)


def check_length(subgraph: SubgraphOp, what: str, given: int, expected: int) -> None:
    """CompileError unless a list has an entry for each input or result."""
    if given != expected:
        raise CompileError(
            f"expected {expected} {what} for this subgraph, one each, found {given}; "
            f"write {KEEP} for one that stays",
            **position_of(subgraph),
        )


def called_in(module: Operation) -> frozenset[str]:
    """The called functions; their types stay."""
    return frozenset(
        op.callee.string_value() for op in ops_inside(module) if isinstance(op, CallOp)
    )


def _function_of(value: SSAValue, called: frozenset[str]) -> FuncOp | None:
    """The uncalled function with the argument `value`, which is read once; else None."""
    if not isinstance(value, BlockArgument) or not value.has_one_use():
        return None
    block = value.owner
    function = block.parent_op()
    if not isinstance(function, FuncOp) or block is not function.body.first_block:
        return None
    return None if function.sym_name.data in called else function


def retype_input(
    subgraph: SubgraphOp,
    index: int,
    type_: Attribute,
    convert: Convert,
    called: frozenset[str],
) -> SSAValue:
    """Give input `index` another type; the argument inside, whose readers see the new type."""
    value = subgraph.inputs[index]
    if (function := _function_of(value, called)) is not None:
        Rewriter.replace_value_with_new_type(value, type_)
        function.update_function_type()
    else:
        ops = convert(value)
        Rewriter.insert_op(ops, InsertPoint.before(subgraph))
        subgraph.operands[index] = ops[-1].results[0]
    return Rewriter.replace_value_with_new_type(subgraph.block.args[index], type_)


def retype_result(
    subgraph: SubgraphOp, index: int, type_: Attribute, back: Convert, called: frozenset[str]
) -> None:
    """Give result `index` another type; the pass has changed the yielded value."""
    result = Rewriter.replace_value_with_new_type(subgraph.outputs[index], type_)
    others = [use for use in result.uses if not _is_returned(use.operation, called)]
    for function in {use.operation.parent_op() for use in result.uses if use not in others}:
        assert isinstance(function, FuncOp)
        function.update_function_type()
    if others:
        ops = back(result)
        Rewriter.insert_op(ops, InsertPoint.after(subgraph))
        for use in others:
            use.operation.operands[use.index] = ops[-1].results[0]


def _is_returned(op: Operation, called: frozenset[str]) -> bool:
    function = op.parent_op()
    if not isinstance(op, ReturnOp) or not isinstance(function, FuncOp):
        return False
    return function.sym_name.data not in called
