"""`memref`: allocating, reading, writing and freeing memory, with checks of every index.

A value of a memref type is a `Buffer`. `run_on_memrefs` calls a function with arrays, which it
changes. Views are in `memref_views.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from xdsl.dialects import memref
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseIntOrFPElementsAttr,
    MemRefType,
    UnrankedMemRefType,
)
from xdsl.ir import Attribute, Operation

from snippets_mlir.dialects.builtin.dtypes import as_array
from snippets_mlir.dialects.builtin.shaped import element_of, extents_of
from snippets_mlir.dialects.memref.access import AtomicRMWOp
from snippets_mlir.dialects.memref.memory import GlobalOp
from snippets_mlir.dialects.snippets.values.evaluate import constant_array
from snippets_mlir.interpreter.buffers import Buffer, buffer_of, index_of, memory_shape
from snippets_mlir.interpreter.functions import find_function
from snippets_mlir.interpreter.poison import defined
from snippets_mlir.interpreter.registry import Check, Handler, nothing
from snippets_mlir.interpreter.scalars import element_dtype
from snippets_mlir.interpreter.vectors import combine
from snippets_mlir.support.errors import CompileError

if TYPE_CHECKING:
    from snippets_mlir.interpreter.machine import Interpreter


def _alloc(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
    type = op.results[0].type
    rest = iter(index_of(operands))
    shape = [next(rest) if size == DYNAMIC_INDEX else size for size in extents_of(type)]
    inner, scalar = memory_shape(type)
    if inner:
        raise CompileError("the interpreter has no memory of vectors")
    return (buffer_of(np.zeros(shape, element_dtype(scalar))),)


def _dealloc(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
    memory = operands[0]
    memory.check_alive()
    memory.allocation.alive = False
    return ()


def _load(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
    memory = operands[0]
    return (np.array(memory.array[memory.at(index_of(operands[1:]))]),)


def _store(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
    memory = operands[1]
    memory.array[memory.at(index_of(operands[2:]))] = defined(operands[0], "what is stored")
    return ()


def _copy(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
    source, target = operands
    if source.array.shape != target.array.shape:
        raise CompileError(
            f"expected memrefs of one shape, found {source.array.shape} and {target.array.shape}"
        )
    target.array[...] = source.array.copy()
    return ()


def _dim(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
    (place,) = index_of(operands[1:])
    shape = operands[0].array.shape
    if not 0 <= place < len(shape):
        raise CompileError(f"dimension {place} is outside of rank {len(shape)}")
    return (np.asarray(shape[place], np.int64),)


def _rank(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
    return (np.asarray(operands[0].array.ndim, np.int64),)


def _get_global(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
    assert isinstance(op, memref.GetGlobalOp)
    name = op.name_.string_value()
    known: dict[str, Buffer] = interpreter.__dict__.setdefault("buffers", {})
    if name not in known:
        found = interpreter.symbol(name)
        if not isinstance(found, GlobalOp):
            raise CompileError(f"the module has no memref.global @{name}")
        value = found.initial_value
        shape = extents_of(found.type)
        dtype = element_dtype(element_of(found.type))
        array = np.zeros(shape, dtype)
        if isinstance(value, DenseIntOrFPElementsAttr):
            array[...] = constant_array(value)  # pyright: ignore[reportUnknownArgumentType]
        if found.constant is not None:
            array.flags.writeable = False
        known[name] = buffer_of(array)
    return (known[name],)


ATOMIC_KINDS: Mapping[str, str] = {
    "addf": "add",
    "addi": "add",
    "andi": "and",
    "maximumf": "maximumf",
    "maxnumf": "maxnumf",
    "maxs": "maxsi",
    "maxu": "maxui",
    "minimumf": "minimumf",
    "minnumf": "minnumf",
    "mins": "minsi",
    "minu": "minui",
    "mulf": "mul",
    "muli": "mul",
    "ori": "or",
    "xori": "xor",
}


def _atomic(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
    assert isinstance(op, AtomicRMWOp)
    value, memory = operands[:2]
    place = memory.at(index_of(operands[2:]))
    old = np.array(memory.array[place])
    kind = ATOMIC_KINDS.get(op.kind_name)
    memory.array[place] = value if kind is None else combine(kind, old, value)
    return (old,)


def _check(value: Any, type: Any) -> str | None:
    """Why `value` is not a memref of `type`; None if it is one."""
    if not isinstance(value, Buffer):
        return f"expected a memref, found {value.__class__.__name__}"
    if isinstance(type, UnrankedMemRefType):
        return None
    shape = extents_of(type)
    found = value.array.shape
    if len(found) != len(shape) or any(
        size not in (n, DYNAMIC_INDEX) for size, n in zip(shape, found, strict=True)
    ):
        return f"expected {type}, found sizes {list(found)}"
    return None


def run_on_memrefs(interpreter: Interpreter, entry: str, values: Sequence[Any]) -> tuple[Any, ...]:
    """Call a function on arrays (for memrefs, which it changes) and scalars; its results.

    A memref result is the array, not a copy.
    """
    function = find_function(interpreter.module, entry)
    block = function.body.blocks[0]
    given: list[Any] = []
    for argument, value in zip(block.args, values, strict=True):
        if argument.type.name == MemRefType.name:
            array = as_array(value)
            if array is None:
                raise TypeError(f"expected an array, found {type(value).__name__}")
            given.append(buffer_of(array))
        else:
            given.append(np.asarray(value, element_dtype(argument.type)))
    results = interpreter.run_block(block, given, function)
    return tuple(r.array if isinstance(r, Buffer) else r for r in results)


CHECKS: Mapping[type[Attribute], Check] = {MemRefType: _check, UnrankedMemRefType: _check}
HANDLERS: Mapping[str, Handler] = {
    "memref.alloc": _alloc,
    "memref.alloca": _alloc,
    "memref.atomic_rmw": _atomic,
    "memref.copy": _copy,
    "memref.dealloc": _dealloc,
    "memref.dim": _dim,
    "memref.get_global": _get_global,
    "memref.load": _load,
    "memref.prefetch": nothing,
    "memref.rank": _rank,
    "memref.store": _store,
}
