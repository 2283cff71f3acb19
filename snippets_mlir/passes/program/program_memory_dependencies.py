"""Write for each node result the others that must not share its memory.

    program.graph @main "selected" (%x "x": tensor<4xf32>) {
      %a = program.node "a" (%v = %x) impl<"reference"> : ...
      %b = program.node "b" (%v = %a) impl<"reference"> : ...
      %c = program.node "c" (%v = %b) impl<"reference"> : ...

becomes

    program.graph @main "selected" (%x "x": tensor<4xf32>) attributes {queue = "in-order"} {
      %a = program.node "a" (%v = %x) impl<"reference"> conflicts ["b"] : ...
      %b = program.node "b" (%v = %a) impl<"reference"> conflicts ["a", "c"] : ...
      %c = program.node "c" (%v = %b) impl<"reference"> conflicts ["b"] : ...

Two results conflict unless one is dead before the other is written: every node that reads it, also
through a view, happens before the node that writes the other. An output is read at the end. With
`queue=in-order` nodes run one after another, in text order. With `queue=out-of-order` only a path
of operands orders two nodes, so the graph may be scheduled on several queues, and more results
conflict. The memory of inputs and constants is never written, so they conflict with nothing.

`analysis/memory/happens_before.py` has the rule and its cost. The text grows with the number of
conflicts, which is quadratic in a wide graph on an out-of-order queue. Refuses graphs before stage
`selected`, because passes up to there add and remove nodes.
"""

# No annotations from __future__: xDSL reads the options of passes from these.

from dataclasses import dataclass
from typing import ClassVar, Literal

from typing_extensions import override
from xdsl.dialects.builtin import ArrayAttr, StringAttr

from snippets_mlir.analysis.memory.graph_lives import GraphLives, graph_lives
from snippets_mlir.analysis.memory.happens_before import InOrder, Paths, pairs_of
from snippets_mlir.dialects.program.graph import GraphOp
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.program.graph_passes import GraphPlanPass


@dataclass(frozen=True)
class Dependencies:
    """The conflicts of a graph.

    Attributes:
        queue: `in-order` or `out-of-order`.
        lives: the results, and when they are read.
        paths: the order of steps on an out-of-order queue; None is the order of the text.
        pairs: numbers of results that may not share memory, smaller first.
    """

    queue: str
    lives: GraphLives
    paths: Paths | None
    pairs: tuple[tuple[int, int], ...]

    def __str__(self) -> str:
        count = len(self.lives.ids)
        head = f"{self.queue}: {len(self.pairs)} of {count * (count - 1) // 2} pairs conflict"
        return "\n".join([head, *(self._reason(a, b) for a, b in self.pairs)])

    def _reason(self, a: int, b: int) -> str:
        """Why the earlier value `a` is not dead when `b` is written."""
        ids, lives, steps = self.lives.ids, self.lives.lives, self.lives.step_ids
        writer = lives[b].writer
        last = max(r for r in lives[a].readers if not self._before(r, writer))
        pair = f'"{ids[a]}" and "{ids[b]}": '
        if last == len(steps):
            return f'{pair}"{ids[a]}" is an output'
        if last == lives[a].writer:
            return f'{pair}"{steps[last]}" may write "{ids[a]}" when "{ids[b]}" is written'
        if last == writer:
            return f'{pair}"{steps[last]}" reads "{ids[a]}"'
        how = "may still read" if self.paths else "reads"
        return f'{pair}"{steps[last]}" {how} "{ids[a]}" after "{ids[b]}" is written'

    def _before(self, a: int, b: int) -> bool:
        return a < b if self.paths is None else self.paths.happens_before(a, b)

    def conflicts(self) -> dict[str, ArrayAttr[StringAttr]]:
        """For each result the sorted names of its conflicts.

        A name is one shared attribute, because making one takes 10 microseconds.
        """
        ids = self.lives.ids
        others: list[list[str]] = [[] for _ in ids]
        for a, b in self.pairs:
            others[a].append(ids[b])
            others[b].append(ids[a])
        named = {name: StringAttr(name) for name in ids}
        rows = (ArrayAttr([named[other] for other in sorted(row)]) for row in others)
        return dict(zip(ids, rows, strict=True))


@dataclass(frozen=True)
class ProgramMemoryDependenciesPass(GraphPlanPass[Dependencies]):
    """Write which results of nodes may not share memory."""

    name = "program-memory-dependencies"
    STAGES: ClassVar[Stages] = Stages(("selected",))

    queue: Literal["in-order", "out-of-order"] = "in-order"

    @override
    def plan(self, unit: GraphOp) -> Dependencies:
        lives = graph_lives(unit)
        paths = Paths.of(lives.steps) if self.queue == "out-of-order" else None
        conflicts = InOrder.of(lives.lives) if paths is None else paths.conflicts(lives.lives)
        return Dependencies(self.queue, lives, paths, tuple(pairs_of(conflicts)))

    def carry_out(self, unit: GraphOp, plan: Dependencies) -> None:
        """Write the conflicts and the kind of queue."""
        unit.attributes["queue"] = StringAttr(plan.queue)
        conflicts = plan.conflicts()
        for node in unit.nodes:
            rows = [conflicts[unit.id_of(value)] for value in node.outputs]
            node.properties["conflicts"] = ArrayAttr(rows)
