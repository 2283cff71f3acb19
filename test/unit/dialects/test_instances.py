"""Instances of dynamic modules: they compute what calls compute, and the checkers look at them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from snippets_mlir.checkers.linear_ir import verify_linear_ir
from snippets_mlir.dialects.lir.instances import instance_of, sample_dims, symbols_in
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.inspect.opt import with_symbols
from snippets_mlir.interpreter.machine import Interpreter
from snippets_mlir.passes.pipelines import LIR_TO_VECTOR, SNIPPETS_TO_LIR
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.parsing import parse_module
from snippets_mlir.support.printing import print_module

EXPAND = "lir-insert-specific-iterations"
PIPELINE = ",".join((*SNIPPETS_TO_LIR, *LIR_TO_VECTOR)).replace(
    "snippets-set-target", "snippets-set-target{target=generic}"
)
EXPANDED = PIPELINE[: PIPELINE.index(EXPAND) + len(EXPAND)]

SOFTMAX = """func.func @main(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = snippets.softmax %x {axis = 1 : i64} : tensor<?x?xf32>
  func.return %0 : tensor<?x?xf32>
}"""

SUM = """func.func @main(%x: tensor<?x?xf32>) -> tensor<?x1xf32> {
  %0 = snippets.reduce_sum %x {axes = array<i64: 1>, keep_dims}
      : (tensor<?x?xf32>) -> tensor<?x1xf32>
  func.return %0 : tensor<?x1xf32>
}"""


NORM = """func.func @main(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = snippets.layer_norm %x {axis = 1 : i64, epsilon = 1.0e-5 : f64} : tensor<?x?xf32>
  func.return %0 : tensor<?x?xf32>
}"""

MEANS = """func.func @main(%x: tensor<?x?xi32>, %y: tensor<?x?xi8>)
    -> (tensor<?x1xi32>, tensor<1x?xi8>) {
  %0 = snippets.reduce_mean %x {axes = array<i64: 1>, keep_dims}
      : (tensor<?x?xi32>) -> tensor<?x1xi32>
  %1 = snippets.reduce_mean %y {axes = array<i64: 0>, keep_dims}
      : (tensor<?x?xi8>) -> tensor<1x?xi8>
  func.return %0, %1 : tensor<?x1xi32>, tensor<1x?xi8>
}"""


def lowered(text: str, passes: str) -> ModuleOp:
    """A program with symbols, after `passes`; checked after each."""
    ctx = make_context()
    module = with_symbols(parse_module(text, ctx, "t"))
    run_passes(module, ctx, parse_pipeline(passes, ctx), verify_each=True)
    return module


def softmax(x: Any) -> Any:
    e = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def norm(x: Any) -> Any:
    t = x.astype(np.float64) - x.mean(1, keepdims=True, dtype=np.float64)
    return t / np.sqrt((t * t).mean(1, keepdims=True) + 1e-5)


@pytest.mark.parametrize(("text", "function"), [(SOFTMAX, softmax), (NORM, norm)])
def test_every_size_around_a_vector(text: str, function: Callable[[Any], Any]) -> None:
    """One module for all calls: shorter than a vector, whole ones, unrolled, and tails.

    A mean divides by the size: a number of the kernel, in linear IR and read from `rt` after it.
    """
    module = lowered(text, EXPANDED)
    ctx = make_context()
    rng = np.random.default_rng(1)
    for passes in ("", PIPELINE.removeprefix(f"{EXPANDED},")):
        run_passes(module, ctx, parse_pipeline(passes, ctx), verify_each=True)
        assert symbols_in(module) == 2
        for rows, columns in [(2, 3), (3, 4), (2, 19)]:
            x = rng.standard_normal((rows, columns)).astype(np.float32)
            (found,) = Interpreter(instance_of(module, [rows, columns])).run("main", [x])
            np.testing.assert_allclose(found, function(x), rtol=1e-5, atol=1e-6)


def test_integer_means_keep_the_low_bits_of_the_size() -> None:
    """300 is 44 in 8 bits; what is divided by it is a sum that wraps, too."""
    module = lowered(MEANS, "snippets-decompose-reductions")
    x, y = np.full((2, 5), 7, np.int32), np.ones((300, 3), np.int8)
    dims = [2, 5, 300, 3]
    found = Interpreter(instance_of(module, dims)).run("main", [x, y])
    np.testing.assert_array_equal(found[0], np.full((2, 1), 7))
    np.testing.assert_array_equal(found[1], np.full((1, 3), 1))


def test_blocks_of_a_split_sum() -> None:
    """A block loop's tail is itself a loop with a main part and a tail."""
    module = lowered(SUM, EXPANDED)
    for columns in (7, 1023, 1024, 1030):
        x = np.random.default_rng(2).integers(-9, 9, (2, columns)).astype(np.float32)
        (found,) = Interpreter(instance_of(module, [2, columns])).run("main", [x])
        np.testing.assert_array_equal(found, x.sum(1, keepdims=True))


PRODUCT = """func.func @main(%x: tensor<?x?xf32>, %y: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %0 = snippets.matmul %x, %y : (tensor<?x?xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
  func.return %0 : tensor<?x3xf32>
}"""


def test_the_last_block_of_a_whole_loop_is_short() -> None:
    """The terms of a product go by blocks of blocks of 64, in one copy of the code for all."""
    module = lowered(PRODUCT, EXPANDED)
    (kernel,) = [op for op in module.ops if isinstance(op, KernelOp)]
    blocks = [loop for loop in kernel.loop_table.values() if loop.iteration == "whole"]
    assert {loop.increment for loop in blocks} == {64, 16384}
    verify_linear_ir(module)
    rng, ctx = np.random.default_rng(3), make_context()
    for passes in ("", PIPELINE.removeprefix(f"{EXPANDED},")):
        run_passes(module, ctx, parse_pipeline(passes, ctx), verify_each=True)
        for terms in (3, 63, 64, 66, 129):
            x = rng.integers(-9, 9, (2, terms)).astype(np.float32)
            y = rng.integers(-9, 9, (terms, 3)).astype(np.float32)
            (found,) = Interpreter(instance_of(module, [2, terms])).run("main", [x, y])
            np.testing.assert_array_equal(found, x @ y)


def test_instance_is_static_text() -> None:
    """An instance prints, parses back and has no symbol."""
    instance = instance_of(lowered(SUM, EXPANDED), [3, 21])
    text = print_module(instance)
    again = parse_module(text, make_context(), "t")
    assert print_module(again) == text
    assert symbols_in(again) == 0
    assert "?" not in text
    (kernel,) = [op for op in again.ops if isinstance(op, KernelOp)]
    assert not kernel.dynamic


def test_sets_of_sizes() -> None:
    assert sample_dims(0) == [[], [], []]
    for dims in sample_dims(9):
        assert len(dims) == 9
        assert min(dims) > 1


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("ptr ?1 fin ?0*?1*-1", "ptr ?0 fin ?0*?0*-1", "P3: expected loop 0 to move"),
        ("count = -1", "count = -1", ""),
        ("count = -1", "count = 4", "A1: expected lir.load inside of its array"),
    ],
)
def test_checkers_look_at_dynamic_kernels(old: str, new: str, message: str) -> None:
    """What is wrong for some sizes only: the length of a row, a tail that is a whole vector."""
    text = print_module(lowered(SUM, EXPANDED))
    assert old in text
    module = parse_module(text.replace(old, new), make_context(), "t")
    if not message:
        verify_linear_ir(module)
        return
    with pytest.raises(CompileError, match=message):
        verify_linear_ir(module)
