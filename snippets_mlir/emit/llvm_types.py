"""Types and constants of the `llvm` dialect in the spelling of LLVM IR text.

    vector<8xf32>                       <8 x float>
    dense<1.0> : vector<8xf32>          splat (float 0x3FF0000000000000)
    !llvm.array<4 x f32>                [4 x float]

Floats are written as hexadecimal bits, so that NaN payloads, infinities and -0.0 survive. Raises
ValueError for types and constants without an LLVM spelling; the caller knows the op and its
position.
"""

from __future__ import annotations

import struct
from math import prod

from xdsl.dialects.builtin import (
    AnyFloat,
    BFloat16Type,
    DenseIntOrFPElementsAttr,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatAttr,
    IndexType,
    IntAttr,
    IntegerAttr,
    IntegerType,
    StringAttr,
    VectorType,
)
from xdsl.dialects.llvm import (
    LLVMArrayType,
    LLVMFunctionType,
    LLVMPointerType,
    LLVMStructType,
    LLVMVoidType,
)
from xdsl.ir import Attribute

_FLOATS: dict[type[Attribute], tuple[str, str]] = {
    Float16Type: ("half", "f16"),
    BFloat16Type: ("bfloat", "bf16"),
    Float32Type: ("float", "f32"),
    Float64Type: ("double", "f64"),
}


def type_text(type: Attribute) -> str:
    """A type as LLVM's assembly spells it, such as `<8 x float>`."""
    return spelling(type)[0]


def spelling(type: Attribute) -> tuple[str, str]:
    """Text of a type and its form in names of intrinsics."""
    if (known := _FLOATS.get(type.__class__)) is not None:
        return known
    if isinstance(type, IntegerType):
        name = f"i{type.width.data}"  # pyright: ignore[reportUnknownMemberType]
        return name, name
    if isinstance(type, LLVMPointerType):
        space = type.addr_space.data if isinstance(type.addr_space, IntAttr) else 0
        return (f"ptr addrspace({space})" if space else "ptr"), f"p{space}"
    if isinstance(type, VectorType):
        return _vector(type)  # pyright: ignore[reportUnknownArgumentType]
    if isinstance(type, LLVMVoidType):
        return "void", "isVoid"
    return _aggregate(type)


def _vector(type: VectorType) -> tuple[str, str]:
    shape = type.get_shape()
    if len(shape) != 1 or type.get_num_scalable_dims():
        raise ValueError(f"LLVM has no vector type {type}; only fixed 1-D vectors")
    text, suffix = spelling(type.element_type)
    return f"<{shape[0]} x {text}>", f"v{shape[0]}{suffix}"


def _aggregate(type: Attribute) -> tuple[str, str]:
    if isinstance(type, LLVMArrayType):
        return f"[{type.size.data} x {type_text(type.type)}]", ""
    if isinstance(type, LLVMStructType) and not type.struct_name.data:
        fields = ", ".join(type_text(t) for t in type.types)
        return f"{{ {fields} }}" if fields else "{}", ""
    if isinstance(type, LLVMFunctionType):
        inputs = [type_text(t) for t in type.inputs]
        if type.is_variadic:
            inputs.append("...")
        return f"{type_text(type.output)} ({', '.join(inputs)})", ""
    raise ValueError(f"LLVM has no type {type}")


def float_text(value: float, type: Attribute) -> str:
    """A float constant as hexadecimal bits; `value` is rounded to `type`."""
    if isinstance(type, Float64Type):
        return f"0x{int.from_bytes(struct.pack('<d', value), 'little'):016X}"
    if isinstance(type, (Float16Type, BFloat16Type, Float32Type)):
        return bits_text(type.pack((value,)), type)
    raise ValueError(f"LLVM constants of type {type} are not supported")


