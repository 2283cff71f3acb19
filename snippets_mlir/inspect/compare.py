"""The distance of results from a reference, and the choice of the reference.

Integers and bools have to be equal. For floats the relative error of an element is

    |result - reference| / (|reference| + mean of |reference| over the output's finite elements)

so that an element near zero, whose absolute error comes from larger elements, does not count as
wrong. If the reference is NaN, the result has to be NaN; if it is infinite, the result has to be
the same infinity. Anything else there is an infinite error. An output is correct if its largest
relative error is at most the tolerance of its dtype (`TOLERANCES`), or 1e-4 against onnxruntime,
whose own rounding differs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from snippets_mlir.driver.sources.load import Source
from snippets_mlir.runtime.arguments.arrays import Array

ONNX_TOLERANCE = 1e-4
TOLERANCES: Mapping[str, float] = {
    "float64": 2.0**-44,
    "float32": 2.0**-15,
    "float16": 2.0**-7,
    "bfloat16": 2.0**-4,
}


@dataclass(frozen=True)
class Difference:
    """The largest errors of one output, and whether they are within the tolerance."""

    max_abs: float
    max_rel: float
    ok: bool


def compare(result: Array, reference: Array, tolerance: float | None = None) -> Difference:
    """Compare one output with its reference, of the same shape and dtype."""
    if result.shape != reference.shape or result.dtype != reference.dtype:
        return Difference(np.inf, np.inf, ok=False)
    if tolerance is None:
        tolerance = TOLERANCES.get(reference.dtype.name, 0.0)
    if reference.dtype.name not in TOLERANCES:
        tolerance = 0.0
    a, b = result.reshape(-1), reference.reshape(-1)
    error = _float_error(a, b) if tolerance else _exact_error(a, b)
    relative = _relative(error, b)
    max_abs, max_rel = float(error.max(initial=0.0)), float(relative.max(initial=0.0))
    return Difference(max_abs, max_rel, ok=max_rel <= tolerance)


def relative_errors(result: Array, reference: Array) -> Array:
    """The relative error of each element of an output of floats, in the order of memory."""
    a, b = result.reshape(-1), reference.reshape(-1)
    return _relative(_float_error(a, b), b)


def _relative(error: Array, reference: Array) -> Array:
    b = reference.astype(np.float64)
    size = np.abs(b[np.isfinite(b)])
    scale = np.abs(np.where(np.isfinite(b), b, 0.0)) + (size.mean() if size.size else 0.0)
    return np.divide(error, scale, out=np.where(error > 0, np.inf, 0.0), where=scale > 0)


def _exact_error(a: Array, b: Array) -> Array:
    """Distances of integers (or bools): not 0 for different integers, even if a float64 rounds them
    to the same number.
    """
    distance = np.abs(a.astype(np.float64) - b.astype(np.float64))
    return np.where(a == b, 0.0, np.maximum(distance, 1.0))


def _float_error(a: Array, b: Array) -> Array:
    a, b = a.astype(np.float64), b.astype(np.float64)
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    finite = np.isfinite(a) & np.isfinite(b)
    with np.errstate(invalid="ignore", over="ignore"):
        return np.where(same, 0.0, np.where(finite, np.abs(a - b), np.inf))


def interpreter_results(source: Source, arrays: Sequence[Array], threads: int) -> list[Array]:
    """The outputs by the reference interpreter, at any level of the program.

    ONNX nodes in it run in onnxruntime, kernels at the llvm level run through LLVM at -O0.
    """
    from snippets_mlir.inspect.engine_nodes import run_node
    from snippets_mlir.inspect.native_kernels import native_kernels
    from snippets_mlir.interpreter import Interpreter

    shapes = {s: a.shape for s, a in zip(source.input_names, arrays, strict=True)}
    module = source.module_for(shapes if source.is_dynamic else None)
    handlers = {"onnx.node": partial(run_node, threads=threads)}
    interpreter = Interpreter(module, handlers, native_kernels(module))
    return list(interpreter.run(source.entry, arrays))
