"""Prefetch rows of a matrix that are apart in memory, before a product reads them.

    scf.for %n = 0 to 432 step 48 iter_args(%b = %B, ...) -> (!llvm.ptr, ...) {      // the panels
      scf.for %k = 0 to 64 step 1 iter_args(%p = %b, ...) -> (!llvm.ptr, ...) {
        %x = llvm.load %p : !llvm.ptr -> vector<16xf32>                 // 3 vectors of a row
        ...
        %q = llvm.getelementptr %p[473] : (!llvm.ptr) -> !llvm.ptr, f32 // the next row
        scf.yield %q, ...
      }
      ...
    }

becomes

      scf.for %k = 0 to 64 step 1 iter_args(%p = %b, ...) -> (!llvm.ptr, ...) {
        %a = llvm.getelementptr %p[192] : (!llvm.ptr) -> !llvm.ptr, i8  // the next panel
        llvm.call_intrinsic "llvm.prefetch.p0"(%a, 0, 3, 1)             // to read, into all caches
        ...

A product reads the right operand by panels of a few vectors, from the first row to the last. If the
operand is not copied or packed, each row of a panel is in another place, and the processor's own
prefetchers see a few lines there and then a jump. The next panel is right beside the current one,
and is read some 10 to 100 us later: by then its lines are in the cache. With `ahead=8` the loop
prefetches the row of the current panel that is read 8 iterations later:

        %a = llvm.getelementptr %p[15136] : (!llvm.ptr) -> !llvm.ptr, i8    // 8 rows of 473 f32

This is for processors on which the next panel does not stay in the cache, or for few rows, when
lines would be loaded twice. A prefetch is a hint: it has no result and no fault, so the panel or
the rows after the last one may be beyond the array. Exact.

Fires on an `scf.for` without inner loops, for each pointer such that (A1) the loop loads adjacent
vectors through it, a cache line or more, (A2) an iteration moves it by a constant number of bytes,
more than twice as many, (A3) an outer loop moves it by the loaded bytes to the next panel, and (A4)
the loop walks at least `least` bytes through it; if the last block of a sum may be shorter, this
counts for the other blocks. The default, -1, is the machine's `prefetch_from`, and does nothing if
that is None. (A5) At least two rows use the loaded values: two fused multiply-adds for each vector.
A single row waits for memory in any case, and loses. Packed and copied operands need no prefetch,
because their rows are adjacent. The default of `ahead`, -1, is the machine's `panel_ahead`; 0 asks
for the next panel. Refuses a `least` or an `ahead` below -1. docs/kernel-measurements.md has the
times.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from typing_extensions import override
from xdsl.dialects.arith import MinSIOp, RemUIOp, SubiOp
from xdsl.dialects.builtin import ModuleOp, VectorType
from xdsl.dialects.func import FuncOp
from xdsl.dialects.math import FmaOp
from xdsl.dialects.scf import ForOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from snippets_mlir.dialects.llvm.memory import LoadOp
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.lir_to_vector.align_nontemporal_stores import (
    constant_of,
    size_of,
    step_back,
)
from snippets_mlir.passes.lir_to_vector.cache_lines import LINE, prefetch
from snippets_mlir.passes.lir_to_vector.plain_builder import plain_builder
from snippets_mlir.passes.lir_to_vector.row_walks import move_of, origin_of
from snippets_mlir.passes.patterns import AnyPattern, Pattern, PatternPass
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.walking import ops_of
from snippets_mlir.targets.attributes import machine_of


@dataclass(frozen=True)
class Panel:
    """The reads of a loop from a matrix: vectors of each row.

    Attributes:
        pointer: the index of the loop's pointer through the rows.
        width: bytes of a row of the panel, and so from one panel to the next.
        move: bytes from one row to the next.
    """

    pointer: int
    width: int
    move: int


def loaded_vectors(body: Block) -> dict[int, set[tuple[int, int]]]:
    """For each pointer that `body` carries, the places of loaded vectors and their bytes."""
    found: dict[int, set[tuple[int, int]]] = {}
    for op in body.ops:
        if not isinstance(op, LoadOp) or (value := op.results[0].type).name != VectorType.name:
            continue
        pointer, distance = step_back(op.operands[0])
        if isinstance(pointer, BlockArgument) and pointer.block is body and distance is not None:
            found.setdefault(pointer.index - 1, set()).add((distance, size_of(value)))
    return found


def width_of(vectors: set[tuple[int, int]]) -> int | None:
    """A1: the bytes of adjacent vectors that begin at the pointer."""
    end = 0
    for distance, size in sorted(vectors):
        if distance != end:
            return None
        end += size
    return end if end >= LINE else None


def _goes_on(pointer: SSAValue, width: int) -> bool:
    """A3: whether the innermost outer loop that moves `pointer` moves it by `width` bytes."""
    pointer, _ = origin_of(pointer)
    if not isinstance(pointer, BlockArgument) or pointer.index == 0:
        return False
    around = pointer.block.parent_op()
    if not isinstance(around, ForOp):
        return False
    move = move_of(around, pointer.index - 1)
    return move == width or _goes_on(around.iter_args[pointer.index - 1], width)


def most_of(value: SSAValue) -> int | None:
    """The most that an integer can be: a constant, or a bound by one; None if unknown."""
    if (known := constant_of(value)) is not None:
        return known
    match value.owner:
        case MinSIOp(lhs=lhs, rhs=rhs):
            limits = [most for it in (lhs, rhs) if (most := most_of(it)) is not None]
            return min(limits, default=None)
        case SubiOp(lhs=lhs, rhs=rest) if isinstance(rest.owner, RemUIOp):
            return most_of(lhs)
        case _:
            return None


def trips_of(loop: ForOp) -> int | None:
    """The most iterations of `loop`, which begins at 0; None if that is one or unknown."""
    lower, step, most = constant_of(loop.lb), constant_of(loop.step), most_of(loop.ub)
    if lower != 0 or step is None or most is None or most < 2 * step:
        return None
    return -(-most // step)


def panels_of(loop: ForOp, least: int) -> list[Panel]:
    """The panels that `loop` reads (A1 to A5)."""
    body, rows = loop.body.block, trips_of(loop)
    ops = ops_of(body)
    if rows is None or any([op.regions for op in ops]):
        return []
    products = sum([op.name == FmaOp.name for op in ops])
    found: list[Panel] = []
    for pointer, vectors in loaded_vectors(body).items():
        width, move = width_of(vectors), move_of(loop, pointer)
        if width is None or move is None or move <= 2 * width or products < 2 * len(vectors):
            continue
        if rows * move >= least and _goes_on(loop.iter_args[pointer], width):
            found.append(Panel(pointer, width, move))
    return found


class NextPanel(Pattern[ForOp, list[Panel]]):
    """The loop over the rows of a panel prefetches a row of the next one, or a later row."""

    name = "next-panel"
    ops = (ForOp,)

    def __init__(self, entry: Block, least: int, ahead: int) -> None:
        self.entry = entry
        self.least = least
        self.ahead = ahead

    @override
    def match(self, op: ForOp) -> list[Panel] | None:
        return panels_of(op, self.least) or None

    def rewrite(self, op: ForOp, match: list[Panel], rewriter: PatternRewriter) -> None:
        """Put the prefetches into the loop; constants go to the front of the function."""
        builder = plain_builder(self.entry)
        for panel in match:
            pointer = op.body.block.args[1 + panel.pointer]
            lines = -(-panel.width // LINE)
            distance = panel.move * self.ahead or panel.width
            prefetch(builder, op, lambda _, it=pointer: it, distance, lines)


@dataclass(frozen=True)
class PrefetchPanelsPass(PatternPass):
    """Prefetch rows of a matrix that are apart in memory, before a product reads them.

    Attributes:
        least: the least bytes of a panel's rows, from the first to the last, for prefetches; -1 for
            the machine's.
        ahead: the number of rows between the prefetch of a row and its read; 0 for the rows of the
            next panel, -1 for the machine's.
    """

    name = "prefetch-panels"
    STAGES: ClassVar[Stages] = Stages(("vector",))
    KERNELS_APART: ClassVar[bool] = True
    MIXES_CLASSES: ClassVar[bool] = False
    PATTERNS = (NextPanel,)

    least: int = -1
    ahead: int = -1

    def sweeps(self, module: ModuleOp) -> Iterator[tuple[Operation, list[AnyPattern]]]:
        """The functions, if the machine gains."""
        if self.least < -1:
            raise CompileError(f"expected bytes, or -1 for the target's, found least={self.least}")
        if self.ahead < -1:
            raise CompileError(f"expected rows, or -1 for the target's, found ahead={self.ahead}")
        machine = machine_of(module)
        least = machine.prefetch_from if self.least == -1 else self.least
        ahead = machine.panel_ahead if self.ahead == -1 else self.ahead
        for function in module.ops if least is not None else ():
            if isinstance(function, FuncOp) and function.body.blocks:
                facts: list[Any] = [function.body.blocks[0], least, ahead]
                yield function, [pattern(*facts) for pattern in self.enabled()]
