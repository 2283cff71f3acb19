"""What runs requests: a program on its streams, each with a network of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from typing import Any

import numpy as np

from snippets_mlir.codegen.locks import KEEPING
from snippets_mlir.driver.networks.network import values_of
from snippets_mlir.driver.networks.plans import Plans
from snippets_mlir.driver.programs.tensors import TensorProgram
from snippets_mlir.runtime.arrays import Array, check_named, is_dense, share_memory
from snippets_mlir.runtime.request import Results
from snippets_mlir.runtime.streams import Stream, Streams


class Runner:
    """See the module; a `Runner` of `runtime/request.py`."""

    def __init__(self, compiled: TensorProgram, streams: Streams) -> None:
        self.streams = streams
        self._compiled = compiled
        self._names = [spec.name for spec in compiled.outputs]
        self._wanted = [(spec.name, spec.dtype, spec.shape) for spec in compiled.inputs]
        self._plans: dict[int, Plans] = {}
        self._given: list[tuple[Sequence[Array], Sequence[Array]]] = []

    @property
    def forked(self) -> bool:
        """Whether its streams are those of the parent of this process."""
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

    def submit(
        self,
        arrays: Mapping[str, object],
        out: Mapping[str, object] | None,
        done: Future[Results],
        ended: Callable[[], None] = lambda: None,
    ) -> None:
        """See `Runner` of `runtime/request.py`."""
        check_named("inputs", arrays)
        compiled, names = self._compiled, self._names
        held, checked = (None if out is not None else self._as_they_are(arrays)), None
        if held is not None:
            built = compiled.build_for(held)
        else:
            targets = None if out is None else _by_name(out, names)
            built, held, checked = compiled.checked(values_of(compiled, arrays), targets)
        uses = held, checked or ()
        self._claim(*uses)

        def run(stream: Stream) -> None:
            try:
                plans = self._plans.get(stream.index)
                if plans is None:
                    plans = self._plans[stream.index] = Plans(stream)
                stream.tell()
                results = plans.run(built, held, checked)
            except BaseException as error:
                self._release(uses)
                done.set_exception(error)
            else:
                self._release(uses)
                done.set_result(dict(zip(names, results, strict=True)))
            stream.tell_later(ended)

        try:
            self.streams.submit(run)
        except BaseException:
            self._release(uses)
            raise

    def _as_they_are(self, arrays: Mapping[str, object]) -> list[Array] | None:
        """The arrays in order, if they are right and dense; None: the checked way says more."""
        if len(arrays) != len(self._wanted):
            return None
        found: list[Array] = []
        for name, dtype, shape in self._wanted:
            array = arrays.get(name)
            if type(array) is not np.ndarray or array.dtype is not dtype or array.shape != shape:
                return None
            if not is_dense(array):
                return None
            found.append(array)
        return found

    def _claim(self, inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
        """Note what a request reads and writes; ValueError when another one interferes."""
        with KEEPING:
            for read, written in self._given:
                if not outputs and not written:
                    continue  # both write to new arrays
                if any(share_memory(a, b) for a in outputs for b in (*read, *written)):
                    raise ValueError("out: an array overlaps one of a request that is running")
                if any(share_memory(a, b) for a in inputs for b in written):
                    raise ValueError("an input overlaps an output of a request that is running")
            self._given.append((inputs, outputs))

    def _release(self, uses: tuple[Sequence[Array], Sequence[Array]]) -> None:
        with KEEPING:
            for index, given in enumerate(self._given):
                if given[0] is uses[0]:
                    del self._given[index]
                    return


def _by_name(out: Mapping[str, object], names: Sequence[str]) -> list[object]:
    """Outputs by name, in order."""
    check_named("out", out)
    if sorted(out) != sorted(names):
        known = ", ".join(map(repr, names))
        raise ValueError(f"out: expected arrays for {known}, found {', '.join(map(repr, out))}")
    return [out[name] for name in names]
