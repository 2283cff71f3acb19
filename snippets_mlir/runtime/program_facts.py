"""Facts of a program for the sizes of its calls: shapes, memory, outputs, teams and slots."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import Array as CArray
from ctypes import c_int64
from typing import Any, Literal, TypeVar

import numpy as np

from snippets_mlir.runtime.arguments.arrays import Array
from snippets_mlir.runtime.arguments.c_function import run_maker
from snippets_mlir.runtime.calls.plain_launches import slots_of
from snippets_mlir.runtime.form import Form, Shaped, Sizes
from snippets_mlir.runtime.manifests.filling import arguments_in, filled_in
from snippets_mlir.runtime.manifests.manifest import Argument, Manifest, Step
from snippets_mlir.runtime.memory.pool import OutputPool
from snippets_mlir.runtime.memory.storage import Storage, known_sizes

T = TypeVar("T")


class ProgramFacts:
    """The facts of a program for the sizes of its calls; rarely used facts are computed on demand.

    Attributes:
        form: the manifest, whatever the sizes.
        pool: the memory of large outputs.
    """

    form: Form
    pool: OutputPool
    _sizes: Sizes | None
    _is_watched: bool
    _made: dict[str, Any]

    @property
    def sizes(self) -> Sizes:
        """The values of the form for its calls."""
        assert self._sizes is not None, "a template"
        return self._sizes

    @property
    def manifest(self) -> Manifest:
        """The manifest for its calls; a template's manifest has symbols."""
        if self._sizes is None or not self._sizes.symbols:
            return self.form.manifest
        symbols = self._sizes.symbols
        return self._once("manifest", lambda: filled_in(self.form.manifest, symbols))

    @property
    def has_table(self) -> bool:
        """Whether networks run it: kernels have known sizes, and nothing is counted or watched."""
        return self._may_have_table and run_maker() is not None

    @property
    def fills_outputs(self) -> bool:
        """Whether networks run it, and write all of its outputs to arrays of the caller."""
        return self.has_table and self.form.fills_outputs

    @property
    def _may_have_table(self) -> bool:
        return self.form.is_walkable and not self._is_watched and self.sizes.are_positive

    def _once(self, name: str, make: Callable[[], T]) -> T:
        """A rarely used object, made when it is first needed: all threads get the same one."""
        if (found := self._made.get(name)) is None:
            found = self._made.setdefault(name, make())
        return found

    def arguments(self, side: Literal["inputs", "outputs"]) -> list[Argument]:
        """The inputs or the outputs of the manifest, with names, types and shapes."""
        if self._sizes is not None and "manifest" not in self._made:
            return arguments_in(self.form.manifest[side], self._sizes.symbols)
        return self.manifest[side]

    def input_shapes(self) -> tuple[tuple[int, ...] | None, ...]:
        """The shapes of its inputs; None for an unknown shape."""
        shape = self.sizes.shape
        return tuple(None if d is None else shape(d.shape) for d in self.form.inputs)

    @property
    def storage(self) -> Storage:
        """The location of each value: an argument, a place in the arena, or a constant."""
        return self._once("storage", lambda: self.form.memory.storage(self.sizes.places))

    @property
    def dtypes(self) -> list[np.dtype[Any]]:
        """The NumPy dtype of each value."""
        return self.form.dtypes

    @property
    def teams(self) -> list[int]:
        """For each step, the number of threads that may share it."""
        teams = self.sizes.teams.tolist()
        return [1 if kernel is None else teams[kernel.team] for kernel in self.form.kernels]

    @property
    def slots(self) -> list[CArray[c_int64] | None]:
        """For each step, the values that a kernel reads from `rt`, or None."""
        return self._once("slots", lambda: slots_of(self.manifest["steps"]))

    def writes_nothing(self, step: Step) -> bool:
        """Whether the results of a kernel have no elements."""
        values = self.manifest["values"]
        return all(0 in known_sizes(values[v]) for v in step["outputs"])

    def new_output(self, index: int) -> Array:
        """Memory for an output of known sizes."""
        return self.output_maker(index)()

    def output_maker(self, index: int) -> Callable[[], Array]:
        """A function that returns memory for an output of known sizes."""
        described = self.form.outputs[index]
        assert described is not None, "an output of a size that only a step knows"
        return self.pool.maker(self.sizes.shape(described.shape), described.dtype)

    def new_outputs(self, sizes: Shaped) -> tuple[Array, ...]:
        """Memory for all outputs of a call, which have known sizes."""
        made = ((sizes.shape(o.shape), o.dtype) for o in self.form.outputs if o is not None)
        return tuple([self.pool.empty(shape, dtype) for shape, dtype in made])
