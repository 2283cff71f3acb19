"""The interface for expansions: primitive vector arithmetic, one method per operation.

`V` is the type of a value: an SSA value of the linear IR, or an array in the tests. Float values
have the builder's element type, integers its width, masks are the results of comparisons. No
operation may be contracted or reassociated, because the expansions rely on every rounding.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, Self, TypeVar

V = TypeVar("V")


class MathBuilder(Protocol[V]):
    """The operations for building expansions, for elements `f32` (with i32) or `f64` (i64).

    Attributes:
        element: `f32` or `f64`, the type of the computation.
        fma_is_fast: whether `fma` is one instruction; it is exact in any case.
        permutes: whether `lookup` of f32 in a wrapping table of 32 is one instruction.
        branches: whether `rare` skips code that no lane needs.
    """

    element: str
    fma_is_fast: bool
    permutes: bool
    branches: bool

    def f64(self) -> Self:
        """A builder for f64 and i64 elements on the same lanes."""
        ...

    def constant(self, x: float) -> V:
        """x, rounded to the element type."""
        ...

    def integer(self, x: int) -> V:
        """The integer `x` in every lane, as wide as the floats."""
        ...

    def add(self, a: V, b: V) -> V:
        """a + b."""
        ...

    def sub(self, a: V, b: V) -> V:
        """a - b."""
        ...

    def mul(self, a: V, b: V) -> V:
        """a * b."""
        ...

    def div(self, a: V, b: V) -> V:
        """a / b."""
        ...

    def fma(self, a: V, b: V, c: V) -> V:
        """a * b + c, rounded once."""
        ...

    def neg(self, a: V) -> V:
        """-a."""
        ...

    def abs(self, a: V) -> V:
        """|a|."""
        ...

    def sqrt(self, a: V) -> V:
        """Square root of a, correctly rounded."""
        ...

    def floor(self, a: V) -> V:
        """a rounded down."""
        ...

    def ceil(self, a: V) -> V:
        """a rounded up."""
        ...

    def trunc(self, a: V) -> V:
        """a rounded toward zero."""
        ...

    def round_even(self, a: V) -> V:
        """a rounded to nearest, halves to even."""
        ...

    def max(self, a: V, b: V) -> V:
        """IEEE 754-2019 maximum; `select(gt(a, b), a, b)` is cheaper where NaN rules allow."""
        ...

    def min(self, a: V, b: V) -> V:
        """IEEE 754-2019 minimum; `select(lt(a, b), a, b)` is cheaper where NaN rules allow."""
        ...

    def lt(self, a: V, b: V) -> V:
        """a < b."""
        ...

    def le(self, a: V, b: V) -> V:
        """a <= b."""
        ...

    def gt(self, a: V, b: V) -> V:
        """a > b."""
        ...

    def ge(self, a: V, b: V) -> V:
        """a >= b."""
        ...

    def eq(self, a: V, b: V) -> V:
        """a == b."""
        ...

    def ne(self, a: V, b: V) -> V:
        """a != b, true for NaN."""
        ...

    def select(self, mask: V, a: V, b: V) -> V:
        """a where mask, else b; floats or integers."""
        ...

    def rare(self, mask: V, a: Callable[[], V], b: V) -> V:
        """`select(mask, a(), b)` for a mask that few vectors set in any lane: with `branches`, the
        other vectors skip the code that only `a` needs.
        """
        ...

    def mask_and(self, a: V, b: V) -> V:
        """Lanes in which both masks hold."""
        ...

    def mask_or(self, a: V, b: V) -> V:
        """Lanes in which either mask holds."""
        ...

    def mask_xor(self, a: V, b: V) -> V:
        """Lanes in which exactly one mask holds."""
        ...

    def mask_not(self, a: V) -> V:
        """Lanes in which the mask does not hold."""
        ...

    def iadd(self, a: V, b: V) -> V:
        """a + b, wrapping."""
        ...

    def isub(self, a: V, b: V) -> V:
        """a - b, wrapping."""
        ...

    def imul(self, a: V, b: V) -> V:
        """a * b, wrapping."""
        ...

    def iand(self, a: V, b: V) -> V:
        """Bits set in both."""
        ...

    def ior(self, a: V, b: V) -> V:
        """Bits set in either."""
        ...

    def ixor(self, a: V, b: V) -> V:
        """Bits set in one of both."""
        ...

    def ishl(self, a: V, n: int) -> V:
        """a << n."""
        ...

    def iashr(self, a: V, n: int) -> V:
        """a >> n, the sign shifted in."""
        ...

    def ieq(self, a: V, b: V) -> V:
        """a == b of integers."""
        ...

    def ilt(self, a: V, b: V) -> V:
        """a < b of signed integers."""
        ...

    def igt(self, a: V, b: V) -> V:
        """a > b of signed integers."""
        ...

    def to_int(self, x: V) -> V:
        """x, which is in range, truncated to an integer of its width."""
        ...

    def to_float(self, i: V) -> V:
        """The integer i as a float of its width."""
        ...

    def as_int(self, x: V) -> V:
        """The bits of a float as an integer of the same width."""
        ...

    def as_float(self, i: V) -> V:
        """The float whose bits are this integer."""
        ...

    def lookup(
        self, table: tuple[float, ...] | tuple[int, ...], index: V, *, wraps: bool = False
    ) -> V:
        """table[index]; floats give floats, integers integers. The index is clamped to the table,
        or modulo its size, a power of two, if it wraps.
        """
        ...

    def widen(self, x: V) -> V:
        """An f32 value as f64, a value of `f64()`."""
        ...

    def narrow(self, x: V) -> V:
        """An f64 value of `f64()` rounded to f32."""
        ...

    def wide_int(self, i: V) -> V:
        """An i32 value, sign-extended to i64."""
        ...
