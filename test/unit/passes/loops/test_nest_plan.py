"""Plans of nests: what they say, and that planning changes nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from xdsl.dialects import affine
from xdsl.dialects.builtin import ModuleOp

from snippets_mlir.analysis.loops.loop_bodies import Refusal
from snippets_mlir.analysis.loops.loop_fusion import Fusion, plan_fusion
from snippets_mlir.passes.loops.affine.nest_plan import NestPlan, plan_nest
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.support.parsing import parse_module

ROOT = Path(__file__).resolve().parents[4]
CORPUS = sorted((ROOT / "test/passes/loops/affine").glob("affine-super-vectorize*.mlir"))


def parse(text: str) -> ModuleOp:
    return parse_module(text, make_context())


def loops_of(module: ModuleOp) -> list[affine.ForOp]:
    return [op for op in module.walk() if isinstance(op, affine.ForOp)]


@pytest.mark.parametrize("file", CORPUS, ids=lambda file: file.stem)
def test_planning_changes_nothing(file: Path):
    module = parse(file.read_text(encoding="utf-8"))
    before = str(module)
    for loop in loops_of(module):
        plan_nest(loop, {loop: 0}, (8,))
    assert str(module) == before


NEST = """func.func @f(%A: memref<16x60xf32>, %B: memref<?x?xf32>, %R: memref<60xf32>, %n: index) {
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to 60 {
      %a = affine.load %A[%i, %j] : memref<16x60xf32>
      %r = affine.load %R[%j] : memref<60xf32>
      %s = arith.addf %a, %r : f32
      affine.store %s, %B[%j, %i] : memref<?x?xf32>
    }
  }
  func.return
}"""


def plan_of(text: str, sizes: tuple[int, ...]) -> NestPlan:
    loops = loops_of(parse(text))
    plan = plan_nest(loops[0], dict(zip(loops, range(len(loops)), strict=True)), sizes)
    assert isinstance(plan, NestPlan)
    return plan


def test_transfers_of_a_nest():
    """%j is not a multiple of 8 long: its lanes are not in bounds, and the store masks them."""
    plan = plan_of(NEST, (4, 8))
    (_, of_a), (_, of_r), (_, of_b) = plan.transfers
    assert of_a.dims == (0, 1)
    assert of_a.in_bounds == (True, False)
    assert of_r.dims == (None, 0)
    assert of_r.in_bounds == (True, False)
    assert of_b.dims == (1, 0)
    assert of_b.mask == (1,)
    assert of_b.mask_order() == (1, 0)
    assert (of_a.mask, of_r.mask) == ((), ())


def test_sizes_that_divide_need_no_mask():
    plan = plan_of(NEST, (4, 12))
    assert plan.whole == frozenset(loop for loop, _ in plan.dims)
    assert all(all(t.in_bounds) and not t.mask for _, t in plan.transfers)


def test_refusals_name_the_op():
    text = NEST.replace("%B[%j, %i]", "%B[%j, 0]")
    loops = loops_of(parse(text))
    refusal = plan_nest(loops[0], {loops[0]: 0, loops[1]: 1}, (4, 8))
    assert isinstance(refusal, Refusal)
    assert isinstance(refusal.op, affine.StoreOp)
    assert "without all vectorized loops" in refusal.reason


TWO = """func.func @f(%A: memref<64xf32>, %B: memref<64xf32>, %x: f32) {
  affine.for %i = 0 to 64 {
    affine.store %x, %A[%i] : memref<64xf32>
  }
  affine.for %j = LOWER to 64 {
    %0 = affine.load %A[SUBSCRIPT] : memref<64xf32>
    affine.store %0, %B[%j] : memref<64xf32>
  }
  func.return
}"""


def fusion_of(lower: str, subscript: str) -> Fusion | str:
    first, second = loops_of(parse(TWO.replace("LOWER", lower).replace("SUBSCRIPT", subscript)))
    return plan_fusion(first, second)


def test_fusions_and_their_worth():
    same = fusion_of("0", "%j")
    assert isinstance(same, Fusion)
    assert (same.worth, same.feeds, same.chained, same.at_second) == (1, True, False, True)
    chained = fusion_of("0", "%j mod 8")
    assert isinstance(chained, Fusion)
    assert chained.chained


def test_why_loops_stay_apart():
    assert fusion_of("1", "%j") == "the loops run different iterations"
    assert fusion_of("0", "-%j + 63") == (
        "an iteration needs what a later iteration of the first loop does"
    )
