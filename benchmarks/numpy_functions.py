"""`snippets_mlir.jit` beside NumPy, numba and numexpr: the table of docs/numpy.md.

    python benchmarks/numpy_functions.py [NAMES]

All run in one process, in blocks that alternate, with a pause before each; a number is the median
of the blocks' medians, in milliseconds. numba compiles the same function with `parallel=True,
fastmath=True`; numexpr gets the formula as text, where it has the functions. Results are compared
with NumPy in float64 before anything is timed. `overhead` and `cached` are at the end.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from importlib import import_module
from statistics import geometric_mean, median
from typing import Any

import numpy as np

import snippets_mlir

BLOCKS, CALLS, PAUSE = 7, 12, 0.02
RNG = np.random.default_rng(0)


def uniform(low: float, high: float, *shape: int) -> Any:
    """Random float32."""
    return RNG.uniform(low, high, shape).astype(np.float32)


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


numba: Any = import_module("numba")
numexpr: Any = import_module("numexpr")
N = 1 << 22
PROGRAMS: dict[str, tuple[Callable[..., Any], Callable[..., Any], tuple[Any, ...], str]] = {
    "Black-Scholes, 2^22": (
        black_scholes,
        black_scholes,
        (uniform(50, 150, N), uniform(50, 150, N), uniform(0.1, 2, N)),
        BLACK_SCHOLES.replace("d", "((log(s / k) + 0.065 * t) / (0.3 * sqrt(t)))"),
    ),
    "row norms, 4096x1024": (row_norms, row_norms_by_loops, (uniform(-1, 1, 4096, 1024),), ""),
    "softmax, 4096x1024": (softmax, softmax_by_loops, (uniform(-4, 4, 4096, 1024),), ""),
    "stencil, 2048x2048": (stencil, stencil, (uniform(-1, 1, 2048, 2048),), ""),
    "haversine, 2^22": (
        haversine,
        haversine,
        tuple(uniform(-1, 1, N) for _ in range(4)),
        "12742 * arcsin(sqrt(sin((c - a) / 2) ** 2 + cos(a) * cos(c) * sin((d - b) / 2) ** 2))",
    ),
    "mandelbrot step, 2^22": (
        mandelbrot,
        mandelbrot,
        tuple(uniform(-2, 2, N) for _ in range(4)),
        "where(x*x + y*y < 4, x*x - y*y + a, x) + where(x*x + y*y < 4, 2*x*y + b, y)",
    ),
}


def block(call: Callable[[], Any]) -> float:
    """Milliseconds of a call: the median of a block."""
    times: list[float] = []
    for _ in range(CALLS):
        begin = time.perf_counter()
        call()
        times.append((time.perf_counter() - begin) * 1e3)
    return median(times)


def peers(name: str) -> dict[str, Callable[[], Any]]:
    """Name of a package -> the call."""
    function, loops, arguments, text = PROGRAMS[name]
    names = function.__code__.co_varnames[: len(arguments)]
    own, fast = snippets_mlir.jit(function), numba.njit(parallel=True, fastmath=True)(loops)
    found: dict[str, Callable[[], Any]] = {
        "ours": lambda: own(*arguments),
        "NumPy": lambda: function(*arguments),
        "numba": lambda: fast(*arguments),
    }
    if text:
        values = dict(zip(names, arguments, strict=True))
        found["numexpr"] = lambda: numexpr.evaluate(text, values)
    wide = function(*(a.astype(np.float64) for a in arguments))
    scale = float(np.abs(wide).max())
    for package, call in found.items():
        error = float(np.abs(call() - wide).max()) / scale
        assert error < 1e-4 or name.startswith("mandelbrot"), (package, error)
    return found


def cached_trace() -> float:
    """Milliseconds of tracing and the first call of a function whose program is in the cache."""
    program = (
        "import time, numpy as np, snippets_mlir; x = np.ones(64, 'f4')\n"
        "snippets_mlir.jit(lambda x: x * 3)(x)\n"
        "f = snippets_mlir.jit(lambda x: np.tanh(x) * 2 + 1); a = time.perf_counter(); f(x)\n"
        "print((time.perf_counter() - a) * 1e3)"
    )
    runs = [
        subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
        for _ in range(4)
    ]
    return median(float(run.stdout) for run in runs[1:])


def main(names: list[str]) -> None:
    """Print the table."""
    numba.set_num_threads(min(2, numba.config.NUMBA_NUM_THREADS))
    packages = ("ours", "NumPy", "numba", "numexpr")
    ratios: dict[str, list[float]] = {p: [] for p in packages[1:]}
    print(f"{'':24}" + "".join(f"{p:>9}" for p in packages) + "   ours / numba, numexpr, NumPy")
    for name in PROGRAMS:
        if names and name not in names:
            continue
        calls = peers(name)
        blocks: dict[str, list[float]] = {p: [] for p in calls}
        for _ in range(BLOCKS):
            for package, call in calls.items():
                time.sleep(PAUSE)
                blocks[package].append(block(call))
        times = {p: median(b) for p, b in blocks.items()}
        for package in ratios:
            if package in times:
                ratios[package].append(times["ours"] / times[package])
        shown = "".join(f"{times[p]:9.2f}" if p in times else f"{'-':>9}" for p in packages)
        last = [
            f"{times['ours'] / times[p]:.2f}" if p in times else "-"
            for p in ("numba", "numexpr", "NumPy")
        ]
        print(f"{name:24}{shown}   {', '.join(last)}", flush=True)
    print("geometric means:", {p: round(geometric_mean(r), 2) for p, r in ratios.items() if r})
    x = np.ones(64, np.float32)
    small = snippets_mlir.jit(lambda x: x * 2 + 1)  # pyright: ignore
    small(x)
    many = median(block(lambda: [small(x) for _ in range(1000)]) for _ in range(BLOCKS))
    print(
        f"call of 64 elements: {many:.2f} us; cached trace and first call: {cached_trace():.1f} ms"
    )


if __name__ == "__main__":
    main(sys.argv[1:])
