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
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from snippets_mlir.driver.networks.model_nodes import model_nodes
from snippets_mlir.driver.networks.step_times import StepTime

if TYPE_CHECKING:
    from snippets_mlir.driver.programs.tensors import TensorProgram

EXECUTED, OPTIMISED_OUT = "executed", "optimised out"
WHOLE_MODEL = "onnx.model"
"""The name of the step of a program that is one session."""


@dataclass(frozen=True)
class NodeState:
    """A node of the model in a run.

    Attributes:
        node: its name in the model, or for a node without a name, its value's name in the text.
        state: `executed`, `fused into NODE` or `optimised out`.
        step: the step that ran it; None if no step did.
        stream: the number of the stream; None: the caller's thread.
    """

    node: str
    state: str
    step: StepTime | None
    stream: int | None


_KNOWN: WeakKeyDictionary[TensorProgram, Sequence[Sequence[str]]] = WeakKeyDictionary()
"""The names of the nodes of models; reading a model again takes long."""


def _names_in(compiled: TensorProgram) -> Sequence[Sequence[str]]:
    if (names := _KNOWN.get(compiled)) is None:
        names = _KNOWN[compiled] = [node.names for node in model_nodes(compiled.source)]
    return names


def named_steps(
    compiled: TensorProgram, steps: Sequence[tuple[str, ...]]
) -> tuple[list[tuple[str, ...]], list[str]]:
    """The nodes of the steps of one run as the model calls them, and the nodes of no step."""
    left = _Nodes(_names_in(compiled))
    return [left.take(names) or left.known(names) for names in steps], left.names()


def named_rows(compiled: TensorProgram, rows: Sequence[StepTime]) -> tuple[StepTime, ...]:
    """The steps of one run of each stream, with the names that the model has for their nodes."""
    named: dict[StepTime, StepTime] = {}
    for stream in dict.fromkeys(row.stream for row in rows):
        own = [row for row in rows if row.stream == stream]
        nodes, _ = named_steps(compiled, [row.nodes for row in own])
        named |= {row: replace(row, nodes=new) for row, new in zip(own, nodes, strict=True)}
    return tuple(named[row] for row in rows)


def node_states(compiled: TensorProgram, rows: Sequence[StepTime]) -> tuple[NodeState, ...]:
    """The nodes of the model in the runs that `rows` are the steps of, stream by stream.

    First the nodes that steps compute, in the order of the steps, then the others in the model's
    order. A step without a node of the model (a copy, resting threads) is named after its kind.
    """
    found: list[NodeState] = []
    nodes = _names_in(compiled)
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
    """The nodes of a model without a known step of a run so far."""

    def __init__(self, nodes: Sequence[Sequence[str]]) -> None:
        """`nodes` are the names of each; the first is reported."""
        self._left = dict(enumerate(nodes))
        self._first = [names[0] for names in nodes]
        self._called: dict[str, list[int]] = {}
        for number, names in enumerate(nodes):
            for name in dict.fromkeys(names):
                self._called.setdefault(name, []).append(number)

    def take(self, names: Sequence[str]) -> tuple[str, ...]:
        """The nodes that a step computes, which calls them `names`, as the model calls them.

        Each node is taken once: ops created by passes (a scale that goes into a product) are not
        nodes of the model, nor are nodes that a second step computes again. The step of a whole
        model has all nodes.
        """
        if names[:1] == (WHOLE_MODEL,):
            names, self._left = (WHOLE_MODEL, *self.names()), {}
            return tuple(names)
        taken: list[str] = []
        for name in names:
            number = next((n for n in self._called.get(name, ()) if n in self._left), None)
            if number is not None:
                taken.append(self._left.pop(number)[0])
        return tuple(taken)

    def known(self, names: Sequence[str]) -> tuple[str, ...]:
        """The nodes of a step that computes nodes again, as the model calls them."""
        numbers = (self._called.get(name, [None])[0] for name in names)
        return tuple(
            name if number is None else self._first[number]
            for name, number in zip(names, numbers, strict=True)
        )

    def names(self) -> list[str]:
        """The names of the remaining nodes."""
        return [names[0] for names in self._left.values()]
