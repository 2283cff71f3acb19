"""NumPy's formula of every op that random graphs are made of, for any float type.

They are written down from the definitions, apart from the product's own values: evaluated in
float64 they say what a graph computes, evaluated in float32 how well NumPy does that. A formula
takes the operand arrays and the attributes that the op has.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]
Formula = Callable[..., Array]
Unary = Callable[[Array], Array]
Binary = Callable[[Array, Array], Array]


def _each(function: Callable[[float], float]) -> Unary:
    def formula(x: Array) -> Array:
        values = map(function, x.reshape(-1).astype(np.float64).tolist())
        return np.fromiter(values, np.float64, x.size).reshape(x.shape).astype(x.dtype)

    return formula


_erf = _each(math.erf)


def sigmoid(x: Array) -> Array:
    """1 / (1 + e^-x)."""
    return 1 / (1 + np.exp(-x))


def gelu(x: Array, approximation: str) -> Array:
    """x Phi(x), by erf or by tanh."""
    if approximation == "erf":
        return x * (1 + _erf(x / x.dtype.type(math.sqrt(2)))) / 2
    inner = x.dtype.type(math.sqrt(2 / math.pi)) * (x + x.dtype.type(0.044715) * x * x * x)
    return x * (1 + np.tanh(inner)) / 2


def softplus(x: Array) -> Array:
    """log(1 + e^x)."""
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


def hsigmoid(x: Array) -> Array:
    """min(max(x + 3, 0), 6) / 6."""
    return np.minimum(np.maximum(x + 3, 0), 6) / 6


def elu(x: Array, alpha: float) -> Array:
    """x, or alpha (e^x - 1) below 0."""
    return np.where(x > 0, x, x.dtype.type(alpha) * np.expm1(np.minimum(x, 0)))


def clamp(x: Array, low: float, high: float) -> Array:
    """min(max(x, low), high)."""
    return np.minimum(np.maximum(x, x.dtype.type(low)), x.dtype.type(high))


def leaky_relu(x: Array) -> Array:
    """x, or x / 4 below 0."""
    return np.where(x < 0, x * x.dtype.type(0.25), x)


def swish(x: Array) -> Array:
    """x / (1 + e^(-1.5 x))."""
    return x * sigmoid(x.dtype.type(1.5) * x)


def as_float(x: Array) -> Array:
    """Integers that both float types hold."""
    return x.astype(np.float64)


FLOAT_UNARY: dict[str, Unary] = {
    "abs": np.abs,
    "acosh": np.arccosh,
    "acos": np.arccos,
    "asin": np.arcsin,
    "asinh": np.arcsinh,
    "atan": np.arctan,
    "atanh": np.arctanh,
    "cos": np.cos,
    "cosh": np.cosh,
    "erf": _erf,
    "exp": np.exp,
    "hsigmoid": hsigmoid,
    "hswish": lambda x: x * hsigmoid(x),
    "log": np.log,
    "mish": lambda x: x * np.tanh(softplus(x)),
    "negative": np.negative,
    "relu": lambda x: np.maximum(x, 0),
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "sigmoid": sigmoid,
    "sin": np.sin,
    "sinh": np.sinh,
    "softplus": softplus,
    "softsign": lambda x: x / (1 + np.abs(x)),
    "sqrt": np.sqrt,
    "tan": np.tan,
    "tanh": np.tanh,
}

JUMPS: dict[str, Unary] = {
    "ceiling": np.ceil,
    "floor": np.floor,
    "round": np.rint,
    "sign": np.sign,
}
"""Functions of one float that jump: only for values that both types hold exactly."""

FLOAT_BINARY: dict[str, Binary] = {
    "add": np.add,
    "divide": np.divide,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "multiply": np.multiply,
    "power": lambda x, y: np.power(x, np.broadcast_to(y, np.broadcast_shapes(x.shape, y.shape))),
    "prelu": lambda x, y: np.where(x < 0, x * y, x),
    "squared_difference": lambda x, y: (x - y) * (x - y),
    "subtract": np.subtract,
}

COMPARE: dict[str, Binary] = {
    "equal": np.equal,
    "greater": np.greater,
    "greater_equal": np.greater_equal,
    "less": np.less,
    "less_equal": np.less_equal,
    "not_equal": np.not_equal,
}

PREDICATES: dict[str, Unary] = {
    "is_finite": np.isfinite,
    "is_inf": np.isinf,
    "is_nan": np.isnan,
}

INT_UNARY: dict[str, Unary] = {
    "abs": np.abs,
    "bitwise_not": np.invert,
    "negative": np.negative,
    "relu": lambda x: np.maximum(x, 0),
    "sign": np.sign,
}


def _unless_zero(function: Binary) -> Binary:
    """Of integers: 0 where the second is 0."""

    def formula(x: Array, y: Array) -> Array:
        wide = np.where(y == 0, 1, y).astype(np.int64)
        return np.where(y == 0, 0, function(x.astype(np.int64), wide)).astype(x.dtype)

    return formula


def _quotient(x: Array, y: Array) -> Array:
    """Rounded towards zero."""
    return (np.abs(x) // np.abs(y)) * np.sign(x) * np.sign(y)


INT_BINARY: dict[str, Binary] = {
    "add": np.add,
    "bitwise_and": np.bitwise_and,
    "bitwise_left_shift": lambda x, y: np.where((y < 0) | (y > 31), 0, x << (y & 31)),
    "bitwise_or": np.bitwise_or,
    "bitwise_right_shift": lambda x, y: x >> np.where((y < 0) | (y > 31), 31, y),
    "bitwise_xor": np.bitwise_xor,
    "divide": _unless_zero(_quotient),
    "floor_mod": _unless_zero(np.mod),
    "maximum": np.maximum,
    "minimum": np.minimum,
    "mod": _unless_zero(np.fmod),
    "multiply": np.multiply,
    "subtract": np.subtract,
}

LOGICAL: dict[str, Binary] = {
    "logical_and": np.logical_and,
    "logical_or": np.logical_or,
    "logical_xor": np.logical_xor,
}

REDUCE: dict[str, Callable[..., Any]] = {
    "reduce_max": np.max,
    "reduce_mean": np.mean,
    "reduce_min": np.min,
    "reduce_prod": np.prod,
    "reduce_sum": np.sum,
}


def _of_nothing(name: str, dtype: np.dtype[Any]) -> Any:
    """What a reduction over a dim of size 0 gives."""
    if dtype.kind == "f":
        neutral = {"reduce_max": -np.inf, "reduce_mean": np.nan, "reduce_min": np.inf}
    else:
        neutral = {"reduce_max": np.iinfo(dtype).min, "reduce_min": np.iinfo(dtype).max}
    return neutral.get(name, int(name == "reduce_prod"))


def reduce(name: str, x: Array, axes: tuple[int, ...], keep_dims: bool) -> Array:
    """A reduction in the type of `x`."""
    if not x.size:
        shape = np.sum(x, axis=axes, keepdims=keep_dims).shape
        return np.full(shape, _of_nothing(name, x.dtype), x.dtype)
    result = REDUCE[name](x, axis=axes, keepdims=keep_dims)
    return np.asarray(result).astype(x.dtype)


def softmax(x: Array, axis: int) -> Array:
    """e / sum(e) with e = exp(x - max)."""
    if not x.size:
        return x
    e = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return e / np.sum(e, axis=axis, keepdims=True)


def log_softmax(x: Array, axis: int) -> Array:
    """d - log(sum(exp(d))) with d = x - max."""
    if not x.size:
        return x
    d = x - np.max(x, axis=axis, keepdims=True)
    return d - np.log(np.sum(np.exp(d), axis=axis, keepdims=True))


def normalized(x: Array, axes: tuple[int, ...], epsilon: float) -> Array:
    """(x - mean) / sqrt(variance + epsilon)."""
    if not x.size:
        return x
    d = x - np.mean(x, axis=axes, keepdims=True)
    variance = np.mean(d * d, axis=axes, keepdims=True)
    return d / np.sqrt(variance + x.dtype.type(np.float32(epsilon)))


def layer_norm(x: Array, *parameters: Array, axes: tuple[int, ...], epsilon: float) -> Array:
    """`normalized`, times a scale, plus a bias, where they are given."""
    y = normalized(x, axes, epsilon)
    y = y * parameters[0] if parameters else y
    return y + parameters[1] if len(parameters) > 1 else y


def rms_norm(x: Array, *scale: Array, axes: tuple[int, ...], epsilon: float) -> Array:
    """x / sqrt(mean(x^2) + epsilon), times a scale where it is given."""
    square = np.mean(x * x, axis=axes, keepdims=True) if x.size else x
    y = x / np.sqrt(square + x.dtype.type(np.float32(epsilon)))
    return y * scale[0] if scale else y


def by_channel(x: Array, parameter: Array) -> Array:
    """[C] so that it broadcasts to x [N, C, ...]."""
    return parameter.reshape((-1,) + (1,) * (x.ndim - 2))


def group_norm(x: Array, scale: Array, bias: Array, groups: int, epsilon: float) -> Array:
    """Normalized over each group of channels and all dims behind them."""
    grouped = x.reshape(x.shape[0], groups, -1)
    y = normalized(grouped, (2,), epsilon).reshape(x.shape)
    return y * by_channel(x, scale) + by_channel(x, bias)


def batch_norm(x: Array, *parameters: Array, epsilon: float) -> Array:
    """(x - mean) / sqrt(variance + epsilon) * scale + bias."""
    scale, bias, mean, variance = (by_channel(x, p) for p in parameters)
    return (x - mean) / np.sqrt(variance + x.dtype.type(np.float32(epsilon))) * scale + bias
