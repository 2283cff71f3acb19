"""Canonical forms of ops that move elements: one transpose if it moves data, else one reshape.

    %1 = snippets.transpose %0 {permutation = array<i64: 1, 0, 2>} :
         (tensor<1x4x8xf32>) -> tensor<4x1x8xf32>      -> snippets.reshape %0
    %2 = snippets.unsqueeze %0 {axes = array<i64: 0>}  -> snippets.reshape %0

* transpose(transpose(x)) is one transpose, by the composed permutation.
* A transpose that keeps the order of all dims of size other than 1 is a reshape.
* unsqueeze is a reshape; so is squeeze if the sizes of its axes are known.
* squeeze(unsqueeze(x)) and unsqueeze(squeeze(x)) with the same axes are x.
* A reshape that merges dims, a transpose, and the reshape that splits them again are a transpose:

      %1 = snippets.reshape %0 : 2x4x8x16 to 8x8x16
      %2 = snippets.transpose %1 {permutation = array<i64: 0, 2, 1>}
      %3 = snippets.reshape %2 : 8x16x8 to 2x4x16x8
      -> snippets.transpose %0 {permutation = array<i64: 0, 1, 3, 2>}

A reshape is refused if its type does not determine the shape at run time: with two dynamic dims, or
with a dynamic dim and a size of 0. Elements are only moved, so every rewrite is exact.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from typing_extensions import override
from xdsl.dialects.builtin import DenseArrayBase, i64
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from snippets_mlir.dialects.builtin.dims import Dim, product
from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.snippets.conversion import ReshapeOp
from snippets_mlir.dialects.snippets.layout import (
    LayoutOp,
    SqueezeOp,
    TransposeOp,
    UnsqueezeOp,
    permuted,
)
from snippets_mlir.dialects.snippets.rules.match import in_linear_ir
from snippets_mlir.dialects.snippets.shapes import DYNAMIC


def is_reshapable(shape: Sequence[Dim]) -> bool:
    """Whether `shape` determines the result of a reshape at run time."""
    dynamic = shape.count(DYNAMIC)
    return dynamic == 0 or (dynamic == 1 and 0 not in shape)


def keeps_order(shape: Sequence[Dim], permutation: Sequence[int]) -> bool:
    """Whether a transpose of `shape` only moves dims of size 1, so that no element moves."""
    moved = [dim for dim in permutation if shape[dim] != 1]
    return moved == sorted(moved)


class _ReplaceLayout(RewritePattern, ABC):
    """Replace a layout op by another op, or by a value that exists."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        """Replace `op` by the op that `plan` finds, if any."""
        if not isinstance(op, LayoutOp) or in_linear_ir(op):
            return
        new = self.plan(op)
        if isinstance(new, SSAValue):
            rewriter.replace(op, [], [new])
        elif new is not None:
            new.attributes = dict(op.attributes)
            new.location = op.location
            rewriter.replace(op, new)

    @abstractmethod
    def plan(self, op: LayoutOp) -> Operation | SSAValue | None:
        """The replacement of `op`, a new op not yet inserted, or None."""


def _reshape(op: LayoutOp) -> Operation | None:
    if not is_reshapable(shape_of(op.result)):
        return None
    return ReshapeOp.create(operands=[op.operand], result_types=[op.result.type])


class ComposeTransposes(_ReplaceLayout):
    """transpose(transpose(x, p), q) = transpose(x, p[q])."""

    @override
    def plan(self, op: LayoutOp) -> Operation | None:
        inner = op.operand.owner
        if not isinstance(op, TransposeOp) or not isinstance(inner, TransposeOp):
            return None
        composed = [inner.permutation[dim] for dim in op.permutation]
        return TransposeOp.create(
            operands=[inner.operand],
            result_types=[op.result.type],
            properties={"permutation": DenseArrayBase.from_list(i64, composed)},
        )


class TransposeOfOnes(_ReplaceLayout):
    """A transpose that only moves dims of size 1 is a reshape."""

    def plan(self, op: LayoutOp) -> Operation | None:
        """The reshape, if the order of the other dims is kept."""
        assert isinstance(op, TransposeOp)
        return _reshape(op) if keeps_order(shape_of(op.operand), op.permutation) else None


def merged_dims(source: Sequence[Dim], target: Sequence[Dim]) -> list[list[int]] | None:
    """For each dim of `target`, the adjacent dims of `source` that it consists of.

    None when the sizes do not say that a reshape from `source` to `target` only merges dims.
    """
    groups: list[list[int]] = []
    dims = iter(range(len(source)))
    for size in target:
        group: list[int] = []
        while not group or product(source[dim] for dim in group) != size:
            if (dim := next(dims, None)) is None:
                return None
            group.append(dim)
        groups.append(group)
    return groups if next(dims, None) is None else None


class TransposeOfMergedDims(_ReplaceLayout):
    """reshape(transpose(reshape(x))) is a transpose of x, when it merges dims and splits them."""

    def plan(self, op: LayoutOp) -> Operation | None:
        """The transpose; dims of unknown sizes or of size 0 are refused."""
        transpose = op.operand.owner
        if not isinstance(op, ReshapeOp) or not isinstance(transpose, TransposeOp):
            return None
        merge = transpose.operand.owner
        if not isinstance(merge, ReshapeOp):
            return None
        source, merged = shape_of(merge.operand), shape_of(merge.result)
        if not {0, DYNAMIC}.isdisjoint((*source, *merged)):
            return None
        if (groups := merged_dims(source, merged)) is None:
            return None
        order = [dim for place in transpose.permutation for dim in groups[place]]
        if permuted(source, order) != shape_of(op.result):
            return None
        return TransposeOp(merge.operand, order)


class UndoAxes(_ReplaceLayout):
    """squeeze(unsqueeze(x)) = x and unsqueeze(squeeze(x)) = x for the same axes."""

    def plan(self, op: LayoutOp) -> SSAValue | None:
        """x, when it has the type of the result."""
        inner = op.operand.owner
        if not isinstance(op, SqueezeOp | UnsqueezeOp):
            return None
        if not isinstance(inner, SqueezeOp | UnsqueezeOp) or type(inner) is type(op):
            return None
        same = inner.axes == op.axes and inner.operand.type == op.result.type
        return inner.operand if same else None


class AxesToReshape(_ReplaceLayout):
    """squeeze and unsqueeze are reshapes, if the removed dims are known to have size 1."""

    def plan(self, op: LayoutOp) -> Operation | None:
        """The reshape to the same type."""
        if isinstance(op, SqueezeOp):
            shape = shape_of(op.operand)
            return _reshape(op) if all(shape[axis] == 1 for axis in op.axes) else None
        return _reshape(op)
