"""The gate of a SwiGLU layer, silu(x) * y, on 2^24 numbers: ours beside NumPy and, if installed,
others.

    python benchmarks/swiglu.py [elements]

Calls of all alternate in one process. A row has the median time, and its ratio to ours. NumPy is
measured twice: in the usual way, and in place without temporary arrays.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

import snippets_mlir

ROUNDS = 15
PROGRAM = """
func.func @main(%x: tensor<{n}xf32>, %y: tensor<{n}xf32>) -> tensor<{n}xf32> {{
  %0 = snippets.sigmoid %x : tensor<{n}xf32>
  %1 = snippets.multiply %x, %0 : tensor<{n}xf32>
  %2 = snippets.multiply %1, %y : tensor<{n}xf32>
  func.return %2 : tensor<{n}xf32>
}}
"""

Array = np.ndarray[Any, np.dtype[Any]]
Call = Callable[[], object]


def numpy_in_place(x: Array, y: Array, out: Array) -> Array:
    """Silu(x) * y with one array of intermediate values."""
    np.negative(x, out=out)
    np.exp(out, out=out)
    np.add(out, 1, out=out)
    np.divide(x, out, out=out)
    return np.multiply(out, y, out=out)


def numexpr_peer(x: Array, y: Array, out: Array) -> Call | None:
    """The numexpr package, if it is installed."""
    try:
        numexpr: Any = import_module("numexpr")
    except ImportError:
        return None
    return lambda: numexpr.evaluate("x / (1 + exp(-x)) * y", {"x": x, "y": y}, out=out)


def onnxruntime_peer(x: Array, y: Array) -> Call | None:
    """ONNX Runtime with as many threads as ours, if it is installed."""
    try:
        ort: Any = import_module("onnxruntime")
        onnx: Any = import_module("onnx")
    except ImportError:
        return None
    helper = onnx.helper
    names = [helper.make_tensor_value_info(n, 1, [x.size]) for n in "xyz"]
    nodes = [
        helper.make_node("Sigmoid", ["x"], ["s"]),
        helper.make_node("Mul", ["x", "s"], ["g"]),
        helper.make_node("Mul", ["g", "y"], ["z"]),
    ]
    model = helper.make_model(
        helper.make_graph(nodes, "swiglu", names[:2], names[2:]),
        opset_imports=[helper.make_opsetid("", 17)],
        ir_version=8,
    )
    options = ort.SessionOptions()
    options.intra_op_num_threads = snippets_mlir_threads()
    session = ort.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    return lambda: session.run(None, {"x": x, "y": y})


def snippets_mlir_threads() -> int:
    """The number of threads of our kernels."""
    from snippets_mlir.runtime.parallel.threads import default_threads

    return default_threads()


def main(elements: int = 1 << 24) -> int:
    """Measure and print the table; the exit code is 1 for a wrong result."""
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((2, elements), np.float32)
    compiled = snippets_mlir.compile(PROGRAM.format(n=elements))
    out, other = np.empty_like(x), np.empty_like(x)
    peers: dict[str, Call | None] = {
        "snippets_mlir": lambda: compiled(x, y, out=out),
        "snippets_mlir, new output": lambda: compiled(x, y),
        "numpy": lambda: x / (1 + np.exp(-x)) * y,
        "numpy, in place": lambda: numpy_in_place(x, y, other),
        "numexpr": numexpr_peer(x, y, other),
        "onnxruntime": onnxruntime_peer(x, y),
    }
    calls = {name: call for name, call in peers.items() if call is not None}
    times: dict[str, list[float]] = {name: [] for name in calls}
    for round_ in range(ROUNDS + 1):
        for name, call in calls.items():
            start = perf_counter()
            call()
            if round_:
                times[name].append(perf_counter() - start)
    ours = median(times["snippets_mlir"])
    print(f"silu(x) * y, {elements} float32, {compiled.num_threads} thread(s), {ROUNDS} rounds")
    for name, measured in times.items():
        print(f"{name:>26} {1e3 * median(measured):8.2f} ms  {median(measured) / ours:6.2f}x")
    wide = x.astype(np.float64)
    error = np.abs(out - wide / (1 + np.exp(-wide)) * y).max()
    print(f"largest absolute error against float64: {error:.1e}")
    return 0 if error < 1e-5 else 1


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
