"""Which factor a loop gets, and the parts that it becomes."""

from __future__ import annotations

import pytest

from snippets_mlir.dialects.builtin.dims import Dim, symbol
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.loops import LoopInfo
from snippets_mlir.dialects.lir.markers import LoopBeginOp, LoopEndOp
from snippets_mlir.passes.lir.lir_unroll import innermost
from snippets_mlir.passes.lir.loop_copies import loop_body
from snippets_mlir.passes.lir.loop_unrolling import may_be_short, plan_unrolled_parts
from snippets_mlir.passes.lir.repetition import Unrolling, accumulators
from snippets_mlir.passes.lir.unrolled_bodies import Body, may_take_turns, plan_factor
from snippets_mlir.passes.pipelines import LIR_TO_VECTOR
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.support.parsing import parse_module

MAXIMA = """func.func @main(%x: tensor<4x64xf32>) -> tensor<4x1xf32> {
  %0 = snippets.reduce_max %x {axes = array<i64: 1>, keep_dims}
     : (tensor<4x64xf32>) -> tensor<4x1xf32>
  func.return %0 : tensor<4x1xf32>
}"""


def loop(work: Dim, increment: int = 8) -> LoopInfo:
    return LoopInfo(0, work, increment, 0)


@pytest.mark.parametrize(
    ("work", "factor"), [(8, 1), (15, 1), (16, 2), (31, 2), (32, 4), (33, 4), (symbol(0), 4)]
)
def test_iterations_bound_the_factor(work: Dim, factor: int) -> None:
    assert plan_factor(Body(loop(work), 4, 1, 3), 16, 32) == factor


@pytest.mark.parametrize(("ops", "factor"), [(8, 4), (9, 2), (16, 2), (17, 1)])
def test_ops_bound_the_factor(ops: int, factor: int) -> None:
    assert plan_factor(Body(loop(64), ops, 0, 3), 16, 32) == factor


@pytest.mark.parametrize(("live", "factor"), [(10, 4), (11, 2), (14, 2), (15, 1), (20, 1)])
def test_registers_bound_the_factor(live: int, factor: int) -> None:
    """Two accumulators: each iteration more takes two registers."""
    body = Body(loop(64), 4, 2, live)
    assert plan_factor(body, 16, 32) == factor
    assert body.registers(factor) <= 16 or factor == 1


def test_parts_add_up() -> None:
    for work in range(32, 100):
        rest = bool(work % 32)
        parts = plan_unrolled_parts(Unrolling(loop(work), 4, rest), 5)
        assert [part.loop.id for part in parts] == [5, 6][: 1 + rest]
        assert sum(part.loop.work_amount for part in parts) == work
        assert [part.final for part in parts] == ([False, True] if rest else [True])
        assert parts[0].loop.increment == 32
        assert all(part.loop.origin == 0 for part in parts)


def test_parts_of_a_dynamic_loop_share_its_work() -> None:
    parts = plan_unrolled_parts(Unrolling(loop(symbol(0)), 2, rest=True), 1)
    assert [part.loop.work_amount for part in parts] == [symbol(0)] * 2
    assert [(part.loop.iteration, part.loop.increment) for part in parts] == [
        ("unrolled", 16),
        ("main", 8),
    ]


@pytest.mark.parametrize("kind", ["reduce_max", "reduce_maxnum"])
def test_accumulators_are_the_first_operand_where_that_matters(kind: str) -> None:
    """A running maximum whose second operand is carried may hold a NaN: it goes on in turn."""
    ctx = make_context()
    module = parse_module(MAXIMA.replace("reduce_max", kind), ctx)
    names = LIR_TO_VECTOR[: LIR_TO_VECTOR.index("lir-insert-loops") + 1]
    run_passes(module, ctx, parse_pipeline(",".join(("snippets-to-lir", *names)), ctx))
    (begin,) = [op for op in module.walk() if isinstance(op, LoopBeginOp) and op.values]
    (end,) = [op for op in module.walk() if isinstance(op, LoopEndOp) and op.carried]
    (combined,) = accumulators(begin, end).values()
    combined.operands = list(reversed(combined.operands))
    assert len(accumulators(begin, end)) == (kind == "reduce_max")


def test_blocks_may_be_short() -> None:
    def block(whole: int) -> bool:
        outer, inner = loop(whole, 64), LoopInfo(1, 64, 8, 0, inner_of=0)
        return may_be_short(inner, {0: outer, 1: inner})

    assert not block(128)
    assert block(130)
    assert not may_be_short(loop(13), {})


SOFTMAX = """func.func @main(%x: tensor<4x64xf32>) -> tensor<4x64xf32> {
  %0 = snippets.softmax %x {axis = 1 : i64} : tensor<4x64xf32>
  %1 = snippets.reduce_sum %0 {axes = array<i64: 1>, keep_dims}
     : (tensor<4x64xf32>) -> tensor<4x1xf32>
  %2 = snippets.divide %0, %1 : (tensor<4x64xf32>, tensor<4x1xf32>) -> tensor<4x64xf32>
  func.return %2 : tensor<4x64xf32>
}"""


def test_buffers_are_read_before_anything_is_written() -> None:
    ctx = make_context()
    module = parse_module(SOFTMAX, ctx)
    names = LIR_TO_VECTOR[: LIR_TO_VECTOR.index("lir-jam-loops")]
    run_passes(module, ctx, parse_pipeline(",".join(("snippets-to-lir", *names)), ctx))
    (kernel,) = (op for op in module.ops if isinstance(op, KernelOp))
    turned = 0
    for begin in innermost(kernel):
        ops = loop_body(begin)
        assert may_take_turns(begin, ops)
        stores = [op for op in ops if op.name == "lir.store"]
        loads = [op for op in ops if op.name == "lir.load"]
        if stores and loads:
            array = loads[0].operands[0] in kernel.block.args
            backwards = [ops[0], *stores, *loads, ops[-1]]
            assert may_take_turns(begin, backwards) == array
            turned += not array
    assert turned
