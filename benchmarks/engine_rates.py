"""The constants of `targets/engine.py`, measured on this machine with onnxruntime alone.

    python benchmarks/engine_rates.py [--quick] [NAME...]

Graphs are generated, no model is measured: chains of 1 to 7 nodes of one operator with a Clip after
each (so that no value leaves its range), whose slope, without that of the Clip, is the operator's;
chains in one session and in two, whose difference is the session's entry, and where nodes use
several threads the waking of them;
convolutions in one session and in two, which differ by the blocked layout as well; and attention
with and without a cut at its softmax. A number is the slope of a line through the times of several
sizes or lengths: of the fastest calls for nodes, of the median ones for what two sessions take
more than one. The table stands as in `targets/engine.py`, each row with the value in use
on a machine like this one and the ratio of both; `<--` marks a ratio above 1.5. `NAME`s choose
operators.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from engine_graphs import OPERATORS, attention, chain, convolutions, products
from engine_timing import BLOCKS, Run, line, nanoseconds
from timing import use_cpus

from snippets_mlir.targets.engine import engine_of
from snippets_mlir.targets.host import host_target, host_tune

THREADS = (1, 2)
SIZES = ((64, 64), (64, 512), (512, 512))
MIDDLE = SIZES[1]
LENGTHS = (1, 4, 7)
IN_USE = engine_of(host_target(), host_tune())
FAR = 1.5
"""From which ratio on a value in use is called wrong."""


def step(operator: str, shape: Sequence[int], threads: int) -> float:
    """Nanoseconds of one more step of a chain: the operator and a Clip."""
    runs = [Run([chain(operator, shape, length)], threads) for length in LENGTHS]
    return line(LENGTHS, nanoseconds(*runs)).slope


def start_of_node() -> float:
    """Nanoseconds for a node with almost no work."""
    lengths = (2, 17, 32)
    return line(lengths, nanoseconds(*(Run([chain("", (1, 8), n)], 1) for n in lengths))).slope


def rates(names: Sequence[str], threads: int, node: float) -> dict[str, list[float]]:
    """For each operator, nanoseconds of all threads for an element, by size."""
    clips = {shape: step("", shape, threads) for shape in SIZES}
    base = {shape: step("Add", shape, threads) - clips[shape] for shape in SIZES}
    found: dict[str, list[float]] = {}
    for name in names:
        found[name] = []
        for shape in SIZES:
            taken = step(name, shape, threads) - clips[shape]
            if OPERATORS[name].reduces:
                taken -= base[shape]  # restores the shape
            elements = float(np.prod(shape))
            found[name].append(max(0.0, taken - node) / elements)
    return found


def of_session() -> float:
    """The additional time of two sessions instead of one, with nodes on one thread."""
    more: list[float] = []
    for columns in (4, 16, 64, 128):
        whole, half = chain("Erf", (64, columns), 6), chain("Erf", (64, columns), 3)
        runs = Run([whole], 1), Run([half, half], 1)
        one, two = nanoseconds(*runs, middle=median, blocks=3 * BLOCKS)
        more.append(two - one)
    return median(more)


def of_waking(threads: int, session: float) -> tuple[float, float]:
    """`waking` and `resting` of sessions whose nodes share their work between threads.

    The threads of a session stop spinning when it ends, and each session wakes its own threads.
    `waking` is the additional time of two sessions, `resting` the additional time of one session
    that stops over one that spins.
    """
    more: list[float] = []
    first: list[float] = []
    for columns in (512, 768, 1024, 1536):
        whole, half = chain("Erf", (64, columns), 6), chain("Erf", (64, columns), 3)
        runs = [Run([whole], threads), Run([whole], threads, alone=False)]
        runs.append(Run([half, half], threads))
        spins, one, two = nanoseconds(*runs, middle=median, blocks=3 * BLOCKS)
        more.append(two - one - session)
        first.append(one - spins)
    return median(more), median(first)


def of_images(threads: int) -> float:
    """Nanoseconds for a byte of an image that leaves the blocked layout, or comes back."""
    taken: list[float] = []
    sizes: list[float] = []
    for size in (14, 28, 56, 80):
        whole, half = convolutions(32, size, 2), convolutions(32, size, 1)
        runs = Run([whole], threads), Run([half, half], threads)
        one, two = nanoseconds(*runs, middle=median, blocks=3 * BLOCKS)
        taken.append(max(1.0, two - one))
        sizes.append(2 * 4.0 * 32 * size * size)
    return line(sizes, taken).slope


def of_attention(threads: int, session: float) -> float:
    """Nanoseconds of one thread for a byte of the matrices around a softmax that is cut out."""
    taken: list[float] = []
    sizes: list[float] = []
    for length in (64, 128, 256):
        parts = attention(8, length, 64)
        runs = [Run([parts.whole], threads), Run([parts.before, parts.after], threads)]
        runs += [Run([parts.softmax], threads), Run([chain("", (1, 8), 1)], threads)]
        whole, cut, softmax, entry = nanoseconds(*runs, middle=median, blocks=3 * BLOCKS)
        taken.append(max(1.0, cut - whole + (softmax - entry) - session))
        sizes.append(4.0 * (4 * 8 * length * 64 + 8 * length * length))
    return threads * line(sizes, taken).slope


def of_products(size: int = 512) -> float:
    """Nanoseconds for a multiplication of a matrix product of the engine, on one thread."""
    lengths = (1, 2, 4)
    runs = [Run([products(size, n)], 1) for n in lengths]
    return line(lengths, nanoseconds(*runs, middle=median)).slope / size**3


def of_kernel_products(size: int = 512) -> float:
    """The same for a kernel."""
    import snippets_mlir

    graph = products(size, 1)
    kernel = snippets_mlir.compile(graph.model, fallback="error", num_threads=1)
    (x,) = graph.feed().values()
    (taken,) = nanoseconds(lambda: kernel(x), middle=median)
    return taken / size**3


def of_bytes(shape: Sequence[int], node: float) -> float:
    """Nanoseconds for a byte that the cheapest nodes, Neg and Clip, read or write, on one thread.

    The values between them stay in the caches or not, as the arrays of `shape` do.
    """
    return max(0.0, step("Neg", shape, 1) - 2 * node) / (4.0 * 4 * np.prod(shape))


def row(name: str, found: float, used: float) -> str:
    """A row of the table of rates, in the form of `targets/engine.py`."""
    ratio = found / used if used else float("inf")
    far = "  <--" if not 1 / FAR <= ratio <= FAR else ""
    return f"    {name} {found:.3g},  # in use {used:.3g}, {ratio:.2f} of it{far}"


def table(found: Mapping[str, Sequence[float]], used: Mapping[str, float]) -> list[str]:
    """The rates as they stand in `targets/engine.py`, by the size in the second-level cache."""
    place = SIZES.index(MIDDLE)
    lines = ["RATES: Mapping[str, float] = {"]
    lines += [
        row(f'"{name}":', values[place], used.get(name, IN_USE.arithmetic))
        for name, values in sorted(found.items())
    ]
    return [*lines, "}"]


def all_sizes(found: Mapping[int, Mapping[str, Sequence[float]]]) -> list[str]:
    """Nanoseconds for an element by threads and sizes, as a comment."""
    heads = [f"{t} x {'x'.join(map(str, s))}" for t in found for s in SIZES]
    lines = [f"# {'':20}" + "".join(f"{head:>13}" for head in heads)]
    for name in sorted(next(iter(found.values()))):
        cells = [value for by_name in found.values() for value in by_name[name]]
        lines.append(f"# {name:20}" + "".join(f"{cell:13.3f}" for cell in cells))
    return lines


def processor() -> str:
    """Name, family, model and clock of the processor in `/proc/cpuinfo`."""
    try:
        facts = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return "unknown"
    wanted = ("model name", "cpu family", "model\t", "cpu MHz")
    return ", ".join(
        " ".join(next((f for f in facts if f.startswith(key)), "").split()) for key in wanted
    )


def constants(node: float) -> list[str]:
    """The constants that are not rates of operators."""
    session = of_session()
    sums = [step("Add", MIDDLE, 1) - step("", MIDDLE, 1) for _ in range(3)]
    waking, resting = of_waking(max(THREADS), session)
    found = {
        "node": node,
        "session": session,
        "waking": waking,
        "resting": resting,
        "arithmetic": (median(sums) - node) / float(np.prod(MIDDLE)),
        "cached_byte": of_bytes(SIZES[2], node),
        "stream_byte": of_bytes((4096, 2048), node),
        "layout_byte": of_images(max(THREADS)),
        "fusion_byte": of_attention(max(THREADS), session),
        "product": of_products(),
        "kernel_product": of_kernel_products(),
    }
    lines = [row(f"{name} =", value, getattr(IN_USE, name)) for name, value in found.items()]
    return ["ENGINE = EngineCosts(", *lines, ")"]


def main(arguments: Sequence[str]) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="the constants of targets/engine.py")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--quick", action="store_true", help="one thread alone")
    options = parser.parse_args(arguments)
    for name in options.names:
        if name not in OPERATORS:
            parser.error(f"no operator {name!r}; there are {', '.join(OPERATORS)}")
    use_cpus(max(THREADS))
    import onnxruntime

    package: Any = onnxruntime
    print(f"# {processor()}; onnxruntime {package.__version__}")
    node = start_of_node()
    if not options.names:
        print("\n".join(constants(node)), flush=True)
    names = options.names or [*OPERATORS]
    counts = THREADS[:1] if options.quick else THREADS
    found = {threads: rates(names, threads, node) for threads in counts}
    print("\n".join([*table(found[1], IN_USE.rates), *all_sizes(found)]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
