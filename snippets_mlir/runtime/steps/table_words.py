"""The words of a network's table of steps while they are collected, and their sources."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from snippets_mlir.codegen.stubs.interface import LEAST_GRAINS, PLAN, SPEC, STEP
from snippets_mlir.runtime.form import CheckForm, Described, KernelForm
from snippets_mlir.runtime.manifests.formulas import Numbers
from snippets_mlir.runtime.manifests.manifest import Step

CONTIGUOUS, ALIGNED, WRITEABLE = 0x1, 0x100, 0x400

HEAD, SPEC_WORDS, STEP_WORDS = (len(layout.fields) for layout in (PLAN, SPEC, STEP))

LOCKED_BYTES = 16 << 10
"""A program that touches fewer bytes keeps the interpreter's lock: releasing and retaking it costs
as much as the kernel, and up to 5 ms if another thread has taken it."""

_NONE: Numbers = np.empty(0, np.int64)

FIELDS = ("data", "size", "team", "slot", "row", "scratch", "aligned")


class Launch(NamedTuple):
    """A step of the table.

    Attributes:
        number: of the step in the manifest; None for a copy, or for a rest of a team.
        step: that step.
        kernel: the address of a kernel or of a check of indices, or a function of Python.
        team: 0 for a function of Python.
        values: the values that it reads and writes.
        works: for a rest of a team: the works of the kernels that a team may have run.
    """

    number: int | None
    step: Step | None
    kernel: int | Callable[[], object]
    team: int = 1
    values: tuple[int, ...] = ()
    works: tuple[int, ...] = ()


class Fields(NamedTuple):
    """Words, and for each of them the number of its source."""

    words: Numbers
    numbers: Numbers

    @staticmethod
    def of(pairs: Sequence[tuple[int, int]]) -> Fields:
        """Fields of words with their numbers."""
        if not pairs:
            return Fields(_NONE, _NONE)
        words, numbers = zip(*pairs, strict=True)
        return Fields(np.array(words, np.int64), np.array(numbers, np.int64))


class Place(NamedTuple):
    """The place of a value: at an address, in an array of the call, or in a slot of the arena.

    An unsized value is in none of them.

    Attributes:
        address: of a constant.
        array: the number of the input, or output after the inputs, of the call.
        slot: the number of the slot.
    """

    address: int = 0
    array: int | None = None
    slot: int | None = None


class Words:
    """Builds the words of a table, with their sources."""

    def __init__(self, first_step: int, after: int) -> None:
        """Steps begin at the word `first_step`, the tail at `after`."""
        self._first, self._after = first_step, after
        self.specs: list[int] = []
        self.steps: list[int] = []
        self.tail: list[int] = []
        self.pointers: list[int] = []
        self.uses: dict[int, list[int]] = {}
        self.fields: dict[str, list[tuple[int, int]]] = {name: [] for name in FIELDS}
        self.alignments: list[tuple[int, int, int]] = []

    def add_step(self, launch: Launch, kernel: KernelForm | None, places: Sequence[Place]) -> None:
        """A step of the manifest, or a rest of a team."""
        address = launch.kernel if isinstance(launch.kernel, int) else 0
        if kernel is None:
            self._add(address, launch.team, 1, places, {})
            return
        takes = {"domain": ("size", kernel.domain), "team": ("team", kernel.team)}
        takes["rt"] = "row", kernel.slots
        if kernel.aligned:
            takes["aligned"] = "aligned", len(self.alignments)
            least = LEAST_GRAINS * kernel.grain
            self.alignments.append((kernel.domain, least, kernel.aligned))
        self._add(address, launch.team, kernel.grain, places, takes)

    def add_check(self, launch: Launch, check: CheckForm, places: Sequence[Place]) -> None:
        """An index check, whose Python function runs if an index is outside."""
        assert isinstance(launch.kernel, int)
        takes = {"domain": ("size", check.elements), "grain": ("size", check.size)}
        facts = {"aligned": int(check.from_end), "check": launch.kernel}
        self._add(0, 0, 1, places, takes, **facts)

    def add_copy(self, launch: Launch, size: int, source: Place, target: Place) -> None:
        """A copy of this many bytes."""
        assert isinstance(launch.kernel, int)
        takes = {"domain": ("size", size)}
        self._add(launch.kernel, launch.team, 1, [source, target], takes)

    def _add(
        self,
        kernel: int,
        team: int,
        grain: int,
        places: Sequence[Place],
        takes: dict[str, tuple[str, int]],
        *,
        aligned: int = 0,
        check: int = 0,
    ) -> None:
        start, pointers = self._first + len(self.steps), self._after + len(self.tail)
        takes |= {"data": ("data", pointers), "scratch": ("scratch", 0)}
        for name, (field, number) in takes.items():
            self.fields[field].append((start + STEP.index(name), number))
        self.steps += STEP.words(
            kernel=kernel,
            domain=0,
            grain=grain,
            team=team,
            aligned=aligned,
            check=check,
            data=0,
            rt=0,
            scratch=0,
        )
        self.pointers.append(pointers)
        for word, place in enumerate(places, pointers):
            self.tail.append(place.address)
            if place.array is not None:
                self.uses.setdefault(place.array, []).append(word)
            if place.slot is not None:
                self.fields["slot"].append((word, place.slot))

    def add_spec(self, described: Described, uses: Sequence[int], *, is_output: bool) -> None:
        """The requirements for an array of the call, and the words to which its address is
        written.
        """
        start, tail = HEAD + len(self.specs), self._after + len(self.tail)
        sizes = self.fields["size"]
        sizes.append((start + SPEC.index("bytes"), described.bytes))
        sizes += enumerate(described.shape, tail)
        self.specs += SPEC.words(
            dtype=id(described.dtype),
            bytes=0,
            rank=len(described.shape),
            flags=CONTIGUOUS | ALIGNED | (WRITEABLE if is_output else 0),
            sizes=tail,
            places=len(uses),
            first_place=tail + len(described.shape),
            start=0,
            end=0,
        )
        self.tail += [*[0] * len(described.shape), *uses]
