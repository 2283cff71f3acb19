"""Emitters: the lowering of one op of the linear IR to vector code.

Source: the design guide's Emitter and `jitters` map.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue

from snippets_mlir.targets.emitters.vector_builder import VectorBuilder
from snippets_mlir.targets.precisions import Precision

Emit = Callable[[VectorBuilder, Operation, Sequence[SSAValue]], SSAValue]
"""Builder, op, operands as vectors of the op's lanes -> the result's vector."""


@dataclass(frozen=True)
class Emitter:
    """How an op becomes vector code.

    Attributes:
        emit: appends the code and returns the result; it is called only for `precisions`.
        auxiliary_vectors: additional vector registers besides operands and result.
        auxiliary_masks: additional mask registers, on machines that have them.
        auxiliary_general: additional general-purpose registers.
        precisions: the supported element types of the operands, preferred ones first; None: the
            types that ops of this class have on every target (`targets/precisions.py`).
    """

    emit: Emit
    auxiliary_vectors: int = 0
    auxiliary_masks: int = 0
    auxiliary_general: int = 0
    precisions: tuple[Precision, ...] | None = None

    def auxiliary(self, file: str) -> int:
        """The registers of a file ("vec", "mask" or "gpr") besides operands and result."""
        if file == "vec":
            return self.auxiliary_vectors
        return self.auxiliary_masks if file == "mask" else self.auxiliary_general
