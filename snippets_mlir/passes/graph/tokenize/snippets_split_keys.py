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
scores fit half of the second-level cache. If there is none, the last block has fewer keys:

    16411 keys    8 blocks of 1920 keys and one of 1051

Slices of the keys, the values and the masks then bring the equal blocks into one kernel, and the
last block into another. Both results count in %w and %o.

Leaves attentions that `snippets-tokenize-mha` takes whole; one row; fewer than 32 rows if there is
no such divisor, because the slices are copies; dynamic sizes; other ops between the softmax and the
second product; a softmax along another dim than the rows. Source: online softmax (Milakov and
Gimelshein), split over keys as in Flash-Decoding.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from typing_extensions import override
from xdsl.ir import Block, Operation

from snippets_mlir.analysis.kernels.row_blocks import LEAST
from snippets_mlir.dialects.builtin.shaped import byte_width, shape_of, tensor_of
from snippets_mlir.dialects.builtin.size_facts import has_symbols
from snippets_mlir.dialects.snippets.normalization import SoftmaxOp
from snippets_mlir.dialects.snippets.product import MatMulOp
from snippets_mlir.dialects.snippets.shapes import is_static
from snippets_mlir.passes.building.formulas import LOWEST
from snippets_mlir.passes.effects import APPROXIMATES, Effect
from snippets_mlir.passes.graph.graph_passes import GraphPlanPass
from snippets_mlir.passes.graph.tokenize.key_blocks import Split, split_attention
from snippets_mlir.passes.graph.tokenize.snippets_tokenize_mha import (
    attentions_before,
    plan_attention,
)
from snippets_mlir.support.walking import module_of
from snippets_mlir.targets.attributes import machine_of

ROWS = 64
"""The rows of scores for a block of keys that fit half of the second-level cache."""

FEWEST = 256
"""The least keys of a block."""

UNIT = 64
"""What the keys of a block are a multiple of if the last block has fewer: whole vectors."""

MANY = 32
"""The least rows for a last block of fewer keys: the slices of keys and values are copies."""


@dataclass(frozen=True)
class Splits:
    """The attentions of a block that are split."""

    found: tuple[Split, ...]

    def __str__(self) -> str:
        return "\n".join(map(str, self.found)) or "no attention is taken in blocks of keys"


def block_of(keys: int, most: int) -> int:
    """The keys of a block of at most `most`, of which `keys` has several.

    A divisor of `keys`; else a number that leaves half of a block or more, if there is one.
    """
    if (
        found := next((it for it in range(most, FEWEST - 1, -1) if keys % it == 0), None)
    ) is not None:
        return found
    sizes = range(most // UNIT * UNIT, most // 2, -UNIT)
    half = next((it for it in sizes if 2 * (keys % it) >= it), None)
    return max(sizes, key=lambda it: keys % it) if half is None else half


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
    if shape[-2] == 1 or LEAST * row <= cache:
        return None
    if plan_attention([*ops], LEAST * row).reason is not None:
        return None
    *before, softmax, second = ops
    if not isinstance(softmax, SoftmaxOp) or second.operands[0] is not softmax.results[0]:
        return None
    if any(isinstance(op, SoftmaxOp) or shape_of(op.results[0]) != shape for op in before):
        return None
    most = cache // 2 // (ROWS * byte_width(element))
    block, rows = block_of(keys, most), shape[-2]
    if keys % block and isinstance(rows, int) and rows < MANY:
        return None
    return Split(tuple(ops), block, keys // block, keys % block)


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
