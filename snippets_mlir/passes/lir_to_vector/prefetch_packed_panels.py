"""Prefetch the next panel of a packed matrix while the rows use the current one.

    scf.for %n = 0 to 3072 step 48 iter_args(%b = %B, ...) {            // panels of 768 terms
      scf.for %m = 0 to 128 step 8 iter_args(...) {                     // rows
        scf.for %j = 0 to 768 step 128 iter_args(%c = %b, ...) {        // blocks of terms
          scf.for %k = 0 to 128 step 1 iter_args(%p = %c, ...) {        // terms
            %x = llvm.load %p : !llvm.ptr -> vector<16xf32>             // 3 vectors of 16
            ...
            %q = llvm.getelementptr %p[48] : (!llvm.ptr) -> !llvm.ptr, f32
            scf.yield %q, ...

becomes

          %s = arith.muli %m, 1536        // a tile of 8 rows asks for 12288 bytes,
          %t = arith.minsi %s, 135168     // all of them for no more than the next panel
          %u = arith.muli %j, 16
          %v = arith.addi %t, 147456      // bytes of a panel
          %w = arith.addi %u, %v
          %d = llvm.getelementptr %b[%w] : (!llvm.ptr, i64) -> !llvm.ptr, i8
          scf.for %k = 0 to 128 step 1 iter_args(%p = %c, ...) {
            %o = arith.muli %k, 16
            %a = llvm.getelementptr %d[%o] : (!llvm.ptr, i64) -> !llvm.ptr, i8
            llvm.call_intrinsic "llvm.prefetch.p0"(%a, 0, 2, 1)   // to read, from the second cache

The first rows that use a panel read it from memory and wait for it: a tile of 8 rows reads 16 bytes
a cycle. All other rows read it from the second-level cache, and memory is idle. With the prefetches
they read the next panel. Weights of a model do not stay in the caches between calls, so they are
always read from memory. A prefetch is a hint: it has no result and no fault, so the panel after the
last one may be beyond the array. Exact.

Each term prefetches its share of the next panel, divided among all passes over the current one: a
power of two or whole lines, at least `LEAST` bytes. If the number of rows is dynamic, the code
computes the share, up to `MOST`, from the number of whole tiles and one pass for the remaining
rows. The loops over the remaining rows continue where the whole tiles end. A term of 256 bytes and
tiles of 6 rows:

    %p = arith.divui %rows, 6
    %q = arith.addi %p, 1            // passes
    %r = arith.addi %q, 255
    %s = arith.divui %r, %q          // bytes for each of them
    %t = arith.maxsi %s, 8
    %u = arith.minsi %t, 128         // two prefetches, which overlap if less than that will do

Fires on an `scf.for` without inner loops, for each pointer such that (N1) the loop loads adjacent
vectors through it, a cache line or more, and an iteration moves it by the same number of bytes;
(N2) the outer loops, over the blocks of a sum, begin with the pointer of the loop over rows, if
there is one, and that loop has at most `PASSES` passes, a dynamic number, or the remaining rows of
such a loop; (N3) the loop around them moves it by the bytes of all terms, or computes it from the
unit of the domain such that the next unit's is as far, at most `most`: more than one panel has to
fit the second-level cache. The default, -1, is the machine's `packed_to`, and does nothing if that
is 0. (N4) At least two rows use the loaded values. Copied operands need no prefetch, because all
their panels are in one place. Refuses a `most` below -1. docs/kernel-measurements.md has the times.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from typing_extensions import override
from xdsl.dialects.builtin import ModuleOp, i8
from xdsl.dialects.func import FuncOp
from xdsl.dialects.scf import ForOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.lir_to_vector.align_nontemporal_stores import constant_of
from snippets_mlir.passes.lir_to_vector.cache_lines import LINE, prefetch
from snippets_mlir.passes.lir_to_vector.packed_panels import LEAST, Packed, packed_panels
from snippets_mlir.passes.lir_to_vector.plain_builder import plain_builder
from snippets_mlir.passes.patterns import AnyPattern, Pattern, PatternPass
from snippets_mlir.support.errors import CompileError
from snippets_mlir.targets.attributes import machine_of
from snippets_mlir.targets.emitters.vector_builder import VectorBuilder


class NextPacked(Pattern[ForOp, list[Packed]]):
    """The loop over the terms of a packed panel prefetches a part of the next one."""

    name = "next-packed"
    ops = (ForOp,)

    def __init__(self, entry: Block, most: int) -> None:
        self.entry = entry
        self.most = most

    @override
    def match(self, op: ForOp) -> list[Packed] | None:
        return packed_panels(op, self.most) or None

    def rewrite(self, op: ForOp, match: list[Packed], rewriter: PatternRewriter) -> None:
        """Put the addresses before the loop and the prefetches into it."""
        b, step = plain_builder(self.entry), constant_of(op.step) or 1
        for panel in match:
            b.block = Block()
            if (known := panel.ahead) is None:
                asked = _dynamic_part(b, panel)
                rewriter.insert(_taken(b.block), InsertPoint.before(panel.rows[-1]))
                b.block = Block()
                places = _lines(b, panel, _start(b, panel, asked), asked, step)
            else:
                asked = b.index(known)
                places = [(_start(b, panel, asked), -(-known * step // LINE))]
            rewriter.insert(_taken(b.block), InsertPoint.before(op))
            for place, lines in places:

                def address(
                    term: SSAValue, place: SSAValue = place, asked: SSAValue = asked
                ) -> SSAValue:
                    return b.pointer_offset(place, i8, b.op("arith.muli", [term, asked]))

                prefetch(b, op, address, 0, lines, level=2)


def _lines(
    b: VectorBuilder, panel: Packed, start: SSAValue, asked: SSAValue, step: int
) -> list[tuple[SSAValue, int]]:
    """The places where `step` terms prefetch a line each, or two that overlap if less suffices."""
    of_term = [start]
    if panel.most > LINE:
        more = b.op("arith.subi", [asked, b.index(LINE)])
        second = b.op("arith.maxsi", [more, b.index(0)])
        of_term.append(b.pointer_offset(start, i8, second))
    after = [b.op("arith.muli", [asked, b.index(term)]) for term in range(1, step)]
    later = [b.pointer_offset(place, i8, bytes_) for bytes_ in after for place in of_term]
    return [(place, 1) for place in [*of_term, *later]]


def _passes(b: VectorBuilder, rows: ForOp, end: SSAValue) -> SSAValue:
    """The passes of a loop over rows before the row `end`."""
    done = end if constant_of(rows.lb) == 0 else b.op("arith.subi", [end, rows.lb])
    return b.op("arith.divui", [done, rows.step])


def _dynamic_part(b: VectorBuilder, panel: Packed) -> SSAValue:
    """`Packed.ahead` of a dynamic number of rows: whole tiles, and one pass for the remainder."""
    whole = panel.rows[0]
    passes = b.op("arith.addi", [_passes(b, whole, whole.ub), b.index(1)])
    rounded = b.op("arith.addi", [passes, b.index(panel.width - 1)])
    part = b.op("arith.maxsi", [b.op("arith.divui", [rounded, passes]), b.index(LEAST)])
    return b.op("arith.minsi", [part, b.index(panel.most)])


def _start(b: VectorBuilder, panel: Packed, asked: SSAValue) -> SSAValue:
    """The place of a loop's first prefetch: in the next panel, after the prefetches of others."""
    places = [_place_of_rows(b, panel, asked)] if panel.rows else []
    for loop in panel.sums[:-1]:
        places.append(b.op("arith.muli", [loop.body.block.args[0], asked]))
    place = b.index(panel.size)
    for more in places:
        place = b.op("arith.addi", [more, place])
    return b.pointer_offset(panel.begin, i8, place)


