"""ONNX models from the cache that kernels and onnxruntime share, without the compiler."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from snippets_mlir.driver.building.built import Built
from snippets_mlir.driver.cache.shared_entry import SharedEntry
from snippets_mlir.driver.compiling import COMPILING
from snippets_mlir.driver.onnx.size_formulas import Shapes
from snippets_mlir.driver.onnx.small_calls import SmallCalls
from snippets_mlir.driver.onnx.whole_model import session_beside_kernels, whole_program
from snippets_mlir.driver.reports.kernel_entry import OpaqueOp
from snippets_mlir.runtime.program import Program

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from snippets_mlir.driver.onnx.programs import OnnxPrograms
    from snippets_mlir.driver.programs.origin import Origin


def filled_program(built: Built, values: list[int]) -> Built:
    """A program with symbols, filled in for a call in which they have `values`."""
    if not values:
        return built
    return replace(built, program=built.program.filled(values))


class SharedPrograms:
    """The builds of a program from the cache; the interface is the same as `Templates`.

    Attributes:
        compilations: how often code was generated: for calls that the entry does not suit.
        is_one_session: no; see `OnnxPrograms`.
        reason: None; see `OnnxPrograms`.
        lines: a line for each candidate for a kernel.
    """

    is_one_session = False
    reason = None

    def __init__(
        self,
        source: object,
        entry: SharedEntry,
        threads: int,
        load: Callable[[], Origin],
        is_unchanged: Callable[[], bool],
    ) -> None:
        """`source` is the model, which `load` reads; it may have changed since."""
        self._source, self._entry, self._threads, self._load = source, entry, threads, load
        self._whole: Built | None = None
        self._other: OnnxPrograms | None = None
        self._small = SmallCalls(entry.least, is_unchanged, self._one_session)
        self.lines = tuple(entry.data["cuts"])

    def built(self, shapes: Shapes | None) -> Built | None:
        """The program for a call with inputs of `shapes`, which are None without dynamic dims.

        None if the call needs its own code; see `OnnxPrograms.built`.
        """
        if (session := self._small.session(shapes or ())) is not None:
            return session
        values = self._entry.template.values(shapes or ())
        if values is not None and not self._entry.classes.suit(values):
            return self._made().built(shapes)
        if values is not None:
            filled = filled_program(self._entry.built, values)
            return self._small.counted(shapes or (), filled)
        return None if self._entry.data["needs_kernels"] else self._one_session()

    def template(self, shapes: Shapes) -> tuple[Program, list[int]] | None:
        """The template for a call, and its symbols; None: `built` has more to do."""
        if self._small.session(shapes) is not None:
            return None
        self._small.count(shapes)
        values = self._entry.template.values(shapes)
        if values and not self._entry.classes.suit(values):
            return None if self._other is None else self._other.template(shapes)
        return (self._entry.built.program, values) if values else None

    def session_for(self, shapes: Shapes) -> Built | None:
        """The session, if it is open and a call with inputs of `shapes` runs in it."""
        return self._small.session(shapes)

    def module(self, shapes: Shapes) -> ModuleOp | None:
        """The compiled module for calls with inputs of `shapes`; None for one session."""
        values = self._entry.template.values(shapes)
        if values is None or self._small.session(shapes) is not None:
            return None
        if not self._entry.classes.suit(values):
            return self._made().module(shapes)
        from snippets_mlir.driver.onnx.shared_program import imported_again

        kept, classes = dict(self._entry.data["kept"]), self._entry.classes.classes
        return imported_again(self._load().source.prepared, kept, classes)

    @property
    def compilations(self) -> int:
        """See the class."""
        return 0 if self._other is None else self._other.compilations

    def _made(self) -> OnnxPrograms:
        """The builds of calls with another class of sizes than the entry, which are compiled."""
        with COMPILING:
            if self._other is None:
                from snippets_mlir.driver.onnx.programs import OnnxPrograms

                origin, interface = self._load(), self._entry.interface
                self._other = OnnxPrograms(origin.source, *interface, origin.asked, origin.ctx)
                self._other.other_session = self._one_session
            return self._other

    def _one_session(self) -> Built:
        with COMPILING:
            if self._whole is None:
                opaque = tuple(OpaqueOp(*fields) for fields in self._entry.data["whole"])
                interface, name = self._entry.interface, self._entry.data["entry"]
                is_changed = self._entry.data["is_changed"]
                model = self._load().source.whole_model if is_changed else self._source
                session = session_beside_kernels(model, self._threads)
                self._whole = whole_program(None, name, self._threads, *interface, opaque, session)
            return self._whole
