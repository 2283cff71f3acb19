"""Values with their dims in another order, and how ops pass this order on to their operands."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from snippets_mlir.analysis.graph.body_views import RegroupOp
from snippets_mlir.dialects.builtin.dims import Shape
from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.conversion import ReshapeOp
from snippets_mlir.dialects.snippets.layout import SqueezeOp, TransposeOp, UnsqueezeOp
from snippets_mlir.dialects.snippets.reduction import ReduceOp
from snippets_mlir.dialects.snippets.shapes import DYNAMIC
from snippets_mlir.passes.building.graph import OpBuilder

Arrangement = tuple[int, ...]
"""A value with its dims in another order: the old dim of each new one, or `ONE` for size 1.
Old dims of size 1 are not named."""

ONE = -1


def arranged(shape: Shape, arrangement: Arrangement) -> Shape:
    """The sizes of a shape in the order of an arrangement, 1 for each new dim."""
    return tuple(1 if dim == ONE else shape[dim] for dim in arrangement)


def without_ones(shape: Shape, dims: Sequence[int]) -> Arrangement:
    """`dims` with those of size 1 as `ONE`."""
    return tuple(ONE if dim == ONE or shape[dim] == 1 else dim for dim in dims)


def _told_by_reshape(source: Shape, target: Shape) -> bool:
    """Whether a reshape gives `target`: at most one of its sizes is unknown."""
    return source == target or target.count(DYNAMIC) <= (0 if 0 in target else 1)


def is_identity(shape: Shape, arrangement: Arrangement) -> bool:
    """Whether an arrangement of a value of `shape` is the value itself."""
    dims = [dim for dim in arrangement if dim != ONE]
    return dims == sorted(dims) and arranged(shape, arrangement) == shape


def is_reshape(shape: Shape, arrangement: Arrangement) -> bool:
    """Whether an arrangement of a value of `shape` only moves dims of size 1."""
    dims = [dim for dim in arrangement if dim != ONE]
    return dims == sorted(dims) and _told_by_reshape(shape, arranged(shape, arrangement))


def moves_only_ones(op: RegroupOp) -> bool:
    """Whether source and target of a reshape differ only in dims of size 1."""
    source, target = ([s for s in shape_of(v) if s != 1] for v in (op.operand, op.result))
    return source == target and (source.count(DYNAMIC) <= 1 or not isinstance(op, ReshapeOp))


def of_operand(op: ComputeOp, operand: SSAValue, arrangement: Arrangement) -> Arrangement | None:
    """The arrangement of `operand` that makes `op` give `arrangement`; None: any."""
    shape, result = shape_of(operand), shape_of(op.results[0])
    if isinstance(op, TransposeOp):
        dims = [ONE if dim == ONE else op.permutation[dim] for dim in arrangement]
    elif isinstance(op, RegroupOp):
        held = iter(dim for dim, size in enumerate(shape) if size != 1)
        place = {dim: next(held) for dim, size in enumerate(result) if size != 1}
        dims = [ONE if dim == ONE else place[dim] for dim in arrangement]
    elif isinstance(op, ReduceOp):
        missing = [axis for axis in op.axes if shape[axis] != 1]
        padding = max(0, len(missing) - arrangement.count(ONE))
        free = iter(missing)
        dims = [next(free, ONE) if dim == ONE else dim for dim in (ONE,) * padding + arrangement]
    else:
        shift = len(result) - len(shape)
        dims = [ONE if dim < shift else dim - shift for dim in arrangement]
    found = without_ones(shape, dims)
    if any(dim != ONE for dim in found):
        return found
    return None if len(shape) <= len(arrangement) else ()


def with_ones_in_front(
    value: SSAValue, extra: int, ones: Sequence[int], builder: OpBuilder
) -> SSAValue:
    """`value` with `extra` more dims of size 1, all of them in front; itself if `extra` is 0."""
    if extra == 0:
        return value
    shape = shape_of(value)
    target = (1,) * (len(ones) + extra) + tuple(size for size in shape if size != 1)
    if _told_by_reshape(shape, target):
        return builder.reshape(value, target)
    bare = builder.add(SqueezeOp(value, ones)) if ones else value
    more = len(ones) + extra
    return builder.add(UnsqueezeOp(bare, range(more))) if more else bare
