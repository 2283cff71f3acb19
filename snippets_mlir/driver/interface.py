"""Arguments and results of a program: the types of its entry after the passes.

The lowered program is their only source. A pass that retypes (`passes/effects.py`) gives the entry
of

    func.func @main(%x: tensor<2x6x5x7xf32>) -> tensor<2x6x5x7xf32>

another interface than the source has, as `snippets-canonicalize-layouts{layouts=NCHW4c}` does:

    func.func @main(%x: tensor<2x2x5x7x4xf32>) -> tensor<2x2x5x7x4xf32>

A static program has the interface that its manifest describes. A program with dynamic dims is
lowered only when it is called, so compilation runs the passes up to the last one that retypes on
`?`. `Front` holds the resulting program: calls are checked against it, and it is compiled for their
shapes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute
from xdsl.passes import ModulePass

from snippets_mlir.dialects.program.host import Entry
from snippets_mlir.driver.building.lowering import TO_LIR, isolate, prepare
from snippets_mlir.driver.programs.specs import Interface, specs_of
from snippets_mlir.driver.replay import passes_until
from snippets_mlir.driver.reports.refusals import refuse_unlowered
from snippets_mlir.driver.settings import Settings
from snippets_mlir.driver.sources.load import Source, verify
from snippets_mlir.emit.host import find_entry, interface_names
from snippets_mlir.emit.manifest import described
from snippets_mlir.passes.effects import effect_of
from snippets_mlir.passmanager.context import ToolContext
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes, spell
from snippets_mlir.passmanager.syntax import read_pipeline
from snippets_mlir.runtime.arguments.arrays import TensorSpec
from snippets_mlir.support.diagnostics import NOWHERE, position_of
from snippets_mlir.support.errors import CompileError


@dataclass(frozen=True)
class Front:
    """The passes that give a program its interface.

    Attributes:
        source: the program after them.
        passes: their text.
        rest: the text of the passes after them.
    """

    source: Source
    passes: str
    rest: str

    @property
    def last(self) -> str:
        """The name of the pass that gave the interface its last change."""
        return self.names[-1]

    @property
    def names(self) -> list[str]:
        """The names of the passes, in pipeline order."""
        return [p.name for p in read_pipeline(self.passes, lambda _: ())]

    def has(self, stage: str) -> bool:
        """Whether the IR at `stage` is between these passes, at which no sizes are known."""
        later = [p.name for p in read_pipeline(self.rest, lambda _: ())]
        return stage == "graph" or (stage in self.names and stage not in later)

    def replayed(self, source: Source, stage: str, ctx: ToolContext) -> ModuleOp:
        """The IR at `stage`; `source` is the program before the passes."""
        module = source.module.clone()
        isolate(module, source.entry)
        passes = parse_pipeline(self.passes, ctx)
        run_passes(module, ctx, passes[: passes_until(stage, self.names)])
        return module


def interface_of(function: Entry) -> Interface:
    """The inputs and outputs of a function on tensors.

    Raises:
        CompileError: a type is neither a tensor nor an ONNX type, or two inputs or outputs have the
            same name.
    """
    inputs, outputs = interface_names(function)
    types = function.function_type
    named = zip(inputs, types.inputs, strict=True), zip(outputs, types.outputs, strict=True)
    return _specs("input", named[0], function), _specs("output", named[1], function)


def interface_of_source(source: Source) -> Interface:
    """The inputs and outputs of a source on tensors; raises as `interface_of` does."""
    inputs, outputs = source.interface
    function = None if source.given is None else source.function
    return _specs("input", inputs, function), _specs("output", outputs, function)


def _specs(
    what: str, named: Iterable[tuple[str, Attribute]], function: Entry | None
) -> tuple[TensorSpec, ...]:
    """Inputs or outputs; an error has the place of the function, which an ONNX model has not."""
    values: list[dict[str, Any]] = []
    for name, type_ in named:
        try:
            values.append({"name": name, **described(type_)})
        except CompileError as error:
            message = f"{what} '{name}': {error.message}"
            place = NOWHERE if function is None else position_of(function)
            raise CompileError(message, **place) from None
    return specs_of(values)


def dynamic_front(source: Source, settings: Settings, ctx: ToolContext) -> Front | None:
    """The front that changes the interface of a program with dynamic dims; None: no change.

    Raises:
        CompileError: a pass or a position does not exist, no pass makes kernels, or the passes
            refuse the program with `?` for its dynamic dims.
    """
    passes = parse_pipeline(settings.passes_for(source.module), ctx)
    names = [p.name for p in passes]
    if TO_LIR not in names and not ctx.plugin_passes:
        refuse_unlowered(source.function, asked=True)
    graph = passes[: names.index(TO_LIR)] if TO_LIR in names else passes
    while graph and effect_of(graph[-1]).kind != "retypes":
        graph.pop()
    return _front(source, passes, len(graph), ctx) if graph else None


def reference_source(
    source: Source, passes: str, interface: Interface, ctx: ToolContext
) -> tuple[Source, str | None]:
    """The program that a static program with `interface` is compared with.

    It is the source. If a pass gave the entry other types, it is the result of the last such pass,
    together with the name of that pass.
    """
    if interface_of(source.function) == interface:
        return source, None
    pipeline = parse_pipeline(passes, ctx)
    front = _front(source, pipeline, len(pipeline), ctx)
    if front is None:
        return source, None
    return front.source, front.last


def _front(
    source: Source, passes: Sequence[ModulePass], most: int, ctx: ToolContext
) -> Front | None:
    """The program after the last of the first `most` passes that changes its interface."""
    module = source.module.clone()
    (isolate if source.is_dynamic else prepare)(module, source.entry)
    known = interface_of(source.function)
    count, last = 0, 0
    left = module

    def after(_: ModulePass, module: ModuleOp) -> None:
        nonlocal known, count, last, left
        count += 1
        if (now := interface_of(find_entry(module, source.entry))) != known:
            known, last, left = now, count, module.clone()

    run_passes(module, ctx, passes[:most], after=after)
    if not last:
        return None
    verify(left)
    retyped = Source(left, source.entry, source.name)
    return Front(retyped, spell(passes[:last]), spell(passes[last:]))


def check_interface(
    found: Interface, interface: Interface, shapes: Sequence[Sequence[int]] | None
) -> None:
    """`CompileError` unless a lowered program matches the announced interface.

    Args:
        found: the inputs and outputs of the lowered program.
        interface: the announced interface.
        shapes: of the inputs of the call that it was lowered for; None for a static program.
    """
    inputs, outputs = found
    if shapes is None:
        for spec in inputs:
            if None in (spec.shape or ()):
                raise CompileError(
                    f"the passes give input {spec.name!r} dynamic dims ({spec}), which the source "
                    "does not have; give it dynamic dims in the source"
                )
        return
    told = [
        spec if spec.is_any else TensorSpec(spec.name, tuple(shape), spec.dtype)
        for spec, shape in zip(interface[0], shapes, strict=True)
    ]
    # Sizes of outputs follow from those of the inputs, and are allocated as the manifest says.
    same = len(outputs) == len(interface[1]) and all(map(_fits, outputs, interface[1]))
    if list(inputs) != told or not same:
        raise CompileError(
            f"the passes turn ({_text(told)}) -> ({_text(interface[1])}) into "
            f"({_text(inputs)}) -> ({_text(outputs)}); a program with dynamic dims can be called "
            "with types that passes give it where they stand before convert-snippets-to-lir and "
            "declare it (EFFECT = RETYPES)"
        )


def _fits(found: TensorSpec, told: TensorSpec) -> bool:
    """Whether an output matches the announced interface, apart from its sizes."""
    return found.name == told.name and (told.is_any or found.dtype == told.dtype)


def _text(specs: Iterable[TensorSpec]) -> str:
    return ", ".join(map(str, specs))
