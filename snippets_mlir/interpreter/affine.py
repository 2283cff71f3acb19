"""`affine`, and `scf.parallel`: maps are evaluated with Python integers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from math import inf, nan
from typing import TYPE_CHECKING, Any

import numpy as np
from xdsl.dialects import scf
from xdsl.dialects.builtin import AffineMapAttr
from xdsl.ir import Operation
from xdsl.ir.affine import AffineConstraintKind, AffineExpr, AffineMap

from snippets_mlir.dialects import affine
from snippets_mlir.dialects.affine.folding import evaluate
from snippets_mlir.dialects.builtin.shaped import extents_of
from snippets_mlir.interpreter.buffers import index_of
from snippets_mlir.interpreter.memrefs import ATOMIC_KINDS
from snippets_mlir.interpreter.poison import defined
from snippets_mlir.interpreter.registry import Handler, nothing
from snippets_mlir.interpreter.scalars import element_dtype
from snippets_mlir.interpreter.vectors import combine
from snippets_mlir.support.errors import CompileError

if TYPE_CHECKING:
    from snippets_mlir.interpreter.machine import Interpreter


def _value(expr: AffineExpr, dims: Sequence[int], symbols: Sequence[int]) -> int:
    value = evaluate(expr, dims, symbols)
    if value is None:
        raise CompileError("an affine expression divides by a number that is not positive")
    return value


def map_values(map: AffineMap, operands: Sequence[Any]) -> list[int]:
    """The results of a map at given values of its dims and symbols."""
    numbers = index_of(operands)
    dims, symbols = numbers[: map.num_dims], numbers[map.num_dims :]
    return [_value(expr, dims, symbols) for expr in map.results]


def _mapped(choose: Callable[[Sequence[int]], int]) -> Handler:
    def handle(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
        map = op.properties["map"]
        assert isinstance(map, AffineMapAttr)
        return (np.asarray(choose(map_values(map.data, operands)), np.int64),)

    return handle


def _index(op: Operation, operands: Sequence[Any]) -> list[int]:
    map = op.properties["map"]
    assert isinstance(map, AffineMapAttr)
    return map_values(map.data, operands)


def _load(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
    memory = operands[0]
    return (np.array(memory.array[memory.at(_index(op, operands[1:]))]),)


def _store(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
    memory = operands[1]
    place = memory.at(_index(op, operands[2:]))
    memory.array[place] = defined(operands[0], "what is stored")
    return ()


def _box(op: Operation, memory: Any, start: Sequence[int], shape: tuple[int, ...]) -> Any:
    """The elements of a vector access, all of which have to be inside."""
    lead = len(start) - len(shape)
    sizes = (*(1 for _ in range(lead)), *shape)
    memory.at(start)
    memory.at([s + n - 1 for s, n in zip(start, sizes, strict=True)])
    places = (*start[:lead], *(slice(s, s + n) for s, n in zip(start[lead:], shape, strict=True)))
    return memory.array[tuple(places)]


def _vector_load(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
    shape = extents_of(op.results[0].type)
    return (np.array(_box(op, operands[0], _index(op, operands[1:]), shape)),)


def _vector_store(
    interpreter: Interpreter, op: Operation, operands: Sequence[Any]
) -> Sequence[Any]:
    box = _box(op, operands[1], _index(op, operands[2:]), operands[0].shape)
    box[...] = defined(operands[0], "what is stored")
    return ()


def _for(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
    assert isinstance(op, affine.ForOp)
    first = len(op.lowerBoundOperands)
    second = first + len(op.upperBoundOperands)
    lower = max(map_values(op.lowerBoundMap.data, operands[:first]))
    upper = min(map_values(op.upperBoundMap.data, operands[first:second]))
    carried = tuple(operands[second:])
    for counter in range(lower, upper, op.step.value.data):
        arguments = (np.asarray(counter, np.int64), *carried)
        carried = interpreter.run_block(op.body.block, arguments, op)
    return carried


_HOLDS: Mapping[AffineConstraintKind, Callable[[int, int], bool]] = {
    AffineConstraintKind.eq: lambda a, b: a == b,
    AffineConstraintKind.ge: lambda a, b: a >= b,
    AffineConstraintKind.le: lambda a, b: a <= b,
}


def _if(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
    assert isinstance(op, affine.IfOp)
    set, numbers = op.condition.data, index_of(operands)
    dims, symbols = numbers[: set.num_dims], numbers[set.num_dims :]
    holds = all(
        _HOLDS[c.kind](_value(c.lhs, dims, symbols), _value(c.rhs, dims, symbols))
        for c in set.constraints
    )
    region = op.then_region if holds else op.else_region
    return interpreter.run_block(region.block, (), op) if region.blocks else ()


def _neutral(kind: str, dtype: np.dtype[Any]) -> Any:
    """The value of an empty reduction."""
    floats = {"addf": -0.0, "mulf": 1.0, "maximumf": -inf, "minimumf": inf}
    floats |= {"maxnumf": nan, "minnumf": nan}
    if kind in floats:
        return np.asarray(floats[kind], dtype)
    if kind in ("maxs", "mins"):
        limits = np.iinfo(dtype)
        return np.asarray(limits.min if kind == "maxs" else limits.max, dtype)
    numbers = {"addi": 0, "muli": 1, "andi": -1, "minu": -1, "maxu": 0, "ori": 0, "xori": 0}
    return np.asarray(numbers[kind]).astype(dtype)


def _parallel(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
    assert isinstance(op, affine.ParallelOp)
    numbers = index_of(operands)
    split = len(op.lower_operands)
    ranges: list[range] = []
    lower_dims, upper_dims = op.lowerBoundsMap.data.num_dims, op.upperBoundsMap.data.num_dims
    for lower, upper, step in zip(op.lower_bounds, op.upper_bounds, op.step_values, strict=True):
        first, last = numbers[:split], numbers[split:]
        start = max(_value(e, first[:lower_dims], first[lower_dims:]) for e in lower)
        end = min(_value(e, last[:upper_dims], last[upper_dims:]) for e in upper)
        ranges.append(range(start, end, step))
    kinds = op.reduction_names
    totals = [
        _neutral(kind, element_dtype(r.type)) for kind, r in zip(kinds, op.results, strict=True)
    ]
    for place in product(*ranges):
        arguments = [np.asarray(i, np.int64) for i in place]
        values = interpreter.run_block(op.body.block, arguments, op)
        totals = [
            combine(ATOMIC_KINDS[kind], total, value)
            for kind, total, value in zip(kinds, totals, values, strict=True)
        ]
    return totals


def _scf_parallel(
    interpreter: Interpreter, op: Operation, operands: Sequence[Any]
) -> Sequence[Any]:
    assert isinstance(op, scf.ParallelOp)
    count = len(op.lowerBound)
    lower, upper, step = (index_of(operands[k * count : (k + 1) * count]) for k in range(3))
    totals = list(operands[3 * count :])
    reduce = op.body.block.last_op
    assert isinstance(reduce, scf.ReduceOp)
    for place in product(*(range(*bounds) for bounds in zip(lower, upper, step, strict=True))):
        arguments = [np.asarray(i, np.int64) for i in place]
        values = interpreter.run_block(op.body.block, arguments, op)
        totals = [
            interpreter.run_block(region.block, (total, value), op)[0]
            for region, total, value in zip(reduce.reductions, totals, values, strict=True)
        ]
    return totals


HANDLERS: Mapping[str, Handler] = {
    "affine.apply": _mapped(lambda values: values[0]),
    "affine.for": _for,
    "affine.if": _if,
    "affine.load": _load,
    "affine.max": _mapped(max),
    "affine.min": _mapped(min),
    "affine.parallel": _parallel,
    "affine.prefetch": nothing,
    "affine.store": _store,
    "affine.vector_load": _vector_load,
    "affine.vector_store": _vector_store,
    "scf.parallel": _scf_parallel,
}
