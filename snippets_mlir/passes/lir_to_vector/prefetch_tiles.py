"""Prefetch the lines that a product's register tile is stored to, before its sums.

    scf.for %m = 0 to 900 step 4 iter_args(%a = %A, %c = %C) -> (!llvm.ptr, !llvm.ptr) {    // tiles
      %s:12 = scf.for %k = 0 to 120 step 1 iter_args(...) -> (vector<8xf32>, ...) { ... }   // sums
      llvm.store %s#0, %c {alignment = 4 : i64} : vector<8xf32>, !llvm.ptr
      ...                                                       // 3 vectors of each of 4 rows
      %d = llvm.getelementptr %c[16004] : (!llvm.ptr) -> !llvm.ptr, f32
      scf.yield %b, %d : !llvm.ptr, !llvm.ptr
    }

becomes

    scf.for %m = 0 to 900 step 4 iter_args(%a = %A, %c = %C) -> (!llvm.ptr, !llvm.ptr) {
      llvm.call_intrinsic "llvm.prefetch.p0"(%c, 1, 3, 1)          // to write, into all caches
      ...                                                          // 3 lines of each of 4 rows
      %s:12 = scf.for ...

A panel of columns is written from the first row to the last. Rows that are apart are in other lines
and pages, which the processor's own prefetchers do not foresee. A store waits for memory, and later
stores wait for it, because stores become visible in order. If rows begin inside of lines, vectors
cross lines and wait for two. With the prefetch, memory has the time of the tile's sums. A tile with
short sums prefetches a tile further ahead, by `AHEAD` cycles of products. A row of a tile has up to
one more line than its bytes need, because rows may begin anywhere. A prefetch is a hint: it has no
result and no fault, so tiles after the last one may be beyond the array. Exact.

Fires on an `scf.for` that (T1) contains a loop of fused multiply-adds, for each carried pointer
such that (T2) vectors are stored through it after that loop, at constant distances, (T3) an
iteration moves it by a constant number of bytes, more than twice as many as are stored, and (T4)
the loop walks at least `least` bytes through it, if its bounds are known; the default, -1, is the
machine's `tiles_from`, and does nothing if that is None. A loop over columns inside of the loop
over rows stores lines in order, which needs no prefetch. (T5) Sums so short that the prefetch would
be more than `MOST` tiles ahead have none. (T6) The prefetchers do not foresee the next tile's rows
of the left operand either: the loop prefetches the first `BEGIN` lines of each row, if rows have
`ROW` bytes or more, and T4 holds for them. Refuses a `least` below -1. docs/kernel-measurements.md
has the times.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, cast

from typing_extensions import override
from xdsl.dialects.builtin import ModuleOp, VectorType
from xdsl.dialects.func import FuncOp
from xdsl.dialects.math import FmaOp
from xdsl.dialects.scf import ForOp
from xdsl.ir import Block, BlockArgument, Operation
from xdsl.pattern_rewriter import PatternRewriter

from snippets_mlir.dialects.llvm.memory import LoadOp, StoreOp
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.lir_to_vector.align_nontemporal_stores import size_of, step_back
from snippets_mlir.passes.lir_to_vector.cache_lines import LINE, prefetch
from snippets_mlir.passes.lir_to_vector.plain_builder import plain_builder
from snippets_mlir.passes.lir_to_vector.prefetch_panels import most_of, trips_of
from snippets_mlir.passes.lir_to_vector.row_walks import move_of
from snippets_mlir.passes.patterns import AnyPattern, Pattern, PatternPass
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.walking import ops_of
from snippets_mlir.targets.attributes import machine_of
from snippets_mlir.targets.target_machine import TargetMachine

AHEAD = 450
"""Cycles from a prefetch to its line, from memory: 75 steps of a tile of 12 accumulators."""

MOST = 6
"""The most tiles that a prefetch is ahead.

