"""One definition of each op's value: `evaluate(op, operands)` on NumPy arrays.

It serves the interpreter and the constant folder. The docstrings of the ops state the values;
the tables that compute them are split by topic:

* `values_unary`: exact unary ops, clamping, rounding to integral values;
* `values_math`: functions of one float (exp, erf, gelu, ...), evaluated wide and rounded once;
* `values_binary`: arithmetic, comparisons, logic, select, fma; `values_integer` has the integers'
  own rules and `values_fma` the fused multiply-add;
* `values_conversion`: conversions, bitcast, lookup, broadcast, reshape, transpose;
* `values_reduction` and `values_normalization`: what reads more than one place of an operand;
* `values_constant`: arrays from and to dense attributes.

Imports NumPy: modules that every tool loads import this one inside functions.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
from xdsl.ir import Operation

from snippets_mlir.dialects.builtin.dtypes import Array, numpy_dtype
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of
from snippets_mlir.dialects.snippets.shapes import (
    broadcast_shapes,
    compatible,
    format_shape,
)
from snippets_mlir.dialects.snippets.values.binary import BINARY_VALUES
from snippets_mlir.dialects.snippets.values.constant import constant_array, dense_attr
from snippets_mlir.dialects.snippets.values.conversion import CONVERSION_VALUES
from snippets_mlir.dialects.snippets.values.math import MATH_VALUES
from snippets_mlir.dialects.snippets.values.normalization import NORMALIZATION_VALUES
from snippets_mlir.dialects.snippets.values.reduction import REDUCTION_VALUES
from snippets_mlir.dialects.snippets.values.unary import UNARY_VALUES, Value
from snippets_mlir.dialects.snippets.whole_tensor import WholeTensorOp
from snippets_mlir.support.errors import CompileError

__all__ = ["constant_array", "dense_attr", "evaluate", "value_table"]


@cache
def value_table() -> dict[str, Value]:
    """Op name -> function of (op, result dtype, operand arrays)."""
    elementwise = {**UNARY_VALUES, **MATH_VALUES, **BINARY_VALUES}
    return {**elementwise, **CONVERSION_VALUES, **REDUCTION_VALUES, **NORMALIZATION_VALUES}


def _check_operands(op: WholeTensorOp, operands: Sequence[Array]) -> None:
    """CompileError for arrays that are not of the operands' shapes, whose dims have their roles."""
    for index, (value, array) in enumerate(zip(op.operands, operands, strict=True)):
        if not compatible(array.shape, shape_of(value)):
            raise CompileError(
                f"{op.name}: operand {index} is of shape {format_shape(array.shape)}, "
                f"its type says {format_shape(shape_of(value))}"
            )


def evaluate(op: Operation, operands: Sequence[Array]) -> Array:
    """The value of a computing op of the `snippets` dialect.

    `operands` have the dtypes of the op's operand types; the result has the dtype of its result
    type and the shape that the arrays broadcast to. CompileError for an op without a value, for
    arrays that do not broadcast (or fit the types of a `WholeTensorOp`), and for a shape that
    contradicts the result type.
    """
    function = value_table().get(op.name)
    if function is None:
        raise CompileError(f"{op.name} has no value in the snippets dialect")
    if isinstance(op, WholeTensorOp):
        _check_operands(op, operands)
    elif broadcast_shapes(*(array.shape for array in operands)) is None:
        found = ", ".join(format_shape(array.shape) for array in operands)
        raise CompileError(f"{op.name} operands do not broadcast: {found}")
    type_ = tensor_of(op.results[0])
    dtype = numpy_dtype(type_.element_type)
    with np.errstate(all="ignore"):
        result = np.asarray(function(op, dtype, *operands))
    assert result.dtype == dtype, f"{op.name} gave {result.dtype}, expected {dtype}"
    if not compatible(result.shape, shape_of(type_)):
        raise CompileError(
            f"{op.name} computes shape {format_shape(result.shape)}, "
            f"its type says {format_shape(shape_of(type_))}"
        )
    return result
