"""Let LLVM unroll a product's loop over terms, to sum several terms in one iteration.

    %s:12 = scf.for %k = 0 to 512 step 1 iter_args(%a0 = %z, ...) -> (vector<8xf32>, ...) {
      %b = llvm.load %p : !llvm.ptr -> vector<8xf32>                    // 2 vectors of a row
      %r0 = math.fma %x0, %b, %a0 : vector<8xf32>                       // for 6 rows
      ...
      scf.yield %r0, ...
    }

becomes

    %s:12 = scf.for %k = 0 to 512 step 1 iter_args(...) -> (...) { ... }
      {llvm.loop_annotation = #llvm.loop_annotation<unroll = #llvm.loop_unroll<count = 4 : i32>>}

A step of the loop over the terms has few instructions: the loads of a row, a broadcast and some
products for each row, then the counter, a pointer for each operand and a branch. If two threads
share a core, they share its front end, and the loop overhead costs as much as products. LLVM makes
the copies, and a loop for the remaining terms, in code generation: no earlier level has more code,
and each sum has its terms in the same order. Exact.

Fires on an `scf.for` without inner loops (U1) if all its fused multiply-adds on vectors add to
carried values, (U2) with at least two of them for each loaded vector, because a sum of one row
waits for memory, and (U3) if it may run `count` times or more. (U4) If a known number of terms
leaves a remainder of half of `count`, the pass uses a number near `count` that leaves none, such as
5 of 50. This holds if the terms are a block of a sum, or the sums leave `SPARE` registers or fewer:
otherwise LLVM leaves the loop in the middle of an iteration, and keeps all sums on the stack for
it. (U5) More than `ADDRESSES` rows with a distance known only at run time go one term at a time:
all terms of an iteration use the addresses of the rows, and LLVM keeps these, or the elements of
all terms, on the stack. (U6) On machines with `vectors_ahead`, sums that leave `SPARE_AHEAD`
registers or fewer have half of `count` in turn if the number of terms is known only at run time:
LLVM would keep some of them on the stack.

A loop that may run `LONG` times or more and adds products, and the loops around it, become no
longer in any other way (`unroll = #llvm.loop_unroll<disable = true>`): LLVM would make copies of
whole loops over terms, or of iterations that wait for the sums of the one before.

The default, -1, is the machine's `terms_in_turn`, and does nothing if that is None; 0 and 1 do
nothing, either. Refuses a `count` below -1.
docs/kernel-measurements.md has the times.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from typing_extensions import override
from xdsl.dialects.arith import AddfOp
from xdsl.dialects.builtin import ModuleOp, VectorType
from xdsl.dialects.func import FuncOp
from xdsl.dialects.math import FmaOp
from xdsl.dialects.scf import ForOp
from xdsl.ir import Block, BlockArgument, Operation
from xdsl.pattern_rewriter import PatternRewriter

from snippets_mlir.dialects.llvm.loop_annotations import (
    ON_LOOPS,
    LoopAnnotationAttr,
    LoopUnrollAttr,
)
from snippets_mlir.dialects.llvm.memory import LoadOp
from snippets_mlir.dialects.llvm.pointers import GEPOp
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.lir_to_vector.align_nontemporal_stores import constant_of
from snippets_mlir.passes.lir_to_vector.prefetch_panels import loaded_vectors, most_of, trips_of
from snippets_mlir.passes.patterns import AnyPattern, Pattern, PatternPass
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.walking import ops_inside, ops_of
from snippets_mlir.targets.attributes import TARGET, machine_of

ADDRESSES = 8
"""The most rows with an address each, beside the other pointers, in 16 general registers."""

SPARE = 4
"""Registers beside the sums that LLVM needs to leave a loop in the middle of an iteration."""

SPARE_AHEAD = 7
"""The same to leave it after any number of terms, if vectors of the next one are loaded early."""

LONG = 64
"""The fewest iterations of a loop over terms beside which the loops around it cost nothing."""


def addresses_of(body: Block) -> int:
    """The number of elements that are loaded at distances known only at run time."""
    loads = [op for op in body.ops if isinstance(op, LoadOp)]
    single = [op for op in loads if op.results[0].type.name != VectorType.name]
    found = [op.operands[0].owner for op in single]
    return len({tuple(op.ssa_indices) for op in found if isinstance(op, GEPOp) and op.ssa_indices})


def sums_of_rows(loop: ForOp) -> bool:
    """U1 and U2, for a loop without inner loops."""
    ops, body = ops_of(loop.body.block), loop.body.block
    if any([op.regions for op in ops]):
        return False
    fused = [op for op in ops if op.name == FmaOp.name]
    sums = [op for op in fused if op.results[0].type.name == VectorType.name]
    sums_so_far = [op.operands[2] for op in sums]
    if not all([isinstance(it, BlockArgument) and it.block is body for it in sums_so_far]):
        return False
    loads = sum(map(len, loaded_vectors(body).values()))
    return len(sums) >= 2 * loads > 0


def runs_often(loop: ForOp, count: int) -> bool:
    """U3."""
    first, step, end = constant_of(loop.lb), constant_of(loop.step), most_of(loop.ub)
    if first is None or step is None or end is None:
        return True
    return end - first > (count - 1) * step


def sums_of(loop: ForOp) -> int:
    """The number of vectors of sums that a loop carries."""
    return sum(result.type.name == VectorType.name for result in loop.results)


def is_block(loop: ForOp) -> bool:
    """Whether sums of `loop` are added to others, like sums of a block of the terms."""
    return any(use.operation.name == AddfOp.name for sums in loop.results for use in sums.uses)


def in_turn(loop: ForOp, count: int, registers: int | None, *, ahead: bool = False) -> int:
    """U4 to U6: `count`, a number near it that leaves no remainder, half of it, or one.

    If the number of registers is unknown, sums that are no block do not fill them.
    """
    if addresses_of(loop.body.block) > ADDRESSES:
        return 1
    terms, many = trips_of(loop), sums_of(loop)
    if ahead and constant_of(loop.ub) is None and registers and many + SPARE_AHEAD >= registers:
        return count // 2
    if terms is None or 2 * (terms % count) != count:
        return count
    full = registers is not None and many + SPARE >= registers
    if not full and not is_block(loop):
        return count
    near = (count + 1, count - 1, count + 2, count - 2)
    return next((it for it in near if it > 1 and terms % it == 0), count)


def loops_of_products(function: FuncOp) -> set[ForOp]:
    """The long loops of `function` that add products to carried vectors, and all around them."""
    found = set[ForOp]()
    for op in ops_inside(function):
        loop = op.parent_op() if op.name == FmaOp.name else None
        if isinstance(loop, ForOp) and loop not in found and runs_often(loop, LONG):
            around = loop if op.operands[2] in loop.body.block.args else None
            while around is not None and around is not function:
                if isinstance(around, ForOp):
                    found.add(around)
                around = around.parent_op()
    return found


@dataclass(frozen=True)
class Facts:
    """What the patterns know about a function.

    Attributes:
        count: as the option of the pass.
        registers: the vector registers of the machine, if known.
        ahead: whether vectors are loaded ahead.
        products: see `loops_of_products`.
    """

    count: int
    registers: int | None
    ahead: bool
    products: set[ForOp]


class TermsInTurn(Pattern[ForOp, int]):
    """The loop over the terms has an annotation for LLVM's unrolling."""

    name = "terms-in-turn"
    ops = (ForOp,)

    def __init__(self, facts: Facts) -> None:
        self.count, self.registers, self.ahead = facts.count, facts.registers, facts.ahead

    @override
    def match(self, op: ForOp) -> int | None:
        if ON_LOOPS in op.attributes or not sums_of_rows(op) or not runs_often(op, self.count):
            return None
        count = in_turn(op, self.count, self.registers, ahead=self.ahead)
        return count if count > 1 else None

    @override
    def rewrite(self, op: ForOp, match: int, rewriter: PatternRewriter) -> None:
        op.attributes[ON_LOOPS] = LoopAnnotationAttr(LoopUnrollAttr.by(match))
        rewriter.notify_op_modified(op)