512x8x512 takes 1.12 of the time with 9, 256x16x512 1.01 with 4. `analysis/kernels/result_rows.py`
has an order of loops for fewer terms."""

ROW, BEGIN = 512, 4
"""The least bytes of prefetched rows, and the number of lines of each."""

Piece = tuple[int, int]
"""The begin and end of bytes, from a pointer."""


@dataclass(frozen=True)
class Lines:
    """The prefetches of a loop over tiles.

    Attributes:
        pointer: the index of the loop's pointer.
        distances: bytes from it to the prefetches.
        writes: whether it will be written.
    """

    pointer: int
    distances: tuple[int, ...]
    writes: bool


def products_in(loop: ForOp, known: dict[ForOp, float]) -> float:
    """The products of a loop, infinite for any number of iterations; `known` has other loops."""
    if loop not in known:
        inside = 0.0
        for op in ops_of(loop.body.block):
            if op.name == FmaOp.name:
                inside += 1
            elif op.regions and isinstance(op, ForOp):
                inside += products_in(op, known)
        if inside:
            most = most_of(loop.ub)
            inside *= trips_of(loop) or (1 if most is not None else float("inf"))
        known[loop] = inside
    return known[loop]


def pieces_of(vectors: Iterable[Piece]) -> list[Piece]:
    """The bytes of vectors, with adjacent ones joined."""
    found: list[Piece] = []
    for begin, end in sorted(vectors):
        if found and found[-1][1] >= begin:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((begin, end))
    return found


def places_in(piece: Piece) -> Iterator[int]:
    """Places in all lines that the bytes of `piece` may touch, wherever it begins in a line."""
    begin, end = piece
    yield from range(begin, end, LINE)
    yield end - 1


def _stored(ops: Iterable[Operation], body: Block) -> dict[int, set[Piece]]:
    """T2: for each pointer that `body` carries, the bytes that `ops` store through it."""
    found: dict[int, set[Piece]] = {}
    for op in ops:
        if op.name != StoreOp.name:
            continue
        assert isinstance(op, StoreOp)
        if (value := op.value.type).name != VectorType.name:
            continue
        pointer, begin = step_back(op.ptr)
        if isinstance(pointer, BlockArgument) and pointer.block is body and begin is not None:
            end = begin + size_of(value)
            found.setdefault(pointer.index - 1, set()).add((begin, end))
    return found


def _leads_to(loop: ForOp, index: int, body: Block) -> int | None:
    """The pointer of `body` at which the one that `loop` carries at `index` begins, or None."""
    pointer, distance = step_back(loop.iter_args[index])
    if not isinstance(pointer, BlockArgument) or distance != 0 or pointer.index == 0:
        return None
    if pointer.block is body:
        return pointer.index - 1
    around = pointer.block.parent_op()
    return _leads_to(around, pointer.index - 1, body) if isinstance(around, ForOp) else None


def _broadcast(loop: ForOp, body: Block) -> dict[int, set[int]]:
    """T6: for each pointer that `body` carries, where the sums in `loop` load elements from it."""
    found: dict[int, set[int]] = {}
    for op in ops_of(loop.body.block):
        if op.regions and isinstance(op, ForOp):
            for index, places in _broadcast(op, body).items():
                found.setdefault(index, set()).update(places)
        elif op.name == LoadOp.name and op.results[0].type.name != VectorType.name:
            pointer, distance = step_back(op.operands[0])
            if not isinstance(pointer, BlockArgument) or pointer.block is not loop.body.block:
                continue
            index = _leads_to(loop, pointer.index - 1, body) if pointer.index else None
            if index is not None and distance is not None:
                found.setdefault(index, set()).add(distance)
    return found


def tiles_of(loop: ForOp, least: int, speed: float, known: dict[ForOp, float]) -> list[Lines]:
    """The prefetches of `loop` (T1 to T6); a machine begins `speed` products in a cycle."""
    body = loop.body.block
    ops = ops_of(body)
    loops = {i: products_in(op, known) for i, op in enumerate(ops) if isinstance(op, ForOp)}
    sums = [i for i, products in loops.items() if products]
    cycles = sum(loops.values()) / speed
    tiles = int(AHEAD // (cycles + 1))
    if not sums or tiles > MOST:
        return []
    bounded, trips = most_of(loop.ub) is not None, trips_of(loop) or 1
    found: list[Lines] = []
    for pointer, rows in _broadcast(cast("ForOp", ops[sums[-1]]), body).items():
        move = move_of(loop, pointer)
        if move is None or move < ROW * len(rows) or (bounded and trips * move < least):
            continue
        lines = (row + line * LINE for row in sorted(rows) for line in range(BEGIN))
        found.append(Lines(pointer, tuple(move + line for line in lines), writes=False))
    for pointer, vectors in _stored(ops[sums[-1] + 1 :], body).items():
        move, pieces = move_of(loop, pointer), pieces_of(vectors)
        if move is None or move <= 2 * sum(end - begin for begin, end in pieces):
            continue
        if bounded and trips * move < least:
            continue
        places = (place + tiles * move for piece in pieces for place in places_in(piece))
        found.append(Lines(pointer, tuple(places), writes=True))
    return found


class TileAhead(Pattern[ForOp, list[Lines]]):
    """The loop over tiles prefetches the lines of a tile before it computes its sums."""

    name = "tile-ahead"
    ops = (ForOp,)

    def __init__(self, entry: Block, least: int, speed: float) -> None:
        self.entry, self.least, self.speed = entry, least, speed
        self.products: dict[ForOp, float] = {}

    @override
    def match(self, op: ForOp) -> list[Lines] | None:
        return tiles_of(op, self.least, self.speed, self.products) or None

    def rewrite(self, op: ForOp, match: list[Lines], rewriter: PatternRewriter) -> None:
        """Put the prefetches before the sums; constants go to the front of the function."""
        builder = plain_builder(self.entry)
        for tile in match:
            pointer = op.body.block.args[1 + tile.pointer]
            for distance in reversed(tile.distances):
                prefetch(builder, op, lambda _, it=pointer: it, distance, 1, writes=tile.writes)


@dataclass(frozen=True)
class PrefetchTilesPass(PatternPass):
    """Prefetch the lines that a register tile is stored to.

    Attributes:
        least: the least bytes of the rows of a panel, from the first to the last, for prefetches;
            -1 for the machine's.
    """

    name = "prefetch-tiles"
    STAGES: ClassVar[Stages] = Stages(("vector",))
    KERNELS_APART: ClassVar[bool] = True
    MIXES_CLASSES: ClassVar[bool] = False
    PATTERNS = (TileAhead,)

    least: int = -1

    def sweeps(self, module: ModuleOp) -> Iterator[tuple[Operation, list[AnyPattern]]]:
        """The functions, if the machine gains."""
        if self.least < -1:
            raise CompileError(f"expected bytes, or -1 for the target's, found least={self.least}")
        machine: TargetMachine = machine_of(module)
        least = machine.tiles_from if self.least == -1 else self.least
        for function in module.ops if least is not None else ():
            if isinstance(function, FuncOp) and function.body.blocks:
                facts: list[Any] = [function.body.blocks[0], least, machine.products]
                yield function, [pattern(*facts) for pattern in self.enabled()]
