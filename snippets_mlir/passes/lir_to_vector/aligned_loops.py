"""Build the aligned form of a loop with non-temporal stores: one loop over three parts.

The mechanics of `align-nontemporal-stores`, which has the conditions and the result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import i8, i64
from xdsl.dialects.scf import ForOp, IfOp, YieldOp
from xdsl.ir import Block, Region, SSAValue

from snippets_mlir.dialects.llvm.memory import StoreOp
from snippets_mlir.passes.lir_to_vector.plain_builder import plain_builder
from snippets_mlir.targets.emitters.arith_builder import integer_attr
from snippets_mlir.targets.emitters.vector_builder import VectorBuilder

FROM = "snippets.nontemporal_from"
"""On a non-temporal store: with fewer units of its loop it is a plain one."""

LEAST_ITERATIONS = 4
"""The least iterations of a loop that are worth storing its ends twice."""

PARTS = 3
"""The first iteration, the shifted part, and the last iteration."""


@dataclass(frozen=True)
class Aligned:
    """How a loop with non-temporal stores is shifted.

    Attributes:
        step: units of its counter in one iteration.
        moves: for each carried pointer, the bytes of its motion in a unit.
        through: which of these pointers the non-temporal stores go through, at whole vectors.
        vector: bytes to which the stores are aligned.
        least: with fewer units the loop runs unchanged.
    """

    step: int
    moves: tuple[int, ...]
    through: tuple[int, ...]
    vector: int
    least: int

    @property
    def unit(self) -> int:
        """Bytes of a store's motion in a unit of the counter."""
        return self.moves[self.through[0]]


def make_plain(store: StoreOp) -> None:
    """Make a nontemporal store an ordinary one, which may begin anywhere."""
    store.properties.pop("nontemporal", None)
    store.attributes.pop(FROM, None)


class _Shift:
    """Puts `loop` into a loop over its parts, with `b` in the block before it."""

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
        return self.b.make("llvm.ptrtoint", [pointer], [i64]).results[0]

    def run(self) -> None:
        """Move the loop, which has to be out of its block, into a loop over its parts."""
        b, plan, loop = self.b, self.plan, self.loop
        starts = list(loop.iter_args)
        reach = self.i("addi", self.i("subi", loop.ub, loop.lb), plan.step - 1)
        trips = self.i("maxsi", self.i("divsi", reach, plan.step), 0)
        length = self.i("muli", trips, plan.step)
        address = self.address(starts[plan.through[0]])
        missing = self.i("andi", b.op("arith.subi", [b.index(0), address]), plan.vector - 1)
        head = self.i("divui", missing, plan.unit)
        worth = self.is_worth(length, address)
        last = self.i("subi", length, plan.step)
        ends = b.select(worth, b.index(plan.step), length)
        # Parts are counted in lengths: LLVM makes copies of a loop whose number of runs it knows.
        parts = b.select(worth, self.i("muli", length, PARTS), length)

        outer, b.block = b.block, Block(arg_types=[i64])
        body, part = b.block, b.block.args[0]
        shifted = b.compare_int("eq", part, length)
        later = b.select(shifted, head, last)
        offset = b.select(b.compare_int("eq", part, b.index(0)), b.index(0), later)
        first = self.i("addi", loop.lb, offset)
        end = self.i("addi", first, b.select(shifted, last, ends))
        ends_at = [result for result in loop.results if result.first_use is not None]
        loop.operands = [first, end, loop.step, *self.moved(starts, offset)]
        self.choose_stores(shifted)
        b.append(loop)
        b.append(YieldOp())
        b.block = outer
        step = self.i("maxsi", length, 1)  # an empty loop has no parts, but a step
        b.append(ForOp(b.index(0), parts, step, [], Region(body)))
        if ends_at:
            for result, value in zip(loop.results, self.moved(starts, length), strict=True):
                result.replace_all_uses_with(value)

    def choose_stores(self, shifted: SSAValue) -> None:
        """End the loop with non-temporal stores where it is `shifted`, else with plain ones."""
        body = self.loop.body.block
        stores = [op for op in body.ops if isinstance(op, StoreOp) and op.nontemporal is not None]
        terminator = body.last_op
        assert terminator is not None
        aligned, plain = Block(), Block()
        for store in stores:
            store.attributes.pop(FROM, None)
            copy = store.clone()
            make_plain(copy)
            plain.add_op(copy)
            store.detach()
            store.properties["alignment"] = integer_attr(self.plan.vector, 64)
            aligned.add_op(store)
        for block in (aligned, plain):
            block.add_op(YieldOp())
        body.insert_op_before(IfOp(shifted, [], Region(aligned), Region(plain)), terminator)


def align(loop: ForOp, plan: Aligned) -> None:
    """Put `loop` into a loop over three parts, with aligned stores in the second one."""
    parent, following = loop.parent, loop.next_op
    assert parent is not None
    assert following is not None
    loop.detach()
    block = Block()
    _Shift(plain_builder(block), loop, plan).run()
    for op in list(block.ops):
        op.detach()
        parent.insert_op_before(op, following)
