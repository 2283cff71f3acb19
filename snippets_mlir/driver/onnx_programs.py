"""The builds of an ONNX model that kernels and onnxruntime share.

`engine_cuts.py` decides once what becomes kernels, for a dynamic model with the sizes of its first
call. Where no kernel pays the program is one session, for calls of any shape. Otherwise kernels and
the sessions between them are made for sizes that are symbols (`onnx_template.py`); a call fills
them in, and nothing is compiled, parsed or loaded again. A call that they do not fit (a size that
they take to be equal to another is 1 in it, or a size is 0) runs as one session.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from time import perf_counter

from xdsl.dialects.builtin import ModuleOp

from snippets_mlir.context import ToolContext
from snippets_mlir.driver.build import build
from snippets_mlir.driver.built import Built
from snippets_mlir.driver.compiling import COMPILING
from snippets_mlir.driver.engine_cuts import Cuts, plan_cuts
from snippets_mlir.driver.kernel_entry import OpaqueOp
from snippets_mlir.driver.onnx_template import Numbering, OnnxTemplate
from snippets_mlir.driver.session_entry import keep_session
from snippets_mlir.driver.settings import Settings
from snippets_mlir.driver.sources import Source
from snippets_mlir.driver.templates import Shapes, filled_in
from snippets_mlir.driver.whole_model import whole_program
from snippets_mlir.errors import CompileError
from snippets_mlir.frontend.onnx import import_graph
from snippets_mlir.runtime.arrays import TensorSpec
from snippets_mlir.runtime.program import Program

LEFT = "no kernel that pays reads or makes it"


def shares_with_engine(source: Source, settings: Settings) -> bool:
    """Whether kernels and sessions serve all shapes: for ONNX models, unless the caller decides.

    With `mark_skipped="none"` every candidate is a kernel, whether it pays or not.
    """
    decided = settings.pipeline is not None or settings.insert_passes
    return (
        source.model is not None
        and not decided
        and settings.mark_skipped in ("auto", "none")
        and settings.fallback == "onnxruntime"
        and settings.partitioner == "tokenize"
    )


@dataclass(frozen=True)
class _Shared:
    """The program of kernels and sessions, for all calls that its template takes."""

    template: OnnxTemplate
    built: Built
    kept: Mapping[int, str]


class OnnxPrograms:
    """Compiles an ONNX model once; the interface is that of `Templates`.

    Attributes:
        compilations: how often code was generated.
        cuts: the plan; None before the first call of a dynamic model.
    """

    def __init__(
        self,
        source: Source,
        inputs: tuple[TensorSpec, ...],
        outputs: tuple[TensorSpec, ...],
        settings: Settings,
        ctx: ToolContext,
        key: str | None = None,
    ) -> None:
        """`key` is the name of the program in the cache on disk, None when it is not kept."""
        self._key = key
        self._source = source
        self._inputs, self._outputs = inputs, outputs
        self._every = settings.mark_skipped == "none"
        self._settings = replace(settings, mark_skipped="none")
        self._ctx = ctx
        self._shared: _Shared | None = None
        self._whole: Built | None = None
        self._refused = LEFT
        self.compilations = 0
        self.cuts: Cuts | None = None

    @property
    def reason(self) -> str | None:
        """None: no call needs code of its own."""
        return None

    @property
    def is_one_session(self) -> bool:
        """Whether calls of all shapes are known to run as one session."""
        return self.cuts is not None and self._shared is None

    def built(self, shapes: Shapes | None) -> Built:
        """The program for a call with inputs of `shapes`; None for a model without dynamic dims."""
        if self.cuts is None:
            with COMPILING:
                if self.cuts is None:  # no other thread was faster
                    self._decide(shapes or ())
        if self._shared is not None:
            values = self._shared.template.values(shapes or ())
            if values is not None:
                return self._filled(self._shared, values)
        return self._one_session()

    def module(self, shapes: Shapes) -> ModuleOp | None:
        """What was compiled for calls with inputs of `shapes`; None for one session."""
        shared = self._shared
        if shared is None or shared.template.values(shapes) is None:
            return None
        sizes = Numbering().number
        return import_graph(self._source.prepared, sizes=sizes, kept=shared.kept).module

    def _decide(self, shapes: Shapes) -> None:
        """Plan the cuts for these shapes, and make the kernels where some pay."""
        names = [spec.name for spec in self._inputs]
        prepared, numbering = self._source.prepared, Numbering()
        try:
            imported = import_graph(prepared, sizes=numbering.number, hashed=False)
        except CompileError as error:
            self._refused = str(error)
            self.cuts = Cuts({}, {}, (), ())
            return
        template = numbering.template(prepared.inferred, names)
        if (hints := template.values(shapes)) is None:
            return
        settings = self._settings
        target, threads, chosen = settings.target, settings.threads, settings.chosen_cuts
        cuts = plan_cuts(imported, target, threads, hints, every=self._every, chosen=chosen)
        if cuts.kernels:
            self._shared = self._compiled(cuts)
        self.cuts = cuts

    def _compiled(self, cuts: Cuts) -> _Shared:
        numbering = Numbering()
        prepared = self._source.prepared
        imported = import_graph(prepared, sizes=numbering.number, kept=cuts.kept, hashed=False)
        template = numbering.template(prepared.inferred, [spec.name for spec in self._inputs])
        entry, weights = self._source.entry, prepared.weights
        built = build(imported.module, entry, self._settings, self._ctx, weights)
        self.compilations += 1
        return _Shared(template, built, cuts.kept)

    def _filled(self, shared: _Shared, values: list[int]) -> Built:
        if not values:
            return shared.built
        program = shared.built.program
        manifest = filled_in(program.manifest, values)
        concrete = Program(
            manifest,
            program.addresses,
            program.constants,
            [*program.executors.values()],
            program.threads,
            program.pool,
        )
        return replace(shared.built, program=concrete)

    def _one_session(self) -> Built:
        with COMPILING:
            if self._whole is None:
                start = perf_counter()
                threads, opaque = self._settings.threads, self._opaque()
                model, entry = self._source.model, self._source.entry
                interface = self._inputs, self._outputs
                built = whole_program(model, entry, threads, *interface, opaque)
                if self.is_one_session and self._key is not None:
                    keep_session(self._key, entry, *interface, opaque)
                self._whole = replace(built, seconds={"session": perf_counter() - start})
                self._source.release()
            return self._whole

    def _opaque(self) -> tuple[OpaqueOp, ...]:
        reasons: Mapping[int, str] = {} if self.cuts is None else self.cuts.reasons
        return tuple(
            OpaqueOp(f"{n.domain or 'onnx'}.{n.op_type}", n.name, reasons.get(i) or self._refused)
            for i, n in enumerate(self._source.prepared.model.graph.node)
            if n.op_type != "Constant"
        )
