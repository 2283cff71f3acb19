"""Write an attention in blocks of keys; `snippets_split_keys.py` has the formulas.

    _Blocks(keys 1920, count 8)    %s : 4x256x64, 4x15360x64 -> 4x8x256x1920
    _Blocks(keys 1051, count 1)    %s : 4x256x64, 4x1051x64  -> 4x1x256x1051

The blocks of one size are a dim of the products, before their rows.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import NamedTuple

from xdsl.ir import Operation, SSAValue

from snippets_mlir.dialects.builtin.dims import Shape
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of, tensor_type
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.layout import TransposeOp
from snippets_mlir.dialects.snippets.product import MatMulOp
from snippets_mlir.dialects.snippets.shapes import format_shape
from snippets_mlir.dialects.snippets.slicing import SliceOp
from snippets_mlir.passes.building.formulas import LOWEST, Term, exp, larger, max_, reshape, sum_
from snippets_mlir.passes.building.graph import OpBuilder, erase_unused
from snippets_mlir.passes.graph.tokenize.subgraphs import make_subgraph


@dataclass(frozen=True, eq=False)
class Split:
    """An attention and the keys of a block.

    Attributes:
        ops: from the first product to the second one; the last but one is the softmax.
        keys: of a block.
        count: of blocks with that many keys.
        rest: the keys of one more block; 0 for none.
    """

    ops: tuple[Operation, ...]
    keys: int
    count: int
    rest: int = 0

    @property
    def first(self) -> MatMulOp:
        """The product that makes the scores."""
        first = self.ops[0]
        assert isinstance(first, MatMulOp)
        return first

    @property
    def second(self) -> MatMulOp:
        """The product of the weights with the values, the second one of an attention."""
        second = self.ops[-1]
        assert isinstance(second, MatMulOp)
        return second

    def __str__(self) -> str:
        shape = format_shape(shape_of(self.first.result))
        rest = f" and one of {self.rest}" if self.rest else ""
        return f"scores of {shape} in {self.count} blocks of {self.keys} keys{rest}"


@dataclass
class _Blocks:
    """Builds the ops of some blocks of a split attention before `build.anchor`.

    Attributes:
        build: the builder.
        whole: the keys of the attention.
        first: the place of the first key of the blocks.
        keys: of a block.
        count: blocks.
    """

    build: OpBuilder
    whole: int
    first: int
    keys: int
    count: int

    def of(self, value: SSAValue, dim: int) -> SSAValue:
        """The keys of these blocks, of a value with the keys in `dim`, counted from the last."""
        shape, own = shape_of(value), self.keys * self.count
        place = len(shape) - 1 - dim
        if place < 0 or shape[place] != self.whole or own == self.whole:
            return value
        starts = [self.first if it == place else 0 for it in range(len(shape))]
        sizes = [own if it == place else size for it, size in enumerate(shape)]
        return self.build.add(SliceOp(value, starts, sizes, [1] * len(shape)))

    def rows(self, value: SSAValue) -> SSAValue:
        """A value with one more dim, of size 1, before its last two; unchanged for a lower rank."""
        shape = shape_of(value)
        return value if len(shape) < 2 else self._as(value, (*shape[:-2], 1, *shape[-2:]))

    def _as(self, value: SSAValue, shape: Shape) -> SSAValue:
        return self.build.reshape(value, shape)

    def columns(self, value: SSAValue) -> SSAValue:
        """A value with its last dim split into blocks, if it is the dim of the keys."""
        *lead, last = shape_of(value) or (1,)
        if last != self.keys * self.count or self.count == 1:
            return self.rows(value)
        if not lead or lead[-1] == 1:
            return self._as(value, (*lead[:-1], self.count, 1, self.keys))
        split = self._as(value, (*lead, self.count, self.keys))
        rank = len(lead) + 2
        order = [*range(rank - 3), rank - 2, rank - 3, rank - 1]
        return self.build.add(TransposeOp(split, order))

    def terms(self, value: SSAValue) -> SSAValue:
        """A value with its second to last dim, that of the keys, split into blocks."""
        *lead, _, last = shape_of(value)
        return self._as(value, (*lead, self.count, self.keys, last))


class _Partial(NamedTuple):
    """What a kernel computes of its blocks: products, and numbers of each row."""

    result: Term
    largest: Term
    total: Term


def _partial(split: Split, blocks: _Blocks) -> tuple[_Partial, list[Operation]]:
    """The ops of the blocks, and what they compute; the slices that they read are before them."""
    first, second, build = split.first, split.second, blocks.build
    turned_keys, turned_values = first.transpose_b is not None, second.transpose_b is None
    right = blocks.of(first.rhs, 1 if turned_keys else 0)
    values = blocks.of(second.rhs, 1 if turned_values else 0)
    between: list[ComputeOp] = [op for op in split.ops[1:-2] if isinstance(op, ComputeOp)]
    made: dict[SSAValue, SSAValue] = {}
    masks = (value for op in between for value in op.operands)
    sliced = {it: blocks.of(it, 0) for it in dict.fromkeys(masks) if it.owner not in split.ops}
    last = second.prev_op
    left = blocks.rows(first.lhs)
    right = blocks.terms(right) if turned_keys else blocks.columns(right)
    scores = MatMulOp(left, right, *first.transposes)
    made[first.result] = build.add(scores)
    for op in between:
        operands = [made.get(it) or blocks.columns(sliced[it]) for it in op.operands]
        element = tensor_of(op.results[0]).element_type
        made[op.results[0]] = build.add(
            type(op).create(
                operands=operands,
                result_types=[tensor_type(element, shape_of(scores.result))],
                properties=dict(op.properties),
            )
        )
    x = Term(made[split.ops[-2].operands[0]], build)
    along = [len(x.shape) - 1]
    largest = larger(max_(x, along), LOWEST[x.type.element_type])
    e = exp(x - largest)
    total = sum_(e, along)
    values = blocks.terms(values) if turned_values else blocks.columns(values)
    y = Term(build.add(MatMulOp(e.value, values, *second.transposes)), build)
    inside: list[Operation] = []
    while (op := inside[0].prev_op if inside else second.prev_op) is not last and op is not None:
        inside.insert(0, op)
    return _Partial(y, largest, total), inside


def split_attention(split: Split) -> None:
    """Write the attention in blocks at the place of its second product."""
    second, build = split.second, OpBuilder(split.second)
    done = split.keys * split.count
    whole = done + split.rest
    parts = [_partial(split, _Blocks(build, whole, 0, split.keys, split.count))]
    if split.rest:
        parts.append(_partial(split, _Blocks(build, whole, done, split.rest, 1)))
    before = second.prev_op
    assert before is not None
    after = [len(parts[0][0].largest.shape) - 3]
    largest, *others = (part.largest for part, _ in parts)
    largest = reduce(larger, others, max_(largest, after))
    weights = [exp(part.largest - largest) for part, _ in parts]

    def weighted(numbers: Iterable[Term]) -> Term:
        """The sum over all blocks."""
        pairs = zip(numbers, weights, strict=True)
        return reduce(add, [sum_(number * weight, after) for number, weight in pairs])

    result = weighted(part.result for part, _ in parts) / weighted(part.total for part, _ in parts)
    build.replace(reshape(result, shape_of(second.result)).value)
    place, block = before.next_op, before.parent
    assert block is not None
    assert place is not None
    for _, inside in parts:
        block.insert_op_before(make_subgraph(inside), place)
    erase_unused(split.ops[:-1])
