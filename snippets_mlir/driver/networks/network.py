"""A network: memory for one request at a time, for a program with static or dynamic sizes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from snippets_mlir.codegen.locks import KEEPING
from snippets_mlir.driver.networks.plans import Plans, graph_of
from snippets_mlir.driver.networks.step_times import StepTime
from snippets_mlir.driver.programs.tensors import TensorProgram
from snippets_mlir.runtime.arguments.arrays import Array, as_array, check_named
from snippets_mlir.runtime.program import Program
from snippets_mlir.support.uncopied import Uncopied

if TYPE_CHECKING:
    from snippets_mlir.driver.networks.execution_graph import ExecutionGraph
    from snippets_mlir.driver.networks.node_states import NodeState


class Network(Uncopied):
    """A network of the caller's; made by `Program.network`.

    Calls run on the caller's thread, one at a time.
    """

    def __init__(self, compiled: TensorProgram) -> None:
        self._compiled = compiled
        self._plans: Plans | None = Plans()
        self._inputs: dict[str, Array] = {}
        self._results: dict[str, Array] | None = None
        self._runs = False

    def _own(self) -> Plans:
        if self._plans is None:
            raise RuntimeError("the network is closed")
        return self._plans

    def set_input(self, name: str, array: object) -> None:
        """The array of an input for the next runs; not copied.

        It may be one of `overridable` of the program: the array takes the place of its value.

        Raises:
            TypeError, ValueError: as a call of the program.
        """
        self._own()
        check_named("inputs", {name: array})
        specs = {spec.name: spec for spec in self._compiled.inputs}
        if name not in specs:
            specs = {spec.name: spec for spec in self._compiled.overridable}
        if name not in specs:
            self._compiled.called_with([name])  # raises
        self._inputs[name] = as_array("input", specs[name], array)

    def execute(self) -> None:
        """Run the program on the inputs.

        Raises:
            ValueError: an input is missing.
            RuntimeError: the network runs in another thread, or is closed.
            Exception: the exception of a step; the network may be used again.
        """
        plans, compiled = self._own(), self._compiled.called_with(self._inputs)
        values = values_of(compiled, self._inputs)
        with KEEPING:
            if self._runs:
                raise RuntimeError("execute: the network is running in another thread")
            self._runs = True
        try:
            self._results = None
            built, held, _ = compiled.checked(values, None)
            results = plans.run(built, held, None)
            names = [spec.name for spec in compiled.outputs]
            self._results = dict(zip(names, results, strict=True))
        finally:
            self._runs = False

    def output(self, name: str) -> Array:
        """An output of the last run; the array is the caller's, the next run makes another one.

        Raises:
            RuntimeError: no run has succeeded, or the network is closed.
            KeyError: there is no output with that name.
        """
        self._own()
        if self._results is None:
            raise RuntimeError("output: the network was not executed")
        if name not in self._results:
            known = ", ".join(map(repr, self._results))
            raise KeyError(f"no output {name!r}; outputs are {known}")
        return self._results[name]

    def profile(self) -> tuple[StepTime, ...]:
        """The steps of the last run, in order; empty before it."""
        from snippets_mlir.driver.networks.node_states import named_rows

        return named_rows(self._compiled, self._own().profile())

    def node_profile(self) -> tuple[NodeState, ...]:
        """The state of each node of the model in the last run; empty before the first run."""
        from snippets_mlir.driver.networks.node_states import node_states

        return node_states(self._compiled, self.profile())

    def execution_graph(self) -> ExecutionGraph:
        """The execution graph of the last run, with its times; before it, without them.

        Raises:
            CompileError: sizes are dynamic, and the program has not run.
        """
        return graph_of(self._compiled, self._own())

    @property
    def arena(self) -> int:
        """Bytes of its memory for intermediate values."""
        return 0 if self._plans is None else self._plans.arena

    def close(self) -> None:
        """Give the memory of the network back; RuntimeError while another thread runs it."""
        if self._runs:
            raise RuntimeError("close: the network is running in another thread")
        self._plans, self._results = None, None
        self._inputs.clear()


def values_of(compiled: TensorProgram, arrays: Mapping[str, Any]) -> list[object]:
    """Arrays by name in the order of the inputs; ValueError for names that are wrong or missing."""
    check_named("inputs", arrays)
    names = [spec.name for spec in compiled.inputs]
    for name in arrays:
        if name not in names:
            known = ", ".join(map(repr, names)) or "none"
            raise ValueError(f"input {name!r}: no such input; inputs are {known}")
    for name in names:
        if name not in arrays:
            raise ValueError(f"input {name!r}: missing")
    return [arrays[name] for name in names]


def constant_bytes(programs: Sequence[Program]) -> int:
    """Bytes of the constants of programs, each array once."""
    arrays = {id(a): a.nbytes for program in programs for a in program.constants.values()}
    return sum(arrays.values())
