"""`arith`, `math` and the instructions of `llvm` that compute lane by lane.

An op of `arith` or `math` and the instruction it becomes share one function. Floats are rounded
once per op; `maximumf` propagates NaN, and -0.0 is below 0.0. Undefined behaviour is an error (a
division by zero) or poison (a shift by too much). Fast-math flags change nothing here: they allow
other results, but this result is also allowed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from xdsl.ir import Operation

from snippets_mlir.dialects.builtin.dtypes import Array, round_to
from snippets_mlir.dialects.snippets.values import integer
from snippets_mlir.dialects.snippets.values.evaluate import value_of
from snippets_mlir.dialects.snippets.values.fma import fma
from snippets_mlir.interpreter.poison import (
    data_of,
    defined,
    lift,
    poison_of,
    with_poison,
)
from snippets_mlir.interpreter.registry import Handler
from snippets_mlir.support.errors import CompileError

if TYPE_CHECKING:
    from snippets_mlir.interpreter.machine import Interpreter

Function = Callable[..., Array]


def unsigned(x: Array) -> Array:
    """The integers `x` as unsigned ones of the same bits; an i1 as 0 or 1."""
    return x.astype(np.uint8) if x.dtype.kind == "b" else x.view(f"u{x.dtype.itemsize}")


def handler(function: Function) -> Handler:
    """The handler of an op that computes `function` element by element."""
    lifted = lift(function)

    def handle(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
        with np.errstate(all="ignore"):
            return (lifted(*operands),)

    return handle


def of_snippets(name: str) -> Function:
    """The function of an op of the `snippets` dialect whose value depends only on its operands."""
    function = value_of(name)
    return lambda *x: function(None, x[0].dtype, *x)


def _bits(function: Callable[[Array, Array], Array]) -> Function:
    """Wrapping arithmetic; on i1 modulo 2."""

    def value(x: Array, y: Array) -> Array:
        if x.dtype.kind != "b":
            return np.asarray(function(x, y))
        return np.asarray(function(x.astype(np.uint8), y.astype(np.uint8)) & 1, np.bool_)

    return value


def _on_unsigned(function: Callable[[Array, Array], Array]) -> Function:
    def value(x: Array, y: Array) -> Array:
        return np.asarray(function(unsigned(x), unsigned(y))).astype(x.dtype)

    return value


def _division(function: Callable[[Array, Array], Array], signed: bool) -> Handler:
    def handle(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
        divisor = defined(operands[1], "a divisor")
        x = data_of(operands[0])
        if not divisor.all():
            raise CompileError(f"{op.name} divides by zero")
        if signed and np.any((divisor == -1) & (x == np.iinfo(x.dtype).min)):
            raise CompileError(f"{op.name} divides the smallest integer by -1")
        result = np.asarray(function(x, divisor)).astype(x.dtype)
        return (with_poison(result, poison_of(operands[0])),)

    return handle


def _ceil_divide(x: Array, y: Array) -> Array:
    return np.floor_divide(x, y) + (np.remainder(x, y) != 0).astype(x.dtype)


def _shift(function: Callable[[Array, Array], Array]) -> Handler:
    """A shift by the width or more is poison."""

    def handle(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
        amount = data_of(operands[1])
        much = unsigned(amount) >= 8 * amount.dtype.itemsize
        result = lift(function)(operands[0], with_poison(np.where(much, 0, amount), much))
        poison = poison_of(operands[1])
        return (result if poison is None else spread(result, poison),)

    return handle


def spread(value: Any, poison: Array) -> Any:
    """`value` with the lanes of `poison` added to its poisoned lanes."""
    own = poison_of(value)
    return with_poison(data_of(value), poison if own is None else own | poison)


def _left(x: Array, y: Array) -> Array:
    return np.asarray(np.left_shift(unsigned(x), unsigned(y))).astype(x.dtype)


def _right(x: Array, y: Array) -> Array:
    return np.asarray(np.right_shift(x, y.astype(x.dtype)))


def _right_unsigned(x: Array, y: Array) -> Array:
    return np.asarray(np.right_shift(unsigned(x), unsigned(y))).astype(x.dtype)


def _sqrt(x: Array) -> Array:
    if x.dtype.itemsize == 2:
        return round_to(np.sqrt(x.astype(np.float64)), x.dtype)
    return np.sqrt(x)


def _rsqrt(x: Array) -> Array:
    return of_snippets("snippets.divide")(np.ones((), x.dtype), _sqrt(x))


def _round_away(x: Array) -> Array:
    whole = np.trunc(x)
    away = np.copysign(np.abs(whole) + 1, x)
    return np.asarray(np.where(np.abs(x - whole) >= 0.5, away, whole), x.dtype)


def _clamp(x: Array, low: Array, high: Array) -> Array:
    return of_snippets("snippets.minimum")(of_snippets("snippets.maximum")(x, low), high)


def _is_normal(x: Array) -> Array:
    return np.isfinite(x) & (np.abs(x) >= np.finfo(x.dtype).smallest_normal)


def _extended(signed: bool) -> Handler:
    """The low and the high half of a product, in Python's integers."""

    def half(shift: int, x: Array, y: Array) -> Array:
        a, b = (v if signed else unsigned(v) for v in (x, y))
        bits = 8 * x.dtype.itemsize
        product = (a.astype(object) * b.astype(object) >> shift * bits) & ((1 << bits) - 1)
        return np.asarray(product).astype(f"u{x.dtype.itemsize}").view(x.dtype)

    def handle(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
        return tuple(lift(partial(half, shift))(*operands) for shift in (0, 1))

    return handle


_ELEMENTWISE: tuple[tuple[str, Function], ...] = (
    ("arith.addf llvm.fadd", of_snippets("snippets.add")),
    ("arith.subf llvm.fsub", of_snippets("snippets.subtract")),
    ("arith.mulf llvm.fmul", of_snippets("snippets.multiply")),
    ("arith.divf llvm.fdiv", of_snippets("snippets.divide")),
    ("arith.remf llvm.frem", of_snippets("snippets.mod")),
    ("arith.negf llvm.fneg", of_snippets("snippets.negative")),
    ("arith.maximumf llvm.intr.maximum", of_snippets("snippets.maximum")),
    ("arith.minimumf llvm.intr.minimum", of_snippets("snippets.minimum")),
    ("arith.maxnumf llvm.intr.maxnum", np.fmax),
    ("arith.minnumf llvm.intr.minnum", np.fmin),
    ("arith.addi llvm.add index.add", _bits(np.add)),
    ("arith.subi llvm.sub index.sub", _bits(np.subtract)),
    ("arith.muli llvm.mul index.mul", _bits(np.multiply)),
    ("arith.andi llvm.and index.and", np.bitwise_and),
    ("arith.ori llvm.or index.or", np.bitwise_or),
    ("arith.xori llvm.xor index.xor", np.bitwise_xor),
    ("arith.maxsi llvm.intr.smax index.maxs", np.maximum),
    ("arith.minsi llvm.intr.smin index.mins", np.minimum),
    ("arith.maxui llvm.intr.umax index.maxu", _on_unsigned(np.maximum)),
    ("arith.minui llvm.intr.umin index.minu", _on_unsigned(np.minimum)),
    ("math.absf llvm.intr.fabs", of_snippets("snippets.abs")),
    ("math.absi", of_snippets("snippets.abs")),
    ("math.ceil llvm.intr.ceil", np.ceil),
    ("math.floor llvm.intr.floor", np.floor),
    ("math.trunc llvm.intr.trunc", np.trunc),
    ("math.roundeven llvm.intr.roundeven llvm.intr.rint llvm.intr.nearbyint", np.rint),
    ("math.round llvm.intr.round", _round_away),
    ("math.sqrt llvm.intr.sqrt", _sqrt),
    ("math.rsqrt", _rsqrt),
    ("math.clampf", _clamp),
    ("math.isnan", np.isnan),
    ("math.isinf", np.isinf),
    ("math.isfinite", np.isfinite),
    ("math.isnormal", _is_normal),
    ("math.copysign llvm.intr.copysign", np.copysign),
    ("math.fma vector.fma llvm.intr.fma llvm.intr.fmuladd", fma),
)

_OTHERS: tuple[tuple[str, Handler], ...] = (
    ("arith.divsi llvm.sdiv index.divs", _division(integer.divide, signed=True)),
    ("arith.remsi llvm.srem index.rems", _division(integer.mod, signed=True)),
    ("arith.divui llvm.udiv index.divu", _division(_on_unsigned(np.floor_divide), signed=False)),
    ("arith.remui llvm.urem index.remu", _division(_on_unsigned(np.remainder), signed=False)),
    ("index.floordivs", _division(np.floor_divide, signed=True)),
    ("index.ceildivs", _division(_ceil_divide, signed=True)),
    ("index.ceildivu", _division(_on_unsigned(_ceil_divide), signed=False)),
    ("arith.mulsi_extended", _extended(signed=True)),
    ("arith.mului_extended", _extended(signed=False)),
    ("arith.shli llvm.shl index.shl", _shift(_left)),
    ("arith.shrsi llvm.ashr index.shrs", _shift(_right)),
    ("arith.shrui llvm.lshr index.shru", _shift(_right_unsigned)),
)

HANDLERS: Mapping[str, Handler] = {
    **{name: handler(value) for names, value in _ELEMENTWISE for name in names.split()},
    **{name: handler for names, handler in _OTHERS for name in names.split()},
}
