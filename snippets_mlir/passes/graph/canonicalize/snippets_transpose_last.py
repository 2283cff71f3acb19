"""Transpose an operand of a matrix product after it has been reshaped, not before.

    %0 = snippets.transpose %k {permutation = array<i64: 0, 2, 1>}
      : (tensor<12x?x64xf32>) -> tensor<12x64x?xf32>
    %1 = snippets.reshape %0 : (tensor<12x64x?xf32>) -> tensor<1x12x64x?xf32>
    %2 = snippets.matmul %q, %1

becomes

    %0 = snippets.reshape %k : (tensor<12x?x64xf32>) -> tensor<1x12x?x64xf32>
    %1 = snippets.transpose %0 {permutation = array<i64: 0, 1, 3, 2>}
      : (tensor<1x12x?x64xf32>) -> tensor<1x12x64x?xf32>
    %2 = snippets.matmul %q, %1

A product reads a transposed operand as it is in memory, and no kernel has to write the transpose.
PyTorch's exports transpose the keys of an attention with dynamic sizes between two reshapes, which
hide that from the tokenizers.

Legal where each dim of the transpose becomes dims of its own, with ones between them: `12x64x?`
becomes `1x12x64x?` and `3x4x64x?`, but `768x?` mixes two of them. With one dim of unknown size and
no symbol on each side, the others decide. Leaves transposes that other ops read, too, and reshapes
that more than products read. Exact. Ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.ir import OpResult
from xdsl.pattern_rewriter import PatternRewriter

from snippets_mlir.dialects.builtin.dims import Dim, Shape
from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.snippets.conversion import ReshapeOp
from snippets_mlir.dialects.snippets.layout import TransposeOp
from snippets_mlir.dialects.snippets.product import MatMulOp
from snippets_mlir.dialects.snippets.shapes import DYNAMIC
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.building.graph import OpBuilder
from snippets_mlir.passes.patterns import Pattern, PatternPass

Parts = tuple[Shape, ...]
"""For each dim of a value the dims that a reshape makes of it."""


def parts_of(source: Sequence[Dim], target: Sequence[Dim]) -> Parts | None:
    """The dims of `target` that each dim of `source` becomes; None where two of them are mixed.

    `(12, 64)` to `(1, 12, 8, 8)` is `((1, 12), (8, 8))`.
    """
    if any(shape.count(DYNAMIC) > 1 for shape in (source, target)):
        return None
    if 0 in source and DYNAMIC in (*source, *target):
        return None
    rest, found = list(target), list[list[Dim]]()
    for size in source:
        part: list[Dim] = []
        product: Dim = 1
        while product != size:
            if not rest or DYNAMIC in part:
                return None
            part.append(rest.pop(0))
            product = part[-1] if part[-1] == DYNAMIC else product * part[-1]
        found.append(part)
    if any(size != 1 for size in rest):
        return None
    if found:
        found[-1] += rest
    return tuple(map(tuple, found))


def only_products_read(op: ReshapeOp) -> bool:
    """Nothing but matrix products reads the reshape."""
    readers = [use.operation for use in op.result.uses]
    return bool(readers) and all(isinstance(reader, MatMulOp) for reader in readers)


def alone_after_a_transpose(op: ReshapeOp) -> bool:
    """The operand is a transpose that nothing else reads."""
    value = op.operand
    is_transposed = isinstance(value, OpResult) and isinstance(value.op, TransposeOp)
    return is_transposed and value.has_one_use()


class ReshapedTranspose(Pattern[ReshapeOp, Parts]):
    """`reshape(transpose(x))` is `transpose(reshape(x))`."""

    name = "reshaped-transpose"
    ops = (ReshapeOp,)
    conditions = (only_products_read, alone_after_a_transpose)

    def match(self, op: ReshapeOp) -> Parts | None:
        """The dims that each dim of the transpose becomes."""
        found = parts_of(shape_of(op.operand), shape_of(op.result))
        return found or None

    def rewrite(self, op: ReshapeOp, match: Parts, rewriter: PatternRewriter) -> None:
        """Reshape what is transposed; the parts of each dim stay together."""
        value = op.operand
        assert isinstance(value, OpResult)
        assert isinstance(value.op, TransposeOp)
        transpose, build = value.op, OpBuilder(op, rewriter)
        order = transpose.permutation
        by_dim = {dim: match[place] for place, dim in enumerate(order)}
        starts: dict[int, int] = {}
        shape: list[Dim] = []
        for dim in range(len(order)):
            starts[dim] = len(shape)
            shape += by_dim[dim]
        permutation = [starts[dim] + part for dim in order for part in range(len(by_dim[dim]))]
        reshaped = build.reshape(transpose.operand, tuple(shape))
        build.replace(build.add(TransposeOp(reshaped, permutation)))
        rewriter.erase(transpose)


@dataclass(frozen=True)
class SnippetsTransposeLastPass(PatternPass):
    """Transpose operands of matrix products after they have been reshaped."""

    name = "snippets-transpose-last"
    STAGES: ClassVar[Stages] = Stages(("graph",))
    MIXES_CLASSES: ClassVar[bool] = False
    PATTERNS = (ReshapedTranspose,)
