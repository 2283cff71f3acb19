"""The indexed forward graph of operator fusion, as plain data.

A node is a value or op that fusion decides about. Its edges lead to its consumers, one for each
use, and carry the pattern kind of the use. An `extern` node also has readers outside of the fusible
part: it is never absorbed, and can only be the last node of a group. Source: TVM's FuseOps;
`fusion_graph_of` builds the graph of a block.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from xdsl.ir import Operation, SSAValue

from snippets_mlir.dialects.snippets.pattern_kinds import PatternKind


class Role(StrEnum):
    """What a node is, for the counting of arguments."""

    VAR = "var"
    CONSTANT = "constant"
    CALL = "call"
    TUPLE = "tuple"
    GET = "get"


@dataclass(frozen=True)
class Edge:
    """A use of a node: the index of the consumer, and the kind of the use."""

    consumer: int
    pattern: PatternKind


@dataclass(eq=False)
class Node:
    """One node.

    Attributes:
        index: its place in the order of the rules.
        pattern: its kind.
        role: what it is.
        label: its name in listings.
        ref: the op, or the value of a `var`; None for the tuple that a function returns.
        is_extern: whether it is read from outside of the fusible part.
        outputs: its uses.
        inputs: the nodes it uses, from left to right, one for each use.
        argument_count: how many arguments it has at first when arguments are limited.
        dynamic_dims: the number of dynamic dims of its result, 0 if that is not a single tensor.
    """

    index: int
    pattern: PatternKind
    role: Role = Role.CALL
    label: str = ""
    ref: Operation | SSAValue | None = None
    is_extern: bool = False
    outputs: list[Edge] = field(default_factory=list[Edge])
    inputs: list[int] = field(default_factory=list[int])
    argument_count: int = 0
    dynamic_dims: int = 0


class FusionGraph:
    """The nodes in index order; consumers have higher indices than their inputs."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []

    def add_node(
        self,
        pattern: PatternKind,
        *,
        role: Role = Role.CALL,
        label: str = "",
        ref: Operation | SSAValue | None = None,
        is_extern: bool = False,
    ) -> Node:
        """Append a node; its index is the number of nodes before it."""
        node = Node(len(self.nodes), pattern, role, label, ref, is_extern)
        self.nodes.append(node)
        return node

    def add_edge(self, producer: Node, consumer: Node, pattern: PatternKind) -> None:
        """A use of `producer` by `consumer`, which comes later."""
        assert producer.index < consumer.index, "the order of a fusion graph is topological"
        producer.outputs.append(Edge(consumer.index, pattern))
        consumer.inputs.append(producer.index)


def describe_graph(graph: FusionGraph) -> Sequence[str]:
    """One line for each node: index, label, kind, whether it is extern, and its uses."""
    lines: list[str] = []
    for node in graph.nodes:
        uses = ", ".join(f"{e.consumer} {e.pattern.text}" for e in node.outputs) or "nothing"
        extern = " extern" if node.is_extern else ""
        lines.append(f"node {node.index} {node.label}: {node.pattern.text}{extern} -> {uses}")
    return lines
