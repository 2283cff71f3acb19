"""Functions of JAX through kernels beside `jax.jit`: the table of docs/jax.md (needs jax).

    python benchmarks/jax_functions.py [--kernel] [NAMES]

With `--kernel`, ours is a kernel inside of `jax.jit`.

Both run in one process, in blocks that alternate, with a pause before each; a number is the median
of the blocks' medians. Hot: the same arguments each time; rotating: of eight sets in turn. Results
are compared with those of JAX in float32 before anything is timed.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from importlib import import_module
from itertools import cycle
from statistics import geometric_mean, median
from typing import Any

import numpy as np

import snippets_mlir
from snippets_mlir.jax import jit, kernel

jax: Any = import_module("jax")
jnp: Any = jax.numpy

BLOCKS, CALLS, PAUSE, SETS = 7, 30, 0.02, 8


def rms_norm(x: Any, w: Any) -> Any:
    """Rows divided by their root mean square."""
    return x * jax.lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-6) * w


def layer_norm(x: Any, w: Any) -> Any:
    """Rows normalised to mean 0 and variance 1."""
    mean, variance = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(variance + 1e-5) * w


def scores(q: Any, k: Any) -> Any:
    """Attention scores: softmax of scaled products."""
    return jax.nn.softmax(jnp.einsum("bhqd,bhkd->bhqk", q, k) * 0.125, -1)


ROWS, HEADS = (2048, 1024), (1, 12, 128, 64)
PROGRAMS: dict[str, tuple[Callable[..., Any], tuple[tuple[int, ...], ...]]] = {
    "silu(x) * y": (lambda x, y: jax.nn.silu(x) * y, (ROWS, ROWS)),  # pyright: ignore
    "gelu(x)": (lambda x: jax.nn.gelu(x, approximate=False), (ROWS,)),  # pyright: ignore
    "gelu(x), tanh": (jax.nn.gelu, (ROWS,)),
    "softplus(x)": (jax.nn.softplus, (ROWS,)),
    "softmax(x)": (jax.nn.softmax, (ROWS,)),
    "log_softmax(x)": (jax.nn.log_softmax, (ROWS,)),
    "rms_norm(x) * w": (rms_norm, (ROWS, (1024,))),
    "layer_norm(x) * w": (layer_norm, (ROWS, (1024,))),
    "gradient of sum(silu(x)^2)": (
        jax.grad(lambda x: jnp.sum(jax.nn.silu(x) ** 2)),  # pyright: ignore
        (ROWS,),
    ),
    "attention scores 12x128x64": (scores, (HEADS, HEADS)),
}


def one_median(call: Callable[..., Any], sets: list[list[Any]]) -> float:
    """Milliseconds of a call: the median of a block."""
    turns = cycle(sets)
    times: list[float] = []
    for _ in range(CALLS):
        arguments = next(turns)
        begin = time.perf_counter()
        jax.block_until_ready(call(*arguments))
        times.append((time.perf_counter() - begin) * 1e3)
    return median(times)


def inside(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function as a kernel inside of `jax.jit`."""
    return jax.jit(kernel(function, fallback="error"))


def compare(
    function: Callable[..., Any],
    shapes: tuple[tuple[int, ...], ...],
    ours: Callable[[Callable[..., Any]], Callable[..., Any]],
) -> list[float]:
    """JAX's and our milliseconds, hot, then rotating."""
    rng = np.random.default_rng(0)
    sets = [
        [jnp.asarray(rng.normal(size=s).astype(np.float32)) for s in shapes] for _ in range(SETS)
    ]
    calls = (jax.jit(function), ours(function))
    expected, found = (np.asarray(call(*sets[0])) for call in calls)
    np.testing.assert_allclose(found, expected, 2e-4, 2e-5)
    times: list[float] = []
    for used in (sets[:1], sets):
        blocks: list[list[float]] = [[], []]
        for _ in range(BLOCKS):
            for call, block in zip(calls, blocks, strict=True):
                time.sleep(PAUSE)
                block.append(one_median(call, used))
        times += [median(block) for block in blocks]
    return times


def overhead() -> tuple[float, float]:
    """Microseconds of a kernel of 64 elements inside of `jax.jit`, above others.

    Above a direct call of the program on arrays of NumPy, and above the same function by `jax.jit`.
    """
    x = jnp.ones(64)
    given, out = np.ones(64, np.float32), np.empty(64, np.float32)
    program = snippets_mlir.compile(jax.jit(jnp.exp).lower(x))
    calls: tuple[tuple[Callable[..., Any], list[Any]], ...] = (
        (inside(jnp.exp), [x]),
        (partial(program, out=out), [given]),
        (jax.jit(jnp.exp), [x]),
    )
    blocks: list[list[float]] = [[], [], []]
    for _ in range(10 * BLOCKS):
        for (call, arguments), block in zip(calls, blocks, strict=True):
            block.append(one_median(call, [arguments]) * 1e3)
    called, direct, own = map(median, blocks)
    return called - direct, called - own


def main(names: list[str]) -> None:
    """Print the table."""
    ours = inside if "--kernel" in names else partial(jit, fallback="error")
    names = [name for name in names if name != "--kernel"]
    ratios: list[list[float]] = [[], []]
    print(f"{'':30}{'JAX ms':>9}{'ours':>9}{'ratio':>7}   rotating{'ours':>9}{'ratio':>7}")
    for name, (function, shapes) in PROGRAMS.items():
        if names and name not in names:
            continue
        jax_hot, hot, jax_cold, cold = compare(function, shapes, ours)
        ratios[0].append(hot / jax_hot)
        ratios[1].append(cold / jax_cold)
        print(
            f"{name:30}{jax_hot:9.3f}{hot:9.3f}{hot / jax_hot:7.2f}"
            f"{jax_cold:11.3f}{cold:9.3f}{cold / jax_cold:7.2f}",
            flush=True,
        )
    hot, cold = (geometric_mean(r) for r in ratios)
    print(f"{'geometric mean':30}{'':18}{hot:7.2f}{'':20}{cold:7.2f}")
    direct, own = overhead()
    print("a kernel inside of jax.jit, 64 elements:", end=" ")
    print(f"{direct:+.1f} us beside a direct call, {own:+.1f} us beside jax.jit")


if __name__ == "__main__":
    main(sys.argv[1:])
