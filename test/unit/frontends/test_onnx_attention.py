"""Attention of ONNX and MultiHeadAttention against ONNX's backend tests and onnxruntime."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import helper
from onnx_models import model, run_reference, samples, single, value
from sampled import sampled

import snippets_mlir
from snippets_mlir.frontends.onnx import import_model
from snippets_mlir.frontends.onnx.engine_operators import MICROSOFT
from snippets_mlir.interpreter import Interpreter

Array = NDArray[Any]
LEFT = {
    "Attention with its scores as an output",
}
"""Why nodes of the backend tests stay opaque."""


def numbers(*shape: int, dtype: Any = np.float32) -> Array:
    count = int(np.prod(shape))
    return (samples(dtype, count + 1, seed=len(shape))[:count] / 2).astype(dtype).reshape(shape)


def interpreted(made: onnx.ModelProto, arrays: Sequence[Array]) -> Array:
    module = import_model(made, products=True)
    assert "onnx.node" not in str(module)
    return np.asarray(Interpreter(module).run("main", arrays)[0])


def reason(made: onnx.ModelProto) -> str:
    """Why the node of a model stays an `onnx.node`."""
    _, found, text = str(import_model(made, products=True)).partition('snippets.reason = "')
    assert found
    return text.partition('"')[0]


class Case(NamedTuple):
    """One of ONNX's backend tests."""

    name: str
    made: onnx.ModelProto
    inputs: Sequence[Array]
    outputs: Sequence[Array]


@cache
def backend_cases() -> tuple[Case, ...]:
    source: Any = import_module("onnx.backend.test.case.node.attention")
    found: list[Case] = []

    def keep(node: Any, inputs: Any, outputs: Any, name: str, **options: Any) -> None:
        opsets = options.get("opset_imports") or [helper.make_opsetid("", 25)]
        names = ([n for n in side if n] for side in (node.input, node.output))
        ends: list[Any] = [
            [value(n, np.shape(a), np.asarray(a).dtype) for n, a in zip(side, arrays, strict=True)]
            for side, arrays in zip(names, (inputs, outputs), strict=True)
        ]
        graph = helper.make_graph([node], "g", ends[0], ends[1])
        made = helper.make_model(graph, opset_imports=opsets, ir_version=10)
        found.append(Case(name, made, [np.asarray(a) for a in inputs], outputs))

    with pytest.MonkeyPatch.context() as patch, np.errstate(all="ignore"):
        patch.setattr(source, "expect", keep)
        for name in dir(source.Attention):
            if name.startswith("export"):
                getattr(source.Attention, name)()
    return tuple(found)


def test_backend_tests():
    """Every node becomes kernels that give the expected results, or says why it does not."""
    whole: list[Case] = []
    with_cache = 0
    for case in backend_cases():
        text = str(import_model(case.made, products=True))
        if 'onnx.node "Attention"' in text:
            assert reason(case.made) in LEFT, case.name
            continue
        whole.append(case)
        with_cache += "snippets.concat" in text
    assert len(whole) >= 64
    assert with_cache >= 10
    for case in sampled(whole, 7):  # test_onnx_backend.py runs one of each kind
        program = snippets_mlir.compile(case.made, mark_skipped="none")
        assert program.kernels
        assert not program.opaque, case.name
        names = [spec.name for spec in program.inputs]
        found: list[Array] = list(program.run(dict(zip(names, case.inputs, strict=True))).values())
        for one, wanted in zip(found, case.outputs, strict=True):
            # The expected halves are rounded after each step.
            error = {"float16": 2e-3, "bfloat16": 2e-2}.get(wanted.dtype.name, 1e-4)
            one, wanted = one.astype(np.float32), wanted.astype(np.float32)
            np.testing.assert_allclose(one, wanted, error, 1e-5, err_msg=case.name)


@pytest.mark.parametrize("name", ["4d_gqa_softcap", "4d_attn_mask_4d_causal", "3d_gqa_attn_mask"])
def test_backend_tests_as_kernels(name: str):
    case = next(c for c in backend_cases() if c.name == f"test_attention_{name}")
    program = snippets_mlir.compile(case.made, fallback="error")
    assert sum(k.ops.count("snippets.matmul") == 2 for k in program.kernels) == 1
    np.testing.assert_allclose(program(*case.inputs), case.outputs[0], 1e-4, 1e-5)


