"""Choose the products with a second nest for few rows; `lir_brgemm_few_rows.py` has the rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from xdsl.ir import Block, Operation, SSAValue

from snippets_mlir.analysis.kernels.load_tiles import is_apart, rows_of
from snippets_mlir.dialects.builtin.dims import Size
from snippets_mlir.dialects.lir.access import input_ports, is_array, loop_ids, output_ports
from snippets_mlir.dialects.lir.buffer import BufferOp
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.loops import LoopInfo
from snippets_mlir.dialects.lir.markers import MARKERS, LoopBeginOp, LoopEndOp
from snippets_mlir.dialects.lir.memory import LoadOp, StoreOp
from snippets_mlir.dialects.snippets.internal import FmaOp
from snippets_mlir.passes.lir.lir_jam_loops import planned_jam
from snippets_mlir.passes.lir.loop_copies import loop_body
from snippets_mlir.passes.lir.loop_unrolling import may_leave

SUMS = 8
"""The most vectors of sums of one row: two for each cycle of a multiply-add's latency."""

COPIED_ROWS = 4
"""The least rows for the copy of an operand: fewer passes over it move no more bytes than a copy,
which reads, writes and reads again."""


@dataclass(frozen=True, eq=False)
class FewRows:
    """A product that gets a second nest.

    Attributes:
        columns: the loop over its columns, around its rows.
        rows: the loop over its rows.
        size: the number of all rows.
        bound: the least rows that the first nest takes together: fewer take the second one.
        jam: the vectors of columns that the second nest takes together.
        copy: the load that reads the right operand where it is copied; None if it is not.
        terms: the terms of a tile of a transposed operand; 1 for another one.
        block: the columns of an iteration of the second nest.
    """

    columns: LoopInfo
    rows: LoopInfo
    size: Size
    bound: int
    jam: int
    copy: LoadOp | None
    terms: int
    block: int

    def __str__(self) -> str:
        how = f"{self.jam} vectors of columns at a time"
        if self.copy is not None:
            tile = f"{self.terms} terms a tile" if self.terms > 1 else f"{self.block} columns"
            how = f"the right operand in place, {tile}"
        return f"loop {self.columns.id}: fewer than {self.bound} rows one by one, {how}"


@dataclass(frozen=True)
class Nests:
    """The products of a kernel that get a second nest."""

    made: tuple[FewRows, ...]

    def __str__(self) -> str:
        return "\n".join(map(str, self.made)) or "no product has a nest for few rows"


def copied_from(load: LoadOp) -> LoadOp | None:
    """The load of the operand that `load` reads a copy of; None if it reads no copy."""
    buffer = load.source.owner
    stores = buffer.operands if isinstance(buffer, BufferOp) else ()
    store = stores[0].owner if len(stores) == 1 else None
    source = store.operands[0].owner if isinstance(store, StoreOp) else None
    return source if isinstance(source, LoadOp) and is_array(source.source) else None


def copying_loop(copy: LoadOp) -> int:
    """The outermost loop around a copy in which its buffer does not live."""
    (store,) = (use.operation for use in copy.result.uses)
    (buffer,) = (use.operation for use in store.results[0].uses)
    return loop_ids(copy)[len(loop_ids(buffer))]


def _is_for(copy: LoadOp, copied: SSAValue, nest: Sequence[Operation]) -> bool:
    """Whether the loop of `copy` does nothing else, and only `nest` reads the copied operand."""
    loop, begin = copying_loop(copy), copy.prev_op
    while not isinstance(begin, LoopBeginOp) or begin.id != loop:
        assert begin is not None
        begin = begin.prev_op
    inside = [op for op in loop_body(begin) if op.name not in MARKERS]
    alone = [op.name for op in inside] == [LoadOp.name, StoreOp.name]
    return alone and all(use.operation in nest for use in copied.uses)


def around(op: Operation, table: dict[int, LoopInfo]) -> list[LoopInfo]:
    """The loops around an op."""
    return [table[id_] for id_ in loop_ids(op)]


def _all_rows(rows: LoopInfo, table: dict[int, LoopInfo]) -> Size | None:
    """The number of rows of all blocks, if only the call knows it."""
    while rows.inner_of is not None:
        rows = table[rows.inner_of]
    return rows.work_amount if isinstance(rows.work_amount, Size) else None


