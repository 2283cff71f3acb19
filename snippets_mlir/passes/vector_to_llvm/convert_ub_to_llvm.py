"""Lower `ub.poison` to the `llvm` dialect.

    %p = ub.poison : f32                 %p = llvm.mlir.poison : f32

Leaves poison of a type that LLVM lacks.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.ub import PoisonOp
from xdsl.ir import Operation, SSAValue

from snippets_mlir.dialects.llvm import values
from snippets_mlir.passes.building.conversion import ConversionPass, converts
from snippets_mlir.passes.building.lowering import Lowering


def _poison(op: Operation, low: Lowering) -> Sequence[SSAValue]:
    """`llvm.mlir.poison` of the converted type."""
    type = low.type(op.results[0].type)
    assert type is not None
    return (low.make(values.PoisonOp, (), type),)


@dataclass(frozen=True)
class ConvertUBToLLVMPass(ConversionPass):
    """Lower ub.poison to the llvm dialect."""

    name: ClassVar[str] = "convert-ub-to-llvm"
    PATTERNS = (converts(PoisonOp, _poison),)
