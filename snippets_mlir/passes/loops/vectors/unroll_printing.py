"""The row of `vector-unroll` for `vector.print`: elements and texts one by one."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue

from snippets_mlir.dialects.vector.printing import PrintOp, Punctuation
from snippets_mlir.passes.loops.vectors.unroll_builder import Unroller


def unroll_print(op: Operation, u: Unroller) -> Sequence[Sequence[SSAValue]]:
    """Print the elements of a split vector, and the texts between them."""
    assert isinstance(op, PrintOp)
    assert op.source is not None
    for part in op.parts():
        if isinstance(part, int):
            u.insert(PrintOp(u.element(*u.lane(op.source, part)), Punctuation.NONE))
        elif part:
            u.insert(PrintOp(text=part))
    return []
