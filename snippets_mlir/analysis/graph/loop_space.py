"""The loops that an op requires of a kernel: facts for the tokenizer's rules T2 and T5 to T8.

    %m = snippets.reduce_max %x {axes = array<i64: 1>, keep_dims} : (tensor<8x64xf32>) -> ...
    shape (8, 64), reduced {-1}: loops over 8 and 64, the inner one combines

    %t = snippets.transpose %x {permutation = array<i64: 1, 0>} : ...
    shape (64, 8), outside (0,): %x has to come from outside of the subgraph

Reduced dims are counted from the last one, so that shapes of different rank can be compared.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue

from snippets_mlir.analysis.graph.refined_bodies import Refinement
from snippets_mlir.dialects.builtin.dims import Dim, Shape, known_less, product
from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.builtin.size_estimates import assumed
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.channel_norms import BatchNormOp, GroupNormOp, InstanceNormOp
from snippets_mlir.dialects.snippets.cumulative import CumulativeOp
from snippets_mlir.dialects.snippets.gathering import PlacesOp
from snippets_mlir.dialects.snippets.layout import LayoutOp, TransposeOp
from snippets_mlir.dialects.snippets.normalization import NormalizationOp
from snippets_mlir.dialects.snippets.product import MatMulOp
from snippets_mlir.dialects.snippets.reduction import ReduceOp
from snippets_mlir.dialects.snippets.shapes import DYNAMIC
from snippets_mlir.dialects.snippets.slicing import SliceOp
from snippets_mlir.dialects.snippets.whole_tensor import WholeTensorOp

SMALL_WORK = 32768
"""Below this number of elements one thread is as good as several (a team costs about as much)."""


@dataclass(frozen=True)
class LoopSpace:
    """The loops of an op.

    Attributes:
        shape: the sizes that the loops walk.
        reduced: the dims of `shape` that the op combines, counted from the last: -1 is the last. A
            cumulative op also combines along one.
        outside: places of the operands that have to be inputs of the subgraph, because the kernel
            reads them through a view: another order of the dims, or other dims.
        closes: whether nothing in the subgraph may read the result, because its dims differ.
    """

    shape: Shape
    reduced: frozenset[int] = frozenset()
    outside: tuple[int, ...] = ()
    closes: bool = False


def _reduced(dims: tuple[int, ...], rank: int) -> frozenset[int]:
    return frozenset(dim - rank for dim in dims)


def space_of(op: Operation) -> LoopSpace:
    """The loops that `op` needs; `op` can go into a kernel (`eligibility.why_not`)."""
    if not isinstance(op, WholeTensorOp):
        return LoopSpace(shape_of(op.results[0]))
    match op:
        case ReduceOp():
            shape = shape_of(op.operand)
            dropped = bool(op.axes) and not op.keeps_dims
            return LoopSpace(shape, _reduced(op.axes, len(shape)), closes=dropped)
        case CumulativeOp():
            shape = shape_of(op.operand)
            return LoopSpace(shape, _reduced((op.axis,), len(shape)))
        case PlacesOp():
            return LoopSpace(shape_of(op.results[0]), outside=tuple(range(len(op.operands))))
        case TransposeOp() | SliceOp():
            return LoopSpace(shape_of(op.result), outside=(0,))
        case GroupNormOp():
            # The groups become a dim of their own, so all operands have to be views of inputs.
            every = tuple(range(len(op.operands)))
            images, channels, *rest = shape_of(op.x)
            inner = channels if channels == DYNAMIC else channels // op.num_groups
            shape = (images, op.num_groups, inner, *rest)
            reduced = _reduced(tuple(range(2, len(shape))), len(shape))
            return LoopSpace(shape, reduced, every, closes=True)
        case InstanceNormOp() | BatchNormOp():
            # Parameters [C] are read as [C, 1, ...].
            parameters = tuple(range(1, len(op.operands)))
            reduced = _reduced(op.normalized_dims(), len(shape_of(op.x)))
            return LoopSpace(shape_of(op.x), reduced, parameters)
        case NormalizationOp():
            shape = shape_of(op.x)
            return LoopSpace(shape, _reduced(op.normalized_dims(), len(shape)))
        case MatMulOp():
            return LoopSpace(shape_of(op.result), outside=(0, 1))
        case _:
            return LoopSpace(shape_of(op.results[0]))


def refined_space(op: ComputeOp, plan: Refinement) -> LoopSpace | None:
    """The loops of `op` in the shapes of a refinement; None for a view, which has no loops."""
    match op:
        case LayoutOp():
            return None
        case ReduceOp():
            source, dims = op.operand, op.axes
        case NormalizationOp():
            source, dims = op.x, op.normalized_dims()
        case _:
            return LoopSpace(plan.shape(op.results[0]))
    shape = plan.shape(source)
    axes = plan.axes(source, dims)
    if isinstance(op, GroupNormOp):
        axes += _dims_in_groups(op, plan)
    return LoopSpace(shape, _reduced(axes, len(shape)))


def _dims_in_groups(op: GroupNormOp, plan: Refinement) -> tuple[int, ...]:
    """The refined dims that hold the channels of one group."""
    parts = [(p.part, i, p.size) for i, p in enumerate(plan.layouts[op.x]) if p and p.dim == 1]
    groups: Dim = 1
    found = list[int]()
    for _, place, size in sorted(parts):
        if not known_less(groups, op.num_groups):
            found.append(place)
        groups = groups * size
    return tuple(found)


def outside_values(op: Operation, space: LoopSpace) -> set[SSAValue]:
    """The operands of `op`, which needs the loops `space`, that no op of its subgraph may compute.

    They are the operands that `op` reads through a view (`LoopSpace.outside`), and results of ops
    that close their subgraph.
    """
    found = {op.operands[index] for index in space.outside}
    for value in op.operands:
        owner = value.owner
        if isinstance(owner, ReduceOp | GroupNormOp) and space_of(owner).closes:
            found.add(value)
    return found


def is_read_as_view(op: Operation, index: int) -> bool:
    """Whether operand `index` of `op` has to be an input of the subgraph."""
    return isinstance(op, WholeTensorOp) and index in space_of(op).outside


def without_ones_in_front(shape: Shape) -> Shape:
    """`shape` without the dims of size 1 in front, which broadcasting adds."""
    for place, size in enumerate(shape):
        if size != 1:
            return shape[place:]
    return ()


def parallel_units(shape: Shape, reduced: frozenset[int]) -> Dim | None:
    """How many results a reduction over the dims `reduced` has; None when it is not known."""
    kept = [size for dim, size in enumerate(shape, start=-len(shape)) if dim not in reduced]
    return None if DYNAMIC in kept else product(kept)


def is_small(shape: Shape) -> bool:
    """Whether a team of threads does not pay off: fewer than `SMALL_WORK` elements."""
    return DYNAMIC not in shape and assumed(product(shape)) < SMALL_WORK
