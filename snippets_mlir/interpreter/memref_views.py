"""`memref` ops that give another view of a buffer, which is a view of its array."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.stride_tricks import as_strided
from xdsl.dialects import memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, ArrayAttr
from xdsl.ir import Attribute, Operation

from snippets_mlir.dialects.builtin.dtypes import Array
from snippets_mlir.dialects.builtin.shaped import extents_of
from snippets_mlir.dialects.memref.views import TransposeOp
from snippets_mlir.dialects.vector.lanes import integers_in
from snippets_mlir.interpreter.buffers import index_of
from snippets_mlir.interpreter.registry import Handler, same
from snippets_mlir.support.errors import CompileError

if TYPE_CHECKING:
    from snippets_mlir.interpreter.machine import Interpreter


def _mixed(static: Attribute, dynamic: Sequence[Any]) -> list[int]:
    rest = iter(index_of(dynamic))
    return [next(rest) if n == DYNAMIC_INDEX else n for n in integers_in(static)]


def _subview(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
    assert isinstance(op, memref.SubviewOp)
    first, second = 1 + len(op.offsets), 1 + len(op.offsets) + len(op.sizes)
    offsets = _mixed(op.static_offsets, operands[1:first])
    sizes = _mixed(op.static_sizes, operands[first:second])
    steps = _mixed(op.static_strides, operands[second:])
    source = operands[0]
    for start, size, step, whole in zip(offsets, sizes, steps, source.array.shape, strict=True):
        ends = (start, start + (size - 1) * step)
        if size and not all(0 <= end < whole for end in ends):
            raise CompileError(f"a view of {size} elements from {start} is outside of {whole}")
    array = source.array[tuple(slice(o, None, s) for o, s in zip(offsets, steps, strict=True))]
    array = array[tuple(slice(0, size) for size in sizes)]
    wanted = len(extents_of(op.result.type))
    dropped = [d for d, n in enumerate(integers_in(op.static_sizes)) if n == 1]
    kept = _kept(integers_in(op.static_sizes), extents_of(op.result.type))
    drop = tuple(d for d in dropped if d not in kept) if array.ndim != wanted else ()
    return (source.view(array.squeeze(drop)),)


def _kept(sizes: Sequence[int], result: Sequence[int]) -> set[int]:
    """The dims of a subview that its result keeps: the first choice that fits."""

    def search(dim: int, place: int) -> set[int] | None:
        if dim == len(sizes):
            return set() if place == len(result) else None
        if place < len(result) and result[place] == sizes[dim]:
            rest = search(dim + 1, place + 1)
            if rest is not None:
                return {dim, *rest}
        return search(dim + 1, place) if sizes[dim] == 1 else None

    return search(0, 0) or set()


def _reinterpret(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
    """Another view of the whole allocation, from its first element."""
    assert isinstance(op, memref.ReinterpretCastOp)
    first, second = 1 + len(op.offsets), 1 + len(op.offsets) + len(op.sizes)
    (offset,) = _mixed(op.static_offsets, operands[1:first])
    sizes = _mixed(op.static_sizes, operands[first:second])
    strides = _mixed(op.static_strides, operands[second:])
    whole = operands[0].allocation.array
    if not whole.flags.c_contiguous:
        raise CompileError("the interpreter reinterprets dense memory only")
    flat = whole.reshape(-1)
    reach = [(n - 1) * s for n, s in zip(sizes, strides, strict=True)]
    if all(sizes) and not (
        0 <= offset + sum(min(r, 0) for r in reach)
        and offset + sum(max(r, 0) for r in reach) < flat.size
    ):
        raise CompileError(f"a view of sizes {sizes} is outside of {flat.size} elements")
    size = flat.itemsize
    array = as_strided(flat[offset:], sizes, [s * size for s in strides])
    return (operands[0].view(array),)


def _reshaped(array: Array, shape: Sequence[int]) -> Array:
    try:
        return np.reshape(array, tuple(shape), copy=False)
    except ValueError:
        raise CompileError(f"memory of strides {array.strides} has no view {shape}") from None


def _collapse(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
    groups = op.properties["reassociation"]
    assert isinstance(groups, ArrayAttr)
    array = operands[0].array
    shape = [int(np.prod([array.shape[d] for d in integers_in(g)])) for g in groups]  # pyright: ignore
    return (operands[0].view(_reshaped(array, shape)),)


def _expand(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
    assert isinstance(op, memref.ExpandShapeOp)
    shape = _mixed(op.static_output_shape, operands[1:])
    return (operands[0].view(_reshaped(operands[0].array, shape)),)


def _transpose(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
    assert isinstance(op, TransposeOp)
    return (operands[0].view(operands[0].array.transpose(op.order)),)


HANDLERS: Mapping[str, Handler] = {
    "memref.assume_alignment": same,
    "memref.cast": same,
    "memref.collapse_shape": _collapse,
    "memref.expand_shape": _expand,
    "memref.memory_space_cast": same,
    "memref.reinterpret_cast": _reinterpret,
    "memref.subview": _subview,
    "memref.transpose": _transpose,
}
