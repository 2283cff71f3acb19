"""The analyses of `snippets-fuse-ops`: against naive ones, by their values, by their cost."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import numpy as np
import pytest
from naive_fuse_ops import NaiveFuseOps, Options, Spec
from random_fusion_graphs import difference, fusion_graph, groups_of, random_graph
from sampled import sampled

from snippets_mlir.analysis.fusion.graph import FusionGraph
from snippets_mlir.analysis.fusion.groups import FusionGroups, combine
from snippets_mlir.analysis.fusion.post_dominators import PostDominators
from snippets_mlir.analysis.fusion.rules import Fusion, FusionOptions
from snippets_mlir.dialects.snippets.pattern_kinds import PatternKind
from snippets_mlir.dialects.snippets.subgraph import SubgraphOp
from snippets_mlir.interpreter import Interpreter
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.support.parsing import parse_module

EW, INJ, OEF = PatternKind.ELEMWISE, PatternKind.INJECTIVE, PatternKind.OUT_ELEMWISE_FUSABLE


def chain(count: int, kind: PatternKind = EW) -> FusionGraph:
    """`count` nodes in a row."""
    graph = FusionGraph()
    for number in range(count):
        node = graph.add_node(kind, is_extern=number == count - 1)
        if number:
            graph.add_edge(graph.nodes[number - 1], node, kind)
    return graph


@pytest.mark.parametrize("seed", sampled(range(400), 4))
def test_random_graphs(seed: int) -> None:
    """The groups are those of the naive implementation."""
    assert difference(seed) is None


@pytest.mark.parametrize("seed", range(60))
def test_post_dominators(seed: int) -> None:
    """Parents and the kinds on the way are those found by looking at all paths."""
    specs = random_graph(Random(seed))
    naive, tree = NaiveFuseOps(specs, Options(level=0)), PostDominators(fusion_graph(specs))
    for number in range(len(specs)):
        parent = naive.dominator(number)
        assert tree.nodes[number].parent == parent
        if parent is not None:
            assert tree.nodes[number].pattern == naive.way(number, parent)


@pytest.mark.parametrize(
    ("count", "depth", "sizes"), [(300, 256, [256, 44]), (20, 10, [10, 10]), (6, 4, [4, 2])]
)
def test_depth_fills_the_first_group(count: int, depth: int, sizes: list[int]) -> None:
    """The published numbers for chains of elementwise ops."""
    groups = groups_of(Fusion(chain(count), FusionOptions(max_depth=depth)))
    assert [len(g) for g in sorted(groups, key=min)] == sizes


def test_own_records_and_roots() -> None:
    """A merge counts nodes and arguments at the root, and hands an anchor on."""
    graph = FusionGraph()
    conv, add = graph.add_node(OEF), graph.add_node(EW)
    graph.add_edge(conv, add, EW)
    conv.argument_count, add.argument_count = 2, 1
    groups = FusionGroups(graph)
    groups.merge(conv.index, add.index)
    root = groups.root(conv.index)
    assert (root.root_node, root.anchor, root.pattern) == (add.index, conv.index, OEF)
    assert (root.node_count, root.argument_count) == (2, 3)
    assert groups.records[conv.index].node_count == 1


def test_a_group_without_anchor_keeps_the_kind_of_its_root() -> None:
    """An elementwise op merged into an injective one leaves it injective."""
    graph = FusionGraph()
    first, last = graph.add_node(PatternKind.COMM_REDUCE), graph.add_node(INJ)
    graph.add_edge(first, last, INJ)
    groups = FusionGroups(graph)
    groups.merge(first.index, last.index)
    assert groups.root(first.index).pattern is INJ


def test_two_complex_groups_do_not_combine() -> None:
    """The other combination of kinds than the maximum: an error for two complex ones."""
    assert combine(OEF, PatternKind.BROADCAST) is OEF
    with pytest.raises(AssertionError, match="complex"):
        combine(OEF, INJ)


def test_check_path_asks_the_sink_and_not_the_source() -> None:
    """Every node after the source is asked once, up to the sink."""
    graph = FusionGraph()
    nodes = [graph.add_node(EW) for _ in range(5)]
    for a, b in ((0, 1), (0, 2), (1, 3), (2, 3), (3, 4)):
        graph.add_edge(nodes[a], nodes[b], EW)
    asked: list[bool] = []
    groups = FusionGroups(graph)

    def holds(kind: PatternKind, is_sink: bool) -> bool:
        asked.append(is_sink)
        return True

    assert groups.check_path(0, 3, holds)
    assert sorted(asked) == [False, False, True]


def ladder(count: int) -> list[Spec]:
    """Long parallel chains that every head reads: climbing step by step would be quadratic."""
    specs = [Spec(0, uses=[]) for _ in range(count)]
    third = count // 3
    for number in range(1, count):
        if number < third:
            specs[number].uses = [(number - 1, 0)]
    for number in range(third, count - 1):
        specs[number].uses = [(max(number - 2, third - 1), 0), (number % third, 0)]
    specs[-1].uses = [(count - 2, 0), (count - 3, 0)]
    specs[-1].extern = True
    return specs


def random_specs(count: int) -> list[Spec]:
    """A random graph of one size."""
    random = Random(7)
    specs = [Spec(8, True, "var", arguments=1)]
    while len(specs) < count:
        first = max(0, len(specs) - 30)
        uses = [(random.randrange(first, len(specs)), random.choice((0, 0, 1, 2))) for _ in "ab"]
        specs.append(Spec(random.choice((0, 0, 1, 1, 2, 3, 4, 8)), uses=uses))
    specs[-1].extern = True
    return specs


@pytest.mark.parametrize("make", [ladder, random_specs])
def test_steps_grow_with_the_graph(make: Callable[[int], list[Spec]]) -> None:
    """Ten times the ops are fifteen times the steps at most."""

    def steps(count: int) -> int:
        return Fusion(fusion_graph(make(count)), FusionOptions()).visits

    assert steps(4_000) <= 15 * steps(400)


PAIR = "tuple<tensor<3x4xf32>, tensor<3x4xf32>>"
VALUES = f"""
func.func @main(%x: tensor<3x4xf32>, %y: tensor<4xf32>) -> (tensor<3x4xf32>, tensor<12xf32>) {{
  %c = snippets.scalar 0.5 : f32
  %w = snippets.constant dense<[1.0, -0.0, 0x7FC00000, 4.0]> : tensor<4xf32>
  %0 = snippets.add %x, %y : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
  %1 = snippets.multiply %0, %c : (tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xf32>
  %2 = snippets.stop_fusion %1 : tensor<3x4xf32>
  %3 = snippets.relu %2 : tensor<3x4xf32>
  %4 = snippets.add %3, %w : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
  %5 = snippets.tuple %4, %3 : (tensor<3x4xf32>, tensor<3x4xf32>) -> {PAIR}
  %6 = snippets.tuple_get %5 {{index = 0 : i64}} : ({PAIR}) -> tensor<3x4xf32>
  %7 = snippets.reshape %6 : (tensor<3x4xf32>) -> tensor<12xf32>
  func.return %3, %7 : tensor<3x4xf32>, tensor<12xf32>
}}
"""


@pytest.mark.parametrize(
    "options",
    [
        "",
        "flavor=relax",
        "link-params=true",
        "fuse-opt-level=0",
        "wrap-single=false",
        "max-fuse-depth=2",
        "max-function-args=3",
    ],
)
def test_values_stay(options: str) -> None:
    """The partitioned module verifies and has the same bits."""
    context = make_context()
    arrays = [
        np.array([[1, -0.0, np.inf, np.nan]] * 3, np.float32),
        np.array([-1, 0.0, 2, 3], np.float32),
    ]
    module = parse_module(VALUES, context)
    expected = Interpreter(module).run("main", arrays)
    run_passes(module, context, parse_pipeline(f"snippets-fuse-ops{{{options}}}", context))
    module.verify()
    found = Interpreter(module).run("main", arrays)
    assert [a.tobytes() for a in found] == [a.tobytes() for a in expected]
    if options != "wrap-single=false":
        assert any(isinstance(op, SubgraphOp) for op in module.walk())
