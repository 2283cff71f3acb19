"""What became of each node of a model in a run: executed, fused into another one, optimised out.

    %a = snippets.tanh %x             a     executed             kernel subgraph_0, 1.2 us
    %n = snippets.negative %a         n     optimised out
    %m = snippets.negative %n         m     optimised out        the passes found that %m is %a
    %s = snippets.add %m, %a          s     fused into a
    %r = snippets.reshape %s          r     optimised out        a view: nothing runs

The steps of a run say which nodes they compute. A node that no step computes has been optimised
out: it is a view, a constant, the same as another one, or nothing needs it. What a session of
onnxruntime leaves out of its own nodes is not known; they are fused into the step.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from snippets_mlir.driver.networks.model_nodes import model_nodes
from snippets_mlir.driver.networks.step_times import StepTime

if TYPE_CHECKING:
    from snippets_mlir.driver.programs.tensors import TensorProgram

EXECUTED, OPTIMISED_OUT = "executed", "optimised out"
WHOLE_MODEL = "onnx.model"
"""What the step of a program calls itself that is one session."""


@dataclass(frozen=True)
class NodeState:
    """A node of the model in a run.

    Attributes:
        node: its name, as in `StepTime.nodes`.
        state: `executed`, `fused into NODE` or `optimised out`.
        step: what ran it; None if nothing did.
        stream: the number of the stream; None: the caller's thread.
    """

    node: str
    state: str
    step: StepTime | None
    stream: int | None


def node_states(compiled: TensorProgram, rows: Sequence[StepTime]) -> tuple[NodeState, ...]:
    """The nodes of the model in the runs that `rows` are the steps of, stream by stream.

    First those that steps compute, in the order of the steps, then the others in that of the model.
    A step of no node of the model (a copy, threads that rest) is called like its kind.
    """
    found: list[NodeState] = []
    nodes = [node.names for node in model_nodes(compiled.source)]
    for stream in dict.fromkeys(row.stream for row in rows):
        steps = [_with_nodes(row, nodes) for row in rows if row.stream == stream]
        for row in steps:
            first, *fused = row.nodes or (row.kind,)
            found.append(NodeState(first, EXECUTED, row, stream))
            found += [NodeState(name, f"fused into {first}", row, stream) for name in fused]
        left = _left_out(nodes, [name for row in steps for name in row.nodes])
        found += [NodeState(name, OPTIMISED_OUT, None, stream) for name in left]
    return tuple(found)


def _with_nodes(row: StepTime, nodes: Sequence[Collection[str]]) -> StepTime:
    """The step of a whole model computes all of its nodes."""
    if row.nodes != (WHOLE_MODEL,):
        return row
    return replace(row, nodes=(WHOLE_MODEL, *(next(iter(names)) for names in nodes)))


def _left_out(nodes: Sequence[Collection[str]], computed: Sequence[str]) -> Iterator[str]:
    """The nodes that are none of those which steps compute; a name may be that of several."""
    counts = Counter(computed)
    for names in nodes:
        known = next((name for name in names if counts[name] > 0), None)
        if known is None:
            yield next(iter(names))
        else:
            counts[known] -= 1
