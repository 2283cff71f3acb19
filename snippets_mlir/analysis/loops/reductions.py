"""Reductions in the carried values of `affine.for`.

    %r = affine.for %i = 0 to 8 iter_args(%acc = %init) -> (f32) {
      %x = ...
      %next = arith.addf %acc, %x : f32       the combiner; either order of operands
      affine.yield %next : f32
    }

One op of `COMBINERS` reads the carried value, and nothing else uses it before the yield. Only the
yield uses the op's result. Then the order of the iterations affects only rounding.
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from typing import cast

from xdsl.dialects import affine
from xdsl.dialects.builtin import AnyFloat, FloatAttr, IndexType, IntegerAttr, IntegerType
from xdsl.ir import Attribute, Operation, SSAValue

COMBINERS: dict[str, str] = {
    "arith.addf": "add",
    "arith.addi": "add",
    "arith.mulf": "mul",
    "arith.muli": "mul",
    "arith.andi": "and",
    "arith.ori": "or",
    "arith.xori": "xor",
    "arith.minimumf": "minimumf",
    "arith.maximumf": "maximumf",
    "arith.minnumf": "minnumf",
    "arith.maxnumf": "maxnumf",
    "arith.minsi": "minsi",
    "arith.maxsi": "maxsi",
    "arith.minui": "minui",
    "arith.maxui": "maxui",
}
"""Op name to the kind of `vector.reduction` that combines in the same way."""

_NEGATIVE_NAN: float = struct.unpack("<d", struct.pack("<Q", 0xFFF8 << 48))[0]

_FLOAT_NEUTRAL: dict[str, float] = {
    "add": 0.0,
    "mul": 1.0,
    "minimumf": math.inf,
    "maximumf": -math.inf,
    "minnumf": math.nan,
    "maxnumf": _NEGATIVE_NAN,
}


@dataclass(frozen=True)
class Reduction:
    """One carried value that is a reduction.

    `kind` is one of `COMBINERS`' values, `combiner` the op, `place` the number of its operand that
    is combined into the value in each iteration. The operand may be a result of another loop, which
    is another value after that loop has been rewritten.
    """

    kind: str
    combiner: Operation
    place: int


def reductions_of(loop: affine.ForOp) -> tuple[Reduction, ...] | str:
    """All carried values of a loop as reductions, or the reason why one is not a reduction."""
    block = loop.body.block
    found: list[Reduction] = []
    last = block.last_op
    assert last is not None
    for number, (carried, yielded) in enumerate(zip(block.args[1:], last.operands, strict=True)):
        reduction = _reduction(loop, carried, yielded)
        if isinstance(reduction, str):
            return f"carried value {number} is no reduction: {reduction}"
        found.append(reduction)
    return tuple(found)


def _reduction(loop: affine.ForOp, carried: SSAValue, yielded: SSAValue) -> Reduction | str:
    combiner = yielded.owner
    if not isinstance(combiner, Operation) or combiner.parent is not loop.body.block:
        return "what is yielded is not computed in the loop"
    if combiner.name not in COMBINERS:
        return f"'{combiner.name}' makes it"
    uses = list(carried.uses)
    if len(uses) != 1 or uses[0].operation is not combiner:
        return f"it is used by more than one '{combiner.name}'"
    if len(list(yielded.uses)) != 1:
        return "its partial values are used in the loop"
    return Reduction(COMBINERS[combiner.name], combiner, 1 - uses[0].index)


def neutral_element(kind: str, type_: Attribute) -> Attribute:
    """The element that changes nothing when it is combined: upstream's choice for each kind.

    0.0 for a floating-point sum turns -0.0 into 0.0; `exact_zero` is the other one.
    """
    if isinstance(type_, AnyFloat):
        return FloatAttr(_FLOAT_NEUTRAL[kind], type_)
    if isinstance(type_, IndexType):
        return IntegerAttr(_integer_neutral(kind, 64), type_)
    width = cast(IntegerType, type_).bitwidth
    return IntegerAttr(_integer_neutral(kind, width), IntegerType(width))


def exact_zero(type_: AnyFloat) -> FloatAttr:
    """-0.0: adding it changes nothing, not even -0.0."""
    return FloatAttr(-0.0, type_)


def _integer_neutral(kind: str, width: int) -> int:
    lowest, highest = -(1 << (width - 1)), (1 << (width - 1)) - 1
    if width == 1:
        lowest, highest = -1, 0
    return {
        "add": 0,
        "mul": 1 if width > 1 else -1,
        "and": -1,
        "or": 0,
        "xor": 0,
        "minsi": highest,
        "maxsi": lowest,
        "minui": -1,
        "maxui": 0,
    }[kind]
