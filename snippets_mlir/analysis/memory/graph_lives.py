"""The steps of a `program.graph` and the lives of its results, in the analyses' form."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import SSAValue

from snippets_mlir.analysis.memory.happens_before import Life, Step, lives_of
from snippets_mlir.dialects.program.data import ViewOp
from snippets_mlir.dialects.program.graph import GraphOp
from snippets_mlir.dialects.program.ids import op_id
from snippets_mlir.dialects.program.node import NodeOp


@dataclass(frozen=True)
class GraphLives:
    """What the order of a graph says about the memory of its results.

    Attributes:
        steps: nodes and views in processing order.
        step_ids: their ids.
        values: the results of nodes, which own memory, in order.
        ids: their names.
        lives: their lives; the end is `len(steps)`.
    """

    steps: tuple[Step, ...]
    step_ids: tuple[str, ...]
    values: tuple[SSAValue, ...]
    ids: tuple[str, ...]
    lives: tuple[Life, ...]


def graph_lives(graph: GraphOp) -> GraphLives:
    """The steps and lives of a graph."""
    ops = [op for op in graph.block.ops if isinstance(op, NodeOp | ViewOp)]
    known: dict[SSAValue, int] = {}

    def number(value: SSAValue) -> int:
        return known.setdefault(value, len(known))

    steps = tuple(
        Step(
            tuple(map(number, op.operands)), tuple(map(number, op.results)), isinstance(op, ViewOp)
        )
        for op in ops
    )
    lives = lives_of(steps, [number(value) for value in graph.output.values])
    numbered = list(known)
    values = tuple(numbered[number] for number in lives)
    return GraphLives(
        steps,
        tuple(op_id(op) or "" for op in ops),
        values,
        tuple(map(graph.id_of, values)),
        tuple(lives.values()),
    )
