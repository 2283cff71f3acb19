"""The program of an ONNX model as one session, with kernels inside if they pay off.

no kernel pays            the session of the model
chains pay                the session of the optimized model, with kernels inside (`inside/`)
chains pay, but fail      the session of the model; `lines` have the reason
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

from snippets_mlir.codegen.errors import InternalError
from snippets_mlir.driver.building.built import Built
from snippets_mlir.driver.cache.inside_entry import keep_inside
from snippets_mlir.driver.cache.session_entry import SessionData
from snippets_mlir.driver.dynamic.templates import Shapes
from snippets_mlir.driver.onnx.inside.forced import INSIDE
from snippets_mlir.driver.onnx.inside.fuse import Inside, fused, looks_worthwhile
from snippets_mlir.driver.onnx.kept_session import keeper_of_optimized
from snippets_mlir.driver.onnx.model_ahead import ModelAhead
from snippets_mlir.driver.onnx.whole_model import (
    model_session,
    session_beside_kernels,
    whole_program,
)
from snippets_mlir.driver.reports.kernel_entry import OpaqueOp
from snippets_mlir.driver.settings import Settings
from snippets_mlir.driver.sources.load import Source
from snippets_mlir.passmanager.context import ToolContext
from snippets_mlir.runtime.arguments.arrays import TensorSpec
from snippets_mlir.runtime.engine.inside import inside_session
from snippets_mlir.runtime.engine.operators import supported
from snippets_mlir.runtime.engine.sessions import Session
from snippets_mlir.support.diagnostics import one_line
from snippets_mlir.support.errors import CompileError

Opaque = Callable[[frozenset[str]], tuple[OpaqueOp, ...]]
"""Returns the ops in no kernel, if kernels inside compute these values."""


class OneSession:
    """Makes the session of one model.

    Attributes:
        inside: the kernels inside, after they are made, without the model.
        lines: a line for each chain, or why there are none although they would pay off.
    """

    def __init__(
        self,
        source: Source,
        inputs: Sequence[TensorSpec],
        outputs: Sequence[TensorSpec],
        settings: Settings,
        ctx: ToolContext,
        ahead: ModelAhead | None,
    ) -> None:
        """For a model and its interface; `ahead` may be opening its session."""
        self._source, self._settings, self._ctx = source, settings, ctx
        self._interface = tuple(inputs), tuple(outputs)
        self._ahead = ahead
        self._session: Session | None = None  # of the model, opened to check it
        self.inside: Inside | None = None
        self.lines: tuple[str, ...] = ()

    def admit(self, *, opens: bool) -> bool:
        """Whether onnxruntime opens the model; the session is kept for its calls.

        Args:
            opens: whether to open the model now, if it is not open.
        """
        with suppress(CompileError):
            model, threads = self._source.whole_model, self._settings.threads
            self._session = self._opened()
            if self._session is None and opens:
                self._session = model_session(model, threads, alone=True)
        return self._session is not None

    @property
    def is_opening(self) -> bool:
        """Whether a thread is opening the session of the model."""
        return self._ahead is not None and self._ahead.is_opening

    def forget(self) -> None:
        """Drop the session that `admit` has opened or is opening."""
        self._session = self._ahead = None

    def _opened(self) -> Session | None:
        """The session of the model that was opened ahead, or by `admit`; once."""
        session, ahead = self._session, self._ahead
        self._session = self._ahead = None
        if session is not None or ahead is None:
            return session
        return ahead.take(self._source.whole_model, self._settings.threads)

    def look_inside(self, shapes: Shapes, saved: float) -> bool:
        """Make the kernels inside, if they save enough of a call with inputs of `shapes`.

        Args:
            shapes: the input shapes; () without dynamic dims.
            saved: nanoseconds of a call that kernels beside sessions save.
        """
        source, settings = self._source, self._settings
        names = [spec.name for spec in self._interface[0]]
        named = dict(zip(names, shapes, strict=False))  # none without dynamic dims
        if not looks_worthwhile(source.prepared, named, settings, saved):
            return False
        try:
            found = fused(source.session_model, source.prepared, named, settings, self._ctx, saved)
        except (CompileError, InternalError) as error:
            self._refuse(error)
            return False
        self.inside, self.lines = found, () if found is None else found.lines
        return found is not None

    def put_inside(self, shapes: Shapes) -> None:
        """Make the kernels inside that are forced, whether they pay or not, if there are any.

        Raises:
            CompileError: they cannot be made; the message says why.
        """
        if (reason := supported()) is not None:
            raise CompileError(f"force: {INSIDE} is forced: {reason}")
        source, settings = self._source, self._settings
        names = [spec.name for spec in self._interface[0]]
        named, force = dict(zip(names, shapes, strict=False)), "|".join(settings.force_impl)
        plain = replace(settings, force_impl=())
        found = fused(source.session_model, source.prepared, named, plain, self._ctx, force=force)
        self.inside, self.lines = found, () if found is None else found.lines

    def open(self, opaque: Opaque, *, beside: bool) -> Built:
        """The program; CompileError when onnxruntime rejects the model.

        `beside` says whether other calls run kernels.
        """
        threads, entry, inside = self._settings.threads, self._source.entry, self.inside
        if inside is not None:
            code = inside.kernels.code
            try:
                session = inside_session(inside.model, inside.operators, code, threads)
            except CompileError as error:
                self._refuse(error)
            else:
                self.forget()
                ops = opaque(inside.values)
                interface = self._interface
                return whole_program(None, entry, threads, *interface, ops, session, inside.kernels)
        model = self._source.whole_model
        if beside:
            session = session_beside_kernels(model, threads)
        else:
            session = self._opened()
        return whole_program(model, entry, threads, *self._interface, opaque(frozenset()), session)

    def _refuse(self, error: Exception) -> None:
        """Do without kernels inside, and say why."""
        self.inside = None
        self.lines = (f"inside the session: none: {one_line(str(error))}",)

    def keeper(self, path: Path) -> Callable[[SessionData], None]:
        """Writes down in `path` that the program is one session, with its kernels inside."""
        if self.inside is None:
            return keeper_of_optimized(path, self._source)
        return partial(keep_inside, path, inside=self.inside)

    def release(self) -> None:
        """Let go of the model with kernels inside, which the session has."""
        if self.inside is not None:
            self.inside = replace(self.inside, model=b"")
