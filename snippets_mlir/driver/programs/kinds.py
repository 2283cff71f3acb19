"""The program class for a source."""

from __future__ import annotations

from typing import TYPE_CHECKING

from snippets_mlir.driver.cache.program_cache import keep_program
from snippets_mlir.driver.dynamic.template_cache import Templates
from snippets_mlir.driver.interface import check_interface, interface_of_source
from snippets_mlir.driver.onnx.weight_places import require_data
from snippets_mlir.driver.programs.dynamic import DynamicProgram
from snippets_mlir.driver.programs.maker import Maker
from snippets_mlir.driver.programs.origin import Origin
from snippets_mlir.driver.programs.specs import Interface, interface_of_manifest
from snippets_mlir.driver.programs.static import StaticProgram
from snippets_mlir.driver.programs.tensors import TensorProgram
from snippets_mlir.driver.reports.never_held import refuse_never_held
from snippets_mlir.driver.settings import Settings
from snippets_mlir.driver.sources.load import Source
from snippets_mlir.passmanager.context import ToolContext
from snippets_mlir.support.errors import CompileError, depth_of

if TYPE_CHECKING:
    from snippets_mlir.driver.onnx.model_ahead import ModelAhead


def program_of(
    source: Source,
    settings: Settings,
    ctx: ToolContext,
    key: str | None = None,
    ahead: ModelAhead | None = None,
) -> TensorProgram:
    """The program of a source on tensors.

    Args:
        source: the source.
        settings: of the compilation.
        ctx: of dialects and passes.
        key: its name in the cache, if it is kept there.
        ahead: the session of an ONNX model, if it is being opened.
    """
    if source.model is not None:
        require_data(source.prepared)
        if (reason := source.prepared.misfit) is not None:
            raise CompileError(reason)
    if source.model is not None and not _shares(source, settings):
        from snippets_mlir.driver.onnx.whole_model import require_fitting, require_loadable

        require_loadable(source, by_onnx=settings.fallback == "error")
        if source.is_dynamic:
            require_fitting(source)
    if source.model is not None and settings.fallback == "error":
        source = source.for_kernels_alone()
        from snippets_mlir.frontends.onnx.value_inputs import value_inputs

        if names := value_inputs(source.prepared):
            from snippets_mlir.driver.onnx.by_value import ProgramByValue

            return ProgramByValue(Origin(source, settings, ctx), names)
    return tensor_program(source, settings, ctx, key, ahead)


def tensor_program(
    source: Source,
    settings: Settings,
    ctx: ToolContext,
    key: str | None = None,
    ahead: ModelAhead | None = None,
) -> TensorProgram:
    """The static or dynamic program of a source; see `program_of`."""
    if source.model is not None and settings.asks_registry:
        from snippets_mlir.driver.onnx.asked import without_idle_rows

        settings = without_idle_rows(source, settings)
    origin = Origin.of(source, settings, ctx)
    lowered, settings = origin.lowered, origin.settings
    interface = interface_of_source(lowered)
    if settings.fallback == "error" and lowered.is_dynamic:
        refuse_never_held(lowered)
    shares = _shares(lowered, settings)
    if not shares and source.has_external_data:
        key = None  # other files may change while the source does not
    if shares:
        from snippets_mlir.driver.onnx.programs import OnnxPrograms

        maker: Maker = OnnxPrograms(lowered, *interface, settings, ctx, key, ahead)
        if lowered.is_dynamic:
            maker.admit()
    else:
        maker = Templates(lowered, interface[0], settings, ctx, key)
        if lowered.is_dynamic:
            return DynamicProgram(
                interface, settings.threads, lambda: origin, maker, keep=maker.keep
            )
    if lowered.is_dynamic:
        return DynamicProgram(interface, settings.threads, lambda: origin, maker)
    return _static(origin, interface, maker, None if shares else key)


def _shares(source: Source, settings: Settings) -> bool:
    """Whether kernels and onnxruntime share the program; without a model `onnx` is not imported."""
    if source.model is None:
        return False
    from snippets_mlir.driver.onnx.cuts.planned_model import shares_with_engine

    return shares_with_engine(source, settings)


def _static(origin: Origin, interface: Interface, maker: Maker, key: str | None) -> StaticProgram:
    """Compile a program of known sizes, and keep it under the name `key` unless that is None."""
    with depth_of("the program"):
        built = maker.built(None)
        compilations = 0
        if built is None:
            built, compilations = origin.build(None), 1
    if not built.any_shape:
        check_interface(interface_of_manifest(built.program.manifest), interface, None)
    program = StaticProgram(interface, built, origin.asked.threads, lambda: origin, maker)
    program.compilations = compilations
    if key is not None:
        keep_program(key, built, origin.ctx)
    return program
