"""Dynamic models whose known sizes contradict each other are refused by `compile`."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import helper
from onnx_models import model, value

import snippets_mlir
from snippets_mlir.support.errors import CompileError

W = np.ones((4, 5), np.float32)
N = helper.make_node
MODELS: dict[str, tuple[list[onnx.NodeProto], str, str]] = {
    "product": ([N("MatMul", ["x", "w"], ["y"], name="mm")], "MatMul 'mm'", "x3.*4x5"),
    "gemm": ([N("Gemm", ["x", "w"], ["y"], name="gg")], "Gemm 'gg'", "x3.*4x5"),
    "sum": ([N("Add", ["x", "w"], ["y"], name="ad")], "Add 'ad'", "x3.*4x5"),
    "concat": ([N("Concat", ["x", "w"], ["y"], name="cc", axis=0)], "Concat 'cc'", "x3.*4x5"),
    "after another node": (
        [N("Relu", ["x"], ["r"]), N("MatMul", ["r", "w"], ["y"], name="mm")],
        "MatMul 'mm'",
        "x3.*4x5",
    ),
}


def made(name: str, width: int, weights: Any = W) -> onnx.ModelProto:
    return model(MODELS[name][0], [value("x", ["n", width])], ["y"], {"w": weights})


@pytest.mark.parametrize("options", [{}, {"fallback": "error"}], ids=["", "error"])
@pytest.mark.parametrize("name", MODELS)
def test_compile_names_node_and_shapes(name: str, options: dict[str, Any]) -> None:
    _, label, shapes = MODELS[name]
    with pytest.raises(CompileError, match=f"{label}.*{shapes}"):
        snippets_mlir.compile(made(name, 3), **options)


@pytest.mark.parametrize("name", ["product", "sum"])
def test_large_models_are_refused_too(name: str) -> None:
    wide = np.ones((1 << 18, 5), np.float32)
    with pytest.raises(CompileError, match="262144x5"):
        snippets_mlir.compile(made(name, 3, wide))


@pytest.mark.parametrize("name", ["product", "gemm", "after another node"])
def test_sizes_that_fit_compile(name: str) -> None:
    x = np.ones((2, 4), np.float32)
    np.testing.assert_array_equal(snippets_mlir.compile(made(name, 4))(x), x @ W)


def test_sizes_that_may_fit_are_for_the_call() -> None:
    """The inner size of the product is n or 1 times 3."""
    nodes = [N("Flatten", ["x"], ["f"], axis=0), N("MatMul", ["f", "w"], ["y"], name="mm")]
    dynamic = model(nodes, [value("x", ["n", 2])], ["y"], {"w": W})
    program = snippets_mlir.compile(dynamic)
    np.testing.assert_array_equal(program(np.ones((2, 2), np.float32)), [[4] * 5])


def test_what_only_an_assumption_contradicts_is_for_the_call() -> None:
    """The model assumes that n is 3; with 1, the product fits."""
    nodes = [N("Add", ["x", "b"], ["s"]), N("MatMul", ["x", "w"], ["y"])]
    weights = {"w": np.ones((1, 5), np.float32), "b": np.ones(3, np.float32)}
    dynamic = model(nodes, [value("x", ["m", "n"])], ["s", "y"], weights)
    program = snippets_mlir.compile(dynamic)
    s, y = program(np.ones((2, 1), np.float32))
    assert (s.shape, y.shape) == ((2, 3), (2, 5))


TEXTS: dict[str, tuple[str, str]] = {
    "channels": ("Conv (x, float[4, 5, 3, 3] w)", "Conv: 'w': expected .x3x.* of .x3x8x8, found"),
    "groups": ("Conv <group = 2> (x, float[4, 3, 3, 3] w)", "'x': expected .*2.*, found .x3x8x8"),
    "bias": ("Conv (x, float[4, 3, 3, 3] w, float[5] b)", "'b': expected 4 .*found 5"),
    "transposed": ("ConvTranspose (x, float[4, 5, 3, 3] w)", "'w': expected 3x.*found 4x5x3x3"),
    "batch norm": (
        "BatchNormalization (x, float[4] s, float[4] b, float[3] m, float[3] v)",
        "BatchNormalization",
    ),
    "instance norm": ("InstanceNormalization (x, float[4] s, float[4] b)", "'s'.*expected 3"),
    "layer norm": ("LayerNormalization (x, float[4] s)", "'s': expected 8 as the rows, found 4"),
    "slope": ("PRelu (x, float[7] s)", "do not broadcast"),
    "blocks": ("DepthToSpace <blocksize = 2> (x)", "'x': expected .x4.*, found .x3x8x8"),
    "softmax": ("Softmax <axis = 4> (x)", "Softmax.*axis"),
    "log softmax": ("LogSoftmax <axis = -5> (x)", "LogSoftmax.*axis"),
    "sum": ("ReduceMax <axes = [5]> (x)", "ReduceMax.*axis"),
    "cumulative sum": ("CumSum (x, int64 a = {4})", "axis 4 is no dim of 'x'"),
    "index": ("Gather <axis = 1> (x, int64[2] i = {0, 3})", "beyond the 3 places"),
    "element types": ("Add (x, double[8] b)", "Add.*different types"),
    "squeezed": ("Squeeze (x, int64[1] a = {1})", "Squeeze"),
    "split": ("Split <axis = 1> (x, int64[2] a = {2, 2})", "Split"),
}  # fmt: skip


def parsed(node: str) -> onnx.ModelProto:
    """A model of one node; what has a type among its inputs is an input or a constant."""
    operator, operands = node.rstrip(")").split("(")
    typed = re.findall(r"(\w+(?:\[[\d, ]*\])?) (\w)( = \{.*?\})?(?=,|$)", operands)
    names = re.sub(r"\w+(?:\[[\d, ]*\])? (\w)( = \{.*?\})?(?=,|$)", r"\1", operands)
    inputs = [
        "float[n, 3, 8, 8] x",
        *(f"{type_} {name}" for type_, name, data in typed if not data),
    ]
    constants = [f"{type_} {name}{data}" for type_, name, data in typed if data]
    held = f"<{', '.join(constants)}>" if constants else ""
    outputs = "y, z" if operator.startswith("Split") else "y"
    return onnx.parser.parse_model(
        f'<ir_version: 8, opset_import: ["" : {13 if "ReduceMax" in node else 18}]>'
        f"g ({', '.join(inputs)}) => (y) {held} {{ {outputs} = {operator}({names}) }}"
    )


@pytest.mark.parametrize(
    "options", [{}, {"mark_skipped": "none"}, {"fallback": "error"}], ids=["", "none", "error"]
)
@pytest.mark.parametrize("name", TEXTS)
def test_what_onnxruntime_refuses_when_a_node_runs(name: str, options: dict[str, Any]) -> None:
    text, message = TEXTS[name]
    with pytest.raises(CompileError, match=None if "fallback" in options else message):
        snippets_mlir.compile(parsed(text), **options)


def test_a_bias_of_two_dims_beside_weights_of_unknown_size() -> None:
    shapes = {"x": ("n", 3, 8, 8), "w": ("m", 3, 3, 3), "b": (4, 1)}
    node = helper.make_node("Conv", list(shapes), ["y"])
    made = model([node], [value(name, shape) for name, shape in shapes.items()], ["y"])
    with pytest.raises(CompileError, match=r"'b': expected .* beside 'x' of .x3x8x8, found 4x1"):
        snippets_mlir.compile(made)


def test_sizes_that_are_known_are_refused_too() -> None:
    static = parsed(TEXTS["channels"][0])
    static.graph.input[0].type.tensor_type.shape.dim[0].dim_value = 1
    with pytest.raises(CompileError, match=r"'w': expected .x3x"):
        snippets_mlir.compile(static)


@pytest.mark.parametrize(
    "text",
    [
        "Conv <group = 3> (x, float[6, 1, 3, 3] w, float[6] b)",
        "ConvTranspose (x, float[3, 5, 3, 3] w, float[5] b)",
        "LayerNormalization (x, float[8] s, float[1] b)",
        "PRelu (x, float[2, 3, 1, 1] s)",
        "CumSum (x, int64 a = {-4})",
        "Gather <axis = -3> (x, int64[2] i = {2, -3})",
        "InstanceNormalization (x, float[3] s, float[3] b)",
    ],
)
def test_what_fits_runs(text: str) -> None:
    fitting = parsed(text)
    program = snippets_mlir.compile(fitting)
    rng = np.random.default_rng(0)
    feeds = {
        spec.name: rng.random([2 if size is None else size for size in spec.shape or ()])
        for spec in program.inputs
    }
    feeds = {name: array.astype(np.float32) for name, array in feeds.items()}
    engine: Any = onnxruntime
    (expected,) = engine.InferenceSession(fitting.SerializeToString()).run(None, feeds)
    np.testing.assert_allclose(program.run(feeds)["y"], expected, rtol=1e-5, atol=1e-6)
