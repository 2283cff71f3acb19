"""What the ops of `loop_oracle` compute: values with poison, and a function for each op."""

# pyright: basic

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    VectorType,
    f32,
    f64,
    i1,
    i8,
    i32,
    i64,
)
from xdsl.ir import Attribute

Array = NDArray[Any]
DTYPES = {f32: np.float32, f64: np.float64, i1: np.bool_, i8: np.int8, i32: np.int32, i64: np.int64}


class Wrong(AssertionError):
    """The IR does something that is not defined."""


@dataclass(frozen=True)
class Lanes:
    """A value: `data` and `poison` have one shape."""

    data: Array
    poison: NDArray[np.bool_]

    @staticmethod
    def of(data: Any) -> Lanes:
        data = np.asarray(data)
        return Lanes(data, np.zeros(data.shape, np.bool_))


def dtype_of(type_: Attribute) -> Any:
    element = type_.element_type if isinstance(type_, VectorType) else type_
    return DTYPES.get(element, np.int64)


def shape_of(type_: Attribute) -> tuple[int, ...]:
    return tuple(type_.get_shape()) if isinstance(type_, VectorType) else ()


def _minimum(choose: Callable[[Array, Array], Array]) -> Callable[[Array, Array], Array]:
    def combined(a: Array, b: Array) -> Array:
        """-0.0 is below 0.0, NaN wins."""
        result = np.asarray(choose(a, b))
        zeros = (a == 0) & (b == 0)
        sign = choose(np.copysign(1, a), np.copysign(1, b))
        return np.where(zeros, np.copysign(np.zeros_like(a), sign), result).astype(a.dtype)

    return combined


def _unsigned(function: Callable[[Array, Array], Array]) -> Callable[[Array, Array], Array]:
    def applied(a: Array, b: Array) -> Array:
        wide = np.dtype(f"u{a.dtype.itemsize}")
        return np.asarray(function(a.view(wide), b.view(wide))).view(a.dtype)

    return applied


def _truncated(a: Array, b: Array) -> Array:
    return (np.sign(a) * np.sign(b) * (abs(a) // np.where(b == 0, 1, abs(b)))).astype(a.dtype)


BINARY: dict[str, Callable[[Array, Array], Any]] = {
    "arith.addf": operator.add,
    "arith.addi": operator.add,
    "arith.subf": operator.sub,
    "arith.subi": operator.sub,
    "arith.mulf": operator.mul,
    "arith.muli": operator.mul,
    "arith.divf": operator.truediv,
    "arith.divsi": _truncated,
    "arith.remsi": lambda a, b: a - _truncated(a, b) * b,
    "arith.andi": operator.and_,
    "arith.ori": operator.or_,
    "arith.xori": operator.xor,
    "arith.minimumf": _minimum(np.minimum),
    "arith.maximumf": _minimum(np.maximum),
    "arith.minnumf": np.fmin,
    "arith.maxnumf": np.fmax,
    "arith.minsi": np.minimum,
    "arith.maxsi": np.maximum,
    "arith.minui": _unsigned(np.minimum),
    "arith.maxui": _unsigned(np.maximum),
}
REDUCE: dict[str, Callable[[Array, Array], Any]] = {
    "add": operator.add,
    "mul": operator.mul,
    "and": operator.and_,
    "or": operator.or_,
    "xor": operator.xor,
    **{name: BINARY[f"arith.{name}"] for name in ("minsi", "maxsi", "minui", "maxui")},
    **{name: BINARY[f"arith.{name}"] for name in ("minimumf", "maximumf", "minnumf", "maxnumf")},
}
PREDICATES = (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge)
# By the number of the predicate of cmpf: oeq, ogt, oge, olt, ole, one.
ORDERED = {1: operator.eq, 2: operator.gt, 3: operator.ge, 4: operator.lt, 5: operator.le}


def whole(lanes: Lanes) -> Array:
    """The data of what may not be poison."""
    if lanes.poison.any():
        raise Wrong("poison is used")
    return lanes.data


def check_inside(memory: Array, place: tuple[int, ...]) -> None:
    if not all(0 <= p < size for p, size in zip(place, memory.shape, strict=True)):
        raise Wrong(f"{place} is outside of {memory.shape}")


def constant(value: Attribute, dtype: Any, shape: tuple[int, ...]) -> Array:
    match value:
        case IntegerAttr() | FloatAttr():
            return np.asarray(value.value.data).astype(dtype)
        case DenseIntOrFPElementsAttr():
            numbers = np.asarray(list(value.get_values())).astype(dtype)
            return np.broadcast_to(numbers.reshape(shape if numbers.size > 1 else ()), shape)
        case _:
            raise NotImplementedError(str(value))
