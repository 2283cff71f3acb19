"""The plan of the cuts of one model, and its reasons for the nodes that are in no kernel."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import takewhile
from typing import TYPE_CHECKING, NoReturn

from snippets_mlir.analysis.engine.costs import different
from snippets_mlir.driver.compiling import COMPILING
from snippets_mlir.driver.dynamic.templates import Shapes
from snippets_mlir.driver.dynamic.undecided import reason_of
from snippets_mlir.driver.onnx.bound.cut_bound import may_pay
from snippets_mlir.driver.onnx.cuts.engine_cuts import Cuts, plan_cuts
from snippets_mlir.driver.onnx.cuts.smaller_calls import halved, named_least
from snippets_mlir.driver.onnx.cuts.texts import candidate_texts
from snippets_mlir.driver.onnx.growing import Growing
from snippets_mlir.driver.onnx.import_ahead import PlannedImport
from snippets_mlir.driver.onnx.inside.forced import forces_inside
from snippets_mlir.driver.onnx.model_ahead import ModelAhead
from snippets_mlir.driver.onnx.one_session import OneSession
from snippets_mlir.driver.onnx.small_calls import LeastWork
from snippets_mlir.driver.onnx.template import Numbering
from snippets_mlir.driver.onnx.whole_model import model_session
from snippets_mlir.driver.reports.kernel_entry import NO_KERNEL, OpaqueOp
from snippets_mlir.driver.settings import Settings
from snippets_mlir.driver.sources.load import Source
from snippets_mlir.driver.workers.helpers import expect
from snippets_mlir.frontends.onnx import verify_import
from snippets_mlir.frontends.onnx.engine_operators import MICROSOFT
from snippets_mlir.frontends.onnx.prepare import PreparedModel
from snippets_mlir.frontends.onnx.readers import is_mapped
from snippets_mlir.passmanager.context import ToolContext
from snippets_mlir.runtime.arguments.arrays import TensorSpec
from snippets_mlir.support.diagnostics import one_line
from snippets_mlir.support.errors import CompileError, UndecidedError
from snippets_mlir.targets.engine import engine_of
from snippets_mlir.targets.machine import machine

if TYPE_CHECKING:
    import onnx


DOMAINS = ("", "ai.onnx")
"""Names of ONNX's own domain."""
ENGINE_DOMAINS = (*DOMAINS, MICROSOFT)
"""Domains of mapped operators that onnxruntime has."""


