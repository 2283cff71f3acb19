"""Prefetch the memory of rows: of a row's results, and of the next row's inputs.

    scf.for %r = %begin to %end step 1 iter_args(%x = ..., %y = ...) -> (!llvm.ptr, !llvm.ptr) {
      scf.for %i = 0 to 1024 step 16 iter_args(%p = %x, ...) { ... llvm.load %p ... }
      scf.for %j = 0 to 1024 step 16 { ... }                  // in the scratchpad
      scf.for %k = 0 to 1024 step 16 iter_args(%q = %y, ...) { ... llvm.store %v, %q ... }
      ...
    }

becomes

      scf.for %i = 0 to 1024 step 16 iter_args(%p = %x, ...) { ... llvm.load %p ... }
      scf.for %j = 0 to 1024 step 16 {
        %a = llvm.getelementptr %y[%j] : (!llvm.ptr, i64) -> !llvm.ptr, i32
        llvm.call_intrinsic "llvm.prefetch.p0"(%a, 1, 3, 1)   // to write, into all caches, data
        ...
      }
      scf.for %k = 0 to 1024 step 16 iter_args(%q = %y, ...) {
        %b = llvm.getelementptr %x[%k] : (!llvm.ptr, i64) -> !llvm.ptr, i32
        %c = llvm.getelementptr %b[4096] : (!llvm.ptr) -> !llvm.ptr, i8      // the next row
        llvm.call_intrinsic "llvm.prefetch.p0"(%c, 0, 3, 1)   // to read
        ... llvm.store %v, %q ...
      }

A kernel over rows reads memory in its first loop and writes it in its last one. In between it works
in a scratchpad that stays in the first-level cache, and memory is idle. The processor's own
prefetchers stop at the end of a row's loop. A prefetch is a hint: it has no result and no fault, so
the row after the last one may be beyond the array. Exact.

Fires on a loop over rows: an `scf.for` with three or more direct inner loops from 0 to a constant.
It handles each pointer that (P1) the loop over rows moves by a constant number of bytes and (P2)
one of the inner loops walks in units of 1, 2, 4 or 8 bytes over more than half of that. With two
inner loops, as in rms_norm, one reads memory and the other writes it: memory is never idle, and
prefetches only cost time. Stored memory is prefetched in the loop before the first store, and
memory that is only read in the last loop. (P3) This loop is another one than the loop with the
first access, runs as far, holds no loop, and prefetches at most `MOST_LINES` in an iteration. (P4)
The arrays of the kernel have more than `least` bytes, if `snippets.domain` tells their size; the
default, -1, is the machine's `prefetch_from`, and does nothing if that is None. (P5) A row of all
arrays has at most `LONGEST` bytes. (P6) The next row's inputs fit the first-level cache beside all
memory that a row touches, including scratchpad and memory shared by all rows: at most `STAYS`
bytes. Otherwise they would evict lines that the row still needs, and the pass prefetches only
results. Non-temporal stores need no cache lines. Refuses a `least` below -1.
docs/kernel-measurements.md has the times.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

from typing_extensions import override
from xdsl.dialects.builtin import IntegerType, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.dialects.scf import ForOp
from xdsl.ir import Block, Operation
from xdsl.pattern_rewriter import PatternRewriter

from snippets_mlir.dialects.builtin.size_estimates import assumed
from snippets_mlir.dialects.builtin.sizes import is_size, size_in
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.lir_to_vector.cache_lines import prefetch
from snippets_mlir.passes.lir_to_vector.plain_builder import plain_builder
from snippets_mlir.passes.lir_to_vector.row_walks import (
    Ahead,
    Room,
    bytes_of,
    move_of,
    plan,
    room_of,
    that_stays,
    walks_of,
)
from snippets_mlir.passes.patterns import AnyPattern, Pattern, PatternPass
from snippets_mlir.support.errors import CompileError
from snippets_mlir.targets.attributes import machine_of
from snippets_mlir.targets.emitters.arith_builder import integer_attr

LOOPS = 3
"""The least loops of a row for memory to be idle between the loops that read and write it."""

LONGEST = 128 << 10
"""The most bytes of a row of all arrays that stay in the caches beside the next row."""


def _parts(rows: ForOp) -> list[tuple[ForOp, Room]]:
    """The loops directly in a loop that run from 0 to a constant."""
    return [
        (op, room)
        for op in rows.regions[0].block.ops
        if op.regions and isinstance(op, ForOp) and (room := room_of(op))
    ]


def _aheads(rows: ForOp, domain: int | None, least: int) -> list[Ahead]:
    """The prefetches of a row's loops, if `rows` is a loop over rows."""
    found = _parts(rows)
    if len(found) < LOOPS:
        return []
    moves = [
        move_of(rows, k) if isinstance(pointer.type, LLVMPointerType) else None
        for k, pointer in enumerate(rows.regions[0].block.args[1:])
    ]
    row = sum(abs(move or 0) for move in moves)
    if row > LONGEST or (domain is not None and domain * row <= least):
        return []
    walks = [walk for place, (loop, _) in enumerate(found) for walk in walks_of(place, loop, rows)]
    touched: dict[object, int] = {}
    for key, size in (pair for loop, _ in found for pair in bytes_of(loop)):
        touched[key] = max(size, touched.get(key, 0))
    rooms = [room for _, room in found]
    return that_stays(plan(walks, rooms, moves), max(row, sum(touched.values())), rooms)


