"""Products whose columns leave a tail beside many panels, and terms that leave nothing of a block.

Bits of each row are those of the row alone: each tile adds its terms in one order.
"""

from __future__ import annotations

from math import erf
from typing import Any

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from sampled import sampled

import snippets_mlir
from snippets_mlir.testing.product_values import product_bound

Array = NDArray[Any]
TARGETS = ["generic", "x86-64-avx2"]
SIZES = [(k, n) for k in (96, 130, 129) for n in (479, 513, 521, 1000, 1450)]


def model(w: Array) -> onnx.ModelProto:
    terms, columns = w.shape
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["y"])],
        "product",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", terms])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", columns])],
        [numpy_helper.from_array(w, "w")],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)


@pytest.mark.parametrize(("target", "sizes"), sampled([(t, s) for t in TARGETS for s in SIZES], 6))
def test_any_rows_of_packed_panels_with_a_tail(target: str, sizes: tuple[int, int]):
    rng = np.random.default_rng(sum(sizes))
    w = rng.standard_normal(sizes).astype(np.float32)
    program = snippets_mlir.compile(model(w), num_threads=2, target=target, mark_skipped="none")
    assert program.kernels
    for rows in (1, 2, 3, 4, 5, 6, 7, 13):
        x = rng.standard_normal((rows, sizes[0])).astype(np.float32)
        (found,) = program.run({"x": x}).values()
        exact = x.astype(np.float64) @ w.astype(np.float64)
        assert np.all(np.abs(found - exact) <= product_bound(x, w, 2.0**-24))
        for row in range(rows):
            (alone,) = program.run({"x": x[row : row + 1]}).values()
            assert alone.tobytes() == found[row : row + 1].tobytes()


@pytest.mark.parametrize(("terms", "columns"), [(130, 1000), (96, 513), (257, 3072)])
def test_gelu_after_one_row_of_packed_panels(terms: int, columns: int):
    rng = np.random.default_rng(columns)
    w = (rng.standard_normal((terms, columns)) / 16).astype(np.float32)
    x = rng.standard_normal((1, terms)).astype(np.float32)
    a, b, c = f"tensor<1x{terms}xf32>", f"tensor<{terms}x{columns}xf32>", f"tensor<1x{columns}xf32>"
    text = f"""
func.func @main(%x: {a}) -> ({c}, {c}) {{
  %w = snippets.constant dense<"0x{w.tobytes().hex()}"> : {b}
  %0 = snippets.matmul %x, %w : ({a}, {b}) -> {c}
  %1 = snippets.gelu %0 : {c}
  func.return %0, %1 : {c}, {c}
}}
"""
    program = snippets_mlir.compile(text, num_threads=2)
    product, gelu = program(x)
    exact = x.astype(np.float64) @ w.astype(np.float64)
    assert np.all(np.abs(product - exact) <= product_bound(x, w, 2.0**-24))
    p = product.astype(np.float64)
    wanted = 0.5 * p * (1 + np.vectorize(erf)(p / 2**0.5))
    np.testing.assert_allclose(gelu, wanted, rtol=1e-5, atol=1e-6)
