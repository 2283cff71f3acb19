"""ONNX models without onnxruntime, compiled for the elements of inputs that shapes follow from.

    y = ReduceSum(x, axes)      called with x, axes = [1]:    the program of ReduceSum(x, axes=[1])
                                called with x, axes = [0, 1]: another one

For the elements of a call these inputs are constants of a program of its own, whose other inputs
may have dynamic dims. The last `MAX_VARIANTS` programs are kept. With onnxruntime nothing of that
is needed: it runs the operator as it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from snippets_mlir.driver.compiled import Compiled
from snippets_mlir.driver.interface import interface_of_source
from snippets_mlir.driver.onnx.programs import shares_with_engine
from snippets_mlir.driver.settings import Settings
from snippets_mlir.driver.sources import Source
from snippets_mlir.passmanager.context import ToolContext
from snippets_mlir.runtime.arrays import Array, as_array, dense


def program_of(
    source: Source, settings: Settings, ctx: ToolContext, key: str | None = None
) -> Compiled:
    """The program of a source on tensors; `key` is its name in the cache, if it is kept there."""
    if source.model is not None and not shares_with_engine(source, settings):
        source.prepared.require_sound()
    if source.model is not None and settings.fallback == "error":
        from snippets_mlir.frontends.onnx.value_inputs import value_inputs

        if names := value_inputs(source.prepared):
            return ProgramByValue(source, settings, ctx, names)
    return Compiled(source, settings, ctx, key)


class ProgramByValue(Compiled):
    """A program of which some inputs are constants of the code; see the module docstring."""

    def __init__(
        self, source: Source, settings: Settings, ctx: ToolContext, names: Sequence[str]
    ) -> None:
        """`names` are the inputs whose elements the code depends on."""
        self._set_origin(source, settings, ctx)
        self._begin(*interface_of_source(source), dynamic=True)
        self._names = frozenset(names)
        self._last: Compiled | None = None

    def _execute(self, values: Sequence[object], out: object) -> list[Array]:
        pairs = list(zip(self.inputs, values, strict=True))
        bound = {s.name: dense(as_array("input", s, v)) for s, v in pairs if s.name in self._names}
        key = tuple((name, a.shape, a.tobytes()) for name, a in bound.items())
        variant = self._variants.get(key, lambda: self._variant(bound))
        results = variant.execute([v for s, v in pairs if s.name not in self._names], out)
        self._last, self._latest = variant, variant.built()
        return results

    def _variant(self, bound: Mapping[str, Array]) -> Compiled:
        from snippets_mlir.frontends.onnx.edits import ModelEdit

        edit = (self.source.edit or ModelEdit()).binding(bound)
        variant = Compiled(self.source.edited(edit), self._asked, self._ctx)
        variant.share_counters(self._perf)
        return variant

    @property
    def compiled_times(self) -> int:
        """How often code was generated."""
        return self._variants.compiled_times

    @property
    def per_shape(self) -> str | None:
        """Why a call may need code of its own."""
        names = ", ".join(repr(s.name) for s in self.inputs if s.name in self._names)
        return f"shapes follow from the elements of {names}"

    def specialize(self, shapes: Mapping[str, Sequence[int]]) -> None:
        """`ValueError`: shapes alone do not say what to compile."""
        raise ValueError(f"{self.per_shape}; call the program with them")

    def _replayed(self, stage: str) -> Any:
        self.built()
        assert self._last is not None
        return self._last.replayed(stage)
