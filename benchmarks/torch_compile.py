"""torch.compile with our backend beside inductor and eager torch.

    python benchmarks/torch_compile.py            # needs torch; inductor needs a C++ compiler
    python benchmarks/torch_compile.py silu_mul --sizes 2048

Six functions of float32 at three sizes, hot (the same tensors) and rotating (four sets of tensors
in turn). A row has the medians of calls in alternation in one process, in microseconds, our time
divided by inductor's and by the better of inductor and eager, and the largest error beside float64,
relative to the largest number of the result. After the rows: the geometric mean over inductor of
the functions that read and write memory alone.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from importlib import import_module
from math import exp, log
from statistics import mean, median
from time import perf_counter
from typing import Any, NamedTuple

torch: Any = import_module("torch")
ROTATING = 4
ROUNDS = 9


class Case(NamedTuple):
    """A function, what makes its inputs for a size, and its sizes.

    Attributes:
        make: `size -> (function, inputs)`; the function may be a module.
        sizes: from small to large.
        memory: whether it computes nothing but elementwise ops and reductions.
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


def timed(calls: Sequence[Callable[..., Any]], sets: Sequence[Sequence[Any]]) -> list[float]:
    """The median time of a call of each function in microseconds."""
    start = perf_counter()
    calls[-1](*sets[0])
    count = max(len(sets), min(500, int(0.02 / (perf_counter() - start))))
    times: list[list[float]] = [[] for _ in calls]
    for _ in range(ROUNDS):
        for call, found in zip(calls, times, strict=True):
            start = perf_counter()
            for index in range(count):
                call(*sets[index % len(sets)])
            found.append((perf_counter() - start) / count * 1e6)
    return [median(found) for found in times]


def error_of(function: Any, found: Any, inputs: Sequence[Any]) -> float:
    """The largest error beside float64, relative to the largest number."""
    is_module = isinstance(function, torch.nn.Module)
    wide = function.double() if is_module else function
    expected = wide(*(x.double() for x in inputs))
    if is_module:
        function.float()
    return float((found.double() - expected).abs().max() / expected.abs().max())


def run(name: str, case: Case, sizes: Sequence[int], options: dict[str, Any]) -> list[float]:
    """Print the rows of a function; its ratios to inductor."""
    ratios: list[float] = []
    for size in sizes or case.sizes:
        torch.manual_seed(0)
        torch._dynamo.reset()
        function, inputs = case.make(size)
        sets = [inputs() for _ in range(ROTATING)]
        ours = torch.compile(function, backend="snippets", options=options)
        calls = [ours, torch.compile(function), function]
        starts: list[float] = []
        for call in calls[:2]:
            start = perf_counter()
            call(*sets[0])
            starts.append(perf_counter() - start)
        for some, kind in ((sets[:1], "hot"), (sets, "rotating")):
            times = timed(calls, some)
            ratios.append(times[0] / times[1])
            better = times[0] / min(times[1:])
            print(
                f"| {name} | {size} | {kind} | {times[0]:.1f} | {times[1]:.1f} | {times[2]:.1f} "
                f"| {ratios[-1]:.2f} | {better:.2f} | {starts[0]:.2f} | {starts[1]:.2f} "
                f"| {error_of(function, ours(*sets[0]), sets[0]):.1e} |",
                flush=True,
            )
    return ratios


def main() -> None:
    """Run the functions that are named, or all."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("functions", nargs="*", choices=[*CASES, []], default=[])
    parser.add_argument("--sizes", type=int, nargs="*", default=[])
    parser.add_argument("--products", choices=("torch", "kernels"), default="torch")
    arguments = parser.parse_args()
    print(
        "| function | size | tensors | ours | inductor | eager | / inductor | / better "
        "| first call, s | inductor's, s | error |\n|" + "---|" * 11
    )
    memory: list[float] = []
    with torch.no_grad():
        for name in arguments.functions or CASES:
            case = CASES[name]
            found = run(name, case, arguments.sizes, {"products": arguments.products})
            memory += found if case.memory else []
    if memory:
        print(f"geometric mean of the memory-bound ones: {exp(mean(map(log, memory))):.2f}")


if __name__ == "__main__":
    main()
