"""A loop whose non-temporal stores are brought to aligned addresses, as two loops.

The mechanics of `align-nontemporal-stores`, which says what may be shifted and what comes out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, UnitAttr, i8, i64
from xdsl.dialects.scf import ForOp
from xdsl.ir import Block, Operation, Region, SSAValue

from snippets_mlir.dialects.llvm.memory import StoreOp
from snippets_mlir.targets.emitters.arith_builder import integer_attr
from snippets_mlir.targets.emitters.vector_builder import VectorBuilder

FROM = "snippets.nontemporal_from"
"""On a non-temporal store: the units of its loop below which it is a plain one."""

LEAST_ITERATIONS = 4
"""Iterations below which a loop is not worth its ends, which are stored twice."""


@dataclass(frozen=True)
class Aligned:
    """How a loop with non-temporal stores is shifted.

    Attributes:
        step: units of its counter in one iteration.
        moves: for each carried pointer, how many bytes it moves by in a unit.
        through: which of these pointers the non-temporal stores go through, at whole vectors.
        vector: bytes to which the stores are aligned.
        least: units below which the loop runs as it was.
    """

    step: int
    moves: tuple[int, ...]
    through: tuple[int, ...]
    vector: int
    least: int

    @property
    def unit(self) -> int:
        """Bytes that a store moves by in a unit of the counter."""
        return self.moves[self.through[0]]


def make_plain(store: StoreOp) -> None:
    """Take the hint away."""
    store.properties.pop("nontemporal", None)
    store.attributes.pop(FROM, None)


def make_aligned(store: StoreOp, alignment: int) -> None:
    """Write the alignment on a store that keeps the hint."""
    store.properties["alignment"] = integer_attr(alignment, 64)
    store.properties["nontemporal"] = UnitAttr()
    store.attributes.pop(FROM, None)


def _no_tables(_: DenseIntOrFPElementsAttr) -> str:
    raise AssertionError("a loop is shifted without tables")


class _Shift:
    """Builds what stands for `loop`, in the block of the builder `b`."""

    def __init__(self, b: VectorBuilder, loop: ForOp, plan: Aligned) -> None:
        self.b = b
        self.loop = loop
        self.plan = plan

    def i(self, name: str, a: SSAValue, b: SSAValue | int) -> SSAValue:
        """An integer op on i64; the second operand may be a number."""
        return self.b.op(f"arith.{name}", [a, self.b.index(b) if isinstance(b, int) else b])

    def moved(self, pointers: Sequence[SSAValue], units: SSAValue) -> list[SSAValue]:
        """The carried `pointers` moved by a number of units."""
        by = {m: self.i("muli", units, m) for m in dict.fromkeys(self.plan.moves) if m}
        return [
            self.b.pointer_offset(p, i8, by[move]) if move else p
            for p, move in zip(pointers, self.plan.moves, strict=True)
        ]

    def copied(
        self,
        bounds: tuple[SSAValue, SSAValue, SSAValue],
        starts: Sequence[SSAValue],
        ends: Callable[[StoreOp], None],
        stride: SSAValue | None = None,
    ) -> ForOp:
        """A copy of the loop with other bounds; `stride` is its step when it is not the old one."""
        region: Region = self.loop.body.clone()
        for op in region.walk():
            if isinstance(op, StoreOp) and op.nontemporal is not None:
                ends(op)
        if stride is not None:
            self._move_by(region.block, stride)
        result = [v.type for v in starts]
        op = ForOp.create(operands=[*bounds, *starts], result_types=result, regions=[region])
        self.b.append(op)
        return op

    def _move_by(self, body: Block, units: SSAValue) -> None:
        """Let the carried pointers of `body` move by another number of units."""
        terminator = body.last_op
        assert terminator is not None
        outer, self.b.block = self.b.block, Block()
        following = self.moved(body.args[1:], units)
        _put(self.b.block, terminator)
        self.b.block = outer
        old = list(terminator.operands)
        terminator.operands = following
        for value in old:
            if isinstance(value.owner, Operation) and value.first_use is None:
                value.owner.detach()
                value.owner.erase()

    def is_worth(self, length: SSAValue, address: SSAValue) -> SSAValue:
        """Whether there is enough to store, and all stores are aligned at the same time."""
        b, plan = self.b, self.plan
        least = max(plan.least, LEAST_ITERATIONS * plan.step)
        parts = [b.compare_int("sge", length, b.index(least))]
        others = [self.loop.iter_args[i] for i in plan.through[1:]]
        differences = [self.i("subi", self.address(p), address) for p in others]
        parts += [self.is_multiple(d, plan.vector) for d in differences]
        parts.append(self.is_multiple(address, plan.unit))
        worth = parts[0]
        for part in parts[1:]:
            worth = b.op("arith.andi", [worth, part])
        return worth

    def is_multiple(self, value: SSAValue, power: int) -> SSAValue:
        """Whether `value` is a multiple of a power of two."""
        return self.b.compare_int("eq", self.i("andi", value, power - 1), self.b.index(0))

    def address(self, pointer: SSAValue) -> SSAValue:
        """A pointer as a number."""
        return self.b.make("llvm.ptrtoint", [pointer], [i64]).results[0]

    def run(self) -> tuple[ForOp, list[SSAValue]]:
        """Build both loops; the shifted one, and what stands for the results of the old one."""
        b, plan, lower = self.b, self.plan, self.loop.lb
        step, zero = b.index(plan.step), b.index(0)
        reach = self.i("addi", self.i("subi", self.loop.ub, lower), plan.step - 1)
        trips = self.i("maxsi", self.i("divsi", reach, plan.step), 0)
        length = self.i("muli", trips, plan.step)
        address = self.address(self.loop.iter_args[plan.through[0]])
        missing = self.i("andi", b.op("arith.subi", [zero, address]), plan.vector - 1)
        head = self.i("divui", missing, plan.unit)
        worth = self.is_worth(length, address)
        comes_aligned = b.compare_int("eq", head, zero)

        last = self.i("subi", length, plan.step)
        covered = b.select(comes_aligned, length, last)
        rest = b.select(comes_aligned, zero, length)
        stride = b.select(worth, last, step)
        upper = self.i("addi", lower, b.select(worth, rest, length))
        self.copied((lower, upper, stride), self.loop.iter_args, make_plain, stride)
        first = self.i("addi", lower, head)
        end = self.i("addi", first, b.select(worth, covered, zero))
        shifted = self.copied(
            (first, end, step),
            self.moved(self.loop.iter_args, head),
            lambda store: make_aligned(store, plan.vector),
        )
        used = any(result.first_use is not None for result in self.loop.results)
        return shifted, self.moved(self.loop.iter_args, length) if used else []


def _put(block: Block, anchor: Operation) -> None:
    """Move the ops of `block` in front of `anchor`."""
    parent = anchor.parent
    assert parent is not None
    for op in list(block.ops):
        op.detach()
        parent.insert_op_before(op, anchor)


def align(ctx: Context, loop: ForOp, plan: Aligned) -> ForOp:
    """Put two loops in the place of `loop`; the second one has the non-temporal stores."""
    block = Block()
    b = VectorBuilder(ctx, block, _no_tables)
    shifted, ends = _Shift(b, loop, plan).run()
    _put(block, loop)
    for result, end in zip(loop.results, ends, strict=False):
        result.replace_all_uses_with(end)
    loop.detach()
    loop.erase()
    return shifted
