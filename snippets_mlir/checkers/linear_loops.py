"""The loops of a `lir.kernel` begin, end and nest according to its loop table.

Claims checked, from stage `looped` on:

* N1: every `lir.loop_end` closes the last opened loop, no loop is open twice or at the end, and a
  loop begins once;
* N2: `lir.loops` of each op names the open loops, outermost first;
* N3: the parts of a split loop follow each other in the order whole, first, unrolled, main, last,
  and their work amounts add up to that of the original loop. There may be several unrolled parts:
  the increment of each divides the one before, or they are 4, 3 and 2 times the loop's and there is
  no other part;
* N4: a loop that runs a block of another one is inside of it, walks the same dim, and its work
  amount is the increment of that loop;
* N5: the values that a loop carries agree between markers in number and types.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NoReturn

from xdsl.ir import Operation

from snippets_mlir.dialects.builtin.dims import format_size
from snippets_mlir.dialects.lir.access import LOOPS, loop_ids
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.loops import LoopInfo, leave_nothing
from snippets_mlir.dialects.lir.markers import LoopBeginOp, LoopEndOp
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError

_ORDER = {"whole": 0, "first": 1, "unrolled": 2, "main": 3, "last": 4}

_VIEWS = ("snippets.reshape", "snippets.slice", "snippets.transpose")


@dataclass(eq=False)
class LoopNode:
    """A loop with its ops and loops, in order of execution."""

    info: LoopInfo
    begin: LoopBeginOp
    items: list[Item] = field(default_factory=list["Item"])

    def ops(self) -> Iterator[Operation]:
        """All ops inside the loop in execution order, without markers."""
        for item in self.items:
            if isinstance(item, LoopNode):
                yield from item.ops()
            else:
                yield item


Item = LoopNode | Operation


def fail(op: Operation, claim: str, message: str) -> NoReturn:
    """Raise the finding that `claim` does not hold at `op`."""
    raise CompileError(f"{claim}: {message}", **position_of(op))


def loop_nodes(kernel: KernelOp) -> list[Item]:
    """The ops of `kernel` as a tree; CompileError if N1, N2 or N5 does not hold."""
    table = kernel.loop_table
    root: list[Item] = []
    path: list[LoopNode] = []
    begun: set[int] = set()
    for op in kernel.block.ops:
        here = path[-1].items if path else root
        if isinstance(op, LoopBeginOp):
            if op.id in begun or op.id not in table:
                fail(op, "N1", f"expected loop {op.id} to be in the table and to begin once")
            begun.add(op.id)
            node = LoopNode(table[op.id], op)
            here.append(node)
            path.append(node)
        elif isinstance(op, LoopEndOp):
            if not path or path[-1].info.id != op.id:
                found = path[-1].info.id if path else "none"
                fail(op, "N1", f"expected the end of the loop opened last, {found}; found {op.id}")
            _check_carried(path.pop(), op)
        else:
            around = tuple(node.info.id for node in path)
            if LOOPS in op.attributes and loop_ids(op) != around:
                fail(
                    op,
                    "N2",
                    f"expected {op.name} to name the open loops {list(around)} in `lir.loops`, "
                    f"found {list(loop_ids(op))}",
                )
            here.append(op)
    if path:
        fail(path[-1].begin, "N1", f"expected an end of loop {path[-1].info.id}, found none")
    return root


def _check_carried(node: LoopNode, end: LoopEndOp) -> None:
    begin = node.begin
    lists = (begin.carried, begin.values, end.carried, end.values)
    if len({tuple(v.type for v in values) for values in lists}) != 1:
        fail(end, "N5", f"expected the markers of loop {node.info.id} to carry the same values")


def verify_loops(kernel: KernelOp, items: Sequence[Item]) -> None:
    """Check N3 and N4 on a kernel at stage `looped` or later; `items` are from `loop_nodes`.

    Raises:
        CompileError: at the first op that breaks one; the message starts with the claim.
    """
    _check_level(kernel, items, [])


def _check_level(kernel: KernelOp, items: Sequence[Item], path: list[LoopInfo]) -> None:
    nodes = [item for item in items if isinstance(item, LoopNode)]
    for node in nodes:
        _check_block(node, path)
        _check_level(kernel, node.items, [*path, node.info])
    for group in sibling_parts(items):
        _check_parts(kernel, group)


def sibling_parts(items: Sequence[Item]) -> list[list[LoopNode]]:
    """The loops among `items`; consecutive parts of one loop are in one list."""
    groups: list[list[LoopNode]] = []
    previous: Item | None = None
    for item in items:
        if isinstance(item, LoopNode):
            info = item.info
            joined = (
                isinstance(previous, LoopNode)
                and info.iteration != "unified"
                and previous.info.iteration != "unified"
                and previous.info.unified_id == info.unified_id
            )
            if joined:
                groups[-1].append(item)
            else:
                groups.append([item])
            previous = item
        elif LOOPS in item.attributes and item.results and not _stands_aside(item):
            previous = item
    return groups


def _stands_aside(op: Operation) -> bool:
    """Whether `op` is not executed in its place: immediates, buffers and views."""
    return op.name in ("snippets.scalar", "lir.buffer") or op.name in _VIEWS


def _check_parts(kernel: KernelOp, group: Sequence[LoopNode]) -> None:
    info = group[0].info
    if info.iteration == "unified":
        return
    origin = kernel.loop_table.get(info.unified_id)
    kinds = [_ORDER[node.info.iteration] for node in group]
    unrolled = [node.info.increment for node in group if node.info.iteration == "unrolled"]
    again = max(len(unrolled) - 1, 0)
    smaller = all(a > b and a % b == 0 for a, b in pairwise(unrolled))
    smaller |= leave_nothing([node.info for node in group])
    in_order = kinds == sorted(kinds) and len(kinds) == len(set(kinds)) + again
    if origin is None or not in_order or not smaller:
        fail(
            group[0].begin,
            "N3",
            f"expected the parts of loop {info.unified_id} in the order {', '.join(_ORDER)}, "
            f"found {[node.info.iteration for node in group]}",
        )
    total = sum(node.info.work_amount for node in group)
    if total != origin.work_amount:
        fail(
            group[0].begin,
            "N3",
            f"expected the parts of loop {origin.id} to have its work amount "
            f"{format_size(origin.work_amount)} together, found {format_size(total)}",
        )


def _check_block(node: LoopNode, path: Sequence[LoopInfo]) -> None:
    info = node.info
    if info.inner_of is None:
        return
    outer = next((loop for loop in path if loop.id == info.inner_of), None)
    whole = info.work_amount if info.iteration == "unified" else None
    if outer is None or outer.dim != info.dim or whole not in (None, outer.increment):
        found = "none" if outer is None else f"one of increment {format_size(outer.increment)}"
        fail(
            node.begin,
            "N4",
            f"expected loop {info.id}, of work amount {format_size(info.work_amount)}, inside "
            f"of loop "
            f"{info.inner_of} with that increment, over the same dim; found {found}",
        )
