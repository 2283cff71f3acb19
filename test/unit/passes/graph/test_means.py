"""Means of integers, against Python's: neither the sum nor the count has to fit the type."""

import numpy as np
import pytest
from dataflow_runs import Array, after, interpreted

import snippets_mlir

DTYPES = {"i8": np.int8, "ui8": np.uint8, "i16": np.int16, "i32": np.int32, "i64": np.int64}
PIPELINES = ("cse", "snippets-decompose-reductions", "snippets-split-reductions{min-work=1}")


def mean(row: list[int]) -> int:
    """The sum wraps in 64 bits, the quotient is cut towards zero."""
    total = (sum(row) + (1 << 63)) % (1 << 64) - (1 << 63)
    quotient = abs(total) // len(row)
    return -quotient if total < 0 else quotient


def rows_of(element: str, count: int) -> tuple[Array, list[int]]:
    """Rows of any numbers, and of zeros with 100, the least and the largest number; the means."""
    dtype = np.dtype(DTYPES[element])
    info, rng = np.iinfo(dtype.name), np.random.default_rng(count)
    rows = [rng.integers(info.min, info.max, count, dtype, endpoint=True) for _ in range(5)]
    for number in (100, info.min, info.max):
        rows.append(np.zeros(count, dtype))
        rows[-1][count // 2] = number
    return np.stack(rows), [mean(row.tolist()) for row in rows]


def text_of(rows: str, columns: str, element: str) -> str:
    wide, narrow = f"tensor<{rows}x{columns}x{element}>", f"tensor<{rows}x{element}>"
    return f"""func.func @main(%x: {wide}) -> {narrow} {{
      %0 = snippets.reduce_mean %x {{axes = array<i64: 1>}} : ({wide}) -> {narrow}
      func.return %0 : {narrow}
    }}"""


@pytest.mark.parametrize("count", [127, 128, 200, 255, 256, 300])
@pytest.mark.parametrize("element", ["i8", "ui8", "i16"])
def test_means_of_more_elements_than_the_type_counts(element: str, count: int) -> None:
    x, expected = rows_of(element, count)
    text = text_of(str(len(x)), str(count), element)
    for pipeline in PIPELINES:
        (found,) = interpreted(after(text, pipeline), [x])
        assert found.tolist() == expected, pipeline


@pytest.mark.parametrize("element", ["i8", "ui8", "i16"])
def test_means_in_a_wider_precision(element: str) -> None:
    x, expected = rows_of(element, 300)
    wide, narrow = f"tensor<{len(x)}x300x{element}>", f"tensor<{len(x)}x{element}>"
    text = f"""func.func @main(%x: {wide}) -> {narrow} {{
      %0 = snippets.subgraph (%a = %x) : ({wide}) -> {narrow} {{
        %1 = snippets.reduce_mean %a {{axes = array<i64: 1>}} : ({wide}) -> {narrow}
        snippets.yield %1 : {narrow}
      }}
      func.return %0 : {narrow}
    }}"""
    precise = "snippets-set-target{target=x86-64-avx2},snippets-propagate-precision"
    for pipeline in (precise, f"{precise},snippets-decompose-reductions"):
        module = after(text, pipeline)
        assert "xi32" in str(module)
        assert interpreted(module, [x])[0].tolist() == expected


@pytest.mark.parametrize("element", DTYPES)
def test_compiled_means_of_integers(element: str) -> None:
    """Of static and of dynamic sizes."""
    x, expected = rows_of(element, 200)
    for rows, columns in ((str(len(x)), "200"), ("?", "?")):
        found = snippets_mlir.compile(text_of(rows, columns, element))(x)
        assert found.dtype == x.dtype
        assert found.tolist() == expected
    empty = np.zeros((3, 0), x.dtype)
    assert snippets_mlir.compile(text_of("?", "?", element))(empty).tolist() == [0, 0, 0]
