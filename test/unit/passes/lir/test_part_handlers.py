"""Handlers of first, main and last parts, and tails of fewer lanes: kernels compute the same."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

import snippets_mlir
from snippets_mlir.dialects.builtin.dims import static_size
from snippets_mlir.dialects.lir.handlers import IterationHandler, merge_handlers
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.loops import LoopInfo
from snippets_mlir.interpreter.machine import Interpreter
from snippets_mlir.passes.lir.lir_fuse_loops import merged
from snippets_mlir.passes.lir.lir_insert_specific_iterations import plan_parts
from snippets_mlir.passes.lir.part_handlers import HANDLERS, LoopPart, PartPass
from snippets_mlir.passes.pipelines import LIR_TO_VECTOR, SNIPPETS_TO_LIR, VECTOR_TO_LLVM
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.parsing import parse_module

EXPAND = "lir-insert-specific-iterations"
FULL = ",".join((*SNIPPETS_TO_LIR, *LIR_TO_VECTOR, *VECTOR_TO_LLVM)).replace(
    "snippets-set-target", "snippets-set-target{target=generic}"
)
UNTIL = FULL[: FULL.index(EXPAND)]
SEEN: list[tuple[str, int, int | None]] = []


class WatchPartPass(PartPass):
    """Notes which parts it is given."""

    name = "test-watch-part"

    def apply_to_part(self, ctx: Context, part: LoopPart, argument: int | None) -> None:
        """Remember the part's kind, its work and the number."""
        work = static_size(part.loop.work_amount)
        SEEN.append((part.loop.iteration, work, argument))


def handler(part: Any, name: str, argument: int | None = None) -> IterationHandler:
    return IterationHandler(part, name, argument)


FIRST = handler("first", "test-watch-part")
MAIN = handler("main", "test-watch-part", 3)


@pytest.mark.parametrize(
    ("work", "handlers", "expected"),
    [
        (0, (FIRST, MAIN), []),
        (3, (FIRST, MAIN), [("last", 3, 3)]),
        (4, (FIRST,), [("first", 4, 4)]),
        (4, (MAIN,), [("main", 4, 4)]),
        (5, (FIRST,), [("first", 4, 4), ("last", 1, 1)]),
        (8, (FIRST,), [("first", 4, 4), ("main", 4, 4)]),
        (13, (FIRST,), [("first", 4, 4), ("main", 8, 4), ("last", 1, 1)]),
        (13, (), [("main", 12, 4), ("last", 1, 1)]),
        (12, (), []),
    ],
)
def test_parts(
    work: int, handlers: tuple[IterationHandler, ...], expected: list[tuple[str, int, int]]
) -> None:
    parts = plan_parts(LoopInfo(0, work, 4, 0, handlers=handlers), 5)
    found = [(p.loop.iteration, p.loop.work_amount, p.loop.increment) for p in parts]
    assert found == expected
    assert [p.loop.id for p in parts] == list(range(5, 5 + len(parts)))
    assert [p.final for p in parts] == [False] * (len(parts) - 1) + [True] * bool(parts)


def test_merge() -> None:
    """Equal names and parts have equal numbers, or the loops do not fuse."""
    other = handler("last", "set-fill-offset", 5)
    assert merge_handlers((FIRST, MAIN), (MAIN, other)) == (FIRST, MAIN, other)
    assert merge_handlers((), (FIRST,)) == (FIRST,)
    assert merge_handlers((MAIN,), (handler("main", "test-watch-part", 4),)) is None
    upper, lower = LoopInfo(0, 8, 4, 0, handlers=(MAIN,)), LoopInfo(1, 8, 4, 0, handlers=(FIRST,))
    fused = merged(upper, lower)
    assert fused is not None
    assert fused.handlers == (MAIN, FIRST)
    assert merged(upper, LoopInfo(1, 8, 4, 0, handlers=(handler("main", MAIN.name),))) is None


