"""Products of one-hot rows with constants, which read rows of the constant, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx import TensorProto, helper, numpy_helper
from sampled import sampled

import snippets_mlir

Array = np.ndarray[Any, Any]

DTYPES = {"f32": np.float32, "f64": np.float64, "f16": np.float16, "i32": np.int32}


def text_of(table: Array, element: str, rows: str, numbers: str = "i32") -> str:
    places, columns = table.shape
    listed = str(table.tolist()).replace("inf", "0x7F800000")
    x, k, w = f"{rows}x1x{numbers}", f"{places}x{numbers}", f"{places}x{columns}x{element}"
    equal, hot = (f"tensor<{rows}x{places}x{type}>" for type in ("i1", element))
    result = f"tensor<{rows}x{columns}x{element}>"
    return f"""func.func @main(%x: tensor<{x}>) -> {result} {{
  %k = snippets.constant dense<{list(range(places))}> : tensor<{k}>
  %w = snippets.constant dense<{listed}> : tensor<{w}>
  %0 = snippets.equal %x, %k : (tensor<{x}>, tensor<{k}>) -> {equal}
  %1 = snippets.convert_truncation %0 : ({equal}) -> {hot}
  %2 = snippets.matmul %1, %w : ({hot}, tensor<{w}>) -> {result}
  func.return %2 : {result}
}}"""


def table_of(places: int, columns: int, dtype: Any) -> Array:
    found = np.random.default_rng(0).integers(-9, 9, (places, columns)).astype(dtype)
    return found / np.asarray(4, dtype) if found.dtype.kind == "f" else found


def numbers_of(rows: int, places: int, dtype: Any) -> Array:
    """All places and, among them, numbers that are none."""
    limits = np.iinfo(dtype)
    found = np.random.default_rng(1).integers(-2, places + 2, (rows, 1)).astype(dtype)
    corners = [limits.min, limits.max, -1, 0, places - 1, places][:rows]
    found[: len(corners), 0] = corners
    return found


def rows_of(table: Array, numbers: Array) -> Array:
    inside = (numbers >= 0) & (numbers < len(table))
    return np.where(inside, table[np.where(inside, numbers, 0)[:, 0]], 0).astype(table.dtype)


@pytest.mark.parametrize(
    ("element", "rows", "places", "columns", "known"),
    sampled(
        [
            (element, *sizes, known)
            for element in DTYPES
            for sizes in [(1, 1, 1), (17, 3, 15), (64, 257, 16), (33, 40, 65)]
            for known in (True, False)
        ],
        5,
    ),
)
def test_rows_are_those_of_the_table(
    element: str, rows: int, places: int, columns: int, known: bool
) -> None:
    table = table_of(places, columns, DTYPES[element])
    program = snippets_mlir.compile(text_of(table, element, str(rows) if known else "?"))
    numbers = numbers_of(rows, places, np.int32)
    np.testing.assert_array_equal(program(numbers), rows_of(table, numbers), strict=True)
    if not known:
        assert program(numbers[:0]).shape == (0, columns)


def test_numbers_of_64_bits() -> None:
    table = table_of(5, 7, np.float32)
    numbers = numbers_of(20, 5, np.int64)
    numbers[6:8, 0] = [1 << 32, (1 << 32) + 1]  # whose low bits are places
    program = snippets_mlir.compile(text_of(table, "f32", "20", "i64"))
    np.testing.assert_array_equal(program(numbers), rows_of(table, numbers), strict=True)


def test_an_infinity_makes_nan_of_its_column() -> None:
    table = table_of(4, 3, np.float32)
    table[2, 1] = np.inf
    numbers = np.array([[0], [2], [9]], np.int32)
    found = snippets_mlir.compile(text_of(table, "f32", "3"))(numbers)
    assert np.isnan(found[[0, 2], 1]).all()
    assert found[1, 1] == np.inf
    np.testing.assert_array_equal(found[:, [0, 2]], rows_of(table, numbers)[:, [0, 2]])


def test_a_negative_zero_becomes_zero() -> None:
    table = table_of(4, 3, np.float32)
    table[2, 1] = -0.0
    numbers = np.array([[0], [2], [9]], np.int32)
    found = snippets_mlir.compile(text_of(table, "f32", "3"))(numbers)
    np.testing.assert_array_equal(found, rows_of(table, numbers))
    assert not np.signbit(found[1, 1])


def model_of(places: int, columns: int) -> onnx.ModelProto:
    """What jax2tf makes of `one_hot(x) @ w + b`, and an activation."""
    table = table_of(places, columns, np.float32)
    weights = {
        "w": table,
        "k": np.arange(places, dtype=np.int32).reshape(1, 1, places),
        "b": np.linspace(-1, 1, columns, dtype=np.float32),
        "last": np.array([-1], np.int64),
    }
    nodes = [
        helper.make_node("Unsqueeze", ["x", "last"], ["u"]),
        helper.make_node("Equal", ["u", "k"], ["e"]),
        helper.make_node("Cast", ["e"], ["h"], to=TensorProto.FLOAT),
        helper.make_node("MatMul", ["h", "w"], ["p"]),
        helper.make_node("Add", ["p", "b"], ["a"]),
        helper.make_node("Softplus", ["a"], ["y"]),
    ]
    x = helper.make_tensor_value_info("x", TensorProto.INT32, ["n", 1024])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 1024, columns])
    tensors = [numpy_helper.from_array(array, name) for name, array in weights.items()]
    graph = helper.make_graph(nodes, "g", [x], [y], tensors)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)


def test_a_model_in_memory_writes_no_matrix_of_ones() -> None:
    """Its weights are in no file, and more than what the text of a program has in it."""
    model = model_of(300, 64)
    program = snippets_mlir.compile(model)
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    for count in (4, 1, 4):
        x = np.random.default_rng(2).integers(-1, 301, (count, 1024)).astype(np.int32)
        run: Any = session.run  # pyright: ignore
        np.testing.assert_allclose(program(x), run(None, {"x": x})[0], rtol=1e-5, atol=1e-6)
    assert [step["kind"] for step in program.manifest["steps"]] == ["view", "kernel"]
    assert program.built().program.sizes.places.arena < 4 * 1024 * 300
