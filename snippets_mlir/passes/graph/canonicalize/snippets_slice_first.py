"""Slice the operands of products before they are transposed, so that no data moves.

    %0 = snippets.transpose %x [2, 0, 3, 1, 4]        2x9x3x4x8 to 3x2x4x9x8
    %q = snippets.slice %0, dim 0 dropped             2x4x9x8
    %k = snippets.slice %0, dim 0 dropped             2x4x9x8
    %1 = snippets.transpose %k [0, 1, 3, 2]           2x4x8x9
    %s = snippets.matmul %q, %1

becomes

    %2 = snippets.slice %x, dim 2 dropped             2x9x4x8
    %q = snippets.transpose %2 [0, 2, 1, 3]           2x4x9x8
    %3 = snippets.slice %x, dim 2 dropped             2x9x4x8
    %1 = snippets.transpose %3 [0, 2, 3, 1]           2x4x8x9
    %s = snippets.matmul %q, %1

Models of images and exports of PyTorch make queries, keys and values in one product, transpose all
of them, and take the parts. A transpose of a part is a view of a product's kernel; so is the part.
A reshape that drops the sliced dim (Split and Squeeze) becomes a dim that the slice drops.

A reshape of a slice that only adds or drops dims of 1, and a transpose that moves such, as where
there is one head, become a reshape of the whole: a kernel reads no reshape of a slice as a view.

    %k = snippets.slice %x, dim 1 dropped             9x3x1x8 to 9x1x8
    %0 = snippets.transpose %k [1, 0, 2]              1x9x8

becomes

    %1 = snippets.reshape %x                          1x9x3x8
    %0 = snippets.slice %1, dim 2 dropped             1x9x8

Exact. Leaves transposes that anything but slices reads, and slices that other ops than products,
transposes and such reshapes read. Ours.
"""

# No annotations from __future__: xDSL reads the options of passes from these.

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, TypeVar

from typing_extensions import override
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.snippets.conversion import ReshapeOp
from snippets_mlir.dialects.snippets.layout import TransposeOp
from snippets_mlir.dialects.snippets.product import MatMulOp
from snippets_mlir.dialects.snippets.slicing import SliceOp
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.building.graph import OpBuilder, not_skipped, outside_of_subgraphs
from snippets_mlir.passes.graph.canonicalize.reshaped_slices import (
    ReshapedSlice,
    readers_of,
    transposed,
)
from snippets_mlir.passes.patterns import Pattern, PatternPass

T = TypeVar("T")


class Part(NamedTuple):
    """A slice of a transpose.

    Attributes:
        transpose: of the whole.
        drops: the dims that the slice drops, or a reshape after it does.
        result: of the slice, or of that reshape.
    """

    transpose: TransposeOp
    drops: tuple[int, ...]
    result: SSAValue


def _squeezed(op: SliceOp) -> ReshapeOp | None:
    """The only reader of a slice, if it is a reshape that drops dims that the slice cut to 1."""
    reader = op.result.get_user_of_unique_use()
    if not isinstance(reader, ReshapeOp) or op.drops:
        return None
    ones = _single(op)
    rest = tuple(size for dim, size in enumerate(op.sizes) if dim not in ones)
    return reader if ones and rest == shape_of(reader.result) else None


def _single(op: SliceOp) -> tuple[int, ...]:
    whole = shape_of(op.operand)
    return tuple(dim for dim, size in enumerate(op.sizes) if size == 1 and whole[dim] != 1)


def only_slices_read_the_transpose(op: SliceOp) -> bool:
    """The operand is a transpose of which slices alone are read."""
    value = op.operand
    transposed = isinstance(value.owner, TransposeOp) and not_skipped(value.owner)
    return transposed and all(isinstance(reader, SliceOp) for reader in readers_of(value))


class SlicedTranspose(Pattern[SliceOp, Part]):
    """`slice(transpose(x))` is `transpose(slice(x))`."""

    name = "sliced-transpose"
    ops = (SliceOp,)
    conditions = (outside_of_subgraphs, not_skipped, only_slices_read_the_transpose)

    def match(self, op: SliceOp) -> Part | None:
        """The transpose, if products read the part."""
        view = _squeezed(op)
        result = op.result if view is None else view.result
        readers, transpose = readers_of(result), op.operand.owner
        if not readers or not all(isinstance(it, MatMulOp | TransposeOp) for it in readers):
            return None
        assert isinstance(transpose, TransposeOp)
        return Part(transpose, op.drops if view is None else _single(op), result)

    def rewrite(self, op: SliceOp, match: Part, rewriter: PatternRewriter) -> None:
        """Slice `x`; a transpose after the slice and the one before it are one."""
        build, order = OpBuilder(op, rewriter), match.transpose.permutation

        def as_before(of: Sequence[T]) -> list[T]:
            return [of[order.index(dim)] for dim in range(len(order))]

        drops = sorted(order[dim] for dim in match.drops)
        starts, sizes = as_before(op.starts), as_before(op.sizes)
        part = build.add(
            SliceOp(match.transpose.operand, starts, sizes, as_before(op.steps), drops)
        )
        kept = [dim for dim in range(len(order)) if dim not in drops]
        moved = [kept.index(dim) for dim in order if dim in kept]
        for reader in readers_of(match.result):
            if isinstance(reader, TransposeOp):
                after = OpBuilder(reader, rewriter)
                after.replace(transposed(after, part, [moved[i] for i in reader.permutation]))
        if match.result.first_use is not None:
            rewriter.replace_all_uses_with(match.result, transposed(build, part, moved))
        for old in (match.result.owner, op, match.transpose):
            if isinstance(old, Operation) and old.parent and old.results[0].first_use is None:
                rewriter.erase(old)


@dataclass(frozen=True)
class SnippetsSliceFirstPass(PatternPass):
    """Slice operands of products before they are transposed."""

    name = "snippets-slice-first"
    STAGES: ClassVar[Stages] = Stages(("graph",))
    MIXES_CLASSES: ClassVar[bool] = False
    PATTERNS = (SlicedTranspose, ReshapedSlice)

    @override
    def roots(self, module: ModuleOp) -> Iterable[Operation]:
        """Two sweeps: the second one sees the slices and transposes that the first one makes."""
        return (module, module)
