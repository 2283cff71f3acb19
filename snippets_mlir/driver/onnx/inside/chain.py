"""Nodes of a model that become one kernel inside of a session."""

from __future__ import annotations

from dataclasses import dataclass

import onnx


@dataclass(frozen=True)
class Operands:
    """The operands of one elementwise node.

    Attributes:
        tensors: of the result's shape.
        planes: a number for each channel of each image.
        scalars: constants of one element that are arguments of a kernel.
    """

    tensors: tuple[str, ...]
    planes: tuple[str, ...]
    scalars: tuple[str, ...]


@dataclass(frozen=True)
class Chain:
    """Nodes that become one node.

    Attributes:
        nodes: their positions, in the order of the graph.
        operands: the values that they read from outside.
        result: the value that is read outside.
        pool: the engine's operator on blocked images, if the chain is one such node; empty for a
            chain that becomes a kernel.
        blocked: whether it runs on blocked images.
        vanishing: how many changes of layout it removes; negative if it needs one more.
    """

    nodes: tuple[int, ...]
    operands: Operands
    result: str
    pool: str = ""
    blocked: bool = False
    vanishing: int = 0

    def text(self, graph: onnx.GraphProto) -> str:
        """`Add, Clip, Mul, Div on blocked images, 2 changes of layout less`."""
        names = ", ".join(graph.node[i].op_type for i in self.nodes)
        if not self.blocked or not self.vanishing:
            return f"{names} on blocked images" if self.blocked else names
        changes = "1 change" if self.vanishing == 1 else f"{self.vanishing} changes"
        return f"{names} on blocked images, {changes} of layout less"