def bits_text(raw: bytes, type: Attribute) -> str:
    """A float constant from its little-endian bytes."""
    bits = int.from_bytes(raw, "little")
    if isinstance(type, Float16Type):
        return f"0xH{bits:04X}"
    if isinstance(type, BFloat16Type):
        return f"0xR{bits:04X}"
    if isinstance(type, Float32Type):
        return f"0x{_widen(bits):016X}"
    if isinstance(type, Float64Type):
        return f"0x{bits:016X}"
    raise ValueError(f"LLVM constants of type {type} are not supported")


def _widen(bits: int) -> int:
    """Bits of the f64 equal to the f32 with these bits; LLVM writes floats as doubles."""
    sign, exponent, mantissa = bits >> 31, bits >> 23 & 0xFF, bits & 0x7FFFFF
    if exponent == 0xFF:
        return sign << 63 | 0x7FF << 52 | mantissa << 29
    value = struct.unpack("<f", struct.pack("<I", bits))[0]
    return int.from_bytes(struct.pack("<d", value), "little")


def integer_text(value: int, type: Attribute) -> str:
    """An integer constant; i1 is `true` or `false`."""
    if isinstance(type, IntegerType) and type.width.data == 1:  # pyright: ignore[reportUnknownMemberType]
        return "true" if value else "false"
    return str(value)


def constant_text(value: Attribute, type: Attribute) -> str:
    """`value` as the operand text of a constant of LLVM type `type`."""
    if isinstance(value, IntegerAttr):
        return integer_text(value.value.data, type)
    if isinstance(value, FloatAttr):
        return float_text(value.value.data, type)
    if isinstance(value, StringAttr):
        return f'c"{_escaped(value.data.encode())}"'
    if isinstance(value, DenseIntOrFPElementsAttr):
        return _dense_text(value, type)  # pyright: ignore[reportUnknownArgumentType]
    raise ValueError(f"LLVM has no constant {value}")


def _escaped(raw: bytes) -> str:
    return "".join(chr(b) if 32 <= b < 127 and b not in b'"\\' else f"\\{b:02X}" for b in raw)


def _dense_text(value: DenseIntOrFPElementsAttr, type: Attribute) -> str:
    if isinstance(type, VectorType):
        spelling(type)  # pyright: ignore[reportUnknownArgumentType]
        element: Attribute = type.element_type  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        count, brackets, dense = type.element_count(), "<>", True
    elif isinstance(type, LLVMArrayType):
        element, count, brackets, dense = type.type, type.size.data, "[]", False
    else:
        raise ValueError(f"LLVM has no dense constant of type {type}")
    if (found := prod(value.get_shape())) != count:
        raise ValueError(f"expected {count} elements, found {found}")
    if count and value.is_splat() and len(value) == 1 and dense:
        return f"splat ({type_text(element)} {_elements(value)[0]})"  # pyright: ignore[reportUnknownArgumentType]
    texts = _elements(value)
    texts = texts * count if len(texts) == 1 else texts
    if dense and len(set(texts)) == 1:
        return f"splat ({type_text(element)} {texts[0]})"  # pyright: ignore[reportUnknownArgumentType]
    prefix = type_text(element)  # pyright: ignore[reportUnknownArgumentType]
    return f"{brackets[0]}{', '.join(f'{prefix} {t}' for t in texts)}{brackets[1]}"


def _elements(value: DenseIntOrFPElementsAttr) -> list[str]:
    """Texts of the elements that `value` stores; one when they are all the same."""
    element = value.get_element_type()
    if isinstance(element, AnyFloat):
        size = element.size
        raw = value.data.data
        if raw == raw[:size] * (len(raw) // size):
            return [bits_text(raw[:size], element)] if raw else []
        return [bits_text(raw[i : i + size], element) for i in range(0, len(raw), size)]
    if isinstance(element, IndexType | IntegerType):
        return [integer_text(v, element) for v in value.iter_values() if isinstance(v, int)]
    raise ValueError(f"LLVM has no dense constant of {element}")
