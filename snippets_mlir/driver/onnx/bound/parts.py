"""Parts of a graph that may become kernels, with upper bounds on their savings."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from snippets_mlir.driver.onnx.bound.graph import components


@dataclass
class Part:
    """Connected nodes, by position, with the sum of their weights."""

    weight: float
    nodes: set[int] = field(default_factory=set[int])


Saved = Mapping[int, float]
"""Upper bounds on the savings in parts of the graph, in nanoseconds, by a node of each part."""


def sum_of_parts(ways: Iterable[Saved]) -> float:
    """Nanoseconds that kernels save in all parts, in all `ways` together."""
    return sum(sum(saved.values()) for saved in ways)


def parts_of(
    group: set[int], weights: Mapping[int, float], beside: Mapping[int, set[int]]
) -> Collection[Part]:
    """The parts of connected nodes of `group` with weights above 0; see the module docstring."""
    above = {i for i in group if weights[i] > 0}
    inside = {i: beside[i] & above for i in above}
    part_of: dict[int, Part] = {}
    for nodes in components(above, inside):
        part = Part(sum(weights[i] for i in nodes), nodes)
        part_of.update(dict.fromkeys(nodes, part))
    below = group - above
    changed = True
    while changed:
        changed = False
        for node in sorted(below):
            parts = {id(p): p for o in beside[node] if (p := part_of.get(o)) is not None}
            if sum(p.weight for p in parts.values()) <= -weights[node]:
                continue
            joined = Part(sum(p.weight for p in parts.values()), {node})
            for part in parts.values():
                joined.nodes |= part.nodes
            part_of.update(dict.fromkeys(joined.nodes, joined))
            below.discard(node)
            changed = True
    return {id(p): p for p in part_of.values()}.values()
