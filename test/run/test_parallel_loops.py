"""Parallel loops on several threads: the same results as on one, and as the interpreter's."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest
from sampled import ends

import snippets_mlir
from snippets_mlir.runtime.parallel.crew import cores

THREADS = (1, 2, 5)

NEST = """func.func @scale(%x: f32, %A: memref<?x?xf32, strided<[?, 1]>>, %B: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %B, %c0 : memref<?x?xf32>
  %n = memref.dim %B, %c1 : memref<?x?xf32>
  affine.parallel (%i, %j) = (0, 0) to (symbol(%m), symbol(%n)) {
    %0 = affine.load %A[%i, %j] : memref<?x?xf32, strided<[?, 1]>>
    %1 = arith.mulf %0, %x : f32
    affine.store %1, %B[%i, %j] : memref<?x?xf32>
  }
  func.return
}"""

STEPS = """func.func @steps(%lower: index, %upper: index, %step: index, %A: memref<?xi64>) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c1 = arith.constant 1 : index
  %w = arith.constant 1 : i64
  scf.for %k = %c0 to %c3 step %c1 {
    scf.parallel (%i) = (%lower) to (%upper) step (%step) {
      %0 = memref.load %A[%i] : memref<?xi64>
      %1 = arith.addi %0, %w : i64
      memref.store %1, %A[%i] : memref<?xi64>
    }
  }
  func.return
}"""

REDUCTIONS = """func.func @reduce(%n: index, %x: T, %A: memref<?xT>) -> (T, T) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%x, %x) -> (T, T) {
    %v = memref.load %A[%i] : memref<?xT>
    scf.reduce(%v, %v : T, T) {
    ^bb0(%l: T, %s: T):
      %0 = arith.OPA %l, %s : T
      scf.reduce.return %0 : T
    }, {
    ^bb0(%l: T, %s: T):
      %0 = arith.OPB %s, %l : T
      scf.reduce.return %0 : T
    }
  }
  func.return %r#0, %r#1 : T, T
}"""


def compiled(text: str, threads: int) -> Any:
    program = snippets_mlir.compile(text, num_threads=threads)
    assert ("func.call" in program.ir("outline-parallel-loops")) == (threads > 1)
    return program


@pytest.mark.parametrize("threads", THREADS)
def test_a_nest_over_rows_that_lie_apart(threads: int):
    """Sizes below, at and far above what one thread is enough for."""
    program = compiled(NEST, threads)
    for m, n in ((0, 5), (5, 0), (1, 1), (3, 7), (1, 40_000), (300, 400)):
        source = np.arange(m * (n + 3), dtype=np.float32).reshape(m, n + 3)[:, 2 : n + 2]
        target = np.full((m, n), -1, np.float32)
        program(1.5, source, target)
        np.testing.assert_array_equal(target, source * np.float32(1.5))


@pytest.mark.parametrize("threads", THREADS)
def test_bounds_and_steps(threads: int):
    """Each iteration runs once for each iteration of the loop around, and no other does."""
    program = compiled(STEPS, threads)
    for lower, upper, step in ((0, 0, 1), (3, 3, 2), (9, 2, 4), (1, 2, 7), (7, 90_001, 2)):
        array = np.arange(90_010)
        expected = array.copy()
        expected[lower:upper:step] += 3
        program(lower, upper, step, array)
        np.testing.assert_array_equal(array, expected)


@pytest.mark.parametrize(
    ("element", "first", "second"),
    [
        ("i32", "addi", "muli"),
        ("i8", "minsi", "maxui"),
        ("i64", "andi", "xori"),
        ("f64", "minimumf", "maximumf"),
        ("f32", "minnumf", "maxnumf"),
    ],
)
def test_reductions_are_equal(element: str, first: str, second: str):
    """The neutral element changes nothing, whatever the first value is."""
    text = REDUCTIONS.replace("T", element).replace("OPA", first).replace("OPB", second)
    dtype = np.dtype(element.replace("i", "int").replace("f", "float"))
    values = np.random.default_rng(3).integers(1, 100, 70_000).astype(dtype)
    if dtype.kind == "f":
        values[60_000:60_003] = np.inf, -np.inf, -0.0
    one, *others = (compiled(text, threads) for threads in ends(THREADS))
    for size in (0, 1, 5, 8191, 8192, 70_000):
        for init in (dtype.type(0), dtype.type(-0.0), values[3]):
            expected = one(size, init, values)
            for program in others:
                found = program(size, init, values)
                np.testing.assert_array_equal(found, expected)
                assert np.signbit(found).tolist() == np.signbit(expected).tolist()


def test_sums_do_not_depend_on_the_number_of_threads():
    """They are summed in pieces, within rounding of one after the other."""
    text = REDUCTIONS.replace("T", "f32").replace("OPA", "addf").replace("OPB", "mulf")
    values = np.random.default_rng(3).uniform(0.999, 1.001, 70_000).astype(np.float32)
    one, two, five = (compiled(text, threads) for threads in THREADS)
    expected = one(70_000, np.float32(1), values)
    found = two(70_000, np.float32(1), values)
    assert found == five(70_000, np.float32(1), values)
    np.testing.assert_allclose(found, expected, 1e-2)
    assert np.signbit(two(0, np.float32(-0.0), values)[0])


def test_what_the_pass_makes_runs_in_the_interpreter():
    program = compiled(NEST, 2)
    source, target = np.ones((2, 3), np.float32), np.zeros((2, 3), np.float32)
    from snippets_mlir.interpreter import Interpreter
    from snippets_mlir.interpreter.memrefs import run_on_memrefs
    from snippets_mlir.passmanager.context import make_context
    from snippets_mlir.support.parsing import parse_module

    module = parse_module(program.ir("outline-parallel-loops"), make_context())
    run_on_memrefs(Interpreter(module), "scale", [np.float32(3), source, target])
    np.testing.assert_array_equal(target, source * 3)


@pytest.mark.skipif(cores() < 2, reason="there is one CPU")
def test_a_child_of_a_fork_runs_on_one_thread():
    program = compiled(NEST, 2)
    source = np.ones((300, 400), np.float32)
    target = np.zeros_like(source)
    program(3.0, source, target)
    child = os.fork()
    if child == 0:
        program(3.0, source, target)
        os._exit(0 if (target == 3).all() else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
