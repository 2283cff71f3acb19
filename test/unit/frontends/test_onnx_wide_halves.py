"""ONNX models of 16-bit floats: their nodes compute in f32, and kernels hold them."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import snippets_mlir
from snippets_mlir.frontends.onnx import prepare_model

HALF = TensorProto.FLOAT16
RNG = np.random.default_rng(7)


def node(operator: str, inputs: str, outputs: str, **attributes: Any) -> onnx.NodeProto:
    return helper.make_node(operator, inputs.split(), outputs.split(), **attributes)


def model(
    nodes: list[onnx.NodeProto],
    inputs: dict[str, Any],
    outputs: str,
    weights: dict[str, Any] | None = None,
    element: int = HALF,
    opset: int = 17,
) -> onnx.ModelProto:
    """`inputs` are shapes of halves, or (element, shape)."""
    typed: dict[str, tuple[int, list[int]]] = {
        n: s if isinstance(s, tuple) else (element, s) for n, s in inputs.items()
    }
    infos = [helper.make_tensor_value_info(n, *t) for n, t in typed.items()]
    results = [helper.make_tensor_value_info(n, element, None) for n in outputs.split()]
    given = [numpy_helper.from_array(np.asarray(a), n) for n, a in (weights or {}).items()]
    graph = helper.make_graph(nodes, "g", infos, results, given)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


def lines(made: onnx.ModelProto) -> list[str]:
    """The nodes as onnxruntime or an import sees them."""
    return [
        f"{', '.join(n.output)} = {n.op_type}({', '.join(n.input)})"
        for n in prepare_model(made).model.graph.node
    ]


def halves(*shape: int) -> Any:
    return RNG.standard_normal(shape).astype(np.float16)


def test_nodes_compute_in_f32_between_conversions():
    nodes = [
        node("MatMul", "x w", "h"),
        node("Transpose", "h", "t"),
        node("Softmax", "t", "z"),
        node("Add", "z b", "y"),
    ]
    made = model(nodes, {"x": [4, 8]}, "y", {"w": halves(8, 4), "b": halves(4)})
    assert lines(made) == [
        "x_f32 = Cast(x)",
        "w_f32 = Cast(w)",
        "h = MatMul(x_f32, w_f32)",
        "t = Transpose(h)",
        "z = Softmax(t)",
        "b_f32 = Cast(b)",
        "y_f32 = Add(z, b_f32)",
        "y = Cast(y_f32)",
    ]


def test_elements_that_no_node_computes_move_as_they_are():
    nodes = [
        node("Gather", "table ids", "rows"),
        node("Relu", "rows", "a"),
        node("Concat", "a past", "both", axis=0),
        node("Neg", "both", "y"),
    ]
    inputs = {"ids": (TensorProto.INT64, [3]), "past": [2, 8]}
    made = model(nodes, inputs, "y both", {"table": halves(9, 8)})
    assert lines(made) == [
        "rows = Gather(table, ids)",
        "rows_f32 = Cast(rows)",
        "a = Relu(rows_f32)",
        "a_f16 = Cast(a)",
        "both = Concat(a_f16, past)",
        "both_f32 = Cast(both)",
        "y_f32 = Neg(both_f32)",
        "y = Cast(y_f32)",
    ]


@pytest.mark.parametrize(("inputs", "is_wide"), [("x", 0), ("x lo", 0), ("x lo hi", 1)])
def test_a_clip_to_the_largest_half_stays(inputs: str, is_wide: bool):
    weights = {"lo": np.float16(0), "hi": np.float16(np.inf)}
    given = {n: w for n, w in weights.items() if n in inputs}
    made = model([node("Clip", inputs, "c"), node("Neg", "c", "y")], {"x": [5]}, "y", given)
    assert any("= Clip(x_f32" in line for line in lines(made)) == is_wide
    x = np.array([np.inf, -np.inf, np.nan, 2, -3], np.float16)
    high, low = (np.inf if is_wide else 65504), (0 if given else -65504)
    expected = -np.where(np.isnan(x), x, np.clip(x.astype(float), low, high)).astype(np.float16)
    found = snippets_mlir.compile(made, mark_skipped="none")(x)
    np.testing.assert_array_equal(found, expected)


def test_what_depends_on_the_type_and_what_graphs_read_is_rounded():
    inner = helper.make_graph(
        [node("Neg", "a", "n")], "then", [], [helper.make_tensor_value_info("n", HALF, None)]
    )
    nodes = [
        node("Exp", "x", "a"),
        node("Cast", "a", "c", to=TensorProto.FLOAT),
        node("Cast", "c", "d", to=HALF),
        helper.make_node("If", ["p"], ["f"], then_branch=inner, else_branch=inner),
        node("SequenceConstruct", "a", "s"),
        node("SequenceAt", "s zero", "e"),
        node("Sum", "d e f", "y"),
    ]
    made = model(
        nodes, {"x": [4], "p": (TensorProto.BOOL, [])}, "y", {"zero": np.array(0)}, opset=20
    )
    assert lines(made) == [
        "x_f32 = Cast(x)",
        "a_f32 = Exp(x_f32)",
        "a = Cast(a_f32)",
        "c = Cast(a)",
        "d = Cast(c)",
        "f = If(p)",
        "s = SequenceConstruct(a)",
        "e = SequenceAt(s, zero)",
        "d_f32 = Cast(d)",
        "e_f32 = Cast(e)",
        "f_f32 = Cast(f)",
        "y_f32 = Sum(d_f32, e_f32, f_f32)",
        "y = Cast(y_f32)",
    ]
    x = np.linspace(-3, 9, 4).astype(np.float16)
    a = np.exp(x.astype(np.float64)).astype(np.float16).astype(np.float64)
    wanted = (2 * a - a).astype(np.float16)
    np.testing.assert_array_equal(snippets_mlir.compile(made)(x, np.array(True)), wanted)


def test_other_models_stay_as_they_are():
    weights = {"w": halves(8, 8)}
    stored = [node("Cast", "w", "c", to=1), node("MatMul", "x c", "y")]
    plain = model(stored, {"x": [4, 8]}, "y", weights, element=TensorProto.FLOAT)
    moved = model([node("Transpose", "x", "t"), node("Identity", "t", "y")], {"x": [4, 8]}, "y")
    old = model([node("Relu", "x", "y")], {"x": [4, 8]}, "y", opset=6)
    for made in (plain, moved, old):
        assert prepare_model(made).model is made


def rectified(x: Any) -> Any:
    return np.maximum(x, 0)


SPECIAL = [np.nan, np.inf, -np.inf, 0.0, -0.0, 6e-8, -6e-8, 6.1e-5, 65504, -65504, 1, 0.1, 2049]


@pytest.mark.parametrize(
    "operator", ["Abs", "Neg", "Relu", "Floor", "Sqrt", "Add", "Mul", "Max", "Div"]
)
@pytest.mark.parametrize("mark_skipped", ["auto", "none"])
def test_single_operators_round_once(operator: str, mark_skipped: Any):
    count = 2 if operator in ("Add", "Mul", "Max", "Div") else 1
    names = ["x", "y"][:count]
    made = model(
        [helper.make_node(operator, names, ["z"])], {n: [len(SPECIAL) ** 2] for n in names}, "z"
    )
    grid = np.meshgrid(*[np.array(SPECIAL, np.float16)] * 2)
    given = [g.reshape(-1) for g in grid[:count]]
    wide = [g.astype(np.float64) for g in given]
    functions: dict[str, Any] = {
        "Abs": np.abs, "Neg": np.negative, "Relu": rectified, "Floor": np.floor,
        "Sqrt": np.sqrt, "Add": np.add, "Mul": np.multiply, "Max": np.maximum, "Div": np.divide,
    }  # fmt: skip
    with np.errstate(all="ignore"):
        wanted = functions[operator](*wide).astype(np.float16)
    program = snippets_mlir.compile(made, mark_skipped=mark_skipped)
    if mark_skipped == "none":
        assert len(program.kernels) == 1
        assert not program.opaque
    found = program(*given)
    assert found.dtype == np.float16
    np.testing.assert_array_equal(found, wanted)
    if operator in ("Abs", "Neg", "Floor", "Sqrt", "Mul"):
        numbers = ~np.isnan(wanted)
        np.testing.assert_array_equal(np.signbit(found[numbers]), np.signbit(wanted[numbers]))


def block(element: int, dtype: Any) -> tuple[onnx.ModelProto, dict[str, Any]]:
    """Attention of one head, a norm and an MLP."""
    size = 32
    weights = {
        n: (RNG.standard_normal((size, size)) / 6).astype(dtype) for n in ("wq", "wk", "wv", "wo")
    }
    weights |= {"s": np.ones(size, dtype), "b": np.zeros(size, dtype)}
    nodes = [
        *(node("MatMul", f"x w{n}", n) for n in "qkv"),
        node("Transpose", "k", "kt", perm=[0, 2, 1]),
        node("MatMul", "q kt", "scores"),
        node("Softmax", "scores", "p", axis=-1),
        node("MatMul", "p v", "c"),
        node("Add", "c x", "r"),
        node("LayerNormalization", "r s b", "l"),
        node("MatMul", "l wo", "m"),
        node("Gelu", "m", "y"),
    ]
    return model(nodes, {"x": [2, 24, size]}, "y", weights, element, opset=20), weights


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_a_transformer_block_is_in_kernels(name: str):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    half, dtype = {
        "float16": (HALF, np.float16),
        "bfloat16": (TensorProto.BFLOAT16, ml_dtypes.bfloat16),
    }[name]
    made, weights = block(half, dtype)
    x = RNG.standard_normal((2, 24, 32)).astype(dtype)
    program = snippets_mlir.compile(made, mark_skipped="none")
    assert not program.opaque
    wide, w = x.astype(np.float64), {n: a.astype(np.float64) for n, a in weights.items()}
    q, k, v = (wide @ w[f"w{n}"] for n in "qkv")
    p = np.exp(q @ k.transpose(0, 2, 1))
    r = p / p.sum(-1, keepdims=True) @ v + wide
    d = r - r.mean(-1, keepdims=True)
    m = d / np.sqrt((d * d).mean(-1, keepdims=True) + 1e-5) @ w["wo"]
    erf = np.vectorize(__import__("math").erf)
    wanted = m * 0.5 * (1 + erf(m / np.sqrt(2)))
    unit = float(ml_dtypes.finfo(dtype).eps)
    error = np.abs(program(x).astype(np.float64) - wanted)
    assert (error <= 0.51 * unit * np.abs(wanted) + 1e-5).all()


@pytest.mark.parametrize("mark_skipped", ["auto", "none"])
def test_names_of_conversions_are_no_names_of_nodes(mark_skipped: Any):
    nodes = [node("Relu", "x", "h", name="x_as_f32"), node("Add", "h x", "y", name="x_as_f32_")]
    made = model(nodes, {"x": [4]}, "y")
    x = np.array([-2, 0.5, 3, 0], np.float16)
    found = snippets_mlir.compile(made, mark_skipped=mark_skipped)(x)
    np.testing.assert_array_equal(found, np.maximum(x, 0) + x)


@pytest.mark.parametrize("size", [0, 4, 20000])
def test_sessions_read_and_write_bf16(size: int):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    element = TensorProto.BFLOAT16
    made = model([node("Mul", "x x", "y")], {"x": ["n"]}, "y", None, element)
    program = snippets_mlir.compile(made)
    x = RNG.standard_normal(size).astype(ml_dtypes.bfloat16)
    wanted = (x.astype(np.float32) ** 2).astype(x.dtype)
    found = program(x)
    assert found.dtype == x.dtype
    np.testing.assert_array_equal(found.astype(np.float32), wanted.astype(np.float32))
    np.testing.assert_array_equal(program.run({"x": x})["y"], found)
    out = np.empty_like(x)
    assert program(x, out=out) is out
    np.testing.assert_array_equal(out, found)


def test_sessions_between_kernels_read_and_write_bf16():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    element = TensorProto.BFLOAT16
    nodes = [
        node("Tanh", "x", "h"),
        helper.make_node("TopK", ["h", "two"], ["t", "places"]),
        node("Exp", "t", "y"),
    ]
    made = model(nodes, {"x": [3, 8]}, "y h", {"two": np.array([2])}, element, opset=20)
    program = snippets_mlir.compile(made, mark_skipped="none")
    assert program.opaque
    x = RNG.standard_normal((3, 8)).astype(ml_dtypes.bfloat16)
    y, h = program(x)
    wanted = np.tanh(x.astype(np.float64))
    np.testing.assert_allclose(h.astype(np.float64), wanted, rtol=2.0**-8)
    top = np.exp(-np.sort(-wanted, axis=1)[:, :2])
    np.testing.assert_allclose(y.astype(np.float64), top, rtol=2.0**-6)
