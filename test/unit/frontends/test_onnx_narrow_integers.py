"""Elementwise operators and casts of narrow integers: in kernels, with NumPy's results."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper
from onnx_models import run_reference, single
from sampled import sampled

import snippets_mlir
from snippets_mlir.frontends.onnx import import_model

TYPES: dict[str, Any] = {
    "i8": np.int8,
    "ui8": np.uint8,
    "i16": np.int16,
    "ui16": np.uint16,
    "ui32": np.uint32,
}


def truncated(x: Any, y: Any) -> Any:
    return np.trunc(x / y.astype(np.float64)).astype(np.int64).astype(x.dtype)


def rectified(x: Any) -> Any:
    return np.maximum(x, 0)


SIGNED, UNSIGNED = ("i8", "i16"), ("ui8", "ui16", "ui32")
BINARY: dict[str, Any] = {
    "Add": np.add,
    "Sub": np.subtract,
    "Mul": np.multiply,
    "Max": np.maximum,
    "Min": np.minimum,
    "Div": truncated,
    "Mod": np.mod,
    "Less": np.less,
    "GreaterOrEqual": np.greater_equal,
    "Equal": np.equal,
    "BitwiseAnd": np.bitwise_and,
    "BitwiseXor": np.bitwise_xor,
}
UNARY: dict[str, Any] = {
    "Abs": np.abs,
    "Neg": np.negative,
    "Sign": np.sign,
    "Relu": rectified,
    "BitwiseNot": np.invert,
}


def numbers(name: str) -> Any:
    """Pairs of limits, neighbours of powers of two, and random numbers, without 0 on the right."""
    limits = np.iinfo(TYPES[name])
    some = [0, 1, 2, 7, limits.max, limits.max - 1, limits.min, limits.min + 1, limits.max // 2 + 1]
    drawn = np.random.default_rng(3).integers(limits.min, limits.max, 20, endpoint=True)
    every = np.array([*some, *drawn.tolist()]).astype(TYPES[name])
    x, y = (v.reshape(-1) for v in np.meshgrid(every, every))
    return x, np.where(y == 0, 3, y).astype(x.dtype)


def kernel_of(made: onnx.ModelProto) -> Any:
    """The program of a model, which is one kernel."""
    assert "onnx.node" not in str(import_model(made))
    program = snippets_mlir.compile(made, mark_skipped="none")
    assert len(program.kernels) == 1
    assert not program.opaque
    return program


@pytest.mark.parametrize(("operator", "name"), sampled([(o, n) for o in BINARY for n in TYPES], 12))
def test_operators_of_two(operator: str, name: str):
    x, y = numbers(name)
    wanted = BINARY[operator](x, y)
    found = kernel_of(single(operator, [x, y]))(x, y)
    assert found.dtype == wanted.dtype
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize(
    ("operator", "name"),
    sampled([(o, n) for o in UNARY for n in TYPES if n in SIGNED or o in ("Abs", "BitwiseNot")], 6),
)
def test_operators_of_one(operator: str, name: str):
    x, _ = numbers(name)
    wanted = UNARY[operator](x)
    found = kernel_of(single(operator, [x]))(x)
    assert found.dtype == wanted.dtype
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("name", UNSIGNED)
@pytest.mark.parametrize("direction", ["LEFT", "RIGHT"])
def test_shifts_of_any_amount(direction: str, name: str):
    x, amounts = numbers(name)
    bits = np.dtype(TYPES[name]).itemsize * 8
    exact = [int(a) << int(n) if int(n) < bits else 0 for a, n in zip(x, amounts, strict=True)]
    if direction == "RIGHT":
        exact = [int(a) >> int(n) for a, n in zip(x, amounts, strict=True)]
    wanted = np.array([v % (1 << bits) for v in exact], np.uint64).astype(x.dtype)
    found = kernel_of(single("BitShift", [x, amounts], direction=direction))(x, amounts)
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("name", TYPES)
def test_choices_and_limits(name: str):
    x, y = numbers(name)
    chosen = x > y
    found = kernel_of(single("Where", [chosen, x, y]))(chosen, x, y)
    wanted = y.copy()
    wanted[chosen] = x[chosen]
    np.testing.assert_array_equal(found, wanted)
    if name == "ui32":
        return
    low, high = np.array(3, x.dtype), np.array(100, x.dtype)
    made = single("Clip", [x, low, high], constants=(1, 2))
    np.testing.assert_array_equal(kernel_of(made)(x), np.clip(x, low, high))


EVERY: dict[str, Any] = {
    **TYPES,
    "i1": np.bool_,
    "i32": np.int32,
    "i64": np.int64,
    "f16": np.float16,
    "f32": np.float32,
    "f64": np.float64,
}
PAIRS = [(a, b) for a in EVERY for b in EVERY if a != b and {a, b} & {*TYPES, "f16"}]


@pytest.mark.parametrize(("source", "target"), sampled(PAIRS, 24))
def test_casts(source: str, target: str):
    """As NumPy and onnxruntime convert numbers that are in the range of the result."""
    dtype, result = np.dtype(EVERY[source]), np.dtype(EVERY[target])
    if source in TYPES:
        x = numbers(source)[0]
    elif dtype.kind == "f":
        special = [np.nan, np.inf, -np.inf, 6e-8, 2.0**-25, 65504, 65519, 65520, -65520]
        special = special if result.kind in "fb" else []
        with np.errstate(over="ignore"):
            x = np.array([*special, 0.0, -0.0, 0.5, 1.5, 2.5, 99.99, 126.9, 1e-3]).astype(dtype)
        if target not in UNSIGNED:
            x = np.concatenate([x, -x])
    else:
        x = np.array([0, 1, 127, 128, 255, 256, 2049, 65504, 65519, 65520, -1, -129]).astype(dtype)
    code = helper.np_dtype_to_tensor_dtype(result)
    with np.errstate(all="ignore"):
        wanted = x.astype(result)
    found = kernel_of(single("Cast", [x], to=code))(x)
    assert found.dtype == wanted.dtype
    np.testing.assert_array_equal(found, wanted)
    if result.kind == "f":
        finite = ~np.isnan(wanted)
        np.testing.assert_array_equal(np.signbit(found[finite]), np.signbit(wanted[finite]))


def test_others_say_why_they_stay():
    x = np.arange(8).astype(np.uint64)
    assert "ui64 are not compiled" in str(import_model(single("Add", [x, x])))
    x = x.astype(np.int8).reshape(2, 4)
    assert "Transpose of i8 is not compiled" in str(import_model(single("Transpose", [x])))


def test_a_large_constant_is_converted_when_the_session_loads():
    """A kernel would convert the weight in each call."""
    weight = np.random.default_rng(0).integers(-128, 127, (512, 256)).astype(np.int8)
    nodes = [
        helper.make_node("Cast", ["w"], ["c"], to=onnx.TensorProto.FLOAT),
        helper.make_node("Add", ["x", "c"], ["y"]),
    ]
    x, y = (helper.make_tensor_value_info(n, 1, [512, 256]) for n in "xy")
    graph = helper.make_graph(nodes, "g", [x], [y], [numpy_helper.from_array(weight, "w")])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    assert "a large constant that onnxruntime converts" in str(import_model(made))
    x = np.ones((512, 256), np.float32)
    np.testing.assert_array_equal(snippets_mlir.compile(made)(x), x + weight)


@pytest.mark.parametrize("name", ["i8", "ui8", "i16", "ui16"])
def test_casts_of_floats_out_of_range_are_those_of_onnxruntime(name: str):
    x = np.array(
        [300, -1, -129, 255.9, 65536, 70000, 3e9, -3e9, np.nan, np.inf, -np.inf], np.float32
    )
    made = single("Cast", [x], to=helper.np_dtype_to_tensor_dtype(np.dtype(TYPES[name])))
    np.testing.assert_array_equal(kernel_of(made)(x), run_reference(made, [x])[0])
