"""The cost model's estimate for each candidate kernel, as text and as remarks of the tools.

    model.onnx: remark: engine: 'soft', 'gate' (snippets.elu, snippets.multiply):
        a kernel saves 3.1 us, the cut of the session costs 50.0 us
    part.mlir:10:3: remark: kernel: snippets.add, snippets.sigmoid: a kernel saves ...

A candidate of an ONNX model is named after its nodes, because a model has no lines. A candidate of
a program in MLIR has the location of its first op; there every candidate is a kernel, whether it
pays off or not. There are no remarks for programs without a node that onnxruntime runs, because no
kernel cuts anything in them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import ModuleOp

from snippets_mlir.dialects.onnx.ops import NodeOp
from snippets_mlir.driver.onnx.cuts.engine_cuts import Cuts, plan_cuts
from snippets_mlir.driver.onnx.cuts.texts import candidate_texts, choice_texts
from snippets_mlir.emit.host import body_of, find_entry
from snippets_mlir.frontends.onnx import Imported
from snippets_mlir.support.errors import CompileError

if TYPE_CHECKING:
    from snippets_mlir.driver.settings import Settings
    from snippets_mlir.driver.sources.load import Source

UNKNOWN = 64
"""The size assumed for a dynamic dimension."""


def module_cuts(
    module: ModuleOp,
    entry: str | None,
    target: str,
    threads: int,
    tune: str = "",
    *,
    every: bool = False,
) -> Cuts | None:
    """The candidates of a program in MLIR, which does not change; None if the engine runs nothing.

    A dim `?` counts as `UNKNOWN`. With `every`, the engine does not get the ops that it would fuse.
    """
    try:
        block = body_of(find_entry(module, entry))
    except CompileError:
        return None
    if not any(isinstance(op, NodeOp) for op in block.ops):
        return None
    program = Imported(module, {}, ())
    cuts = plan_cuts(program, target, threads, tune=tune, every=every, unknown=UNKNOWN, entry=entry)
    everyone = frozenset(range(len(cuts.candidates)))
    return Cuts({}, {}, cuts.candidates, everyone, cuts.nodes, cuts.places)


def model_remarks(path: str, target: str, threads: int, tune: str = "") -> Iterator[CompileError]:
    """A remark for each candidate of an ONNX file, whose dynamic dims count as `UNKNOWN`.

    Raises:
        CompileError: it is not a valid model, or the package `onnx` is not installed.
    """
    cuts, names, guessed = _model_cuts(path, target, threads, tune)
    for text in candidate_texts(cuts, names):
        yield CompileError(f"{text}{guessed}", file=path)


def model_choices(path: str, target: str, threads: int, tune: str = "") -> list[str]:
    """`choice_texts` for an ONNX file; sizes and errors are as in `model_remarks`."""
    cuts, names, guessed = _model_cuts(path, target, threads, tune)
    return [f"{text}{guessed}" for text in choice_texts(cuts, names)]


def module_choices(module: ModuleOp, target: str, threads: int, tune: str = "") -> list[str]:
    """`choice_texts` for a program in MLIR; empty if onnxruntime runs nothing."""
    cuts = module_cuts(module, None, target, threads, tune)
    if cuts is None:
        return []
    guessed = f"; a dim ? counts as {UNKNOWN}" if _is_open(module) else ""
    return [f"{text}{guessed}" for text in choice_texts(cuts, ())]


def _model_cuts(path: str, target: str, threads: int, tune: str) -> tuple[Cuts, Sequence[str], str]:
    """The plan of an ONNX file, the names of its nodes, and a note about guessed sizes."""
    from snippets_mlir.driver.onnx.template import Numbering
    from snippets_mlir.frontends.onnx import import_graph, prepare_model

    prepared, numbering = prepare_model(path), Numbering()
    imported = import_graph(prepared, sizes=numbering.number, hashed=False)
    hints = numbering.guesses(prepared.inferred, UNKNOWN)
    cuts = plan_cuts(imported, target, threads, hints, tune=tune)
    names = [node.name for node in prepared.model.graph.node]
    guessed = f"; dynamic dims count as {UNKNOWN}" if hints else ""
    return cuts, names, guessed


def module_remarks(
    module: ModuleOp, target: str, threads: int, tune: str = ""
) -> Iterator[CompileError]:
    """A remark for each candidate of a program in MLIR, at its first op."""
    cuts = module_cuts(module, None, target, threads, tune)
    if cuts is None:
        return
    guessed = f"; a dim ? counts as {UNKNOWN}" if _is_open(module) else ""
    for text, place in zip(candidate_texts(cuts, ()), cuts.places, strict=True):
        yield CompileError(f"{text}{guessed}", **place)


def _is_open(module: ModuleOp) -> bool:
    return "?" in str(find_entry(module, None).function_type)


def lines_of(source: Source, settings: Settings) -> tuple[str, ...]:
    """A line for each candidate of a program in MLIR, or of a model planned by the registry.

    None if the caller decides.
    """
    if source.model is not None and settings.asks_registry:
        return _lines_of_asked(source, settings)
    if source.model is not None or settings.fallback == "error" or not settings.is_default:
        return ()
    if settings.partitioner != "tokenize":
        return ()
    every, machine = settings.mark_skipped == "none", (settings.target, settings.threads)
    cuts = module_cuts(source.module, source.entry, *machine, settings.tune, every=every)
    if cuts is None:
        return ()
    places = [":".join(str(p) for p in place.values() if p is not None) for place in cuts.places]
    texts = candidate_texts(cuts, ())
    return tuple(f"{at}: {text}" if at else text for at, text in zip(places, texts, strict=True))


def _lines_of_asked(source: Source, settings: Settings) -> tuple[str, ...]:
    """A line for each candidate of a model whose steps the registry chooses."""
    from snippets_mlir.driver.interface import interface_of_source
    from snippets_mlir.driver.onnx.asked import asked_model

    if not source.is_dynamic:
        return asked_model(source.prepared, settings).lines
    specs, _ = interface_of_source(source)
    if any(spec.shape is None for spec in specs):
        return ()
    sizes = {s.name: tuple(UNKNOWN if d is None else d for d in s.shape or ()) for s in specs}
    lines = asked_model(source.prepared_for(sizes), settings).lines
    return tuple(f"{line}; dynamic dims count as {UNKNOWN}" for line in lines)
