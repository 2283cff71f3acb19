"""What an element of a kernel costs by the estimate, and who shares a kernel because of it."""

from __future__ import annotations

import numpy as np
import pytest

import snippets_mlir
from snippets_mlir.analysis.kernels.kernel_cost import KernelCost, cost_of
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.passes.pipelines import LIR_TO_VECTOR, SNIPPETS_TO_LIR
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.support.parsing import parse_module

UNARY = """
func.func @main(%x: tensor<SIZExf32>) -> tensor<SIZExf32> {
  %0 = snippets.OP %x : tensor<SIZExf32>
  func.return %0 : tensor<SIZExf32>
}
"""
SOFTMAX = """
func.func @main(%x: tensor<SIZExf32>) -> tensor<SIZExf32> {
  %0 = snippets.softmax %x {axis = AXIS : i64} : tensor<SIZExf32>
  func.return %0 : tensor<SIZExf32>
}
"""
ATTENTION = """
func.func @main(%q: tensor<64x32xf32>, %k: tensor<32x512xf32>, %v: tensor<512x32xf32>)
    -> tensor<64x32xf32> {
  %0 = snippets.matmul %q, %k : (tensor<64x32xf32>, tensor<32x512xf32>) -> tensor<64x512xf32>
  %1 = snippets.softmax %0 {axis = 1 : i64} : tensor<64x512xf32>
  %2 = snippets.matmul %1, %v : (tensor<64x512xf32>, tensor<512x32xf32>) -> tensor<64x32xf32>
  func.return %2 : tensor<64x32xf32>
}
"""


def _whole_cost(text: str, target: str) -> KernelCost:
    ctx = make_context()
    module = parse_module(text, ctx)
    passes = [*SNIPPETS_TO_LIR, *LIR_TO_VECTOR[: LIR_TO_VECTOR.index("convert-lir-to-vector")]]
    pipeline = ",".join(p for p in passes if p != "lir-unroll")
    spec = f"snippets-set-target{{target={target}}},{pipeline}"
    run_passes(module, ctx, parse_pipeline(spec, ctx))
    (kernel,) = [op for op in module.ops if isinstance(op, KernelOp)]
    return cost_of(kernel)


def _cost(text: str, target: str) -> int:
    return _whole_cost(text, target).element


def _unary(op: str, size: str) -> str:
    return UNARY.replace("SIZE", size).replace("OP", op)


@pytest.mark.parametrize(("target", "lanes"), [("generic", 4), ("x86-64-avx512", 16)])
def test_ops_are_counted_for_an_element(target: str, lanes: int):
    assert _cost(_unary("abs", "4096"), target) == round(3 * 250 / lanes)
    assert _cost(_unary("sqrt", "4096"), target) == round(10 * 250 / lanes)
    # Tails and the number of rows do not matter.
    assert _cost(_unary("abs", "77"), target) == round(3 * 250 / lanes)


def test_all_loops_over_a_row_count_and_what_is_done_once_for_it_does_not():
    along = _cost(SOFTMAX.replace("SIZE", "64x512").replace("AXIS", "1"), "x86-64-avx512")
    longer = _cost(SOFTMAX.replace("SIZE", "64x2048").replace("AXIS", "1"), "x86-64-avx512")
    across = _cost(SOFTMAX.replace("SIZE", "512x64").replace("AXIS", "0"), "x86-64-avx512")
    exp = _cost(_unary("exp", "4096"), "x86-64-avx512")
    assert along == longer
    assert exp < along < 3 * exp
    assert exp < across < 3 * exp


def _product(rows: object, terms: object, columns: object) -> str:
    left, right, result = (
        f"tensor<{m}x{n}xf32>" for m, n in ((rows, terms), (terms, columns), (rows, columns))
    )
    return f"""
    func.func @main(%a: {left}, %b: {right}) -> {result} {{
      %0 = snippets.matmul %a, %b : ({left}, {right}) -> {result}
      %1 = snippets.relu %0 : {result}
      func.return %1 : {result}
    }}"""


def test_the_space_of_a_product_has_all_its_terms():
    cost = _whole_cost(_product(96, 64, 128), "x86-64-avx512")
    assert cost.space == 96 * 64 * 128
    assert cost.element <= 2 * 250 / 16  # a load and a product for each vector at most
    left = _whole_cost(_product(96, 64, 46), "x86-64-avx512")  # the last vector has 14 columns
    assert left.space == 96 * 64 * 46
    assert cost.element <= left.element <= 1.2 * cost.element
    parts = _whole_cost(_product(96, 64, 78), "x86-64-avx512")  # 3 vectors, then 2
    assert parts.space == 96 * 64 * 48  # of the largest part; what is left of it is in the cost
    assert cost.element <= parts.element <= 2 * cost.element


@pytest.mark.parametrize("sizes", [(1043, 31, 46), (128, 128, 128), (1, 700, 700)])
def test_a_product_is_shared_by_its_terms_not_by_its_arrays(sizes: tuple[int, int, int]):
    fixed = snippets_mlir.compile(_product(*sizes), fallback="error", num_threads=2)
    assert fixed.built().program.teams == [2]
    small = snippets_mlir.compile(_product(8, 31, 46), fallback="error", num_threads=2)
    assert small.built().program.teams == [1]


def test_a_smaller_space_counts_for_its_part():
    both = _whole_cost(ATTENTION, "x86-64-avx512")
    assert both.space == 64 * 32 * 512
    product = _cost(_product(64, 32, 512), "x86-64-avx512")
    softmax = _cost(SOFTMAX.replace("SIZE", "64x512").replace("AXIS", "1"), "x86-64-avx512")
    assert 2 * product < both.element <= 3.5 * product + softmax / 16


def test_sizes_of_the_call_are_in_the_space():
    compiled = snippets_mlir.compile(_product("?", "?", "?"), fallback="error", num_threads=2)
    for rows, team in ((1043, 2), (8, 1), (0, 1)):
        left, right = np.ones((rows, 31), np.float32), np.ones((31, 146), np.float32)
        assert (compiled(left, right) == 31).all()
        (step,) = compiled.manifest["steps"]
        assert step["space"] == rows * 31 * 146
        assert list(compiled.built().program.teams) == [team]


def test_expensive_kernels_are_shared_earlier():
    def team(op: str, size: str) -> int:
        compiled = snippets_mlir.compile(
            _unary(op, size), fallback="error", num_threads=2, target="generic"
        )
        (only,) = compiled.built().program.teams
        return only

    assert [team("abs", str(1 << n)) for n in (8, 14, 17)] == [1, 1, 2]
    assert [team("tan", str(1 << n)) for n in (8, 14, 17)] == [1, 2, 2]
