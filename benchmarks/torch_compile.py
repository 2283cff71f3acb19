"""torch.compile with our backend beside inductor and eager torch: part of docs/frontend-results.md.

    python benchmarks/torch_compile.py            # needs torch; inductor needs a C++ compiler
    python benchmarks/torch_compile.py silu_mul --sizes 2048

Six functions of float32 at three sizes, hot (the same tensors) and rotating (four sets of tensors
in turn). All run in one process and take turns as `timing.py` says: a pause until no thread spins,
calls that do not count, then samples. A row has their medians, our time divided by inductor's and
by the better of inductor and eager, and the largest error beside float64, relative to the largest
number of the result. After the rows: the geometric mean over inductor of the functions that read
and write memory alone, a call of 64 elements beside two others (of dynamo's guards alone, and with
a new result), and the first call in a process whose caches are warm.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from statistics import geometric_mean, median
from time import perf_counter
from typing import Any, NamedTuple

import frontend_page
from tables import duration, table
from timing import QUICK, Effort, in_turn, measure

torch: Any = import_module("torch")
ROTATING = 4
EFFORT = Effort()
MEAN, LARGE = 0.85, 1.05


class Case(NamedTuple):
    """A function, a function that makes its inputs for a size, and its sizes.

    Attributes:
        make: `size -> (function, inputs)`; the function may be a module.
        sizes: from small to large.
        memory: whether it consists of elementwise ops and reductions only.
    """

    make: Callable[[int], tuple[Callable[..., Any], Callable[[], Sequence[Any]]]]
    sizes: Sequence[int]
    memory: bool = True


def silu_mul(x: Any, y: Any) -> Any:
    """A gate."""
    return torch.nn.functional.silu(x) * y


def rms_norm(x: Any, y: Any, w: Any) -> Any:
    """A norm after a residual."""
    return torch.nn.functional.rms_norm(x + y, (x.shape[-1],)) * w


def softmax(x: Any, mask: Any) -> Any:
    """The weights of attention."""
    return torch.softmax(x / 8 + mask, -1)


def _rows(function: Callable[..., Any], vector: bool = False) -> Case:
    def make(rows: int) -> Any:
        def inputs() -> list[Any]:
            found = [torch.randn(rows, 1024) for _ in range(2)]
            return [*found, torch.randn(1024)] if vector else found

        return function, inputs

    return Case(make, (64, 2048, 16384))


def _mlp(rows: int) -> Any:
    layers = torch.nn
    model = layers.Sequential(
        layers.LayerNorm(256), layers.Linear(256, 1024), layers.GELU(), layers.Linear(1024, 256)
    )
    return model.eval(), lambda: [torch.randn(rows, 256)]


def _transformer(rows: int) -> Any:
    model = torch.nn.TransformerEncoderLayer(
        128, 4, 512, dropout=0.0, activation="gelu", batch_first=True, norm_first=True
    )
    # In evaluation mode eager torch has one operator for the whole layer, which is not traced.
    return model.train(), lambda: [torch.randn(rows // 64, 64, 128)]


def _cnn(images: int) -> Any:
    layers = torch.nn
    block: list[Any] = []
    for before, after in ((3, 16), (16, 32), (32, 32)):
        block += [layers.Conv2d(before, after, 3, 2, 1), layers.BatchNorm2d(after), layers.SiLU()]
    model = layers.Sequential(*block, layers.AdaptiveAvgPool2d(1), layers.Flatten())
    return model.eval(), lambda: [torch.randn(images, 3, 64, 64)]


CASES = {
    "silu_mul": _rows(silu_mul),
    "rms_norm": _rows(rms_norm, vector=True),
    "softmax": _rows(softmax),
    "gelu_mlp": Case(_mlp, (64, 512, 4096), memory=False),
    "transformer": Case(_transformer, (64, 512, 2048), memory=False),
    "cnn": Case(_cnn, (1, 8, 32), memory=False),
}


def timed(
    calls: Sequence[Callable[..., Any]], sets: Sequence[Sequence[Any]], quick: bool
) -> list[float]:
    """The median time of a call of each function in seconds."""
    turns = {
        str(place): in_turn([partial(call, *some) for some in sets])
        for place, call in enumerate(calls)
    }
    return [found.median for found in measure(turns, QUICK if quick else EFFORT).values()]


def error_of(function: Any, found: Any, inputs: Sequence[Any]) -> float:
    """The largest error beside float64, relative to the largest number."""
    is_module = isinstance(function, torch.nn.Module)
    wide = function.double() if is_module else function
    expected = wide(*(x.double() for x in inputs))
    if is_module:
        function.float()
    return float((found.double() - expected).abs().max() / expected.abs().max())


def run(name: str, size: int, options: Any) -> tuple[list[list[str]], list[float]]:
    """The rows of a function at a size, hot and rotating, and their ratios to inductor."""
    torch.manual_seed(options.seed)
    torch._dynamo.reset()
    function, inputs = CASES[name].make(size)
    sets = [inputs() for _ in range(ROTATING)]
    own = {"products": options.products}
    calls = [torch.compile(function, backend="snippets", options=own), function]
    if not options.no_inductor:
        calls.insert(1, torch.compile(function))
    starts: list[float] = []
    for call in calls[:-1]:
        start = perf_counter()
        call(*sets[0])
        starts.append(perf_counter() - start)
    error = error_of(function, calls[0](*sets[0]), sets[0])
    rows: list[list[str]] = []
    ratios: list[float] = []
    for some, kind in ((sets[:1], "hot"), (sets, "rotating")):
        ours, *others = timed(calls, some, options.quick)
        shown = [duration(seconds) for seconds in (ours, *others)]
        over = [f"{ours / others[0]:.2f}", f"{ours / min(others):.2f}"]
        if options.no_inductor:
            shown.insert(1, "")
            over[0] = ""
        ratios.append(ours / others[0])
        first = [duration(seconds) for seconds in starts]
        rows.append([f"{name}, {size}, {kind}", *shown, *over, " / ".join(first), f"{error:.1e}"])
        print(*rows[-1], flush=True)
    return rows, ratios


def small_call(quick: bool) -> tuple[float, float, float]:
    """Seconds of a call of `silu(x) * y` of 64 elements.

    For our backend, for a backend with only the guards, and for one that also makes a result.
    """

    def constant(_: Any, inputs: Sequence[Any]) -> Callable[..., Any]:
        result = (torch.empty_like(inputs[0]),)
        return lambda *_: result

    def making(_gm: Any, _inputs: Sequence[Any]) -> Callable[..., Any]:
        make = torch._C._dynamo.guards._empty_strided_cpu
        return lambda *_: (make((64,), (1,), torch.float32),)

    torch._dynamo.reset()
    x, y = torch.randn(64), torch.randn(64)
    # A separate function for each, because dynamo caches its results by code object.
    ours = torch.compile(lambda x, y: silu_mul(x, y), backend="snippets")  # pyright: ignore
    empty = torch.compile(lambda x, y: silu_mul(x, y), backend=constant)  # pyright: ignore
    fresh = torch.compile(lambda x, y: silu_mul(x, y), backend=making)  # pyright: ignore
    for call in (ours, empty, fresh):
        call(x, y)
    found = timed([ours, empty, fresh], [[x, y]], quick)
    return found[0], found[1], found[2]


def first_call() -> float:
    """Seconds of the first call in a new process, with warm caches; dynamo is imported before."""
    program = (
        "import time, torch, torch._dynamo; x = torch.randn(64, 64)\n"
        "f = torch.compile(lambda x, y: torch.nn.functional.silu(x) * y, backend='snippets')\n"
        "a = time.perf_counter(); f(x, x); print(time.perf_counter() - a)"
    )
    runs = [
        subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
        for _ in range(4)
    ]
    return median(float(run.stdout) for run in runs[1:])


def main(given: Sequence[str] | None = None) -> None:
    """Measure, print the table and write it into the page."""
    parser = frontend_page.parser_of(__doc__, [*CASES])
    parser.add_argument("--sizes", type=int, nargs="*", default=[])
    parser.add_argument("--products", choices=("torch", "kernels"), default="torch")
    parser.add_argument("--no-inductor", action="store_true", help="beside eager torch only")
    options = frontend_page.parsed(parser, [*CASES], given)
    if options.sizes and options.document == frontend_page.DOCUMENT:
        options.document = None
    rows: list[list[str]] = []
    memory: list[float] = []
    with torch.no_grad():
        for name in options.names:
            for size in options.sizes or CASES[name].sizes:
                shown, ratios = run(name, size, options)
                rows += shown
                memory += ratios if CASES[name].memory and not options.no_inductor else []
        ours, guards, fresh = small_call(options.quick)
    head = "function, rows, tensors|ours|inductor|eager|/ inductor|/ the better|first call|error"
    text: list[str] = []
    if memory:
        mean = geometric_mean(memory)
        text.append(f"Geometric mean over inductor, memory-bound ones: {mean:.2f} (bar {MEAN}).")
    text.append(f"The bar of each function above 2^16 elements over the better one is {LARGE}.")
    above, made = (ours - guards) * 1e6, (fresh - guards) * 1e6
    text.append(
        f"A call of 64 elements takes {duration(ours)}, {above:.1f} us above dynamo's guards "
        f"(bar 3 us), {made:.1f} us of which takes a backend that only makes a new result; the "
        f"first call with warm caches {duration(first_call())} (bar 0.5 s)."
    )
    heading = frontend_page.heading(options, ("snippets_mlir", "torch"))
    frontend_page.finish(options, "torch", [heading, table(head.split("|"), rows), "\n".join(text)])


if __name__ == "__main__":
    main()
