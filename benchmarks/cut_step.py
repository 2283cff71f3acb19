"""The time of the program between two sessions: `step` and `cold` of the cost model.

    python benchmarks/cut_step.py [--threads N]

Generated chains of matrix products, of weights of 4 KiB to 128 MiB, with one Sin of a few numbers
in the middle: calls of the model as one session alternate with calls of the model in which the Sin
is a kernel. The additional time of the second, minus that of the sessions and the kernel, is `step`
while the weights stay in the caches. The further time with larger weights is `cold`: a session that
touches so much evicts the program, the interpreter and the engine's code from the caches.

With one thread, the CPU time of the thread is measured, so that the machine may be busy; with more
threads it has to be idle.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from statistics import median

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from snippets_mlir.analysis.graph import products
from snippets_mlir.driver.programs.kinds import tensor_program
from snippets_mlir.driver.programs.tensors import TensorProgram
from snippets_mlir.driver.settings import Settings, default_context
from snippets_mlir.driver.sources.load import load_source
from snippets_mlir.targets.engine import engine_of
from snippets_mlir.targets.host import host_target, host_tune

ROUNDS, CALLS = 25, 12
GRAPHS = ((16, 1), (64, 4), (256, 1), (256, 4), (256, 16), (512, 8), (512, 32), (1024, 16))
"""Columns of each matrix, and how many are before and after the Sin."""


def graph(columns: int, count: int) -> onnx.ModelProto:
    """The ONNX graph of the chain that is cut."""
    nodes: list[onnx.NodeProto] = []
    weights: list[onnx.TensorProto] = []
    x = "x"
    for i in range(2 * count):
        values = np.full((columns, columns), 1e-3, np.float32)
        weights.append(numpy_helper.from_array(values, f"w{i}"))
        nodes.append(helper.make_node("MatMul", [x, f"w{i}"], [x := f"m{i}"]))
        if i == count - 1:
            nodes.append(helper.make_node("Sin", [x], [x := "s"]))
    given = helper.make_tensor_value_info("x", TensorProto.FLOAT, (1, columns))
    result = helper.make_tensor_value_info(x, TensorProto.FLOAT, (1, columns))
    made = helper.make_graph(nodes, "g", [given], [result], weights)
    return helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)


def program(made: onnx.ModelProto, chosen: Sequence[int], threads: int) -> TensorProgram:
    """The model with the kernels of the chosen candidates."""
    settings = replace(Settings.filled(num_threads=threads), chosen_cuts=tuple(chosen))
    return tensor_program(load_source(made, None, default_context()), settings, default_context())


def block(call: Callable[[], object], clock: Callable[[], float]) -> float:
    """Microseconds of a call, after two that do not count."""
    seconds: list[float] = []
    for _ in range(CALLS):
        start = clock()
        call()
        seconds.append(clock() - start)
    return median(seconds[2:]) * 1e6


def main(arguments: Sequence[str]) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="what a program takes between two sessions")
    parser.add_argument("--threads", type=int, default=1)
    threads: int = parser.parse_args(arguments).threads
    clock = time.thread_time if threads == 1 else time.perf_counter
    products.HELD = False  # the engine has the products; the only candidate is the Sin
    costs = engine_of(host_target(), host_tune())
    known = costs.change(threads) - costs.step + costs.kernel
    print("| weights, MiB | one session, us | a cut takes, us | less what is known, us |")
    print("| --- | --- | --- | --- |")
    for columns, count in GRAPHS:
        made = graph(columns, count)
        x = np.ones((1, columns), np.float32)
        whole, cut = (program(made, chosen, threads) for chosen in ((), (0,)))
        calls = (lambda whole=whole, x=x: whole(x)), (lambda cut=cut, x=x: cut(x))
        for call in calls:
            call()
        assert (len(whole.kernels), len(cut.kernels)) == (0, 1)
        pairs = [[block(call, clock) for call in calls] for _ in range(ROUNDS)]
        more = median(two - one for one, two in pairs)
        size = 2 * count * columns * columns * 4 / 2**20
        one = median(pair[0] for pair in pairs)
        print(f"| {size:.3g} | {one:.0f} | {more:.1f} | {more - known / 1e3:.1f} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
