"""The interface of the makers of builds for symbolic sizes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from snippets_mlir.driver.building.built import Built
from snippets_mlir.runtime.arguments.arrays import Array
from snippets_mlir.runtime.program import Program

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp


Shapes = tuple[tuple[int, ...], ...]


def shapes_of(given: Sequence[Array]) -> Shapes:
    """The shapes of arrays; a list of onnxruntime's has none."""
    return tuple([getattr(array, "shape", ()) for array in given])


class Maker(Protocol):
    """The interface of makers of builds for symbolic sizes: `Templates`, or ONNX's."""

    @property
    def compilations(self) -> int:
        """How often code was generated."""
        ...

    @property
    def is_one_session(self) -> bool:
        """Whether calls of all shapes are known to run as one session."""
        ...

    @property
    def reason(self) -> str | None:
        """Why calls need code for each shape; None if no call does."""
        ...

    @property
    def lines(self) -> tuple[str, ...]:
        """See `Compiled.cuts`."""
        ...

    def built(self, shapes: Shapes | None, /) -> Built | None:
        """The build for a call; None: it needs code of its own."""
        ...

    def template(self, shapes: Shapes, /) -> tuple[Program, Sequence[int]] | None:
        """The template for a call, and its symbols; None: `built` has more to do."""
        ...

    def session_for(self, shapes: Shapes, /) -> Built | None:
        """The open session that a call runs in; None: there is none, or `built` has more to do."""
        ...

    def module(self, shapes: Shapes, /) -> ModuleOp | None:
        """The compiled module for calls with inputs of `shapes`; None: the program for these."""
        ...
