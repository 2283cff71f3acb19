"""Interleaving the lanes of vectors: a0 b0 a1 b1 ... from a0 a1 ... and b0 b1 ..."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from snippets_mlir.targets.emitters.arith_builder import lanes_of
from snippets_mlir.targets.emitters.vector_builder import VectorBuilder


def emit_interleaved(b: VectorBuilder, vectors: Sequence[SSAValue]) -> list[SSAValue]:
    """The lanes of 2^n vectors in turn, in as many vectors of the same number of lanes.

    For four vectors, the first and the third are interleaved, then the second and the fourth, and
    then the two results.
    """
    if len(vectors) == 1:
        return [*vectors]
    first, second = (emit_interleaved(b, vectors[start::2]) for start in (0, 1))
    lanes = lanes_of(vectors[0])
    found: list[SSAValue] = []
    for x, y in zip(first, second, strict=True):
        turns = [place for lane in range(lanes) for place in (lane, lanes + lane)]
        found += [b.mixed(x, y, turns[:lanes]), b.mixed(x, y, turns[lanes:])]
    return found
