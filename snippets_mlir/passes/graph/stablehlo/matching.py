"""Matching for the rules for functions of several ops: ops before a root, and constants."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from xdsl.dialects.builtin import AnyFloat
from xdsl.ir import Operation, SSAValue

from snippets_mlir.dialects.builtin.shaped import tensor_of
from snippets_mlir.dialects.snippets.conversion import BroadcastOp
from snippets_mlir.dialects.stablehlo.elementwise import StableElementwiseOp
from snippets_mlir.passes.graph.stablehlo.builder import splat_of

OpT = TypeVar("OpT", bound=Operation)

TOLERANCE = 2.0**-7
"""The relative tolerance of a constant: bfloat16 has 8 bits."""


def of_floats(op: StableElementwiseOp) -> bool:
    """Its elements are floats."""
    return isinstance(tensor_of(op.result).element_type, AnyFloat)


def is_constant(value: SSAValue, number: float) -> bool:
    """Whether `value` is the constant `number`, rounded to its element type."""
    found = splat_of(value)
    if found is None:
        return False
    exact = 2.0**-20 if tensor_of(value).element_type.name in ("f32", "f64") else TOLERANCE
    return abs(found - number) <= exact * abs(number)


def made_by(value: SSAValue, op: type[OpT]) -> OpT | None:
    """The op that computes `value`, through broadcasts, if it is of this class."""
    while isinstance(value.owner, BroadcastOp):
        value = value.owner.operand
    return value.owner if isinstance(value.owner, op) else None


def both_ways(op: Operation) -> Iterator[tuple[SSAValue, SSAValue]]:
    """The two operands of a commutative op in both orders."""
    a, b = op.operands
    yield a, b
    yield b, a
