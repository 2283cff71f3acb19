"""`vector` and the vector instructions of `llvm`: moving and folding lanes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from xdsl.dialects.builtin import DYNAMIC_INDEX, DenseArrayBase
from xdsl.dialects.vector import CombiningKindAttr
from xdsl.ir import Attribute, Operation

from snippets_mlir.dialects.builtin.dtypes import Array
from snippets_mlir.dialects.snippets.values.evaluate import value_of
from snippets_mlir.interpreter.arithmetic import unsigned
from snippets_mlir.interpreter.poison import data_of, defined, poison_of, with_poison
from snippets_mlir.interpreter.registry import Check, Handler
from snippets_mlir.interpreter.scalars import CHECKS as SCALAR_CHECKS
from snippets_mlir.interpreter.scalars import element_dtype, layout_of
from snippets_mlir.support.errors import CompileError

if TYPE_CHECKING:
    from snippets_mlir.interpreter.machine import Interpreter


def moved(function: Callable[[Array], Array], value: Any) -> Any:
    """`function`, which only moves elements, on the data and on the poison of a value."""
    poison = poison_of(value)
    return with_poison(
        np.asarray(function(data_of(value))), None if poison is None else function(poison)
    )


def _broadcast(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
    shape = layout_of(op.results[0].type).shape
    return (moved(lambda x: np.broadcast_to(x, shape), operands[0]),)


def _static(op: Operation, name: str) -> tuple[int, ...]:
    attr = op.properties[name]
    assert isinstance(attr, DenseArrayBase)
    return tuple(int(i) for i in attr.get_values())


def _position(op: Operation, dynamic: Sequence[Any], shape: tuple[int, ...]) -> tuple[int, ...]:
    """The position of an extract or insert, inside of a vector of `shape`."""
    rest = iter(dynamic)
    position = tuple(
        int(defined(next(rest), "a position")) if i == DYNAMIC_INDEX else i
        for i in _static(op, "static_position")
    )
    return _inside(position, shape)


def _inside(position: tuple[int, ...], shape: tuple[int, ...]) -> tuple[int, ...]:
    for i, size in zip(position, shape, strict=False):
        if not 0 <= i < size:
            raise CompileError(f"position {i} is outside of a vector of {size}")
    return position


def _extract(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
    position = _position(op, operands[1:], data_of(operands[0]).shape)
    return (moved(lambda x: np.asarray(x[position]), operands[0]),)


def _put(value: Any, vector: Any, position: tuple[int, ...]) -> Any:
    data = np.array(data_of(vector))
    data[position] = data_of(value)
    own, new = poison_of(vector), poison_of(value)
    if own is None and new is None:
        return data
    lanes = np.zeros(data.shape, np.bool_) if own is None else own.copy()
    lanes[position] = False if new is None else new
    return with_poison(data, lanes)


def _insert(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
    position = _position(op, operands[2:], data_of(operands[1]).shape)
    return (_put(operands[0], operands[1], position),)


def _extractelement(
    interpreter: Interpreter, op: Operation, operands: Sequence[Any]
) -> Sequence[Any]:
    position = _inside((int(defined(operands[1], "a position")),), data_of(operands[0]).shape)
    return (moved(lambda x: np.asarray(x[position]), operands[0]),)


def _insertelement(
    interpreter: Interpreter, op: Operation, operands: Sequence[Any]
) -> Sequence[Any]:
    position = _inside((int(defined(operands[2], "a position")),), data_of(operands[0]).shape)
    return (_put(operands[1], operands[0], position),)


def _shuffle(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
    """Lane -1 is poison."""
    mask = np.asarray(_static(op, "mask"), np.int64)
    both = np.concatenate([np.atleast_1d(data_of(x)) for x in operands])
    lanes = mask < 0
    poisons = [
        np.zeros(data_of(x).shape, np.bool_) if poison_of(x) is None else poison_of(x)
        for x in operands
    ]
    lanes = lanes | np.concatenate([np.atleast_1d(p) for p in poisons if p is not None])[mask]
    return (with_poison(both[mask], lanes),)


def _from_elements(
    interpreter: Interpreter, op: Operation, operands: Sequence[Any]
) -> Sequence[Any]:
    type_ = op.results[0].type
    shape = layout_of(type_).shape
    data = np.array([data_of(x) for x in operands], element_dtype(type_)).reshape(shape)
    lanes = np.array([poison_of(x) is not None for x in operands]).reshape(shape)
    return (with_poison(data, lanes),)


def _to_elements(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
    def element(i: int) -> Any:
        return moved(lambda x: np.asarray(x.reshape(-1)[i]), operands[0])

    return tuple(element(i) for i in range(len(op.results)))


_KINDS: Mapping[str, Callable[[Array, Array], Array]] = {
    "add": lambda a, b: value_of("snippets.add")(None, a.dtype, a, b),
    "mul": lambda a, b: value_of("snippets.multiply")(None, a.dtype, a, b),
    "minui": lambda a, b: np.asarray(np.minimum(unsigned(a), unsigned(b))).view(a.dtype),
    "maxui": lambda a, b: np.asarray(np.maximum(unsigned(a), unsigned(b))).view(a.dtype),
    "minsi": np.minimum,
    "maxsi": np.maximum,
    "minnumf": np.fmin,
    "maxnumf": np.fmax,
    "minimumf": lambda a, b: value_of("snippets.minimum")(None, a.dtype, a, b),
    "maximumf": lambda a, b: value_of("snippets.maximum")(None, a.dtype, a, b),
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}


def combine(kind: str, a: Array, b: Array) -> Array:
    """Two values combined, element by element."""
    with np.errstate(all="ignore"):
        return np.asarray(_KINDS[kind](a, b))


def fold(kind: str, values: Array, start: Array | None) -> Array:
    """The elements combined in order, from `start` if there is one."""
    result = start
    with np.errstate(all="ignore"):
        for element in values.reshape(-1):
            result = np.asarray(
                element if result is None else _KINDS[kind](result, np.asarray(element))
            )
    assert result is not None
    return result


def _reduction(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
    kind = op.properties["kind"]
    assert isinstance(kind, CombiningKindAttr)
    values = [defined(x, "what is folded into one element") for x in operands]
    return (fold(kind.data.value, values[0], values[1] if len(values) > 1 else None),)


def _llvm_reduction(kind: str) -> Handler:
    def handle(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
        values = [defined(x, "what is folded into one element") for x in operands]
        return (fold(kind, values[-1], values[0] if len(values) > 1 else None),)

    return handle


def _create_mask(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
    bounds = [int(defined(x, "a bound")) for x in operands]
    return (_mask(layout_of(op.results[0].type).shape, bounds),)


def _constant_mask(
    interpreter: Interpreter, op: Operation, operands: Sequence[Any]
) -> Sequence[Any]:
    return (_mask(layout_of(op.results[0].type).shape, _static(op, "mask_dim_sizes")),)


def _mask(shape: tuple[int, ...], bounds: Sequence[int]) -> Array:
    grid = np.indices(shape)
    return np.asarray(np.all([axis < b for axis, b in zip(grid, bounds, strict=True)], axis=0))


def _step(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
    type_ = op.results[0].type
    return (np.arange(layout_of(type_).shape[0]).astype(element_dtype(type_)),)


_LLVM_KINDS = {
    **{k: k for k in ("add", "mul", "and", "or", "xor")},
    **{"smax": "maxsi", "smin": "minsi", "umax": "maxui", "umin": "minui"},
    **{"fmax": "maxnumf", "fmin": "minnumf", "fmaximum": "maximumf", "fminimum": "minimumf"},
    **{"fadd": "add", "fmul": "mul"},
}

HANDLERS: Mapping[str, Handler] = {
    **{f"llvm.intr.vector.reduce.{k}": _llvm_reduction(v) for k, v in _LLVM_KINDS.items()},
    "llvm.extractelement": _extractelement,
    "llvm.insertelement": _insertelement,
    "llvm.intr.stepvector": _step,
    "llvm.shufflevector": _shuffle,
    "vector.broadcast": _broadcast,
    "vector.constant_mask": _constant_mask,
    "vector.create_mask": _create_mask,
    "vector.extract": _extract,
    "vector.from_elements": _from_elements,
    "vector.insert": _insert,
    "vector.reduction": _reduction,
    "vector.shuffle": _shuffle,
    "vector.step": _step,
    "vector.to_elements": _to_elements,
}

CHECKS: Mapping[type[Attribute], Check] = SCALAR_CHECKS
