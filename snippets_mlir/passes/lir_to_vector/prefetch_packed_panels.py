"""Ask for the next panel of a packed matrix while the rows use this one.

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

The first rows that use a panel read it from memory, and wait for it: a tile of 8 rows reads 16
bytes a cycle. All other rows read it from the second-level cache, and leave memory idle. With the
prefetches they read the next panel. Weights of a model, which no call leaves in the caches, are
always read from memory. A prefetch is a hint: it has no result and no fault, so the panel after the
last one may lie beyond the array. Exact.

A term asks for as many bytes as divide the next panel among all passes over this one, a power of
two or whole lines, `LEAST` at least; for `ANY_ROWS` bytes if the number of rows is dynamic.

It fires on an `scf.for` without loops inside, for each pointer (N1) from which it loads vectors
next to each other, a cache line or more, and that an iteration moves by just as many bytes, (N2)
that the loops around it, over the blocks of a sum, begin where a loop over rows, if there is one,
found it, which has `PASSES` passes at most, or a dynamic number, (N3) and that the loop around
moves by the bytes of all terms, `most` at most: more than one panel has to fit the second-level
cache. The default, -1, is the machine's `packed_to`, and does nothing where that is 0. (N4) Two
rows or more use what is loaded. Copied operands, whose panels are all in one place, have nothing to
ask for. Refuses a `most` below -1. docs/kernel-measurements.md has the times.
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
from snippets_mlir.passes.lir_to_vector.packed_panels import Packed, packed_panels
from snippets_mlir.passes.lir_to_vector.plain_builder import plain_builder
from snippets_mlir.passes.patterns import AnyPattern, Pattern, PatternPass
from snippets_mlir.support.errors import CompileError
from snippets_mlir.targets.attributes import machine_of
from snippets_mlir.targets.emitters.vector_builder import VectorBuilder


class NextPacked(Pattern[ForOp, list[Packed]]):
    """The loop over the terms of a packed panel asks for a part of the next one."""

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
        b = plain_builder(self.entry)
        for panel in match:
            b.block = Block()
            start = _start(b, panel)
            rewriter.insert(_taken(b.block), InsertPoint.before(op))

            def address(
                term: SSAValue, start: SSAValue = start, step: int = panel.ahead
            ) -> SSAValue:
                return b.pointer_offset(start, i8, b.op("arith.muli", [term, b.index(step)]))

            step = constant_of(op.step) or 1
            prefetch(b, op, address, 0, -(-panel.ahead * step // LINE), level=2)


def _start(b: VectorBuilder, panel: Packed) -> SSAValue:
    """Where the terms of a loop begin to ask: in the next panel, after what others ask for."""
    places = [_place_of_rows(b, panel)] if panel.rows is not None else []
    for loop in panel.sums[:-1]:
        places.append(b.op("arith.muli", [loop.body.block.args[0], b.index(panel.ahead)]))
    place = b.index(panel.size)
    for more in places:
        place = b.op("arith.addi", [more, place])
    return b.pointer_offset(panel.begin, i8, place)


def _place_of_rows(b: VectorBuilder, panel: Packed) -> SSAValue:
    """Where the rows of a pass begin to ask; the passes after the next panel ask for its end."""
    assert panel.rows is not None
    of_pass, step = panel.ahead * (panel.size // panel.width), constant_of(panel.rows.step)
    assert step is not None
    asked = b.op("arith.muli", [panel.rows.body.block.args[0], b.index(-(-of_pass // step))])
    return b.op("arith.minsi", [asked, b.index(max(0, panel.size - of_pass))])


def _taken(block: Block) -> list[Operation]:
    """The ops of a block, taken out of it."""
    ops = list(block.ops)
    for op in ops:
        op.detach()
    return ops


@dataclass(frozen=True)
class PrefetchPackedPanelsPass(PatternPass):
    """Ask for the next panel of a packed matrix while the rows use this one.

    Attributes:
        most: bytes of a panel up to which the next one is asked for; 0 for none, -1 for what the
            machine says.
    """

    name = "prefetch-packed-panels"
    STAGES: ClassVar[Stages] = Stages(("vector",))
    KERNELS_APART: ClassVar[bool] = True
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
