"""Sums of whole tensors: contents of accumulators, products and buffers before markers exist.

Accumulators keep one partial result per lane, in the later order of the loops.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from xdsl.dialects.builtin import FloatAttr
from xdsl.ir import Operation

from snippets_mlir.dialects.builtin.dims import static_shape, static_size
from snippets_mlir.dialects.builtin.dtypes import Array
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of
from snippets_mlir.dialects.lir.access import input_ports, loop_ids, output_ports
from snippets_mlir.dialects.lir.brgemm import BrgemmOp
from snippets_mlir.dialects.lir.loops import LoopInfo
from snippets_mlir.dialects.lir.memory import LoadOp, MemoryAccessOp, StoreOp
from snippets_mlir.dialects.lir.reduction import AccumulateOp, HorizonOp, Number, neutral
from snippets_mlir.dialects.snippets.values.evaluate import value_of
from snippets_mlir.dialects.snippets.values.forms import float_value
from snippets_mlir.interpreter.lir_memory import dtype_of
from snippets_mlir.support.errors import CompileError

_COMBINE = {
    "sum": "snippets.add",
    "prod": "snippets.multiply",
    "max": "snippets.maximum",
    "maxnum": "snippets.running_maximum",
    "min": "snippets.minimum",
}


def combine(op: Operation, kind: str, dtype: np.dtype[Any]) -> Callable[[Array, Array], Array]:
    """The function that combines two values of a reduction."""
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
    """The contents of accumulators: in the shape of their ports except along the reduced dim.

    Attributes:
        data: `width` elements along the dim for each block of the loop around, if there is one.
        width: lanes of one accumulator along the dim.
    """

    data: Array
    width: int


def accumulate(op: AccumulateOp, value: Any, table: dict[int, LoopInfo]) -> Any:
    """One step of a reduction: over the iterations of the innermost loop of `op`.

    The sum of all blocks of single elements is a result by itself, unless lanes along another dim
    are still to be joined.
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
    joined = any(isinstance(use.operation, AccumulateOp | HorizonOp) for use in op.result.uses)
    if isinstance(value, Partials) and outer is None and width == 1 and not joined:
        return total.reshape(static_shape(shape_of(op.result)))
    return Partials(total, width)


def brgemm(op: BrgemmOp, left: Array, right: Array, table: dict[int, LoopInfo]) -> Any:
    """A product, whose terms are added in the order of its later loop.

    If that loop runs over blocks, the sum of each block.
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


def added(op: MemoryAccessOp, value: Partials, table: dict[int, LoopInfo]) -> Any:
    """The contents of a buffer to which the sums of blocks are added in order, starting with zeros.

    A store adds in the innermost loop over the dim before the last one. If that loop runs over a
    block of another loop, there is a sum for each block.
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
