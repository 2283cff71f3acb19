"""Sizes that are known at run time only, as numbers that keep their identity in arithmetic.

A *symbol* stands for one size that a call brings. It is a prime above 2^30: products of sizes,
strides and byte counts are computed as for static sizes, and a number can be taken apart again into
its symbols, because factors are unique. So the passes that compute with shapes are the same for
static and for dynamic kernels, and a kernel's formulas are in its numbers:

    ?0         the first symbol
    ?0*?1*4    two of them and a constant

Two symbols are equal only if they are the same one, and no symbol is 1: a size of 1 broadcasts,
which is other code. Static sizes have to be below 2^30.

A kernel reads the value of symbol `?i` from `rt[i]`, the second member of its argument block.
Symbols of dims come first; `runtime_slots` computes the others, which are no products.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache, lru_cache

SMALLEST = 1 << 30
"""Static sizes are smaller than this, symbols are larger."""

MAX_SYMBOLS = 64

FIRST_OFFSET = 32
"""Symbols from here on are the offsets of buffers, smaller ones are dims of inputs."""

SCRATCH = 63
"""The symbol of the bytes of scratchpad that a thread needs."""


class TooManySizesError(ValueError):
    """A program has more sizes that only a call knows than there are symbols."""


def _is_prime(number: int) -> bool:
    """Deterministic Miller-Rabin: these bases decide all numbers below 2^32."""
    odd, twos = number - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    for base in (2, 7, 61):
        power = pow(base, odd, number)
        if power in (1, number - 1):
            continue
        for _ in range(twos - 1):
            power = power * power % number
            if power == number - 1:
                break
        else:
            return False
    return True


@cache
def symbol(index: int) -> int:
    """The number of the symbol `?index`.

    Raises:
        TooManySizesError: there are `MAX_SYMBOLS` symbols.
    """
    if not 0 <= index < MAX_SYMBOLS:
        raise TooManySizesError(f"expected a symbol of ?0 to ?{MAX_SYMBOLS - 1}, found ?{index}")
    number = SMALLEST + 1 if index == 0 else symbol(index - 1) + 2
    while not _is_prime(number):
        number += 2
    return number


def is_symbolic(size: int) -> bool:
    """Whether a size has a symbol in it; a number that has none is static."""
    return abs(size) > SMALLEST and bool(factors(size)[1])


@lru_cache(maxsize=4096)
def factors(size: int) -> tuple[int, tuple[int, ...]]:
    """The constant factor of `size`, and the indices of its symbols in ascending order."""
    found: list[int] = []
    if abs(size) > SMALLEST:
        for index in range(MAX_SYMBOLS):
            while size and size % symbol(index) == 0:
                size //= symbol(index)
                found.append(index)
            if abs(size) <= SMALLEST:
                break
    return size, tuple(found)


def evaluate(size: int, values: Sequence[int]) -> int:
    """The number that `size` is when symbol `?i` is `values[i]`."""
    result, symbols = factors(size)
    for index in symbols:
        result *= values[index]
    return result


def format_size(size: int) -> str:
    """`size` as text: a number, or a product of symbols and a constant."""
    constant, symbols = factors(size)
    if not symbols:
        return str(size)
    parts = [f"?{index}" for index in symbols]
    return "*".join(parts if constant == 1 else [*parts, str(constant)])


def format_sizes(sizes: Iterable[int]) -> str:
    """`[?0, 4]`: sizes as a list."""
    return f"[{', '.join(map(format_size, sizes))}]"


def aligned(size: int, alignment: int = 64) -> int:
    """`size` rounded up to a multiple of `alignment`."""
    return -(-size // alignment) * alignment


def runtime_slots(dims: Sequence[int], clusters: Sequence[int]) -> list[int]:
    """The values of all symbols for one call of a kernel.

    Args:
        dims: the value of each symbol that is a dim.
        clusters: the sizes of the kernel's clusters of buffers, which lie one behind the other.
    """
    slots = [*dims, *[0] * (MAX_SYMBOLS - len(dims))]
    offset = 0
    for index, size in enumerate(clusters):
        slots[FIRST_OFFSET + index] = offset
        offset += aligned(evaluate(size, dims))
    slots[SCRATCH] = offset
    return slots
