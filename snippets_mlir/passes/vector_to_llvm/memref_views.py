"""The rows of `finalize-memref-to-llvm` for ops that make no memory and touch none.

    %1 = memref.subview %0[%i, 2] [4, %n] [1, 2] : memref<8x16xf32> to memref<4x?xf32, ...>

becomes a descriptor with the same pointers, the offset moved by `%i * 16 + 2`, the sizes 4 and %n,
and the strides 16 and 2.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import llvm, memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, ArrayAttr, IntegerAttr, i1, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.traits import ConstantLike

from snippets_mlir.dialects.builtin.shaped import element_of, extents_of, rank_of
from snippets_mlir.dialects.llvm.values import SelectOp
from snippets_mlir.dialects.memref import facts, views
from snippets_mlir.dialects.memref.layout import layout_of
from snippets_mlir.dialects.vector.lanes import integers_in
from snippets_mlir.passes.building.conversion import Lowering, Row
from snippets_mlir.passes.vector_to_llvm.convert_arith_to_llvm import NO_FLAGS
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


def _mixed(
    low: Lowering, static: Attribute, dynamic: Sequence[SSAValue]
) -> tuple[list[SSAValue], tuple[int | None, ...]]:
    """Static and dynamic indices as values, and those that are known."""
    rest = iter(dynamic)
    known = tuple(None if n == DYNAMIC_INDEX else n for n in integers_in(static))
    values = [low.operand(next(rest)) if n is None else low.integer(n) for n in known]
    return values, known


def kept_dims(
    sizes: Sequence[int | None], strides: Sequence[int | None], result: Attribute
) -> tuple[int, ...] | None:
    """Which dimensions of a subview its result has; those left out have size 1.

    Where several choices fit the sizes, the strides of the result decide.
    """
    shape = extents_of(result)
    layout = layout_of(result)
    wanted = layout[0] if layout is not None else (None,) * len(shape)

    def search(dim: int, place: int) -> tuple[int, ...] | None:
        if dim == len(sizes):
            return () if place == len(shape) else None
        if place < len(shape):
            size = None if shape[place] == DYNAMIC_INDEX else shape[place]
            strided = None in (wanted[place], strides[dim]) or wanted[place] == strides[dim]
            if size == sizes[dim] and strided:
                rest = search(dim + 1, place + 1)
                if rest is not None:
                    return (dim, *rest)
        return search(dim + 1, place) if sizes[dim] == 1 else None

    return search(0, 0)


def _subview(op: Operation, low: Lowering) -> Sequence[SSAValue] | None:
    assert isinstance(op, memref.SubviewOp)
    source = descriptor(low, op.source)
    offsets, _ = _mixed(low, op.static_offsets, op.offsets)
    sizes, known = _mixed(low, op.static_sizes, op.sizes)
    steps, known_steps = _mixed(low, op.static_strides, op.strides)
    strides = [multiply(low, source.stride(d), step) for d, step in enumerate(steps)]
    static: list[int | None] = []
    for d, step in enumerate(known_steps):
        stride = source.static_stride(d)
        static.append(None if stride is None or step is None else stride * step)
    kept = kept_dims(known, static, op.result.type)
    if kept is None:
        return None
    offset = source.offset()
    for d, start in enumerate(offsets):
        offset = add(low, offset, multiply(low, start, source.stride(d)))
    return (
        make_descriptor(
            low,
            source.allocated(),
            source.aligned(),
            offset,
            [sizes[d] for d in kept],
            [strides[d] for d in kept],
        ),
    )


def _reinterpret_cast(op: Operation, low: Lowering) -> Sequence[SSAValue]:
    assert isinstance(op, memref.ReinterpretCastOp)
    source = descriptor(low, op.source)
    (offset,), _ = _mixed(low, op.static_offsets, op.offsets)
    sizes, _ = _mixed(low, op.static_sizes, op.sizes)
    strides, _ = _mixed(low, op.static_strides, op.strides)
    return (make_descriptor(low, source.allocated(), source.aligned(), offset, sizes, strides),)


def _cast(op: Operation, low: Lowering) -> Sequence[SSAValue] | None:
    """The descriptor stays, except that the static facts are written into it."""
    source, dest = op.operands[0].type, op.results[0].type
    if low.type(source) is None or low.type(dest) is None:
        return None
    d = descriptor(low, op.operands[0])
    if source == dest:
        return (d.value,)
    return (make_descriptor(low, d.allocated(), d.aligned(), d.offset(), d.sizes(), d.strides()),)


def _groups(op: Operation) -> list[tuple[int, ...]]:
    groups = op.properties["reassociation"]
    assert isinstance(groups, ArrayAttr)
    return [integers_in(group) for group in groups]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]


def _collapse(op: Operation, low: Lowering) -> Sequence[SSAValue]:
    """The size of a group is the product, the stride that of its last dimension longer than 1."""
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
    result = make_descriptor(
        low, source.allocated(), source.aligned(), source.offset(), sizes, strides
    )
    return (result,)


def _expand(op: Operation, low: Lowering) -> Sequence[SSAValue]:
    """Inside a group strides grow from that of the source."""
    assert isinstance(op, memref.ExpandShapeOp)
    source = descriptor(low, op.src)
    sizes, _ = _mixed(low, op.static_output_shape, op.output_shape)
    strides = list(sizes)
    for place, group in enumerate(_groups(op)):
        stride = source.stride(place)
        for d in reversed(group):
            strides[d] = stride
            stride = multiply(low, stride, sizes[d])
    result = make_descriptor(
        low, source.allocated(), source.aligned(), source.offset(), sizes, strides
    )
    return (result,)


def _transpose(op: Operation, low: Lowering) -> Sequence[SSAValue]:
    assert isinstance(op, views.TransposeOp)
    source = descriptor(low, op.in_)
    sizes = [source.size(d) for d in op.order]
    strides = [source.stride(d) for d in op.order]
    result = make_descriptor(
        low, source.allocated(), source.aligned(), source.offset(), sizes, strides
    )
    return (result,)


def _view(op: Operation, low: Lowering) -> Sequence[SSAValue]:
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


def _metadata(op: Operation, low: Lowering) -> Sequence[SSAValue]:
    assert isinstance(op, memref.ExtractStridedMetaDataOp)
    source = descriptor(low, op.source)
    base = make_descriptor(low, source.allocated(), source.aligned(), low.integer(0), (), ())
    return (base, source.offset(), *source.sizes(), *source.strides())


def _pointer(op: Operation, low: Lowering) -> Sequence[SSAValue]:
    pointer = descriptor(low, op.operands[0]).aligned()
    return (low.make(llvm.PtrToIntOp, (pointer,), i64),)


def _dim(op: Operation, low: Lowering) -> Sequence[SSAValue]:
    """A size; of an index that is not known, the one it selects."""
    source = descriptor(low, op.operands[0])
    known = ConstantLike.get_constant_value(op.operands[1])
    index = low.operand(op.operands[1])
    if isinstance(index.owner, llvm.ConstantOp):
        known = index.owner.value
    if isinstance(known, IntegerAttr):
        place = known.value.data
        return (source.size(place if 0 <= place < len(source.shape) else 0),)
    result = source.size(0)
    for d in range(1, len(source.shape)):
        operands = (index, low.integer(d))
        here = low.make(llvm.ICmpOp, operands, i1, {"predicate": IntegerAttr(0, i64)})
        result = low.make(SelectOp, (here, source.size(d), result), i64, NO_FLAGS)
    return (result,)


def _rank(op: Operation, low: Lowering) -> Sequence[SSAValue]:
    return (low.integer(rank_of(op.operands[0].type)),)


def _same_value(op: Operation, low: Lowering) -> Sequence[SSAValue]:
    return (low.operand(op.operands[0]),)


VIEWS: dict[type[Operation], Row] = {
    memref.AssumeAlignmentOp: _same_value,
    memref.CollapseShapeOp: _collapse,
    memref.ExpandShapeOp: _expand,
    memref.ExtractStridedMetaDataOp: _metadata,
    memref.ReinterpretCastOp: _reinterpret_cast,
    memref.SubviewOp: _subview,
    memref.ViewOp: _view,
    views.CastOp: _cast,
    facts.DimOp: _dim,
    facts.ExtractAlignedPointerAsIndexOp: _pointer,
    views.MemorySpaceCastOp: _same_value,
    facts.RankOp: _rank,
    views.TransposeOp: _transpose,
}
