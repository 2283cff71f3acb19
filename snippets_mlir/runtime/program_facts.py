"""What a program knows for the sizes of its calls: shapes, memory, teams and runtime slots."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import Array as CArray
from ctypes import c_int64
from typing import Any, Literal, TypeVar

import numpy as np

from snippets_mlir.runtime.filling import arguments_in, filled_in
from snippets_mlir.runtime.form import Form, Sizes
from snippets_mlir.runtime.manifest import Argument, Manifest
from snippets_mlir.runtime.plain_launches import slots_of
from snippets_mlir.runtime.storage import Storage

T = TypeVar("T")


class ProgramFacts:
    """The facts of a program for the sizes of its calls; those that few calls need are made then.

    Attributes:
        form: the manifest, whatever the sizes.
    """

    form: Form
    _sizes: Sizes | None
    _made: dict[str, Any]

    @property
    def sizes(self) -> Sizes:
        """What the form is for its calls."""
        assert self._sizes is not None, "a template"
        return self._sizes

    @property
    def manifest(self) -> Manifest:
        """The manifest for its calls; that of a template has symbols."""
        if self._sizes is None or not self._sizes.symbols:
            return self.form.manifest
        symbols = self._sizes.symbols
        return self._once("manifest", lambda: filled_in(self.form.manifest, symbols))

    def _once(self, name: str, make: Callable[[], T]) -> T:
        """What few calls need, made when it is: all threads get the same."""
        if (found := self._made.get(name)) is None:
            found = self._made.setdefault(name, make())
        return found

    def arguments(self, side: Literal["inputs", "outputs"]) -> list[Argument]:
        """The inputs or the outputs of the manifest, with names, types and shapes."""
        if self._sizes is not None and "manifest" not in self._made:
            return arguments_in(self.form.manifest[side], self._sizes.symbols)
        return self.manifest[side]

    def input_shapes(self) -> tuple[tuple[int, ...] | None, ...]:
        """The shapes of its inputs; None: of one that is not known."""
        shape = self.sizes.shape
        return tuple(None if d is None else shape(d.shape) for d in self.form.inputs)

    @property
    def storage(self) -> Storage:
        """Where each value lives: an argument, a place in the arena, or a constant."""
        return self._once("storage", lambda: self.form.memory.storage(self.sizes.places))

    @property
    def dtypes(self) -> list[np.dtype[Any]]:
        """The NumPy dtype of each value."""
        return self.form.dtypes

    @property
    def teams(self) -> list[int]:
        """For each step, how many threads may share it."""
        teams = self.sizes.teams.tolist()
        return [1 if kernel is None else teams[kernel.team] for kernel in self.form.kernels]

    @property
    def slots(self) -> list[CArray[c_int64] | None]:
        """For each step, the values that a kernel reads from `rt`, or None."""
        return self._once("slots", lambda: slots_of(self.manifest["steps"]))
