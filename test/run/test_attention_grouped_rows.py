"""Attentions with one row for each head of a group, whose heads become rows of one matrix."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from attentions import Array, check_number_of_threads, numbers
from onnx import helper
from onnx_models import value
from sampled import sampled

import snippets_mlir

Made = tuple[onnx.ModelProto, list[tuple[int, ...]]]
KEYS = (1, 2, 7, 8, 9, 15, 16, 17, 33, 300)
SHAPES = list(product(KEYS, (3, 4, 7, 9), (1, 2, 5), (3, 4), ("", "rows", "heads", "truth")))
"""Keys, heads of a group, groups, the rank of inputs, and the mask."""


def model(
    keys: int, own: int, groups: int, rank: int, mask: str, *, width: int = 8, rows: int = 1
) -> Made:
    """ONNX's Attention for any number of keys, and the shapes of its inputs for `keys`."""
    heads = own * groups
    q, k = [2, heads, rows, width], [2, groups, "n", width]
    flags: dict[str, Any] = {}
    if rank == 3:
        q, k = [2, rows, heads * width], [2, "n", groups * width]
        flags = {"q_num_heads": heads, "kv_num_heads": groups}
    inputs = [value("q", q), value("k", k), value("v", k)]
    if mask:
        kind = np.bool_ if mask == "truth" else np.float32
        shape = [2, heads, rows, "n"] if mask == "heads" else [2, 1, rows, "n"]
        inputs.append(value("m", shape, kind))
    node = helper.make_node("Attention", [it.name for it in inputs], ["y"], **flags)
    graph = helper.make_graph([node], "g", inputs, [value("y", q)])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)], ir_version=10)
    return made, shapes_for(made, keys)


def shapes_for(made: onnx.ModelProto, keys: int) -> list[tuple[int, ...]]:
    dims = [it.type.tensor_type.shape.dim for it in made.graph.input]
    return [tuple(keys if dim.dim_param else dim.dim_value for dim in it) for it in dims]


def drawn(shapes: list[tuple[int, ...]], mask: str) -> list[Array]:
    """Some keys are hidden, and all keys of a batch."""
    arrays = numbers(len(shapes), *shapes)
    if mask:
        arrays[3][..., ::3] = -np.inf
        arrays[3][0, 0] = -np.inf
        arrays[3] = arrays[3] > 0 if mask == "truth" else arrays[3]
    return arrays


def by_onnxruntime(made: onnx.ModelProto, given: list[Array]) -> Array:
    session: Any = ort.InferenceSession(
        made.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    names = [it.name for it in made.graph.input]
    return session.run(None, dict(zip(names, given, strict=True)))[0]


def reads_groups(program: Any, groups: int, own: int) -> bool:
    """Whether the one kernel multiplies matrices of a row for each head."""
    (text,) = [kernel.ir("subgraph") for kernel in program.kernels]
    return f"tensor<2x{groups}x{own}x8xf32>, tensor<2x{groups}x" in text


@pytest.mark.parametrize(("keys", "own", "groups", "rank", "mask"), sampled(SHAPES, 5))
def test_sizes_of_a_call(keys: int, own: int, groups: int, rank: int, mask: str):
    """A row whose keys are all hidden is 0."""
    made, _ = model(keys, own, groups, rank, mask)
    program = snippets_mlir.compile(made, mark_skipped="none", num_threads=2)
    for count in (keys, 257):
        given = drawn(shapes_for(made, count), mask)
        np.testing.assert_allclose(program(*given), by_onnxruntime(made, given), 2e-5, 1e-5)
        assert reads_groups(program, groups, own)


@pytest.mark.parametrize(("own", "rows"), [(2, 1), (3, 2)])
def test_few_heads_and_more_rows(own: int, rows: int):
    """Twins: two heads, for which copies of keys take more time than a second pass; two rows."""
    made, shapes = model(17, own, 2, 4, "rows", rows=rows)
    program = snippets_mlir.compile(made, mark_skipped="none", num_threads=2)
    given = drawn(shapes, "rows")
    np.testing.assert_allclose(program(*given), by_onnxruntime(made, given), 2e-5, 1e-5)
    assert not reads_groups(program, 2, own)


def test_nan_and_infinity():
    """A NaN in a key, and infinite values of a key, are in the heads of their group alone."""
    made, shapes = model(40, 4, 3, 4, "")
    arguments = numbers(1, *shapes)
    arguments[1][0, 1, 3, 5] = np.nan
    arguments[2][1, 2, 0] = np.inf
    q, k, v = (x.astype(np.float64) for x in arguments)
    k, v = (np.repeat(x, 4, 1) for x in (k, v))
    scores = np.exp(q @ k.swapaxes(-1, -2) / np.sqrt(8))
    wanted = scores / scores.sum(-1, keepdims=True) @ v
    program = snippets_mlir.compile(made, mark_skipped="none", num_threads=2)
    np.testing.assert_allclose(program(*arguments), wanted, 2e-5, 1e-5)


def test_results_do_not_depend_on_the_number_of_threads():
    made, shapes = model(333, 4, 3, 4, "rows", width=64)
    arguments = drawn(shapes, "rows")
    check_number_of_threads(made, arguments, mark_skipped="none")
