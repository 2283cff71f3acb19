"""The steps of a network that Python runs, made for the network and bound to its words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from snippets_mlir.codegen.stubs.interface import STEP
from snippets_mlir.runtime.arguments.arrays import address_of
from snippets_mlir.runtime.engine.sessions import NUMBERS, Session
from snippets_mlir.runtime.form import Described
from snippets_mlir.runtime.steps.host_steps import HostStep, SessionStep
from snippets_mlir.runtime.steps.rest import Rest
from snippets_mlir.runtime.steps.table_words import STEP_WORDS, Launch
from snippets_mlir.runtime.steps.unsized_steps import (
    Touched,
    UnsizedSessionStep,
    UnsizedStep,
    UnsizedView,
    delivered_unsized,
)

if TYPE_CHECKING:
    from snippets_mlir.runtime.manifests.formulas import Numbers
    from snippets_mlir.runtime.manifests.manifest import Step
    from snippets_mlir.runtime.program import Program

_UNSIZED = Described(np.dtype(object), (), 0)


class NetworkSteps:
    """See the module.

    Attributes:
        launches: the steps of the table; Python steps have a function of this network.
        hosts: the steps of executors.
        rests: the functions that let teams rest.
        makers: for the slots of executor results: the step, and the number of the result.
    """

    def __init__(self, program: Program, words: Numbers, rest: Callable[[], None]) -> None:
        """Make them, and write them into the words of the network.

        Args:
            program: the network's program; it has a table.
            words: the table of the network.
            rest: lets the threads rest that share its kernels.
        """
        self._form, self._words, self._rest = program.form, words, rest
        self._unsized: dict[int, Any] = {}
        self.hosts: list[HostStep] = []
        self.rests: list[Rest] = []
        self.makers: dict[int, tuple[HostStep, int]] = {}
        self.launches = [self._own(program, i) for i in range(len(program.table.launches))]
        self._drop_early()

    def _own(self, program: Program, index: int) -> Launch:
        """A step of the table, with a function of this network if Python runs it."""
        table, form = program.table, self._form
        launch = table.launches[index]
        if launch.team:
            return launch
        made: HostStep | Rest
        if launch.step is None or launch.number is None:
            made = Rest(launch.works, self._rest)
            self.rests.append(made)
        else:
            made = self._host(program, launch.number, launch.step)
            made.bind(address_of(self._words) + 8 * table.pointers[index])
            self.hosts.append(made)
            slots = {v: slot for slot, v in enumerate(form.memory.slots)}
            for result, value in enumerate(launch.step["outputs"]):
                if (slot := slots.get(value)) is not None:
                    self.makers[slot] = made, result
        self._words[table.first_step + index * STEP_WORDS + STEP.index("kernel")] = id(made)
        return launch._replace(kernel=made)

    def _host(self, program: Program, number: int, step: Step) -> HostStep:
        """The runner of a step that is not a kernel; other calls have sizes of 0 at the same
        places.
        """
        form = self._form
        reads, writes = (
            [_UNSIZED if v in form.unsized else self._described(v) for v in values]
            for values in (step["inputs"], step["outputs"])
        )
        touched = self._touched(number, step)
        if step["kind"] == "view":
            return UnsizedView(step.get("dims"), _UNSIZED, touched)
        executor = program.executor(number)
        every = [d for d in (*reads, *writes) if d is not _UNSIZED]
        types = [*(d.dtype for d in every), *(u.dtype for _, u in touched.places.values())]
        bindable = all(dtype.kind in NUMBERS for dtype in types)
        bindable = bindable and not any(0 in program.sizes.shape(d.shape) for d in every)
        if isinstance(executor, Session) and executor.bound is not None and bindable:
            if touched.places:
                return UnsizedSessionStep(executor, reads, writes, touched)
            return SessionStep(executor, reads, writes)
        if touched.places:
            return UnsizedStep(executor, reads, writes, touched)
        return HostStep(executor, reads, writes)

    def _described(self, value: int) -> Described:
        described = self._form.values[value]
        assert described is not None, "an unsized value"
        return described

    def _touched(self, number: int, step: Step) -> Touched:
        """The unsized values of a step."""
        form = self._form
        every = enumerate((*step["inputs"], *step["outputs"]))
        places = {place: (v, form.unsized[v]) for place, v in every if v in form.unsized}
        dead = tuple(v for v in form.memory.frame.dead[number] if v in form.unsized)
        return Touched(self._unsized, places, dead)

    def _drop_early(self) -> None:
        """Free memory that executors take for a result for executors that run after its life."""
        memory, checks = self._form.memory, self._form.checks
        numbered = ((x.number, x.kernel) for x in self.launches if x.number is not None)
        hosts = [(n, x) for n, x in numbered if isinstance(x, HostStep) and checks[n] is None]
        for slot, (maker, result) in self.makers.items():
            if (life := memory.frame.lives.get(memory.slots[slot])) is None:
                continue
            last = max(life.readers)
            if (host := next((host for n, host in hosts if n > last), None)) is not None:
                host.drops.append((maker, result))

    def take_outputs(self, filled: Sequence[object]) -> tuple[object, ...]:
        """All outputs of the finished call; drops all unsized values.

        Args:
            filled: the outputs of sizes known in the call.
        """
        form, taken = self._form, set[int]()
        given = iter(filled)
        results: list[object] = []
        for output, described in zip(form.manifest["outputs"], form.outputs, strict=True):
            if described is not None:
                results.append(next(given))
                continue
            value = output["value"]
            root = form.memory.frame.roots[value]
            fresh = root not in taken
            taken.add(root)
            results.append(delivered_unsized(self._unsized[value], fresh=fresh))
        self._unsized.clear()
        return tuple(results)

    def forget(self) -> None:
        """Drop all unsized values after a failed step."""
        self._unsized.clear()
