"""A row times a matrix that is read by a few whole rows at a time, its sums in buffers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from guard_pages import PLACES, Place, results_at_pages
from levels import bits_at
from numpy.typing import NDArray
from sampled import ALL, ends, sampled

import snippets_mlir
from snippets_mlir.driver import Compiled
from snippets_mlir.support.errors import CompileError
from snippets_mlir.testing.product_values import product_bound

Array = NDArray[Any]
ALWAYS = "before:lir-brgemm-sum-blocks:lir-brgemm-sum-blocks{least=0}"
UNITS = {"f32": 2.0**-24, "f64": 2.0**-53}
SHAPES = [
    (batch, terms, columns)
    for batch in ((), (3,), (2, 2))
    for terms in (16, 17, 64, 65, 130, 200, 714)
    for columns in (496, 513, 600, 1030)
]


def program(batch: tuple[int, ...], terms: object, columns: object, element: str = "f32") -> str:
    around = "".join(f"{size}x" for size in batch)
    a, b = (f"tensor<{around}{s}x{element}>" for s in (f"1x{terms}", f"{terms}x{columns}"))
    c, r = f"tensor<{columns}x{element}>", f"tensor<{around}1x{columns}x{element}>"
    return f"""
func.func @main(%a: {a}, %b: {b}, %c: {c}) -> ({r}, {r}) {{
  %s = snippets.tanh %c : {c}
  %0 = snippets.matmul %a, %b : ({a}, {b}) -> {r}
  %1 = snippets.add %0, %s : ({r}, {c}) -> {r}
  func.return %0, %1 : {r}, {r}
}}
"""


def inputs(
    batch: tuple[int, ...], terms: int, columns: int, element: str = "f32"
) -> tuple[Array, Array, Array]:
    rng = np.random.default_rng(terms * columns)
    dtype = {"f32": np.float32, "f64": np.float64}[element]
    shapes = ((*batch, 1, terms), (*batch, terms, columns), (columns,))
    a, b, c = (rng.standard_normal(shape).astype(dtype) for shape in shapes)
    return a, b, c


def check(found: list[Array], arrays: tuple[Array, Array, Array], element: str) -> None:
    """Both results are within the bound of a product."""
    a, b, c = (x.astype(np.float64) for x in arrays)
    bound = product_bound(a, b, UNITS[element]) * (2 if element == "f64" else 1)
    wanted = a @ b
    assert (np.abs(found[0] - wanted) <= bound).all()
    more = 16 * UNITS[element] * (np.abs(wanted) + 1)
    assert (np.abs(found[1] - (wanted + np.tanh(c))) <= bound + more).all()


def goes_by_rows(compiled: Compiled) -> bool:
    return any("accumulate," in kernel.ir("lir-insert-buffers") for kernel in compiled.kernels)


@pytest.mark.usefixtures("unverified")
@pytest.mark.usefixtures("unverified")  # the test of every level verifies after each pass
@pytest.mark.parametrize(
    ("batch", "terms", "columns", "dynamic"),
    sampled([(*shape, dynamic) for shape in SHAPES for dynamic in (False, True)], 42),
)
def test_results(batch: tuple[int, ...], terms: int, columns: int, dynamic: bool):
    element = "f64" if terms % 2 else "f32"
    sizes = ("?", "?") if dynamic else (terms, columns)
    arrays = inputs(batch, terms, columns, element)
    several = [
        snippets_mlir.compile(
            program(batch, *sizes, element), num_threads=threads, insert_passes=[ALWAYS]
        )
        for threads in ends((1, 2, 5))
    ]
    results = [list(compiled(*arrays)) for compiled in several]
    check(results[0], arrays, element)
    assert goes_by_rows(several[0])
    for others in results[1:]:  # whatever threads share
        for found, other in zip(results[0], others, strict=True):
            assert found.tobytes() == other.tobytes()


@pytest.mark.usefixtures("unverified")
@pytest.mark.parametrize(
    ("place", "terms", "columns"),
    sampled(
        [(place, *sizes) for place in PLACES for sizes in [(40, 497), (71, 529), (130, 1040)]], 2
    ),
)
def test_rows_at_forbidden_pages(terms: int, columns: int, place: Place):
    arrays = inputs((2,), terms, columns)
    compiled = snippets_mlir.compile(
        program((2,), terms, columns), num_threads=2, insert_passes=[ALWAYS]
    )
    assert goes_by_rows(compiled)
    wanted = list(compiled(*arrays))
    out = results_at_pages(compiled, arrays, wanted, place)
    for found, array in zip(out, wanted, strict=True):
        np.testing.assert_array_equal(found, array)


@pytest.mark.usefixtures("unverified")
@pytest.mark.parametrize("target", ["generic", "x86-64-avx2"])
def test_other_targets(target: str):
    arrays = inputs((), 130, 600)
    compiled = snippets_mlir.compile(program((), 130, 600), target=target, insert_passes=[ALWAYS])
    check(list(compiled(*arrays)), arrays, "f32")
    assert goes_by_rows(compiled)


def test_a_matrix_beyond_the_second_cache_goes_by_rows_without_being_asked():
    arrays = inputs((), 300, 1030)
    compiled = snippets_mlir.compile(program((), 300, 1030))
    check(list(compiled(*arrays)), arrays, "f32")
    assert goes_by_rows(compiled)
    assert not goes_by_rows(snippets_mlir.compile(program((), 300, 600)))


@pytest.mark.usefixtures("unverified")
def test_special_numbers():
    a, b, c = inputs((), 70, 600)
    a[0, 3], b[3, 5], b[3, 6], b[4, 7], b[4, 8] = 0.0, np.inf, np.nan, np.inf, -np.inf
    b[5, 8], b[:, 9] = np.inf, -0.0
    compiled = snippets_mlir.compile(program((), 70, 600), insert_passes=[ALWAYS])
    found = compiled(a, b, c)[0]
    with np.errstate(invalid="ignore"):
        wanted = np.asarray((a[0, :, None].astype(np.float64) * b).sum(axis=0))[None]
    np.testing.assert_array_equal(np.isnan(found), np.isnan(wanted))
    np.testing.assert_array_equal(found[np.isinf(wanted)], wanted[np.isinf(wanted)])
    assert found[0, 9] == 0.0
    assert not np.signbit(found[0, 9])


LEVELS = ("lir-brgemm-sum-blocks", "lir-insert-specific-iterations", "convert-lir-to-vector")
BETWEEN = ("lir-insert-load-store", "lir-allocate-buffers", "lir-jam-loops")


def test_every_level_computes_the_same_bits():
    arrays = inputs((), 77, 149)
    text = program((), 77, 149).replace("func.return %0, %1", "func.return %0, %0")
    levels = (*LEVELS[:1], *(BETWEEN if ALL else ()), *LEVELS[1:])
    results = bits_at(text, "lir-brgemm-sum-blocks{least=0}", "accumulate,", levels, arrays)
    assert results == results[:1] * len(results)


def test_a_negative_size_is_refused():
    wrong = ALWAYS.replace("least=0", "least=-2")
    with pytest.raises(
        CompileError, match="expected bytes, or -1 for the target's, found least=-2"
    ):
        snippets_mlir.compile(program((), 64, 600), insert_passes=[wrong])