def _place_of_rows(b: VectorBuilder, panel: Packed, asked: SSAValue) -> SSAValue:
    """The place of a pass's first prefetch; passes beyond the next panel prefetch its end."""
    *before, rows = panel.rows
    row, step = rows.body.block.args[0], constant_of(rows.step)
    assert step is not None
    if panel.ahead is None:
        of_pass = b.op("arith.muli", [asked, b.index(panel.terms)])
        passes = _passes(b, rows, row)
        for loop in before:
            passes = b.op("arith.addi", [passes, _passes(b, loop, loop.ub)])
        begin = b.op("arith.muli", [passes, of_pass])
        return b.op("arith.minsi", [begin, b.op("arith.subi", [b.index(panel.size), of_pass])])
    of_pass = panel.ahead * panel.terms
    begin = b.op("arith.muli", [row, b.index(-(-of_pass // step))])
    return b.op("arith.minsi", [begin, b.index(max(0, panel.size - of_pass))])


def _taken(block: Block) -> list[Operation]:
    """The ops of a block, detached from it."""
    ops = list(block.ops)
    for op in ops:
        op.detach()
    return ops


@dataclass(frozen=True)
class PrefetchPackedPanelsPass(PatternPass):
    """Prefetch the next panel of a packed matrix while the rows use the current one.

    Attributes:
        most: the most bytes of a panel whose successor is prefetched; 0 for none, -1 for the
            machine's.
    """

    name = "prefetch-packed-panels"
    STAGES: ClassVar[Stages] = Stages(("vector",))
    KERNELS_APART: ClassVar[bool] = True
    MIXES_CLASSES: ClassVar[bool] = False
    PATTERNS = (NextPacked,)

    most: int = -1

    def sweeps(self, module: ModuleOp) -> Iterator[tuple[Operation, list[AnyPattern]]]:
        """The functions, if the machine gains."""
        if self.most < -1:
            raise CompileError(f"expected bytes, or -1 for the target's, found most={self.most}")
        most = machine_of(module).packed_to if self.most == -1 else self.most
        for function in module.ops if most else ():
            if isinstance(function, FuncOp) and function.body.blocks:
                facts: list[Any] = [function.body.blocks[0], most]
                yield function, [pattern(*facts) for pattern in self.enabled()]