class KeptLoops(Pattern[ForOp, bool]):
    """A loop of products that LLVM shall not unroll has an annotation."""

    name = "kept-loops"
    ops = (ForOp,)

    def __init__(self, facts: Facts) -> None:
        self.products = facts.products

    @override
    def match(self, op: ForOp) -> bool | None:
        return True if op in self.products and ON_LOOPS not in op.attributes else None

    @override
    def rewrite(self, op: ForOp, match: bool, rewriter: PatternRewriter) -> None:
        op.attributes[ON_LOOPS] = LoopAnnotationAttr(LoopUnrollAttr.never())
        rewriter.notify_op_modified(op)


@dataclass(frozen=True)
class UnrollTermsPass(PatternPass):
    """Let LLVM unroll a product's loop over terms, to sum several terms in one iteration.

    Attributes:
        count: the number of terms; -1 for the machine's.
    """

    name = "unroll-terms"
    STAGES: ClassVar[Stages] = Stages(("vector",))
    KERNELS_APART: ClassVar[bool] = True
    MIXES_CLASSES: ClassVar[bool] = False
    PATTERNS = (TermsInTurn, KeptLoops)

    count: int = -1

    @override
    def sweeps(self, module: ModuleOp) -> Iterator[tuple[Operation, list[AnyPattern]]]:
        if self.count < -1:
            raise CompileError(f"expected terms, or -1 for the target's, found count={self.count}")
        machine = machine_of(module) if self.count == -1 or TARGET in module.attributes else None
        count = machine.terms_in_turn if machine and self.count == -1 else self.count
        registers = machine.vector_registers if machine else None
        ahead = machine is not None and machine.vectors_ahead
        for function in module.ops if count is not None and count > 1 else ():
            if isinstance(function, FuncOp) and function.body.blocks:
                assert count is not None
                facts: list[Any] = [Facts(count, registers, ahead, loops_of_products(function))]
                yield function, [pattern(*facts) for pattern in self.enabled()]
