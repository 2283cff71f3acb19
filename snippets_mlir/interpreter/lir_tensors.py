"""Kernels without markers, at the stages `linear`, `marked` and `accessed`: whole tensors in order.

Each op is evaluated once on all of its elements; loads and stores, buffers and views are the
values they hold. Accumulators keep one partial result a lane, in the order in which the loops will
add: so a kernel computes the same bits before and after its markers are inserted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from xdsl.dialects.builtin import FloatAttr
from xdsl.ir import Operation, SSAValue

from snippets_mlir.dialects.builtin.dims import static_shape, static_size
from snippets_mlir.dialects.builtin.dtypes import Array, as_array
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of
from snippets_mlir.dialects.lir.access import input_ports, loop_ids, output_ports, view_source
from snippets_mlir.dialects.lir.brgemm import BrgemmCopyBOp, BrgemmOp
from snippets_mlir.dialects.lir.buffer import BufferOp
from snippets_mlir.dialects.lir.gather import GatherOp
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.loops import LoopInfo
from snippets_mlir.dialects.lir.memory import (
    BroadcastLoadOp,
    LoadOp,
    MemoryAccessOp,
    ResultOp,
    StoreOp,
)
from snippets_mlir.dialects.lir.panels import PanelsOp
from snippets_mlir.dialects.lir.part import PartOp
from snippets_mlir.dialects.lir.reduction import AccumulateOp, FillOp, HorizonOp, Number, neutral
from snippets_mlir.dialects.snippets.panels import unpack
from snippets_mlir.dialects.snippets.values.evaluate import value_of
from snippets_mlir.dialects.snippets.values.forms import float_value
from snippets_mlir.dialects.snippets.values.gathering import inside
from snippets_mlir.interpreter.lir_memory import dtype_of
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError

if TYPE_CHECKING:
    from snippets_mlir.interpreter.machine import Interpreter

_COMBINE = {
    "sum": "snippets.add",
    "prod": "snippets.multiply",
    "max": "snippets.maximum",
    "maxnum": "snippets.running_maximum",
    "min": "snippets.minimum",
}


def combine(op: Operation, kind: str, dtype: np.dtype[Any]) -> Callable[[Array, Array], Array]:
    """What joins two values of a reduction."""
    function = value_of(_COMBINE[kind])
    return lambda a, b: np.asarray(function(op, dtype, a, b))


def number(attr: Number, dtype: np.dtype[Any]) -> Array:
    """A number of an attribute, of rank 0."""
    if isinstance(attr, FloatAttr):
        return float_value(attr, dtype)
    return np.asarray(attr.value.data).astype(dtype)


def fold_lanes(join: Callable[[Array, Array], Array], values: Array) -> Array:
    """The last axis folded by halves into one element; CompileError unless its size is 2^n."""
    lanes = values.shape[-1]
    if lanes & (lanes - 1):
        raise CompileError(f"expected a power of two of lanes to fold, found {lanes}")
    while lanes > 1:
        lanes //= 2
        values = join(values[..., :lanes], values[..., lanes : 2 * lanes])
    return values


@dataclass(frozen=True, eq=False)
class Partials:
    """What accumulators hold: in the shape of their ports, but for the reduced dim.

    Attributes:
        data: `width` elements along the dim for each block of the loop around, if there is one.
        width: lanes of one accumulator along the dim.
    """

    data: Array
    width: int


def accumulate(op: AccumulateOp, value: Any, table: dict[int, LoopInfo]) -> Any:
    """One step of a reduction: over the iterations of the innermost loop of `op`.

    The sum of all blocks of single elements is a result by itself.
    """
    loop = table[loop_ids(op)[-1]]
    source, target = input_ports(op)[0], output_ports(op)[0]
    dtype = dtype_of(op.operand)
    start = number(neutral(op.kind.data, tensor_of(op.operand).element_type), dtype)
    if isinstance(value, Partials):  # its rank may be that of the tensor, above that of the port
        data, width = value.data, static_size(target.shape[-1 - loop.dim])
    else:
        if value.size != prod(source.shape):
            raise CompileError(f"expected {prod(source.shape)} elements, found {value.size}")
        data, width = value.reshape(static_shape(source.shape)), loop.increment
    place = data.ndim - 1 - loop.dim
    data = np.moveaxis(data, place, -1)
    chunks = -(-data.shape[-1] // width)
    outer = None if loop.inner_of is None else table[loop.inner_of]
    each = chunks if outer is None else outer.increment // loop.increment
    groups = 1 if outer is None else -(-chunks // each)
    padding = groups * each * width - data.shape[-1]
    filler = np.broadcast_to(start, (*data.shape[:-1], padding))
    data = np.concatenate([data, filler], axis=-1).reshape(*data.shape[:-1], groups, each, width)
    join = combine(op, op.kind.data, dtype)
    total = np.broadcast_to(start, (*data.shape[:-2], width))
    with np.errstate(all="ignore"):
        for i in range(each):
            total = join(total, data[..., i, :])
    total = np.moveaxis(total.reshape(*total.shape[:-2], groups * width), -1, place)
    if isinstance(value, Partials) and outer is None and width == 1:
        return total.reshape(static_shape(shape_of(op.result)))
    return Partials(total, width)


def brgemm(op: BrgemmOp, left: Array, right: Array, table: dict[int, LoopInfo]) -> Any:
    """A product, term by term in the order of the loop that its markers will carry it through.

    The sum of each block, if the loop runs one.
    """
    ids = loop_ids(op)
    loop = table[ids[-1]] if ids else None
    if loop is None or loop.inner_of is None:
        return _sum_of_terms(op, left, right)
    each = static_size(table[loop.inner_of].increment)
    terms = max(left.shape[-2], right.shape[-2])
    left, right = (np.broadcast_to(x, (*x.shape[:-2], terms, x.shape[-1])) for x in (left, right))
    blocks = [
        _sum_of_terms(op, left[..., k : k + each, :], right[..., k : k + each, :])
        for k in range(0, terms, each)
    ]
    return Partials(np.concatenate(blocks, axis=-2), 1)


def _sum_of_terms(op: BrgemmOp, left: Array, right: Array) -> Array:
    """The product of two arrays whose last dims but one are the terms."""
    dtype = dtype_of(op.result)
    whole = np.broadcast_shapes(left.shape, right.shape)
    total = np.zeros((*whole[:-2], 1, whole[-1]), dtype)
    fma, add = value_of("snippets.fma"), value_of("snippets.add")
    multiply = value_of("snippets.multiply")
    with np.errstate(all="ignore"):
        for k in range(whole[-2]):
            a, b = (x[..., [k if x.shape[-2] > 1 else 0], :] for x in (left, right))
            a, b = (np.broadcast_to(x, total.shape) for x in (a, b))
            if op.unfused is None:
                total = np.asarray(fma(op, dtype, a, b, total))
            else:
                total = np.asarray(add(op, dtype, total, np.asarray(multiply(op, dtype, a, b))))
    return total


def horizon(op: HorizonOp, value: Any) -> Array:
    """The lanes of accumulators folded, or the accumulators themselves if they are the results."""
    data = value.data if isinstance(value, Partials) else value
    source, target = input_ports(op)[0], output_ports(op)[0]
    if data.shape != source.shape:
        raise CompileError(f"expected accumulators {list(source.shape)}, found {list(data.shape)}")
    if source.lanes > target.lanes:
        with np.errstate(all="ignore"):
            data = fold_lanes(combine(op, op.kind.data, dtype_of(op.operand)), data)
    return data.reshape(static_shape(shape_of(op.result)))


def _fill(op: FillOp, value: Any) -> Any:
    if op.first_filled != output_ports(op)[0].lanes:
        raise CompileError(
            f"expected offset {output_ports(op)[0].lanes}, all lanes, before there are tails; "
            f"found {op.first_filled}"
        )
    return value


def _memory(op: MemoryAccessOp, value: Any, table: dict[int, LoopInfo]) -> Any:
    """A load or a store: the value itself in the shape of the result; a broadcast load spreads."""
    if isinstance(value, Partials):
        return _added(op, value, table)
    port = output_ports(op)[0] if isinstance(op, StoreOp) else input_ports(op)[0]
    buffered = isinstance(view_source(op.operands[0]).owner, BufferOp)
    stored = any(isinstance(use.operation, BufferOp) for use in op.results[0].uses)
    if not buffered and not stored and prod(port.shape) != value.size:
        raise CompileError(
            f"its port is for {prod(port.shape)} elements; the array has {value.size}"
        )
    if isinstance(op, StoreOp) and port.strides:
        return value  # a part: `lir.result` puts it in its place
    shape = static_shape(shape_of(op.results[0]))
    return (
        np.broadcast_to(value, shape) if isinstance(op, BroadcastLoadOp) else value.reshape(shape)
    )


def _added(op: MemoryAccessOp, value: Partials, table: dict[int, LoopInfo]) -> Any:
    """What is in a buffer to which the sums of blocks are added, in order, from zeros on.

    A store adds in the innermost loop over the dim before the last one; where that is a loop over
    one block of another one, there is a sum for each block.
    """
    if isinstance(op, LoadOp):
        return value
    if not isinstance(op, StoreOp) or op.accumulate is None:
        raise CompileError("expected the sums of blocks to be added to a buffer")
    loop = next(table[id_] for id_ in reversed(loop_ids(op)) if table[id_].dim == 1)
    count = value.data.shape[-2]
    each = count
    if loop.inner_of is not None:
        each = static_size(table[loop.inner_of].increment) // loop.increment
    add = combine(op, "sum", dtype_of(op.target))
    totals: list[Array] = []
    with np.errstate(all="ignore"):
        for first in range(0, count, each):
            total = np.zeros_like(value.data[..., :1, :])
            for block in range(first, min(first + each, count)):
                total = add(total, value.data[..., [block], :])
            totals.append(total)
    if loop.inner_of is not None:
        return Partials(np.concatenate(totals, axis=-2), value.width)
    return totals[0].reshape(static_shape(shape_of(op.target)))


def _gathered(op: GatherOp, values: Sequence[Any]) -> Array:
    """What a gather reads for all places of its kernel, in the shape of its result."""
    port, *places = input_ports(op)
    target = static_shape(output_ports(op)[0].shape)
    flat = np.zeros(target, np.int64)
    for dim, stride in enumerate(static_shape(port.strides)):
        if port.shape[dim] != 1:
            along = np.arange(target[dim]) * stride
            flat = flat + along.reshape([-1 if d == dim else 1 for d in range(len(target))])
    parts = zip(values[1:], places, op.limits, op.steps, strict=True)
    for value, place, limit, step in parts:
        found = inside(value, static_size(limit), op.from_end is not None)
        flat = flat + found.reshape(static_shape(place.shape)) * static_size(step)
    return np.ravel(values[0])[flat].reshape(static_shape(shape_of(op.result)))


def _results(op: Operation, values: Sequence[Any], table: dict[int, LoopInfo]) -> list[Any] | None:
    """The results of an op of the dialect; None for an op of another one."""
    if isinstance(op, LoadOp | BroadcastLoadOp | StoreOp):
        return [_memory(op, values[0], table)]
    if isinstance(op, GatherOp):
        return [_gathered(op, values)]
    if isinstance(op, FillOp):
        return [_fill(op, values[0])]
    if isinstance(op, BrgemmOp):
        return [brgemm(op, values[0], values[1], table)]
    if isinstance(op, AccumulateOp):
        return [accumulate(op, values[0], table)]
    if isinstance(op, HorizonOp):
        return [horizon(op, values[0])]
    if isinstance(op, PartOp):
        return [values[0]]
    if isinstance(op, PanelsOp):
        shape = static_shape(shape_of(op.result))
        return [unpack(values[0], shape[-1]).reshape(shape)]
    if isinstance(op, BufferOp):
        return [values[-1]]  # the last store may have added to the ones before
    return [values[0]] if isinstance(op, BrgemmCopyBOp) else None


def run_tensors(interpreter: Interpreter, kernel: KernelOp, inputs: Sequence[Array]) -> list[Array]:
    """The outputs of a kernel that has no markers yet."""
    values: dict[SSAValue, Any] = dict(zip(kernel.block.args, inputs, strict=True))
    outputs: dict[int, Array] = {}
    table = kernel.loop_table
    for op in kernel.block.ops:
        try:
            operands = [values[v] for v in op.operands]
            if isinstance(op, ResultOp):
                outputs[op.index.value.data] = _output(op, operands)
                continue
            results = _results(op, operands, table)
            if results is None:
                results = interpreter.evaluate(op, operands)
        except CompileError as error:
            if error.line is not None:
                raise
            message = f"in @{kernel.sym_name.data}: {op.name}: {error.message}"
            raise CompileError(message, **position_of(op)) from error
        values.update(zip(op.results, results, strict=True))
    return [outputs[i] for i in range(len(outputs))]


def _output(op: ResultOp, values: Sequence[Any]) -> Array:
    """The value of an output: one tensor, or its parts, each with an offset and strides."""
    arrays = [array for value in values if (array := as_array(value)) is not None]
    if len(arrays) != len(values):
        raise CompileError("expected tensors for the output")
    if not any(port.strides for port in input_ports(op)):
        if len(arrays) != 1:
            raise CompileError("expected one whole tensor for the output")
        return arrays[0]
    shape = static_shape(shape_of(op.values[0]))
    whole = np.empty(prod(shape), arrays[0].dtype)
    written = np.zeros(whole.size, bool)
    for value, port, array in zip(op.values, input_ports(op), arrays, strict=True):
        sizes = static_shape(port.shape)
        places = np.full(sizes, _offset(value))
        for dim, stride in enumerate(static_shape(port.strides)):
            along = np.arange(sizes[dim]) * stride
            places += along.reshape([-1 if d == dim else 1 for d in range(len(sizes))])
        places = places.ravel()
        if places.size and not 0 <= places.min() <= places.max() < whole.size:
            raise CompileError(f"a part reaches outside of the output, {op.values[0].type}")
        if written[places].any():
            raise CompileError(f"two parts of the output, {op.values[0].type}, overlap")
        whole[places], written[places] = np.ravel(array), True
    if not written.all():
        raise CompileError(f"the parts leave elements of the output, {op.values[0].type}, out")
    return whole.reshape(shape)


def _offset(value: SSAValue) -> int:
    """Where a part of an output begins."""
    owner = value.owner
    if isinstance(owner, PartOp):
        return static_size(owner.offset)
    return static_size(owner.distance) if isinstance(owner, StoreOp) else 0
