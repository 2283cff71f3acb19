"""Whether programs of a random ONNX model give what onnxruntime gives, call after call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from random_onnx_models import Graph, random_model, session
from random_onnx_values import Array

import snippets_mlir
from snippets_mlir.support.errors import CompileError
from snippets_mlir.testing.thread_counts import drawn_threads

UNORDERED = set(
    "ReduceMax ReduceMin MaxPool GlobalMaxPool Max Min Clip Relu Sign ArgMax ArgMin TopK "
    "LogSoftmax Hardmax ReduceLogSumExp Cast CastLike".split()
)
"""Operators with results for NaN and infinities that onnxruntime's kernels do not agree on."""
OVERFLOWING = {"ReduceProd", "Pow"}
"""Operators that saturate integers in some of onnxruntime's kernels."""
DIVIDING = {"Div", "Mod", "Reciprocal"}
"""Operators that show the sign of a zero; onnxruntime's Where makes 0.0 of -0.0."""
CRASHING = {"InstanceNormalization"}
"""Operators with which onnxruntime ends the process where a size is 0."""
MODES: tuple[dict[str, Any], ...] = (
    {},
    {"mark_skipped": "none"},
    {"mark_skipped": "none", "partitioner": "fuse-ops"},
)
TOLERANCES = {2: 2e-2, 4: 2e-4, 8: 2e-4}
"""Errors of floats by their bytes, as parts of the largest element."""

Feeds = Mapping[str, Array]


def calls_of(graph: Graph) -> list[dict[str, Array]]:
    """Inputs of the sizes of the model, of ones, of others with NaN, of zeros, and again."""
    nodes = {node.op_type for node in graph.nodes}
    sizes = [graph.sizes, {"n": 1, "m": 1}, {"n": 3, "m": 9}, {"n": 0, "m": 4}, {"n": 4, "m": 0}]
    chosen = [*enumerate([*sizes, graph.sizes])] if graph.is_dynamic else [(0, sizes[0])]
    if nodes & CRASHING:
        chosen = [(i, s) for i, s in chosen if 0 not in s.values()]
    return [graph.feeds(s, special=i == 2 and not nodes & UNORDERED) for i, s in chosen]


def check_agreement(seed: int) -> int:
    """Compare a model in all modes; the number of arrays that were compared.

    A model or call that onnxruntime refuses may be refused, too, by no error but those of calls.
    """
    graph, model = random_model(seed)
    names = [output.name for output in model.graph.output]
    try:
        engine = session(model)
    except Exception:
        engine = None
    calls = calls_of(graph)
    wanted = [None if engine is None else results_of(engine, names, call) for call in calls]
    compared = 0
    for number, mode in enumerate(MODES if seed % 3 == 0 else MODES[:2]):
        threads = threads_of(seed + number, mode)
        where = f"seed {seed}, {threads} threads, {mode}"
        try:
            program = snippets_mlir.compile(model, num_threads=threads, **mode)
        except CompileError:
            if engine is not None:
                raise
            continue
        for index, (call, results) in enumerate(zip(calls, wanted, strict=True)):
            if results is None:  # it may run, or be refused
                try:
                    program.run(call)
                except (CompileError, ValueError, RuntimeError):
                    pass
                continue
            place = f"{where}, call {index}"
            compared += check_results(graph, program.run(call), names, results, place)
    return compared


def threads_of(seed: int, mode: dict[str, Any]) -> int:
    """Any number where kernels run most nodes; 1 or 2 otherwise, since threads of sessions spin."""
    return drawn_threads(seed) if mode else 1 + seed % 2


def check_results(
    graph: Graph, found: Feeds, names: Sequence[str], results: Sequence[Array], place: str
) -> int:
    """Compare the outputs of a call with onnxruntime's, in the order of `names`; their number."""
    loose = _is_loose(graph, results)
    for name, result in zip(names, results, strict=True):
        _compare(found[name], np.asarray(result), f"{place}, output {name}", loose)
    return len(names)


def results_of(engine: Any, names: Sequence[str], call: Feeds) -> list[Array] | None:
    """What a session gives for a call; None where it raises."""
    try:
        return engine.run(names, call)
    except Exception:
        return None


def _is_loose(graph: Graph, results: Sequence[Array]) -> bool:
    """Whether elements may differ: onnxruntime's own kernels do, for NaN or large integers."""
    nodes = {node.op_type for node in graph.nodes}
    arrays = [*results, *graph.arrays.values()]
    unsigned = "Where" in nodes and nodes & DIVIDING
    return bool(unsigned or nodes & OVERFLOWING) or (
        bool(nodes & UNORDERED)
        and any(a.dtype.kind == "f" and bool(np.isnan(a.astype(np.float64)).any()) for a in arrays)
    )


def _compare(found: Array, wanted: Array, place: str, loose: bool) -> None:
    assert found.dtype == wanted.dtype, f"{place}: {found.dtype} for {wanted.dtype}"
    assert found.shape == wanted.shape, f"{place}: {found.shape} for {wanted.shape}"
    if loose:
        return
    if found.dtype.kind != "f":
        assert (found == wanted).all(), f"{place}: {found} for {wanted}"
        return
    a, b = found.astype(np.float64), wanted.astype(np.float64)
    finite = np.abs(b[np.isfinite(b)])
    bound = TOLERANCES[found.dtype.itemsize] * (1 + finite.max(initial=0.0))
    np.testing.assert_allclose(a, b, rtol=0, atol=bound, err_msg=place)