def _widest(columns: LoopInfo) -> int:
    """The vectors of columns that one row takes at a time."""
    work = columns.work_amount
    if isinstance(work, Size) or work % columns.increment:
        return 1
    return max(n for n in range(1, SUMS + 1) if work // columns.increment % n == 0)


def _plan(columns: LoopBeginOp, rows: LoopInfo, table: dict[int, LoopInfo]) -> FewRows | None:
    outer, size = table[columns.id], _all_rows(rows, table)
    nest = loop_body(columns)
    products = [op for op in nest if isinstance(op, FmaOp)]
    load = products[0].operands[1].owner if len(products) == 1 else None
    if size is None or not isinstance(load, LoadOp) or rows.id not in loop_ids(load):
        return None
    if any(loop.dim != rows.dim and loop.work_amount == size for loop in around(load, table)):
        return None  # few rows have few columns or terms
    bound = min((rows.jam, *planned_jam(rows, table, one=True).rests))
    copy = copied_from(load)
    if copy is None:
        if not is_array(load.source) or input_ports(load)[0].panels or is_apart(load):
            return None
        jam = _widest(outer)
        made = FewRows(outer, rows, size, bound, jam, None, 1, outer.increment)
        return made if jam > outer.jam else None
    if not _is_for(copy, load.source, nest):
        return None
    if not is_apart(copy):
        bound = max(bound, COPIED_ROWS)
        block = _widest_block(nest, outer, table)
        room = _room(nest, load.source.owner, (rows, outer), table)
        if room is not None and (block == outer.increment or bound * block > room):
            return None
        return FewRows(outer, rows, size, bound, outer.jam, copy, 1, block)
    terms, last = rows_of(copy), table[loop_ids(load)[-1]]
    if terms == 1 or may_leave(last, terms * last.increment, table):
        return None
    return FewRows(outer, rows, size, bound, outer.jam, copy, terms, outer.increment)


def _widest_block(nest: Sequence[Operation], columns: LoopInfo, table: dict[int, LoopInfo]) -> int:
    """The columns of a block that one row takes at a time: of up to `SUMS` vectors, if all loops
    in blocks of the nest have the same vectors.
    """
    inner = [table[op.id] for op in nest[1:] if isinstance(op, LoopBeginOp)]
    blocks = [loop for loop in inner if loop.inner_of == columns.id]
    vectors = {loop.increment for loop in blocks}
    if len(vectors) != 1 or any(loop.work_amount != columns.increment for loop in blocks):
        return columns.increment
    (vector,) = vectors
    jam = _widest(replace(columns, increment=vector))
    jam = jam if 2 * jam >= SUMS else SUMS
    return max(columns.increment, jam * vector)


def _room(
    nest: Sequence[Operation],
    copied: Operation | Block,
    loops: tuple[LoopInfo, LoopInfo],
    table: dict[int, LoopInfo],
) -> int | None:
    """The elements that buffers of results have for blocks of rows; None if there are no buffers.

    0 if the nest cannot give them other blocks.
    """
    buffers = [op for op in nest if isinstance(op, BufferOp) and op is not copied]
    if not buffers:
        return None
    rows, columns = loops
    blocks = None if rows.inner_of is None else table[rows.inner_of]
    if blocks is None or blocks.inner_of is not None or blocks.step is not None:
        return 0
    wanted = [1] * (rows.dim + 1)
    wanted[0], wanted[-1] = blocks.increment, columns.increment
    shapes = [[*output_ports(buffer)[0].shape] for buffer in buffers]
    same = all(shape == wanted for shape in shapes) and rows.dim > 0
    placed = any(buffer.decided("output") is not None for buffer in buffers)
    return blocks.increment * columns.increment if same and not placed else 0


def plan_nests(kernel: KernelOp) -> Iterator[FewRows]:
    """The products of a kernel that get a second nest."""
    table, outer = kernel.loop_table, list[LoopBeginOp]()
    for op in kernel.block.ops:
        if isinstance(op, LoopEndOp):
            outer.pop()
        elif isinstance(op, LoopBeginOp):
            rows = table[op.id]
            if rows.dim != 0 and rows.jam > 1 and not rows.parallel:
                places = [*outer]
                if outer and rows.inner_of == outer[-1].id:  # blocks of rows
                    places.pop()
                made = _plan_in(places, rows, table) if places else None
                if made is not None and (made.copy is not None or places == outer):
                    yield made
            outer.append(op)


def _plan_in(
    places: Sequence[LoopBeginOp], rows: LoopInfo, table: dict[int, LoopInfo]
) -> FewRows | None:
    columns = table[places[-1].id]
    if columns.dim != 0 or columns.inner_of is not None or (columns.parallel and places[1:]):
        return None
    made = _plan(places[-1], rows, table)
    return made if made is None or made.copy is not None or not columns.parallel else None
