"""Functions of JAX through kernels beside `jax.jit`: a part of docs/frontend-results.md.

    python benchmarks/jax_functions.py [--kernel] [NAMES] [--seed N] [--quick] [--document FILE]

With `--kernel`, our function is a kernel inside of `jax.jit`; the page does not have these results.

Both run in one process and take turns as `timing.py` says: a pause until no thread spins, calls
that do not count, then samples, whose median is the number. Hot: the same arguments each time;
rotating: of eight sets in turn. Results are compared with those of JAX in float32 before anything
is timed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from statistics import geometric_mean
from typing import Any, NamedTuple

import frontend_page
import numpy as np
from empty_call import empty_call
from tables import duration, table
from timing import QUICK, Effort, in_turn, measure

import snippets_mlir
from snippets_mlir.jax import jit, kernel

jax: Any = import_module("jax")
jnp: Any = jax.numpy

SETS = 8
EFFORT = Effort()
BAR, CALL_BAR = 0.6, "15 us"


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


def waiting(call: Callable[..., Any], arguments: list[Any]) -> Callable[[], Any]:
    """A call that waits for its result."""
    return lambda: jax.block_until_ready(call(*arguments))


def waiting_itself(call: Callable[..., Any], argument: Any) -> Callable[[], Any]:
    """As `waiting`, for one array: `jax.block_until_ready` takes 3 us to find that it is one."""
    return lambda: call(argument).block_until_ready()


def inside(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function as a kernel inside of `jax.jit`."""
    return jax.jit(kernel(function, fallback="error"))


def compare(
    function: Callable[..., Any],
    shapes: tuple[tuple[int, ...], ...],
    ours: Callable[[Callable[..., Any]], Callable[..., Any]],
    options: Any,
) -> list[float]:
    """JAX's and our seconds, hot, then rotating."""
    rng = np.random.default_rng(options.seed)
    sets = [
        [jnp.asarray(rng.normal(size=s).astype(np.float32)) for s in shapes] for _ in range(SETS)
    ]
    calls = {"JAX": jax.jit(function), "ours": ours(function)}
    expected, found = (np.asarray(call(*sets[0])) for call in calls.values())
    np.testing.assert_allclose(found, expected, 2e-4, 2e-5)
    times: list[float] = []
    for used in (sets[:1], sets):
        turns = {
            name: in_turn([waiting(call, some) for some in used]) for name, call in calls.items()
        }
        measured = measure(turns, QUICK if options.quick else EFFORT)
        times += [measured[name].median for name in calls]
    return times


class Overhead(NamedTuple):
    """Seconds of a call of 64 elements.

    Attributes:
        kernel: a kernel inside of `jax.jit`.
        direct: a direct call of its program, on arrays of NumPy.
        own: the same function by `jax.jit`.
        empty: a handler that does nothing, called inside of `jax.jit`.
    """

    kernel: float
    direct: float
    own: float
    empty: float


def overhead(quick: bool) -> Overhead:
    """The times of alternating calls of 64 elements."""
    x = jnp.ones(64)
    given, out = np.ones(64, np.float32), np.empty(64, np.float32)
    program = snippets_mlir.compile(jax.jit(jnp.exp).lower(x))
    calls = {
        "kernel": waiting_itself(inside(jnp.exp), x),
        "direct": partial(program, given, out=out),
        "own": waiting_itself(jax.jit(jnp.exp), x),
        "empty": waiting_itself(jax.jit(empty_call(x)), x),
    }
    times = measure(calls, QUICK if quick else EFFORT)
    return Overhead(**{name: times[name].median for name in calls})


def main(given: Sequence[str] | None = None) -> None:
    """Measure, print the table and write it into the page."""
    parser = frontend_page.parser_of(__doc__, [*PROGRAMS])
    parser.add_argument("--kernel", action="store_true", help="a kernel inside of jax.jit")
    options = frontend_page.parsed(parser, [*PROGRAMS], given)
    if options.kernel and options.document == frontend_page.DOCUMENT:
        options.document = None
    ours = inside if options.kernel else partial(jit, fallback="error")
    ratios: list[list[float]] = [[], []]
    rows: list[list[str]] = []
    for name in options.names:
        times = compare(*PROGRAMS[name], ours, options)
        row = [name]
        for place, (theirs, own) in enumerate((times[:2], times[2:])):
            ratios[place].append(own / theirs)
            row += [duration(own), duration(theirs), f"{own / theirs:.2f}"]
        rows.append(row)
        print(*row, flush=True)
    hot, rotating = (f"{geometric_mean(r):.2f}" for r in ratios)
    rows += [
        ["geometric mean", "", "", hot, "", "", rotating],
        ["bar", *["", "", f"{BAR:.2f}"] * 2],
    ]
    head = ["function", "ours, hot", "`jax.jit`", "ratio", "ours, rotating", "`jax.jit`", "ratio"]
    found = overhead(options.quick)
    others = found.direct, found.own, found.empty
    direct, own, empty = (f"{(found.kernel - other) * 1e6:+.1f} us" for other in others)
    call = (
        f"A kernel of 64 elements inside of `jax.jit` takes {direct} beside a direct call of the "
        f"program (bar {CALL_BAR}), {own} beside `jax.jit`, and {empty} beside a handler that does "
        "nothing: the rest is JAX's and XLA's."
    )
    heading = frontend_page.heading(options, ("snippets_mlir", "jax"))
    frontend_page.finish(options, "jax", [heading, table(head, rows), call])


if __name__ == "__main__":
    main()
