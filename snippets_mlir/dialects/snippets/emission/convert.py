"""Emitters of conversions between element types, broadcasts and table look-ups."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import AnyFloat, DenseIntOrFPElementsAttr, VectorType, f64, i1, i64
from xdsl.ir import Attribute, Operation, SSAValue

from snippets_mlir.dialects.builtin.shaped import bit_width, tensor_of
from snippets_mlir.dialects.snippets.conversion import ConvertTruncationOp
from snippets_mlir.dialects.snippets.emission.builder import (
    CodeBuilder,
    element_of,
    lanes_of,
    vector_type,
)
from snippets_mlir.dialects.snippets.emission.to_float import is_unsigned, to_float, to_single
from snippets_mlir.dialects.snippets.internal import LookupOp


def to_bool(b: CodeBuilder, x: SSAValue) -> SSAValue:
    """`x != 0`, true for NaN."""
    if element_of(x) == i1:
        return x
    if isinstance(element_of(x), AnyFloat):
        x = to_single(b, x)
        return b.compare_float("une", x, b.like(0.0, x))
    return b.compare_int("ne", x, b.like(0, x))


def _resize(b: CodeBuilder, x: SSAValue, source: Attribute, target: Attribute) -> SSAValue:
    """Integer to integer, keeping the low bits."""
    type_ = vector_type(target, lanes_of(x))
    if bit_width(source) == bit_width(target):
        return x
    if bit_width(source) > bit_width(target):
        return b.op("arith.trunci", [x], type_)
    return b.op("arith.extui" if is_unsigned(source) else "arith.extsi", [x], type_)


def _limits(element: Attribute) -> tuple[int, int]:
    width = bit_width(element)
    if is_unsigned(element):
        return 0, (1 << width) - 1
    return -(1 << (width - 1)), (1 << (width - 1)) - 1


def _fits(b: CodeBuilder, x: SSAValue, target: Attribute) -> SSAValue:
    """Whether trunc(x) is a value of the integer type; false for NaN.

    The lower bound is the smallest integer if the float type has no value between it and its
    predecessor; otherwise it is that predecessor, exclusive.
    """
    lowest, highest = _limits(target)
    narrow = bit_width(element_of(x)) <= bit_width(target)
    if narrow and lowest:
        above = b.compare_float("oge", x, b.like(float(lowest), x))
    else:
        above = b.compare_float("ogt", x, b.like(float(lowest - 1), x))
    below = b.compare_float("olt", x, b.like(float(highest + 1), x))
    return b.op("arith.andi", [above, below])


def _float_to_int(b: CodeBuilder, x: SSAValue, target: Attribute) -> SSAValue:
    name = "arith.fptoui" if is_unsigned(target) else "arith.fptosi"
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
        return _float_to_int(b, to_single(b, x[0]), target)
    number = to_single(b, x[0])
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
        return _saturate_float(b, to_single(b, x[0]), target)
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
    unsigned = is_unsigned(source)
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
