"""Align the addresses of non-temporal stores, or drop the hint if they cannot be aligned.

    scf.for %i = %begin to %end step 16 iter_args(%p = %x, %q = %out) -> (!llvm.ptr, !llvm.ptr) {
      ...
      llvm.store %v, %q {alignment = 4 : i64, nontemporal} : vector<16xf32>, !llvm.ptr
    }

becomes, for a machine with vectors of 64 bytes, and `o` the address of the first store,

    %head = ((-o) & 63) / 4;  %ok = (o & 3) == 0 and at least 4 iterations
    scf.for %part = 0 to (%ok ? 3 * %length : %length) step max(%length, 1) {
      // first the first iteration, or all of them when not %ok; then all but one, from %head on;
      // then the last iteration
      scf.for %i = %first to %end step 16 iter_args(%p = ..., %q = ...) {
        ...                                                 // as it was
        scf.if %part == %length {
          llvm.store %v, %q {alignment = 64 : i64, nontemporal} : vector<16xf32>, !llvm.ptr
        } else {
          llvm.store %v, %q {alignment = 4 : i64} : vector<16xf32>, !llvm.ptr
        }
      }
    }
    llvm.fence seq_cst                                    // once, where the function returns

`vmovntps` needs an address that is a multiple of the vector size, and arrays may begin anywhere. So
the loop is shifted by `head` elements, and the vectors at both ends are stored once more,
unaligned: they overlap the stores of the shifted part, with the same values. The body occurs once,
because code size determines the time of every later pass; its branch goes the same way for a whole
part. Non-temporal stores are not ordered with other accesses. The fence (`mfence` or a locked
instruction on x86) makes them visible before the thread reports that it is done.

Fires on an `scf.for` with a constant step that (N1) carries only pointers, each moved by a constant
number of bytes that the step divides, (N2) contains no loops, no calls and no masked stores, (N3)
reads through no pointer into an array that it writes, and (N4) has non-temporal stores of vectors
of 16 bytes or more, at whole vectors from their pointers. With fewer units than a store's
`snippets.nontemporal_from`, the loop runs as before: sizes of a dynamic kernel are known only at
run time. Other non-temporal stores become plain ones, because LLVM would split an unaligned one
into stores of 4 or 8 bytes. Exact.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, cast

from typing_extensions import override
from xdsl.dialects.builtin import FixedBitwidthType, IntegerAttr, ModuleOp, VectorType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.dialects.scf import ForOp
from xdsl.ir import Attribute, Operation, OpResult, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from snippets_mlir.dialects.llvm.masked import FenceOp
from snippets_mlir.dialects.llvm.memory import StoreOp
from snippets_mlir.dialects.llvm.pointers import GEPOp
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.lir_to_vector.aligned_loops import FROM, Aligned, align, make_plain
from snippets_mlir.passes.patterns import Pattern, PatternPass
from snippets_mlir.support.walking import ops_inside

SMALLEST_VECTOR = 16
WRITES = ("llvm.intr.masked.store", "llvm.intr.masked.scatter", "func.call", "llvm.call")


def constant_of(value: SSAValue) -> int | None:
    """The value of an integer constant, or None."""
    attr = value.owner.properties.get("value") if isinstance(value.owner, Operation) else None
    return attr.value.data if isinstance(attr, IntegerAttr) else None


def size_of(type_: Attribute) -> int:
    """Bytes in memory of a type with a fixed width, or of a vector of such types; else 0."""
    if isinstance(type_, VectorType):
        vector = cast("VectorType[Attribute]", type_)
        return vector.element_count() * size_of(vector.element_type)
    return type_.size if isinstance(type_, FixedBitwidthType) else 0


def step_back(pointer: SSAValue) -> tuple[SSAValue, int | None]:
    """The base of a pointer and the bytes from it to the pointer; None if not constant."""
    distance: int | None = 0
    while isinstance(gep := pointer.owner, GEPOp):
        indices = gep.rawConstantIndices.get_values()
        if distance is not None:
            known = len(indices) == 1 and not gep.ssa_indices
            distance = distance + int(indices[0]) * size_of(gep.elem_type) if known else None
        pointer = SSAValue.get(gep.ptr)
    return pointer, distance


def _array(pointer: SSAValue, loop: ForOp) -> SSAValue:
    """The base of an address, outside of the loop."""
    pointer, _ = step_back(pointer)
    if isinstance(pointer, OpResult) and isinstance(before := pointer.op, ForOp):
        return _array(before.iter_args[pointer.index], loop)
    for argument, start in zip(loop.body.block.args[1:], loop.iter_args, strict=True):
        if pointer is argument:
            return _array(start, loop)
    return pointer


def _moves(loop: ForOp, step: int) -> tuple[int, ...] | None:
    """N1: for each carried value, the bytes of its motion in a unit."""
    moves: list[int] = []
    terminator = loop.body.block.last_op
    assert terminator is not None
    for argument, following in zip(loop.body.block.args[1:], terminator.operands, strict=True):
        origin, distance = step_back(following)
        if not isinstance(argument.type, LLVMPointerType) or origin is not argument:
            return None
        if distance is None or distance % step:
            return None
        moves.append(distance // step)
    return tuple(moves)


def _is_simple(loop: ForOp) -> bool:
    """N2 and N3."""
    ops = list(loop.body.block.ops)
    if any(op.regions or op.name in WRITES for op in ops):
        return False
    written = {_array(op.ptr, loop) for op in ops if isinstance(op, StoreOp)}
    read = {
        _array(operand, loop)
        for op in ops
        if op.name in ("llvm.load", "llvm.intr.masked.load", "llvm.intr.masked.gather")
        for operand in op.operands[:1]
    }
    return not written & read


def _plan(loop: ForOp) -> Aligned | None:
    """How the loop is shifted, or None if its stores become plain ones."""
    step = constant_of(loop.step)
    if step is None or (moves := _moves(loop, step)) is None or not _is_simple(loop):
        return None
    stores = [
        op for op in loop.body.block.ops if isinstance(op, StoreOp) and op.nontemporal is not None
    ]
    vector = max(size_of(s.value.type) for s in stores)
    if vector < SMALLEST_VECTOR:
        return None
    arguments: list[SSAValue] = list(loop.body.block.args[1:])
    through: list[int] = []
    for store in stores:
        pointer, distance = step_back(store.ptr)
        if pointer not in arguments or distance is None or distance % vector:
            return None
        through.append(arguments.index(pointer))
    if any(size_of(store.value.type) != vector for store in stores):
        return None
    unit = moves[through[0]]
    if unit <= 0 or any(moves[i] != unit for i in through):
        return None
    if vector % unit or step * unit % vector:
        return None
    least = max(_least(store) for store in stores)
    return Aligned(step, moves, tuple(dict.fromkeys(through)), vector, least)


def _least(store: StoreOp) -> int:
    attr = store.attributes.get(FROM)
    return attr.value.data if isinstance(attr, IntegerAttr) else 0


def _is_aligned(store: StoreOp) -> bool:
    """Whether a store is known to be at a multiple of its vector's size."""
    known = store.alignment.value.data if store.alignment is not None else 0
    return known >= size_of(store.value.type)


