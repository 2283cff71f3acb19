"""`make run`: two examples at each stage from a graph to machine code, with errors and times.

The first is `silu(x) * y` from `docs/examples/silu_mul.mlir`, shown at every stage; the second is
`docs/examples/mlp.onnx`, a small network from ONNX.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from snippets_mlir.driver import compile
from snippets_mlir.support.errors import CompileError
from snippets_mlir.tools.run_bench import measure

if TYPE_CHECKING:
    from snippets_mlir.driver import Compiled
    from snippets_mlir.runtime.arguments.arrays import Array

EXAMPLES = Path(__file__).resolve().parents[2] / "docs" / "examples"
STAGES = {
    "graph": ("the source program", "func.func"),
    "subgraph": ("tokenized: each subgraph becomes a kernel", "snippets.subgraph"),
    "lir": ("linear IR: ports, loops, memory accesses", "lir.kernel"),
    "vector": ("vectors, loads and stores", "scf.for"),
    "llvm-ir": ("LLVM IR, before LLVM's own passes", "fmul"),
    "asm": ("machine code: the inner loop begins", "vmovups"),
}
LINES, WIDTH = 5, 110


def excerpt(text: str, marker: str) -> list[str]:
    """A few lines of `text` from the first one with `marker` on, cut to a screen's width."""
    lines = [line for line in text.splitlines() if line.strip()]
    start = next((i for i, line in enumerate(lines) if marker in line), 0)
    shown = [line.replace("\t", "    ")[:WIDTH] for line in lines[start : start + LINES]]
    left = len(lines) - start - len(shown)
    return shown + ([f"... {left} more lines"] if left > 0 else [])


def show_stages(compiled: Compiled) -> None:
    """Print the first kernel at each stage."""
    (kernel, *_) = compiled.kernels
    for stage, (meaning, marker) in STAGES.items():
        print(f"\n-- {stage}: {meaning}")
        print("\n".join(f"   {line}" for line in excerpt(kernel.ir(stage), marker)))


def relative_error(result: Array, reference: Array) -> float:
    """The largest error against a float64 reference, relative to its largest magnitude."""
    return float(np.abs(result - reference).max() / np.abs(reference).max())


def run_mlir() -> None:
    """`silu(x) * y` beside the same expression in NumPy."""
    path = EXAMPLES / "silu_mul.mlir"
    compiled = compile(path)
    print(f"== {path.name}: {len(compiled.kernels)} kernel of {', '.join(compiled.kernels[0].ops)}")
    show_stages(compiled)
    rng = np.random.default_rng(0)
    x, y = (rng.standard_normal(spec.static_shape, np.float32) for spec in compiled.inputs)
    wide = x.astype(np.float64)
    error = relative_error(compiled(x, y), wide / (1 + np.exp(-wide)) * y)
    print(f"\nlargest error against float64, relative to the largest value: {error:.1e}")
    out = np.empty_like(x)
    print(
        measure(lambda: compiled(x, y, out=out), lambda: x / (1 + np.exp(-x)) * y, "NumPy", most=9)
    )


def _gelu(h: Array) -> Array:
    from math import erf

    return 0.5 * h * (1 + np.vectorize(erf)(h / np.sqrt(2)))


def run_onnx() -> None:
    """A small network: matrix products with their epilogues, and a softmax."""
    import onnx
    from onnx import numpy_helper

    path = EXAMPLES / "mlp.onnx"
    compiled = compile(path)
    model = onnx.ModelProto.FromString(path.read_bytes())
    weights = {t.name: numpy_helper.to_array(t).astype(np.float64) for t in model.graph.initializer}
    rng = np.random.default_rng(0)
    x, gate = (rng.standard_normal(s, np.float32) for s in ((64, 32), (64,)))
    probabilities = compiled(x, gate)
    hidden = _gelu(x @ weights["w1"] + weights["b1"]) / (1 + np.exp(-gate.astype(np.float64)))
    scores = np.exp(hidden @ weights["w2"] + weights["b2"])
    error = relative_error(probabilities, scores / scores.sum(axis=-1, keepdims=True))
    print(f"\n== {path.name} for a batch of 64: {len(compiled.kernels)} kernel(s)")
    for kernel in compiled.kernels:
        print(f"   {kernel.name}: {', '.join(kernel.ops)}")
    for op in compiled.opaque:
        print(f"   beside them: {op}")
    print(f"largest error against float64, relative to the largest value: {error:.1e}")


def main() -> int:
    """Run both examples; the exit code."""
    try:
        run_mlir()
        run_onnx()
    except CompileError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
