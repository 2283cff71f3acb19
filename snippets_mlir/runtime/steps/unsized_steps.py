"""Steps of a network that read or make unsized values (`unsized.py`).

A session gets an unsized input as the array or `OrtValue` of another session, and onnxruntime
allocates the memory of an unsized result, so nothing between them is copied. Small results of known
sizes beside it are copied to their places. NumPy also reads the memory of an `OrtValue`. The
network drops a value after its last reader; the caller gets what any session returns.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from typing_extensions import override

from snippets_mlir.runtime.arguments.arrays import Array, is_array
from snippets_mlir.runtime.engine.sessions import BOUND_BYTES, dense
from snippets_mlir.runtime.engine.taken_results import TYPES, Wanted, taken
from snippets_mlir.runtime.steps.host_steps import HostStep, SessionStep
from snippets_mlir.runtime.steps.results import checked_result, received_result, viewed

if TYPE_CHECKING:
    from snippets_mlir.runtime.engine.sessions import Session
    from snippets_mlir.runtime.form import Described, Shaped
    from snippets_mlir.runtime.memory.unsized import Unsized
    from snippets_mlir.runtime.program import Executor

_NOTHING = np.empty(0, np.float32)


class Touched(NamedTuple):
    """The unsized values of one step.

    Attributes:
        held: the unsized values of the network, by number: an `OrtValue`, or an executor's result.
        places: for each of them that the step touches, its place among inputs and outputs, its
            number, and its description in the program.
        dead: the numbers of the values that nothing reads after the step.
    """

    held: dict[int, Any]
    places: dict[int, tuple[int, Unsized]]
    dead: tuple[int, ...]


def is_ort_value(found: object) -> bool:
    """Whether it is an `OrtValue` of onnxruntime, which need not be imported."""
    return hasattr(found, "data_ptr") and hasattr(found, "numpy")


def array_of(found: Any, dtype: np.dtype[Any]) -> Any:
    """An onnxruntime tensor as an array on its memory, which keeps it; other values unchanged."""
    if not is_ort_value(found):
        return found
    shape = tuple(found.shape())
    return np.empty(shape, dtype) if 0 in shape else taken(found, Wanted(shape, dtype))


def delivered_unsized(found: Any, *, fresh: bool) -> Any:
    """An unsized value in the form for the caller, in memory that nothing else uses.

    `fresh` says that no other output is the same value, or a view of it.
    """
    found = found.numpy() if is_ort_value(found) else found
    if not is_array(found):
        return found if fresh else deepcopy(found)
    return found if fresh and not is_array(found.base) else found.copy(order="C")


class UnsizedStep(HostStep):
    """A step whose executor takes or returns unsized values."""

    def __init__(
        self,
        executor: Executor,
        inputs: Sequence[Described],
        outputs: Sequence[Described],
        touched: Touched,
    ) -> None:
        """`inputs` and `outputs` are as in `HostStep`; arbitrary at the places of `touched`."""
        super().__init__(executor, inputs, outputs)
        self._touched = touched
        self._wanted: dict[int, Sequence[int | None] | None] = {}

    @override
    def fit(self, sizes: Shaped) -> None:
        super().fit(sizes)
        for place, (_, (_, shape)) in self._touched.places.items():
            wanted = None
            if shape is not None:
                wanted = [None if n is None else sizes.shape((n,))[0] for n in shape]
            self._wanted[place] = wanted

    @override
    def __call__(self) -> None:
        super().__call__()
        self._drop_unsized()

    def _drop_unsized(self) -> None:
        """Drop the values that nothing reads after the step."""
        for value in self._touched.dead:
            self._touched.held.pop(value, None)

    @override
    def _array(self, index: int) -> Any:
        if (place := self._touched.places.get(index)) is None:
            return super()._array(index)
        value, (dtype, _) = place
        return array_of(self._touched.held[value], dtype)

    @override
    def _keep(self, number: int, result: Any) -> None:
        index = self._inputs + number
        if (place := self._touched.places.get(index)) is None:
            super()._keep(number, result)
            return
        value, (dtype, _) = place
        others = self._others()
        self._touched.held[value] = received_result(self._wanted[index], dtype, result, others)

    def _others(self) -> list[Array]:
        """Inputs of known sizes, whose memory a result of NumPy may share."""
        return [
            HostStep._array(self, i) for i in range(self._inputs) if i not in self._touched.places
        ]


class UnsizedView(UnsizedStep):
    """A view of, or to, an unsized value: the same elements under another shape."""

    def __init__(
        self,
        dims: Sequence[int | None] | None,
        array: Described,
        touched: Touched,
    ) -> None:
        """`dims` are as in a step of the manifest; `array` is as in `UnsizedStep`."""
        super().__init__(self._viewed, [array], [array], touched)
        self._dims = dims

    def _viewed(self, arrays: Sequence[Array]) -> list[Array]:
        (array,), sizes = arrays, self._wanted[1]
        assert sizes is not None, "a view of unknown rank"
        return [viewed(array, sizes, self._dims)]


class UnsizedSessionStep(UnsizedStep, SessionStep):
    """A step whose session takes or returns unsized tensors of numbers."""

    def __init__(
        self,
        session: Session,
        inputs: Sequence[Described],
        outputs: Sequence[Described],
        touched: Touched,
    ) -> None:
        SessionStep.__init__(self, session, inputs, outputs)
        self._touched, self._wanted = touched, {}
        self._makes_arrays = False

    @override
    def fit(self, sizes: Shaped) -> None:
        super().fit(sizes)
        results = range(self._inputs, len(self._arrays))
        sized = [i for i in results if i not in self._touched.places]
        copied = sum(prod(self._shapes[i]) * self._arrays[i].dtype.itemsize for i in sized)
        self._makes_arrays = len(sized) < len(results) and copied < BOUND_BYTES

    @override
    def __call__(self) -> None:
        if not self._makes_arrays:
            super().__call__()
            return
        HostStep.__call__(self)  # a query for each `OrtValue` takes longer than copying the others
        self._drop_unsized()

    @override
    def _others(self) -> list[Array]:
        return []  # results of a session are in its own memory

    @override
    def _bind_unsized(self, binding: Any) -> None:
        for index, (value, _) in self._touched.places.items():
            if index < self._inputs:
                name, found = self._session.inputs[index], self._touched.held[value]
                if is_ort_value(found):
                    binding.bind_ortvalue_input(name, found)
                else:
                    binding.bind_cpu_input(name, dense(found))

    @override
    def _take_unsized(self, binding: Any) -> None:
        found: list[Any] = []
        for index, (value, (dtype, _)) in self._touched.places.items():
            if index < self._inputs:
                binding.bind_cpu_input(self._session.inputs[index], _NOTHING)
                continue
            found = found or binding.get_outputs()
            result = index - self._inputs
            _check(found[result], self._wanted[index], dtype)
            self._touched.held[value] = found[result]
            binding.bind_output(self._session.outputs[result], "cpu")


def _check(value: Any, sizes: Sequence[int | None] | None, dtype: np.dtype[Any]) -> None:
    """Raise like `checked_result` if an `OrtValue` does not match the program's description."""
    shape = value.shape()
    if value.data_type() != TYPES.get(dtype.name) or not (
        sizes is None
        or (
            len(sizes) == len(shape)
            and all(s in (None, n) for s, n in zip(sizes, shape, strict=True))
        )
    ):
        checked_result(sizes, dtype, value.numpy())