def is_nontemporal(op: Operation) -> bool:
    """It is a store with the hint."""
    return op.name == StoreOp.name and isinstance(op, StoreOp) and op.nontemporal is not None


def is_not_known_to_be_aligned(op: Operation) -> bool:
    """It is a store with the hint that may be at any address."""
    return is_nontemporal(op) and isinstance(op, StoreOp) and not _is_aligned(op)


def makes_such_stores(loop: ForOp) -> bool:
    """Some non-temporal store directly in the loop may be at any address."""
    return any(map(is_not_known_to_be_aligned, loop.body.block.ops))


class ShiftLoop(Pattern[ForOp, Aligned]):
    """A loop is its two ends, and the part between them from an aligned address on."""

    name = "shift-loop"
    ops = (ForOp,)
    conditions = (makes_such_stores,)

    def match(self, op: ForOp) -> Aligned | None:
        """How the loop is shifted (N1 to N4)."""
        return _plan(op)

    def rewrite(self, op: ForOp, match: Aligned, rewriter: PatternRewriter) -> None:
        """Put it into a loop over its parts."""
        align(op, match)


class PlainStore(Pattern[StoreOp, StoreOp]):
    """A non-temporal store that may be at any address is a plain one."""

    name = "plain-store"
    ops = (StoreOp,)
    conditions = (is_not_known_to_be_aligned,)

    def match(self, op: StoreOp) -> StoreOp:
        """The store: a loop that could be shifted has been, and its stores are aligned."""
        return op

    @override
    def rewrite(self, op: StoreOp, match: StoreOp, rewriter: PatternRewriter) -> None:
        make_plain(op)


@dataclass(frozen=True)
class AlignNontemporalStoresPass(PatternPass):
    """Align the addresses of non-temporal stores, or drop the hint."""

    name = "align-nontemporal-stores"
    STAGES: ClassVar[Stages] = Stages(("vector",))
    KERNELS_APART: ClassVar[bool] = True
    MIXES_CLASSES: ClassVar[bool] = False
    PATTERNS = (ShiftLoop, PlainStore)

    def roots(self, module: ModuleOp) -> Iterator[FuncOp]:
        """The functions with non-temporal stores that are not known to be aligned."""
        for function in module.ops:
            if isinstance(function, FuncOp) and function.body.blocks:
                if any(map(is_not_known_to_be_aligned, ops_inside(function))):
                    yield function

    def finish(self, root: Operation) -> None:
        """Fence the stores that keep the hint, where the function returns."""
        if not any(map(is_nontemporal, ops_inside(root))):
            return
        for block in root.regions[0].blocks:
            if isinstance(block.last_op, ReturnOp):
                block.insert_op_before(FenceOp("seq_cst"), block.last_op)