class PlannedModel:
    """A model with its plan, made for the sizes of one call.

    Attributes:
        cuts: the plan; None before the first call of a dynamic model. It has no candidates if none
            pays off by `bound/cut_bound.py`.
        least: the least work of a call for the kernels of the plan; None: they take all calls.
    """

    def __init__(
        self,
        source: Source,
        inputs: tuple[TensorSpec, ...],
        outputs: tuple[TensorSpec, ...],
        settings: Settings,
        ctx: ToolContext,
        key: str | None = None,
        ahead: ModelAhead | None = None,
    ) -> None:
        """`key` names the program in the cache on disk; None: it is not kept. See `program_of`."""
        self._source, self._key, self._ctx = source, key, ctx
        self._inputs, self._outputs = inputs, outputs
        self._asked = settings
        self._every = settings.mark_skipped == "none"
        self._is_free = settings.chosen_cuts is None and not self._every
        self._has_forced = forces_inside(settings.force_impl)
        self._settings = replace(settings, mark_skipped="none")
        self._refused = NO_KERNEL
        self._bound_for: Shapes | None = None
        self.cuts: Cuts | None = None
        self.least: LeastWork | None = None
        self._lines: tuple[str, ...] | None = None
        self._begun: PlannedImport | None = None  # for the first plan
        self._one = OneSession(source, inputs, outputs, self._settings, ctx, ahead)
        self._growing = Growing(source, inputs)

    def _may_pay(self, shapes: Shapes, prepared: PreparedModel | None = None) -> bool:
        settings, prepared = self._settings, prepared or self._source.prepared
        lanes, costs = machine(settings.target).lanes, engine_of(settings.target, settings.tune)
        return may_pay(prepared, shapes, settings.threads, costs, lanes)

    @property
    def lines(self) -> tuple[str, ...]:
        """A line for each candidate of the plan, which is made now if the bound has decided."""
        if self._lines is None and self._bound_for is not None:
            self.lines_for(self._bound_for)
        return (*(self._lines or ()), *self._one.lines)

    def lines_for(self, shapes: Shapes) -> tuple[str, ...]:
        """A line for each candidate of a call with inputs of `shapes`."""
        with COMPILING:
            self._planned(shapes)
            self._source.release()
            return self._lines or ()

    def _planned(self, shapes: Shapes, begun: PlannedImport | None = None) -> Cuts | None:
        """The plan for these shapes, of an import that may be `begun`; None if later calls decide.

        This is the case if a size is 0, or if the shapes do not fit the symbols (one of two sizes
        assumed to be equal is 1) and no kernel would pay off for others.
        """
        names = [spec.name for spec in self._inputs]
        prepared = self._source.prepared
        if begun is None or begun.prepared is not prepared:
            begun = PlannedImport(prepared, Numbering())
        try:
            imported = begun.finished()
        except CompileError as error:
            return self._one_for(str(error))
        except UndecidedError as error:
            return self._one_for(reason_of(error))
        template = begun.numbering.template(prepared.inferred, names)
        if (hints := template.sizes(shapes)) is None:
            return None
        settings, smaller = self._settings, halved(shapes, self._inputs)
        cuts = plan_cuts(
            imported,
            settings.target,
            settings.threads,
            hints,
            tune=settings.tune,
            every=self._every,
            chosen=settings.chosen_cuts,
            smaller=[*takewhile(bool, (template.sizes(s) or () for s in smaller))],
        )
        self.least = None
        if cuts.least is not None:
            self.least = named_least(cuts.least, template, (shapes, *smaller), self._inputs)
        self._lines = (
            *candidate_texts(cuts, [n.name for n in prepared.model.graph.node]),
            *(() if self.least is None else (str(self.least),)),
        )
        if cuts.kernels:
            try:
                verify_import(prepared, imported)
            except CompileError as error:
                return self._one_for(str(error))
        elif template.values(shapes) is None:
            return None
        return cuts

    def _expect(self, cuts: Cuts) -> None:
        """Let processes start that will compile a part of the kernels of a plan."""
        kernels = different(cuts.candidates[place] for place in cuts.kernels)
        expect(kernels, self._settings.compile_workers, self._ctx)

    def _one_for(self, reason: str) -> Cuts:
        """The plan of one session for a model that cannot be imported or compiled."""
        self._refused = reason
        return Cuts({}, {}, (), ())

    def _refuse(self, error: Exception) -> NoReturn:
        """Raise the error of ONNX's checker or of onnxruntime for the model, or else `error`."""
        source = self._source
        source.prepared.require_sound()
        model_session(source.session_model, self._settings.threads)
        text = one_line(str(error)) or "no message"
        message = f"the model cannot be compiled: {type(error).__name__}: {text}"
        raise CompileError(message, file=source.prepared.file) from error

    def _has_foreign_nodes(self) -> bool:
        nodes = self._source.prepared.model.graph.node
        return any(node.domain not in ENGINE_DOMAINS and is_mapped(node) for node in nodes)

    def _opaque(self, inside: frozenset[str] = frozenset()) -> tuple[OpaqueOp, ...]:
        """The nodes in no kernel; nodes that compute values of `inside` are in one."""
        reasons: Mapping[int, str] = {} if self.cuts is None else self.cuts.reasons
        return tuple(
            OpaqueOp(f"{n.domain or 'onnx'}.{n.op_type}", n.name, reasons.get(i) or self._why(n))
            for i, n in enumerate(self._source.prepared.model.graph.node)
            if n.op_type != "Constant" and inside.isdisjoint(n.output)
        )

    def _why(self, node: onnx.NodeProto) -> str:
        """Why a node is in no kernel that the plan says nothing about."""
        if (self._bound_for is None and not self._has_forced) or is_mapped(node):
            return self._refused
        if node.domain not in DOMAINS:
            return f"operators of the domain '{node.domain}' are not compiled"
        return f"the operator {node.op_type} is not compiled"


def shares_with_engine(source: Source, settings: Settings) -> bool:
    """Whether kernels and sessions serve all shapes: for ONNX models, unless the caller decides.

    With `mark_skipped="none"` every candidate is a kernel, whether it pays off or not. If the
    caller forces kernels inside the session, the session stays whole.
    """
    return (
        source.model is not None
        and (settings.is_default or forces_inside(settings.force_impl))
        and settings.mark_skipped in ("auto", "none")
        and settings.fallback == "onnxruntime"
        and settings.partitioner == "tokenize"
    )
