"""Constant folding of the `snippets` dialect.

    %0 = snippets.scalar 2.0 : f32
    %1 = snippets.exp %0 : tensor<f32>                  -> snippets.constant dense<7.38905621>
    %3 = snippets.multiply %2, %one : tensor<4xf32>     -> %2

An op folds to a constant if all its operands are constants written in the text and the result has
at most `MAX_ELEMENTS` elements; `values.evaluate` computes the value. An op folds to an existing
value by the rules of `dialects/snippets/rules`, or if it returns its operand unchanged. A reduction
over no elements folds to neutral elements, a product over none to zeros. Folding refuses ops of the
linear IR (their ports name their operands) and element types that NumPy lacks.

NumPy is imported only when a value has to be computed.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from struct import Struct
from typing import Any, cast

from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    TensorType,
)
from xdsl.ir import Attribute, Operation, SSAValue

from snippets_mlir.dialects.builtin.dims import static_shape
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of
from snippets_mlir.dialects.builtin.size_facts import has_symbols
from snippets_mlir.dialects.builtin.sizes import SizeAttr
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.conversion import (
    BroadcastLikeOp,
    ReshapeOp,
)
from snippets_mlir.dialects.snippets.layout import SqueezeOp, TransposeOp, UnsqueezeOp
from snippets_mlir.dialects.snippets.product import MatMulOp
from snippets_mlir.dialects.snippets.reduction import ReduceOp
from snippets_mlir.dialects.snippets.registry import record_of
from snippets_mlir.dialects.snippets.rules.match import (
    Match,
    dense_constant,
    in_linear_ir,
    literal_dense,
    plan,
    rules_for,
)
from snippets_mlir.dialects.snippets.rules.rule import Literal, Variable
from snippets_mlir.dialects.snippets.shapes import is_static
from snippets_mlir.support.errors import CompileError

BITS = Struct("d")

MAX_ELEMENTS = 16384
"""A larger result stays an op: the text of a constant costs more than computing it."""


def dense_of_scalar(
    attr: FloatAttr | IntegerAttr | SizeAttr, type: TensorType[Any]
) -> DenseIntOrFPElementsAttr[Any]:
    """A constant of the static tensor type `type` with `attr` in all elements.

    Raises:
        CompileError: it is a size known only at run time.
    """
    if isinstance(attr, SizeAttr):
        raise CompileError(f"{attr} is known at run time; only kernels compute with it")
    number = attr.value.data
    return _splat(number if isinstance(number, int) else BITS.pack(number), type)


@lru_cache(1024)
def _splat(number: int | bytes, type: TensorType[Any]) -> DenseIntOrFPElementsAttr[Any]:
    """A constant of a number; a float is given by its bits, because 0.0 equals -0.0."""
    value = number if isinstance(number, int) else BITS.unpack(number)[0]
    return DenseIntOrFPElementsAttr.from_list(cast(Any, type), [value])


def fold(op: Operation) -> Sequence[Attribute | SSAValue] | None:
    """The value of `op` as a constant or an existing value; None if it does not fold."""
    if in_linear_ir(op):
        return None
    if (constant := _fold_constant(op)) is not None or (constant := _of_nothing(op)) is not None:
        return (constant,)
    if (same := _identity(op)) is not None:
        return (same,)
    for rule in rules_for(op.name, folds=True):
        if (match := plan(rule, op)) is not None and (value := _right_side(match)) is not None:
            return (value,)
    return None


def _small(type_: TensorType[Attribute]) -> bool:
    """Whether a constant may have the type: all its sizes are numbers, and few elements.

    A dynamic size is a formula (`dialects/builtin/dims.py`): `0x?0` has no
    elements, but its shape is known only at run time.
    """
    shape = shape_of(type_)
    known = is_static(shape) and not has_symbols(shape)
    return known and type_.element_count() <= MAX_ELEMENTS


def _fold_constant(op: Operation) -> Attribute | None:
    constants: list[DenseIntOrFPElementsAttr[Any]] = []
    for operand in op.operands:
        attr = dense_constant(operand)
        if attr is None:
            return None
        constants.append(attr)
    type_ = tensor_of(op.results[0])
    if not constants or not _small(type_):
        return None
    from snippets_mlir.dialects.snippets.values.evaluate import constant_array, dense_attr, evaluate

    try:
        result = evaluate(op, [constant_array(attr) for attr in constants])
    except CompileError:
        return None
    return dense_attr(result, type_)


def _of_nothing(op: Operation) -> Attribute | None:
    """The neutral elements for a reduction over a dim of size 0, or zeros for a product."""
    if isinstance(op, MatMulOp) and _small(type_ := tensor_of(op.result)):
        if 0 not in [factor.inner for factor in op.factors]:
            return None
        return DenseIntOrFPElementsAttr.from_list(cast(Any, type_), [0])
    if not isinstance(op, ReduceOp) or not _small(tensor_of(op.result)):
        return None
    shape = shape_of(op.operand)
    if not any(shape[axis] == 0 for axis in op.axes):
        return None
    import numpy as np

    from snippets_mlir.dialects.builtin.dtypes import numpy_dtype
    from snippets_mlir.dialects.snippets.values.evaluate import dense_attr, value_of

    # The sizes of the other dims that are reduced do not matter, and need not be known.
    sizes = static_shape(0 if axis in op.axes else size for axis, size in enumerate(shape))
    dtype = numpy_dtype(tensor_of(op.operand).element_type)
    with np.errstate(all="ignore"):
        value = value_of(op.name)(op, dtype, np.empty(sizes, dtype))
    return dense_attr(value, tensor_of(op.result))


def _identity(op: Operation) -> SSAValue | None:
    """The operand, if the op returns it unchanged."""
    if len(op.operands) != 1 or op.operands[0].type != op.results[0].type:
        return None
    record = record_of(op.name)
    if record is not None and record.gives_back is not None and record.gives_back(op):
        return op.operands[0]
    if _moves_nothing(op):
        return op.operands[0]
    if isinstance(op, BroadcastLikeOp | ReshapeOp):
        static = is_static(shape_of(op.operands[0]))
        return op.operands[0] if static else None
    return None


def _moves_nothing(op: Operation) -> bool:
    """Whether a transpose, squeeze, unsqueeze or reduction of this type returns its operand."""
    if isinstance(op, TransposeOp):
        return op.permutation == tuple(range(len(op.permutation)))
    if isinstance(op, SqueezeOp | UnsqueezeOp):
        return not op.axes
    if isinstance(op, ReduceOp):
        from snippets_mlir.dialects.snippets.canonicalization.reductions import (
            adds_zero,
            combines_nothing,
        )

        return combines_nothing(op) and not adds_zero(op)
    return False


def _right_side(match: Match) -> Attribute | SSAValue | None:
    root: ComputeOp = match.root
    right, type_ = match.rule.result, tensor_of(root.results[0])
    if isinstance(right, Literal):
        return literal_dense(right, type_) if _small(type_) else None
    assert isinstance(right, Variable)
    value = match.values[right.name]
    return value if value.type == type_ else None
