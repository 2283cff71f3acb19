"""Products of one-hot rows with a constant are rows of the constant.

    %k = snippets.constant dense<[0, 1, 2, ...]> : tensor<257xi32>
    %0 = snippets.equal %x, %k                    : 8x2048x1 and 257 to 8x2048x257
    %1 = snippets.convert_truncation %0           : to f32
    %2 = snippets.matmul %1, %w                   : 8x2048x257 and 257x64 to 8x2048x64

becomes

    %i = snippets.reshape %x                      : 8x2048
    %0 = snippets.gather %w, %i {axis = 0}        : 8x2048x64
    %1 = snippets.greater_equal %x, 0             : 8x2048x1
    %2 = snippets.less_equal %x, 256
    %3 = snippets.logical_and %1, %2
    %4 = snippets.select %3, %0, 0

so the matrix of zeros and ones is not stored. A number outside of the range has a row of zeros. A
sum of one element and zeros is that element, so the rewrite is exact. It is refused

* if an element of the constant is not finite: zero times an infinity is NaN, in every row;
* if an element is -0.0: a sum that contains 0.0 is 0.0;
* for constants of more than `LARGEST` bytes, because the rewrite inspects all elements;
* for numbers that are floats or have an unknown size.
"""

from __future__ import annotations

from typing import NamedTuple

from typing_extensions import override
from xdsl.dialects.builtin import i1, i32, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from snippets_mlir.dialects.builtin.dims import Dim, static_shape, static_size
from snippets_mlir.dialects.builtin.dtypes import Array
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of
from snippets_mlir.dialects.builtin.size_facts import has_symbols
from snippets_mlir.dialects.snippets.comparison import EqualOp, GreaterEqualOp, LessEqualOp
from snippets_mlir.dialects.snippets.constant_arrays import array_of
from snippets_mlir.dialects.snippets.constants import ConstantOp, ScalarOp
from snippets_mlir.dialects.snippets.conversion import (
    BroadcastOp,
    ConvertSaturationOp,
    ConvertTruncationOp,
    ReshapeOp,
)
from snippets_mlir.dialects.snippets.gathering import GatherOp
from snippets_mlir.dialects.snippets.logic import LogicalAndOp
from snippets_mlir.dialects.snippets.product import MatMulOp
from snippets_mlir.dialects.snippets.resources import resource_at_hand
from snippets_mlir.dialects.snippets.rules.match import in_linear_ir, literal_attr
from snippets_mlir.dialects.snippets.rules.rule import Literal
from snippets_mlir.dialects.snippets.selection import SelectOp
from snippets_mlir.dialects.snippets.shapes import DYNAMIC
from snippets_mlir.support.attribute_names import SKIPPED
from snippets_mlir.support.errors import CompileError

LARGEST = 1 << 22
"""Largest number of bytes of a constant whose elements are inspected: a millisecond."""


class _OneHot(NamedTuple):
    """Rows of zeros, each with a one at the position given by a number.

    Attributes:
        numbers: integers, with a last dim of 1.
        places: the length of a row.
    """

    numbers: SSAValue
    places: int


def one_hot(value: SSAValue) -> _OneHot | None:
    """The one-hot matrix that computes `value`, for numbers of type i32 or i64; None for other
    values.
    """
    op = value.owner
    if not isinstance(op, ConvertTruncationOp | ConvertSaturationOp):
        return None
    equal = op.operand.owner
    if tensor_of(op.operand).element_type != i1 or not isinstance(equal, EqualOp):
        return None
    shape = shape_of(value)
    for numbers, counted in ((equal.lhs, equal.rhs), (equal.rhs, equal.lhs)):
        if isinstance(numbers.owner, BroadcastOp):
            numbers = numbers.owner.operand
        known = DYNAMIC not in shape and tuple(shape_of(numbers)) == (*shape[:-1], 1)
        if known and tensor_of(numbers).element_type in (i32, i64) and _counts(counted, shape[-1]):
            return _OneHot(numbers, static_size(shape[-1]))
    return None


def _counts(value: SSAValue, places: Dim) -> bool:
    """Whether `value` is a constant with 0, 1, 2, ... along the last dim."""
    op = value.owner
    if isinstance(op, BroadcastOp):
        op = op.operand.owner
    if not isinstance(op, ConstantOp) or has_symbols(shape := shape_of(op.result)):
        return False
    *before, size = static_shape(shape) or (1,)
    if size != places or not 0 < size <= LARGEST or any(other != 1 for other in before):
        return False
    array = _elements(op)
    return array is not None and array.reshape(-1).tolist() == [*range(size)]


def _elements(op: ConstantOp) -> Array | None:
    """The elements of a constant; None if a file is missing, which is reported later."""
    try:
        return array_of(op, resource_at_hand)
    except CompileError:
        return None


def _sums_keep_elements(op: ConstantOp) -> bool:
    """Whether all elements of a constant are known to be finite and not -0.0."""
    import numpy as np

    array = _elements(op)
    if array is None or array.nbytes > LARGEST or not bool(np.isfinite(array).all()):
        return False
    return array.dtype.kind in "iub" or not bool((np.signbit(array) & (array == 0)).any())


def _number(number: int, element: Attribute) -> ScalarOp:
    return ScalarOp(literal_attr(Literal(number), element))


class RowsOfConstant(RewritePattern):
    """matmul(one_hot(i), w) = gather(w, i) where i is a place, else 0."""

    @override
    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if not isinstance(op, MatMulOp) or in_linear_ir(op) or any(op.transposes):
            return
        if SKIPPED in op.attributes:
            return
        table, found = op.rhs.owner, one_hot(op.lhs)
        if found is None or not isinstance(table, ConstantOp):
            return
        if len(shape_of(op.rhs)) != 2 or not _sums_keep_elements(table):
            return
        numbers, element = found.numbers, tensor_of(found.numbers).element_type
        first, last = (_number(number, element) for number in (0, found.places - 1))
        made: list[Operation] = [
            places := ReshapeOp(numbers, shape_of(numbers)[:-1]),
            rows := GatherOp(op.rhs, places, 0),
            first,
            last,
            above := GreaterEqualOp(numbers, first),
            below := LessEqualOp(numbers, last),
            inside := LogicalAndOp(above, below),
            zero := _number(0, tensor_of(op.rhs).element_type),
            result := SelectOp(inside, rows, zero),
        ]
        if result.result.type != op.result.type:
            return
        for each in made:
            each.location = op.location
        result.attributes.update(op.attributes)
        rewriter.replace(op, made)
