"""`math` functions of floats: evaluated in a wider type, rounded once; and counts of bits.

exp, log, erf and the other functions of kernels use the values of the `snippets` dialect.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from xdsl.ir import Operation

from snippets_mlir.dialects.builtin.dtypes import Array, round_to, widen
from snippets_mlir.dialects.snippets.expansions.table import INTEGER_TWINS, TWINS
from snippets_mlir.dialects.snippets.registry import DerivedTable
from snippets_mlir.interpreter.arithmetic import handler, of_snippets, unsigned
from snippets_mlir.interpreter.poison import lift
from snippets_mlir.interpreter.registry import Handler

if TYPE_CHECKING:
    from snippets_mlir.interpreter.machine import Interpreter


def _power_of_integer(x: Array, n: Array) -> Array:
    """x^n; it has the sign of x if n is odd."""
    magnitude = np.power(np.abs(widen(x)), n.astype(np.float64))
    negative = np.signbit(x) & ((n & 1) == 1)
    return round_to(np.where(negative, -magnitude, magnitude), x.dtype)


def _leading_zeros(x: Array) -> Array:
    rest, count = unsigned(x), np.full(x.shape, 8 * x.dtype.itemsize, x.dtype)
    while rest.any():
        count = count - (rest != 0)
        rest = rest >> 1
    return count.astype(x.dtype)


def _trailing_zeros(x: Array) -> Array:
    """The bits below the lowest one: `~x & (x - 1)` has these set."""
    bits = unsigned(x)
    return np.asarray(np.bitwise_count(~bits & (bits - bits.dtype.type(1)))).astype(x.dtype)


def _popcount(x: Array) -> Array:
    return np.asarray(np.bitwise_count(unsigned(x))).astype(x.dtype)


def _counted(function: Callable[[Array], Array]) -> Handler:
    def handle(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
        with np.errstate(all="ignore"):
            return (lift(function)(operands[0]),)

    return handle


_HANDLERS: dict[str, Handler] = {
    "llvm.intr.ctpop": _counted(_popcount),
    "math.ctlz": _counted(_leading_zeros),
    "math.ctpop": _counted(_popcount),
    "math.cttz": _counted(_trailing_zeros),
    "math.fpowi": handler(_power_of_integer),
}

HANDLERS: Mapping[str, Handler] = DerivedTable(
    lambda: (
        {
            f"math.{name}": handler(of_snippets(record.name))
            for twins in (TWINS, INTEGER_TWINS)
            for name, record in twins.items()
        }
        | _HANDLERS
    )
)
