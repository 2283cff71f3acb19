"""The math builder on NumPy arrays: every operation is rounded as the vector instruction rounds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from exact_fma import exact_fma

Array = np.ndarray[Any, np.dtype[Any]]


class NumpyMathBuilder:
    """Evaluates an expansion; `counts` collects the number of operations, immediates left out."""

    def __init__(
        self,
        element: str,
        counts: dict[str, int] | None = None,
        *,
        fma_is_fast: bool = True,
        permutes: bool = False,
        branches: bool = True,
    ) -> None:
        self.element = element
        self.fma_is_fast = fma_is_fast
        self.permutes = permutes
        self.branches = branches
        self.counts: dict[str, int] = {} if counts is None else counts
        self.float: Any = np.float32 if element == "f32" else np.float64
        self.int: Any = np.int32 if element == "f32" else np.int64

    def _count(self, name: str) -> None:
        self.counts[name] = self.counts.get(name, 0) + 1

    def _floats(self, name: str, *values: Array) -> None:
        self._count(name)
        for v in values:
            assert v.dtype == self.float, f"{name} of {v.dtype} in an {self.element} builder"

    def _ints(self, name: str, *values: Array) -> None:
        self._count(name)
        for v in values:
            assert v.dtype == self.int, f"{name} of {v.dtype} in an {self.element} builder"

    def _masks(self, name: str, *values: Array) -> None:
        self._count(name)
        for v in values:
            assert v.dtype == np.bool_, f"{name} of {v.dtype}"

    def f64(self) -> NumpyMathBuilder:
        return NumpyMathBuilder(
            "f64", self.counts, fma_is_fast=self.fma_is_fast, branches=self.branches
        )

    def constant(self, x: float) -> Array:
        return np.asarray(self.float(x))

    def integer(self, x: int) -> Array:
        return np.asarray(self.int(x))

    def add(self, a: Array, b: Array) -> Array:
        self._floats("add", a, b)
        return np.asarray(a + b)

    def sub(self, a: Array, b: Array) -> Array:
        self._floats("sub", a, b)
        return np.asarray(a - b)

    def mul(self, a: Array, b: Array) -> Array:
        self._floats("mul", a, b)
        return np.asarray(a * b)

    def div(self, a: Array, b: Array) -> Array:
        self._floats("div", a, b)
        return np.asarray(a / b)

    def fma(self, a: Array, b: Array, c: Array) -> Array:
        self._floats("fma", a, b, c)
        return exact_fma(a, b, c, self.float)

    def neg(self, a: Array) -> Array:
        self._floats("neg", a)
        return np.asarray(-a)

    def abs(self, a: Array) -> Array:
        self._floats("abs", a)
        return np.asarray(np.abs(a))

    def sqrt(self, a: Array) -> Array:
        self._floats("sqrt", a)
        return np.asarray(np.sqrt(a))

    def floor(self, a: Array) -> Array:
        self._floats("floor", a)
        return np.asarray(np.floor(a))

    def ceil(self, a: Array) -> Array:
        self._floats("ceil", a)
        return np.asarray(np.ceil(a))

    def trunc(self, a: Array) -> Array:
        self._floats("trunc", a)
        return np.asarray(np.trunc(a))

    def round_even(self, a: Array) -> Array:
        self._floats("round_even", a)
        return np.asarray(np.rint(a))

    def max(self, a: Array, b: Array) -> Array:
        self._floats("max", a, b)
        zeros = np.where(np.signbit(a), b, a)
        return np.asarray(np.where((a == 0) & (b == 0), zeros, np.maximum(a, b)))

    def min(self, a: Array, b: Array) -> Array:
        self._floats("min", a, b)
        zeros = np.where(np.signbit(a), a, b)
        return np.asarray(np.where((a == 0) & (b == 0), zeros, np.minimum(a, b)))

    def lt(self, a: Array, b: Array) -> Array:
        self._floats("lt", a, b)
        return np.asarray(a < b)

    def le(self, a: Array, b: Array) -> Array:
        self._floats("le", a, b)
        return np.asarray(a <= b)

    def gt(self, a: Array, b: Array) -> Array:
        self._floats("gt", a, b)
        return np.asarray(a > b)

    def ge(self, a: Array, b: Array) -> Array:
        self._floats("ge", a, b)
        return np.asarray(a >= b)

    def eq(self, a: Array, b: Array) -> Array:
        self._floats("eq", a, b)
        return np.asarray(a == b)

    def ne(self, a: Array, b: Array) -> Array:
        self._floats("ne", a, b)
        return np.asarray(a != b)

    def select(self, mask: Array, a: Array, b: Array) -> Array:
        self._count("select")
        assert mask.dtype == np.bool_
        assert a.dtype == b.dtype
        assert a.dtype in (self.float, self.int)
        return np.asarray(np.where(mask, a, b))

    def rare(self, mask: Array, a: Callable[[], Array], b: Array) -> Array:
        """Of the rare side, nothing counts, but the table is one that is looked up."""
        self._count("rare")
        counted = dict(self.counts)
        rare = a()
        assert mask.dtype == np.bool_
        assert rare.dtype == b.dtype
        self.counts.clear()
        self.counts.update(counted)
        return np.asarray(np.where(mask, rare, b))

    def mask_and(self, a: Array, b: Array) -> Array:
        self._masks("mask_and", a, b)
        return np.asarray(a & b)

    def mask_or(self, a: Array, b: Array) -> Array:
        self._masks("mask_or", a, b)
        return np.asarray(a | b)

    def mask_xor(self, a: Array, b: Array) -> Array:
        self._masks("mask_xor", a, b)
        return np.asarray(a ^ b)

    def mask_not(self, a: Array) -> Array:
        self._masks("mask_not", a)
        return np.asarray(~a)

    def iadd(self, a: Array, b: Array) -> Array:
        self._ints("iadd", a, b)
        return np.asarray(a + b)

    def isub(self, a: Array, b: Array) -> Array:
        self._ints("isub", a, b)
        return np.asarray(a - b)

    def imul(self, a: Array, b: Array) -> Array:
        self._ints("imul", a, b)
        return np.asarray(a * b)

    def iand(self, a: Array, b: Array) -> Array:
        self._ints("iand", a, b)
        return np.asarray(a & b)

    def ior(self, a: Array, b: Array) -> Array:
        self._ints("ior", a, b)
        return np.asarray(a | b)

    def ixor(self, a: Array, b: Array) -> Array:
        self._ints("ixor", a, b)
        return np.asarray(a ^ b)

    def ishl(self, a: Array, n: int) -> Array:
        self._ints("ishl", a)
        return np.asarray(a << self.int(n))

    def iashr(self, a: Array, n: int) -> Array:
        self._ints("iashr", a)
        return np.asarray(a >> self.int(n))

    def ieq(self, a: Array, b: Array) -> Array:
        self._ints("ieq", a, b)
        return np.asarray(a == b)

    def ilt(self, a: Array, b: Array) -> Array:
        self._ints("ilt", a, b)
        return np.asarray(a < b)

    def igt(self, a: Array, b: Array) -> Array:
        self._ints("igt", a, b)
        return np.asarray(a > b)

    def to_int(self, x: Array) -> Array:
        self._floats("to_int", x)
        limit = 2.0 ** (31 if self.element == "f32" else 63)
        assert np.all(np.isfinite(x) & (np.abs(x) < limit)), "to_int out of range"
        return np.asarray(x.astype(self.int))

    def to_float(self, i: Array) -> Array:
        self._ints("to_float", i)
        return np.asarray(i.astype(self.float))

    def as_int(self, x: Array) -> Array:
        self._floats("as_int", x)
        return x.view(self.int)

    def as_float(self, i: Array) -> Array:
        self._ints("as_float", i)
        return i.view(self.float)

    def lookup(
        self, table: tuple[float, ...] | tuple[int, ...], index: Array, *, wraps: bool = False
    ) -> Array:
        self._ints("lookup", index)
        dtype = self.float if isinstance(table[0], float) else self.int
        if wraps:
            assert len(table) & (len(table) - 1) == 0
            return np.asarray(np.array(table, dtype)[index & (len(table) - 1)])
        return np.asarray(np.array(table, dtype)[np.clip(index, 0, len(table) - 1)])

    def widen(self, x: Array) -> Array:
        self._count("widen")
        assert x.dtype == np.float32
        return np.asarray(x.astype(np.float64))

    def narrow(self, x: Array) -> Array:
        self._count("narrow")
        assert x.dtype == np.float64
        return np.asarray(x.astype(np.float32))

    def wide_int(self, i: Array) -> Array:
        self._count("wide_int")
        assert i.dtype == np.int32
        return np.asarray(i.astype(np.int64))
