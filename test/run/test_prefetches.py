"""Prefetching changes no bit of a result, and prefetches past the last row without a fault."""

from __future__ import annotations

import ctypes
import mmap
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sampled import alternating, sampled

import snippets_mlir
from snippets_mlir.interpreter import Interpreter
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.support.parsing import parse_module
from snippets_mlir.targets.host import host_target

Array = NDArray[Any]

ROWS = """
func.func @main(%x: tensor<24xCOLSxTYPE>, %y: tensor<24xCOLSxTYPE>) -> tensor<24xCOLSxTYPE> {
  %0 = snippets.add %x, %y : tensor<24xCOLSxTYPE>
  %1 = snippets.softmax %0 {axis = 1 : i64} : tensor<24xCOLSxTYPE>
  func.return %1 : tensor<24xCOLSxTYPE>
}
"""
AHEAD = "after:convert-lir-to-vector:prefetch-rows{least=0}"


def fenced(array: Array) -> tuple[Array, mmap.mmap]:
    """A copy whose last byte is the last one before a page that may not be touched."""
    page = mmap.PAGESIZE
    size = -(-array.nbytes // page) * page
    memory = mmap.mmap(-1, size + page)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    libc = ctypes.CDLL(None, use_errno=True)
    assert libc.mprotect(ctypes.c_void_p(start + size), ctypes.c_size_t(page), 0) == 0
    raw = np.frombuffer(memory, np.uint8, array.nbytes, size - array.nbytes)
    result = raw.view(array.dtype).reshape(array.shape)
    result[...] = array
    return result, memory


@pytest.mark.usefixtures("unverified")
@pytest.mark.parametrize(
    ("cols", "dtype"),
    sampled([(n, dtype) for n in (64, 128, 1000, 4096) for dtype in (np.float32, np.float64)], 4),
)
def test_rows_at_the_end_of_memory(cols: int, dtype: type[np.floating[Any]]):
    text = ROWS.replace("COLS", str(cols)).replace("TYPE", f"f{np.dtype(dtype).itemsize * 8}")
    rng = np.random.default_rng(cols)
    x, y = (rng.normal(size=(24, cols)).astype(dtype) for _ in range(2))
    x[3], x[4, 5], x[6, 7] = -np.inf, np.nan, np.inf
    ahead = snippets_mlir.compile(text, num_threads=2, insert_passes=[AHEAD])
    plain = snippets_mlir.compile(text, num_threads=2, target="generic")
    (a, _a), (b, _b), (out, _out) = fenced(x), fenced(y), fenced(np.zeros_like(x))
    ahead(a, b, out=out)
    np.testing.assert_array_equal(out, ahead(x, y))
    np.testing.assert_allclose(out, plain(x, y), rtol=1e-5)


def test_the_interpreter_takes_it_for_nothing():
    text = ROWS.replace("COLS", "128").replace("TYPE", "f32").replace("24x", "5x")
    results: list[Array] = []
    rng = np.random.default_rng(1)
    x, y = (rng.normal(size=(5, 128)).astype(np.float32) for _ in range(2))
    for last in ("", ",prefetch-rows{least=0}"):
        ctx = make_context()
        module = parse_module(text, ctx)
        spec = f"snippets-set-target{{target={host_target()}}},snippets-to-lir,lir-to-vector{last}"
        run_passes(module, ctx, parse_pipeline(spec, ctx))
        assert ("llvm.prefetch" in str(module)) == bool(last)
        results.append(Interpreter(module).run("main", [x, y])[0])
    np.testing.assert_array_equal(results[0], results[1])


PRODUCT = """
func.func @main(%x: tensor<2xROWSx131xTYPE>, %y: tensor<2x131xCOLSxTYPE>)
    -> tensor<2xROWSxCOLSxTYPE> {
  %0 = snippets.matmul %x, %y
    : (tensor<2xROWSx131xTYPE>, tensor<2x131xCOLSxTYPE>) -> tensor<2xROWSxCOLSxTYPE>
  func.return %0 : tensor<2xROWSxCOLSxTYPE>
}
"""


@pytest.mark.usefixtures("untuned")
@pytest.mark.usefixtures("unverified")
@pytest.mark.parametrize(
    ("rows", "cols", "dtype"),
    sampled(
        [(3, 700, np.float32), (5, 401, np.float32), (3, 333, np.float64), (24, 150, np.float32)], 2
    ),
)
@pytest.mark.parametrize("rows_ahead", [0, 8])
def test_panels_at_the_end_of_memory(
    rows: int, cols: int, dtype: type[np.floating[Any]], rows_ahead: int
):
    """The last panel asks for one after it, or for rows after its last ones, beyond the array."""
    element = f"f{np.dtype(dtype).itemsize * 8}"
    text = PRODUCT.replace("ROWS", str(rows)).replace("COLS", str(cols)).replace("TYPE", element)
    rng = np.random.default_rng(cols)
    x, y = (rng.normal(size=size).astype(dtype) for size in ((2, rows, 131), (2, 131, cols)))
    y[0, 3, 4], y[1, -1, -1] = np.nan, np.inf
    after = [f"after:convert-lir-to-vector:prefetch-panels{{least=0 ahead={rows_ahead}}}"]
    ahead = snippets_mlir.compile(text, num_threads=2, insert_passes=after)
    assert "llvm.prefetch" in ahead.kernels[0].ir("prefetch-panels")
    (a, _a), (b, _b), (out, _out) = fenced(x), fenced(y), fenced(np.zeros((2, rows, cols), dtype))
    ahead(a, b, out=out)
    np.testing.assert_array_equal(out, ahead(x, y))
    with np.errstate(invalid="ignore"):
        wanted = x.astype(np.float64) @ y
    np.testing.assert_allclose(out, wanted, rtol=1e-4, atol=1e-4)


TILES = """
func.func @main(%x: tensor<ROWSxTERMSxTYPE>, %y: tensor<TERMSxCOLSxTYPE>, %b: tensor<COLSxTYPE>)
    -> tensor<ROWSxCOLSxTYPE> {
  %0 = snippets.matmul %x, %y
    : (tensor<ROWSxTERMSxTYPE>, tensor<TERMSxCOLSxTYPE>) -> tensor<ROWSxCOLSxTYPE>
  %1 = snippets.add %0, %b : (tensor<ROWSxCOLSxTYPE>, tensor<COLSxTYPE>) -> tensor<ROWSxCOLSxTYPE>
  func.return %1 : tensor<ROWSxCOLSxTYPE>
}
"""


@pytest.mark.usefixtures("unverified")
@pytest.mark.parametrize(
    ("case", "threads"),
    sampled(
        product(
            [
                ((37, 21, 433), np.float32),  # tiles ahead
                ((41, 300, 151), np.float32),  # this tile, and rows of the next one
                ((39, 201, 200), np.float64),
                ((64, 160, 128), np.float32),  # nothing left over
            ],
            [1, 2],
        ),
        4,
    ),
)
def test_tiles_at_the_end_of_memory(
    case: tuple[tuple[int, int, int], type[np.floating[Any]]], threads: int
) -> None:
    """The last tiles ask for some after them, beyond the arrays."""
    (rows, terms, cols), dtype = case
    element = f"f{np.dtype(dtype).itemsize * 8}"
    text = TILES.replace("ROWS", str(rows)).replace("TERMS", str(terms))
    text = text.replace("COLS", str(cols)).replace("TYPE", element)
    rng = np.random.default_rng(cols)
    x, y, b = (rng.normal(size=n).astype(dtype) for n in ((rows, terms), (terms, cols), cols))
    x[3, 4], y[-1, -1] = np.nan, np.inf
    after = ["after:convert-lir-to-vector:prefetch-tiles{least=0}"]
    ahead = snippets_mlir.compile(text, num_threads=threads, insert_passes=after)
    plain = snippets_mlir.compile(text, num_threads=threads)
    assert "llvm.prefetch" in ahead.kernels[0].ir("prefetch-tiles")
    (x_, _x), (y_, _y), (b_, _b) = fenced(x), fenced(y), fenced(b)
    out, _out = fenced(np.zeros((rows, cols), dtype))
    ahead(x_, y_, b_, out=out)
    np.testing.assert_array_equal(out, plain(x, y, b))
    with np.errstate(invalid="ignore"):
        wanted = x.astype(np.float64) @ y + b
    np.testing.assert_allclose(out, wanted, rtol=1e-4, atol=1e-4)


PACKED = [
    ("33", 300, 200),  # blocks
    ("65", 300, 200),  # one row left over
    ("3", 256, 400),  # one tile of rows
    ("64", 128, 130),  # one panel and a rest for each thread
    ("40", 64, 130),  # one block
    ("?", 300, 200),
    ("129", 4096, 150),  # parts of the sum
]


@pytest.mark.usefixtures("unverified")
@pytest.mark.parametrize(
    ("case", "machine"),
    alternating(sampled(PACKED, 2), [(host_target(), 2), ("x86-64-avx2", 1)]),
)
def test_packed_panels(case: tuple[str, int, int], machine: tuple[str, int]) -> None:
    """The last panel asks for one after it, beyond the constant: the same bits."""
    (rows, terms, cols), (target, threads) = case, machine
    weights = np.random.default_rng(terms).standard_normal((terms, cols), np.float32)
    text = f"""func.func @main(%x: tensor<{rows}x{terms}xf32>) -> tensor<{rows}x{cols}xf32> {{
      %w = snippets.constant dense<"0x{weights.tobytes().hex()}"> : tensor<{terms}x{cols}xf32>
      %0 = snippets.matmul %x, %w
        : (tensor<{rows}x{terms}xf32>, tensor<{terms}x{cols}xf32>) -> tensor<{rows}x{cols}xf32>
      func.return %0 : tensor<{rows}x{cols}xf32>
    }}"""
    after = ["after:convert-lir-to-vector:prefetch-packed-panels{most=1073741824}"]
    options: dict[str, Any] = {"num_threads": threads, "target": target}
    plain = snippets_mlir.compile(text, **options)
    ahead = snippets_mlir.compile(text, insert_passes=after, **options)
    for height in [int(rows)] if rows != "?" else [2, 3, 8, 16, 23, 33, 150]:
        x = np.random.default_rng(height).standard_normal((height, terms), np.float32)
        found = ahead(x)
        np.testing.assert_array_equal(found, plain(x))
        size = np.abs(x.astype(float)) @ np.abs(weights)
        wanted = x.astype(float) @ weights
        assert (np.abs(found - wanted) <= (2 * np.sqrt(terms) + 4) * 2**-24 * size).all()
    assert "llvm.prefetch" in ahead.kernels[0].ir("prefetch-packed-panels")
