"""Inputs of programs for `snippets-opt --check-each`: random, special and extreme numbers.

* `random`: floats from the normal distribution, integers from -100 to 99, bools with even odds;
* `special`: a fourth of the floats are NaN, an infinity, a zero of either sign, a subnormal, the
  smallest normal number, 1 or -1; a fourth of the integers 0, 1, -1 or a limit of their type;
* `extreme`: a fourth of the floats are among the largest or the smallest; integers are arbitrary.
  Passes that may round differently are not checked on these: one of two orders of a sum may
  overflow.

A large enough array has each of the numbers. Dynamic dims of tensors have size 3, dynamic dims of
memrefs have size 19, and an index is also 19.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from xdsl.dialects.builtin import AnyFloat, IndexType, IntegerType, MemRefType, TensorType
from xdsl.ir import Attribute

from snippets_mlir.dialects.builtin.dtypes import is_bfloat16, is_float, numpy_dtype
from snippets_mlir.dialects.builtin.shaped import element_of, extents_of
from snippets_mlir.runtime.arguments.arrays import Array

DYNAMIC_SIZE = 3
MEMREF_SIZE = 19


@dataclass(frozen=True)
class Inputs:
    """One array for each argument.

    Attributes:
        name: `random`, `special` or `extreme`.
        arrays: the arrays.
    """

    name: str
    arrays: tuple[Array, ...]


def _float_limits(dtype: np.dtype[Any]) -> tuple[float, float, float]:
    """The largest, the smallest normal and the smallest number of a float type."""
    if is_bfloat16(dtype):
        return 3.3895313892515355e38, 2.0**-126, 2.0**-133
    info = np.finfo(dtype)
    return float(info.max), float(info.smallest_normal), float(info.smallest_subnormal)


def _numbers(dtype: np.dtype[Any], name: str) -> list[float | int]:
    """The numbers in a set of inputs besides the random ones."""
    if is_float(dtype):
        largest, normal, subnormal = _float_limits(dtype)
        if name == "special":
            specials = [float("nan"), float("inf"), 0.0, 1.0, normal, subnormal]
            return [*specials, *(-x for x in specials)]
        return [
            sign * x for x in (largest, largest**0.5, normal**0.5, subnormal) for sign in (1, -1)
        ]
    limits = np.iinfo(dtype)
    return [0, 1, limits.max, limits.min, *([-1] if dtype.kind == "i" else [])]


def _random(rng: np.random.Generator, dtype: np.dtype[Any], shape: Sequence[int]) -> Array:
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(np.bool_)
    if dtype.kind in "iu":
        return rng.integers(0 if dtype.kind == "u" else -100, 100, shape).astype(dtype)
    return np.asarray(rng.standard_normal(shape)).astype(dtype)


def _mixed(
    rng: np.random.Generator, dtype: np.dtype[Any], shape: Sequence[int], name: str
) -> Array:
    array = _random(rng, dtype, shape)
    if dtype.kind == "b":
        return array
    if name == "extreme" and dtype.kind in "iu":
        limits = np.iinfo(dtype)
        return rng.integers(limits.min, limits.max, shape, dtype, endpoint=True)
    numbers = np.array(_numbers(dtype, name)).astype(dtype)
    places = rng.permutation(array.size)[: max(array.size // 4, len(numbers))]
    array.flat[places] = rng.permutation(np.resize(numbers, places.size))
    return array


def with_last_bits(inputs: Inputs) -> Inputs:
    """The same inputs with only the last bit of each integer: 0 and 1 are valid indices of most
    tables.
    """
    return Inputs(inputs.name, tuple(a & 1 if a.dtype.kind in "iu" else a for a in inputs.arrays))


def is_testable(type_: Attribute) -> bool:
    """Whether inputs of a type can be made: ranked tensors, memrefs, numbers and indices."""
    numbers = isinstance(type_, IndexType | IntegerType | AnyFloat)
    return numbers or isinstance(type_, TensorType | MemRefType)


def _array(rng: np.random.Generator, type_: Attribute, name: str) -> Array:
    if isinstance(type_, IndexType):
        return np.asarray(MEMREF_SIZE, np.int64)
    dynamic = MEMREF_SIZE if type_.name == MemRefType.name else DYNAMIC_SIZE
    shape = tuple(dynamic if size < 0 else size for size in extents_of(type_))
    element = element_of(type_)
    dtype = np.dtype(np.int64) if isinstance(element, IndexType) else numpy_dtype(element)
    if name == "random":
        return _random(rng, dtype, shape)
    return _mixed(rng, dtype, shape, name)


def inputs_for(types: Sequence[Attribute], seed: int) -> Iterator[Inputs]:
    """The three sets of inputs for arguments of `types`."""
    for number, name in enumerate(("random", "special", "extreme")):
        rng = np.random.default_rng([seed, number])
        with np.errstate(all="ignore"):
            yield Inputs(name, tuple(_array(rng, type_, name) for type_ in types))
