"""Law L20 of a `lir.kernel`: a port that reads a view, or at places, walks the right elements.

    %0 = snippets.slice %x {starts = array<i64: 0, 1>, steps = array<i64: 1, -1>} : tensor<16x2xf32>
    #lir.port<[16, 2], strides [2, -1]>     right
    #lir.port<[16, 2], strides [1, -1]>     L20: reads elements outside of the slice

    %0 = snippets.gather %x, %i {axis = 1 : i64} : (tensor<7x5xf32>, tensor<i64>) -> tensor<7xf32>
    #lir.port<[7], strides [5]>             right: what is read at one place
    #lir.port<[7], strides [6]>             L20

    %0 = snippets.transpose %x {permutation = array<i64: 1, 0>} : tensor<4x3xf32>
    #lir.port<[3, 4], layout [1, 0]>        right, and from `marked` on the law;
    #lir.port<[3, 4]>                       before, lir-propagate-layout writes the layout

Sizes and strides have to be the same after dims of size 1 are dropped and adjacent dims that are
contiguous in memory are merged, as in `lir-optimize-domain`. A `lir.gather` of an argument reads
inside of it for all places. Nothing is checked if a size is known only at run time, or if there are
no elements.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from xdsl.ir import BlockArgument, Operation

from snippets_mlir.dialects.builtin.dims import Dim, Shape, product
from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.lir.access import input_ports, is_view, ports, view_source
from snippets_mlir.dialects.lir.buffer import BufferOp
from snippets_mlir.dialects.lir.gather import GatherOp
from snippets_mlir.dialects.lir.part import row_major
from snippets_mlir.dialects.snippets.gathering import PlacesOp
from snippets_mlir.dialects.snippets.layout import TransposeOp, permuted
from snippets_mlir.dialects.snippets.slicing import SliceOp

if TYPE_CHECKING:
    from snippets_mlir.dialects.lir.laws import Fail
Walk = list[tuple[int, int]]
"""Sizes and distances in elements, outermost first."""


def check_slices(ops: Iterable[Operation], ordered: bool, fail: Fail) -> None:
    """Check the law, with `ordered` also for transposes; `fail` is called with the law and a
    message.
    """
    for op in ops:
        for port in ports(op):
            if port.strides and len(port.strides) != len(port.shape):
                expected, found = len(port.shape), len(port.strides)
                fail("L20", f"expected strides for {expected} dims of a port, found {found}")
        if is_view(op):
            continue
        if isinstance(op, GatherOp):
            _check_reach(op, fail)
        for value, port in zip(op.operands, input_ports(op), strict=False):
            owner = value.owner
            if isinstance(owner, SliceOp):
                slice_, where = walk(shape_of(value), owner.strides()), "of a slice"
            elif ordered and isinstance(owner, TransposeOp) and (strides := _strides(owner)):
                slice_, where = walk(shape_of(value), strides), "of a transpose"
            elif isinstance(op, PlacesOp) and value is op.source:
                slice_, where = walk(op.read_shape, op.strides), "at a place"
            else:
                continue
            read = walk(port.shape, [port.stride(dim) for dim in range(len(port.shape))])
            if slice_ is not None and read is not None and slice_ != read:
                fail(
                    "L20",
                    f"expected {op.name} to read {walk_text(slice_)} {where}, found a port of "
                    f"{walk_text(read)}",
                )


def _strides(op: TransposeOp) -> Shape | None:
    """The distance in memory of neighbours in each dim of a transpose; None if not known here."""
    source = op.operand.owner
    if isinstance(view_source(op.operand).owner, BufferOp):
        return None  # a part of the array, inside the loops of its buffer
    if isinstance(source, SliceOp):
        return permuted(source.strides(), op.permutation)
    if isinstance(source, TransposeOp):
        inner = _strides(source)
        return None if inner is None else permuted(inner, op.permutation)
    if isinstance(source, Operation) and is_view(source):
        return None
    return permuted(row_major(shape_of(op.operand)), op.permutation)


def _check_reach(op: GatherOp, fail: Fail) -> None:
    """Check that the largest places of a gather of an argument are inside the array."""
    port, elements = input_ports(op)[0], product(shape_of(op.source))
    ends = [(size - 1) * port.stride(dim) for dim, size in enumerate(port.shape)]
    ends += [limit * step for limit, step in zip(op.limits, op.steps, strict=True)]
    if not isinstance(op.source, BlockArgument) or not isinstance(elements, int) or not elements:
        return
    known = [end for end in ends if isinstance(end, int)]
    first, last = sum(min(end, 0) for end in known), sum(max(end, 0) for end in known)
    if len(known) == len(ends) and (first < 0 or last >= elements):
        what = f"the {elements} elements of its array"
        fail("L20", f"expected {op.name} to read {what}, found places from {first} to {last}")


def walk(shape: Iterable[Dim], strides: Iterable[Dim]) -> Walk | None:
    """The walk of dims, with neighbours in memory merged; None if it is unknown or empty."""
    found: Walk = []
    for size, stride in zip(shape, strides, strict=True):
        if not isinstance(size, int) or not isinstance(stride, int) or size < 1:
            return None
        if size == 1:
            continue
        if found and found[-1][1] == size * stride:
            found[-1] = (found[-1][0] * size, stride)
        else:
            found.append((size, stride))
    return found


def walk_text(walked: Walk) -> str:
    """The walk in words, for a message."""
    return ", ".join(f"{size} elements {stride} apart" for size, stride in walked) or "one element"
