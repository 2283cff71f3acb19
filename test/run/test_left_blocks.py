"""Products whose left operand goes by blocks of rows, each with all packed panels."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from runnable import RUNNABLE

import snippets_mlir
from snippets_mlir.testing.product_values import product_bound

Array = NDArray[Any]


def source(rows: int, terms: int, columns: int, element: str) -> str:
    """A product with constant weights, a bias, a long epilogue and the residual."""
    rng = np.random.default_rng(columns)
    dtype = {"f32": "f4", "f64": "f8"}[element]
    w = rng.uniform(-1, 1, (terms, columns)).astype(dtype)
    x, y, r, b = (
        f"tensor<{shape}x{element}>"
        for shape in (f"{rows}x{terms}", f"{terms}x{columns}", f"{rows}x{columns}", f"{columns}")
    )
    return f"""func.func @main(%x: {x}, %b: {b}, %z: {r}) -> ({r}, {r}) {{
      %w = snippets.constant dense<"0x{w.tobytes().hex().upper()}"> : {y}
      %0 = snippets.matmul %x, %w : ({x}, {y}) -> {r}
      %1 = snippets.add %0, %b : ({r}, {b}) -> {r}
      %2 = snippets.gelu %1 : {r}
      %3 = snippets.add %2, %z : {r}
      func.return %0, %3 : {r}, {r}
    }}"""


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("element", ["f32", "f64"])
@pytest.mark.parametrize(
    ("rows", "terms", "columns"), [(192, 70, 200), (384, 66, 130), (960, 40, 164), (288, 130, 100)]
)
def test_blocks_of_rows(rows: int, terms: int, columns: int, element: str, threads: int) -> None:
    text = source(rows, terms, columns, element)
    rng = np.random.default_rng(rows)
    dtype: type[np.floating[Any]] = {"f32": np.float32, "f64": np.float64}[element]
    half = rows // 2 * terms * np.dtype(dtype).itemsize
    x = rng.uniform(-1, 1, (rows, terms)).astype(dtype)
    b = rng.uniform(-1, 1, columns).astype(dtype)
    z = rng.uniform(-1, 1, (rows, columns)).astype(dtype)
    fired = False
    for target in RUNNABLE:
        found: list[tuple[Array, Array]] = []
        for most in (0, half):
            chosen = [f"before:lir-brgemm-part-sums:lir-brgemm-left-blocks{{room={most}}}"]
            program = snippets_mlir.compile(
                text, target=target, num_threads=threads, insert_passes=chosen
            )
            (kernel,) = program.kernels
            ir = kernel.ir("lir-brgemm-part-sums")
            blocks = re.search(rf"work {rows}, inc \d\d+, dim 2", ir)
            assert blocks is None or most > 0
            fired |= blocks is not None
            first, second = program(x, b, z)
            found.append((first, second))
        w = np.frombuffer(bytes.fromhex(text.split('"0x')[1].split('"')[0]), dtype)
        w = w.reshape(terms, columns)
        exact = x.astype(np.float64) @ w
        unit = {"f32": 2.0**-24, "f64": 2.0**-52}[element]
        assert (abs(found[0][0] - exact) <= product_bound(x, w, unit)).all()
        for before, after in zip(*found, strict=True):
            np.testing.assert_array_equal(before, after)  # the order of each sum is the same
    assert fired  # equal blocks of whole tiles, on most targets
