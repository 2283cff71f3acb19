"""Steps of a network that Python runs: sessions of onnxruntime, and NumPy.

A session is bound once to the addresses of its arrays, in the arena or among the constants, so a
run of it copies nothing. Arrays of the caller are bound again when they are elsewhere than in the
last call. What onnxruntime does not bind (types that NumPy does not have, arrays without elements)
and the executors of NumPy return arrays, which are copied into their places.
"""

from __future__ import annotations

from collections.abc import Sequence
from ctypes import c_int64
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from snippets_mlir.codegen.locks import ENGINE
from snippets_mlir.runtime.arena import array_at
from snippets_mlir.runtime.arrays import Array
from snippets_mlir.runtime.python_call import checked_result
from snippets_mlir.runtime.sessions import NUMBERS, Session
from snippets_mlir.runtime.storage import static_shape

if TYPE_CHECKING:
    from snippets_mlir.runtime.manifest import Step
    from snippets_mlir.runtime.program import Executor, Program


class Place(NamedTuple):
    """Where a value is.

    Attributes:
        address: of its first element; of an array of the call, the word that has it.
        array: the number of the array of the call; None: it is always at one address.
    """

    address: int
    array: int | None = None


class _Operand(NamedTuple):
    """A value that a step reads or writes."""

    place: Place
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    value: int

    def address(self, words: int) -> int:
        """Where it is in the current call of the network with its words at an address."""
        if self.place.array is None:
            return self.place.address
        return c_int64.from_address(words + 8 * self.place.address).value


class HostStep:
    """A step whose executor returns arrays."""

    def __init__(
        self,
        program: Program,
        executor: Executor,
        inputs: Sequence[_Operand],
        outputs: Sequence[_Operand],
    ) -> None:
        self._inputs, self._outputs = inputs, outputs
        self._executor = executor
        self._values, self._dtypes = program.manifest["values"], program.dtypes
        self._words = 0

    def bind(self, words: int) -> None:
        """Belong to the network whose words are at an address."""
        self._words = words

    def _arrays(self, operands: Sequence[_Operand]) -> list[Array]:
        return [array_at(o.address(self._words), o.shape, o.dtype) for o in operands]

    def __call__(self) -> None:
        """Run it; the errors are those of its executor."""
        results = self._executor(self._arrays(self._inputs))
        targets = self._arrays(self._outputs)
        for operand, target, result in zip(self._outputs, targets, results, strict=True):
            described, dtype = self._values[operand.value], self._dtypes[operand.value]
            np.copyto(target, checked_result(described, dtype, result))


class SessionStep(HostStep):
    """A step that a session runs on memory of the network."""

    def __init__(
        self,
        program: Program,
        session: Session,
        inputs: Sequence[_Operand],
        outputs: Sequence[_Operand],
    ) -> None:
        super().__init__(program, session, inputs, outputs)
        self._session = session
        self._bound: object = None  # what the binding was made by
        self._run: Any = None
        self._binding: Any = None
        self._moving: list[tuple[Any, str, _Operand]] = []
        self._known: list[int] = []

    def __call__(self) -> None:
        """Run it; ValueError as `Session.run` raises it."""
        session = self._session
        if session.renew is not None:
            session.renew()
        try:
            if session.bound is not self._bound:
                self._make_binding()
            for index, (bind, name, operand) in enumerate(self._moving):
                address = operand.address(self._words)
                if address != self._known[index]:
                    self._known[index] = 0
                    bind(name, "cpu", 0, operand.dtype.type, operand.shape, address)
                    self._known[index] = address
            ENGINE.run(self._run, self._binding)
        except Exception:  # a run on arrays says what is wrong
            super().__call__()

    def _make_binding(self) -> None:
        """Bind what is always at one address."""
        assert self._session.bound is not None
        make, self._run = self._session.bound
        self._binding = binding = make()
        self._moving = []
        for names, operands, bind in (
            (self._session.inputs, self._inputs, binding.bind_input),
            (self._session.outputs, self._outputs, binding.bind_output),
        ):
            for name, operand in zip(names, operands, strict=True):
                if operand.place.array is not None:
                    self._moving.append((bind, name, operand))
                    continue
                address = operand.place.address
                bind(name, "cpu", 0, operand.dtype.type, operand.shape, address)
        self._known = [0] * len(self._moving)
        self._bound = self._session.bound


def host_step(
    program: Program, step: Step, executor: Executor, places: dict[int, Place]
) -> HostStep:
    """What runs a step that is no kernel."""

    def operands(values: Sequence[int]) -> list[_Operand]:
        described = program.manifest["values"]
        return [
            _Operand(places[v], static_shape(described[v]), program.dtypes[v], v) for v in values
        ]

    inputs, outputs = operands(step["inputs"]), operands(step["outputs"])
    every = [*inputs, *outputs]
    bindable = all(o.dtype.kind in NUMBERS and 0 not in o.shape for o in every)
    if isinstance(executor, Session) and executor.bound is not None and bindable:
        return SessionStep(program, executor, inputs, outputs)
    return HostStep(program, executor, inputs, outputs)
