"""The functions that `numpy_functions.py` measures, for each package that is compared."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

import snippets_mlir

WHERE: Any = np.where


def black_scholes(s: Any, k: Any, t: Any) -> Any:
    """Price of a call option, the normal distribution by tanh."""
    root = np.float32(0.3) * np.sqrt(t)
    d1 = (np.log(s / k) + np.float32(0.065) * t) / root
    d2 = d1 - root
    n1 = np.float32(0.5) * (
        1 + np.tanh(np.float32(0.7978846) * (d1 + np.float32(0.044715) * d1 * d1 * d1))
    )
    n2 = np.float32(0.5) * (
        1 + np.tanh(np.float32(0.7978846) * (d2 + np.float32(0.044715) * d2 * d2 * d2))
    )
    return s * n1 - k * np.exp(np.float32(-0.02) * t) * n2


BLACK_SCHOLES = (
    "s * (0.5 * (1 + tanh(0.7978846 * (d + 0.044715 * d ** 3)))) - k * exp(-0.02 * t) * "
    "(0.5 * (1 + tanh(0.7978846 * ((d - 0.3 * sqrt(t)) + 0.044715 * (d - 0.3 * sqrt(t)) ** 3))))"
)


def row_norms(x: Any) -> Any:
    """Rows divided by their root mean square."""
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + np.float32(1e-6))


def row_norms_by_loops(x: Any) -> Any:
    """The same for numba, which has no `keepdims`."""
    out = np.empty_like(x)
    for i in numba.prange(x.shape[0]):
        total = np.float32(0)
        for v in x[i]:
            total += v * v
        out[i] = x[i] / np.sqrt(total / np.float32(x.shape[1]) + np.float32(1e-6))
    return out


def softmax(x: Any) -> Any:
    """Softmax of rows."""
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def softmax_by_loops(x: Any) -> Any:
    """The same for numba."""
    out = np.empty_like(x)
    for i in numba.prange(x.shape[0]):
        e = np.exp(x[i] - x[i].max())
        out[i] = e / e.sum()
    return out


def haversine(a: Any, b: Any, c: Any, d: Any) -> Any:
    """Distances on a sphere."""
    h = np.sin((c - a) / 2) ** 2 + np.cos(a) * np.cos(c) * np.sin((d - b) / 2) ** 2
    return np.float32(2 * 6371) * np.arcsin(np.sqrt(h))


def mandelbrot(x: Any, y: Any, a: Any, b: Any) -> Any:
    """A step of z^2 + c, where |z| stays below 2."""
    square, other = x * x, y * y
    inside = square + other < 4
    return WHERE(inside, square - other + a, x) + WHERE(inside, 2 * x * y + b, y)


def stencil(x: Any) -> Any:
    """The mean of the neighbours in two dims."""
    return (x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:]) * np.float32(0.25)


class Program(NamedTuple):
    """A function of arrays of float32.

    Attributes:
        function: of NumPy.
        loops: the same for numba.
        shape: of each array.
        ranges: the least and the largest element of each array.
        text: the same for numexpr, empty if it does not have the functions.
    """

    function: Callable[..., Any]
    loops: Callable[..., Any]
    shape: tuple[int, ...]
    ranges: tuple[tuple[float, float], ...]
    text: str = ""


N = 1 << 22
PROGRAMS: dict[str, Program] = {
    "Black-Scholes, 2^22": Program(
        black_scholes,
        black_scholes,
        (N,),
        ((50, 150), (50, 150), (0.1, 2)),
        BLACK_SCHOLES.replace("d", "((log(s / k) + 0.065 * t) / (0.3 * sqrt(t)))"),
    ),
    "row norms, 4096x1024": Program(row_norms, row_norms_by_loops, (4096, 1024), ((-1, 1),)),
    "softmax, 4096x1024": Program(softmax, softmax_by_loops, (4096, 1024), ((-4, 4),)),
    "stencil, 2048x2048": Program(stencil, stencil, (2048, 2048), ((-1, 1),)),
    "haversine, 2^22": Program(
        haversine,
        haversine,
        (N,),
        ((-1, 1),) * 4,
        "12742 * arcsin(sqrt(sin((c - a) / 2) ** 2 + cos(a) * cos(c) * sin((d - b) / 2) ** 2))",
    ),
    "mandelbrot step, 2^22": Program(
        mandelbrot,
        mandelbrot,
        (N,),
        ((-2, 2),) * 4,
        "where(x*x + y*y < 4, x*x - y*y + a, x) + where(x*x + y*y < 4, 2*x*y + b, y)",
    ),
}

numba: Any = None
numexpr: Any = None


def load_peers() -> None:
    """Import the packages that are installed."""
    for name in ("numba", "numexpr"):
        try:
            globals()[name] = import_module(name)
        except ImportError:
            print(f"{name} is not installed", file=sys.stderr)
    if numba is not None:
        numba.set_num_threads(min(2, numba.config.NUMBA_NUM_THREADS))


def contenders(name: str, seed: int) -> dict[str, Callable[[], Any]]:
    """Name of a package -> the call; AssertionError for a result that differs from NumPy's."""
    function, loops, shape, ranges, text = PROGRAMS[name]
    rng = np.random.default_rng(seed)
    arguments = [rng.uniform(*limits, shape).astype(np.float32) for limits in ranges]
    own = snippets_mlir.jit(function)
    found: dict[str, Callable[[], Any]] = {
        "ours": lambda: own(*arguments),
        "NumPy": lambda: function(*arguments),
    }
    if numba is not None:
        fast = numba.njit(parallel=True, fastmath=True)(loops)
        found["numba"] = lambda: fast(*arguments)
    if text and numexpr is not None:
        names = function.__code__.co_varnames[: len(arguments)]
        values = dict(zip(names, arguments, strict=True))
        found["numexpr"] = lambda: numexpr.evaluate(text, values)
    wide = function(*(a.astype(np.float64) for a in arguments))
    scale = float(np.abs(wide).max())
    for package, call in found.items():
        error = float(np.abs(call() - wide).max()) / scale
        assert error < 1e-4 or name.startswith("mandelbrot"), (package, error)
    return found
