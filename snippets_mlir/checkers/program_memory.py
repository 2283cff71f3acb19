"""No result of a `program.graph` is overwritten while a node or the caller may still read it.

Claims checked, independently of the passes that plan:

* M1: (planned) of two results whose ranges of the arena share a byte, one is dead before the other
  is written: all nodes that read it, also through views, have ended. A result that nothing reads
  dies with the node that writes it, an output is read at the end;
* M2: if nodes have conflicts, two results are in conflict unless one is dead before the other is
  written. Graphs with more than `MOST` results are not checked for this, only for M1;
* M3: (planned) a result in the memory of an output is that output, itself or through views.

When nodes have ended is recomputed from the text, with the schedule if there is one
(`program_order.py`). Linear in the number of pairs that share bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from xdsl.ir import SSAValue

from snippets_mlir.checkers.program_order import ended_before
from snippets_mlir.dialects.program.attributes import Mem
from snippets_mlir.dialects.program.graph import GraphOp, root_of
from snippets_mlir.dialects.program.node import NodeOp
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError

MOST = 1000
"""Results of a graph whose conflicts are checked: half a million pairs."""


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
        CompileError: at the node that writes over memory; the message starts with the claim.
    """
    ended = ended_before(graph)
    results = _results(graph)
    ids = [node.id.data for node in graph.nodes]
    in_order = graph.queue == "in-order" and graph.schedule is None
    for a, b in _overlapping([r for r in results if r.slot and r.slot.pool == "arena"]):
        if (why := _clash(a, b, ended, ids, in_order)) is not None:
            assert a.slot is not None
            assert b.slot is not None
            raise CompileError(
                f'M1: "{b.name}" {_range(b.slot)} overlaps "{a.name}" {_range(a.slot)} '
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


def _overlapping(results: Sequence[_Result]) -> Iterator[tuple[_Result, _Result]]:
    """Pairs that share a byte of the arena, the one written first in text order first."""
    open_: list[tuple[int, _Result]] = []
    placed = [(r.slot.offset, r.slot.end, r) for r in results if r.slot is not None and r.slot.size]
    for begin, end, result in sorted(placed, key=lambda p: p[:2]):
        open_ = [(stop, other) for stop, other in open_ if stop > begin]
        for _, other in open_:
            yield (other, result) if other.writer <= result.writer else (result, other)
        open_.append((end, result))


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


def _range(slot: Mem) -> str:
    return f"[{slot.offset}, {slot.end})"


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
