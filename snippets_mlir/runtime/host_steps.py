"""Steps of a network that Python runs: sessions of onnxruntime, and NumPy.

A session is bound once to the addresses of its arrays, in the arena or among the constants, so a
run of it copies nothing. Arrays of the caller are bound again when they are elsewhere than in the
last call. What onnxruntime does not bind (types that NumPy does not have, arrays without elements)
and the executors of NumPy return arrays, which are copied into their places.
"""

from __future__ import annotations

from collections.abc import Sequence
from ctypes import c_int64
from typing import TYPE_CHECKING, Any

import numpy as np
from typing_extensions import override

from snippets_mlir.codegen.locks import ENGINE
from snippets_mlir.runtime.arena import array_at
from snippets_mlir.runtime.python_call import checked_result
from snippets_mlir.runtime.sessions import NUMBERS, Session

if TYPE_CHECKING:
    from snippets_mlir.runtime.form import Described, Sizes
    from snippets_mlir.runtime.program import Executor


class HostStep:
    """A step whose executor returns arrays."""

    def __init__(
        self, executor: Executor, inputs: Sequence[Described], outputs: Sequence[Described]
    ) -> None:
        self._executor = executor
        self._arrays = [*inputs, *outputs]
        self._inputs = len(inputs)
        self._shapes: list[tuple[int, ...]] = [()] * len(self._arrays)
        self._pointers: Any = ()

    def bind(self, pointers: int) -> None:
        """Belong to the network that has the addresses of its arrays from a place on."""
        self._pointers = (c_int64 * len(self._arrays)).from_address(pointers)

    def fit(self, sizes: Sizes) -> None:
        """Take the sizes of a call."""
        self._shapes = [sizes.shape(array.shape) for array in self._arrays]

    def __call__(self) -> None:
        """Run it; the errors are those of its executor."""
        places = zip(self._pointers, self._shapes, self._arrays, strict=True)
        arrays = [array_at(address, shape, array.dtype) for address, shape, array in places]
        results = self._executor(arrays[: self._inputs])
        for target, result in zip(arrays[self._inputs :], results, strict=True):
            np.copyto(target, checked_result(target.shape, target.dtype, result))


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
        self._known = [0] * len(self._arrays)  # the addresses that are bound; 0: none

    @override
    def fit(self, sizes: Sizes) -> None:
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
                session.bind_tables(self._binding)
                self._bound = session.bound
            if (addresses := self._pointers[:]) != self._known:
                self._bind(addresses)
            ENGINE.run(self._run, self._binding)
        except Exception:  # a run on arrays says what is wrong
            super().__call__()

    def _bind(self, addresses: Sequence[int]) -> None:
        """Bind the arrays that are elsewhere than in the last call, or of another shape."""
        names = (*self._session.inputs, *self._session.outputs)
        for index, address in enumerate(addresses):
            if address != self._known[index]:
                binding = self._binding
                bind = binding.bind_input if index < self._inputs else binding.bind_output
                self._known[index] = 0
                dtype, shape = self._arrays[index].dtype, self._shapes[index]
                bind(names[index], "cpu", 0, dtype.type, shape, address)
                self._known[index] = address


def host_step(
    executor: Executor, inputs: Sequence[Described], outputs: Sequence[Described], sizes: Sizes
) -> HostStep:
    """What runs a step that is no kernel; other calls have sizes of 0 where `sizes` has them."""
    every = [*inputs, *outputs]
    bindable = all(d.dtype.kind in NUMBERS and 0 not in sizes.shape(d.shape) for d in every)
    if isinstance(executor, Session) and executor.bound is not None and bindable:
        return SessionStep(executor, inputs, outputs)
    return HostStep(executor, inputs, outputs)
