"""Move reshapes before transposes and slices, so that kernels read the value in place.

    %0 = snippets.transpose %k {permutation = array<i64: 0, 2, 1>}
      : (tensor<12x?x64xf32>) -> tensor<12x64x?xf32>
    %1 = snippets.reshape %0 : (tensor<12x64x?xf32>) -> tensor<1x12x64x?xf32>
    %2 = snippets.matmul %q, %1

becomes

    %0 = snippets.reshape %k : (tensor<12x?x64xf32>) -> tensor<1x12x?x64xf32>
    %1 = snippets.transpose %0 {permutation = array<i64: 0, 1, 3, 2>}
      : (tensor<1x12x?x64xf32>) -> tensor<1x12x64x?xf32>
    %2 = snippets.matmul %q, %1

A product reads a transposed operand in place, and other kernels read a slice in place. A reshape
between them would need the value to be written first. PyTorch's exports transpose the keys of an
attention with dynamic sizes between two reshapes, and split queries, keys and values before they
reshape them into heads.

Legal if each dim of the transpose or slice becomes dims of its own, with ones between them:
`12x64x?` becomes `1x12x64x?` and `3x4x64x?`, but `768x?` mixes two of them. If each side has one
dim of unknown size and no symbol, the other dims decide. A slice of 768 elements from 1536 on of a
dim of 2304 becomes `12x64` from place 24 on of `36x64`: both ends have to be multiples of 64.
Leaves transposes and slices that other ops also read; transposes that other ops than products read
after the reshape; slices with steps other than 1 or that drop a dim. Exact. Ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import prod
from typing import ClassVar

from typing_extensions import override
from xdsl.ir import OpResult, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from snippets_mlir.dialects.builtin.dims import Dim, Shape, product, static_shape
from snippets_mlir.dialects.builtin.shaped import element_of, shape_of, tensor_type
from snippets_mlir.dialects.builtin.size_facts import has_symbols
from snippets_mlir.dialects.snippets.conversion import ReshapeOp
from snippets_mlir.dialects.snippets.layout import TransposeOp
from snippets_mlir.dialects.snippets.product import MatMulOp
from snippets_mlir.dialects.snippets.shapes import DYNAMIC
from snippets_mlir.dialects.snippets.slicing import SliceOp
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.building.graph import OpBuilder
from snippets_mlir.passes.patterns import Pattern, PatternPass

Parts = tuple[Shape, ...]
"""For each dim of a value, its dims after a reshape."""


def parts_of(source: Sequence[Dim], target: Sequence[Dim]) -> Parts | None:
    """The dims of `target` for each dim of `source`; None if two of them are mixed.

    `(12, 64)` to `(1, 12, 8, 8)` is `((1, 12), (8, 8))`.
    """
    if any(shape.count(DYNAMIC) > 1 for shape in (source, target)):
        return None
    if 0 in source and DYNAMIC in (*source, *target):
        return None
    rest, found = list(target), list[list[Dim]]()
    for size in source:
        part: list[Dim] = []
        taken: Dim = 1
        while taken != size:
            if not rest or DYNAMIC in part:
                return None
            part.append(rest.pop(0))
            taken = part[-1] if part[-1] == DYNAMIC else taken * part[-1]
        found.append(part)
    if any(size != 1 for size in rest):
        return None
    if found:
        found[-1] += rest
    return tuple(map(tuple, found))


def _is_made_by(value: SSAValue, kind: type[TransposeOp | SliceOp]) -> bool:
    """Whether an op of this class computes a value with one reader."""
    return isinstance(value, OpResult) and isinstance(value.op, kind) and value.has_one_use()


def only_products_read(op: ReshapeOp) -> bool:
    """Only matrix products read the reshape."""
    readers = [use.operation for use in op.result.uses]
    return bool(readers) and all(isinstance(reader, MatMulOp) for reader in readers)


def alone_after_a_transpose(op: ReshapeOp) -> bool:
    """The operand is a transpose without other readers."""
    return _is_made_by(op.operand, TransposeOp)


def alone_after_a_slice(op: ReshapeOp) -> bool:
    """The operand is a slice without other readers."""
    return _is_made_by(op.operand, SliceOp)


class ReshapedTranspose(Pattern[ReshapeOp, Parts]):
    """`reshape(transpose(x))` is `transpose(reshape(x))`."""

    name = "reshaped-transpose"
    ops = (ReshapeOp,)
    conditions = (only_products_read, alone_after_a_transpose)

    def match(self, op: ReshapeOp) -> Parts | None:
        """The dims that each dim of the transpose becomes."""
        return parts_of(shape_of(op.operand), shape_of(op.result)) or None

    def rewrite(self, op: ReshapeOp, match: Parts, rewriter: PatternRewriter) -> None:
        """Reshape the operand of the transpose; the parts of each dim stay together."""
        value = op.operand
        assert isinstance(value, OpResult)
        assert isinstance(value.op, TransposeOp)
        transpose, build = value.op, OpBuilder(op, rewriter)
        order = transpose.permutation
        parts = [match[order.index(dim)] for dim in range(len(order))]
        starts = [0, *accumulate(map(len, parts))]
        permutation = [starts[dim] + part for dim in order for part in range(len(parts[dim]))]
        shape, source = tuple(size for part in parts for size in part), transpose.operand
        before = source.owner
        if isinstance(before, ReshapeOp) and before.operand.type == tensor_type(
            element_of(source.type), shape
        ):
            source = before.operand
        reshaped = build.reshape(source, shape)
        build.replace(build.add(TransposeOp(reshaped, permutation)))
        rewriter.erase(transpose)
        if isinstance(before, ReshapeOp) and before.result.first_use is None:
            rewriter.erase(before)


@dataclass(frozen=True)
class Window:
    """A slice of a reshaped value.

    Attributes:
        shape: of the reshaped value.
        starts: where the slice begins in it.
    """

    shape: Shape
    starts: tuple[int, ...]


def _window(whole: Dim, start: int, part: Shape) -> Window | None:
    """How the slice of a dim to `part` from `start` on slices its pieces; None if it does not."""
    if (start, whole) == (0, product(part)):
        return Window(part, (0,) * len(part))
    if not part or not isinstance(whole, int) or has_symbols(part):
        return None
    sizes = static_shape(part)
    place = next((i for i, size in enumerate(sizes) if size != 1), len(sizes) - 1)
    inner = prod(sizes[place + 1 :])
    if inner == 0 or whole % inner or start % inner:
        return None
    rest = len(part) - place - 1
    shape = (*part[:place], whole // inner, *part[place + 1 :])
    return Window(shape, (*(0,) * place, start // inner, *(0,) * rest))


class ReshapedSlice(Pattern[ReshapeOp, Window]):
    """`reshape(slice(x))` is `slice(reshape(x))`."""

    name = "reshaped-slice"
    ops = (ReshapeOp,)
    conditions = (alone_after_a_slice,)

    def match(self, op: ReshapeOp) -> Window | None:
        """The shape of the whole, and the start of the slice in it."""
        value = op.operand
        assert isinstance(value, OpResult)
        assert isinstance(value.op, SliceOp)
        taken, whole = value.op, shape_of(value.op.operand)
        parts = parts_of(shape_of(value), shape_of(op.result))
        if not parts or taken.drops or set(taken.steps) != {1} or DYNAMIC in whole:
            return None
        if has_symbols(taken.starts):
            return None
        found = [*map(_window, whole, static_shape(taken.starts), parts)]
        known = [one for one in found if one is not None]
        if len(known) < len(found):
            return None
        return Window(
            tuple(size for one in known for size in one.shape),
            tuple(start for one in known for start in one.starts),
        )

    @override
    def rewrite(self, op: ReshapeOp, match: Window, rewriter: PatternRewriter) -> None:
        value = op.operand
        assert isinstance(value, OpResult)
        assert isinstance(value.op, SliceOp)
        taken, build = value.op, OpBuilder(op, rewriter)
        reshaped = build.reshape(taken.operand, match.shape)
        steps = [1] * len(match.starts)
        build.replace(build.add(SliceOp(reshaped, match.starts, shape_of(op.result), steps)))
        rewriter.erase(taken)


@dataclass(frozen=True)
class SnippetsReshapeFirstPass(PatternPass):
    """Reshape values before they are transposed or sliced."""

    name = "snippets-reshape-first"
    STAGES: ClassVar[Stages] = Stages(("graph",))
    MIXES_CLASSES: ClassVar[bool] = False
    PATTERNS = (ReshapedTranspose, ReshapedSlice)