def expanded(text: str, handlers: tuple[IterationHandler, ...], until: str = UNTIL) -> ModuleOp:
    """A function whose kernels are expanded, every sequential loop with `handlers`."""
    ctx = make_context()
    module = parse_module(text, ctx, "t")
    run_passes(module, ctx, parse_pipeline(until.rstrip(","), ctx))
    for kernel in [op for op in module.ops if isinstance(op, KernelOp)]:
        loops = kernel.loop_table.values()
        kernel.set_loops(
            [
                loop
                if loop.parallel or loop.iteration != "unified"
                else replace(loop, handlers=handlers)
                for loop in loops
            ]
        )
    run_passes(module, ctx, parse_pipeline(EXPAND, ctx), verify_each=True)
    return module


SOFTMAX = """func.func @main(%x: tensor<3x{n}xf32>) -> tensor<3x{n}xf32> {{
  %0 = snippets.softmax %x {{axis = 1 : i64}} : tensor<3x{n}xf32>
  func.return %0 : tensor<3x{n}xf32>
}}"""


@pytest.mark.parametrize("n", [3, 4, 5, 21])
def test_parts_compute_what_the_loop_does(n: int) -> None:
    """First, main and last parts in rows of softmax, interpreted: the same bits."""
    SEEN.clear()
    x = np.random.default_rng(n).standard_normal((3, n)).astype(np.float32)
    text = SOFTMAX.format(n=n)
    until = UNTIL.replace("lir-unroll,", "").replace("lir-unroll", "")
    plain = expanded(text, (), until)
    split = expanded(text, (FIRST, MAIN), until)
    (a,), (b,) = (Interpreter(module).run("main", [x]) for module in (plain, split))
    assert a.tobytes() == b.tobytes()
    kinds = {(kind, argument) for kind, _, argument in SEEN}
    first, main = ("first", None), ("main", 3)
    assert kinds == {3: set[object](), 21: {first, main}}.get(n, {first})


ELEMENTWISE = """func.func @main(%x: tensor<{s}>, %y: tensor<{s}>) -> tensor<{s}> {{
  %0 = snippets.{op} %x, %y : tensor<{s}>
  %1 = snippets.abs %0 : tensor<{s}>
  func.return %1 : tensor<{s}>
}}"""


@pytest.mark.parametrize(
    ("shape", "element", "op"),
    [
        ((1,), "f32", "add"),
        ((3,), "f32", "mod"),
        ((7,), "f64", "divide"),
        ((2, 5), "f32", "maximum"),
        ((4, 3, 9), "i32", "divide"),
        ((13,), "i64", "multiply"),
    ],
)
def test_tails_of_fewer_lanes(shape: tuple[int, ...], element: str, op: str) -> None:
    """`tail=count` against `tail=mask`, executed: the same bits, exceptional values included."""
    text = ELEMENTWISE.format(s="x".join(map(str, (*shape, element))), op=op)
    dtype = {"f32": "float32", "f64": "float64", "i32": "int32", "i64": "int64"}[element]
    rng = np.random.default_rng(1)
    special = (
        [0, -0.0, np.nan, np.inf, -np.inf, 1.5, -2.5]
        if element[0] == "f"
        else [0, 1, -1, np.iinfo(dtype).min, np.iinfo(dtype).max]
    )
    x, y = (np.asarray(rng.choice(special, shape), dtype) for _ in range(2))
    narrow = FULL.replace(EXPAND, f"{EXPAND}{{tail=count}}")
    a, b = (
        np.asarray(snippets_mlir.compile(text, fallback="error", pipeline=p)(x, y))
        for p in (FULL, narrow)
    )
    np.testing.assert_array_equal(a, b)


def test_narrow_tail_has_no_mask() -> None:
    """The code of a tail of 5 is for vectors of 5; the other is masked."""
    text = ELEMENTWISE.format(s="13xf32", op="add")
    ctx = make_context()
    for tail, masked in (("mask", True), ("count", False)):
        module = parse_module(text, ctx, "t")
        passes = FULL.replace(EXPAND, f"{EXPAND}{{tail={tail}}}").replace("generic", "x86-64-avx2")
        run_passes(module, ctx, parse_pipeline(passes, ctx))
        assert ("masked" in str(module)) == masked
        assert ("vector<5xf32>" in str(module)) != masked


def test_part_pass_is_no_pass_of_a_pipeline() -> None:
    assert "test-watch-part" in HANDLERS
    with pytest.raises(CompileError, match="name it in the loop table"):
        WatchPartPass().apply(make_context(), ModuleOp([]))
