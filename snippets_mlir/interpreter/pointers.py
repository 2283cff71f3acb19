"""Memory through `!llvm.ptr`: loads, stores, address arithmetic, constant tables.

A pointer is a piece of memory and a byte offset. Every access is checked for bounds, the alignment
that the op claims, bytes that were never written, and poison.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from xdsl.dialects.builtin import (
    DenseArrayBase,
    FixedBitwidthType,
    IntegerAttr,
    IntegerType,
    StringAttr,
    SymbolRefAttr,
)
from xdsl.dialects.llvm import GEP_USE_SSA_VAL, GlobalOp, LLVMPointerType
from xdsl.ir import Attribute, Operation

from snippets_mlir.dialects.builtin.dtypes import Array
from snippets_mlir.dialects.snippets.values.evaluate import constant_array
from snippets_mlir.dialects.vector.elements import element_of
from snippets_mlir.interpreter.memory import Memory, Pointer
from snippets_mlir.interpreter.poison import data_of, defined, poison_of, with_poison
from snippets_mlir.interpreter.registry import Handler, nothing
from snippets_mlir.interpreter.scalars import Pointers, element_dtype, layout_of
from snippets_mlir.support.errors import CompileError

if TYPE_CHECKING:
    from snippets_mlir.interpreter.machine import Interpreter

POINTER_BYTES = 8


@lru_cache(1024)
def size_of(type_: Attribute) -> int:
    """The bytes of a type in memory; CompileError for a type that has no fixed layout here."""
    if isinstance(type_, LLVMPointerType):
        return POINTER_BYTES
    element = element_of(type_)
    if element is not type_:
        if element == IntegerType(1):
            raise CompileError("vectors of i1 have no bytes of their own; expected i8 in memory")
        return int(np.prod(layout_of(type_).shape, dtype=np.int64)) * size_of(element)
    if isinstance(type_, FixedBitwidthType):
        return type_.size
    raise CompileError(f"no layout is known for {type_}")


def _alignment(op: Operation, type_: Attribute) -> int:
    attr = op.properties.get("alignment")
    return attr.value.data if isinstance(attr, IntegerAttr) else size_of(element_of(type_))


@lru_cache(1024)
def _steps(type_: Attribute) -> Array:
    """The bytes from a value of `type_` to each of its elements."""
    count = int(np.prod(layout_of(type_).shape, dtype=np.int64))
    size_of(type_)
    return element_dtype(type_).itemsize * np.arange(count)


def _places(pointer: Pointer, type_: Attribute) -> Array:
    """The byte offsets of the elements of a value of `type_`."""
    return pointer.offset + _steps(type_)


def _load(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
    type_ = op.results[0].type
    pointer = cast(Pointer, operands[0])
    memory = pointer.target(_alignment(op, type_))
    if isinstance(type_, LLVMPointerType):
        if pointer.offset not in memory.slots:
            raise CompileError(f"byte {pointer.offset} of {memory.name} holds no pointer")
        return (memory.slots[pointer.offset],)
    loaded = memory.load(_places(pointer, type_), element_dtype(type_))
    return (loaded.reshape(layout_of(type_).shape),)


def _store(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
    type_ = op.operands[0].type
    pointer = cast(Pointer, operands[1])
    memory = pointer.target(_alignment(op, type_))
    if isinstance(type_, LLVMPointerType):
        raise CompileError("the interpreter stores no pointers")
    value = defined(operands[0], "the stored value")
    memory.store(_places(pointer, type_), value.reshape(-1))
    return ()


def _lanes(
    op: Operation, mask: Any, pointers: Any, type_: Attribute
) -> tuple[Memory | None, Array, Array]:
    """Memory, byte offsets of all lanes, and the indices of the lanes whose mask is on."""
    on = np.flatnonzero(defined(mask, "a mask"))
    alignment = _alignment(op, type_)
    if isinstance(pointers, Pointers):
        offsets = defined(pointers.offsets, "an address")
        for lane in on:
            Pointer(pointers.memory, int(offsets[lane])).target(alignment)
        return pointers.memory, offsets, on
    pointer = cast(Pointer, pointers)
    if on.size:
        pointer.target(alignment)
    return pointer.memory, _places(pointer, type_), on


def _masked_load(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
    type_ = op.results[0].type
    pointers, mask, passed = operands
    memory, offsets, on = _lanes(op, mask, pointers, type_)
    data = np.array(data_of(passed))
    if memory is not None:
        data[on] = memory.load(offsets[on], data.dtype)
    poison = poison_of(passed)
    if poison is not None:
        poison = poison.copy()
        poison[on] = False
    return (with_poison(data, poison),)


def _masked_store(
    interpreter: Interpreter, op: Operation, operands: Sequence[Any]
) -> Sequence[Any]:
    value, pointers, mask = operands
    memory, offsets, on = _lanes(op, mask, pointers, op.operands[0].type)
    data, poison = data_of(value)[on], poison_of(value)
    kept = with_poison(data, None if poison is None else poison[on])
    if memory is not None:
        memory.store(offsets[on], defined(kept, "the stored value"))
    return ()


def _index(op: Operation, operands: Sequence[Any]) -> Array:
    """The one index of an address computation."""
    raw = op.properties["rawConstantIndices"]
    assert isinstance(raw, DenseArrayBase)
    indices = raw.get_values()
    if len(indices) != 1:
        raise CompileError(f"the interpreter follows one index, found {len(indices)}")
    if indices[0] != GEP_USE_SSA_VAL:
        return np.asarray(indices[0], np.int64)
    return defined(operands[1], "an index").astype(np.int64)


def _getelementptr(
    interpreter: Interpreter, op: Operation, operands: Sequence[Any]
) -> Sequence[Any]:
    bytes_ = _index(op, operands) * size_of(op.properties["elem_type"])
    base = operands[0]
    if isinstance(base, Pointers):
        return (Pointers(base.memory, base.offsets + bytes_),)
    if bytes_.ndim:
        return (Pointers(base.memory, base.offset + bytes_),)
    moved = base.moved(int(bytes_))
    flags = op.properties.get("noWrapFlags")
    if isinstance(flags, IntegerAttr) and flags.value.data & 1 and moved.memory is not None:
        if not 0 <= moved.offset <= moved.memory.size:
            raise CompileError(
                f"an inbounds address is byte {moved.offset} of {moved.memory.name}, "
                f"which has {moved.memory.size}"
            )
    return (moved,)


def _alloca(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
    count = int(defined(operands[0], "a size"))
    type_ = op.properties["elem_type"]
    memory = Memory("an alloca", count * size_of(type_), base=_alignment(op, type_))
    return (Pointer(memory),)


def _addressof(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
    symbol = op.properties["global_name"]
    assert isinstance(symbol, SymbolRefAttr)
    name = symbol.string_value()
    if name not in interpreter.globals:
        table = interpreter.symbol(name)
        if not isinstance(table, GlobalOp) or table.value is None:
            raise CompileError(f"the module has no constant table @{name}")
        if isinstance(table.value, StringAttr):
            array = np.frombuffer(table.value.data.encode(), np.uint8)
        else:
            array = constant_array(table.value)  # pyright: ignore[reportArgumentType]
        memory = Memory.of_array(f"table @{name}", array)
        if table.alignment is not None:
            memory.base = table.alignment.value.data
        interpreter.globals[name] = memory
    return (Pointer(interpreter.globals[name]),)


def _ptrtoint(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
    pointer = cast(Pointer, operands[0])
    base = 0 if pointer.memory is None else pointer.memory.base
    return (np.array(base + pointer.offset, element_dtype(op.results[0].type)),)


def _zero(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
    type_ = op.results[0].type
    if isinstance(type_, LLVMPointerType):
        return (Pointer(None),)
    return (np.zeros(layout_of(type_).shape, element_dtype(type_)),)


HANDLERS: Mapping[str, Handler] = {
    "llvm.alloca": _alloca,
    "llvm.fence": nothing,  # only one thread runs here, so stores are visible at once
    "llvm.getelementptr": _getelementptr,
    "llvm.intr.masked.gather": _masked_load,
    "llvm.intr.masked.load": _masked_load,
    "llvm.intr.masked.scatter": _masked_store,
    "llvm.intr.masked.store": _masked_store,
    "llvm.load": _load,
    "llvm.mlir.addressof": _addressof,
    "llvm.mlir.zero": _zero,
    "llvm.ptrtoint": _ptrtoint,
    "llvm.store": _store,
}
