"""Format functions for memory, vector elements and aggregates of the `llvm` dialect."""

from __future__ import annotations

from functools import lru_cache

from xdsl.dialects import llvm as upstream
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr
from xdsl.dialects.llvm import ATOMIC_ORDERING_KEYWORDS, GEP_USE_SSA_VAL
from xdsl.ir import Attribute, Operation

from snippets_mlir.dialects.llvm import atomics, pointers
from snippets_mlir.emit.llvm_formats import Format, Names, flag, int_property, result
from snippets_mlir.support.walking import operands_of


def access(op: Operation) -> str:
    """The alignment, `nontemporal` and `invariant.load` of a load or store."""
    align = op.properties.get("alignment")
    text = f", align {align.value.data}" if isinstance(align, IntegerAttr) else ""
    if "nontemporal" in op.properties:
        text += ", !nontemporal !0"
    return f"{text}, !invariant.load !1" if "invariant" in op.properties else text


def atomic(op: Operation) -> tuple[str, str]:
    """The text before the type and after the pointer of an atomic access."""
    ordering = op.properties.get("ordering")
    number = ordering.value.data if isinstance(ordering, IntegerAttr) else 0
    if not number:
        return "", ""
    return "atomic ", f" {ATOMIC_ORDERING_KEYWORDS[number]}"


def load(op: Operation, names: Names) -> str:
    """`llvm.load` as `load type, ptr p, align n`."""
    prefix, ordering = atomic(op)
    return (
        f"load {prefix}{flag(op, 'volatile_', 'volatile')}{result(op, names)}, "
        f"{names.typed(operands_of(op)[0])}{ordering}{access(op)}"
    )


def store(op: Operation, names: Names) -> str:
    """`llvm.store` as `store type v, ptr p, align n`."""
    prefix, ordering = atomic(op)
    value, ptr = map(names.typed, operands_of(op))
    return f"store {prefix}{flag(op, 'volatile_', 'volatile')}{value}, {ptr}{ordering}{access(op)}"


def gep(op: Operation, names: Names) -> str:
    """`llvm.getelementptr` as `getelementptr type, ptr p, indices`."""
    pointer, *dynamic = operands_of(op)
    raw, bits = op.properties["rawConstantIndices"], op.properties["noWrapFlags"]
    assert isinstance(bits, IntegerAttr)
    values = iter(dynamic)
    indices = ", ".join(
        [names.typed(next(values)) if i == GEP_USE_SSA_VAL else f"i32 {i}" for i in _numbers(raw)]
    )
    flags = "".join([f"{flag} " for flag in pointers.flag_names(bits.value.data)])
    element = names.type(op.properties["elem_type"])
    return f"getelementptr {flags}{element}, {names.typed(pointer)}, {indices}"


@lru_cache(maxsize=4096)
def _numbers(array: Attribute) -> tuple[int, ...]:
    assert isinstance(array, DenseArrayBase)
    return tuple([int(number) for number in array.get_values()])


def masked_read(name: str) -> Format:
    """A call of `llvm.masked.load` or `llvm.masked.gather`."""

    def write(op: Operation, names: Names) -> str:
        data, mask, passed = operands_of(op)
        suffix = f"{names.suffix(passed.type)}.{names.suffix(data.type)}"
        return (
            f"call {result(op, names)} @{name}.{suffix}({names.type(data.type)} align "
            f"{int_property(op, 'alignment')} {names.value(data)}, {names.typed(mask)}, "
            f"{names.typed(passed)})"
        )

    return write


def masked_write(name: str) -> Format:
    """A call of `llvm.masked.store` or `llvm.masked.scatter`."""

    def write(op: Operation, names: Names) -> str:
        value, data, mask = operands_of(op)
        suffix = f"{names.suffix(value.type)}.{names.suffix(data.type)}"
        return (
            f"call void @{name}.{suffix}({names.typed(value)}, {names.type(data.type)} align "
            f"{int_property(op, 'alignment')} {names.value(data)}, {names.typed(mask)})"
        )

    return write


def insertelement(op: Operation, names: Names) -> str:
    """A vector with one element replaced."""
    return f"insertelement {', '.join(map(names.typed, operands_of(op)))}"


def extractelement(op: Operation, names: Names) -> str:
    """`llvm.extractelement` as `extractelement vector, index`."""
    return f"extractelement {', '.join(map(names.typed, operands_of(op)))}"


def shufflevector(op: Operation, names: Names) -> str:
    """Elements of two vectors in constant order; -1 is poison."""
    mask = op.properties["mask"]
    assert isinstance(mask, DenseArrayBase)
    lanes = [int(i) for i in mask.get_values()]
    elements = ", ".join("i32 poison" if i < 0 else f"i32 {i}" for i in lanes)
    lhs, rhs = map(names.typed, operands_of(op))
    return f"shufflevector {lhs}, {rhs}, <{len(lanes)} x i32> <{elements}>"


def extractvalue(op: Operation, names: Names) -> str:
    """`llvm.extractvalue` as `extractvalue aggregate, position`."""
    return f"extractvalue {names.typed(operands_of(op)[0])}{position(op)}"


def insertvalue(op: Operation, names: Names) -> str:
    """An aggregate with one member replaced."""
    container, value = map(names.typed, operands_of(op))
    return f"insertvalue {container}, {value}{position(op)}"


def position(op: Operation) -> str:
    """The position of a member in an aggregate, as LLVM writes it: `, 0, 1`."""
    position = op.properties["position"]
    assert isinstance(position, DenseArrayBase)
    return "".join(f", {i}" for i in position.get_values())


def alloca(op: Operation, names: Names) -> str:
    """`llvm.alloca` as `alloca type, count, align n`."""
    assert isinstance(op, upstream.AllocaOp)
    align = f", align {op.alignment.value.data}" if op.alignment else ""
    return f"alloca {names.type(op.elem_type)}, {names.typed(op.size)}{align}"


def fence(op: Operation, names: Names) -> str:
    """`llvm.fence` as `fence ordering`."""
    return f"fence {ATOMIC_ORDERING_KEYWORDS[int_property(op, 'ordering')]}"


def atomicrmw(op: Operation, names: Names) -> str:
    """A read, a change and a write in one step."""
    assert isinstance(op, atomics.AtomicRMWOp)
    ptr, value = map(names.typed, operands_of(op))
    ordering = ATOMIC_ORDERING_KEYWORDS[op.ordering.value.data]
    volatile = flag(op, "volatile_", "volatile")
    return f"atomicrmw {volatile}{op.change.lstrip('_')} {ptr}, {value} {ordering}{access(op)}"
