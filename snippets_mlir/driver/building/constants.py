"""The constants of a program as arrays; weights are packed while passes and LLVM run.

    with Constants(weights) as constants:
        run_passes(...)                     up to the form of packed weights
        constants.begin(module)
        run_passes(...)                     the rest, in Python; a thread copies weights meanwhile
        arrays = [constants.array(op) for op in ...]

A copy releases the interpreter's lock, so that packing is almost free on a second core. A thread
that requests an array also packs weights, until none is left.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from math import prod
from typing import Any, Self

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from snippets_mlir.dialects.onnx.tensors import elements_of
from snippets_mlir.dialects.snippets.attributes import PanelsAttr, ResourceAttr
from snippets_mlir.dialects.snippets.constant_arrays import array_of
from snippets_mlir.dialects.snippets.constants import ConstantOp, ScalarOp
from snippets_mlir.dialects.snippets.resources import load_resource, named_part
from snippets_mlir.runtime.arguments.arrays import Array, dense
from snippets_mlir.support.meanwhile import meanwhile
from snippets_mlir.support.spans import span


def named_panels(module: ModuleOp) -> dict[PanelsAttr, ConstantOp]:
    """The weights of a module that are packed, and named by reference; each form once."""
    return {
        op.value: op
        for op in module.walk()
        if isinstance(op, ConstantOp)
        and isinstance(op.value, PanelsAttr)
        and isinstance(op.value.source, ResourceAttr)
    }


class Constants:
    """The arrays of one program's constants.

    Args:
        weights: ONNX tensors at hand, by name, for constants that the module names by reference.
    """

    def __init__(self, weights: Mapping[str, Any]) -> None:
        self._weights = weights
        self._stack = ExitStack()
        self._waiting = deque[tuple[PanelsAttr, ConstantOp]]()  # packing has not started
        self._packed: Callable[[], Mapping[PanelsAttr, Array]] = dict
        self._done: Mapping[PanelsAttr, Array] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._waiting.clear()  # after an error
        self._stack.close()

    def begin(self, module: ModuleOp) -> None:
        """Pack the weights of a module in a thread, which ends before the `with` does."""
        if found := named_panels(module):
            by_size = sorted(found.items(), key=lambda weight: -prod(weight[0].type.get_shape()))
            self._waiting.extend(by_size)
            self._packed = self._stack.enter_context(meanwhile(self._pack))

    def array(self, op: Operation) -> Array:
        """The value of a constant as a read-only dense array.

        Raises:
            CompileError: the elements are in a file that is missing or has changed.
        """
        assert isinstance(op, ConstantOp | ScalarOp)
        packed = self._results.get(op.value) if isinstance(op.value, PanelsAttr) else None
        array = dense(array_of(op, self._named) if packed is None else packed).view()
        array.flags.writeable = False
        return array

    @property
    def _results(self) -> Mapping[PanelsAttr, Array]:
        """The packed weights; helps the thread, and waits for it."""
        if self._done is None:
            mine = self._pack()
            self._done = {**mine, **self._packed()}
        return self._done

    def _pack(self) -> Mapping[PanelsAttr, Array]:
        """Pack weights that no thread has started until none is left."""
        packed: dict[PanelsAttr, Array] = {}
        with span("pack weights", "unit"):
            while (weight := self._next()) is not None:
                form, op = weight
                packed[form] = array_of(op, self._named)
        return packed

    def _next(self) -> tuple[PanelsAttr, ConstantOp] | None:
        with suppress(IndexError):
            return self._waiting.popleft()
        return None

    def _named(self, value: ResourceAttr) -> Array:
        if (tensor := self._weights.get(value.key.data)) is None:
            return load_resource(value)
        return named_part(elements_of(tensor), value)
