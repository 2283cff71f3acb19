"""An ONNX model whose steps the registry selects one by one: `force_impl`, or rows of plug-ins.

    force_impl=["h*:reference"]      plan of the cuts: h0, h1 are in no candidate, gate is a kernel
                                     import:           onnx.node for all that is in no kernel
                                     passes:           program-select-implementations

The plan is made as for every model (`cuts/engine_cuts.py`), with the same costs, plus forced
choices and offers of plug-ins. It needs known sizes: a dynamic program gets a plan for the shapes
of each call, unless kernels compute the whole model. Nodes that it leaves to onnxruntime carry the
reason (`snippets.skipped`), so the pass does not ask other rows about them again. Nodes forced to
run in onnxruntime stay there in the model's form; other forced kinds reach the pass by the names of
ops.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Block

from snippets_mlir.dialects.onnx.ops import NodeOp
from snippets_mlir.dialects.program.host import body_of, find_entry
from snippets_mlir.driver.onnx.cuts.engine_cuts import plan_cuts
from snippets_mlir.driver.onnx.cuts.forced_nodes import forced_nodes, pairs_for
from snippets_mlir.driver.onnx.cuts.rows import ENGINE_KIND, take_engine_nodes
from snippets_mlir.driver.onnx.cuts.texts import candidate_texts
from snippets_mlir.driver.settings import Settings
from snippets_mlir.driver.sources.load import Source
from snippets_mlir.frontends.onnx import Imported, import_graph
from snippets_mlir.frontends.onnx.prepare import PreparedModel
from snippets_mlir.support.attribute_names import SKIPPED
from snippets_mlir.support.errors import CompileError

FORCED = "onnxruntime is forced"


@dataclass(frozen=True)
class Asked:
    """A planned model.

    Attributes:
        module: with `onnx.node` for ops outside of kernels, for the passes.
        settings: the settings for the passes.
        lines: a line for each candidate.
        has_rows: whether plug-ins run a part of it.
    """

    module: ModuleOp
    settings: Settings
    lines: tuple[str, ...]
    has_rows: bool


def asked_model(prepared: PreparedModel, settings: Settings) -> Asked:
    """Plan a model with known sizes, and import it.

    Raises:
        CompileError: the model cannot be imported, or `force_impl` has a pattern without a node.
    """
    nodes, force = prepared.model.graph.node, "|".join(settings.force_impl)
    imported = import_graph(prepared, hashed=False)
    forced = forced_nodes(imported, _block(imported), nodes, force)
    every = settings.mark_skipped == "none"
    kinds = {op: one.kind for op, one in forced.items()}
    target, threads, tune = settings.target, settings.threads, settings.tune
    cuts = plan_cuts(imported, target, threads, tune=tune, every=every, forced=kinds)
    origins = imported.origins
    to_engine = {origins[op] for op in kinds if kinds[op] == ENGINE_KIND and op in origins}
    kept = {**cuts.kept, **dict.fromkeys(to_engine, FORCED)}
    found = import_graph(prepared, kept=kept, verified=False)
    block = _block(found)
    for op, place in found.origins.items():
        if isinstance(op, NodeOp) and place in (cuts.left | to_engine):
            op.attributes[SKIPPED] = StringAttr(kept.get(place, FORCED))
    forced = forced_nodes(found, block, nodes, force)
    pairs = pairs_for(block, {op: one for op, one in forced.items() if one.kind != ENGINE_KIND})
    lines = candidate_texts(cuts, [node.name for node in nodes])
    passes = replace(settings, mark_skipped="none", force_impl=pairs)
    function = find_entry(found.module, None)
    has_rows = bool(cuts.rows) or take_engine_nodes(function, settings.target)
    return Asked(found.module, passes, tuple(lines), has_rows)


def without_idle_rows(source: Source, settings: Settings) -> Settings:
    """The same settings, without rows of plug-ins if these would run no part of a model.

    A model with sizes known only in calls may get code for each call, so its rows stay.
    """
    if source.model is None or settings.force_impl or not settings.asks_registry:
        return settings
    if source.is_dynamic:
        return settings
    try:
        has_rows = asked_model(source.prepared, settings).has_rows
    except CompileError:  # a model that cannot be imported is one session (`programs.py`)
        has_rows = False
    return settings if has_rows else replace(settings, with_rows=False)


def _block(imported: Imported) -> Block:
    return body_of(find_entry(imported.module, None))
