"""The data that the cache on disk keeps for a model with a plan."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from snippets_mlir.codegen.cache import entry_path
from snippets_mlir.driver.building.built import Built
from snippets_mlir.driver.cache.session_entry import session_data
from snippets_mlir.driver.cache.shared_weights import Weights, places_of_weights
from snippets_mlir.driver.cache.storing import later
from snippets_mlir.driver.onnx.contents import Contents
from snippets_mlir.driver.onnx.cuts.planned_model import PlannedModel
from snippets_mlir.driver.onnx.import_ahead import PlannedImport
from snippets_mlir.driver.onnx.small_calls import NO_SMALL_CALLS, SmallCalls
from snippets_mlir.driver.onnx.weight_places import external_files
from snippets_mlir.driver.onnx.whole_model import require_fitting, require_loadable
from snippets_mlir.driver.sources.key_bytes import contents_of
from snippets_mlir.runtime.program import Executor

if TYPE_CHECKING:
    from snippets_mlir.driver.onnx.shared_program import SharedProgram
    from snippets_mlir.driver.onnx.size_formulas import Shapes

SMALL = 4 << 20
"""Bytes up to which a dynamic model is checked by opening the session that its calls may run in, if
it was not opened ahead. This may take long, and much memory; ONNX's checker reads no weights."""


class KeptModel(PlannedModel):
    """A model with its plan, its check, and its name in the cache.

    Attributes:
        small: which calls run as one session beside kernels.
    """

    _needs_kernels = False
    """Some operator is a plug-in's, and onnxruntime lacks it."""
    _weights: Weights | None = None
    """The places of weights in files."""
    small: SmallCalls = NO_SMALL_CALLS

    def admit(self) -> None:
        """Check a dynamic model before its first call, which determines its plan.

        The session that checks a small model is kept for its calls, unless kernels are forced. The
        import for the plan begins while the session opens.

        Raises:
            CompileError: the model is not valid.
        """
        source, prepared = self._source, self._source.prepared
        if self._is_free and self._one.is_opening:
            self._begun = PlannedImport.ahead(prepared, lambda: self._one.is_opening)
        if self._is_free and self._one.admit(opens=prepared.takes_at_most(SMALL)):
            prepared.take_as_sound()
            return
        require_loadable(source)
        if not self._has_foreign_nodes():
            require_fitting(source)

    def _while_llvm_works(self, executors: Sequence[Executor]) -> None:
        """Let go of the session of the whole model, and look for the weights of `executors`."""
        self._one.forget()
        source = self._source
        if self._key is not None and (contents := contents_of(source.model)) is not None:
            self._weights = places_of_weights(executors, source.prepared, contents)

    def _add_growth(self, shapes: Shapes) -> None:
        """Record the call that the plan without kernels was made for."""
        if self._is_free and not self._needs_kernels:
            self._growing.add(shapes, partial(self._may_pay, prepared=self._source.prepared))

    def _small_calls(self, open_session: Callable[[], Built]) -> SmallCalls:
        """Which calls run as one session beside the kernels of the latest plan."""
        is_free = self._is_free and not self._has_forced and not self._needs_kernels
        contents = Contents.of(self._source) if self.least is not None and is_free else None
        if contents is None:
            return NO_SMALL_CALLS
        source = self._source
        return SmallCalls(self.least, lambda: contents.are_those_of(source), open_session)

    def _keep(self, shared: SharedProgram) -> None:
        """Write the program down, and let go of the model, which is read again when needed."""
        if self._key is not None:
            interface, lines, whole = (self._inputs, self._outputs), self.lines, self._opaque()
            facts = self._ctx, lines, whole, self._needs_kernels, self.small.least
            shared.keep(self._key, self._weights, self._source, interface, *facts)
        self._source.release()

    def _keep_session(self, built: Built) -> None:
        """Write down later that the program is one session, and for which calls."""
        source, growing = self._source, self._growing
        files = growing.files or external_files(source.prepared)
        path = None if self._key is None else entry_path("programs", self._key)
        # Without an optimized model, an entry opens the model of the caller.
        is_other = source.prepared.is_changed and not source.prepared.differs_by_f16
        if path is None or files is None or is_other:
            if growing.plan is not None:
                later(growing.settle_bound)
            return
        facts = source.entry, self._inputs, self._outputs, built.opaque, self._lines or ()
        bound_for, keep = self._bound_for, self._one.keeper(path)

        def settle_and_keep() -> None:
            growing.settle_bound()
            keep(session_data(*facts, bound_for, growing.plan, files))

        later(settle_and_keep)
