"""The right results: the steps in float64 (integers: wrapping), and the comparison with them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from shapes import plain
from steps import Array, Workload

EPSILON = 1e-5
"""What norms add to the variance or to the mean square."""

CHECKED = 1 << 18
"""So many elements of a result are compared: all of a small one, of a large one the first and last
few thousand and others evenly spread."""


class Mismatch(RuntimeError):
    """The result of a package differs from the reference."""


def _gelu(x: Array) -> Array:
    erfc = np.fromiter(map(math.erfc, (-x.ravel() / math.sqrt(2)).tolist()), np.float64, x.size)
    return 0.5 * x * erfc.reshape(x.shape)


def _relu(x: Array) -> Array:
    return np.maximum(x, 0)


def _sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def _select(mask: Array, a: Array, b: Array) -> Array:
    return np.where(mask, a, b)


def _softmax(x: Array) -> Array:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def _log_softmax(x: Array) -> Array:
    z = x - x.max(-1, keepdims=True)
    return z - np.log(np.exp(z).sum(-1, keepdims=True))


def _layer_norm(x: Array, scale: Array, bias: Array) -> Array:
    c = x - x.mean(-1, keepdims=True)
    variance = (c * c).mean(-1, keepdims=True)
    return c / np.sqrt(variance + x.dtype.type(EPSILON)) * scale + bias


def _rms_norm(x: Array, scale: Array) -> Array:
    square = (x * x).mean(-1, keepdims=True)
    return x / np.sqrt(square + x.dtype.type(EPSILON)) * scale


def _sum(axis: int) -> Callable[..., Any]:
    def function(x: Array, **out: Any) -> Any:
        return np.sum(x, axis, **out)

    return function


OPS: Mapping[str, Callable[..., Any]] = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "relu": _relu,
    "sigmoid": _sigmoid,
    "gelu": _gelu,
    "greater": np.greater,
    "select": _select,
    "bitwise_and": np.bitwise_and,
    "bitwise_or": np.bitwise_or,
    "bitwise_xor": np.bitwise_xor,
    "shift_left": np.left_shift,
    "shift_right": np.right_shift,
    "softmax": _softmax,
    "log_softmax": _log_softmax,
    "layer_norm": _layer_norm,
    "rms_norm": _rms_norm,
    "sum_first": _sum(0),
    "sum_middle": _sum(1),
    "sum_last": _sum(2),
    "transpose": np.transpose,
    "permute": np.transpose,
    "reshape": np.reshape,
    "matmul": np.matmul,
}
"""The operations, as the reference and NumPy compute them."""


def _checked(count: int) -> Array:
    """The flat positions that are compared in a result of `count` elements."""
    if count <= CHECKED:
        return np.arange(count)
    edge = CHECKED // 64
    middle = np.linspace(edge, count - edge - 1, CHECKED - 2 * edge).astype(np.int64)
    return np.concatenate([np.arange(edge), middle, np.arange(count - edge, count)])


class Reference:
    """The right result of a workload on given inputs, at the elements that are compared."""

    def __init__(self, workload: Workload, inputs: Mapping[str, Array], size: str) -> None:
        """Compute it in float64, or in the integer type itself."""
        self.shape = shape = workload.shape(size)
        self.dtype = np.dtype(workload.dtype)
        self.index = _checked(math.prod(shape))
        small = 1e-5 if self.dtype == np.float32 else 1e-13
        self.tolerance = small * math.sqrt(workload.terms(size))
        values: dict[str, Any] = {}
        for name, array in inputs.items():
            picked = array
            if workload.elementwise:
                picked = np.broadcast_to(array, shape)[np.unravel_index(self.index, shape)]
            values[name] = picked if self.dtype.kind == "i" else picked.astype(np.float64)
        for step in plain(workload.steps):
            operands = [values[o] if isinstance(o, str) else o for o in step.operands]
            values[step.result] = OPS[step.op](*operands)
        result: Array = values[workload.result]
        self.expected: Array = result if workload.elementwise else result.ravel()[self.index]

    def check(self, result: object, who: str) -> None:
        """Raise `Mismatch` when `result` is of another type or shape, or not close enough."""
        found: Array = np.asarray(result)
        if found.dtype != self.dtype or found.size != math.prod(self.shape):
            raise Mismatch(f"{who}: {found.dtype} of shape {found.shape}")
        picked = found.ravel()[self.index]
        if self.dtype.kind == "i":
            bad = picked != self.expected
        else:
            distance = np.abs(picked - self.expected)
            bad = ~(distance <= self.tolerance * (1 + np.abs(self.expected)))
        if bad.any():
            at = int(np.argmax(bad))
            raise Mismatch(
                f"{who}: element {self.index[at]} is {picked[at]}, expected {self.expected[at]}"
            )
