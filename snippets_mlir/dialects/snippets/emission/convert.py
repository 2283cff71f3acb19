"""Emitters of conversions between element types, broadcasts and table look-ups.

The 16-bit floats are converted from and to f32, since LLVM calls a library for the other
conversions. From a type with more bits, the f32 is rounded to odd: its last bit says whether it is
inexact, so that the second rounding gives what one rounding gives.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import (
    AnyFloat,
    DenseIntOrFPElementsAttr,
    FixedBitwidthType,
    IntegerType,
    Signedness,
    VectorType,
    bf16,
    f16,
    f32,
    f64,
    i1,
    i16,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue

from snippets_mlir.dialects.builtin.shaped import tensor_of
from snippets_mlir.dialects.snippets.conversion import ConvertTruncationOp
from snippets_mlir.dialects.snippets.emission.builder import (
    CodeBuilder,
    element_of,
    lanes_of,
    vector_type,
)
from snippets_mlir.dialects.snippets.internal import LookupOp

_HALVES = (bf16, f16)
_EXACT_IN_F32 = 16
_BITS_OF_I64 = 64


def _width(element: Attribute) -> int:
    assert isinstance(element, FixedBitwidthType)
    return element.bitwidth


def _is_unsigned(element: Attribute) -> bool:
    """i1 and `ui` types; signless integers are signed."""
    if not isinstance(element, IntegerType):
        return False
    integer = cast("IntegerType[int, Signedness]", element)
    return integer == i1 or integer.signedness.data == Signedness.UNSIGNED


def _f32_to_bf16(b: CodeBuilder, x: SSAValue) -> SSAValue:
    """The upper halves of the bits, rounded to nearest even; few targets have an instruction."""
    bits = b.op("arith.bitcast", [x], vector_type(i32, lanes_of(x)))
    upper = b.op("arith.shrui", [bits, b.like(16, bits)])
    odd = b.op("arith.andi", [upper, b.like(1, bits)])
    bias = b.op("arith.addi", [odd, b.like(0x7FFF, bits)])
    rounded = b.op("arith.shrui", [b.op("arith.addi", [bits, bias]), b.like(16, bits)])
    is_nan = b.compare_float("une", x, x)
    rounded = b.select(is_nan, b.op("arith.ori", [upper, b.like(0x40, bits)]), rounded)
    half = b.op("arith.trunci", [rounded], vector_type(i16, lanes_of(x)))
    return b.op("arith.bitcast", [half], vector_type(bf16, lanes_of(x)))


def _bf16_to_f32(b: CodeBuilder, x: SSAValue) -> SSAValue:
    """The bits and 16 zeros; LLVM would move what follows an `arith.extf` into bf16."""
    half = b.op("arith.bitcast", [x], vector_type(i16, lanes_of(x)))
    bits = b.op("arith.extui", [half], vector_type(i32, lanes_of(x)))
    bits = b.op("arith.shli", [bits, b.like(16, bits)])
    return b.op("arith.bitcast", [bits], vector_type(f32, lanes_of(x)))


def _single(b: CodeBuilder, x: SSAValue) -> SSAValue:
    """16-bit floats as f32, exact; other floats as they are."""
    if element_of(x) == bf16:
        return _bf16_to_f32(b, x)
    return b.op("arith.extf", [x], vector_type(f32, lanes_of(x))) if element_of(x) == f16 else x


def _odd_f32(b: CodeBuilder, x: SSAValue) -> SSAValue:
    """f64 rounded to odd: towards zero, and the last bit set where that is not exact."""
    nearest = b.op("arith.truncf", [x], vector_type(f32, lanes_of(x)))
    back = b.op("arith.extf", [nearest], x.type)
    is_inexact = b.compare_float("one", back, x)
    is_larger = b.compare_float("ogt", b.op("math.absf", [back]), b.op("math.absf", [x]))
    bits = b.op("arith.bitcast", [nearest], vector_type(i32, lanes_of(x)))
    bits = b.select(is_larger, b.op("arith.subi", [bits, b.like(1, bits)]), bits)
    bits = b.select(is_inexact, b.op("arith.ori", [bits, b.like(1, bits)]), bits)
    return b.op("arith.bitcast", [bits], nearest.type)


def _sticky_f64(b: CodeBuilder, x: SSAValue, source: Attribute) -> SSAValue:
    """Integers as f64; what it does not hold of 64 bits is one bit that says so."""
    if _width(source) == _BITS_OF_I64:
        low = b.op("arith.andi", [x, b.like((1 << 11) - 1, x)])
        high = b.op("arith.xori", [x, low])
        sticky = b.select(b.compare_int("eq", low, b.like(0, x)), low, b.like(1 << 11, x))
        shifted = b.op("arith.shrsi", [x, b.like(53, x)])  # 0 and -1: below 2^53
        is_small = b.compare_int("ule", b.op("arith.addi", [shifted, b.like(1, x)]), b.like(1, x))
        x = b.select(is_small, x, b.op("arith.ori", [high, sticky]))
    name = "arith.uitofp" if _is_unsigned(source) else "arith.sitofp"
    return b.op(name, [x], vector_type(f64, lanes_of(x)))


def to_float(b: CodeBuilder, x: SSAValue, source: Attribute, target: Attribute) -> SSAValue:
    """Any vector as floats of type `target`."""
    type_ = vector_type(target, lanes_of(x))
    if isinstance(source, AnyFloat):
        if source == target:
            return x
        if target in _HALVES:
            single = _odd_f32(b, x) if source == f64 else _single(b, x)
            return (
                _f32_to_bf16(b, single) if target == bf16 else b.op("arith.truncf", [single], type_)
            )
        single = _single(b, x)
        if element_of(single) == target:
            return single
        return b.op("arith.extf" if target == f64 else "arith.truncf", [single], type_)
    if target == bf16 and _width(source) > _EXACT_IN_F32:
        return to_float(b, _sticky_f64(b, x, source), f64, target)
    if target in _HALVES:  # an integer that f32 rounds is infinite in f16
        return to_float(b, to_float(b, x, source, f32), f32, target)
    return b.op("arith.uitofp" if _is_unsigned(source) else "arith.sitofp", [x], type_)


def to_bool(b: CodeBuilder, x: SSAValue) -> SSAValue:
    """`x != 0`, true for NaN."""
    if element_of(x) == i1:
        return x
    if isinstance(element_of(x), AnyFloat):
        x = _single(b, x)
        return b.compare_float("une", x, b.like(0.0, x))
    return b.compare_int("ne", x, b.like(0, x))


def _resize(b: CodeBuilder, x: SSAValue, source: Attribute, target: Attribute) -> SSAValue:
    """Integer to integer, keeping the low bits."""
    type_ = vector_type(target, lanes_of(x))
    if _width(source) == _width(target):
        return x
    if _width(source) > _width(target):
        return b.op("arith.trunci", [x], type_)
    return b.op("arith.extui" if _is_unsigned(source) else "arith.extsi", [x], type_)


def _limits(element: Attribute) -> tuple[int, int]:
    width = _width(element)
    if _is_unsigned(element):
        return 0, (1 << width) - 1
    return -(1 << (width - 1)), (1 << (width - 1)) - 1


def _fits(b: CodeBuilder, x: SSAValue, target: Attribute) -> SSAValue:
    """Whether trunc(x) is a value of the integer type; false for NaN.

    The bound below is the smallest integer where the float type has no value between it and its
    predecessor, else that predecessor, exclusive.
    """
    lowest, highest = _limits(target)
    narrow = _width(element_of(x)) <= _width(target)
    if narrow and lowest:
        above = b.compare_float("oge", x, b.like(float(lowest), x))
    else:
        above = b.compare_float("ogt", x, b.like(float(lowest - 1), x))
    below = b.compare_float("olt", x, b.like(float(highest + 1), x))
    return b.op("arith.andi", [above, below])


def _float_to_int(b: CodeBuilder, x: SSAValue, target: Attribute) -> SSAValue:
    name = "arith.fptoui" if _is_unsigned(target) else "arith.fptosi"
    return b.op(name, [x], vector_type(target, lanes_of(x)))


def truncate(b: CodeBuilder, op: Operation, x: Sequence[SSAValue]) -> SSAValue:
    """A conversion as C and NumPy do it."""
    assert isinstance(op, ConvertTruncationOp)
    source = tensor_of(op.operand).element_type
    target = tensor_of(op.result).element_type
    if target == i1:
        return to_bool(b, x[0])
    if isinstance(target, AnyFloat):
        return to_float(b, x[0], source, target)
    if not isinstance(source, AnyFloat):
        return _resize(b, x[0], source, target)
    if op.in_range is not None:
        return _float_to_int(b, _single(b, x[0]), target)
    number = _single(b, x[0])
    fits = _fits(b, number, target)
    safe = b.select(fits, number, b.like(0.0, number))
    value = _float_to_int(b, safe, target)
    return b.select(fits, value, b.like(_limits(target)[0], value))


def saturate(b: CodeBuilder, op: Operation, x: Sequence[SSAValue]) -> SSAValue:
    """A conversion that clamps to the range of the result's type."""
    source = tensor_of(op.operands[0]).element_type
    target = tensor_of(op.results[0]).element_type
    if target == i1:
        return to_bool(b, x[0])
    if isinstance(target, AnyFloat):
        return to_float(b, x[0], source, target)
    if isinstance(source, AnyFloat):
        return _saturate_float(b, _single(b, x[0]), target)
    return _saturate_int(b, x[0], source, target)


