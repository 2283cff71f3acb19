"""Emitters for the parts of reductions and scans: neutral lanes, folds and prefixes of lanes.

    %f = lir.fill %x {offset = 5, value = 0.0}     select of %x and 0.0 by the first 5 lanes
    %h = lir.horizon %a {kind = "sum"}             v + upper half of v, log2(lanes) times
    %p = lir.prefix %x {kind = "sum"}              v moved up by 1, 2, 4, ... lanes + v

The fold is by halves, in a fixed order: results do not depend on the machine's horizontal adds.
"""

from __future__ import annotations

from xdsl.dialects.builtin import AnyFloat
from xdsl.ir import SSAValue

from snippets_mlir.dialects.lir.scan import start_of
from snippets_mlir.dialects.snippets.emission.arithmetic import larger
from snippets_mlir.support.errors import CompileError
from snippets_mlir.targets.emitters.arith_builder import element_of, lanes_of, vector_type
from snippets_mlir.targets.emitters.vector_builder import VectorBuilder

_COMBINE = {
    "sum": ("arith.addf", "arith.addi"),
    "prod": ("arith.mulf", "arith.muli"),
    "max": ("arith.maximumf", "arith.maxsi"),
    "min": ("arith.minimumf", "arith.minsi"),
}


def emit_fill(b: VectorBuilder, vector: SSAValue, offset: int, value: float) -> SSAValue:
    """`vector` with its lanes from `offset` on set to `value`."""
    lanes = lanes_of(vector)
    if offset >= lanes:
        return vector
    return b.select(b.mask(offset, lanes), vector, b.like(value, vector))


def _combined(b: VectorBuilder, kind: str, one: SSAValue, other: SSAValue) -> SSAValue:
    if kind == "maxnum":
        return larger(b, one, other)
    float_op, int_op = _COMBINE[kind]
    return b.op(float_op if isinstance(element_of(one), AnyFloat) else int_op, [one, other])


def emit_horizon(b: VectorBuilder, vector: SSAValue, kind: str, lanes: int) -> SSAValue:
    """`vector` folded by halves until `lanes` lanes remain.

    CompileError if repeated halving does not give `lanes`.
    """
    folds, rest = divmod(lanes_of(vector), lanes)
    if rest or folds & (folds - 1):
        raise CompileError(
            f"lir.horizon: expected {lanes} lanes times a power of two, found {lanes_of(vector)}"
        )
    while (width := lanes_of(vector)) > lanes:
        half = width // 2
        lower = b.shuffled(vector, range(half))
        upper = b.shuffled(vector, range(half, width))
        vector = _combined(b, kind, lower, upper)
    return vector


def emit_prefix(b: VectorBuilder, vector: SSAValue, kind: str) -> SSAValue:
    """In each lane the combination of all lanes of `vector` up to and including it."""
    lanes, element = lanes_of(vector), element_of(vector)
    nothing = b.constant(start_of(kind, element).value.data, vector_type(element, lanes))
    distance = 1
    while distance < lanes:
        # Lane i takes lane i - distance; the first ones take the neutral element.
        before = [lanes] * distance + list(range(lanes - distance))
        vector = _combined(b, kind, b.mixed(vector, nothing, before), vector)
        distance *= 2
    return vector
