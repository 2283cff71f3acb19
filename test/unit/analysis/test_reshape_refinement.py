"""The factors that make reshapes the identity, the common order of dims, and what they cost."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence

import pytest
from dataflow_runs import after
from xdsl.dialects.builtin import ModuleOp, TensorType, f32
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region, SSAValue

from snippets_mlir.analysis.graph import reshape_refinement
from snippets_mlir.analysis.graph.dim_classes import DimClasses, NoRefinementError
from snippets_mlir.analysis.graph.dim_orders import common_order
from snippets_mlir.analysis.graph.refined_bodies import Refinement
from snippets_mlir.analysis.graph.reshape_refinement import plan_refinement, refine
from snippets_mlir.dialects.builtin.dims import Dim, Shape, symbol
from snippets_mlir.dialects.snippets.conversion import ReshapeOp
from snippets_mlir.dialects.snippets.rectifiers import ReluOp
from snippets_mlir.dialects.snippets.shapes import DYNAMIC
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.support.parsing import parse_module

N, M = symbol(0), symbol(1)


def factors(source: Sequence[Dim], target: Sequence[Dim]) -> list[Shape]:
    """The factors of the dims of both sides of a reshape."""
    classes = DimClasses()
    left, right = [classes.add(s) for s in source], [classes.add(s) for s in target]
    classes.regroup(left, right)
    classes.solve()
    return [classes.factors(item) for item in (*left, *right)]


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ([4, 6], [24], [(4,), (6,), (4, 6)]),
        ([24], [2, 3, 4], [(2, 3, 4), (2,), (3,), (4,)]),
        ([4, 6], [8, 3], [(4,), (2, 3), (4, 2), (3,)]),
        ([4, 6], [2, 12], [(2, 2), (6,), (2,), (2, 6)]),
        ([5, 4, 6], [5, 24], [(5,), (4,), (6,), (5,), (4, 6)]),
        ([8, 27], [2, 4, 3, 9], [(2, 4), (3, 9), (2,), (4,), (3,), (9,)]),
        ([0, 4], [0, 2, 2], [(0,), (2, 2), (0,), (2,), (2,)]),
        ([DYNAMIC, 4], [DYNAMIC, 2, 2], [(DYNAMIC,), (2, 2), (DYNAMIC,), (2,), (2,)]),
        ([], [], []),
        # Dynamic sizes are symbols with factors of their own.
        ([N, 4], [4 * N], [(N,), (4,), (N, 4)]),
        ([6, 2 * N, M], [12, N * M], [(6,), (2, N), (M,), (6, 2), (N, M)]),
    ],
)
def test_factors_of_a_reshape(
    source: list[int], target: list[int], expected: list[tuple[int, ...]]
) -> None:
    assert factors(source, target) == expected


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ([6, 4], [4, 6]),
        ([9, 4], [6, 6]),
        ([DYNAMIC, 6], [DYNAMIC, 2]),
        ([DYNAMIC, 4], [4, DYNAMIC]),
        ([DYNAMIC, DYNAMIC, 4], [DYNAMIC, DYNAMIC, 2, 2]),
        ([0, 4], [0, 5]),
        ([4], [2]),
        ([N, M], [M, N]),
        ([N, 4], [4, N]),
    ],
)
def test_no_factors_of_a_reshape(source: list[int], target: list[int]) -> None:
    with pytest.raises(NoRefinementError):
        factors(source, target)


def test_cuts_travel_through_reshapes() -> None:
    """A cut of one reshape is forwarded by another, also against each other."""
    classes = DimClasses()
    a, b, c, d = (classes.add(size) for size in (24, 24, 4, 6))
    e, f = classes.add(2), classes.add(12)
    classes.same(a, b)
    classes.regroup([b], [c, d])
    classes.regroup([e, f], [a])
    classes.solve()
    assert [classes.factors(item) for item in (a, b, c, d, e, f)] == [
        *((2, 2, 6), (2, 2, 6)),
        *((2, 2), (6,), (2,), (2, 6)),
    ]
    classes = DimClasses()
    whole = classes.add(36)
    classes.regroup([whole], [classes.add(4), classes.add(9)])
    classes.regroup([whole], [classes.add(6), classes.add(6)])
    with pytest.raises(NoRefinementError, match="a dim of 9 cannot be split at 6"):
        classes.solve()
    classes = DimClasses()
    whole = classes.add(36)
    classes.cut(whole, 4)
    classes.cut(whole, 6)
    with pytest.raises(NoRefinementError, match="a dim of 36 cannot be split at both 4 and 6"):
        classes.solve()


def test_messages_name_symbols() -> None:
    classes = DimClasses()
    whole = classes.add(4 * N)
    classes.cut(whole, N)
    classes.cut(whole, 4)
    with pytest.raises(NoRefinementError, match=r"^a dim of \?0\*4 cannot be split at both"):
        classes.solve()
    classes = DimClasses()
    classes.regroup(*([classes.add(size) for size in sizes] for sizes in ([N, 4], [4, N])))
    with pytest.raises(NoRefinementError, match=r"no boundary with (4|\?0) elements"):
        classes.solve()


def test_a_dim_of_unknown_size_is_not_cut() -> None:
    classes = DimClasses()
    known, unknown = classes.add(6), classes.add(DYNAMIC)
    classes.same(known, unknown)
    classes.cut(known, 2)
    with pytest.raises(NoRefinementError, match="unknown"):
        classes.solve()


def test_orders() -> None:
    assert common_order([(1, 2)], [(2, 3), (0, 1)]) == [0, 1, 2, 3]
    assert common_order([(1, 2), (2, 1)], []) is None
    # The first wish counts, the one against it does not.
    assert common_order([], [(2, 1), (1, 2), (1, 3)]) == [2, 1, 3]
    assert common_order([(1, 2)], [(2, 1), (2, 3)]) == [1, 2, 3]


def plan_of(body: str) -> Refinement:
    """The refined form of the ops of a function."""
    module = parse_module(body, make_context())
    (function,) = module.ops
    assert isinstance(function, FuncOp)
    return refine(list(function.body.block.ops))


BODY = """func.func @main(%x: tensor<2x3x4xf32>, %y: tensor<6x4xf32>) -> tensor<6x4xf32> {
  %0 = snippets.relu %x : tensor<2x3x4xf32>
  %1 = snippets.reshape %0 : (tensor<2x3x4xf32>) -> tensor<6x4xf32>
  %2 = snippets.softmax %1 {axis = 0 : i64} : tensor<6x4xf32>
  %3 = snippets.add %2, %y : tensor<6x4xf32>
  func.return %3 : tensor<6x4xf32>
}"""


def test_refined_shapes_and_axes() -> None:
    plan = plan_of(BODY)
    assert {plan.shape(value) for value in plan.layouts} == {(2, 3, 4)}
    softmax = next(op for op in plan.views.between if op.name == "snippets.softmax")
    assert plan.axes(softmax.operands[0], [0]) == (0, 1)


def test_the_rank_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reshape_refinement, "MAX_RANK", 3)
    plan_of(BODY)
    monkeypatch.setattr(reshape_refinement, "MAX_RANK", 2)
    with pytest.raises(NoRefinementError, match="2x3x4 has more than 2 dims"):
        plan_of(BODY)


@pytest.mark.parametrize(
    "op",
    [
        "group_norm %0, %s, %s {num_groups = 2 : i64, epsilon = 1.0e-5 : f64}",
        "instance_norm %0, %s, %s {epsilon = 1.0e-5 : f64}",
    ],
)
def test_channels(op: str) -> None:
    """A parameter of a norm is split like the channels, which its groups cut."""
    plan = plan_of(
        "func.func @main(%x: tensor<2x8x3xf32>, %s: tensor<8xf32>) -> tensor<2x4x6xf32> {\n"
        "  %0 = snippets.relu %x : tensor<2x8x3xf32>\n"
        f"  %1 = snippets.{op} : (tensor<2x8x3xf32>, tensor<8xf32>, tensor<8xf32>)"
        " -> tensor<2x8x3xf32>\n"
        "  %2 = snippets.reshape %1 : (tensor<2x8x3xf32>) -> tensor<2x4x6xf32>\n"
        "  %3 = snippets.relu %2 : tensor<2x4x6xf32>\n"
        "  func.return %3 : tensor<2x4x6xf32>\n}"
    )
    split = (2, 2, 2) if op.startswith("group") else (4, 2)
    parameter = next(v for v in plan.layouts if v.name_hint == "s")
    assert plan.shape(parameter) == (*split, 1)
    assert plan.shape(plan.views.results[0]) == (2, *split, 3)


def test_no_plan_is_none() -> None:
    text = BODY.replace("2x3x4", "4x6").replace("relu %x", "abs %x")
    module = parse_module(text, make_context())
    ops = list(next(iter(module.ops)).regions[0].block.ops)
    assert plan_refinement(ops) is None
    assert plan_refinement([]) is not None


def test_outputs_may_be_named() -> None:
    """A part of a graph whose readers are not there yet: its outputs keep their order."""
    text = (
        "func.func @main(%x: tensor<4x6xf32>) {\n"
        "  %0 = snippets.relu %x : tensor<4x6xf32>\n"
        "  %1 = snippets.transpose %0 {permutation = array<i64: 1, 0>} : "
        "(tensor<4x6xf32>) -> tensor<6x4xf32>\n  func.return\n}"
    )
    ops = list(next(iter(parse_module(text, make_context()).ops)).regions[0].block.ops)
    first, second = ops[0].results[0], ops[1].results[0]
    plan = plan_refinement(ops, [second])
    assert plan is not None
    assert plan.shape(first) == (6, 4)
    assert plan_refinement(ops, [first, second]) is None


def chain(count: int) -> ModuleOp:
    """A chain of reshapes and ops, each with another split of the elements."""
    shapes = [(64, 27), (1728,), (8, 8, 27), (16, 108), (64, 3, 9)]
    region = Region(Block(arg_types=[TensorType(f32, shapes[0])]))
    value: SSAValue = region.block.args[0]
    ops: list[Operation] = []
    for index in range(count):
        ops.append(ReluOp(value))
        ops.append(ReshapeOp(ops[-1], shapes[(index + 1) % len(shapes)]))
        value = ops[-1].results[0]
    region.block.add_ops([*ops, ReturnOp(value)])
    type_ = ([region.block.args[0].type], [value.type])
    return ModuleOp([FuncOp("main", type_, region)])


def test_cost_is_linear() -> None:
    """Four times the ops call less than five times as many functions."""
    calls: list[int] = []
    for count in (150, 600):
        ops = list(next(iter(chain(count).ops)).regions[0].block.ops)
        found = Counter[str]()
        sys.setprofile(lambda _frame, event, _, found=found: found.update([event]))
        try:
            plan = plan_refinement(ops)
        finally:
            sys.setprofile(None)
        assert plan is not None
        calls.append(found["call"] + found["c_call"])
    assert calls[1] < 5 * calls[0]


def test_the_pass_keeps_no_reshape_of_a_chain() -> None:
    module = after(str(chain(20)), "snippets-eliminate-reshapes")
    assert sum(isinstance(op, ReshapeOp) for op in module.walk()) == 2
