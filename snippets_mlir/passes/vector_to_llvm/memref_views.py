"""The patterns of `finalize-memref-to-llvm` for ops that neither allocate nor access memory.

    %1 = memref.subview %0[%i, 2] [4, %n] [1, 2] : memref<8x16xf32> to memref<4x?xf32, ...>

becomes a descriptor with the same pointers, the offset moved by `%i * 16 + 2`, the sizes 4 and %n,
and the strides 16 and 2.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, ArrayAttr
from xdsl.ir import Attribute, Operation, SSAValue

from snippets_mlir.dialects.builtin.shaped import element_of, extents_of
from snippets_mlir.dialects.memref import views
from snippets_mlir.dialects.memref.subviews import kept_dims_of, static_indices
from snippets_mlir.dialects.vector.lanes import integers_in
from snippets_mlir.passes.building.conversion import converts
from snippets_mlir.passes.building.lowering import Lowering
from snippets_mlir.passes.vector_to_llvm.descriptors import (
    Descriptor,
    add,
    gep,
    make_descriptor,
    memory_type,
    multiply,
    row_major,
)


def descriptor(low: Lowering, value: SSAValue) -> Descriptor:
    """A memref operand in its LLVM form."""
    return Descriptor(low, low.operand(value), value.type)


def _view_of(
    low: Lowering,
    source: Descriptor,
    offset: SSAValue | None,
    sizes: Sequence[SSAValue],
    strides: Sequence[SSAValue],
) -> SSAValue:
    """A descriptor of the memory of `source`, at its own offset if none is given."""
    pointers = source.allocated(), source.aligned()
    return make_descriptor(low, *pointers, offset or source.offset(), sizes, strides)


def _mixed(low: Lowering, static: Attribute, dynamic: Sequence[SSAValue]) -> list[SSAValue]:
    """Static and dynamic indices as values."""
    rest = iter(dynamic)
    return [
        low.operand(next(rest)) if n is None else low.integer(n) for n in static_indices(static)
    ]


def type_says_dims(op: memref.SubviewOp) -> bool:
    """The type of the result tells the dimensions that it keeps."""
    return kept_dims_of(op) is not None


def _subview(op: Operation, low: Lowering) -> Sequence[SSAValue]:
    """A descriptor with another offset, and the sizes and strides that the result keeps."""
    assert isinstance(op, memref.SubviewOp)
    source = descriptor(low, op.source)
    offsets = _mixed(low, op.static_offsets, op.offsets)
    sizes = _mixed(low, op.static_sizes, op.sizes)
    steps = _mixed(low, op.static_strides, op.strides)
    strides = [multiply(low, source.stride(d), step) for d, step in enumerate(steps)]
    kept = kept_dims_of(op)
    assert kept is not None
    offset = source.offset()
    for d, start in enumerate(offsets):
        offset = add(low, offset, multiply(low, start, source.stride(d)))
    sizes, strides = [sizes[d] for d in kept], [strides[d] for d in kept]
    return (_view_of(low, source, offset, sizes, strides),)


def _reinterpret_cast(op: Operation, low: Lowering) -> Sequence[SSAValue]:
    """A descriptor with the given offset, sizes and strides."""
    assert isinstance(op, memref.ReinterpretCastOp)
    source = descriptor(low, op.source)
    (offset,) = _mixed(low, op.static_offsets, op.offsets)
    sizes = _mixed(low, op.static_sizes, op.sizes)
    strides = _mixed(low, op.static_strides, op.strides)
    return (_view_of(low, source, offset, sizes, strides),)


def _cast(op: Operation, low: Lowering) -> Sequence[SSAValue]:
    """The descriptor stays, except that the static facts are written into it."""
    d = descriptor(low, op.operands[0])
    if op.operands[0].type == op.results[0].type:
        return (d.value,)
    return (make_descriptor(low, d.allocated(), d.aligned(), d.offset(), d.sizes(), d.strides()),)


def _groups(op: Operation) -> list[tuple[int, ...]]:
    groups = op.properties["reassociation"]
    assert isinstance(groups, ArrayAttr)
    return [integers_in(group) for group in groups]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]


def _collapse(op: Operation, low: Lowering) -> Sequence[SSAValue]:
    """A group's size is the product, and its stride is that of its last dimension longer than 1."""
    assert isinstance(op, memref.CollapseShapeOp)
    source = descriptor(low, op.src)
    sizes: list[SSAValue] = []
    strides: list[SSAValue] = []
    for group in _groups(op):
        size = source.size(group[0])
        for d in group[1:]:
            size = multiply(low, size, source.size(d))
        long = [d for d in group if source.shape[d] != 1] or list(group)
        sizes.append(size)
        strides.append(source.stride(long[-1]))
    return (_view_of(low, source, None, sizes, strides),)


def _expand(op: Operation, low: Lowering) -> Sequence[SSAValue]:
    """Inside of a group, strides grow from the source's stride."""
    assert isinstance(op, memref.ExpandShapeOp)
    source = descriptor(low, op.src)
    sizes = _mixed(low, op.static_output_shape, op.output_shape)
    strides = list(sizes)
    for place, group in enumerate(_groups(op)):
        stride = source.stride(place)
        for d in reversed(group):
            strides[d] = stride
            stride = multiply(low, stride, sizes[d])
    return (_view_of(low, source, None, sizes, strides),)


def _transpose(op: Operation, low: Lowering) -> Sequence[SSAValue]:
    """A descriptor with sizes and strides in another order."""
    assert isinstance(op, views.TransposeOp)
    source = descriptor(low, op.in_)
    sizes = [source.size(d) for d in op.order]
    strides = [source.stride(d) for d in op.order]
    return (_view_of(low, source, None, sizes, strides),)


def _view(op: Operation, low: Lowering) -> Sequence[SSAValue]:
    """A descriptor with its pointer moved by bytes."""
    assert isinstance(op, memref.ViewOp)
    source = descriptor(low, op.source)
    shift = low.operand(op.byte_shift)
    shape = extents_of(op.result.type)
    rest = iter(op.sizes)
    sizes = [
        low.operand(next(rest)) if size == DYNAMIC_INDEX else low.integer(size) for size in shape
    ]
    start = source.element_offset(())
    shift = shift if start is None else add(low, start, shift)
    aligned = gep(low, source.aligned(), shift, memory_type(element_of(op.source.type)))
    strides = row_major(low, sizes, shape)
    return (make_descriptor(low, source.allocated(), aligned, low.integer(0), sizes, strides),)


def _same_value(op: Operation, low: Lowering) -> Sequence[SSAValue]:
    """The descriptor of the operand, unchanged."""
    return (low.operand(op.operands[0]),)


VIEWS = (
    converts(memref.AssumeAlignmentOp, _same_value),
    converts(memref.CollapseShapeOp, _collapse),
    converts(memref.ExpandShapeOp, _expand),
    converts(memref.ReinterpretCastOp, _reinterpret_cast),
    converts(memref.SubviewOp, _subview, type_says_dims),
    converts(memref.ViewOp, _view),
    converts(views.CastOp, _cast),
    converts(views.MemorySpaceCastOp, _same_value),
    converts(views.TransposeOp, _transpose),
)
