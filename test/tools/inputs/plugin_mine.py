"""A dialect with one op and a pass that uses it, outside the package."""

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Attribute, Dialect
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, result_def
from xdsl.passes import ModulePass

from snippets_mlir.dialects.snippets.signs import AbsOp


@irdl_op_definition
class TwiceOp(IRDLOperation):
    """Twice a tensor."""

    name = "mine.twice"
    operand = operand_def(TensorType[Attribute])
    result = result_def(TensorType[Attribute])
    assembly_format = "$operand attr-dict `:` type($operand) `->` type($result)"


@dataclass(frozen=True)
class AbsToTwicePass(ModulePass):
    """Replace `snippets.abs` by `mine.twice`."""

    name: ClassVar[str] = "mine-abs-to-twice"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in list(op.walk()):
            if isinstance(inner, AbsOp):
                new = TwiceOp.create(operands=inner.operands, result_types=[inner.results[0].type])
                assert inner.parent is not None
                inner.parent.insert_op_before(new, inner)
                inner.results[0].replace_all_uses_with(new.result)
                inner.detach()
                inner.erase()


MINE = Dialect("mine", [TwiceOp], [])
