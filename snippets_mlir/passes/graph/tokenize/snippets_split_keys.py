"""Split the keys of an attention into blocks if no cache holds a block of rows of all scores.

    %s = snippets.matmul %q, %k {transpose_b}    : 90x8, 20000x8 -> 90x20000
    %p = snippets.softmax %s
    %o = snippets.matmul %p, %v                  : 90x20000, 20000x8 -> 90x8

becomes, with 10 blocks of 2000 keys,

    %y, %m, %l = snippets.subgraph (...) {                          one kernel
      %s = snippets.matmul %q, %k {transpose_b}  : 1x90x8, 10x2000x8 -> 10x90x2000
      %m = the maximum of each row of %s, at least the lowest number
      %e = exp(%s - %m)
      %l = the sum of each row of %e
      %y = snippets.matmul %e, %v                : 10x90x2000, 10x2000x8 -> 10x90x8
    }
    %w = exp(%m - the maximum of %m over the blocks)
    %o = the sum of %y * %w over the blocks / the sum of %l * %w over the blocks

So no array has rows times keys elements, and the scratchpad of the kernel does not depend on the
number of keys. Scales and masks between the product and the softmax are split into blocks, too. A
row with only -inf scores is 0 / 0 = NaN, like its softmax; NaN and +inf give NaN.

The size of a block is the largest divisor of the number of keys, at least 256, such that 64 rows of
scores fit half of the second-level cache. Leaves attentions that `snippets-tokenize-mha` takes
whole; dynamic sizes; other ops between the softmax and the second product; a softmax along another
dim than the rows. Source: online softmax (Milakov and Gimelshein), split over keys as in
Flash-Decoding.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from typing_extensions import override
from xdsl.ir import Block, Operation, SSAValue

from snippets_mlir.analysis.kernels.row_blocks import LEAST
from snippets_mlir.dialects.builtin.dims import Shape
from snippets_mlir.dialects.builtin.shaped import byte_width, shape_of, tensor_of, tensor_type
from snippets_mlir.dialects.builtin.size_facts import has_symbols
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.layout import TransposeOp
from snippets_mlir.dialects.snippets.normalization import SoftmaxOp
from snippets_mlir.dialects.snippets.product import MatMulOp
from snippets_mlir.dialects.snippets.shapes import format_shape, is_static
from snippets_mlir.passes.building.formulas import LOWEST, Term, exp, larger, max_, reshape, sum_
from snippets_mlir.passes.building.graph import OpBuilder, erase_unused
from snippets_mlir.passes.effects import APPROXIMATES, Effect
from snippets_mlir.passes.graph.graph_passes import GraphPlanPass
from snippets_mlir.passes.graph.tokenize.snippets_tokenize_mha import (
    attentions_before,
    plan_attention,
)
from snippets_mlir.passes.graph.tokenize.subgraphs import make_subgraph
from snippets_mlir.support.walking import module_of
from snippets_mlir.targets.attributes import machine_of

ROWS = 64
"""The rows of scores for a block of keys that fit half of the second-level cache."""

FEWEST = 256
"""The least keys of a block."""


@dataclass(frozen=True, eq=False)
class Split:
    """An attention and the keys of a block.

    Attributes:
        ops: from the first product to the second one; the last but one is the softmax.
        keys: of a block.
        count: of blocks.
    """

    ops: tuple[Operation, ...]
    keys: int
    count: int

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
        return f"scores of {shape} in {self.count} blocks of {self.keys} keys"


@dataclass(frozen=True)
class Splits:
    """The attentions of a block that are split."""

    found: tuple[Split, ...]

    def __str__(self) -> str:
        return "\n".join(map(str, self.found)) or "no attention is taken in blocks of keys"


def plan_split(ops: Sequence[Operation], cache: int) -> Split | None:
    """The blocks for the ops of an attention and `cache` bytes a core; None if it stays."""
    scores = ops[0].results[0]
    shape, element = shape_of(scores), tensor_of(scores).element_type
    if element not in LOWEST:
        return None
    shapes = [shape_of(value) for op in ops for value in (*op.operands, *op.results)]
    keys = shape[-1]
    if not isinstance(keys, int) or any(has_symbols(it) or not is_static(it) for it in shapes):
        return None
    row = keys * byte_width(element)
    if LEAST * row <= cache or plan_attention([*ops], LEAST * row).reason is not None:
        return None
    *before, softmax, second = ops
    if not isinstance(softmax, SoftmaxOp) or second.operands[0] is not softmax.results[0]:
        return None
    if any(isinstance(op, SoftmaxOp) or shape_of(op.results[0]) != shape for op in before):
        return None
    most = cache // 2 // (ROWS * byte_width(element))
    block = next((it for it in range(most, FEWEST - 1, -1) if keys % it == 0), None)
    return None if block is None else Split(tuple(ops), block, keys // block)


@dataclass
class _Blocks:
    """Builds the ops of a split attention before `build.anchor`.

    Attributes:
        keys: of a block.
        count: blocks.
    """

    build: OpBuilder
    keys: int
    count: int

    def rows(self, value: SSAValue) -> SSAValue:
        """A value with one more dim, of size 1, before its last two; unchanged for a lower rank."""
        shape = shape_of(value)
        return value if len(shape) < 2 else self._as(value, (*shape[:-2], 1, *shape[-2:]))

    def _as(self, value: SSAValue, shape: Shape) -> SSAValue:
        return self.build.reshape(value, shape)

    def columns(self, value: SSAValue) -> SSAValue:
        """A value with its last dim split into blocks, if it is the dim of the keys."""
        *lead, last = shape_of(value) or (1,)
        if last != self.keys * self.count:
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


def split_attention(split: Split) -> None:
    """Write the attention in blocks at the place of its second product."""
    first, second, build = split.first, split.second, OpBuilder(split.second)
    last = second.prev_op
    blocks = _Blocks(build, split.keys, split.count)
    right = blocks.terms if first.transpose_b is not None else blocks.columns
    values = blocks.terms if second.transpose_b is None else blocks.columns
    scores = MatMulOp(blocks.rows(first.lhs), right(first.rhs), *first.transposes)
    made: dict[SSAValue, SSAValue] = {first.result: build.add(scores)}
    for op in split.ops[1:-2]:
        assert isinstance(op, ComputeOp)
        operands = [made.get(value) or blocks.columns(value) for value in op.operands]
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
    of_block = larger(max_(x, along), LOWEST[x.type.element_type])
    e = exp(x - of_block)
    partial = sum_(e, along)
    y = Term(build.add(MatMulOp(e.value, values(second.rhs), *second.transposes)), build)
    inside: list[Operation] = []
    while (op := inside[0].prev_op if inside else second.prev_op) is not last and op is not None:
        inside.insert(0, op)
    after = [len(x.shape) - 3]
    largest = max_(of_block, after)
    place = largest.value.owner
    assert isinstance(place, Operation)
    weight = exp(of_block - largest)
    result = sum_(y * weight, after) / sum_(partial * weight, after)
    result = reshape(result, shape_of(second.result))
    block = second.parent
    assert block is not None
    block.insert_op_before(make_subgraph(inside), place)
    build.replace(result.value)
    erase_unused(split.ops[:-1])


@dataclass(frozen=True)
class SnippetsSplitKeysPass(GraphPlanPass[Splits]):
    """Split the keys of long attentions into blocks."""

    name = "snippets-split-keys"
    EFFECT: ClassVar[Effect] = APPROXIMATES

    def plan(self, unit: Block) -> Splits:
        """The attentions with too long scores; no two share an op."""
        seconds = [op for op in unit.ops if isinstance(op, MatMulOp)]
        if len(seconds) < 2:
            return Splits(())
        order = {op: place for place, op in enumerate(unit.ops)}
        function = unit.parent_op()
        assert function is not None
        cache = machine_of(module_of(function)).second_cache
        found: list[Split] = []
        taken: set[Operation] = set()
        for second in seconds:
            ways = (ops for ops in attentions_before(second, order) if taken.isdisjoint(ops))
            splits = (plan_split(ops, cache) for ops in ways)
            if (split := next(filter(None, splits), None)) is not None:
                found.append(split)
                taken.update(split.ops)
        return Splits(tuple(found))

    @override
    def carry_out(self, unit: Block, plan: Splits) -> None:
        for split in plan.found:
            split_attention(split)
