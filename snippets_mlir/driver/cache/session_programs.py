"""Models that the cache knows to be one session, and their programs for larger calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from snippets_mlir.driver.building.built import Built
from snippets_mlir.driver.cache.constant_files import constants_folder
from snippets_mlir.driver.cache.inside_entry import InsideEntry
from snippets_mlir.driver.cache.program_cache import Request, program_key
from snippets_mlir.driver.cache.session_entry import SessionEntry
from snippets_mlir.driver.compiling import COMPILING
from snippets_mlir.driver.onnx.weight_places import FileFacts, are_unchanged
from snippets_mlir.driver.onnx.whole_model import whole_program
from snippets_mlir.driver.programs.maker import Shapes
from snippets_mlir.runtime.engine.inside import inside_session
from snippets_mlir.runtime.engine.opening import open_optimized
from snippets_mlir.runtime.engine.sessions import Session
from snippets_mlir.runtime.program import Program
from snippets_mlir.support.errors import CompileError

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from snippets_mlir.driver.onnx.programs import OnnxPrograms
    from snippets_mlir.driver.programs.origin import Origin


@dataclass(frozen=True)
class ModelName:
    """The name of a model in the cache.

    Attributes:
        key: its name.
        request: the request that it was compiled for.
    """

    key: str
    request: Request

    def is_of(self, source: object, files: Sequence[FileFacts]) -> bool:
        """Whether a source is still the model of this name, whose other files are `files`."""
        return program_key(source, self.request) == self.key and are_unchanged(files, source)


def _kept_session(entry: SessionEntry, inside: InsideEntry | None, threads: int) -> Session | None:
    """The session of an optimized model from the cache; None: it is opened on the source."""
    model, folder = entry.model, constants_folder()
    if model is not None and inside is not None:
        return inside_session(model, inside.operators, inside.kernels.code, threads, folder)
    with suppress(CompileError):
        return None if model is None else open_optimized(model, threads, folder)
    return None


class SessionPrograms:
    """The builds of a model that the cache knows to be one session; the interface is `Maker`.

    Attributes:
        session: the build of the session, which is the same for all shapes; None: larger calls have
            kernels, and `OnnxPrograms` has the session of small calls.
    """

    reason = None

    def __init__(
        self,
        source: object,
        entry: SessionEntry,
        threads: int,
        load: Callable[[], Origin],
        name: ModelName,
        inside: InsideEntry | None,
    ) -> None:
        """Open the session.

        Args:
            source: the model.
            entry: its entry in the cache.
            threads: of the session.
            load: loads the compiler and the model.
            name: of the entry.
            inside: the kernels inside, if any.
        """
        self._source, self._name, self._entry = source, name, entry
        self._load, self._inside, self._growth = load, inside, entry.growth
        self._again: OnnxPrograms | None = None  # has planned for a larger call
        interface = entry.inputs, entry.outputs
        session = _kept_session(entry, inside, threads)
        kernels = None if inside is None else inside.kernels
        self.session: Built | None = whole_program(
            source, entry.entry, threads, *interface, entry.opaque, session, kernels
        )
        self._lines = entry.cuts

    @property
    def compilations(self) -> int:
        """How often code was generated: for calls that are much larger than the first one was."""
        return 0 if self._again is None else self._again.compilations

    @property
    def is_one_session(self) -> bool:
        """Whether calls of all shapes are known to run as one session."""
        again = self._again
        return self._growth is None if again is None else again.is_one_session

    def built(self, shapes: Shapes | None) -> Built | None:
        """The build of the session, or the planned build of a larger call."""
        session = self.session  # another thread may drop it
        made = None if shapes is None else self._planned_again(shapes)
        return session if made is None else made.built(shapes)

    def _planned_again(self, shapes: Shapes) -> OnnxPrograms | None:
        """The kernels of a model that a call outgrows; None if it has none."""
        if self._growth is not None and self._growth.is_outgrown(shapes):
            with COMPILING:
                self._load_again()
        if (again := self._again) is None:
            return None
        again.decide(shapes)
        if not again.has_kernels:
            return None
        self.session = None
        return again

    def _load_again(self) -> None:
        """Load the compiler and the model, once, unless the source is no longer that model."""
        if self._growth is None:  # another thread was faster
            return
        again: OnnxPrograms | None = None
        if self._name.is_of(self._source, self._entry.files):
            from snippets_mlir.driver.onnx.programs import OnnxPrograms

            origin, interface = self._load(), (self._entry.inputs, self._entry.outputs)
            key = self._name.key
            again = OnnxPrograms(origin.source, *interface, origin.asked, origin.ctx, key)
        self._again = again  # before the next line: other threads ask `is_one_session`
        self._growth = None

    def session_for(self, shapes: Shapes) -> Built | None:
        """The session, if a call with inputs of `shapes` runs in it."""
        if (session := self.session) is None:
            return None if self._again is None else self._again.session_for(shapes)
        again, growth = self._again, self._growth
        needs_plan = again is not None or (growth is not None and growth.is_outgrown(shapes))
        return None if needs_plan else session

    def template(self, shapes: Shapes) -> tuple[Program, list[int]] | None:
        """None: a session has no symbols to fill in."""
        made = self._planned_again(shapes)
        return None if made is None else made.template(shapes)

    def module(self, shapes: Shapes) -> ModuleOp | None:
        """The module that kernels were compiled from; None if there are none."""
        if self._again is not None and self._again.has_kernels:
            return self._again.module(shapes)
        if self._inside is None:
            return None
        from snippets_mlir.driver.onnx.inside.kernels import module_of

        return module_of(self._inside.chains)

    @property
    def lines(self) -> tuple[str, ...]:
        """As `Compiled.cuts`, for the sizes that the entry or the latest plan was made for."""
        if self._again is not None:
            return self._again.lines
        if not self._lines and (shapes := self._entry.decided_for) is not None:
            from snippets_mlir.driver.onnx.programs import OnnxPrograms

            origin, interface = self._load(), (self._entry.inputs, self._entry.outputs)
            made = OnnxPrograms(origin.source, *interface, origin.asked, origin.ctx)
            self._lines = made.lines_for(shapes)
        return (*self._lines, *(() if self._inside is None else self._inside.lines))
