"""What an element of a kernel costs by the estimate, and who shares a kernel because of it."""

from __future__ import annotations

import pytest

import snippets_mlir
from snippets_mlir.analysis.kernel_cost import element_cost
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


def _cost(text: str, target: str) -> int:
    ctx = make_context()
    module = parse_module(text, ctx)
    passes = [*SNIPPETS_TO_LIR, *LIR_TO_VECTOR[: LIR_TO_VECTOR.index("convert-lir-to-vector")]]
    pipeline = ",".join(p for p in passes if p != "lir-unroll")
    spec = f"snippets-set-target{{target={target}}},{pipeline}"
    run_passes(module, ctx, parse_pipeline(spec, ctx))
    (kernel,) = [op for op in module.ops if isinstance(op, KernelOp)]
    return element_cost(kernel)


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


def test_expensive_kernels_are_shared_earlier():
    def team(op: str, size: str) -> int:
        compiled = snippets_mlir.compile(
            _unary(op, size), fallback="error", num_threads=2, target="generic"
        )
        (only,) = compiled.built().program.teams
        return only

    assert [team("abs", str(1 << n)) for n in (8, 14, 17)] == [1, 1, 2]
    assert [team("tan", str(1 << n)) for n in (8, 14, 17)] == [1, 2, 2]
