"""Concat, Slice and Split of ONNX against onnxruntime, and a decoder's step with a cache."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper
from onnx_checks import check, ops_of, reasons_of
from onnx_models import model, run_reference, samples, single, value

import snippets_mlir

F32, F64, I64 = np.float32, np.float64, np.int64


@pytest.mark.parametrize("dtype", [F32, F64])
def test_concat(dtype: Any):
    x = samples(dtype, 24).reshape(2, 3, 4)
    for axis in (0, 1, 2, -1):
        check("Concat", [x, x + 1], axis=axis)
    check("Concat", [x], axis=1)
    check("Concat", [x, x[:, :1], x[:, :0], x[:, 1:]], axis=1)


def test_split():
    x = samples(F32, 42).reshape(2, 3, 7)
    for version in (11, 13):
        given: list[Any] = [x] if version == 11 else [x, np.array([1, 0, 2])]
        names: dict[str, Any] = {"split": [1, 0, 2]} if version == 11 else {}
        check("Split", given, opset=version, outputs=3, constants=[1], axis=1, **names)
    check("Split", [x], opset=11, outputs=3, axis=-2)
    check("Split", [x], opset=13, outputs=1)
    for count in (1, 3, 4):  # 7 in 4 parts are 2, 2, 2 and 1
        check("Split", [x], outputs=count, axis=2, num_outputs=count)


@pytest.mark.parametrize(
    "bounds",
    [
        ([1], [3], [1], [1]),
        ([-2], [99], [2], [1]),
        ([0, 1], [2, -1], [0, 2], [1, 2]),
        ([4], [-99], [2], [-1]),
        ([5], [1], [2], [-2]),
        ([2], [2], [1], [1]),
        ([9], [11], [1], [1]),
    ],
)
def test_slice(bounds: Sequence[list[int]]):
    x = samples(F32, 42).reshape(2, 3, 7)
    check("Slice", [x, *map(np.array, bounds)], constants=[1, 2, 3, 4])
    if bounds[3] == [1]:
        starts, ends, axes, _ = bounds
        check("Slice", [x], opset=9, starts=starts, ends=ends, axes=axes)


def test_slices_of_the_first_dims():
    x = samples(F32, 42).reshape(2, 3, 7)
    check("Slice", [x, np.array([1, 1]), np.array([2, 3])], constants=[1, 2])


def test_what_stays_with_onnxruntime():
    x, n = samples(F32, 24).reshape(2, 3, 4), np.array([1])
    f32 = [value("x", x.shape)]
    bounds = [value(name, (1,), I64) for name in ("s", "e")]
    slicing = helper.make_node("Slice", ["x", "s", "e"], ["y"])
    assert (
        "starts of Slice are no constant"
        in reasons_of(model([slicing], [*f32, *bounds], [value("y", (None, 3, 4))]))[0]
    )
    dynamic = [value("x", ["n", 4])]
    along = helper.make_node("Slice", ["x", "s", "e"], ["y"])
    made = model([along], dynamic, ["y"], {"s": n, "e": n + 1})
    assert "along a dynamic dim" in reasons_of(made)[0]
    integers = [value("x", (3,), I64)]
    join = helper.make_node("Concat", ["x", "x"], ["y"], axis=0)
    assert "elements of type i64" in reasons_of(model([join], integers, ["y"]))[0]
    many = helper.make_node("Concat", ["x"] * 17, ["y"], axis=0)
    assert "17 parts, above 16" in reasons_of(model([many], f32, ["y"]))[0]


def test_a_slice_beside_a_dynamic_dim():
    node = helper.make_node("Slice", ["x", "s", "e", "a"], ["y"])
    weights = {"s": np.array([1]), "e": np.array([3]), "a": np.array([1])}
    made = model([node], [value("x", ["n", 4])], ["y"], weights)
    assert ops_of(made) == ["snippets.slice"]
    x = samples(F32, 20).reshape(5, 4)
    m = snippets_mlir.compile(made, mark_skipped="none")
    np.testing.assert_array_equal(m(x), x[:, 1:3])
    np.testing.assert_array_equal(m(x[:0]), x[:0, 1:3])


def sliced(shape: Sequence[int | str], end: int, start: int = 0, step: int = 1) -> list[str]:
    """The ops of a Slice along the first dim."""
    node = helper.make_node("Slice", ["x", "s", "e", "a", "t"], ["y"])
    given = {"s": start, "e": end, "a": 0, "t": step}
    weights = {name: np.array([number]) for name, number in given.items()}
    nodes = [node, helper.make_node("Sin", ["y"], ["z"])]
    return ops_of(model(nodes, [value("x", shape)], ["z"], weights))


@pytest.mark.parametrize(
    ("shape", "end"),
    [
        ((7, 4), 7),
        ((7, 4), 1000),
        (("n", 4), (1 << 63) - 1),
        (("n", 512, 512), 1_000_000_000),  # a petabyte
        (("n", "m"), (1 << 63) - 1),
    ],
)
def test_a_slice_of_every_element_is_no_op(shape: Sequence[int | str], end: int):
    assert sliced(shape, end) == ["snippets.sin"]


@pytest.mark.parametrize(
    ("shape", "end", "start", "step"),
    [
        ((7, 4), 6, 0, 1),
        ((7, 4), 7, 1, 1),
        ((7, 4), 7, 0, 2),
        ((7, 4), -1, 0, 1),
        (("n", 4), (1 << 31) - 1, 0, 1),  # it may have more rows of 16 bytes
        (("n", "m", 512), (1 << 31) - 1, 0, 1),  # and any number of rows of no elements
        (("n", 0), (1 << 47), 0, 1),
    ],
)
def test_other_slices_are_ops(shape: Sequence[int | str], end: int, start: int, step: int):
    assert len(sliced(shape, end, start, step)) == 2


def test_a_slice_of_every_element_in_a_model():
    x = samples(F32, 24).reshape(2, 3, 4)
    for end in (3, 99, (1 << 31) - 1, (1 << 63) - 1):
        check(
            "Slice",
            [x, np.array([0, 0]), np.array([end, 9]), np.array([1, 0])],
            constants=[1, 2, 3],
        )
    check("Slice", [x.astype(I64), np.array([0]), np.array([9])], constants=[1, 2])
    node = helper.make_node("Slice", ["x", "s", "e"], ["y"])
    nodes = [node, helper.make_node("Relu", ["y"], ["z"])]
    weights = {"s": np.array([0]), "e": np.array([1_000_000_000])}
    made = model(nodes, [value("x", ["n", 512, 512])], ["z"], weights)
    m = snippets_mlir.compile(made, mark_skipped="none")
    for n in (2, 1, 0, 3):
        x = samples(F32, 3 << 18).reshape(3, 512, 512)[:n]
        np.testing.assert_array_equal(m(x), np.maximum(x, 0))
    assert ops_of(made) == ["snippets.relu"]


def decoder_step(heads: int = 3, size: int = 8, length: int | str = "past") -> onnx.ModelProto:
    """One token of an attention whose keys and values are appended to caches."""
    rng = np.random.default_rng(0)
    width = heads * size
    weights: dict[str, Any] = {
        "w": rng.standard_normal((width, 3 * width)).astype(F32) / 4,
        "o": rng.standard_normal((width, width)).astype(F32) / 4,
        "heads": np.array([1, 1, heads, size]),
        "flat": np.array([1, width]),
        "scale": np.float32(size**-0.25),
        "minus": np.array([-1]),
        "each": np.array([heads, size]),
        "one": np.array([1]),
    }
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["qkv"]),
        helper.make_node("Split", ["qkv"], ["q", "k", "v"], axis=1, num_outputs=3),
    ]
    for name in "qkv":
        nodes.append(helper.make_node("Reshape", [name, "heads"], [f"{name}1"]))
        nodes.append(helper.make_node("Transpose", [f"{name}1"], [f"{name}2"], perm=[0, 2, 1, 3]))
    for name in "kv":
        nodes.append(helper.make_node("Concat", [f"{name}0", f"{name}2"], [f"{name}3"], axis=2))
    nodes += [
        helper.make_node("Shape", ["k3"], ["sizes"]),
        helper.make_node("Slice", ["sizes", "two", "three"], ["length"]),
        helper.make_node("Concat", ["h", "minus", "s"], ["rows"], axis=0),
        helper.make_node("Reshape", ["k3", "rows"], ["k4"]),
        helper.make_node("Transpose", ["k4"], ["k5"], perm=[0, 2, 1]),
        helper.make_node("Concat", ["one", "h", "s", "length"], ["back"], axis=0),
        helper.make_node("Reshape", ["k5", "back"], ["k6"]),
        helper.make_node("Mul", ["q2", "scale"], ["q7"]),
        helper.make_node("Mul", ["k6", "scale"], ["k7"]),
        helper.make_node("MatMul", ["q7", "k7"], ["scores"]),
        helper.make_node("Softmax", ["scores"], ["p"], axis=-1),
        helper.make_node("MatMul", ["p", "v3"], ["a"]),
        helper.make_node("Transpose", ["a"], ["a1"], perm=[0, 2, 1, 3]),
        helper.make_node("Reshape", ["a1", "flat"], ["a2"]),
        helper.make_node("MatMul", ["a2", "o"], ["b"]),
        helper.make_node("Add", ["b", "x"], ["y"]),
    ]
    weights |= {"two": np.array([2]), "three": np.array([3]), "h": np.array([heads])}
    weights |= {"s": np.array([size])}
    caches = [value(f"{name}0", (1, heads, length, size)) for name in "kv"]
    outputs = [value("y", (1, width))]
    outputs += [
        helper.make_tensor_value_info(f"{n}3", TensorProto.FLOAT, (1, heads, "total", size))
        for n in "kv"
    ]
    return model(nodes, [value("x", (1, width)), *caches], outputs, weights)


@pytest.mark.parametrize("heads", [1, 3])
def test_a_step_of_a_decoder_is_kernels_alone(heads: int):
    """Caches grow by a token in each call, from an empty one on."""
    made = decoder_step(heads)
    m = snippets_mlir.compile(made, mark_skipped="none", num_threads=2)
    rng = np.random.default_rng(1)
    caches = [np.zeros((1, heads, 0, 8), F32)] * 2
    for _ in range(8):
        x = rng.standard_normal((1, 8 * heads)).astype(F32)
        wanted = run_reference(made, [x, *caches])
        found = m.run({"x": x, "k0": caches[0], "v0": caches[1]})
        for one, other in zip(found.values(), wanted, strict=True):
            np.testing.assert_allclose(one, other, 1e-4, 1e-5)
        caches = wanted[1:]
    assert not [op for op, _, _ in m.opaque if "Concat" in op or "Split" in op]
    assert {step["kind"] for step in m.manifest["steps"]} <= {"kernel", "view"}


def test_parts_of_any_batch_that_the_caller_alone_reads():
    node = helper.make_node("Split", ["x"], ["a", "b"], axis=1, num_outputs=2)
    made = model([node], [value("x", ["n", 6])], ["a", "b"])
    choices: list[dict[str, Any]] = [{}, {"mark_skipped": "none"}]
    for settings in choices:
        m = snippets_mlir.compile(made, **settings)
        for rows in (3, 1, 5, 0):
            x = samples(F32, 6 * rows).reshape(rows, 6) if rows else np.zeros((0, 6), F32)
            for found, wanted in zip(m(x), np.split(x, 2, axis=1), strict=True):
                np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("dtype", [F32, F64, np.int32, np.int64])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_cumulative_sums(dtype: Any, axis: int):
    x = samples(dtype, 42).reshape(2, 3, 7)
    for opset in (11, 14):
        check("CumSum", [x, np.array(axis)], constants=[1], opset=opset)
    for exclusive, reverse in ((1, 0), (0, 1), (1, 1)):
        for given in (x, x[:, :1], x[:, :, :0]):
            ways = {"exclusive": exclusive, "reverse": reverse}
            check("CumSum", [given, np.array([axis])], constants=[1], **ways)


def test_cumulative_sums_of_integers_wrap():
    for dtype in (np.int32, np.int64):
        limits = np.iinfo(dtype)
        x = np.array([[limits.max, 1, limits.min, 5], [7, limits.max, limits.max, 1]], dtype)
        check("CumSum", [x, np.array(1)], constants=[1])


def test_cumulative_sums_that_stay_with_onnxruntime():
    x = samples(F32, 42).reshape(6, 7)
    reasons = reasons_of(single("CumSum", [x, np.array(1)]))
    assert reasons == ['"the axis of CumSum is no constant"']
