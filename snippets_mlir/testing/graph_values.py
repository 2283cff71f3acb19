"""Values of random graphs in both precisions, and the reasons why a value is unfit for a test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from snippets_mlir.testing.graph_formulas import Array
from snippets_mlir.testing.graph_text import tensor_type

Shape = tuple[int, ...]

PART_EXPONENT = 100
"""The largest binary exponent of a partial product; f32 has 126 in each direction."""


@dataclass(frozen=True, eq=False)
class Value:
    """A value of a graph: its name and type, whether it is exact in float32, and its elements.

    `wide` is float64, `narrow` float32, `noisy` float64 with every op rounded at random.
    """

    name: str
    element: str
    exact: bool
    wide: Array
    narrow: Array
    noisy: tuple[Array, ...]

    @property
    def shape(self) -> Shape:
        """The sizes of the value's dims, all static."""
        return self.wide.shape

    @property
    def type(self) -> str:
        """The tensor type as MLIR text, such as `tensor<4xf32>`."""
        return tensor_type(self.shape, self.element)


DTYPES = {"f32": np.float32, "i32": np.int32, "i1": np.bool_}


def part_overflows(value: Value) -> bool:
    """Whether a partial product of the elements of `value` might leave the range of f32."""
    factors = np.abs(value.wide[value.wide != 0]).astype(np.float64)
    return float(np.abs(np.log2(factors)).sum()) > PART_EXPONENT


def of_nothing(name: str, operands: Sequence[Value]) -> bool:
    """Whether an op is an empty reduction, whose result is the neutral value."""
    return name.startswith("reduce_") and operands[0].wide.size == 0


def largest(values: Sequence[Array]) -> float:
    """The largest finite absolute value."""
    return max((float(np.abs(x[np.isfinite(x)]).max(initial=0.0)) for x in values), default=0.0)


def narrowed(x: Array, element: str) -> Array:
    """`x` in the precision of a program: "f32", "i32" or "i1"."""
    return x.astype(DTYPES[element])
