"""Arguments for the accuracy tests: every exponent and both signs, special values, hard places."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]

# Where a function has a root, a pole, an end or a change of method: dense points around them.
CENTRES: dict[str, tuple[float, ...]] = {
    "acos": (0, 0.5, -0.5, 1, -1),
    "acosh": (1, 2),
    "asin": (0.5, 1, -1),
    "asinh": (0.5, 2.0**62),
    "atan": (0.41421356, 1, 2.4142135, 1e16),
    "atanh": (0.5, 1, -1),
    "cosh": (1, 89.4, 710.47),
    "digamma": (0.5, 1.4616321449683622, 4.5, -1, -0.504083, -1.573498, -3, 0),
    "erf": (1, 3.92, 5.92),
    "erfc": (0.5, -0.5, 9.19, 10.05, 26.54, 27.22),
    "erfinv": (0.5, 0.85, -0.85, 1, -1),
    "exp": (-103.97, -87.34, 88.72, -745.13, -708.4, 709.78),
    "exp2": (-149, -126, 128, -1074, -1022, 1024),
    "expm1": (-17.3, -37.4, 17, 37, 88.72, 709.78),
    "gelu": (-13.0, -14.2, -0.7, -38.4, 5.5),
    "gelu_tanh": (-10.6, -21.5, -0.7, 5.0),
    "hsigmoid": (-3, 3),
    "hswish": (-3, 3),
    "lgamma": (0.5, 1, 2, 4.5, -1, -2.4570247, -3, -3.143581),
    "log": (1, 0.70710678, 1.41421356),
    "log10": (1, 10),
    "log1p": (-1, -0.29289322, 0.41421356, 1),
    "log2": (1, 2),
    "mish": (-103, -88, 20, -750, -708, 40, -1.19),
    "sigmoid": (-103.97, -88, 17.5, -745.13, -708.4, 37),
    "sinh": (1, 89.4, 710.47),
    "softplus": (-103.97, -88, -745.13, -708.4),
    "swish": (-108.6, -88, 17, -751, -708.4, 37),
    "tanh": (9.01, 19.06, 0.35),
}
# The interval in which most of the function happens, for f32 and f64.
RANGES: dict[str, tuple[float, float]] = {
    "acos": (1, 1), "acosh": (8, 8), "asin": (1, 1), "asinh": (4, 4), "atan": (6, 6),
    "atanh": (1, 1), "cosh": (92, 720), "digamma": (12, 12), "elu": (20, 40), "elu_alpha": (20, 40),
    "erf": (4, 6), "erfc": (11, 28), "erfinv": (1, 1), "exp2": (152, 1080), "expm1": (90, 720),
    "exp": (106, 760), "gelu": (15, 40), "gelu_tanh": (12, 23), "lgamma": (12, 180),
    "mish": (110, 760),
    "sigmoid": (106, 760), "sinh": (92, 720), "softplus": (106, 760), "swish": (112, 760),
    "swish_beta": (66, 450), "swish_minus": (370, 2500), "swish_tiny": (1.9e39, 7.5e39),
    "tanh": (10, 20),
}  # fmt: skip


def specials(dtype: Any) -> Array:
    """Zeros, infinities, NaN, the ends of the range, and neighbours of small integers."""
    info = np.finfo(dtype)
    near = np.array([0.25, 0.5, 1, 1.5, 2, 3, 4, 6, 10, 100, 2.0**24, 2.0**53], dtype)
    positive = np.concatenate(
        [
            np.array([0, np.inf, np.nan, info.max, info.tiny, info.smallest_subnormal], dtype),
            np.array([info.tiny - info.smallest_subnormal, 3 * info.smallest_subnormal], dtype),
            near,
            np.nextafter(near, dtype(np.inf)),
            np.nextafter(near, dtype(0)),
        ]
    )
    return np.concatenate([positive, -positive])


def _all_exponents(rng: np.random.Generator, dtype: Any, count: int) -> Array:
    """Random bits: every exponent, subnormals, infinities and NaN included."""
    if dtype == np.float32:
        return rng.integers(0, 2**32, count, np.uint32).view(np.float32)
    return rng.integers(0, 2**64, count, np.uint64).view(np.float64)


def _around(rng: np.random.Generator, dtype: Any, centre: float, count: int) -> Array:
    """Floats at log-distributed distances from `centre`, down to one unit in the last place."""
    digits = 24 if dtype == np.float32 else 53
    distance = np.exp2(-rng.uniform(0, digits, count)) * rng.choice([-1.0, 1.0], count)
    return (centre + distance * max(abs(centre), 2.0**-8)).astype(dtype)


def _quarter_turns(rng: np.random.Generator, dtype: Any, count: int) -> Array:
    """Floats next to multiples of pi/2, and the known hardest ones."""
    k = np.floor(np.exp2(rng.uniform(0, 22, count)))
    hard = [16367173.0 * 2.0**72, 6381956970095103.0 * 2.0**797, 5.319372648326541e255]
    values = np.concatenate([k * (np.pi / 2), np.array(hard)])
    with np.errstate(over="ignore"):
        return values.astype(dtype)


def _unary(name: str, dtype: Any, count: int, seed: int) -> Array:
    rng = np.random.default_rng(seed)
    parts = [specials(dtype), _all_exponents(rng, dtype, count // 3)]
    width: float = RANGES.get(name, (10.0, 10.0))[1 if dtype == np.float64 else 0]
    if name == "swish_tiny":
        width = float(np.finfo(np.float32).max) if dtype == np.float32 else width
    parts.append(rng.uniform(-width, width, count // 3).astype(dtype))
    small = np.exp2(rng.uniform(-12, 4, count // 6)) * rng.choice([-1.0, 1.0], count // 6)
    parts.append(small.astype(dtype))
    centres = CENTRES.get(name, (1.0,))
    for c in centres:
        parts.append(_around(rng, dtype, c, count // 6 // len(centres) + 1))
    if name in ("sin", "cos", "tan"):
        parts.append(_quarter_turns(rng, dtype, count // 6))
    return np.concatenate(parts)


def _power(dtype: Any, count: int, seed: int) -> tuple[Array, Array]:
    """Results over the whole range, bases near 1, integral exponents of negative bases."""
    rng = np.random.default_rng(seed)
    n = count // 4
    reach = 150 if dtype == np.float32 else 1075
    top = 127 if dtype == np.float32 else 1023
    log_x = rng.uniform(-reach, top, n)
    x1 = np.exp2(log_x)
    y1 = rng.uniform(-reach - 2, top + 2, n) / np.where(log_x == 0, 1, log_x)
    x2 = 1 + np.exp2(-rng.uniform(1, 23 if dtype == np.float32 else 52, n)) * rng.choice(
        [-1, 0.5], n
    )
    x2 = x2.astype(dtype).astype(np.float64)
    x2 = np.where(x2 == 1, 1.5, x2)
    y2 = rng.uniform(-reach - 2, top + 2, n) / np.log2(x2)
    x3 = -np.exp2(rng.uniform(-3, 3, n))
    y3 = np.floor(rng.uniform(-40, 40, n))
    x4 = rng.uniform(-4, 4, n)
    y4 = rng.uniform(-20, 20, n)
    x = np.concatenate([x1, x2, x3, x4]).astype(dtype)
    y = np.concatenate([y1, y2, y3, y4]).astype(dtype)
    usable = (x != 0) & np.isfinite(x) & np.isfinite(y)
    return x[usable], y[usable]


def _angles(dtype: Any, count: int, seed: int) -> tuple[Array, Array]:
    """Points of every octant; quotients of ordinary size, of every size, and near 1."""
    rng = np.random.default_rng(seed)
    n = count // 3
    near = rng.uniform(-4, 4, n)
    y, x = (
        np.concatenate([part.astype(dtype), _all_exponents(rng, dtype, n), line.astype(dtype)])
        for part, line in ((rng.uniform(-4, 4, n), near), (rng.uniform(-4, 4, n), near + 2.0**-20))
    )
    usable = np.isfinite(x) & np.isfinite(y) & (y != 0)
    return y[usable], x[usable]


def samples(name: str, dtype: Any, count: int, seed: int) -> tuple[Array, ...]:
    """About `count` arguments of the function, as many arrays as it has operands."""
    pairs = {"atan2": _angles, "power": _power}
    if name in pairs:
        return pairs[name](dtype, count, seed)
    return (_unary(name, dtype, count, seed),)
