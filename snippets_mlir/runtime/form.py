"""The form of a program: its manifest, with each size as the number of a formula.

    shape [?0, 64], float32      sizes 0 and 1; 2: the bytes, ?0*256

It is built once for all calls of a program. A call evaluates all formulas together (`formulas.py`),
and looks up its sizes, domains, scratchpads and teams by number, so it does not walk the manifest.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from snippets_mlir.codegen.stubs.interface import aligned_word
from snippets_mlir.dialects.builtin.dims import Dim, product
from snippets_mlir.dialects.builtin.size_estimates import evaluate
from snippets_mlir.dialects.builtin.size_text import size_from
from snippets_mlir.dialects.builtin.slots import Slots, choice_from, runtime_slots
from snippets_mlir.runtime.arguments.arrays import dtype_from_name
from snippets_mlir.runtime.manifests.formulas import Formulas, Numbers
from snippets_mlir.runtime.manifests.manifest import Manifest, Step, Value
from snippets_mlir.runtime.memory.storage import Memory, Places
from snippets_mlir.runtime.memory.unsized import is_walkable, unsized_of, unsized_values
from snippets_mlir.runtime.parallel.step_teams import Work
from snippets_mlir.runtime.positive_sizes import positive_sizes

Shape = tuple[int, ...]
"""The numbers of the sizes of a shape."""


class Described(NamedTuple):
    """An array: its type, and the numbers of its sizes and bytes."""

    dtype: np.dtype[Any]
    shape: Shape
    bytes: int


class KernelForm(NamedTuple):
    """The data of a kernel that do not depend on the sizes.

    Attributes:
        domain: the number of its size.
        grain: ranges of the domain are multiples of it.
        team: the number of its work in the form.
        slots: the number of the row of runtime slots that it reads.
        aligned: see `codegen/stubs/ranges.py`.
        empty: whether its results or its domain are empty: then nothing runs.
    """

    domain: int
    grain: int
    team: int
    slots: int
    aligned: int
    empty: bool


class CheckForm(NamedTuple):
    """The data of an index check that do not depend on the sizes.

    Attributes:
        elements: the number of the size of all indices.
        size: the number of their upper bound.
        type: the name of their type in the stubs.
        from_end: whether indices below 0 count from the end.
    """

    elements: int
    size: int
    type: str
    from_end: bool


class Shaped(Protocol):
    """The sizes of a call."""

    def shape(self, shape: Shape, /) -> tuple[int, ...]:
        """The numbers of a shape of formulas, for the symbols of a call."""
        ...


class Sizes(NamedTuple):
    """The values of a form for the sizes of a call.

    Attributes:
        symbols: the values of the symbols.
        values: of all formulas, by number.
        numbers: the same as a list.
        teams: of all works.
        rows: the runtime slots of all kinds of kernels.
        places: the memory.
        are_positive: whether the sizes in `Form.positive` are above 0.
    """

    symbols: tuple[int, ...]
    values: Numbers
    numbers: list[int]
    teams: Numbers
    rows: Sequence[Sequence[int]]
    places: Places
    are_positive: bool

    def shape(self, shape: Shape) -> tuple[int, ...]:
        """The numbers of a shape of formulas, for the symbols of a call."""
        return tuple([self.numbers[number] for number in shape])


class Form:
    """See the module.

    Attributes:
        manifest: its manifest.
        dtypes: of all values.
        values: all values; None for a value that is not an array of a size known in a call.
        unsized: these values by number, and those that share their memory (`unsized.py`).
        is_walkable: whether sizes allow a network to run it.
        inputs: the inputs of a call.
        outputs: its outputs; None for a value in `unsized`.
        filled: the numbers of the other outputs.
        fills_outputs: whether these are all outputs.
        kernels: for each step, its form; None if it is not a kernel.
        checks: for each step, its form as an index check; None if it is not one.
        memory: its plans.
        touched: the number of the bytes that steps read and write, all together.
        works: the data that teams of kernels depend on, each with its number.
        slots: the choice and the sizes of the clusters of buffers of kernels, with their numbers.
        scratches: the scratchpads of kernels: their bytes, in symbols and slots, the number of
            their slots, and the number of the kernel's work.
        slot_bytes: the numbers of the bytes of values with a slot.
        positive: the numbers of the sizes that are above 0 in a network (`positive_sizes.py`).
    """

    def __init__(self, manifest: Manifest) -> None:
        """Read the sizes of a manifest; ValueError for a text that is not a size."""
        self.manifest = manifest
        self.dtypes = [dtype_from_name(v["dtype"]) for v in manifest["values"]]
        self.formulas = Formulas()
        self._arrays: dict[tuple[Any, ...], tuple[Described | None, Dim]] = {}
        self._sized = [self._sized_of(v) for v in manifest["values"]]
        self.values = [described for described, _ in self._sized]
        self.unsized = {
            v: unsized_of(manifest["values"][v], self.dtypes[v], self.formulas.number)
            for v in sorted(unsized_values(manifest, self.values))
        }
        self.inputs = [self._sized_of(v)[0] for v in manifest["inputs"]]
        self.outputs = [
            None if output["value"] in self.unsized else self._sized_of(output)[0]
            for output in manifest["outputs"]
        ]
        self.filled = tuple(i for i, d in enumerate(self.outputs) if d is not None)
        self.fills_outputs = len(self.filled) == len(self.outputs)
        self.is_walkable = is_walkable(manifest, self.unsized)
        self.memory = Memory(manifest, self.is_walkable, self.unsized)
        touched = sum(self._sized[v][1] for step in manifest["steps"] for v in arrays_of(step))
        self.touched = self.formulas.number(touched)
        self.works: dict[Work, int] = {}
        self.slots: dict[Slots, int] = {}
        self.scratches: dict[tuple[Dim, int, int], None] = {}
        self.kernels = [self._kernel(step) for step in manifest["steps"]]
        self.checks = [self._check(step) for step in manifest["steps"]]
        slots = [self.values[v] for v in self.memory.slots]
        self.slot_bytes: Numbers = np.array([v.bytes for v in slots if v is not None], np.int64)
        assert len(self.slot_bytes) == len(slots), "a kernel with sizes that only a step knows"
        self.positive: list[int] = positive_sizes(self)

    def _sized_of(self, value: Value) -> tuple[Described | None, Dim]:
        """An array, and the bytes of it that a step touches.

        None: a value of objects, or of a size known only in a step. In the bytes, unknown sizes and
        sizes of 0 count as 1.
        """
        key = (value["dtype"], None if value["shape"] is None else tuple(value["shape"]))
        if (found := self._arrays.get(key)) is None:
            dtype, number = dtype_from_name(value["dtype"]), self.formulas.number
            sizes = [None if s is None else size_from(s) for s in value["shape"] or ()]
            known, described = [s for s in sizes if s is not None], None
            is_sized = value["shape"] is not None and len(known) == len(sizes)
            if is_sized and not dtype.hasobject:
                size = number(product(known) * dtype.itemsize)
                described = Described(dtype, tuple(map(number, known)), size)
            elements = product(s for s in known if s != 0)
            found = described, elements * dtype.itemsize
            self._arrays[key] = found
        return found

    def _kernel(self, step: Step) -> KernelForm | None:
        if step["kind"] != "kernel":
            return None
        values, number = self.manifest["values"], self.formulas.number
        domain, grain = step.get("domain"), step.get("grain")
        assert domain is not None
        assert grain is not None
        clusters = tuple(map(size_from, step.get("clusters", ())))
        arrays = [self._sized[v] for v in arrays_of(step)]
        touched = tuple(number(size) for _, size in arrays)
        space, cost = number(size_from(step.get("space") or 0)), step.get("cost") or 0
        work = Work(number(size_from(domain)), grain, touched, space, cost)
        team = self.works.setdefault(work, len(self.works))
        choice = choice_from(step.get("choice"))
        slots = self.slots.setdefault(Slots(clusters, choice), len(self.slots))
        self.scratches[size_from(step.get("scratch") or 0), slots, team] = None
        return KernelForm(
            work.domain,
            grain,
            team,
            slots,
            aligned_word(step.get("aligned")),
            domain == 0 or all(0 in (values[v]["shape"] or ()) for v in step["outputs"]),
        )

    def _check(self, step: Step) -> CheckForm | None:
        """The form of an index check with sizes known in a call; None for other steps."""
        if step["kind"] != "check":
            return None
        indices, operand = (self.values[value] for value in step["inputs"])
        if indices is None or operand is None:
            return None
        known = (self.formulas.sizes[number] for number in indices.shape)
        elements = self.formulas.number(product(known))
        type_ = f"{indices.dtype.kind}{8 * indices.dtype.itemsize}"
        size = operand.shape[step.get("axis", 0)]
        return CheckForm(elements, size, type_, step.get("from_end", False))

    def sizes(self, symbols: Sequence[int], threads: int) -> Sizes:
        """The sizes for a call with these values of the symbols, on this number of threads.

        Raises:
            ValueError: an array would have 2**62 bytes.
        """
        values = self.formulas.values(symbols)
        numbers = values.tolist()
        teams = [work.team(numbers, threads) for work in self.works]
        rows = [runtime_slots(symbols, *slots) for slots in self.slots]
        pads = (evaluate(size, rows[row]) * teams[team] for size, row, team in self.scratches)
        scratch = max(pads, default=0)
        places = self.memory.places(values[self.slot_bytes], scratch)
        positive = all([numbers[n] > 0 for n in self.positive])
        of_teams = np.array(teams, np.int64)
        return Sizes(tuple(symbols), values, numbers, of_teams, rows, places, positive)


def arrays_of(step: Step) -> tuple[int, ...]:
    """The values that a step reads and writes."""
    return (*step["inputs"], *step["outputs"])
