"""The form of a program: what its manifest says, with each size as the number of a formula.

    shape [?0, 64], float32      sizes 0 and 1; 2: the bytes, ?0*256

It is read once for all calls of a program. A call evaluates all formulas together (`formulas.py`),
and looks its sizes, domains, scratchpads and teams up by number, so it walks no manifest.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from snippets_mlir.codegen.stubs.interface import aligned_word
from snippets_mlir.dialects.builtin.dims import Dim, evaluate, product, size_from, sum_of
from snippets_mlir.dialects.builtin.slots import runtime_slots
from snippets_mlir.runtime.arrays import dtype_from_name
from snippets_mlir.runtime.formulas import Formulas, Numbers
from snippets_mlir.runtime.manifest import Manifest, Step, Value
from snippets_mlir.runtime.step_teams import Work
from snippets_mlir.runtime.storage import Memory, Places

Shape = tuple[int, ...]
"""The numbers of the sizes of a shape."""


class Described(NamedTuple):
    """An array: its type, and the numbers of its sizes and bytes."""

    dtype: np.dtype[Any]
    shape: Shape
    bytes: int


class KernelForm(NamedTuple):
    """What a kernel runs on, whatever the sizes.

    Attributes:
        domain: the number of its size.
        grain: ranges of the domain are multiples of it.
        team: which of the works of the form it does.
        slots: which of the rows of runtime slots it reads.
        aligned: see `codegen/stubs/ranges.py`.
        empty: whether its results have no elements, or its domain: then nothing runs.
    """

    domain: int
    grain: int
    team: int
    slots: int
    aligned: int
    empty: bool


class Sizes(NamedTuple):
    """What a form is for the sizes of a call.

    Attributes:
        symbols: the values of the symbols.
        values: of all formulas, by number.
        teams: of all works.
        rows: the runtime slots of all kinds of kernels.
        places: the memory.
        are_positive: whether all sizes that depend on the call are above 0.
    """

    symbols: tuple[int, ...]
    values: Numbers
    teams: Numbers
    rows: Sequence[Sequence[int]]
    places: Places
    are_positive: bool

    def shape(self, shape: Shape) -> tuple[int, ...]:
        """The sizes of a shape."""
        return tuple(self.values[[*shape]].tolist()) if shape else ()


class Form:
    """See the module.

    Attributes:
        manifest: what it is the form of.
        dtypes: of all values.
        is_static: whether all values are arrays of sizes that a call knows, and of known types.
        values: all values; of a size that only a step knows None.
        inputs: the inputs of a call, where `is_static`.
        outputs: its outputs.
        kernels: for each step, its form; None: it is no kernel.
        memory: its plans.
    """

    def __init__(self, manifest: Manifest) -> None:
        """Read the sizes of a manifest; ValueError for a text that is no size."""
        self.manifest = manifest
        self.dtypes = [dtype_from_name(v["dtype"]) for v in manifest["values"]]
        self.formulas = Formulas()
        self._elements = [_elements_of(v) for v in manifest["values"]]
        self.values = [self._described(v) for v in manifest["values"]]
        self.is_static = None not in self.values and not any(d.hasobject for d in self.dtypes)
        self.inputs = [self._described(v) for v in manifest["inputs"]]
        self.outputs = [self._described(v) for v in manifest["outputs"]]
        self.memory = Memory(manifest, self.is_static)
        self.touched = self._touched(v for s in manifest["steps"] for v in arrays_of(s))
        self._works: dict[Work, int] = {}
        self._clusters: dict[tuple[Dim, ...], int] = {}
        self._scratches: dict[tuple[Dim, int, int], None] = {}
        self.kernels = [self._kernel(step) for step in manifest["steps"]]
        slots = [self.values[v] for v in self.memory.slots]
        self._slots = [v.bytes for v in slots if v is not None]
        assert len(self._slots) == len(slots), "a kernel with sizes that only a step knows"

    def _described(self, value: Value) -> Described | None:
        sizes = _sizes_of(value)
        known = [s for s in sizes if s is not None]
        if value["shape"] is None or len(known) != len(sizes):
            return None
        dtype, number = dtype_from_name(value["dtype"]), self.formulas.number
        shape = tuple(map(number, known))
        return Described(dtype, shape, number(product(known) * dtype.itemsize))

    def _touched(self, values: Iterable[int]) -> int:
        """The number of the bytes of values."""
        sizes = (self._elements[v] * self.dtypes[v].itemsize for v in values)
        return self.formulas.number(sum_of(sizes))

    def _kernel(self, step: Step) -> KernelForm | None:
        if step["kind"] != "kernel":
            return None
        number, values = self.formulas.number, self.manifest["values"]
        domain, grain = step.get("domain"), step.get("grain")
        assert domain is not None
        assert grain is not None
        clusters = tuple(map(size_from, step.get("clusters", ())))
        arrays = arrays_of(step)
        elements = dict.fromkeys(number(self._elements[v]) for v in arrays)
        cost = step.get("cost") or 0
        work = Work(number(size_from(domain)), grain, self._touched(arrays), tuple(elements), cost)
        team = self._works.setdefault(work, len(self._works))
        slots = self._clusters.setdefault(clusters, len(self._clusters))
        self._scratches[size_from(step.get("scratch") or 0), slots, team] = None
        return KernelForm(
            work.domain,
            grain,
            team,
            slots,
            aligned_word(step.get("aligned")),
            domain == 0 or all(0 in _sizes_of(values[v]) for v in step["outputs"]),
        )

    def sizes(self, symbols: Sequence[int], threads: int) -> Sizes:
        """What it is for a call with these values of the symbols, on so many threads.

        Raises:
            ValueError: an array would have 2**62 bytes.
        """
        values = self.formulas.values(symbols)
        teams = np.array([work.team(values, threads) for work in self._works], np.int64)
        rows = [runtime_slots(symbols, clusters) for clusters in self._clusters]
        pads = (evaluate(size, rows[row]) * int(teams[t]) for size, row, t in self._scratches)
        scratch = max(pads, default=0)
        places = self.memory.places(values[self._slots], scratch)
        positive = self.formulas.are_positive(values)
        return Sizes(tuple(symbols), values, teams, rows, places, positive)


def _sizes_of(value: Value) -> list[Dim | None]:
    return [None if s is None else size_from(s) for s in value["shape"] or ()]


def _elements_of(value: Value) -> Dim:
    """The elements of a value; sizes that are unknown, or 0, count as 1."""
    return product(1 if s is None or s == 0 else s for s in _sizes_of(value))


def arrays_of(step: Step) -> tuple[int, ...]:
    """The values that a step reads and writes."""
    return (*step["inputs"], *step["outputs"])