def test_four_dims_are_one_kernel():
    arrays = [numbers(2, 4, 9, 8), numbers(2, 2, 9, 8), numbers(2, 2, 9, 5)]
    made = single("Attention", arrays, opset=23, is_causal=1, softcap=2.0, scale=0.25)
    program = snippets_mlir.compile(made, fallback="error")
    assert len(program.kernels) == 1
    np.testing.assert_allclose(program(*arrays), run_reference(made, arrays)[0], 1e-5, 1e-5)


def wide_attention(q: Array, k: Array, v: Array, mask: Array) -> Array:
    """Attention with heads of keys that two heads of queries share, in float64."""
    k, v = (np.repeat(x, 2, axis=1) for x in (k, v))
    added = np.where(mask, 0.0, -np.inf) if mask.dtype == np.bool_ else mask
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1]) + added
    greatest = scores.max(axis=-1, keepdims=True)
    e = np.exp(scores - np.where(np.isinf(greatest), 0, greatest))
    total = e.sum(axis=-1, keepdims=True)
    return e / np.where(total == 0, 1, total) @ v


@pytest.mark.parametrize("shape", [(5,), (3, 5), (4, 3, 5), (2, 1, 3, 5), (2, 4, 1, 5)])
@pytest.mark.parametrize("kind", [np.bool_, np.float64])
def test_masks_of_grouped_heads_in_f64(shape: tuple[int, ...], kind: Any):
    arrays = [numbers(*s, dtype=np.float64) for s in ((2, 4, 3, 6), (2, 2, 5, 6), (2, 2, 5, 7))]
    drawn = np.random.default_rng(0).standard_normal(shape)
    arrays.append(drawn > -0.3 if kind is np.bool_ else drawn)
    found = interpreted(single("Attention", arrays, opset=24), arrays)
    np.testing.assert_allclose(found, wide_attention(*arrays), 1e-12, 1e-13)


def test_rows_without_a_key():
    """They are 0; a NaN among the scores of a row stays, unless causality hides it."""
    arrays = [numbers(1, 2, 4, 6), numbers(1, 2, 4, 6), numbers(1, 2, 4, 6)]
    arrays[1][0, 1, 2] = np.nan
    mask = np.array([[1, 1, 1, 1], [0, 0, 0, 0], [1, 0, 1, 1], [0, 1, 1, 1]], bool)
    for given in (mask, np.where(mask, np.float32(0), np.float32(-np.inf))):
        made = single("Attention", [*arrays, given], opset=23)
        wanted = run_reference(made, [*arrays, given])[0]
        assert (wanted[0, :, 1] == 0).all()
        np.testing.assert_allclose(interpreted(made, [*arrays, given]), wanted, 1e-5, 1e-6)
    found = interpreted(single("Attention", arrays, opset=23, is_causal=1), arrays)
    np.testing.assert_array_equal(np.isnan(found[0, 1]).all(axis=-1), [False, False, True, True])


def test_window_that_leaves_rows_empty():
    arrays = [numbers(1, 1, 7, 4), numbers(1, 1, 3, 4), numbers(1, 1, 3, 4)]
    made = single("Attention", arrays, opset=25, left_window_size=1, right_window_size=1)
    found = interpreted(made, arrays)
    assert (found[0, 0, 4:] == 0).all()
    np.testing.assert_allclose(found, run_reference(made, arrays)[0], 1e-5, 1e-6)


OPAQUE: list[tuple[str, Sequence[tuple[int, ...]], dict[str, Any]]] = [
    ("of 3, 2 and 2 heads", [(1, 3, 4, 6), (1, 2, 5, 6), (1, 2, 5, 6)], {}),
    ("of 2, 2 and 1 heads", [(1, 2, 4, 6), (1, 2, 5, 6), (1, 1, 5, 6)], {}),
    ("a number of heads that is not known", [(1, 4, 6)] * 3, {}),
    ("they are not equal", [(1, 4, 6)] * 3, {"q_num_heads": 4, "kv_num_heads": 4}),
    ("which has other columns", [*[(1, 2, 4, 6)] * 3, (4, 5)], {}),
    ("which has other columns", [*[(1, 2, 4, 6)] * 3, (4, 1)], {}),
    ("a mask 3x4x4 of other heads", [(1, 4, 4, 6), *[(1, 2, 4, 6)] * 2, (3, 4, 4)], {}),
    ("a softmax of another precision", [(1, 2, 4, 6)] * 3, {"softmax_precision": 11}),
]


@pytest.mark.parametrize(("text", "shapes", "attributes"), OPAQUE)
def test_what_stays_a_node(text: str, shapes: Any, attributes: dict[str, Any]):
    made = single("Attention", [numbers(*s) for s in shapes], opset=23, **attributes)
    assert text in reason(made)


