"""Ops on whole rows before and after matrix products in one kernel, against NumPy in float64."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from levels import INSPECTED
from numpy.typing import NDArray
from product_rows import Program
from runnable import RUNNABLE
from sampled import sampled

import snippets_mlir
from snippets_mlir.inspect.levels import run_levels
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.support.parsing import parse_module

Array = NDArray[Any]

PROGRAMS = [
    Program((), (260, 300, 130), "layer_norm", "log_softmax"),
    Program((3,), (129, 17, 65), "softmax", batched=True),
    Program((), (33, 64, 48), "relu", "softmax", transposed=True),
    Program((2, 3), (7, 130, 17), "rms_norm", "rms_norm", element="f64"),
    Program((), (70, 33, 16), "scaled", "scaled", products=3, constant=True),
    Program((2,), (16, 5, 7), "none", "scaled", products=2),
    Program((), (130, 65, 33), "exp", "relu", products=2, element="f64", kept=True),
    Program((), (5, 3, 2), "log_softmax", "layer_norm", kept=True),
]


def outputs(result: Array | tuple[Array, ...]) -> list[Array]:
    return [np.asarray(it) for it in (result if isinstance(result, tuple) else (result,))]


def check(program: Program, found: list[Array], arrays: list[Array]) -> None:
    error = 1e-4 if program.element == "f32" else 1e-12
    for array, wanted in zip(found, program.expected(arrays), strict=True):
        np.testing.assert_allclose(array, wanted, error, error * max(1, np.abs(wanted).max()))


@pytest.mark.parametrize(("program", "target"), sampled(product(PROGRAMS, RUNNABLE), 6), ids=str)
def test_values_do_not_depend_on_the_threads(program: Program, target: str):
    arrays = program.arrays()
    results: list[list[Array]] = []
    for threads in (1, 3):
        one = snippets_mlir.compile(program.text(inside=True), num_threads=threads, target=target)
        assert len(one.kernels) == 1
        results.append(outputs(one(*program.given(arrays))))
    check(program, results[0], arrays)
    for first, other in zip(*results, strict=True):
        np.testing.assert_array_equal(first, other)


@pytest.mark.parametrize("before", sampled(["relu", "layer_norm", "softmax"], 2))
def test_any_number_of_rows(before: str):
    program = Program((), (131, 17, 33), before, "softmax")
    text = program.text(inside=True).replace("131x", "?x")
    compiled = snippets_mlir.compile(text, num_threads=2)
    for rows in (131, 0, 1, 2, 15, 128, 300):
        drawn = Program((), (rows, 17, 33), before, "softmax")
        arrays = drawn.arrays()
        found = outputs(compiled(*arrays))
        assert found[0].shape == (rows, 33)
        if rows:
            check(drawn, found, arrays)


def test_special_values_reach_their_rows_alone():
    program = Program((), (131, 17, 33), "relu", "rms_norm")
    arrays = program.arrays()
    x = arrays[0]
    x[3, 5], x[127, 0], x[130, 16], x[7] = np.nan, np.inf, -np.inf, -0.0
    found = outputs(snippets_mlir.compile(program.text(inside=True), num_threads=2)(*arrays))[0]
    wanted = program.expected(arrays)[0]
    np.testing.assert_array_equal(np.isnan(found), np.isnan(wanted))
    assert sorted(np.flatnonzero(np.isnan(found).any(axis=1))) == [3, 127]
    np.testing.assert_allclose(found, wanted, 1e-4, 1e-4)


@pytest.mark.parametrize(
    "program",
    sampled(
        [
            Program((), (5, 3, 7), "layer_norm", "softmax"),
            Program((2,), (2, 17, 3), "relu", batched=True),
            Program((), (3, 2, 17), "softmax", "scaled", products=2, kept=True),
        ],
        1,
    ),
    ids=str,
)
def test_values_at_every_level(program: Program):
    arrays = program.arrays()
    for level, found in run_levels(program.text(inside=True), arrays, INSPECTED):
        for array, wanted in zip(found, program.expected(arrays), strict=True):
            np.testing.assert_allclose(array, wanted, 1e-4, 1e-5, err_msg=level)


@pytest.mark.parametrize("program", sampled(PROGRAMS, 8), ids=str)
def test_code_for_neon(program: Program):
    context = make_context()
    module = parse_module(program.text(inside=True), context)
    names = "snippets-set-target{target=aarch64-neon},snippets-to-llvm"
    run_passes(module, context, parse_pipeline(names, context), verify_each=True)
    assert "lir.kernel" not in str(module)


MERGED = [
    Program((), (4129, 65, 17), "layer_norm", constant=True),
    Program((), (4129, 17, 65), after="softmax", constant=True),
    Program((), (4129, 65, 17), "rms_norm", "relu", constant=True),
    Program((2,), (2053, 130, 33), "relu", element="f64", constant=True),
    Program((3,), (1500, 65, 7), "softmax", batched=True),
]


@pytest.mark.parametrize("program", sampled(MERGED, 2), ids=str)
def test_what_one_kernel_computes_faster(program: Program):
    """One kernel by the rules T9 to T15, with NaN and infinities in some rows."""
    arrays = program.arrays()
    rows = arrays[0].reshape(-1, program.sizes[1])
    rows[3, 5], rows[-1, 0], rows[7] = np.nan, np.inf, -0.0
    results: list[list[Array]] = []
    for threads in (1, 2):
        compiled = snippets_mlir.compile(program.text(), num_threads=threads, target="x86-64-avx2")
        assert len(compiled.kernels) == 1
        results.append(outputs(compiled(*program.given(arrays))))
    for found, other, wanted in zip(*results, program.expected(arrays), strict=True):
        np.testing.assert_array_equal(found, other)
        np.testing.assert_array_equal(np.isnan(found), np.isnan(wanted))
        np.testing.assert_allclose(found, wanted, 1e-4, 1e-4)
