"""What an emitter is: the lowering of one op of the linear IR to vector code.

Source: the design guide's Emitter and `jitters` map (reference section 4).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue

from snippets_mlir.targets.emitters.vector_builder import VectorBuilder

Emit = Callable[[VectorBuilder, Operation, Sequence[SSAValue]], SSAValue]
"""Builder, op, operands as vectors of the op's lanes -> the result's vector."""


@dataclass(frozen=True)
class Emitter:
    """How an op becomes vector code.

    The element types that it is for are `precisions_of` its op (`targets/precisions.py`); `emit` is
    not called for others.

    Attributes:
        emit: appends the code and returns the result.
        auxiliary_vectors: vector registers needed besides operands and result.
        auxiliary_masks: mask registers needed besides, on machines that have them.
    """

    emit: Emit
    auxiliary_vectors: int = 0
    auxiliary_masks: int = 0
