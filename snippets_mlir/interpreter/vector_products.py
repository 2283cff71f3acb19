"""Ops that combine elements of vectors of any rank: reductions, contractions, outer products."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from xdsl.ir import Operation

from snippets_mlir.dialects.vector import contraction, multi_reduction, outer_product
from snippets_mlir.interpreter.poison import defined
from snippets_mlir.interpreter.registry import Handler
from snippets_mlir.interpreter.vectors import combine, fold

if TYPE_CHECKING:
    from snippets_mlir.interpreter.machine import Interpreter


def _multi_reduction(
    interpreter: Interpreter, op: Operation, operands: Sequence[Any]
) -> Sequence[Any]:
    """Elements in row-major order, then the accumulator."""
    assert isinstance(op, multi_reduction.MultiReductionOp)
    source, acc = (defined(value, "what is reduced") for value in operands)
    left = [d for d in range(source.ndim) if d not in op.dims]
    moved = np.moveaxis(source, left, range(len(left)))
    shape = moved.shape[: len(left)]
    result = np.array(acc)
    for index in np.ndindex(*shape):
        values = moved[index].reshape(-1)
        total = fold(op.kind.data.value, values[1:], np.asarray(values[0]))
        result[index] = combine(op.kind.data.value, total, np.asarray(result[index]))
    return (np.asarray(result),)


def _contract(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
    """Floats are multiplied and added with one rounding each."""
    assert isinstance(op, contraction.ContractOp)
    lhs, rhs, acc = (defined(value, "what is contracted") for value in operands)
    result = np.array(acc)
    sizes, kind = op.sizes, op.kind.data.value
    for at in product(*(range(sizes[d]) for d in range(len(sizes)))):
        left, right, out = (tuple(at[d] for d in walk) for walk in op.walks)
        factor = combine("mul", np.asarray(lhs[left]), np.asarray(rhs[right]))
        result[out] = combine(kind, np.asarray(result[out]), factor)
    return (np.asarray(result),)


def _outer(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
    assert isinstance(op, outer_product.OuterProductOp)
    values = [defined(value, "a factor") for value in operands]
    lhs, rhs = values[:2]
    left = lhs.reshape((*lhs.shape, *(1 for _ in rhs.shape)))
    shape = (*lhs.shape, *rhs.shape)
    made = combine("mul", np.broadcast_to(left, shape), np.broadcast_to(rhs, shape))
    return (combine(op.kind.data.value, values[2], made) if len(values) > 2 else made,)


HANDLERS: Mapping[str, Handler] = {
    "vector.contract": _contract,
    "vector.multi_reduction": _multi_reduction,
    "vector.outerproduct": _outer,
}
