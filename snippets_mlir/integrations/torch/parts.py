"""The nodes of an FX graph that become kernel programs.

    x -> mul -> silu -> convolution -> relu -> view      parts: [mul, silu], [relu]

A part is a maximal convex set of nodes that kernels compute: torch's `CapabilityBasedPartitioner`
merges nodes as long as no path leaves the part and returns. Views at the edges stay with torch,
which makes them without moving elements, so that results share memory as in eager torch. A set of
nodes that computes nothing is not a part.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from snippets_mlir.frontends.torch.graph import (
    computes,
    is_view_or_constant,
    keeps_memory,
    shares_memory,
    takes_elements,
    why_not,
)

COMPUTED_FIRST = "snippets_computed_first"
"""A key in the metadata of nodes that belong to a part before all others."""


@dataclass(frozen=True)
class Parts:
    """The decision for one graph.

    Attributes:
        parts: for each kernel program its nodes, in the graph's order.
        reasons: the other calls of ops, and why no kernel computes them.
    """

    parts: tuple[tuple[Any, ...], ...]
    reasons: Mapping[Any, str]


def plan_parts(gm: Any, *, products: bool) -> Parts:
    """The parts of the graph of `gm`, which is not changed."""
    calls = [node for node in gm.graph.nodes if node.op == "call_function"]
    reasons = {node: why_not(node, products=products) for node in calls}
    first = _computed_first(calls, reasons)

    class Support:
        def is_node_supported(self, _modules: object, node: Any) -> bool:
            """Whether a kernel computes the node, together with nodes that are not computed
            first.
            """
            return node in reasons and reasons[node] is None and node not in first

    partitioner = import_module("torch.fx.passes.infra.partitioner").CapabilityBasedPartitioner
    found = partitioner(gm, Support(), allows_single_node_partition=True).propose_partitions()
    place = {node: index for index, node in enumerate(calls)}
    parts: list[tuple[Any, ...]] = [tuple(first)] if first else []
    for partition in found:
        nodes = _without_edges(sorted(partition.nodes, key=lambda node: place[node]))
        if any(map(computes, nodes)):
            parts.append(tuple(nodes))
    held = {node for part in parts for node in part}
    left = {node: reasons[node] or _why_left(node) for node in calls if node not in held}
    return Parts(tuple(sorted(parts, key=lambda part: place[part[0]])), left)


def _computed_first(calls: Iterable[Any], reasons: Mapping[Any, str | None]) -> dict[Any, None]:
    """The marked nodes that kernels compute only from such nodes and inputs of the graph."""
    found: dict[Any, None] = {}
    for node in calls:
        taken = [n for n in node.all_input_nodes if n.op != "placeholder"]
        wanted = COMPUTED_FIRST in node.meta and reasons[node] is None
        if wanted and all(n in found for n in taken):
            found[node] = None
    return found


def _why_left(node: Any) -> str:
    if is_view_or_constant(node):
        return "it only makes a view or a constant for torch"
    return "no kernel computes with its operands"


def _without_edges(nodes: Iterable[Any]) -> list[Any]:
    """`nodes` without the views and constants that others read and that have no node before them.

    Slices are also removed if no op of the part computes with their elements: torch makes them
    without moving elements.
    """
    left = dict.fromkeys(nodes)
    while edges := [node for node in left if _is_edge(node, left)]:
        for node in edges:
            del left[node]
    for node in reversed(list(left)):
        if takes_elements(node) and not _is_computed_with(node, left):
            for view in _views_of(node, left):
                left.pop(view, None)
    return list(left)


def _is_computed_with(node: Any, part: Mapping[Any, None]) -> bool:
    """Whether an op of the part computes with the elements of a view."""
    return any(
        computes(user) or _is_computed_with(user, part) for user in node.users if user in part
    )


def _views_of(node: Any, part: Mapping[Any, None]) -> list[Any]:
    """A view and the views of it in the part."""
    return [node, *(view for u in node.users if u in part for view in _views_of(u, part))]


def _is_edge(node: Any, part: Mapping[Any, None]) -> bool:
    """Whether torch can make a view or constant that others read before the part runs."""
    if not is_view_or_constant(node) or all(user in part for user in node.users):
        return False
    return not any(source in part for source in node.all_input_nodes)


def leave_views(gm: Any, part: Sequence[Any]) -> tuple[Any, ...]:
    """Let torch make the views that are read outside of a part; returns the remaining nodes.

    Such a view shares memory with its source if others also read the source. A single view in the
    same order stays: it is an address.
    """
    nodes = dict.fromkeys(part)
    for node in reversed(part):
        outside = [user for user in node.users if user not in nodes]
        if not outside or not shares_memory(node):
            continue
        (source,) = node.all_input_nodes[:1]
        if len(source.users) > 1 or not keeps_memory(node):
            with gm.graph.inserting_after(node):
                copy = gm.graph.node_copy(node)
            for user in outside:
                user.replace_input_with(node, copy)
            if not node.users:
                del nodes[node]
                gm.graph.erase_node(node)
    return tuple(nodes)
