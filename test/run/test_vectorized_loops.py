"""Vectorized loops run like scalar ones: sizes around the vector's, special values, types."""

from __future__ import annotations

from copy import deepcopy
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest
from loop_oracle import Oracle
from loop_texts import INF, REDUCTION, SAXPY, SPECIAL, TRANSPOSED
from numpy.typing import NDArray
from sampled import sampled
from xdsl.ir import Operation

from snippets_mlir.passes.loops.affine.affine_super_vectorize import AffineSuperVectorizePass
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import run_passes
from snippets_mlir.support.parsing import parse_module

Arrays = list[Any]


@cache
def function_of(text: str, options: frozenset[tuple[str, Any]]) -> Operation:
    """The function of a text, vectorized when there are options."""
    ctx = make_context()
    module = parse_module(text, ctx)
    if options:
        run_passes(module, ctx, [AffineSuperVectorizePass(**dict(options))], verify_each=True)
        assert "vector<" in str(module)
    function = module.body.block.ops.first
    assert function is not None
    return function


def run(text: str, arguments: Arrays, **options: Any) -> Arrays:
    """Arguments after the call, then results; vectorized when there are options."""
    copies = deepcopy(arguments)
    return [*copies, *Oracle().call(function_of(text, frozenset(options.items())), copies)]


def check(text: str, arguments: Arrays, **options: Any) -> None:
    """The same bits, scalar and vectorized."""
    for expected, found in zip(run(text, arguments), run(text, arguments, **options), strict=True):
        np.testing.assert_array_equal(found, expected)
        np.testing.assert_array_equal(np.signbit(found), np.signbit(expected))


@pytest.mark.parametrize(
    ("element", "dtype"),
    [("f32", np.float32), ("f64", np.float64), ("i8", np.int8), ("i32", np.int32), ("i64", "i8")],
)
@pytest.mark.parametrize("size", [0, 1, 3, 4, 5, 7, 8, 9, 11, 12, 13])
def test_sizes_and_types(element: str, dtype: Any, size: int):
    """The memrefs are longer than the loop; elements after its end stay."""
    letter = "f" if element.startswith("f") else "i"
    text = SAXPY.replace("MUL", f"mul{letter}").replace("ADD", f"add{letter}")
    numbers = np.arange(-7, 9)
    arrays: list[NDArray[Any]] = [numbers.astype(dtype), (numbers * 3).astype(dtype)]
    check(text.replace("T", element), [size, 5, *arrays], virtual_vector_size=(4,))


@pytest.mark.parametrize("m", range(7))
@pytest.mark.parametrize("n", [0, 1, 3, 4, 5, 9])
def test_two_dims_the_other_way_round(m: int, n: int):
    source = np.arange(12 * 9, dtype=np.int32).reshape(12, 9)
    check(
        TRANSPOSED,
        [m, n, source, np.zeros((11, 7), np.int32)],
        virtual_vector_size=(2, 4),
    )


@pytest.mark.parametrize(
    ("kind", "size", "init"),
    sampled(
        product(
            ["addf", "mulf", "minimumf", "maximumf", "minnumf", "maxnumf"],
            [0, 1, 3, 4, 5, 12],
            [0.0, -0.0, 2.0, INF, -INF, np.nan],
        ),
        3,
    ),
)
def test_reductions_of_special_values(kind: str, size: int, init: float):
    """Also of nothing, of -0.0 only and of one infinity only, which neutral elements must keep."""
    options: dict[str, Any] = {"virtual_vector_size": (4,), "vectorize_reductions": True}
    text = REDUCTION.replace("KIND", kind)
    signs = kind in ("addf", "mulf", "minimumf", "maximumf")
    for values in (SPECIAL[:2] * 6, [-0.0] * 12, [-INF] * 12, [INF] * 12, SPECIAL):
        array = np.array(values, np.float32)
        expected = run(text, [size, init, array])[-1]
        found = run(text, [size, init, array], **options)[-1]
        np.testing.assert_array_equal(found, expected)
        if signs and not np.isnan(expected):
            assert np.signbit(found) == np.signbit(expected)


def test_division_past_the_end_of_the_loop():
    """The divisors after the loop's end are 0."""
    text = """func.func @divide(%A: memref<9xi32>, %B: memref<9xi32>) {
      affine.for %i = 0 to 6 {
        %0 = affine.load %A[%i] : memref<9xi32>
        %1 = affine.load %B[%i] : memref<9xi32>
        %2 = arith.divsi %0, %1 : i32
        affine.store %2, %A[%i] : memref<9xi32>
      }
      func.return
    }"""
    divisors = np.array([1, -2, 3, 4, 5, 6, 0, 0, 0], np.int32)
    check(text, [np.arange(9, dtype=np.int32), divisors], virtual_vector_size=(4,))
