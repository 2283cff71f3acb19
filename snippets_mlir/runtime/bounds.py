"""The check of a call of a function on memrefs: are all elements that it surely accesses there?

The formulas are those of `analysis/access_bounds.py`. Ranges of counters tell most calls apart;
where loops depend on each other or an index has a quotient, they may be too wide, and the exact
indices decide (`iteration_points.py`). A set of sizes that passed once is remembered.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from snippets_mlir.analysis.access_bounds import Access
from snippets_mlir.analysis.access_formulas import Atom
from snippets_mlir.runtime.iteration_points import MAX_POINTS, extremes
from snippets_mlir.runtime.memref_specs import MemRefSpec

MAX_KNOWN = 256
"""Sets of sizes that are remembered."""

Known = tuple[tuple[int, ...] | int, ...]


class BoundsCheck:
    """Checks the sizes of calls.

    Args:
        inputs: the specs of the arguments.
        accesses: what the function accesses.
    """

    def __init__(self, inputs: Sequence[MemRefSpec], accesses: Sequence[Access]) -> None:
        self._inputs = tuple(inputs)
        self._accesses = tuple(accesses)
        self._indices = tuple(given.scalar and given.dtype.kind == "i" for given in inputs)
        self._passed: set[Known] = set()

    def __call__(self, values: Sequence[Any]) -> None:
        """Check a call: an array for each memref, a number for each scalar.

        Raises:
            ValueError: an access is out of bounds; with the argument, the index and the op.
        """
        known = tuple(map(_known, values, self._indices))
        if known in self._passed:
            return
        atoms: dict[Atom, int] = {}
        for place, sizes in enumerate(known):
            if isinstance(sizes, int):
                atoms[place, -1] = sizes
            else:
                atoms |= {(place, dim): size for dim, size in enumerate(sizes)}
        for access in self._accesses:
            self._check(access, atoms)
        if len(self._passed) >= MAX_KNOWN:
            self._passed.clear()
        self._passed.add(known)

    def _check(self, access: Access, atoms: Mapping[Atom, int]) -> None:
        size = atoms[access.argument, access.dim]
        low, high = approximate(access, atoms.__getitem__)
        if (0 <= low and high < size) or high < low:
            return
        exact: tuple[int, int] | None = (low, high)
        if not is_exact(access):
            exact = extremes(access, atoms.__getitem__)
        low, high = exact or (low, high)
        if low < 0 or high >= size:
            name, wrong = self._inputs[access.argument].name, low if low < 0 else high
            verb = "accesses" if exact else "may access"
            why = "" if exact else f"; it has more than {MAX_POINTS} iterations to look at"
            raise ValueError(
                f"input {name!r}: {access.where} {verb} index {wrong} of dim {access.dim}, which "
                f'has size {size}{why}; bounds="unchecked" does not check'
            )


def is_exact(access: Access) -> bool:
    """Whether `approximate` gives indices that are accessed: rectangular loops, no quotients."""
    bounds = [bound for loop in access.loops for bound in (*loop.lower, *loop.upper)]
    return access.index.is_plain and not any(True for b in bounds for _ in b.counters())


def approximate(access: Access, known: Callable[[Atom], int]) -> tuple[int, int]:
    """Bounds of an index, not narrower than what is accessed; (0, -1) for nothing."""
    ranges: list[tuple[int, int]] = []

    def atom(given: Atom) -> tuple[int, int]:
        if given[0] < 0:
            return ranges[given[1]]
        return known(given), known(given)

    for loop in access.loops:
        lowers, uppers = ([b.range(atom) for b in side] for side in (loop.lower, loop.upper))
        first, last = max(low for low, _ in lowers), min(high for _, high in uppers) - 1
        if first == max(high for _, high in lowers):
            last = first + (last - first) // loop.step * loop.step
        if last < first:
            return 0, -1
        ranges.append((first, last))
    return access.index.range(atom)


def _known(value: Any, is_index: bool) -> tuple[int, ...] | int:
    """What formulas can name of an argument."""
    return int(value) if is_index else getattr(value, "shape", ())
