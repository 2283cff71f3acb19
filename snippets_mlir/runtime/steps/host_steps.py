"""Steps of a network that Python runs: onnxruntime sessions, and NumPy.

A session is bound once to the addresses of its arrays, in the arena or among the constants, so its
run copies nothing. Arrays of the caller are bound again if their addresses have changed since the
last call. Results that onnxruntime cannot bind (types that NumPy does not have, arrays without
elements) and results of NumPy executors are returned as arrays, and copied into their places.

A result without a place in the arena (`session_results.py`) is in memory that the step allocates in
each run; a session takes it from onnxruntime's arena. The step writes its address into the table.
The result is dropped before the first of these steps after its last reader, so that a session finds
its memory free, or before the same step runs again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from ctypes import c_int64
from typing import TYPE_CHECKING, Any

import numpy as np
from typing_extensions import override

from snippets_mlir.codegen.locks import ENGINE
from snippets_mlir.runtime.arguments.arrays import Array
from snippets_mlir.runtime.engine.cpu_binding import Bind, binders
from snippets_mlir.runtime.engine.sessions import Session
from snippets_mlir.runtime.engine.taken_results import Wanted, address_taken
from snippets_mlir.runtime.memory.arena import array_at
from snippets_mlir.runtime.memory.scratch import aligned_block
from snippets_mlir.runtime.steps.results import checked_result

if TYPE_CHECKING:
    from snippets_mlir.runtime.form import Described, Shaped
    from snippets_mlir.runtime.program import Executor


class HostStep:
    """A step whose executor returns arrays.

    Attributes:
        drops: results of steps, by number, that nothing reads when this step begins.
    """

    def __init__(
        self, executor: Executor, inputs: Sequence[Described], outputs: Sequence[Described]
    ) -> None:
        self._executor = executor
        self._arrays = [*inputs, *outputs]
        self._inputs = len(inputs)
        self._shapes: list[tuple[int, ...]] = [()] * len(self._arrays)
        self._pointers: Any = ()
        self._takers: Mapping[int, Sequence[int]] = {}
        self._held: dict[int, object] = {}
        self.drops: list[tuple[HostStep, int]] = []

    def bind(self, pointers: int) -> None:
        """Bind the step to a network, whose addresses of its arrays begin at `pointers`."""
        self._pointers = (c_int64 * len(self._arrays)).from_address(pointers)

    def take(self, takers: Mapping[int, Sequence[int]]) -> None:
        """Allocate memory for these results, by number, in each run.

        Args:
            takers: for each result, the addresses of the table's words to which its address is
                written.
        """
        for result in [*self._held]:
            self.drop(result)
        self._takers = takers

    def fit(self, sizes: Shaped) -> None:
        """Take the sizes of a call."""
        for result in [*self._held]:
            self.drop(result)
        self._shapes = [sizes.shape(array.shape) for array in self._arrays]

    def drop(self, result: int) -> None:
        """Free the memory that it has allocated for a result, if any."""
        self._held.pop(result, None)

    def __call__(self) -> None:
        """Run it; errors come from its executor."""
        self._drop_dead()
        results = self._executor([self._array(i) for i in range(self._inputs)])
        for number, result in enumerate(results):
            self._keep(number, result)

    def _keep(self, number: int, result: object) -> None:
        """Copy a result of the executor to its place."""
        index = self._inputs + number
        if number in self._takers:
            size = int(np.prod(self._shapes[index])) * self._arrays[index].dtype.itemsize
            self._held[number] = address, _ = aligned_block(size, kept=False)
            self._tell(number, address)
        target = self._array(index)
        np.copyto(target, checked_result(target.shape, target.dtype, result))

    def _array(self, index: int) -> Array:
        """An input, or a result after the inputs, at its address in the table."""
        return array_at(self._pointers[index], self._shapes[index], self._arrays[index].dtype)

    def _tell(self, result: int, address: int) -> None:
        """Write the address of a result to all its words of the table."""
        for word in self._takers[result]:
            c_int64.from_address(word).value = address

    def _drop_dead(self) -> None:
        for step, result in self.drops:
            step.drop(result)
        for result in self._takers:
            self.drop(result)


class SessionStep(HostStep):
    """A step that a session runs on memory of the network."""

    def __init__(
        self, session: Session, inputs: Sequence[Described], outputs: Sequence[Described]
    ) -> None:
        super().__init__(session, inputs, outputs)
        self._session = session
        self._bound: object = None  # what the binding was made by
        self._run: Any = None
        self._binding: Any = None
        self._binders: tuple[Bind, Bind] | None = None
        self._known = [0] * len(self._arrays)  # the addresses that are bound; 0: none

    @override
    def fit(self, sizes: Shaped) -> None:
        before = self._shapes
        super().fit(sizes)
        pairs = zip(before, self._shapes, self._known, strict=True)
        self._known = [address if a == b else 0 for a, b, address in pairs]

    @override
    def __call__(self) -> None:
        session = self._session
        if session.renew is not None:
            session.renew()
        try:
            if session.bound is not self._bound:
                assert session.bound is not None
                make, self._run = session.bound
                self._binding, self._known = make(), [0] * len(self._arrays)
                self._binders = binders(self._binding)
                session.bind_tables(self._binding)
                for name in session.outputs:  # in the order of `get_outputs`
                    self._binding.bind_output(name, "cpu")
                self._bound = session.bound
            self._drop_dead()
            for result in self._takers:
                self._binding.bind_output(session.outputs[result], "cpu")
                self._held[result] = self._binding
                self._known[self._inputs + result] = self._pointers[self._inputs + result]
            if (addresses := self._pointers[:]) != self._known:
                self._bind(addresses)
            self._bind_unsized(self._binding)
            ENGINE.run(self._run, self._binding)
            if self._takers:
                found = self._binding.get_outputs()
                for result in self._takers:
                    index = self._inputs + result
                    want = Wanted(self._shapes[index], self._arrays[index].dtype)
                    self._tell(result, address_taken(found[result], want))
            self._take_unsized(self._binding)
        except Exception:  # a run on arrays reports the error
            super().__call__()

    @override
    def drop(self, result: int) -> None:
        held, binding = self._held.pop(result, None), self._binding
        if held is not None and held is binding:
            self._known[self._inputs + result] = 0
            binding.bind_output(self._session.outputs[result], "cpu")

    def _bind_unsized(self, binding: Any) -> None:
        """Bind arrays without an address in the table before a run; most steps have none."""

    def _take_unsized(self, binding: Any) -> None:
        """Take results without an address from the binding after a run."""

    def _bind(self, addresses: Sequence[int]) -> None:
        """Bind the arrays that are elsewhere than in the last call, or of another shape."""
        assert self._binders is not None
        names = (*self._session.inputs, *self._session.outputs)
        for index, address in enumerate(addresses):
            if address != self._known[index]:
                bind = self._binders[index >= self._inputs]
                self._known[index] = 0
                bind(names[index], self._arrays[index].dtype.type, self._shapes[index], address)
                self._known[index] = address
