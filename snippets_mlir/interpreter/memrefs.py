"""`memref`: buffers as NumPy arrays, views as views of them, every index checked.

A value of a memref type is a `Buffer`: an array that shares the memory of the allocation, and the
allocation, so that a use after `memref.dealloc` is an error. `run_on_memrefs` calls a function with
arrays, which it changes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.stride_tricks import as_strided
from xdsl.dialects import memref
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    MemRefType,
    UnrankedMemRefType,
    VectorType,
)
from xdsl.ir import Attribute, Operation

from snippets_mlir.dialects.dtypes import Array, as_array
from snippets_mlir.dialects.memref.access import AtomicRMWOp
from snippets_mlir.dialects.memref.memory import GlobalOp
from snippets_mlir.dialects.memref.views import TransposeOp
from snippets_mlir.dialects.shaped import element_of, shape_of
from snippets_mlir.dialects.values import constant_array
from snippets_mlir.dialects.vector.lanes import integers_in
from snippets_mlir.errors import CompileError
from snippets_mlir.interpreter.functions import find_function
from snippets_mlir.interpreter.poison import defined
from snippets_mlir.interpreter.registry import Check, Handler
from snippets_mlir.interpreter.scalars import element_dtype
from snippets_mlir.interpreter.vectors import combine

if TYPE_CHECKING:
    from snippets_mlir.interpreter.machine import Interpreter


@dataclass(eq=False)
class Allocation:
    """A piece of memory.

    Attributes:
        array: the memory.
        alive: false after it was freed.
    """

    array: Array
    alive: bool = True


@dataclass(frozen=True, eq=False)
class Buffer:
    """A memref.

    Attributes:
        array: its elements, where they lie.
        allocation: the memory they lie in.
    """

    array: Array
    allocation: Allocation = field(default_factory=lambda: Allocation(np.empty(0)))

    def at(self, index: Sequence[int]) -> tuple[int, ...]:
        """`index`, which has to be inside; CompileError otherwise."""
        if not self.allocation.alive:
            raise CompileError("memory is used after it was freed")
        for dim, (i, size) in enumerate(zip(index, self.array.shape, strict=True)):
            if not 0 <= i < size:
                raise CompileError(f"index {i} of dimension {dim} is outside of {size} elements")
        return tuple(index)

    def view(self, array: Array) -> Buffer:
        """Another view of the same memory."""
        return Buffer(array, self.allocation)


def buffer_of(array: Array) -> Buffer:
    """A new allocation."""
    return Buffer(array, Allocation(array))


def index_of(values: Sequence[Any]) -> list[int]:
    """Index operands as Python integers."""
    return [int(defined(value, "an index")) for value in values]


def memory_shape(type: Attribute) -> tuple[tuple[int, ...], Attribute]:
    """Shape and scalar type of memory: elements that are vectors are inner dimensions."""
    element = element_of(type)
    inner = shape_of(element) if element.name == VectorType.name else ()
    return inner, element_of(element)


def _alloc(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
    type = op.results[0].type
    rest = iter(index_of(operands))
    shape = [next(rest) if size == DYNAMIC_INDEX else size for size in shape_of(type)]
    inner, scalar = memory_shape(type)
    if inner:
        raise CompileError("the interpreter has no memory of vectors")
    return (buffer_of(np.zeros(shape, element_dtype(scalar))),)


def _dealloc(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
    operands[0].at([0] * operands[0].array.ndim) if operands[0].array.size else None
    operands[0].allocation.alive = False
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


def _cast(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
    return (operands[0],)


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
    wanted = len(shape_of(op.result.type))
    dropped = [d for d, n in enumerate(integers_in(op.static_sizes)) if n == 1]
    kept = _kept(integers_in(op.static_sizes), shape_of(op.result.type))
    drop = tuple(d for d in dropped if d not in kept) if array.ndim != wanted else ()
    return (source.view(array.squeeze(drop)),)


def _kept(sizes: Sequence[int], result: Sequence[int]) -> set[int]:
    """Which dimensions of a subview its result has: the first choice that fits."""

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


def _get_global(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
    assert isinstance(op, memref.GetGlobalOp)
    name = op.name_.string_value()
    known: dict[str, Buffer] = interpreter.__dict__.setdefault("buffers", {})
    if name not in known:
        found = interpreter.symbol(name)
        if not isinstance(found, GlobalOp):
            raise CompileError(f"the module has no memref.global @{name}")
        value = found.initial_value
        shape = shape_of(found.type)
        dtype = element_dtype(element_of(found.type))
        array = np.zeros(shape, dtype)
        if isinstance(value, DenseIntOrFPElementsAttr):
            array[...] = constant_array(value)  # pyright: ignore[reportUnknownArgumentType]
        if found.constant is not None:
            array.flags.writeable = False
        known[name] = buffer_of(array)
    return (known[name],)


def _nothing(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
    return ()


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
    """What is wrong with `value` as a memref of `type`, None when nothing is."""
    if not isinstance(value, Buffer):
        return f"expected a memref, found {value.__class__.__name__}"
    if isinstance(type, UnrankedMemRefType):
        return None
    shape = shape_of(type)
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
View = Callable[[Array], Array]
HANDLERS: Mapping[str, Handler] = {
    "memref.alloc": _alloc,
    "memref.alloca": _alloc,
    "memref.assume_alignment": _cast,
    "memref.atomic_rmw": _atomic,
    "memref.cast": _cast,
    "memref.collapse_shape": _collapse,
    "memref.copy": _copy,
    "memref.dealloc": _dealloc,
    "memref.dim": _dim,
    "memref.expand_shape": _expand,
    "memref.get_global": _get_global,
    "memref.load": _load,
    "memref.memory_space_cast": _cast,
    "memref.prefetch": _nothing,
    "memref.rank": _rank,
    "memref.reinterpret_cast": _reinterpret,
    "memref.store": _store,
    "memref.subview": _subview,
    "memref.transpose": _transpose,
}
