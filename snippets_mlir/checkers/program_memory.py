"""No result of a `program.graph` is overwritten while a node or the caller may still read it.

Claims checked, independently of the passes that plan:

* M1: (planned) if the arena ranges of two results share a byte, one is dead before the other is
  written: all nodes that read it, also through views, have ended. A result without readers dies
  with the node that writes it, and an output is read at the end;
* M2: if nodes have conflicts, two results conflict unless one is dead before the other is written.
  Graphs with more than `MOST` results are checked only for M1;
* M3: (planned) a result in the memory of an output is that output, directly or through views.

The checker recomputes from the text when nodes have ended, with the schedule if there is one
(`program_order.py`). It checks M1 for consecutive results of a byte, in launch order: if each is
dead before the next one is written, so are all before it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from xdsl.ir import SSAValue

from snippets_mlir.checkers.program_order import ended_before, launch_order
from snippets_mlir.dialects.program.attributes import Mem
from snippets_mlir.dialects.program.graph import GraphOp
from snippets_mlir.dialects.program.ids import root_of
from snippets_mlir.dialects.program.node import NodeOp
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError

MOST = 1000
"""The most results of a graph with a check of conflicts: half a million pairs."""


@dataclass(frozen=True)
class _Result:
    """A result of a node.

    Attributes:
        name: of the value.
        node: the node that writes it.
        writer: its number.
        readers: the numbers of the nodes that read it; the number of nodes is the end.
        slot: its memory, if that is planned.
        conflicts: the names in its text, if there are any.
    """

    name: str
    node: NodeOp
    writer: int
    readers: tuple[int, ...]
    slot: Mem | None
    conflicts: tuple[str, ...] | None


def verify_program_memory(graph: GraphOp) -> None:
    """Check the claims.

    Raises:
        CompileError: at the node that overwrites memory; the message starts with the claim.
    """
    ended = ended_before(graph)
    results = _results(graph)
    ids = [node.id.data for node in graph.nodes]
    in_order = graph.queue == "in-order" and graph.schedule is None
    for a, b in _successors(results, launch_order(graph)):
        if (why := _clash(a, b, ended, ids, in_order)) is not None:
            assert a.slot is not None
            assert b.slot is not None
            raise CompileError(
                f'M1: "{b.name}" {b.slot.range} overlaps "{a.name}" {a.slot.range} '
                f"of the arena: {why}",
                **position_of(b.node),
            )
    listed = [r for r in results if r.conflicts is not None]
    for a, b in combinations(listed, 2) if len(listed) <= MOST else ():
        missing = b.name not in (a.conflicts or ())
        if missing and (why := _clash(a, b, ended, ids, in_order)) is not None:
            raise CompileError(
                f'M2: expected "{b.name}" in the conflicts of "{a.name}": {why}',
                **position_of(a.node),
            )
    _check_outputs(graph, results)


def _results(graph: GraphOp) -> list[_Result]:
    readers: dict[SSAValue, list[int]] = {}
    nodes = graph.nodes
    for number, node in enumerate(nodes):
        for value in node.inputs:
            readers.setdefault(root_of(value), []).append(number)
    for value in graph.output.values:
        readers.setdefault(root_of(value), []).append(len(nodes))
    return [
        _Result(
            graph.id_of(value),
            node,
            number,
            tuple(readers.get(value, (number,))),
            node.slots[index] if node.slots else None,
            node.conflict_ids[index] if node.conflicts is not None else None,
        )
        for number, node in enumerate(nodes)
        for index, value in enumerate(node.outputs)
    ]


def _successors(
    results: Sequence[_Result], order: Sequence[int]
) -> Iterator[tuple[_Result, _Result]]:
    """Pairs of results; the second is the next one in some byte of the first.

    `order` is the place of each node in the text that launches it. `held` are the ranges of the
    arena that are written so far, apart and sorted, each with the result that is there.
    """
    held: list[tuple[int, int, _Result]] = []
    for result in sorted(results, key=lambda r: order[r.writer]):
        slot = result.slot
        if slot is None or slot.pool != "arena" or not slot.size:
            continue
        start = bisect_right(held, slot.offset, key=lambda h: h[1])
        stop = bisect_left(held, slot.end, key=lambda h: h[0])
        over = held[start:stop]
        yield from ((other, result) for _, _, other in over)
        left = [(h[0], slot.offset, h[2]) for h in over[:1] if h[0] < slot.offset]
        right = [(slot.end, h[1], h[2]) for h in over[-1:] if h[1] > slot.end]
        held[start:stop] = [*left, (slot.offset, slot.end, result), *right]


def _clash(
    a: _Result, b: _Result, ended: Sequence[int], ids: Sequence[str], in_order: bool
) -> str | None:
    """Why neither result is dead before the other is written; None if one is."""
    late = [r for r in a.readers if not ended[b.writer] >> r & 1]
    if not late or all(ended[a.writer] >> r & 1 for r in b.readers):
        return None
    last = max(late)
    if last == len(ids):
        return f'"{a.name}" is an output'
    if last == b.writer:
        same = a.writer == b.writer
        return f'"{ids[last]}" writes both' if same else f'"{ids[last]}" reads "{a.name}" meanwhile'
    if in_order:
        return f'"{ids[last]}" reads "{a.name}" after it (order {last} > {b.writer})'
    verb = "write" if last == a.writer else "read"
    return f'"{ids[last]}" may still {verb} "{a.name}"'


def _check_outputs(graph: GraphOp, results: Sequence[_Result]) -> None:
    names = [graph.id_of(root_of(value)) for value in graph.output.values]
    for result in results:
        if result.slot is not None and result.slot.pool == "output":
            index = result.slot.offset
            if names[index] != result.name:
                raise CompileError(
                    f'M3: "{result.name}" is in the memory of output '
                    f'"{graph.output.output_names[index]}", which is "{names[index]}"',
                    **position_of(result.node),
                )
