"""How much work threads and vectors want, and the divisors that cut it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects.builtin import IntegerAttr, ModuleOp

from snippets_mlir.targets.attributes import THREADS

ASSUMED_THREADS = 16
ASSUMED_LANES = 8
UNITS_PER_THREAD = 4


def thread_count(module: ModuleOp, threads: int) -> int:
    """`threads`, else the number that the module names, else `ASSUMED_THREADS`."""
    attribute = module.attributes.get(THREADS)
    known = attribute.value.data if isinstance(attribute, IntegerAttr) else 0
    return threads or known or ASSUMED_THREADS


def divisors(number: int) -> Iterator[int]:
    """The divisors of a positive number, rising."""
    small = [d for d in range(1, int(number**0.5) + 1) if number % d == 0]
    yield from small
    yield from (number // d for d in reversed(small) if d * d != number)


def aligned_block(sizes: Sequence[int], target: int, limit: int) -> int:
    """A product of the first of `sizes` and a divisor of the next one, up to `limit`.

    The smallest that is `target` or more, else the largest; 1 when there is no other.
    """
    before, largest = 1, 1
    for size in sizes:
        for divisor in divisors(size):
            block = before * divisor
            if target <= block <= limit:
                return block
            if block <= limit:
                largest = block
        before *= size
        if before > limit:
            break
    return largest
