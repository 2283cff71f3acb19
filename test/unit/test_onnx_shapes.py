"""Shapes that are inferred with symbols, against those that onnxruntime finds."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import TensorProto, parser
from shape_truth import mistakes, unknown

from snippets_mlir.frontend.onnx import import_model, prepare_model
from snippets_mlir.frontend.onnx.shapes import infer_shapes, symbol

HEADER = '<ir_version: 8, opset_import: ["" : 17]>\n'


def _model(text: str) -> onnx.ModelProto:
    return parser.parse_model(HEADER + text)


# Each ends in a value of known shape, though ONNX's inference leaves one unknown.
PATTERNS = {
    "range of a squeezed size": """
        g (int64[b, s] x) => (int64[n] y) {
            shape = Shape (x)
            one = Constant <value_ints = [1]> ()
            size = Gather <axis = 0> (shape, one)
            limit = Squeeze (size)
            start = Constant <value_int = 0> ()
            step = Constant <value_int = 1> ()
            y = Range (start, limit, step)
        }""",
    "slice of a buffer": """
        g (float[b, s, 8] x) => (float[b, n, 8] y)
        <float[1, 64, 8] buffer> {
            shape = Shape <start = 1, end = 2> (x)
            zero = Constant <value_ints = [0]> ()
            one = Constant <value_ints = [1]> ()
            part = Slice (buffer, zero, shape, one)
            y = Add (x, part)
        }""",
    "where of equal into expand": """
        g (float[1, s] x, int64[b] k) => (float[m, n] y) {
            count = Shape (k)
            length = Shape <start = 1> (x)
            minus = Constant <value_ints = [-1, -1]> ()
            wanted = Concat <axis = 0> (count, length)
            ones = ConstantOfShape <value = int64[1] {1}> (two)
            two = Constant <value_ints = [2]> ()
            same = Equal (wanted, minus)
            chosen = Where (same, ones, wanted)
            y = Expand (x, chosen)
        }""",
    "range of a converted size": """
        g (int64[b, s] x) => (float[n] y) {
            shape = Shape (x)
            one = Constant <value_int = 1> ()
            size = Gather <axis = 0> (shape, one)
            limit = Cast <to = 1> (size)
            start = Constant <value_float = 0.0> ()
            step = Constant <value_float = 1.0> ()
            y = Range (start, limit, step)
        }""",
    "topk of a computed number": """
        g (float[b, s] x) => (float[b, n] y, int64[b, n] i) {
            size = Shape <start = 1> (x)
            two = Constant <value_ints = [2]> ()
            k = Div (size, two)
            y, i = TopK (x, k)
        }""",
    "heads": """
        g (float[b, s, 24] x) => (float[b, 4, s, 6] y) {
            shape = Shape <end = 2> (x)
            heads = Constant <value_ints = [4, -1]> ()
            wanted = Concat <axis = 0> (shape, heads)
            z = Reshape (x, wanted)
            y = Transpose <perm = [0, 2, 1, 3]> (z)
        }""",
    "padding of a computed amount": """
        g (float[1, 1, t] x) => (float[1, 1, n] y) {
            size = Shape <start = 2> (x)
            eight = Constant <value_ints = [8]> ()
            rest = Mod (size, eight)
            missing = Sub (eight, rest)
            zeros = Constant <value_ints = [0, 0, 0, 0, 0]> ()
            pads = Concat <axis = 0> (zeros, missing)
            y = Pad (x, pads)
        }""",
}


def _feeds(model: onnx.ModelProto, sizes: dict[str, int]) -> dict[str, np.ndarray]:
    feeds: dict[str, np.ndarray] = {}
    for info in model.graph.input:
        if info.name in {t.name for t in model.graph.initializer}:
            continue
        tensor = info.type.tensor_type
        shape = [d.dim_value or sizes[d.dim_param] for d in tensor.shape.dim]
        dtype = np.float32 if tensor.elem_type == TensorProto.FLOAT else np.int64
        feeds[info.name] = np.ones(shape, dtype)
    return feeds


def _given(model: onnx.ModelProto) -> onnx.ModelProto:
    """`model` with its declared initializers filled, and constants before their readers."""
    for info in list(model.graph.value_info):
        if not any(info.name in node.output for node in model.graph.node):
            dims = [d.dim_value for d in info.type.tensor_type.shape.dim]
            array = np.ones(dims, np.float32)
            model.graph.initializer.append(onnx.numpy_helper.from_array(array, info.name))
    nodes = sorted(model.graph.node, key=lambda n: n.op_type != "Constant")
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    return model


@pytest.mark.parametrize("name", PATTERNS)
def test_patterns_of_exporters(name: str) -> None:
    model = _given(_model(PATTERNS[name]))
    inferred = infer_shapes(model)
    assert unknown(model, inferred) == []
    for b, s in ((2, 5), (3, 16), (7, 9)):
        feeds = _feeds(model, {"b": b, "s": s, "t": s})
        assert mistakes(model, feeds, inferred) == []


def test_symbols_and_equalities() -> None:
    model = _model("""
        g (float[n, ?] x, float[n, k] y, float[?, 4] z) => (float[m, 4] r) {
            a = Add (x, y)
            r = MatMul (a, z)
        }""")
    inferred = infer_shapes(model)
    n, k = symbol("n"), symbol("x.1")
    assert inferred.symbols == {
        "n": ("x", 0),
        "x.1": ("x", 1),
        "y.0": ("y", 0),
        "k": ("y", 1),
        "z.0": ("z", 0),
    }
    assert inferred.equalities == ((n, symbol("y.0")), (k, symbol("k")), (k, symbol("z.0")))
    assert inferred.types["r"].shape == (n, 4)
    assert inferred.types["z"].shape == (k, 4)
    feeds = {"x": np.ones((3, 1)), "y": np.ones((3, 5)), "z": np.ones((5, 4))}
    floats = {k: v.astype(np.float32) for k, v in feeds.items()}
    assert mistakes(model, floats, inferred) is None, "the sizes are not equal: 1 is broadcast"


def test_nothing_is_assumed_when_asked():
    model = _model("""
        g (float[n, k] x, float[n, 5] y) => (float[m, l] r) {
            a = Relu (x)
            b = Add (a, y)
            r = Concat <axis = 1> (b, y)
        }""")
    assumed, certain = infer_shapes(model), infer_shapes(model, assume=False)
    assert assumed.types["a"].shape == (symbol("n"), 5), "k is 5, or 1 where it is broadcast"
    assert certain.types["a"].shape == (symbol("n"), symbol("k"))
    assert certain.equalities == ()
    assert certain.types["r"].shape == (symbol("y.0"), 10)


def test_sizes_of_a_prepared_model():
    """One prepared model serves imports with and without numbers for its expressions."""
    model = _given(_model(PATTERNS["slice of a buffer"]))
    prepared = prepare_model(model)
    dynamic = str(import_model(prepared))
    assert "tensor<?x?x8xf32>" in dynamic
    numbers = {"b": 101, "s": 103}
    placed = str(import_model(prepared, sizes=lambda size: size.evaluate(numbers)))
    assert "tensor<101x103x8xf32>" in placed
    assert "dense<103>" not in placed, "a number that stands for a size is no constant"
