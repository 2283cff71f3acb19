"""The tensor level: all ops of the `snippets` dialect on arrays.

The records of computing ops define their values. A constant by reference is read when it is
executed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Operation

from snippets_mlir.dialects.builtin.dtypes import as_array, numpy_dtype
from snippets_mlir.dialects.snippets.constant_arrays import array_of
from snippets_mlir.dialects.snippets.constants import ConstantOp, ScalarOp
from snippets_mlir.dialects.snippets.registry import DerivedTable
from snippets_mlir.dialects.snippets.shapes import compatible, format_shape
from snippets_mlir.dialects.snippets.subgraph import SubgraphOp
from snippets_mlir.dialects.snippets.values.evaluate import VALUES, evaluate
from snippets_mlir.interpreter.registry import Check, Handler

if TYPE_CHECKING:
    from snippets_mlir.interpreter.machine import Interpreter


def _compute(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
    return (evaluate(op, operands),)


def _constant(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
    assert isinstance(op, ConstantOp | ScalarOp)
    return (array_of(op),)


def _subgraph(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
    assert isinstance(op, SubgraphOp)
    return interpreter.run_block(op.block, operands, op)


def check_tensor(value: Any, type_: TensorType[Attribute]) -> str | None:
    """Why `value` is not a tensor of `type_`; None if it is one."""
    if (array := as_array(value)) is None:
        return f"expected an array, found {type(value).__name__}"
    dtype = numpy_dtype(type_.element_type)
    if array.dtype != dtype:
        return f"expected dtype {dtype}, found {array.dtype}"
    if not compatible(array.shape, type_.get_shape()):
        expected, found = format_shape(type_.get_shape()), format_shape(array.shape)
        return f"expected shape {expected}, found {found}"
    return None


HANDLERS: Mapping[str, Handler] = DerivedTable(
    lambda: {
        **dict.fromkeys(VALUES, _compute),
        ConstantOp.name: _constant,
        ScalarOp.name: _constant,
        SubgraphOp.name: _subgraph,
    }
)

CHECKS: Mapping[type[Attribute], Check] = {TensorType: check_tensor}
