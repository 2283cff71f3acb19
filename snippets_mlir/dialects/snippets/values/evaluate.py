"""One definition of each op's value: `evaluate(op, operands)` on NumPy arrays.

The interpreter and the constant folder use it. The docstrings of the ops state the values, and
their records compute them (`record.py`). Values use the other modules of this package:

* `forms`: functions of arrays as values, in a wider type and rounded once, or unchanged;
* `special`: the error function; `integer`: the integers' own rules; `fma`: the fused multiply-add;
* `conversion`: conversions, bitcast, lookup, broadcast, reshape, transpose;
* `reduction` and `normalization`: ops that read more than one position of an operand;
* `constant`: arrays from and to dense attributes.

Imports NumPy: modules that every tool loads import this one inside functions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from xdsl.ir import Operation

from snippets_mlir.dialects.builtin.dtypes import Array, numpy_dtype
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of
from snippets_mlir.dialects.snippets.record import Value
from snippets_mlir.dialects.snippets.registry import DerivedTable, records
from snippets_mlir.dialects.snippets.shapes import (
    broadcast_shapes,
    compatible,
    format_shape,
)
from snippets_mlir.dialects.snippets.values.constant import constant_array, dense_attr
from snippets_mlir.dialects.snippets.whole_tensor import WholeTensorOp
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.outside import OPS, from_plugin, place_outside

__all__ = ["VALUES", "constant_array", "dense_attr", "evaluate", "value_of"]


VALUES: Mapping[str, Value] = DerivedTable(lambda: {r.name: r.value for r in records()})
"""Op name -> function of (op, result dtype, operand arrays)."""


def value_of(name: str) -> Value:
    """The value of the op called `name`; KeyError if it has none."""
    return VALUES[name]


def _check_operands(op: WholeTensorOp, operands: Sequence[Array]) -> None:
    """CompileError for arrays whose shapes do not match the operands' types."""
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
    function = VALUES.get(op.name)
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
        result = _computed(function, op, dtype, operands)
    if result.dtype != dtype:
        found = f"{op.name}: expected a value of {dtype}, found {result.dtype}"
        raise CompileError(_of_plugin(op, found))
    if not compatible(result.shape, shape_of(type_)):
        raise CompileError(
            _of_plugin(
                op,
                f"{op.name} computes shape {format_shape(result.shape)}, "
                f"its type says {format_shape(shape_of(type_))}",
            )
        )
    return result


def _computed(
    function: Value, op: Operation, dtype: np.dtype[Any], operands: Sequence[Array]
) -> Array:
    """The result of a record's function; CompileError if the function of a plug-in returns no
    array.
    """
    try:
        return np.asarray(function(op, dtype, *operands))
    except (TypeError, ValueError) as error:
        if op.name not in OPS or place_outside(error) is not None:
            raise
        said = f"{op.name}: expected an array of numbers as its value: {error}"
        raise CompileError(_of_plugin(op, said)) from error


def _of_plugin(op: Operation, text: str) -> str:
    return from_plugin(f"op '{op.name}'", text)
