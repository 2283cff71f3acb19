"""The check of a call of a function on memrefs: do all elements that it surely accesses exist?

`analysis/loops/access_bounds.py` provides the formulas; `access_extremes.py` decides about each. A
set of sizes that passed once is remembered.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from snippets_mlir.analysis.loops.access_bounds import Access
from snippets_mlir.analysis.loops.call_forms import Atom
from snippets_mlir.runtime.memref_calls.access_extremes import outside
from snippets_mlir.runtime.memref_calls.specs import MemRefSpec

MAX_KNOWN = 256
"""Sets of sizes that are remembered."""

Known = tuple[tuple[int, ...] | int, ...]


class BoundsCheck:
    """Checks the sizes of calls.

    Args:
        inputs: the specs of the arguments.
        accesses: the accesses of the function.
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
        found = outside(access, atoms)
        if found is None:
            return
        memory = access.memory
        name = f"input {self._inputs[memory].name!r}" if isinstance(memory, int) else memory
        raise ValueError(f'{name}: {access.where} {found}; bounds="unchecked" does not check')


def _known(value: Any, is_index: bool) -> tuple[int, ...] | int:
    """The sizes and numbers of an argument that formulas can refer to."""
    return int(value) if is_index else getattr(value, "shape", ())
