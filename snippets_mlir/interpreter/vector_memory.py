"""`vector` in memrefs, and moves of elements in vectors of any rank: transfers, gathers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from xdsl.ir import Operation

from snippets_mlir.dialects.builtin.dtypes import Array
from snippets_mlir.dialects.builtin.shaped import extents_of
from snippets_mlir.dialects.vector import masked, memory, transfer
from snippets_mlir.dialects.vector.lanes import lanes_of
from snippets_mlir.dialects.vector.transfer_maps import walked_dims
from snippets_mlir.interpreter.buffers import Buffer, index_of
from snippets_mlir.interpreter.poison import data_of, defined, poison_of, with_poison
from snippets_mlir.interpreter.registry import Handler
from snippets_mlir.support.errors import CompileError

if TYPE_CHECKING:
    from snippets_mlir.interpreter.machine import Interpreter


def _lanes(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
    """Execute an op that only moves elements on the indices of its lanes."""
    found = lanes_of(op)
    assert found is not None
    made: list[Any] = []
    for result, lanes in zip(op.results, found, strict=True):
        flat = [data_of(value).reshape(-1) for value in operands]
        lost = [poison_of(value) for value in operands]
        shape = extents_of(result.type)
        data = np.array(
            [flat[lane[0]][lane[1]] if lane else flat[0][0] for lane in lanes], flat[0].dtype
        )
        poison = np.array(
            [lane is None or _is_lost(lost[lane[0]], lane[1]) for lane in lanes], np.bool_
        )
        made.append(with_poison(data.reshape(shape), poison.reshape(shape)))
    return made


def _is_lost(poison: Array | None, index: int) -> bool:
    return poison is not None and bool(poison.reshape(-1)[index])


def _places(start: Sequence[int], index: Sequence[int]) -> list[int]:
    lead = len(start) - len(index)
    return [*start[:lead], *(s + i for s, i in zip(start[lead:], index, strict=True))]


def _load(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
    """Loads and gathers: elements whose mask is 1, the pass-through for the others."""
    base: Buffer = operands[0]
    rank = base.array.ndim
    start = index_of(operands[1 : 1 + rank])
    rest = list(operands[1 + rank :])
    offsets = None
    if isinstance(op, masked.GatherOp):
        offsets = defined(rest.pop(0), "an index of a gather")
    shape = extents_of(op.results[0].type)
    data, poison, mask = np.zeros(shape, base.array.dtype), None, None
    if rest:
        mask, passed = defined(rest[0], "a mask"), rest[1]
        data, poison = np.array(data_of(passed)), poison_of(passed)
    taken = 0
    for index in np.ndindex(*shape):
        if mask is not None and not mask[index]:
            continue
        where = _where(op, start, index, offsets, taken)
        taken += 1
        data[index] = base.array[base.at(where)]
    if poison is not None and mask is not None:
        poison = poison & ~mask
    return (with_poison(data, poison),)


def _store(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
    """Stores and scatters, in the order of the lanes."""
    values = list(operands)
    value = values.pop(0 if isinstance(op, memory.StoreOp) else -1)
    base: Buffer = values[0]
    rank = base.array.ndim
    start = index_of(values[1 : 1 + rank])
    rest = [defined(v, "an operand of a store") for v in values[1 + rank :]]
    offsets = rest.pop(0) if isinstance(op, masked.ScatterOp) else None
    mask = rest[0] if rest else None
    data, poison = data_of(value), poison_of(value)
    if mask is not None and poison is not None:
        value = with_poison(data, poison & mask)
    data = defined(value, "what is stored")
    taken = 0
    for index in np.ndindex(*data.shape):
        if mask is not None and not mask[index]:
            continue
        base.array[base.at(_where(op, start, index, offsets, taken))] = data[index]
        taken += 1
    return ()


def _where(
    op: Operation, start: Sequence[int], index: tuple[int, ...], offsets: Any, taken: int
) -> list[int]:
    """The element that a lane reads or writes."""
    if offsets is not None:
        return [*start[:-1], start[-1] + int(offsets[index])]
    if isinstance(op, masked.ExpandLoadOp | masked.CompressStoreOp):
        return [*start[:-1], start[-1] + taken]
    return _places(start, index)


def _lane_place(
    op: transfer.TransferReadOp | transfer.TransferWriteOp,
    base: Buffer,
    start: Sequence[int],
    index: tuple[int, ...],
    mask: Array | None,
) -> tuple[int, ...] | None:
    """The place of a lane of a transfer; None if it is masked or out of bounds."""
    dims = walked_dims(op.map)
    where = list(start)
    walked = sorted((d, i) for d, i in zip(dims, index, strict=True) if d is not None)
    if mask is not None and not mask[tuple(i for _, i in walked)]:
        return None
    for dim, place in walked:
        where[dim] += place
    for dim, sure in zip(dims, op.bounds, strict=True):
        if dim is not None and not sure and where[dim] >= base.array.shape[dim]:
            return None
    return base.at(where)


def _transfer_read(
    interpreter: Interpreter, op: Operation, operands: Sequence[Any]
) -> Sequence[Any]:
    assert isinstance(op, transfer.TransferReadOp)
    base = operands[0]
    if not isinstance(base, Buffer):
        raise CompileError("the interpreter has no transfers of tensors")
    count = len(op.indices)
    start = index_of(operands[1 : 1 + count])
    padding, mask = operands[1 + count], None
    if op.mask is not None:
        mask = defined(operands[2 + count], "a mask")
    shape = extents_of(op.vector_type)
    data = np.zeros(shape, base.array.dtype)
    lost = np.zeros(shape, np.bool_)
    for index in np.ndindex(*shape):
        where = _lane_place(op, base, start, index, mask)
        if where is not None:
            data[index] = base.array[where]
        elif poison_of(padding) is not None:
            lost[index] = True
        else:
            data[index] = data_of(padding)
    return (with_poison(data, lost),)


def _transfer_write(
    interpreter: Interpreter, op: Operation, operands: Sequence[Any]
) -> Sequence[Any]:
    assert isinstance(op, transfer.TransferWriteOp)
    value, base = operands[0], operands[1]
    if not isinstance(base, Buffer):
        raise CompileError("the interpreter has no transfers of tensors")
    count = len(op.indices)
    start = index_of(operands[2 : 2 + count])
    mask = defined(operands[2 + count], "a mask") if op.mask is not None else None
    data, lost = data_of(value), poison_of(value)
    for index in np.ndindex(*data.shape):
        where = _lane_place(op, base, start, index, mask)
        if where is None:
            continue
        if lost is not None and lost[index]:
            raise CompileError("the stored value is poison")
        base.array[where] = data[index]
    return ()


HANDLERS: Mapping[str, Handler] = {
    **{
        f"vector.{name}": _lanes
        for name in (
            "deinterleave",
            "extract_strided_slice",
            "insert_strided_slice",
            "interleave",
            "shape_cast",
            "transpose",
        )
    },
    "vector.compressstore": _store,
    "vector.expandload": _load,
    "vector.gather": _load,
    "vector.load": _load,
    "vector.maskedload": _load,
    "vector.maskedstore": _store,
    "vector.scatter": _store,
    "vector.store": _store,
    "vector.transfer_read": _transfer_read,
    "vector.transfer_write": _transfer_write,
}
