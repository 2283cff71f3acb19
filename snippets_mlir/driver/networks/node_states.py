"""The state of each node of a model after a run: executed, fused into another node, optimised out.

    %a = snippets.tanh %x             a     executed             kernel subgraph_0, 1.2 us
    %n = snippets.negative %a         n     optimised out
    %m = snippets.negative %n         m     optimised out        the passes found that %m is %a
    %s = snippets.add %m, %a          s     fused into a
    %r = snippets.reshape %s          r     optimised out        a view: nothing runs

The steps of a run name the nodes they compute. A node that no step computes has been optimised out:
it is a view, a constant, equal to another node, or unused. Nodes that a session of onnxruntime
removes are not known; they count as fused into the step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
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
        node: its name in the model; of a node without one, that of its value in the text.
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
        left = _Nodes(nodes)
        for row in rows:
            if row.stream != stream:
                continue
            first, *fused = left.take(row.nodes) or row.nodes[:1] or (row.kind,)
            found.append(NodeState(first, EXECUTED, row, stream))
            found += [NodeState(name, f"fused into {first}", row, stream) for name in fused]
        found += [NodeState(name, OPTIMISED_OUT, None, stream) for name in left.names()]
    return tuple(found)


class _Nodes:
    """The nodes of a model of which no step of a run is known yet."""

    def __init__(self, nodes: Sequence[Sequence[str]]) -> None:
        """`nodes` are the names of each, the first of which is told."""
        self._left = dict(enumerate(nodes))
        self._called: dict[str, list[int]] = {}
        for number, names in enumerate(nodes):
            for name in dict.fromkeys(names):
                self._called.setdefault(name, []).append(number)

    def take(self, names: Sequence[str]) -> tuple[str, ...]:
        """The nodes that a step computes, which calls them `names`, as the model calls them.

        Each is taken once: what passes have made (a scale that goes into a product) is no node of
        the model, nor is what a second step computes again. The step of a whole model has all.
        """
        if names == (WHOLE_MODEL,):
            names, self._left = (WHOLE_MODEL, *self.names()), {}
            return tuple(names)
        taken: list[str] = []
        for name in names:
            number = next((n for n in self._called.get(name, ()) if n in self._left), None)
            if number is not None:
                taken.append(self._left.pop(number)[0])
        return tuple(taken)

    def names(self) -> list[str]:
        """What those that are left are called."""
        return [names[0] for names in self._left.values()]
