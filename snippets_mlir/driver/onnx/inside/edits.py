"""The optimized model with a node of domain `snippets` in place of each chain.

    %x = nchwc.ReorderOutput(%c)                 %y.blocked = snippets.k0(%c, 3)
    %0 = Add(%x, 3)                              %d = nchwc.Conv(%y.blocked, ...)
    ...                                          %y = nchwc.ReorderOutput(%y.blocked)
    %y = Div(%2, 6)                        ->    return %y
    %b = nchwc.ReorderInput(%y)
    %d = nchwc.Conv(%b, ...)
    return %y

Changes of layout that have no readers any more are removed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import onnx

from snippets_mlir.driver.onnx.inside.chain import Chain
from snippets_mlir.driver.onnx.inside.values import (
    NCHWC,
    TO_BLOCKED,
    TO_PLAIN,
    Values,
    changes_layout,
)
from snippets_mlir.frontends.onnx.readers import captured_names, graphs_of
from snippets_mlir.runtime.engine.operators import DOMAIN

BLOCKED = ".snippets.blocked"
"""The suffix that makes the name of a blocked value from the plain value's."""


def edit(
    model: onnx.ModelProto, values: Values, chains: Sequence[Chain], names: Sequence[str]
) -> None:
    """Put the nodes of `chains` into an optimized model.

    Args:
        model: the model, which is changed.
        values: the values of its graph.
        chains: in the order of their results.
        names: the operator of each, in the domain `snippets` or, for a pool, in the engine's
            domain.
    """
    graph = model.graph
    channels = _channels(chains, values)
    blocked = {**values.plain, **{c.result: c.result + BLOCKED for c in chains if c.blocked}}
    inside = {place for chain in chains for place in chain.nodes}
    by_last = {c.nodes[-1]: (c, name) for c, name in zip(chains, names, strict=True)}
    renamed: dict[str, str] = {}
    nodes: list[onnx.NodeProto] = []
    for place, node in enumerate(graph.node):
        if place in by_last:
            chain, name = by_last[place]
            nodes.append(_node(chain, name, blocked, node.name))
            if chain.blocked:
                nodes.append(_plain(chain.result, blocked, channels))
        elif place in inside:
            continue
        elif changes_layout(node, TO_BLOCKED) and node.input[0] in blocked:
            renamed[node.output[0]] = blocked[node.input[0]]
        else:
            copy = onnx.NodeProto()
            copy.CopyFrom(node)
            copy.input[:] = [renamed.get(name, name) for name in node.input]
            nodes.append(copy)
    del graph.node[:]
    graph.node.extend(_read_ones(nodes, graph))
    del graph.value_info[:]
    model.opset_import.append(onnx.helper.make_opsetid(DOMAIN, 1))


def _node(chain: Chain, operator: str, blocked: Mapping[str, str], name: str) -> onnx.NodeProto:
    operands = chain.operands
    images = [*operands.tensors, *operands.planes]
    result = chain.result
    if chain.blocked:
        images, result = [blocked[image] for image in images], blocked[result]
    inputs, domain = [*images, *operands.scalars], NCHWC if chain.pool else DOMAIN
    return onnx.helper.make_node(operator, inputs, [result], name=name, domain=domain)


def _plain(result: str, blocked: Mapping[str, str], channels: Mapping[str, int]) -> onnx.NodeProto:
    """The node that reorders the result of a chain from the blocked to the plain layout."""
    name, count = f"{result}.plain", channels[result]
    return onnx.helper.make_node(
        TO_PLAIN, [blocked[result]], [result], name, domain=NCHWC, channels=count
    )


def _channels(chains: Sequence[Chain], values: Values) -> dict[str, int]:
    """The channels of each image that comes out of the blocked layout, or could."""
    found = {name: values.channels(name) for name in values.plain}
    for chain in chains:
        if chain.blocked:
            found[chain.result] = found[chain.operands.tensors[0]]
    return found


def _read_ones(nodes: Sequence[onnx.NodeProto], graph: onnx.GraphProto) -> list[onnx.NodeProto]:
    """The nodes without changes of layout whose result nothing reads."""
    kept: list[onnx.NodeProto] = []
    read = {value.name for value in graph.output}
    for node in reversed(nodes):
        if changes_layout(node, TO_PLAIN) and not read & {*node.output}:
            continue
        read |= _names_read(node)
        kept.append(node)
    return kept[::-1]


def _names_read(node: onnx.NodeProto) -> set[str]:
    """The values that a node and the graphs in it read."""
    return {*node.input, *(name for graph in graphs_of(node) for name in captured_names(graph))}
