"""What a row asks for ahead, and in which of its loops."""

from __future__ import annotations

import pytest
from xdsl.dialects.llvm import CallIntrinsicOp

from snippets_mlir.passes.lir_to_vector.align_nontemporal_stores import constant_of
from snippets_mlir.passes.lir_to_vector.row_walks import (
    MOST_LINES,
    STAYS,
    Ahead,
    Room,
    Walk,
    plan,
    that_stays,
)
from snippets_mlir.passes.pipelines import PIPELINES
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.support.parsing import parse_module

ROW = 1024
LOOPS = [Room(256, 16, True), Room(256, 32, True), Room(256, 64, True)]
"""Three loops over rows of 256 elements of four bytes, unrolled by 1, 2 and 4."""

READ, WRITTEN = Walk(0, 0, 4, False), Walk(2, 1, 4, True)


def test_results_in_the_loop_before_and_inputs_in_the_last():
    assert plan([READ, WRITTEN], LOOPS, [ROW, ROW]) == [
        Ahead(2, 0, 4, ROW, 4, False),
        Ahead(1, 1, 4, 0, 2, True),
    ]


def test_what_is_read_again_is_asked_for_once():
    again = Walk(1, 0, 4, False)
    assert plan([READ, again], LOOPS, [ROW]) == [Ahead(2, 0, 4, ROW, 4, False)]


def test_what_is_read_and_written_counts_as_written():
    late = Walk(1, 0, 4, False), Walk(2, 0, 4, True)
    assert plan(late, LOOPS, [ROW]) == [Ahead(0, 0, 4, 0, 1, True)]


def test_narrow_elements_share_a_line():
    half = [Room(256, 16, True)] * 2
    assert plan([Walk(0, 0, 2, False)], half, [512]) == [Ahead(1, 0, 2, 512, 1, False)]


@pytest.mark.parametrize("move", [None, 0, -ROW, 64, 2 * ROW])
def test_pointers_that_do_not_move_by_a_row(move: int | None):
    """P1 and P2: an operand of all rows, a walk backwards, columns, every other row."""
    assert plan([READ, WRITTEN], LOOPS, [move, move]) == []


def test_rows_with_a_rest_are_rows():
    """P2: the parts of a loop cover more than half of the row."""
    assert [a.place for a in plan([READ], LOOPS, [ROW + 60])] == [2]


def test_loops_that_come_too_late_or_too_early():
    """P3: the first loop writes, the last one reads first."""
    early, late = Walk(0, 0, 4, True), Walk(2, 1, 4, False)
    assert plan([early, late], LOOPS, [ROW, ROW]) == []


@pytest.mark.parametrize(
    "host", [Room(256, 64, False), Room(96, 16, True), Room(256, 16 * (MOST_LINES + 1), True)]
)
def test_loops_that_may_not_ask(host: Room):
    """P3: loops that hold others, run less far, or would ask for too much at a time."""
    assert plan([READ], [*LOOPS[:2], host], [ROW]) == []


def test_units_without_an_address():
    assert plan([Walk(0, 0, 12, False)], LOOPS, [3 * ROW]) == []


def test_inputs_are_asked_for_if_they_stay():
    """P6: one byte above the limit, and only results are prefetched."""
    both = plan([READ, WRITTEN], LOOPS, [ROW, ROW])
    assert that_stays(both, STAYS - ROW, LOOPS) == both
    assert that_stays(both, STAYS - ROW + 1, LOOPS) == [one for one in both if one.writes]


def rows_of(columns: int) -> list[str]:
    """The intrinsics of layer_norm(x + y) for AVX-512 that ask for memory, in order."""
    t, r = f"tensor<4096x{columns}xf32>", f"tensor<{columns}xf32>"
    text = (
        f"func.func @main(%x: {t}, %y: {t}, %g: {r}, %b: {r}) -> {t} {{\n"
        f"%0 = snippets.add %x, %y : {t}\n"
        f"%1 = snippets.layer_norm %0, %g, %b {{axis = 1 : i64, epsilon = 1.0e-05 : f32}}"
        f" : ({t}, {r}, {r}) -> {t}\nfunc.return %1 : {t}\n}}"
    )
    ctx = make_context()
    module = parse_module(text, ctx)
    passes = f"snippets-set-target{{target=x86-64-avx512}},{PIPELINES['snippets-to-lir']}"
    run_passes(module, ctx, parse_pipeline(f"{passes},{PIPELINES['lir-to-vector']}", ctx))
    kinds = {0: "input", 1: "result"}
    return [
        kinds[constant_of(op.operands[1]) or 0]
        for op in module.walk()
        if isinstance(op, CallIntrinsicOp)
    ]


def test_longer_rows_ask_for_results_only():
    assert set(rows_of(768)) == {"input", "result"}
    assert set(rows_of(1024)) == {"result"}
