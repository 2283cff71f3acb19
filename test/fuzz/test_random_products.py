"""Random programs around matrix products, at every level; `make fuzz SEED=n` runs more of them.

`python -m snippets_mlir.tools.random_graphs --products --count 5000 --jobs 2` runs many.
"""

from __future__ import annotations

import os
import time

import numpy as np
import pytest
from sampled import ALL, sampled

import snippets_mlir
from snippets_mlir.inspect.levels import checked_levels
from snippets_mlir.targets.host import host_target
from snippets_mlir.targets.machine import machine
from snippets_mlir.testing.product_graphs import ProductGraph
from snippets_mlir.testing.product_values import Value, product_bound, wrong_elements
from snippets_mlir.tools.random_graphs import check

SECONDS = float(os.environ.get("SNIPPETS_FUZZ_SECONDS", "0"))
SEED = int(os.environ.get("SNIPPETS_FUZZ_SEED", "0"))


@pytest.mark.parametrize("first", sampled(range(0, 16, 4), 4))
def test_compiled_programs_are_within_their_bounds(first: int) -> None:
    seeds = range(first, first + (4 if ALL else 2))
    outcomes = [check(seed, (), products=True) for seed in seeds]
    assert not [outcome.failures for outcome in outcomes if outcome.failures]
    assert sum(outcome.kernels for outcome in outcomes) >= len(seeds)
    assert not sum(outcome.others for outcome in outcomes)


def test_small_programs_at_every_level() -> None:
    graphs = [graph for graph in map(ProductGraph, range(200)) if graph.is_small]
    for dynamic in (False, True):
        seeds = [graph.seed for graph in graphs if graph.is_dynamic is dynamic]
        for seed in seeds[: 6 if ALL else 1]:
            assert not check(seed, checked_levels(["all"]), products=True).failures


def test_one_row_with_blocks_of_its_sum_at_every_level() -> None:
    graph = ProductGraph(110236)
    assert "(tensor<70xf32>, tensor<70x2xf32>) -> tensor<2xf32>" in graph.text
    assert not check(graph.seed, checked_levels(["all"]), products=True).failures


def test_more_programs_for_as_long_as_asked() -> None:
    seed, end = 1_000_000 * (SEED + 1), time.monotonic() + SECONDS
    while time.monotonic() < end:
        assert not check(seed, (), products=True).failures
        seed += 1
    print(f"last seed: {seed}")


def test_the_programs_have_every_kind_of_product() -> None:
    texts = [ProductGraph(seed).text for seed in range(60)]
    for words in (
        "transpose_a",
        "transpose_b",
        "f64",
        "snippets.transpose",
        "<?x",
        "x0x",
        "i1>",
        "softmax",
        "snippets.constant",
    ):
        assert any(words in text for text in texts), words
    assert any(len(ProductGraph(seed).outputs) == 2 for seed in range(20))


def test_programs_of_one_subgraph_have_ops_on_rows_before_and_after_their_products() -> None:
    graphs = [ProductGraph(seed) for seed in range(6, 400, 11)]
    assert all("snippets.subgraph" in graph.text for graph in graphs)
    for op in ("softmax", "reduce_max"):
        places = [(g.ops.index(op), g.ops.index("matmul")) for g in graphs if op in g.ops]
        assert {place < product for place, product in places} == {False, True}
    assert any(graph.ops.count("matmul") == 2 for graph in graphs)


def test_the_programs_have_every_kind_of_mask() -> None:
    attentions = [graph for graph in map(ProductGraph, range(1, 400, 4)) if "softmax" in graph.ops]
    before = [graph.ops[graph.ops.index("softmax") - 1] for graph in attentions]
    assert {"add", "select"} <= set(before)
    constants = [line for graph in attentions for line in graph.lines if "constant" in line]
    assert any("80FF" in line.upper() for line in constants)  # -inf
    assert any(np.isnan(value.wide).any() for graph in attentions for value in graph.outputs)


def test_the_programs_have_every_size() -> None:
    sizes = {
        size for seed in range(300) for v in ProductGraph(seed).inputs for size in v.wide.shape
    }
    assert sizes == set(range(71))


def test_a_row_that_is_masked_has_to_be_no_number() -> None:
    wide, error = np.array([np.nan, 1.0]), np.array([np.nan, 0.5])
    value = Value("%0", wide, error, "tensor<2xf32>")
    assert wrong_elements([value], [np.array([np.nan, 1.25])])[0] == 0.5
    for wrong in ([0.0, 1.0], [np.nan, np.nan], [np.nan, np.inf]):
        assert wrong_elements([value], [np.array(wrong)])[0] > 1


def test_products_of_one_operand_stand_side_by_side() -> None:
    seeds = [seed for seed in range(3, 100, 7) if not ProductGraph(seed).is_dynamic]
    seeds = seeds[0 if ALL else 2 : 4]
    outcomes = [check(seed, (), products=True) for seed in seeds]
    assert not [outcome.failures for outcome in outcomes if outcome.failures]
    together, wanted = 0, 2 if ALL and machine(host_target()).side_by_side > 1 else 1
    for seed in seeds:
        program = snippets_mlir.compile(ProductGraph(seed).text)
        together += sum(kernel.ops.count("snippets.matmul") > 1 for kernel in program.kernels)
    assert together >= wanted


def test_a_wrong_result_is_noticed() -> None:
    graph = next(g for g in map(ProductGraph, range(60)) if g.outputs[0].wide.size > 4)
    outputs = [value.wide.copy() for value in graph.outputs]
    assert wrong_elements(graph.outputs, outputs) == (0.0, "")
    for number in (np.nan, np.inf, 1e30):
        wrong = outputs[0].copy()
        wrong.flat[3] = number
        assert wrong_elements(graph.outputs, [wrong, *outputs[1:]])[0] > 1
    assert wrong_elements(graph.outputs, [outputs[0].reshape(-1, 1, 1), *outputs[1:]])[0] > 1


def test_the_bound_is_that_of_the_issue() -> None:
    a, b = np.full((2, 4), -2.0), np.full((4, 3), 3.0)
    np.testing.assert_array_equal(product_bound(a, b, 0.5), np.full((2, 3), 8 * 0.5 * 24))
