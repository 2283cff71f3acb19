"""The candidates of a model that rows of plug-ins would run in place of kernels.

    candidates           Elu+Mul   Tanh
    row `mine`, 900 ns   fits      refuses        the kernel of Elu+Mul would take 2 us
    takers               mine

Each candidate becomes the node that `program-select-implementations` will later decide about, and
the rows of the registry make the same offers for it. So the plan of the cuts and the pass agree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Block, Operation, Region

from snippets_mlir.analysis.cost import Model
from snippets_mlir.analysis.engine.costs import Estimate
from snippets_mlir.analysis.engine.fusions import broken_by
from snippets_mlir.dialects.onnx.ops import NodeOp as OnnxNodeOp
from snippets_mlir.dialects.program.graph import GraphOp, OutputOp
from snippets_mlir.dialects.program.host import Entry, body_of
from snippets_mlir.dialects.program.node import NodeOp
from snippets_mlir.passes.building.left_out import KERNEL
from snippets_mlir.passes.building.names import base_name
from snippets_mlir.passes.graph.tokenize.plan import Token
from snippets_mlir.passes.graph.tokenize.subgraphs import make_subgraph
from snippets_mlir.passes.program.host_nodes import node_of
from snippets_mlir.support.walking import operands_within
from snippets_mlir.targets.attributes import TARGET
from snippets_mlir.targets.implementations import KINDS, has_rows_of_plugins, implementation
from snippets_mlir.targets.implementations.offers import Offer, best_of, offers_of
from snippets_mlir.targets.implementations.registry import GroupTime

ENGINE_KIND = "onnxruntime"
"""The kind of implementation that is a session of onnxruntime."""


def estimate_of(model: Model, ops: Sequence[Operation]) -> Estimate:
    """The times of a candidate in kernels and in onnxruntime, and of its cut."""
    kernel, engine = _estimate_of(KERNEL)(model, ops), _estimate_of(ENGINE_KIND)(model, ops)
    names = tuple(op.name for op in ops)
    lost = tuple(rule.name for rule, _ in broken_by(ops))
    return Estimate(names, engine, kernel, model.cut(ops), lost)


def gain_of(model: Model, ops: Sequence[Operation]) -> float:
    """What the row of kernels saves for a candidate, before the cut."""
    return _estimate_of(ENGINE_KIND)(model, ops) - _estimate_of(KERNEL)(model, ops)


def estimates_beside(model: Model, groups: Sequence[Sequence[Operation]]) -> list[Estimate]:
    """The same rows' times for adjacent candidates that share one cut."""
    kernel, engine, beside = _estimate_of(KERNEL), _estimate_of(ENGINE_KIND), model.beside(groups)
    return [
        Estimate(
            tuple(op.name for op in ops),
            engine(model, ops),
            kernel(model, ops, after_session=follows),
            beside.cut,
        )
        for ops, follows in zip(groups, beside.follows, strict=True)
    ]


def _estimate_of(kind: str) -> GroupTime:
    row = implementation(kind)
    assert row is not None
    assert row.estimate is not None
    return row.estimate


def takers_of(function: Entry, groups: Sequence[Token], target: str) -> Mapping[int, Offer]:
    """The offers of plug-ins that win candidates from kernels, by the place of the candidate.

    Args:
        function: the function of the candidates; it is not changed.
        groups: the candidates.
        target: the name of the target machine.
    """
    if not groups or not has_rows_of_plugins():
        return {}
    offers = (best_of(offers_of(node)) for node in _nodes_of(function, groups, target))
    return {
        place: offer
        for place, offer in enumerate(offers)
        if offer is not None and offer.kind not in KINDS
    }


def _nodes_of(function: Entry, groups: Sequence[Token], target: str) -> list[NodeOp]:
    """A node for each group, each in its own graph, in a module with the target."""
    copy = function.clone()
    copied = dict(zip(body_of(function).ops, body_of(copy).ops, strict=True))
    subgraphs = (make_subgraph([copied[op] for op in group.ops]) for group in groups)
    return [
        _in_graph(base_name(group.ops[-1]), subgraph, target)
        for group, subgraph in zip(groups, subgraphs, strict=True)
    ]


def _in_graph(name: str, op: Operation, target: str) -> NodeOp:
    """A node for an op, which moves into it, alone in a graph of a module with the target."""
    reads = operands_within(op)
    block = Block(arg_types=[v.type for v in reads])
    node = node_of(name, op, dict(zip(reads, block.args, strict=True)))
    names = [name if i == 0 else f"{name}_{i}" for i in range(len(node.outputs))]
    block.add_ops([node, OutputOp(node.outputs, names)])
    inputs = [f"in{i}" for i in range(len(reads))]
    module = ModuleOp([GraphOp("main", "fused", inputs, Region(block))])
    module.attributes[TARGET] = StringAttr(target)
    return node


def take_engine_nodes(function: Entry, target: str) -> bool:
    """Whether rows of plug-ins would run some ONNX node of a function, which is not changed."""
    copy = function.clone()
    ops = [op for op in body_of(copy).ops if isinstance(op, OnnxNodeOp)]
    offers = (best_of(offers_of(_in_graph(base_name(op), op, target))) for op in ops)
    return any(offer is not None and offer.kind not in KINDS for offer in offers)
