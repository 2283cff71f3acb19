"""The program of an ONNX model that kernels and sessions share, for symbolic sizes.

`template.py` computes the symbols for a call, which fills them in: nothing is compiled, parsed or
loaded again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp, UnitAttr

from snippets_mlir.codegen.stubs.objects import OF_CALLS, OF_TEMPLATES
from snippets_mlir.dialects.builtin.size_ranges import set_size_ranges
from snippets_mlir.driver.building.build import Idle, build
from snippets_mlir.driver.building.built import Built
from snippets_mlir.driver.building.lowering import FROM_DATA, has_dynamic_dims
from snippets_mlir.driver.cache.shared_entry import Interface, keep_shared
from snippets_mlir.driver.cache.shared_weights import Weights
from snippets_mlir.driver.cache.stored_shared import filled_program
from snippets_mlir.driver.dynamic.call_classes import CallClasses, Classes
from snippets_mlir.driver.dynamic.size_classes import (
    NOTHING_ASKED,
    asked_keys,
    classes_for,
    ranges_of,
)
from snippets_mlir.driver.dynamic.templates import Shapes
from snippets_mlir.driver.onnx.cuts.engine_cuts import Cuts
from snippets_mlir.driver.onnx.empty_inputs import symbols_that_may_be_zero
from snippets_mlir.driver.onnx.size_formulas import SizeFormulas
from snippets_mlir.driver.onnx.small_calls import LeastWork
from snippets_mlir.driver.onnx.template import Numbering
from snippets_mlir.driver.reports.kernel_entry import OpaqueOp
from snippets_mlir.driver.settings import Settings
from snippets_mlir.driver.sources.load import Source
from snippets_mlir.driver.workers.apart import Later
from snippets_mlir.emit.manifest import SESSIONS_ALONE
from snippets_mlir.frontends.onnx import import_graph
from snippets_mlir.frontends.onnx.prepare import PreparedModel
from snippets_mlir.passmanager.context import ToolContext
from snippets_mlir.runtime.arguments.arrays import TensorSpec
from snippets_mlir.runtime.program import Program


@dataclass(frozen=True)
class SharedProgram:
    """The program of kernels and sessions, for all calls that its template accepts.

    Attributes:
        formulas: compute the symbols for a call.
        classes: the classes of sizes that it was made for (`dynamic/size_classes.py`), of the
            number of keys of attentions alone.
        built: the build.
        kept: the nodes that are in no kernel, by number, and why.
    """

    formulas: SizeFormulas
    classes: CallClasses
    built: Built
    kept: Mapping[int, str]

    def other_classes(self, shapes: Shapes) -> Classes | None:
        """The classes of a call that other code suits better; None if this code does."""
        values = self.formulas.values(shapes)
        if values is None or self.classes.suit(values):
            return None
        return self.classes.of(values)

    def filled(self, shapes: Shapes) -> Built | None:
        """The program for a call with inputs of `shapes`; None if it does not accept the call."""
        values = self.formulas.values(shapes)
        return None if values is None else filled_program(self.built, values)

    def symbols(self, shapes: Shapes) -> tuple[Program, list[int]] | None:
        """The template for a call, and its symbols; None: there are no symbols, or no values."""
        values = self.formulas.values(shapes)
        return (self.built.program, values) if values else None

    def module(self, prepared: PreparedModel, shapes: Shapes) -> ModuleOp | None:
        """The module compiled for the model; None for a call that it does not accept."""
        if self.formulas.values(shapes) is None:
            return None
        return imported_again(prepared, self.kept, self.classes.classes)

    def keep(
        self,
        key: str,
        weights: Weights | None,
        source: Source,
        interface: Interface,
        ctx: ToolContext,
        cuts: Sequence[str],
        whole: Sequence[OpaqueOp],
        needs_kernels: bool,
        least: LeastWork | None,
    ) -> None:
        """Write the program down as `key`; see `keep_shared`."""
        keep_shared(
            key,
            weights,
            source.prepared,
            self.built,
            interface,
            self.formulas,
            self.classes,
            ctx,
            entry=source.entry,
            kept=self.kept,
            cuts=cuts,
            whole=whole,
            needs_kernels=needs_kernels,
            least=least,
        )


def imported_again(prepared: PreparedModel, kept: Mapping[int, str], classes: Classes) -> ModuleOp:
    """The module compiled for a model and calls with these classes of sizes."""
    module = import_graph(prepared, sizes=Numbering().number, kept=kept).module
    set_size_ranges(module, ranges_of(asked_keys(module), classes))
    return module


def shared_program(
    source: Source,
    inputs: Sequence[TensorSpec],
    cuts: Cuts,
    settings: Settings,
    ctx: ToolContext,
    later: Later,
    idle: Idle,
    shapes: Shapes,
) -> SharedProgram:
    """Compile the kernels of a model whose nodes were all verified with the plan.

    Args:
        source: the model.
        inputs: its inputs.
        cuts: the plan.
        settings: of the compilation.
        ctx: the passes.
        later: see `build`, as for `idle`.
        idle: is called while LLVM works.
        shapes: those of the inputs of a call.
    """
    numbering, prepared = Numbering(), source.prepared
    module, kept = _imported(prepared, numbering, cuts.kept)
    if not cuts.engine_shares:
        module.attributes[SESSIONS_ALONE] = UnitAttr()
    template = numbering.template(prepared.inferred, [spec.name for spec in inputs])
    values = template.sizes(shapes) if template.formulas else None
    asked = asked_keys(module) if values is not None else NOTHING_ASKED
    classes = classes_for(module, asked, values or [])
    stubs = OF_TEMPLATES if template.formulas else OF_CALLS
    formulas = template.as_data(symbols_that_may_be_zero(module))
    built = build(module, source.entry, settings, ctx, prepared.weights, stubs, later, idle)
    return SharedProgram(formulas, classes, built, kept)


def _imported(
    prepared: PreparedModel, numbering: Numbering, kept: Mapping[int, str]
) -> tuple[ModuleOp, Mapping[int, str]]:
    """The model with these nodes kept, and also nodes that then have a dim of unknown size.

    The results of a kept node have the dims of the inferred shapes. An op may know more, such as a
    sum with one operand of unknown size, and so may its readers.
    """
    while True:
        found = import_graph(
            prepared, sizes=numbering.number, kept=kept, hashed=False, verified=False
        )
        unknown = {
            index: FROM_DATA
            for op, index in found.origins.items()
            if index not in kept and has_dynamic_dims(op)
        }
        if not unknown:
            # The module alone: where ops come from would keep all that the passes make of them.
            return found.module, kept
        kept = {**kept, **unknown}
