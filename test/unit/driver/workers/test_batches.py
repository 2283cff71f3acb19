"""Where pipelines are cut, and how kernels are batched."""

from __future__ import annotations

import pytest

from snippets_mlir.dialects.lir.kernels import kernels_of
from snippets_mlir.driver.settings import default_context
from snippets_mlir.driver.workers.batches import (
    MAX_BATCHES,
    MIN_KERNELS,
    MIN_WORK,
    WORK,
    batches_of,
    cut,
    need_copies,
    work_of,
)
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes, spell
from snippets_mlir.support.parsing import parse_module

PIPELINE = "snippets-set-target{target=x86-64-avx2 threads=1},snippets-to-llvm"


@pytest.mark.parametrize(
    "work",
    [[1], [5] * 16, [10, 10, 40, 10, 30, 10], [0, 0, 0], [1000] + [1] * 99, [3] * 500, [28, 32]],
)
def test_batches_are_all_kernels_in_order(work: list[int]) -> None:
    found = batches_of(work)
    assert [i for batch in found for i in batch] == list(range(len(work)))
    assert all(found)
    assert len(found) <= min(len(work), MAX_BATCHES)
    share = sum(work) / min(len(work), MAX_BATCHES)
    parts = [[work[i] for i in batch] for batch in found]
    assert all(sum(part) - max(part) <= share for part in parts)


def test_batches_end_where_their_share_is_nearest() -> None:
    assert batches_of([28, 32], 2) == [range(1), range(1, 2)]
    assert batches_of([28, 32, 30, 30], 2) == [range(2), range(2, 4)]
    assert batches_of([5, 5, 0, 0], 2) == [range(1), range(1, 4)]


def test_equal_kernels_are_batches_of_equal_length() -> None:
    assert {len(batch) for batch in batches_of([7] * 2 * MAX_BATCHES)} == {2}


@pytest.mark.parametrize(
    ("work", "expected"),
    [
        ([1] * MIN_KERNELS, True),
        ([1] * (MIN_KERNELS - 1), False),
        ([MIN_WORK], False),  # one kernel is compiled by one process
        ([MIN_WORK - 1, 1], True),
        ([MIN_WORK - 2, 1], False),
        ([], False),
    ],
)
def test_many_kernels_or_much_work_need_copies(work: list[int], expected: bool) -> None:
    assert need_copies(work) is expected


@pytest.mark.parametrize("op", ["matmul", "add"])
def test_products_are_more_work_than_other_ops(op: str) -> None:
    square = "tensor<9x9xf32>"
    types = square if op == "add" else f"({square}, {square}) -> {square}"
    text = f"""func.func @main(%a: {square}, %b: {square}) -> {square} {{
      %c = snippets.{op} %a, %b : {types}
      func.return %c : {square}
    }}"""
    ctx = default_context()
    module = parse_module(text, ctx)
    run_passes(module, ctx, cut(parse_pipeline(PIPELINE, ctx))[0])
    (kernel,) = kernels_of(module)
    count = len(list(kernel.block.ops))
    products = WORK["lir.brgemm"] if op == "matmul" else 1
    assert work_of(kernel) == count - 1 + products


def test_pipelines_are_cut_after_the_last_pass_that_needs_the_module() -> None:
    ctx = default_context()
    together, apart = cut(parse_pipeline(PIPELINE, ctx))
    assert together[-1].name == "lir-stream-stores"
    assert apart[0].name == "lir-init-loops"
    assert spell([*together, *apart]) == spell(parse_pipeline(PIPELINE, ctx))


def test_a_pass_from_elsewhere_needs_the_module() -> None:
    passes = parse_pipeline("lir-unroll,cse,lir-init-live-ranges,lir-unroll", default_context())
    together, apart = cut(passes)
    assert [p.name for p in together] == ["lir-unroll", "cse"]
    assert [p.name for p in apart] == ["lir-init-live-ranges", "lir-unroll"]
