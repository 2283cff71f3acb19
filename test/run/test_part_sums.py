"""Long sums of products that go part by part, and are added to sums in buffers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from guard_pages import PLACES, Place, results_at_pages
from levels import bits_at
from numpy.typing import NDArray
from runnable import RUNNABLE
from sampled import ALL, ends, sampled

import snippets_mlir
from snippets_mlir.analysis.kernels import product_blocks
from snippets_mlir.driver import Compiled
from snippets_mlir.testing.product_values import product_bound

Array = NDArray[Any]
ROOM = {"generic": 96 << 10, "x86-64-avx2": 192 << 10, "x86-64-avx512": 384 << 10}
"""Bytes that hold a part of a panel, but no panel of 4096 terms."""

UNITS = {"f32": 2.0**-24, "f64": 2.0**-53}
CASES = [
    ((), 32, 4096, 1024, ""),
    ((), 33, 5000, 1024, ""),
    ((), 47, 4400, 1024, ""),
    ((2,), 40, 4096, 1024, ""),
    ((), 37, 4096, 130, "transpose_b"),
    ((3,), 32, 4400, 67, "transpose_b"),
    ((), 40, 4096, 1024, "transpose_a"),
]


def program(
    batch: tuple[int, ...], rows: int, terms: int, columns: int, flags: str, element: str
) -> str:
    around = "".join(f"{size}x" for size in batch)
    left = (terms, rows) if "transpose_a" in flags else (rows, terms)
    right = (columns, terms) if "transpose_b" in flags else (terms, columns)
    a, b, r = (f"tensor<{around}{x}x{y}x{element}>" for x, y in (left, right, (rows, columns)))
    c = f"tensor<{columns}x{element}>"
    kind = f"{{{flags}}}" if flags else ""
    return f"""