def _saturate_float(b: CodeBuilder, x: SSAValue, target: Attribute) -> SSAValue:
    lowest, highest = _limits(target)
    rounded = b.op("math.roundeven", [x])
    fits = _fits(b, rounded, target)
    value = _float_to_int(b, b.select(fits, rounded, b.like(0.0, x)), target)
    large = b.compare_float("oge", rounded, b.like(float(highest + 1), x))
    small = b.compare_float("olt", rounded, b.like(float(lowest), x))
    value = b.select(large, b.like(highest, value), value)
    return b.select(small, b.like(lowest, value), value)


def _saturate_int(b: CodeBuilder, x: SSAValue, source: Attribute, target: Attribute) -> SSAValue:
    (low, high), (lowest, highest) = _limits(source), _limits(target)
    unsigned = _is_unsigned(source)
    if low < lowest:
        x = b.op("arith.maxsi", [x, b.like(lowest, x)])
    if high > highest:
        x = b.op("arith.minui" if unsigned else "arith.minsi", [x, b.like(highest, x)])
    return _resize(b, x, source, target)


def bitcast(b: CodeBuilder, op: Operation, x: Sequence[SSAValue]) -> SSAValue:
    """The bits read as another type."""
    target = tensor_of(op.results[0]).element_type
    return b.op("arith.bitcast", x, vector_type(target, lanes_of(x[0])))


