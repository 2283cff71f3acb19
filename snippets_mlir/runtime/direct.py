"""The short way through a call: machine code that checks the arrays and runs the kernels.

A program of kernels and views only needs no Python after its arrays are checked.
`direct_call` writes down what has to be right (`codegen/stubs/call.py` says how) and makes a C
function of CPython of it, which costs a few hundred nanoseconds a call. What it does not take
(a strided input, a list, another dtype, an output that overlaps an input) is left to the checked
way of `Program.run`, which copies, or says what is wrong.

    direct = direct_call(program, inputs, outputs, code)     None when there is no short way
    direct.call((x, y), out)                                 the result, or None: nothing was done

`runtime/c_function.py` says on which interpreters there is one.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import partial
from math import prod
from typing import Any

import numpy as np

from snippets_mlir.codegen.stubs.interface import (
    LEAST_GRAINS,
    MAX_ARRAYS,
    MAX_POINTERS,
    PLAN,
    SPEC,
    STEP,
    aligned_word,
)
from snippets_mlir.runtime import threads
from snippets_mlir.runtime.arrays import Array, TensorSpec
from snippets_mlir.runtime.c_function import Plan, Run, run_maker
from snippets_mlir.runtime.pool import SMALL
from snippets_mlir.runtime.program import Arena, Program, address_of, touched_bytes
from snippets_mlir.runtime.storage import known_sizes

LOCKED_BYTES = 16 << 10
"""A program that touches fewer bytes keeps the interpreter's lock: to give it up and get it back
costs as much as the kernel, and up to 5 ms when another thread has taken it."""

CONTIGUOUS, ALIGNED, WRITEABLE = 0x1, 0x100, 0x400


class DirectCall:
    """The short way of one program; made by `direct_call`."""

    __slots__ = ("_fresh", "_run")

    def __init__(self, run: Run, fresh: Callable[[], Any]) -> None:
        self._run = run
        self._fresh = fresh

    def call(self, inputs: tuple[object, ...], out: Any) -> Any:
        """What the program computes, or None: then nothing was done.

        Args:
            inputs: what the program is called with.
            out: an array, or a list or tuple of them; None for new ones.
        """
        given: object
        given = self._fresh() if out is None else tuple(out) if out.__class__ is list else out
        found = self._run(inputs, given)
        return found[0] if found.__class__ is tuple and len(found) == 1 else found


def _makers(program: Program, outputs: Sequence[TensorSpec]) -> Callable[[], Any]:
    """What makes new outputs: small ones are NumPy's, without a step in between."""
    makers: list[Callable[[], Array]] = []
    for spec in outputs:
        shape = spec.static_shape
        small = prod(shape) * spec.dtype.itemsize < SMALL
        makers.append(partial(np.empty if small else program.pool.empty, shape, spec.dtype))
    if len(makers) == 1:
        return makers[0]
    return lambda: tuple([make() for make in makers])


def _array_words(spec: TensorSpec, written: bool) -> list[int]:
    shape = spec.static_shape
    wanted = CONTIGUOUS | ALIGNED | (WRITEABLE if written else 0)
    size = prod(shape) * spec.dtype.itemsize
    return [*SPEC.words(dtype=id(spec.dtype), bytes=size, rank=len(shape), flags=wanted), *shape]


def _pointers(program: Program, arena: Arena) -> dict[int, int] | None:
    """For each value that a kernel touches, the number of its array or its address.

    None when an output is not written in place by a kernel.
    """
    manifest, storage = program.manifest, program.storage
    inputs = [v["value"] for v in manifest["inputs"]]
    numbers = {value: index for index, value in enumerate(inputs)}
    for index, output in enumerate(manifest["outputs"]):
        if storage.claims.get(storage.roots[output["value"]]) != index:
            return None
    numbers |= {root: len(inputs) + index for root, index in storage.claims.items()}
    held = {**program.constants, **arena.arrays}
    numbers |= {value: address_of(array) for value, array in held.items()}
    return {value: numbers[root] for value, root in enumerate(storage.roots) if root in numbers}


def _step_words(program: Program, arena: Arena) -> list[list[int]] | None:
    """The words of each step that computes something; None when a step is no kernel or view."""
    numbers = _pointers(program, arena)
    if numbers is None:
        return None
    words: list[list[int]] = []
    for index, step in enumerate(program.manifest["steps"]):
        if step["kind"] == "view":
            continue
        domain, grain = step.get("domain"), step.get("grain")
        if step["kind"] != "kernel" or domain is None or grain is None or "symbol" not in step:
            return None
        touched = [*step["inputs"], *step["outputs"]]
        if len(touched) > MAX_POINTERS:
            return None
        values = program.manifest["values"]
        if domain == 0 or all(0 in known_sizes(values[v]) for v in step["outputs"]):
            continue
        slots = program.slots[index]
        rt = 0 if slots is None else ctypes.addressof(slots)
        aligned = aligned_word(step.get("aligned")) if domain >= LEAST_GRAINS * grain else 0
        head = STEP.words(
            kernel=program.addresses[step["symbol"]],
            domain=domain,
            grain=grain,
            team=program.teams[index],
            aligned=aligned,
            rt=rt,
            scratch=arena.scratch,
            pointers=len(touched),
        )
        words.append([*head, *[numbers[v] for v in touched]])
    return words


def direct_call(
    program: Program,
    inputs: Sequence[TensorSpec],
    outputs: Sequence[TensorSpec],
    code: object = None,
) -> DirectCall | None:
    """The short way for `program`, or None when there is none.

    Args:
        program: what runs.
        inputs: its inputs, with static shapes.
        outputs: its outputs, with static shapes.
        code: what keeps the kernels in memory.
    """
    make = run_maker()
    specs = [*inputs, *outputs]
    if make is None or not outputs or len(specs) > MAX_ARRAYS or program.executors:
        return None
    if any("counters" in step or "sites" in step for step in program.manifest["steps"]):
        return None
    arena = Arena(program)
    steps = _step_words(program, arena)
    if steps is None:
        return None
    team = threads.aligned_team_functions() if max(program.teams, default=1) > 1 else (0, 0)
    if team is None:
        return None
    touched = sum(touched_bytes(program.manifest, step) for step in program.manifest["steps"])
    arrays = [w for i, s in enumerate(specs) for w in _array_words(s, i >= len(inputs))]
    openmp, launch = team
    head = PLAN.words(
        array_type=id(np.ndarray),
        tuple_type=id(tuple),
        none=id(None),
        openmp=openmp,
        launch=launch,
        forked=threads.forked_flag(),
        release=int(touched >= LOCKED_BYTES),
        inputs=len(inputs),
        arrays=len(specs),
        steps=len(steps),
        busy=0,
        memory=int(program.storage.arena > 0),
        first_step=len(PLAN.fields) + len(arrays),
    )
    plan = np.array([*head, *arrays, *[w for s in steps for w in s]], np.int64).view(Plan)
    plan.keep = (program, code, arena, [spec.dtype for spec in specs])
    return DirectCall(make(plan), _makers(program, outputs))
