"""An ONNX model that is one session, with kernels for its chains of elementwise nodes.

    model -> onnxruntime's optimizer -> chains -> kernels -> the optimized model with their nodes

No session is cut: the kernels are operators of the domain `snippets`, which onnxruntime calls with
its own threads. The optimized model is opened without further optimization. It is valid only for
this computer and this version of onnxruntime, which the key of its cache entry names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import onnx

from snippets_mlir.codegen.stubs.objects import OF_OPERATORS, begin_objects
from snippets_mlir.driver.onnx.inside.chains import chains_of
from snippets_mlir.driver.onnx.inside.compiled_chains import compiled_chains
from snippets_mlir.driver.onnx.inside.edits import edit
from snippets_mlir.driver.onnx.inside.forced import check_forced, forced_places
from snippets_mlir.driver.onnx.inside.gains import guessed, times_of
from snippets_mlir.driver.onnx.inside.kernels import ChainKernel
from snippets_mlir.driver.onnx.inside.optimized import optimized
from snippets_mlir.driver.onnx.inside.serialised import serialised
from snippets_mlir.driver.onnx.inside.signatures import Signature
from snippets_mlir.driver.onnx.inside.values import Values
from snippets_mlir.driver.onnx.whole_model import KernelsInside
from snippets_mlir.driver.settings import Settings
from snippets_mlir.driver.workers.apart import Later
from snippets_mlir.driver.workers.in_turn import InTurn
from snippets_mlir.frontends.onnx.prepare import PreparedModel
from snippets_mlir.frontends.onnx.shapes.infer import InferredShapes
from snippets_mlir.passmanager.context import ToolContext
from snippets_mlir.runtime.engine.inside import OperatorData
from snippets_mlir.runtime.engine.operators import supported
from snippets_mlir.targets.engine import engine_of
from snippets_mlir.targets.implementations.offers import stays_whole

NamedShapes = Mapping[str, Sequence[int]]
LARGEST = 64 << 20
"""Larger models, in bytes, are skipped: they would be written and read once more, and weights
dominate their time.
"""

SMALL = 4 << 20
"""onnxruntime may optimize models of up to this many bytes faster than LLVM compiles a stub. So no
stub is begun before it is known whether there will be kernels.
"""


@dataclass(frozen=True)
class Inside:
    """A model with kernels inside.

    Attributes:
        model: the serialised model.
        operators: the operators of its nodes of the domain `snippets`.
        kernels: their code, and an entry for each node.
        chains: the model that the kernels were compiled from, serialised.
        values: the values that chains compute in place of nodes of the model.
        lines: a line for each chain.
    """

    model: bytes
    operators: tuple[OperatorData, ...]
    kernels: KernelsInside
    chains: bytes
    values: frozenset[str]
    lines: tuple[str, ...]


def looks_worthwhile(
    prepared: PreparedModel, shapes: NamedShapes, settings: Settings, saved: float
) -> bool:
    """Whether to look for chains in a model that onnxruntime has optimized.

    Args:
        prepared: the model.
        shapes: its input shapes in a call, by name.
        settings: of the compilation.
        saved: nanoseconds of a call that kernels beside sessions save.
    """
    if supported() is not None or not prepared.takes_at_most(LARGEST):
        return False
    values = Values(prepared.model.graph, prepared.inferred.types)
    sizes = _sizes(prepared.inferred, shapes)
    return stays_whole(
        guessed(values, sizes, settings.threads, engine_of(settings.target, settings.tune)), saved
    )


def _sizes(inferred: InferredShapes, shapes: NamedShapes) -> dict[str, int]:
    """The symbols of a model's shapes in a call; symbols that `shapes` do not determine are
    missing.
    """
    known = {
        symbol: shapes[name][dim]
        for symbol, (name, dim) in inferred.symbols.items()
        if name in shapes and dim < len(shapes[name])
    }
    return inferred.with_defined(known)


def fused(
    source: object,
    prepared: PreparedModel,
    shapes: NamedShapes,
    settings: Settings,
    ctx: ToolContext,
    beside: float = 0.0,
    force: str = "",
) -> Inside | None:
    """The model with kernels inside; None if they do not pay off, or none are made.

    Args:
        source: the model in the form for a session.
        prepared: the same model.
        shapes: of its inputs in the first call, by name.
        settings: of the compilation.
        ctx: dialects and passes.
        beside: nanoseconds of a call that kernels beside sessions save.
        force: pairs `PATTERN:KIND` that select the nodes in chains, whether these pay off or not;
            without pairs the chains that pay off are made.

    Raises:
        CompileError: onnxruntime rejects the model, or a forced node is in no chain.
    """
    with InTurn() as thread:
        if not prepared.takes_at_most(SMALL):
            begin_objects(OF_OPERATORS, thread.begin)
        return _fused(source, prepared, shapes, settings, ctx, beside, force, thread.begin)


def _fused(
    source: object,
    prepared: PreparedModel,
    shapes: NamedShapes,
    settings: Settings,
    ctx: ToolContext,
    beside: float,
    force: str,
    later: Later,
) -> Inside | None:
    raw = optimized(source, prepared)
    model = onnx.ModelProto()
    model.ParseFromString(raw)
    values = Values(model.graph, prepared.certain.types)
    only = forced_places(model.graph, force) if force else None
    if only is not None and not only:
        return None  # later pairs leave all nodes to onnxruntime
    chains, sizes = chains_of(values, only), _sizes(prepared.certain, shapes)
    costs = engine_of(settings.target, settings.tune)
    times = {c: times_of(c, values, sizes, settings.threads, costs) for c in chains}
    saved = sum(found.saved for found in times.values())
    if only is None and (all(c.pool for c in chains) or not stays_whole(saved, beside)):
        return None
    begin_objects(OF_OPERATORS, later)
    made = compiled_chains(model, values, chains, settings, ctx, later)
    if only is not None:
        check_forced(made.chains, model.graph, only)
    elif not made.kernels:
        return None
    operators = [made.operator(chain) for chain in made.chains]
    lines = tuple(
        f"inside the session: {chain.text(model.graph)}: {operator}: {times[chain]}"
        for chain, operator in zip(made.chains, operators, strict=True)
    )
    replaced = frozenset(
        name
        for chain in made.signatures
        for i in chain.nodes
        for name in model.graph.node[i].output
    )
    edit(model, values, made.chains, operators)
    assert made.built.code is not None
    entries = tuple(made.kernels[s].entry for s in made.signatures.values())
    return Inside(
        serialised(model, raw),
        tuple(_operator(made.name(s), s, kernel) for s, kernel in made.kernels.items()),
        KernelsInside(made.built.code, made.built.passes, entries),
        made.source,
        replaced,
        lines,
    )


def _operator(name: str, signature: Signature, kernel: ChainKernel) -> OperatorData:
    first = signature.tensors, signature.tensors + signature.planes
    return {
        "name": name,
        "inputs": len(signature.operands),
        "symbol": kernel.symbol,
        "places": [kernel.operands.index(i) for i in range(len(signature.operands))],
        "domain": [*kernel.domain],
        "grain": kernel.grain,
        "aligned": None if kernel.aligned is None else [*kernel.aligned],
        "inner": max(1, signature.inner),
        "planes": [*range(*first)],
        "scalars": [*range(first[1], len(signature.operands))],
    }
