"""Kernels without markers, at the stages `linear`, `marked` and `accessed`: whole tensors in order.

Each op is evaluated once on all of its elements; loads, stores, buffers and views are represented
by the elements in them. Accumulators keep one partial result per lane, in the later order of the
loops, so a kernel computes the same bits before and after its markers are inserted.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from xdsl.ir import Operation, SSAValue

from snippets_mlir.dialects.builtin.dims import static_shape, static_size
from snippets_mlir.dialects.builtin.dtypes import Array, as_array
from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.lir.access import input_ports, output_ports, view_source
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
from snippets_mlir.dialects.lir.reduction import AccumulateOp, FillOp, HorizonOp
from snippets_mlir.dialects.lir.scan import PrefixOp, ScanOp
from snippets_mlir.dialects.snippets.panels import unpack
from snippets_mlir.dialects.snippets.values.gathering import inside
from snippets_mlir.interpreter.lir_scans import prefix, scan
from snippets_mlir.interpreter.lir_sums import Partials, accumulate, added, brgemm, horizon
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError

if TYPE_CHECKING:
    from snippets_mlir.interpreter.machine import Interpreter


def _fill(op: FillOp, value: Any) -> Any:
    """The unchanged value; CompileError for the lanes of a tail, because there are no tails yet."""
    if op.first_filled != output_ports(op)[0].lanes:
        raise CompileError(
            f"expected offset {output_ports(op)[0].lanes}, all lanes, before there are tails; "
            f"found {op.first_filled}"
        )
    return value


def _memory(op: MemoryAccessOp, value: Any, table: dict[int, LoopInfo]) -> Any:
    """A load or a store: the value in the shape of the result, broadcast by a broadcast load."""
    if isinstance(value, Partials):
        return added(op, value, table)
    port = output_ports(op)[0] if isinstance(op, StoreOp) else input_ports(op)[0]
    buffered = isinstance(view_source(op.operands[0]).owner, BufferOp)
    stored = any(isinstance(use.operation, BufferOp) for use in op.results[0].uses)
    if not buffered and not stored and prod(port.shape) != value.size:
        raise CompileError(
            f"its port is for {prod(port.shape)} elements; the array has {value.size}"
        )
    if isinstance(op, StoreOp) and port.strides:
        return value  # a part of an output: `lir.result` combines the parts
    shape = static_shape(shape_of(op.results[0]))
    return (
        np.broadcast_to(value, shape) if isinstance(op, BroadcastLoadOp) else value.reshape(shape)
    )


def _gathered(op: GatherOp, values: Sequence[Any]) -> Array:
    """The elements that a gather reads for all indices of its kernel, in the shape of its
    result.
    """
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
        if found.size != prod(static_shape(place.shape)):
            raise CompileError(
                f"a port of places is for {prod(static_shape(place.shape))} of them; there are "
                f"{found.size}"
            )
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
    if isinstance(op, PrefixOp):
        return [prefix(op, values[0])]
    if isinstance(op, ScanOp):
        return [scan(op, values[0])]
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
    """The first element of a part of an output."""
    owner = value.owner
    if isinstance(owner, PartOp):
        return static_size(owner.offset)
    return static_size(owner.distance) if isinstance(owner, StoreOp) else 0