class AskAhead(Pattern[ForOp, list[Ahead]]):
    """The loops of a row prefetch its results, and the inputs of the next row."""

    name = "ask-ahead"
    ops = (ForOp,)

    def __init__(self, entry: Block, domain: int | None, least: int) -> None:
        self.entry = entry
        self.domain = domain
        self.least = least

    @override
    def match(self, op: ForOp) -> list[Ahead] | None:
        return _aheads(op, self.domain, self.least) or None

    def rewrite(self, op: ForOp, match: list[Ahead], rewriter: PatternRewriter) -> None:
        """Put the prefetches into its loops; constants go to the front of the function."""
        builder, parts = plain_builder(self.entry), _parts(op)
        for ahead in match:
            pointer, unit = op.body.block.args[1 + ahead.pointer], IntegerType(8 * ahead.unit)

            prefetch(
                builder,
                parts[ahead.place][0],
                partial(builder.pointer_offset, pointer, unit),
                ahead.distance,
                ahead.lines,
                writes=ahead.writes,
            )


@dataclass(frozen=True)
class PrefetchRowsPass(PatternPass):
    """Prefetch the memory of rows.

    Attributes:
        least: the least bytes of arrays for prefetches; -1 for the machine's.
    """

    name = "prefetch-rows"
    STAGES: ClassVar[Stages] = Stages(("vector",))
    KERNELS_APART: ClassVar[bool] = True
    MIXES_CLASSES: ClassVar[bool] = False
    PATTERNS = (AskAhead,)

    least: int = -1

    def sweeps(self, module: ModuleOp) -> Iterator[tuple[Operation, list[AnyPattern]]]:
        """The functions, each with the host's facts about its domain, if the machine gains."""
        if self.least < -1:
            raise CompileError(f"expected bytes, or -1 for the target's, found least={self.least}")
        least = machine_of(module).prefetch_from if self.least == -1 else self.least
        domains: dict[str, int] = {}
        for function in module.ops if least is not None else ():
            if not isinstance(function, FuncOp) or not function.body.blocks:
                continue
            name = function.sym_name.data
            if (domain := function.attributes.get("snippets.domain")) is not None:
                assert is_size(domain)
                flat = function.attributes.get("snippets.grain") != integer_attr(1, 64)
                domains[f"{name}.body"] = 0 if flat else assumed(size_in(domain))
            elif (domain := domains.get(name)) != 0:
                facts: list[Any] = [function.body.blocks[0], domain, least]
                yield function, [pattern(*facts) for pattern in self.enabled()]