def test_causal_sizes_of_a_call_stay_a_node():
    node = helper.make_node("Attention", ["q", "k", "v"], ["y"], is_causal=1)
    inputs = [value(n, ["b", 2, "s", 8]) for n in "qkv"]
    made = model([node], inputs, [value("y", ["b", 2, "s", 8])], opset=23)
    assert "sizes that are not known" in reason(made)


def test_sizes_of_a_call():
    node = helper.make_node("Attention", ["q", "k", "v", "m"], ["y"], q_num_heads=2, kv_num_heads=2)
    inputs = [value(n, [2, s, 16]) for n, s in (("q", "s"), ("k", "t"), ("v", "t"))]
    made = model([node], [*inputs, value("m", ["s", "t"])], [value("y", [2, "s", 16])], opset=23)
    arrays = [numbers(2, 9, 16), numbers(2, 7, 16), numbers(2, 7, 16), numbers(9, 7)]
    program = snippets_mlir.compile(made)
    np.testing.assert_allclose(program(*arrays), run_reference(made, arrays)[0], 1e-5, 1e-5)


def multi_head(arrays: Sequence[Array | None], **attributes: Any) -> onnx.ModelProto:
    names = ["" if a is None else f"x{i}" for i, a in enumerate(arrays)]
    node = helper.make_node("MultiHeadAttention", names, ["y"], domain=MICROSOFT, **attributes)
    given = [(n, a) for n, a in zip(names, arrays, strict=True) if a is not None]
    inputs = [value(n, a.shape, a.dtype) for n, a in given if n != "x3"]
    constants = {n: a for n, a in given if n == "x3"}
    assert arrays[0] is not None
    result = value("y", arrays[0].shape)
    return model([node], inputs, [result], constants, domains=[MICROSOFT])


Q, K = (2, 3, 8), (2, 5, 8)
PADDING = np.array([[1, 1, 0, 0, 1], [2, 0, -1, 1, 1]], np.int32)
PADDING_OF_ROWS = np.random.default_rng(1).integers(0, 2, (2, 3, 5)).astype(np.int32)
MULTI_HEADS: dict[str, tuple[list[Array | None], dict[str, Any]]] = {
    "plain": ([numbers(*s) for s in (Q, K, K)], {}),
    "scale": ([numbers(*s) for s in (Q, K, K)], {"scale": 0.25}),
    "bias": ([*(numbers(*s) for s in (Q, K, K)), numbers(24)], {}),
    "padding": ([*(numbers(*s) for s in (Q, K, K)), None, PADDING], {}),
    "padding of rows": (
        [*(numbers(*s) for s in (Q, K, K)), None, PADDING_OF_ROWS],
        {"mask_filter_value": -3.0},
    ),
    "attention bias": (
        [*(numbers(*s) for s in (Q, K, K)), None, PADDING, numbers(1, 2, 3, 5)],
        {},
    ),
    "causal": ([numbers(*s) for s in (Q, Q, Q)], {"unidirectional": 1}),
    "keys by head": ([numbers(*s) for s in (Q, (2, 2, 5, 4), (2, 2, 5, 4))], {}),
    "bias of queries": (
        [*(numbers(*s) for s in (Q, (2, 2, 5, 4), (2, 2, 5, 4))), numbers(24)],
        {},
    ),
}


@pytest.mark.parametrize("name", MULTI_HEADS)
def test_multi_head_attention(name: str):
    arrays, attributes = MULTI_HEADS[name]
    made = multi_head(arrays, num_heads=2, **attributes)
    given = [a for i, a in enumerate(arrays) if a is not None and i != 3]
    wanted = run_reference(made, given)[0]
    np.testing.assert_allclose(interpreted(made, given), wanted, 1e-5, 1e-5)


def test_multi_head_attention_that_stays_a_node():
    packed = multi_head([numbers(2, 3, 2, 3, 4)], num_heads=2)
    assert reason(packed) == "MultiHeadAttention of packed inputs"
    arrays, _ = MULTI_HEADS["plain"]
    causal = multi_head(arrays, num_heads=2, unidirectional=1)
    assert reason(causal) == "a causal MultiHeadAttention of other keys than queries"
    lengths = multi_head([*arrays, None, np.array([3, 5, 1], np.int32)], num_heads=2)
    assert reason(lengths) == "MultiHeadAttention of scores 2x2x3x5 with padding as 3"
