"""Memrefs as views of memory whose sizes are known in a call.

    %s = memref.subview %x[%i, 2] [4, %n] [1, 2]      element (a, b) is (i + a, 2 + 2 * b) of %x
    %t = memref.transpose %x (d0, d1) -> (d1, d0)     element (a, b) is (b, a)
    %c = memref.cast %x                               the same elements

Memory is an argument, an allocation or a global. Reinterpreted, collapsed and expanded memrefs, and
results of calls and choices are not views.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from xdsl.dialects import memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType
from xdsl.ir import Attribute, Operation, SSAValue

from snippets_mlir.analysis.loops.call_forms import product
from snippets_mlir.analysis.loops.index_formulas import Form
from snippets_mlir.analysis.loops.linear_forms import Linear
from snippets_mlir.dialects.builtin.shaped import extents_of
from snippets_mlir.dialects.memref.subviews import kept_dims_of, static_indices
from snippets_mlir.dialects.memref.views import CastOp, MemorySpaceCastOp, TransposeOp

Forms = tuple[Linear, ...]
ONE = Linear(constant=1)


@dataclass(frozen=True)
class Axis:
    """The place in one dim of the memory: `offset + stride * index[dim]`, or only `offset`."""

    offset: Linear
    stride: Linear = ONE
    dim: int | None = None

    def at(self, index: Sequence[Linear]) -> Linear:
        """The place of an element of the view."""
        if self.dim is None:
            return self.offset
        return self.offset + product(self.stride, index[self.dim])


@dataclass(frozen=True)
class View:
    """A view of memory.

    Attributes:
        memory: an argument of the entry by its number, or the op that makes it.
        sizes: of the memory.
        shape: of the view.
        axes: one for each dim of the memory.
    """

    memory: int | Operation
    sizes: Forms
    shape: Forms
    axes: tuple[Axis, ...]


def whole(memory: int | Operation, sizes: Sequence[Linear]) -> View:
    """All of some memory."""
    axes = tuple(Axis(Linear(), dim=dim) for dim in range(len(sizes)))
    return View(memory, tuple(sizes), tuple(sizes), axes)


def sizes_of(type: Attribute, dynamic: Callable[[int], Linear]) -> list[Linear]:
    """The sizes of a memref; `dynamic` returns the size of a dim that the type does not know."""
    return [
        dynamic(dim) if size == DYNAMIC_INDEX else Linear(constant=size)
        for dim, size in enumerate(extents_of(type))
    ]


def view_of_result(
    op: Operation, find: Callable[[SSAValue], View | None], form: Form
) -> View | None:
    """The view that an op makes, from the views of its operands; None if unknown."""
    match op:
        case memref.AllocOp(dynamic_sizes=given) | memref.AllocaOp(dynamic_sizes=given):
            rest = iter(given)
            return whole(op, sizes_of(op.results[0].type, lambda _: form(next(rest))))
        case memref.GetGlobalOp():
            return whole(op, sizes_of(op.memref.type, lambda _: Linear.variable(op)))
        case CastOp() | MemorySpaceCastOp():
            ranked = isinstance(op.results[0].type, MemRefType)
            return find(op.operands[0]) if ranked else None
        case TransposeOp():
            source = find(op.in_)
            return None if source is None else _transposed(source, op.order)
        case memref.SubviewOp():
            source = find(op.source)
            return None if source is None else _subview(source, op, form)
        case _:
            return None


def _transposed(source: View, order: Sequence[int]) -> View:
    axes = tuple(
        axis if axis.dim is None else replace(axis, dim=order.index(axis.dim))
        for axis in source.axes
    )
    return replace(source, shape=tuple(source.shape[dim] for dim in order), axes=axes)


def _subview(source: View, op: memref.SubviewOp, form: Form) -> View | None:
    """A subview of a view; dims that its result leaves out have index 0."""

    def mixed(static: Attribute, dynamic: Sequence[SSAValue]) -> list[Linear]:
        rest = iter(dynamic)
        entries = static_indices(static)
        return [form(next(rest)) if n is None else Linear(constant=n) for n in entries]

    kept = kept_dims_of(op)
    if kept is None:
        return None
    offsets = mixed(op.static_offsets, op.offsets)
    sizes = mixed(op.static_sizes, op.sizes)
    strides = mixed(op.static_strides, op.strides)

    def moved(axis: Axis) -> Axis:
        if (dim := axis.dim) is None:
            return axis
        offset = axis.offset + product(axis.stride, offsets[dim])
        if dim not in kept:
            return Axis(offset)
        return Axis(offset, product(axis.stride, strides[dim]), kept.index(dim))

    shape = tuple(sizes[dim] for dim in kept)
    return replace(source, shape=shape, axes=tuple(map(moved, source.axes)))
