"""Sums of some terms of a product in one iteration: the same bits, whatever is left over."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from runnable import RUNNABLE
from sampled import sampled

import snippets_mlir
from snippets_mlir.targets.machine import machine
from snippets_mlir.testing.product_values import product_bound

TARGETS = [name for name in RUNNABLE if machine(name).fma]
TERMS = (1, 2, 3, 4, 5, 7, 8, 9, 63, 64, 65, 127, 130, 259)

PRODUCT = """
!x = tensor<ROWSxTERMSxTYPE>
!y = tensor<TERMSx37xTYPE>
!z = tensor<ROWSx37xTYPE>
func.func @main(%x: !x, %y: !y) -> !z {
  %0 = snippets.matmul %x, %y : (!x, !y) -> !z
  func.return %0 : !z
}
"""


def program(rows: str, terms: str, element: str, target: str, count: int) -> snippets_mlir.Compiled:
    text = PRODUCT.replace("ROWS", rows).replace("TERMS", terms).replace("TYPE", element)
    told = f"after:convert-lir-to-vector:unroll-terms{{count={count}}}"
    return snippets_mlir.compile(text, target=target, num_threads=1, insert_passes=[told])


@pytest.mark.skipif(not TARGETS, reason="needs fused multiply-adds")
@pytest.mark.usefixtures("unverified")
@pytest.mark.parametrize(
    ("terms", "turn"),
    sampled(product(TERMS, [(2, "f32"), (3, "f64"), (4, "f64"), (9, "f32")]), 6),
)
def test_bits_do_not_depend_on_the_number_of_terms_in_turn(
    terms: int, turn: tuple[int, str]
) -> None:
    several, element = turn
    rng = np.random.default_rng(terms)
    dtype = np.float32 if element == "f32" else np.float64
    a, b = rng.normal(size=(13, terms)).astype(dtype), rng.normal(size=(terms, 37)).astype(dtype)
    a[3, -1], b[0, 5] = np.nan, -0.0
    one, other = (
        np.asarray(program("13", str(terms), element, TARGETS[-1], count)(a, b))
        for count in (1, several)
    )
    assert one.tobytes() == other.tobytes()
    kept = np.arange(13) != 3
    assert np.isnan(one[~kept]).all()
    left, right = a[kept].astype(np.float64), b.astype(np.float64)
    bound = product_bound(left, right, float(np.finfo(dtype).eps) / 2)
    assert (np.abs(one[kept] - left @ right) <= bound).all()


@pytest.mark.skipif(not TARGETS, reason="needs fused multiply-adds")
@pytest.mark.usefixtures("unverified")
def test_terms_that_the_call_knows() -> None:
    """One program for any number of terms, none among them."""
    compiled = program("?", "?", "f32", TARGETS[-1], 4)
    rng = np.random.default_rng(0)
    for rows, terms in ((5, 0), (1, 1), (4, 3), (7, 4), (6, 30), (2, 133)):
        a = rng.normal(size=(rows, terms)).astype(np.float32)
        b = rng.normal(size=(terms, 37)).astype(np.float32)
        found = np.asarray(compiled(a, b))
        left, right = a.astype(np.float64), b.astype(np.float64)
        assert (np.abs(found - left @ right) <= product_bound(left, right, 2**-24)).all()
