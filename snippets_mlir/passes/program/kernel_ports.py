"""The ports through which the ops of a new kernel access values, padded to the kernel's rank.

    %t = snippets.transpose %x : 300x64 -> 64x300     #lir.port<[64, 300], layout [1, 0]>
    %s = snippets.slice %x : 300x64 -> 300x32         #lir.port<[300, 32], strides [64, 1]>
    %u = snippets.transpose %s : 300x32 -> 32x300     #lir.port<[32, 300], strides [1, 64]>

These are the ports of a view's readers, and of a result that is a view.
"""

from collections.abc import Sequence
from dataclasses import replace

from xdsl.ir import BlockArgument, Operation, OpResult, SSAValue

from snippets_mlir.dialects.builtin.dims import Shape
from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.lir.access import view_source
from snippets_mlir.dialects.lir.ports import PortDescriptor
from snippets_mlir.dialects.snippets.conversion import ReshapeOp
from snippets_mlir.dialects.snippets.gathering import GatherOp, PlacesOp
from snippets_mlir.dialects.snippets.layout import TransposeOp, permuted
from snippets_mlir.dialects.snippets.slicing import SliceOp


def is_output_view(op: Operation) -> bool:
    """Whether `op` is a reshape of a computed value: a view of the output that it becomes."""
    return isinstance(op, ReshapeOp) and not isinstance(op.operand, BlockArgument)


def output_port(value: SSAValue, rank: int) -> PortDescriptor:
    """The port of a result; for a transposed one it has the kernel's dims and their order."""
    if not isinstance(value, OpResult):
        return planar(value, rank)
    if is_output_view(value.op):
        return planar(value)
    if not isinstance(value.op, TransposeOp) or isinstance(view_source(value), BlockArgument):
        return descriptor(value, rank)
    port = planar(view_source(value), rank)
    dims = places_of(shape_of(value.op.operand), port.shape)
    rows = tuple(dims[dim] for dim in value.op.permutation)
    ones = tuple(dim for dim in range(rank) if dim not in rows)
    return replace(port, layout=(*ones, *rows))


def places_of(shape: Shape, among: Shape) -> list[int]:
    """For each size of `shape`, its place in `among`, which has more dims of size 1."""
    places = enumerate(among)
    return [next(place for place, other in places if other == size) for size in shape]


def planar(value: SSAValue, rank: int = 1) -> PortDescriptor:
    """The port of a value with its dims in memory in the order of its type."""
    shape = shape_of(value)
    return PortDescriptor((1,) * (rank - len(shape)) + tuple(shape))


def transposed_layout(permutation: Sequence[int], rank: int) -> tuple[int, ...]:
    """The dim of the result at each place in memory, for a result padded to `rank`.

    Place p of a transposed array holds dim p of its operand, which is the result dim with the entry
    p in `permutation`.
    """
    pad = rank - len(permutation)
    inverse = [permutation.index(place) for place in range(len(permutation))]
    return (*range(pad), *(dim + pad for dim in inverse))


def descriptor(value: SSAValue, rank: int) -> PortDescriptor:
    """The port through which an op of the kernel accesses `value`."""
    port = planar(value, rank)
    order = None
    if isinstance(value, OpResult) and isinstance(value.op, TransposeOp):
        order, value = value.op.permutation, value.op.operand
    if isinstance(value, OpResult) and isinstance(value.op, SliceOp):
        strides = value.op.strides()
        strides = strides if order is None else permuted(strides, order)
        return replace(port, strides=(*(0,) * (rank - len(strides)), *strides))
    return port if order is None else replace(port, layout=transposed_layout(order, rank))


def ports_at_places(op: PlacesOp, rank: int) -> list[PortDescriptor]:
    """The ports of a gather: the array has size 1 and no distance in dims that indices walk."""
    result = planar(op.results[0], rank)
    if not isinstance(op, GatherOp):
        ahead = rank - len(op.strides)
        array = replace(result, strides=(*(0,) * ahead, *op.strides))
        return [array, *(PortDescriptor((1,) * rank) for _ in op.places), result]
    before, after = op.axis, len(op.strides) - op.axis - 1
    walked = shape_of(op.indices)
    ahead = rank - before - len(walked) - after
    ones, none = (1,) * len(walked), (0,) * len(walked)
    shape, strides = shape_of(op.operand), op.strides
    array = PortDescriptor(
        (*(1,) * ahead, *shape[:before], *ones, *shape[before + 1 :]),
        strides=(*(0,) * ahead, *strides[:before], *none, *strides[before + 1 :]),
    )
    places = PortDescriptor((*(1,) * (ahead + before), *walked, *(1,) * after))
    return [array, places, result]
