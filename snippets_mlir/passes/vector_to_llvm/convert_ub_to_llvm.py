"""Lower `ub.poison` to the `llvm` dialect.

    %p = ub.poison : f32                 %p = llvm.mlir.poison : f32

Left as it is: poison of a type that LLVM lacks.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.ub import PoisonOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from snippets_mlir.dialects.llvm import values
from snippets_mlir.passes.building.conversion import Lowering, Row, lower


def _poison(op: Operation, low: Lowering) -> Sequence[SSAValue] | None:
    type = low.type(op.results[0].type)
    return None if type is None else (low.make(values.PoisonOp, (), type),)


TABLE: dict[type[Operation], Row] = {PoisonOp: _poison}


@dataclass(frozen=True)
class ConvertUBToLLVMPass(ModulePass):
    """Lower ub.poison to the llvm dialect."""

    name: ClassVar[str] = "convert-ub-to-llvm"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Replace the ops of `TABLE` in the functions."""
        lower(op, TABLE)
