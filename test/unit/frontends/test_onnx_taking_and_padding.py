"""Gather of constant places and Pad of ONNX against onnxruntime, and what stays with it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from onnx import helper
from onnx_checks import check, ops_of, reasons_of
from onnx_models import model, run_reference, samples, value
from sampled import alternating

import snippets_mlir
from snippets_mlir.driver import MarkSkipped
from snippets_mlir.support.errors import CompileError

MARKS: tuple[MarkSkipped, ...] = ("auto", "none")
F32, F64, I64 = np.float32, np.float64, np.int64
SHAPE = (2, 5, 4)


def gathered(places: Any, axis: int = 1, shape: Sequence[int | str] = SHAPE) -> Any:
    """A Gather of constant places, and a Sin after it."""
    nodes = [
        helper.make_node("Gather", ["x", "i"], ["y"], axis=axis),
        helper.make_node("Sin", ["y"], ["z"]),
    ]
    return model(nodes, [value("x", shape)], ["z"], {"i": np.array(places)})


@pytest.mark.parametrize("dtype", [F32, F64])
@pytest.mark.parametrize(
    ("places", "axis"),
    [
        (0, 0),
        (-1, 1),
        (3, -1),
        ([2], 1),
        ([-1], 2),
        ([1, 2, 3], 1),
        ([4, 2, 0], -2),
        ([0, 1], 0),
        ([-1, -2], 1),
    ],
)
def test_gather_of_constant_places(dtype: Any, places: Any, axis: int):
    x = samples(dtype, 40).reshape(SHAPE)
    for index in (I64, np.int32):
        check("Gather", [x, np.array(places, index)], constants=[1], axis=axis)
    assert ops_of(gathered(places, axis)) == ["snippets.slice", "snippets.sin"]


@pytest.mark.parametrize("places", [[[0], [1]], [[4, 3, 2]], [[0, 1], [2, 3]], [[[2]]]])
@pytest.mark.parametrize("axis", [1, -2])
def test_gather_of_places_of_a_higher_rank(places: Any, axis: int):
    x = samples(F32, 40).reshape(SHAPE)
    check("Gather", [x, np.array(places)], constants=[1], axis=axis)
    ops = ["snippets.slice", "snippets.reshape", "snippets.sin"]
    assert ops_of(gathered(places, axis)) == ops


@pytest.mark.parametrize(
    "places", [[0, 1, 3], [1, 1], [0, 2, 0], [[0, 1], [3, 4]], np.zeros(0, I64)]
)
def test_other_places_stay_with_onnxruntime(places: Any):
    made = gathered(places)
    assert "Gather of" in reasons_of(made)[0]
    x = samples(F32, 40).reshape(SHAPE)
    (found,) = snippets_mlir.compile(made).run({"x": x}).values()
    np.testing.assert_allclose(found, run_reference(made, [x])[0], rtol=1e-6)


def test_places_beyond_the_dim_are_an_error():
    made = gathered([4, 5])
    assert "Gather of places beyond a dim of 5" in reasons_of(made)[0]
    with pytest.raises(CompileError, match="'i' is beyond the 5 places of axis 1"):
        snippets_mlir.compile(made)


def test_places_of_a_call_and_dynamic_dims_stay():
    node = helper.make_node("Gather", ["x", "i"], ["y"], axis=0)
    x = value("x", SHAPE)
    assert "no constant" in reasons_of(model([node], [x, value("i", (), I64)], ["y"]))[0]
    assert "along a dynamic dim" in reasons_of(gathered(0, 0, ("n", 4)))[0]
    integers = model([node], [value("x", SHAPE, I64)], ["y"], {"i": np.array(1)})
    assert "elements of type i64" in reasons_of(integers)[0]


def test_gather_beside_a_dynamic_dim():
    made = gathered(2, 1, ("n", 5, 4))
    program = snippets_mlir.compile(made, mark_skipped="none")
    for rows in (0, 1, 3):
        x = samples(F32, 60).reshape(3, 5, 4)[:rows]
        np.testing.assert_allclose(program(x), np.sin(x[:, 2]), rtol=1e-6)


def test_queries_keys_and_values_of_one_product_need_no_session():
    """`q, k, v = qkv.reshape(n, 3, h, d).transpose(1, 2, 0, 3)`, as models of images have it."""
    nodes = [
        helper.make_node("Reshape", ["x", "s"], ["r"]),
        helper.make_node("Transpose", ["r"], ["t"], perm=[1, 2, 0, 3]),
        *(helper.make_node("Gather", ["t", n], [part], axis=0) for n, part in zip("012", "qkv")),
        helper.make_node("Transpose", ["k"], ["u"], perm=[0, 2, 1]),
        helper.make_node("MatMul", ["q", "u"], ["w"]),
        helper.make_node("Softmax", ["w"], ["p"]),
        helper.make_node("MatMul", ["p", "v"], ["y"]),
    ]
    weights = {"s": np.array([7, 3, 2, 8]), **{n: np.array(int(n)) for n in "012"}}
    made = model(nodes, [value("x", (7, 48))], ["y"], weights)
    program = snippets_mlir.compile(made, mark_skipped="none")
    assert {step["kind"] for step in program.manifest["steps"]} <= {"kernel", "view"}
    x = samples(F32, 7 * 48).reshape(7, 48)
    np.testing.assert_allclose(program(x), run_reference(made, [x])[0], rtol=1e-5, atol=1e-6)


def padded(amounts: Sequence[int], shape: Sequence[int | str] = (2, 3), **attributes: Any) -> Any:
    """A Pad of constant amounts, and a Sin after it."""
    nodes = [
        helper.make_node("Pad", ["x", "p"], ["y"], **attributes),
        helper.make_node("Sin", ["y"], ["z"]),
    ]
    return model(nodes, [value("x", shape)], ["z"], {"p": np.array(amounts)})


@pytest.mark.parametrize("dtype", [F32, F64])
@pytest.mark.parametrize("amounts", [[0, 1, 0, 2], [1, 0, 0, 0], [2, 3, 4, 5], [0, 0, 0, 7]])
def test_pad(dtype: Any, amounts: list[int]):
    x = samples(dtype, 6).reshape(2, 3)
    given = np.array(amounts)
    check("Pad", [x, given], constants=[1])
    for around in (0.0, -0.0, np.nan, -np.inf, 1.5):
        check("Pad", [x, given, np.array(around, dtype)], constants=[1, 2])
    check("Pad", [x], opset=10, pads=amounts, value=2.5)


def test_pad_along_named_axes():
    x = samples(F32, 24).reshape(2, 3, 4)
    for axes in ([2], [-1, 0], [1, 2]):
        amounts = np.arange(1, 2 * len(axes) + 1)
        around = np.array(3, F32)
        check("Pad", [x, amounts, around, np.array(axes)], opset=18, constants=[1, 2, 3])


def test_a_pad_by_nothing_is_no_op():
    assert ops_of(padded([0, 0, 0, 0])) == ["snippets.sin"]
    assert ops_of(padded([0, 0, 0, 0], mode="reflect")) == ["snippets.sin"]
    assert ops_of(padded([0, 0, 0, 0], ("n", "m"))) == ["snippets.sin"]
    assert ops_of(padded([0, 1, 0, 0])) == ["snippets.scalar", "snippets.pad", "snippets.sin"]


def test_other_pads_stay_with_onnxruntime():
    assert "Pad of mode reflect" in reasons_of(padded([0, 1, 0, 1], mode="reflect"))[0]
    assert "takes elements away" in reasons_of(padded([0, -1, 0, 1]))[0]
    assert "Pad of a dynamic dim" in reasons_of(padded([0, 1, 0, 1], ("n", 3)))[0]
    node = helper.make_node("Pad", ["x", "p"], ["y"])
    amounts = value("p", (4,), I64)
    made = model([node], [value("x", (2, 3)), amounts], [value("y", (None, None))])
    assert "pads of Pad are no constant" in reasons_of(made)[0]


@pytest.mark.parametrize(
    ("shape", "mark"), alternating([(0, 3), (1, 1), (2, 0), (0, 0), (2, 3)], MARKS)
)
def test_signs_and_empty_dims(mark: MarkSkipped, shape: tuple[int, int]):
    """A Pad with -0.0, NaN or infinity around, and a Gather of the result, bit by bit."""
    nodes = [
        helper.make_node("Neg", ["x"], ["n"]),
        helper.make_node("Pad", ["n", "p", "v"], ["q"]),
        helper.make_node("Gather", ["q", "i"], ["t"], axis=0),
        helper.make_node("Neg", ["t"], ["y"]),
    ]
    x = np.zeros(shape, F32)
    for around in (-0.0, np.nan, np.inf):
        weights = {"p": np.array([1, 0, 0, 2]), "v": np.array(around, F32), "i": np.array(0)}
        made = model(nodes, [value("x", shape)], ["y", "q"], weights)
        found = snippets_mlir.compile(made, mark_skipped=mark).run({"x": x})
        for one, wanted in zip(found.values(), run_reference(made, [x]), strict=True):
            assert one.shape == wanted.shape
            np.testing.assert_array_equal(one, wanted)
            signs = ~np.isnan(wanted)
            np.testing.assert_array_equal(np.signbit(one)[signs], np.signbit(wanted)[signs])
