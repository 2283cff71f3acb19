"""The runner of requests: a program on its streams, each with its own network."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import Any, NamedTuple

import numpy as np

from snippets_mlir.codegen.locks import KEEPING
from snippets_mlir.driver.building.built import Built
from snippets_mlir.driver.networks.network import values_of
from snippets_mlir.driver.networks.plans import MAX_PLANS, Plans
from snippets_mlir.driver.programs.tensors import TensorProgram
from snippets_mlir.runtime.arguments.arrays import Array, check_named, is_dense, share_memory
from snippets_mlir.runtime.memory.pool import keep_freed_memory
from snippets_mlir.runtime.queues.line import Line
from snippets_mlir.runtime.queues.pending import Pending
from snippets_mlir.runtime.queues.streams import Stream, Streams


class _Way(NamedTuple):
    """How requests of a build run.

    Attributes:
        built: the build.
        key: its number for machine code; 0: Python runs them.
        makers: make its outputs.
    """

    built: Built
    key: int
    makers: tuple[Callable[[], Array], ...]


class _Request(Pending):
    """A request of a program; `way` belongs to the build for its arrays."""

    way: _Way


class Runner:
    """See the module; a `Runner` of `runtime/queues/request.py`."""

    def __init__(self, compiled: TensorProgram, streams: Streams) -> None:
        self.streams = streams
        self._compiled = compiled
        self.names = [spec.name for spec in compiled.outputs]
        self._wanted = [(spec.name, spec.dtype, spec) for spec in compiled.inputs]
        self._plans: dict[int, Plans] = {}
        self._keys = count(1)
        self._ways: OrderedDict[int, _Way] = OrderedDict()
        self._writers = 0  # requests that run and write to arrays of the caller

    @property
    def forked(self) -> bool:
        """Whether its streams belong to the parent of this process."""
        return self.streams.forked

    def arena(self) -> int:
        """Bytes of the arenas of all streams."""
        return sum(plans.arena for plans in list(self._plans.values()))

    def profile(self) -> tuple[Any, ...]:
        """The steps of the last request of each stream."""
        return tuple(row for _, p in sorted(self._plans.items()) for row in p.profile())

    def first_plans(self) -> Plans | None:
        """Those of the first stream that has run a request."""
        return next((plans for _, plans in sorted(self._plans.items())), None)

    @property
    def line(self) -> Line:
        """Where requests wait for a stream."""
        return self.streams.line

    def prepare(self, arrays: Mapping[str, object], out: Mapping[str, object] | None) -> Pending:
        """See `Runner` of `runtime/queues/request.py`."""
        check_named("inputs", arrays)
        compiled = self._compiled
        held, given = (None if out is not None else self._as_they_are(arrays)), None
        if held is not None:
            built = compiled.build_for(held)
        else:
            targets = None if out is None else _by_name(out, self.names)
            compiled = compiled.called_with(arrays)
            built, held, given = compiled.checked(values_of(compiled, arrays), targets)
        made = _Request(self, held, given)
        made.way = self._way(built)
        return made

    def _way(self, built: Built) -> _Way:
        """How requests of a build run; the last `MAX_PLANS` are kept."""
        known = self._ways.get(id(built))
        if known is not None and known.built is built:
            return known
        program = built.program
        native = self.streams.line.address and program.fills_outputs
        makers = tuple(
            program.output_maker(i) for i in range(len(program.form.outputs) if native else 0)
        )
        if makers:
            keep_freed_memory()  # the outputs of several requests are freed together
        made = _Way(built, next(self._keys) if native else 0, makers)
        with KEEPING:
            self._ways[id(built)] = made
            while len(self._ways) > MAX_PLANS:
                self._ways.popitem(last=False)
        return made

    def launch(self, pending: Pending) -> None:
        """See `Runner` of `runtime/queues/request.py`."""
        assert isinstance(pending, _Request)
        way, given = pending.way, pending.given
        arrays = None
        if way.key:
            outputs = tuple([make() for make in way.makers]) if given is None else given
            pending.outputs, arrays = outputs, (pending.inputs, outputs)
        if given or self._writers:
            self.line.sweep()
        else:
            self.line.tidy()
        with KEEPING:
            if given or self._writers:
                self._check(pending)
            self.streams.submit(pending, way.key, arrays)
            self._writers += bool(given)
        pending.is_submitted()

    def execute(self, pending: Pending, stream: Stream) -> Sequence[Array]:
        """Run a request in Python, and let machine code run later requests if it can."""
        assert isinstance(pending, _Request)
        built, key, _ = pending.way
        stream.pause()
        plans = self._plans.get(stream.index)
        if plans is None:
            plans = self._plans[stream.index] = Plans(stream)
        results = plans.run(built, pending.inputs, pending.outputs or pending.given)
        if key and (network := plans.network) is not None:
            stream.runs(key, network)
        return results

    def _as_they_are(self, arrays: Mapping[str, object]) -> list[Array] | None:
        """The arrays in order, if they are right and dense; None: the checked way says more."""
        if len(arrays) != len(self._wanted):
            return None
        found: list[Array] = []
        for name, dtype, spec in self._wanted:
            array = arrays.get(name)
            if type(array) is not np.ndarray or array.dtype is not dtype:
                return None
            if not (spec.matches(array.shape) and is_dense(array)):
                return None
            found.append(array)
        return found

    def _check(self, made: Pending) -> None:
        """ValueError if the arrays of a request interfere with a running request."""
        outputs = made.given or ()
        for other in list(self.line.jobs.values()):
            if not isinstance(other, Pending):
                continue
            written = other.given or ()
            if any(share_memory(a, b) for a in outputs for b in (*other.inputs, *written)):
                raise ValueError("out: an array overlaps one of a request that is running")
            if any(share_memory(a, b) for a in made.inputs for b in written):
                raise ValueError("an input overlaps an output of a request that is running")

    def release(self, pending: Pending) -> None:
        """A request has ended."""
        if pending.given:
            with KEEPING:
                self._writers -= 1


def _by_name(out: Mapping[str, object], names: Sequence[str]) -> list[object]:
    """Outputs by name, in order."""
    check_named("out", out)
    if sorted(out) != sorted(names):
        known = ", ".join(map(repr, names))
        raise ValueError(f"out: expected arrays for {known}, found {', '.join(map(repr, out))}")
    return [out[name] for name in names]
