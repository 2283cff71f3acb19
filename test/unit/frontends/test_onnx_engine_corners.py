"""Corners of operators in which kernels give what onnxruntime gives, shape and type included.

Random models found them (`test/fuzz/test_random_onnx_models.py`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import parser
from sampled import sampled

import snippets_mlir
from snippets_mlir.support.errors import CompileError

ENGINE: Any = onnxruntime
LARGEST = (1 << 63) - 1


def parsed(text: str, opset: int) -> onnx.ModelProto:
    return parser.parse_model(f'<ir_version: 8, opset_import: ["" : {opset}]>\n{text}')


def check(text: str, opset: int, *calls: dict[str, Any], **options: Any) -> None:
    """Every kernel that is possible gives what onnxruntime gives, call after call."""
    model = parsed(text, opset)
    quiet = ENGINE.SessionOptions()
    quiet.log_severity_level = 4
    session = ENGINE.InferenceSession(
        model.SerializeToString(), quiet, providers=["CPUExecutionProvider"]
    )
    names = [output.name for output in model.graph.output]
    program = snippets_mlir.compile(model, num_threads=1, mark_skipped="none", **options)
    for call in calls:
        found = program.run(call)
        for name, wanted in zip(names, session.run(names, call), strict=True):
            assert found[name].dtype == wanted.dtype, name
            assert found[name].shape == wanted.shape, name
            np.testing.assert_allclose(found[name], wanted, rtol=1e-5, atol=1e-6)


def floats(*shape: int) -> np.ndarray[Any, np.dtype[np.float32]]:
    return np.asarray(np.arange(np.prod(shape)).reshape(shape) / 4 - 2, np.float32)


SLICE = """g (float[{rows}, 3] x) => (float[p, q] y, float[p, q] z)
<int64[1] s = {{{start}}}, int64[1] e = {{{end}}}, int64[1] a = {{0}}, int64[1] t = {{{step}}}> {{
    w = Tanh (x)
    y = Slice (w, s, e, a, t)
    z = Tanh (y)
}}"""


SLICES = [
    (0, LARGEST, -1), (-1, LARGEST, -2), (2, (1 << 31) - 1, -1), (-9, -99, -1), (-9, 1, 1),
    (3, LARGEST - 1, -1), (-1, -LARGEST, -1), (2, 0, -1), (99, 99, 1),
]  # fmt: skip


@pytest.mark.parametrize(
    ("rows", "start", "end", "step"), sampled([(r, *s) for r in (1, 4) for s in SLICES], 2)
)
def test_bounds_of_a_slice_are_clamped_as_by_onnxruntime(
    rows: int, start: int, end: int, step: int
) -> None:
    text = SLICE.format(rows=rows, start=start, end=end, step=step)
    check(text, 13, {"x": floats(rows, 3)})


@pytest.mark.parametrize("axes", ["2, 0", "-1, 0", "1, -3", "0, 1"])
def test_the_bounds_of_a_slice_belong_to_the_axes_in_their_order(axes: str) -> None:
    text = f"""g (float[4, 4, 4] x) => (float[p, q, r] y)
    <int64[2] s = {{1, -1}}, int64[2] e = {{3, -9}},
     int64[2] a = {{{axes}}}, int64[2] t = {{1, -2}}> {{
        w = Tanh (x)
        z = Slice (w, s, e, a, t)
        y = Tanh (z)
    }}"""
    check(text, 13, {"x": floats(4, 4, 4)})


def test_slices_of_constants_have_the_same_bounds() -> None:
    text = """g (float[n, 2, 3] x) => (float[p, q] y)
    <int64[1] s = {0}, int64[1] e = {9223372036854775807}, int64[1] a = {0}, int64[1] t = {-1},
     int64[1] rest = {-1}> {
        size = Shape (x)
        first = Slice (size, s, e, a, t)
        shape = Concat <axis = 0> (first, rest)
        w = Reshape (x, shape)
        y = Tanh (w)
    }"""
    check(text, 13, {"x": floats(2, 2, 3)}, {"x": floats(1, 2, 3)})


def test_a_slice_of_no_elements_that_goes_down_has_none() -> None:
    text = """g (float[2, n] x) => (float[p, q] y)
    <int64[1] s = {-1}, int64[1] e = {-9223372036854775808}, int64[1] a = {1}, int64[1] t = {-1}> {
        w = Slice (x, s, e, a, t)
        y = Tanh (w)
    }"""
    check(text, 18, {"x": floats(2, 3)}, {"x": floats(2, 0)}, {"x": floats(2, 1)})


@pytest.mark.parametrize("shape", [(2, 3), (1, 3), (1, 1)])
def test_a_squeeze_of_an_empty_list_drops_all_ones(shape: tuple[int, int]) -> None:
    for dims in ("n, m", f"{shape[0]}, {shape[1]}"):
        text = f"""g (float[{dims}] x) => (y) <int64[0] a = {{}}> {{
            w = Squeeze (x, a)
            y = Tanh (w)
        }}"""
        check(text, 14, {"x": floats(*shape)}, {"x": floats(*shape)})


def test_the_slope_of_prelu_may_be_larger_than_its_input() -> None:
    text = """g (float[1, 3] x, float[2, 1, 3] s) => (y) {
        w = PRelu (x, s)
        y = Tanh (w)
    }"""
    check(text, 16, {"x": floats(1, 3), "s": floats(2, 1, 3)})


@pytest.mark.parametrize("trips", [0, 2])
def test_a_loop_without_rounds_stacks_what_onnxruntime_says(trips: int) -> None:
    text = """g (float[n, 3] x, int64 trips) => (w, y) {
        v, z = Loop <body = body (int64 i, bool c, float[] a) => (bool d, float[] b, float[] e) {
            d = Identity (c)
            b = Add (a, x)
            e = Neg (b)
        }> (trips, , x)
        w = Tanh (v)
        y = Tanh (z)
    }"""
    check(text.replace("trips, ,", 'trips, "",'), 13, {"x": floats(2, 3), "trips": np.array(trips)})


@pytest.mark.parametrize("opset", [10, 13])
def test_the_mask_of_a_dropout_is_that_of_its_version(opset: int) -> None:
    check("g (float[2, 3] x) => (float[2, 3] y, bool[2, 3] m) { y, m = Dropout (x) }", opset,
          {"x": floats(2, 3)})  # fmt: skip


def test_a_transpose_of_rank_0_is_planned() -> None:
    text = "g (float x) => (float y) { w = Sigmoid (x) y = Transpose (w) }"
    program = snippets_mlir.compile(parsed(text, 21), num_threads=1)
    np.testing.assert_allclose(program.run({"x": np.float32(0)})["y"], 0.5)
    check(text, 21, {"x": np.array(1.5, np.float32)})


def test_what_a_refused_node_made_is_no_use_of_its_inputs() -> None:
    text = "g (int64 x, float[n] u) => (int64 y) { y = ReduceLogSum (x) }"
    check(text, 7, {"x": np.array(3), "u": floats(2)})


@pytest.mark.parametrize(
    ("kernel", "stride", "ceil"),
    sampled([(*k, c) for k in ((2, 1), (2, 2), (3, 2), (3, 3), (4, 2), (4, 3)) for c in (0, 1)], 2),
)
def test_a_window_that_is_larger_than_its_tensor(kernel: int, stride: int, ceil: int) -> None:
    text = f"""g (float[2, 3, 1] x) => (y) {{
        w = MaxPool <kernel_shape = [{kernel}], strides = [{stride}], ceil_mode = {ceil}> (x)
        y = Tanh (w)
    }}"""
    check(text, 12, {"x": floats(2, 3, 1)})


@pytest.mark.parametrize("kind", [9, 6])
def test_casts_of_constants_that_are_no_integers(kind: int) -> None:
    text = f"""g (float[5] x) => (y) <float[5] c = {{2, 0.5, -0.5, 0, -1.5}}> {{
        z = Cast <to = {kind}> (c)
        q = Cast <to = {kind}> (x)
        y = {"Or" if kind == 9 else "Add"} (z, q)
    }}"""
    check(text, 14, {"x": np.zeros(5, np.float32)})


@pytest.mark.parametrize(
    ("text", "opset"),
    [
        ("g (float[2] x) => (float[2] y) { w = ThresholdedRelu (x) y = Tanh (w) }", 9),
        ("g (float[n] x) => (y) { c = Constant <value_float = 2.0> () y = Mul (x, c) }", 11),
    ],
)
def test_what_onnx_refuses_and_onnxruntime_loads_has_kernels(text: str, opset: int) -> None:
    check(text, opset, {"x": floats(2)})
    with pytest.raises(CompileError, match="not a valid ONNX model"):
        snippets_mlir.compile(parsed(text, opset), num_threads=1, fallback="error")


def test_what_both_refuse_is_an_error_of_onnx() -> None:
    model = parsed("g (float[2] x) => (float[2] y) { y = Relu (nobody) }", 13)
    with pytest.raises(CompileError, match="nobody"):
        snippets_mlir.compile(model, num_threads=1, mark_skipped="none")


@pytest.mark.parametrize(
    ("rows", "partitioner"),
    sampled([("n", "tokenize"), ("0", "tokenize"), ("0", "fuse-ops"), ("n", "fuse-ops")], 2),
)
def test_the_mean_of_no_elements(rows: str, partitioner: str) -> None:
    text = f"""g (float[{rows}, 2] x) => (y, z) {{
        w = ReduceMean <axes = [0]> (x)
        y = Tanh (w)
        z = Tanh (x)
    }}"""
    calls = [{"x": floats(size, 2)} for size in ((0, 3, 1, 0) if rows == "n" else (0,))]
    check(text, 13, *calls, partitioner=partitioner)
    check(text, 13, *calls, partitioner=partitioner, fallback="error")