func.func @main(%a: {a}, %b: {b}, %c: {c}) -> ({r}, {r}) {{
  %s = snippets.tanh %c : {c}
  %0 = snippets.matmul %a, %b {kind} : ({a}, {b}) -> {r}
  %1 = snippets.add %0, %s : ({r}, {c}) -> {r}
  func.return %0, %1 : {r}, {r}
}}
"""


def inputs(
    batch: tuple[int, ...], rows: int, terms: int, columns: int, flags: str, element: str
) -> tuple[Array, Array, Array]:
    rng = np.random.default_rng(terms * columns)
    dtype = {"f32": np.float32, "f64": np.float64}[element]
    left = (terms, rows) if "transpose_a" in flags else (rows, terms)
    right = (columns, terms) if "transpose_b" in flags else (terms, columns)
    shapes = ((*batch, *left), (*batch, *right), (columns,))
    a, b, c = (rng.standard_normal(shape).astype(dtype) for shape in shapes)
    return a, b, c


def check(found: list[Array], arrays: tuple[Array, Array, Array], flags: str, element: str) -> None:
    """Both results are within the bound of a product."""
    a, b, c = (x.astype(np.float64) for x in arrays)
    a = a.swapaxes(-1, -2) if "transpose_a" in flags else a
    b = b.swapaxes(-1, -2) if "transpose_b" in flags else b
    bound = product_bound(a, b, UNITS[element]) * (2 if element == "f64" else 1)
    wanted = a @ b
    assert (np.abs(found[0] - wanted) <= bound).all()
    more = 16 * UNITS[element] * (np.abs(wanted) + 1)
    assert (np.abs(found[1] - (wanted + np.tanh(c))) <= bound + more).all()


def small(target: str) -> list[str]:
    """`insert_passes` with caches so small that the terms of the cases are several parts."""
    return [f"before:lir-brgemm-part-sums:lir-brgemm-part-sums{{room={ROOM[target]}}}"]


def goes_by_parts(compiled: Compiled) -> bool:
    return any("accumulate," in kernel.ir("lir-brgemm-part-sums") for kernel in compiled.kernels)


@pytest.mark.usefixtures("unverified")  # the test of every level verifies after each pass
@pytest.mark.parametrize(
    ("case", "target", "element"),
    sampled([(c, t, e) for c in CASES for t in RUNNABLE for e in UNITS], 12),
)
def test_results(
    case: tuple[tuple[int, ...], int, int, int, str], target: str, element: str
) -> None:
    arrays = inputs(*case, element)
    text = program(*case, element)
    several = [
        snippets_mlir.compile(text, target=target, num_threads=n, insert_passes=small(target))
        for n in ends((1, 2, 3))
    ]
    results = [list(compiled(*arrays)) for compiled in several]
    check(results[0], arrays, case[-1], element)
    assert goes_by_parts(several[0])
    for others in results[1:]:  # whatever threads share
        for found, other in zip(results[0], others, strict=True):
            assert found.tobytes() == other.tobytes()


@pytest.mark.usefixtures("unverified")
@pytest.mark.parametrize("target", sampled(RUNNABLE, 2))
def test_packed_weights(target: str) -> None:
    """Parts of panels that were packed at compile time."""
    rng = np.random.default_rng(0)
    w, x = (rng.standard_normal(s).astype(np.float32) for s in ((8192, 200), (65, 8192)))
    types = "tensor<65x8192xf32>", "tensor<8192x200xf32>", "tensor<65x200xf32>"
    text = f"""func.func @main(%x: {types[0]}) -> {types[2]} {{
      %w = snippets.constant dense<"0x{w.tobytes().hex()}"> : {types[1]}
      %0 = snippets.matmul %x, %w : ({types[0]}, {types[1]}) -> {types[2]}
      %1 = snippets.relu %0 : {types[2]}
      func.return %1 : {types[2]}
    }}"""
    several = [
        snippets_mlir.compile(text, target=target, num_threads=n, insert_passes=small(target))
        for n in (1, 2)
    ]
    found = [np.asarray(program(x)) for program in several]
    bound = product_bound(x, w, 2.0**-24)
    assert (np.abs(found[0] - np.maximum(x.astype(np.float64) @ w, 0)) <= bound).all()
    assert found[0].tobytes() == found[1].tobytes()
    assert goes_by_parts(several[0])
    assert "panels" in several[0].kernels[0].ir("lir-brgemm-part-sums")


@pytest.mark.usefixtures("unverified")
@pytest.mark.parametrize("place", PLACES)
def test_parts_at_forbidden_pages(place: Place) -> None:
    case = ((), 33, 4096, 1024, "")
    arrays = inputs(*case, "f32")
    compiled = snippets_mlir.compile(
        program(*case, "f32"), num_threads=2, insert_passes=small(RUNNABLE[-1]), target=RUNNABLE[-1]
    )
    assert goes_by_parts(compiled)
    wanted = list(compiled(*arrays))
    out = results_at_pages(compiled, arrays, wanted, place)
    for found, array in zip(out, wanted, strict=True):
        np.testing.assert_array_equal(found, array)


@pytest.mark.usefixtures("unverified")
def test_special_numbers() -> None:
    case = ((), 32, 4096, 1024, "")
    a, b, c = inputs(*case, "f32")
    a[0, 3], b[3, 5], b[3, 6], b[4, 7], b[4, 8] = 0.0, np.inf, np.nan, np.inf, -np.inf
    b[1400, 8], b[:, 9] = np.inf, -0.0
    passes = small(RUNNABLE[-1])
    compiled = snippets_mlir.compile(
        program(*case, "f32"), target=RUNNABLE[-1], insert_passes=passes
    )
    assert goes_by_parts(compiled)
    found = compiled(a, b, c)[0]
    with np.errstate(invalid="ignore"):
        wanted = np.asarray((a[0, :, None].astype(np.float64) * b).sum(axis=0))
    np.testing.assert_array_equal(np.isnan(found[0]), np.isnan(wanted))
    np.testing.assert_array_equal(found[0][np.isinf(wanted)], wanted[np.isinf(wanted)])
    assert (found[:, 9] == 0.0).all()
    assert not np.signbit(found[:, 9]).any()


LEVELS = ("lir-brgemm-part-sums", "convert-lir-to-vector")
BETWEEN = (
    "lir-insert-load-store",
    "lir-allocate-buffers",
    "lir-jam-loops",
    "lir-insert-specific-iterations",
)


def test_every_level_computes_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    """With parts of 48 terms, in a buffer and in accumulators."""
    for name, value in (("PARTS_FROM", 0), ("LEAST_PART", 48), ("LONGEST_PART", 48)):
        monkeypatch.setattr(product_blocks, name, value)
    case = ((), 32, 144, 19, "transpose_b")
    arrays = inputs(*case, "f32")
    text = program(*case, "f32").replace("func.return %0, %1", "func.return %0, %0")
    levels = (*LEVELS[:1], *(BETWEEN if ALL else ()), *LEVELS[1:])
    results = bits_at(text, "lir-brgemm-part-sums{room=8192}", "accumulate,", levels, arrays)
    results += bits_at(text, "lir-brgemm-part-sums{room=0}", "lir.accumulate", levels[:1], arrays)
    assert results == results[:1] * len(results)