def quotient_through_f64(b: CodeBuilder, x: SSAValue, y: SSAValue) -> SSAValue:
    """trunc(x / y) of integers of at most 32 bits, y not 0 and the quotient in range."""
    wide = vector_type(f64, lanes_of(x))
    ratio = b.op("arith.divf", [b.op("arith.sitofp", [x], wide), b.op("arith.sitofp", [y], wide)])
    return b.op("arith.fptosi", [ratio], x.type)


def lookup(b: CodeBuilder, op: Operation, x: Sequence[SSAValue]) -> SSAValue:
    """`table[index]`, the index clamped, or modulo the size."""
    assert isinstance(op, LookupOp)
    table = op.table
    assert isinstance(table, DenseIntOrFPElementsAttr)
    (size,) = table.get_shape()
    (index,) = x
    result = vector_type(table.get_element_type(), lanes_of(index))
    assert isinstance(result, VectorType)
    if op.wraps is not None and b.permutes(size, index, result):
        return b.permuted(table, index)
    if op.wraps is not None:
        index = b.op("arith.andi", [index, b.like(size - 1, index)])
    else:
        index = b.op("arith.maxsi", [index, b.like(0, index)])
        index = b.op("arith.minsi", [index, b.like(size - 1, index)])
    if element_of(index) != i64:
        index = b.op("arith.extsi", [index], vector_type(i64, lanes_of(index)))
    return b.gather(b.table(table), index, result)
