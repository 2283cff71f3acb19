"""The table of a network: its steps, where their arrays are, and both as 64-bit words.

    head | a spec for each array of a call | a step for each launch | pointers, sizes, places

`codegen/stubs/interface.py` declares the parts: `PLAN`, `SPEC` and `STEP`. Steps and specs refer to
the last part: a step to its pointers by address, a spec to its sizes, and to the words that take
the address of its array, by number. A view is no step: its value has the address of another one.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from snippets_mlir.codegen.stubs.interface import LEAST_GRAINS, PLAN, SPEC, STEP, aligned_word
from snippets_mlir.codegen.stubs.objects import stub_object
from snippets_mlir.runtime import threads
from snippets_mlir.runtime.arena import Arena
from snippets_mlir.runtime.arrays import address_of, dtype_from_name
from snippets_mlir.runtime.c_function import Plan
from snippets_mlir.runtime.host_steps import Place, host_step
from snippets_mlir.runtime.manifest import Step
from snippets_mlir.runtime.storage import byte_size, static_shape

if TYPE_CHECKING:
    from snippets_mlir.runtime.program import Program

CONTIGUOUS, ALIGNED, WRITEABLE = 0x1, 0x100, 0x400

HEAD, SPEC_WORDS, STEP_WORDS = (len(layout.fields) for layout in (PLAN, SPEC, STEP))


class Launch(NamedTuple):
    """A step of the table.

    Attributes:
        step: the step of the manifest; None for a copy, and for what lets a team rest.
        kernel: the address of a kernel, or a function of Python.
        pointers: where its arrays are.
        domain: elements of the parallel domain.
        grain: see `threads.launch`.
        team: threads; 0 for a function of Python.
        aligned: see `codegen/stubs/ranges.py`.
        rt: the address of the values that a kernel reads from `rt`.
    """

    step: Step | None
    kernel: int | Callable[[], object]
    pointers: tuple[Place, ...] = ()
    domain: int = 0
    grain: int = 1
    team: int = 1
    aligned: int = 0
    rt: int = 0


def places_of(program: Program, arena: Arena) -> dict[int, Place]:
    """Where each value is that a step or the caller touches."""
    manifest, storage = program.manifest, program.storage
    inputs = [v["value"] for v in manifest["inputs"]]
    start = SPEC.index("start")
    words = [HEAD + SPEC_WORDS * i + start for i in range(len(inputs) + len(manifest["outputs"]))]
    places = {v: Place(address_of(array)) for v, array in program.constants.items()}
    places |= {v: Place(address) for v, address in arena.addresses.items()}
    places |= {v: Place(words[i], i) for i, v in enumerate(inputs)}
    places |= {v: Place(words[len(inputs) + i], len(inputs) + i) for v, i in storage.claims.items()}
    return {v: places[root] for v, root in enumerate(storage.roots) if root in places}


def launches_of(program: Program, places: dict[int, Place]) -> list[Launch]:
    """The steps of the table: those that compute, and the copies after them."""
    found: list[Launch] = []
    spins = False  # whether a team of several threads has run a kernel since it rested
    alone = threads.openmp_runtime() is None
    for index, step in enumerate(program.manifest["steps"]):
        pointers = tuple(places[v] for v in (*step["inputs"], *step["outputs"]))
        if step["kind"] == "kernel":
            launch = _kernel_launch(program, index, step, pointers)
            if launch is not None and launch.team > 1 and alone:
                threads.tell_missing()
                launch = launch._replace(team=1)
            found += [] if launch is None else [launch]
            spins |= launch is not None and launch.team > 1
        elif step["kind"] != "view":
            if spins:
                found.append(Launch(None, threads.rest, team=0))
                spins = False
            executor = program.executors[index]
            found.append(Launch(step, host_step(program, step, executor, places), team=0))
    if spins and program.executors:
        found.append(Launch(None, threads.rest, team=0))
    return [*found, *_copies(program, places)]


def _kernel_launch(
    program: Program, index: int, step: Step, pointers: tuple[Place, ...]
) -> Launch | None:
    """The step of the table for a kernel; None when there is nothing to compute."""
    domain, grain = step.get("domain"), step.get("grain")
    assert domain is not None
    assert grain is not None
    assert "symbol" in step
    if domain == 0 or program.writes_nothing(step):
        return None
    slots = program.slots[index]
    return Launch(
        step,
        program.addresses[step["symbol"]],
        pointers,
        domain,
        grain,
        program.teams[index],
        aligned_word(step.get("aligned")) if domain >= LEAST_GRAINS * grain else 0,
        0 if slots is None else ctypes.addressof(slots),
    )


def copied_outputs(program: Program) -> list[int]:
    """The outputs that no step of the table writes in place: an input, a constant, a value again.

    None of a program without a table: what a step returns is the output there.
    """
    if not program.has_table:
        return []
    outputs, storage = program.manifest["outputs"], program.storage
    return [
        index
        for index, output in enumerate(outputs)
        if storage.claims.get(storage.roots[output["value"]]) != index and byte_size(output)
    ]


def _copies(program: Program, places: dict[int, Place]) -> list[Launch]:
    """A copy for each output that no step writes in place."""
    manifest, copy = program.manifest, "snippets_copy"
    inputs, copies = len(manifest["inputs"]), list[Launch]()
    for index in copied_outputs(program):
        output = manifest["outputs"][index]
        pointers = (places[output["value"]], Place(0, inputs + index))
        copies.append(Launch(None, stub_object("call").address(copy), pointers, byte_size(output)))
    return copies


def first_step(program: Program) -> int:
    """The number of the word at which the steps begin."""
    manifest = program.manifest
    return HEAD + SPEC_WORDS * (len(manifest["inputs"]) + len(manifest["outputs"]))


def words_of(program: Program, launches: Sequence[Launch], scratch: int) -> Plan:
    """The words of a network; those of the head are zero."""
    manifest = program.manifest
    arrays = [*manifest["inputs"], *manifest["outputs"]]
    after = first_step(program) + STEP_WORDS * len(launches)  # where the tail begins
    tail: list[int] = []
    uses: list[list[int]] = [[] for _ in arrays]
    steps: list[int] = []
    for launch in launches:
        kernel = launch.kernel if isinstance(launch.kernel, int) else id(launch.kernel)
        steps += STEP.words(
            kernel=kernel,
            domain=launch.domain,
            grain=launch.grain,
            team=launch.team,
            aligned=launch.aligned,
            data=8 * (after + len(tail)),
            rt=launch.rt,
            scratch=scratch,
        )
        for place in launch.pointers:
            if place.array is not None:
                uses[place.array].append(after + len(tail))
            tail.append(0 if place.array is not None else place.address)
    specs: list[int] = []
    for index, (described, used) in enumerate(zip(arrays, uses, strict=True)):
        shape = static_shape(described)
        writes = WRITEABLE if index >= len(manifest["inputs"]) else 0
        specs += SPEC.words(
            dtype=id(dtype_from_name(described["dtype"])),
            bytes=byte_size(described),
            rank=len(shape),
            flags=CONTIGUOUS | ALIGNED | writes,
            sizes=after + len(tail),
            places=len(used),
            first_place=after + len(tail) + len(shape),
            start=0,
            end=0,
        )
        tail += [*shape, *used]
    words = np.array([*[0] * HEAD, *specs, *steps, *tail], np.int64).view(Plan)
    first = first_step(program) + STEP.index("data")
    words[first:after:STEP_WORDS] += address_of(words)
    return words
