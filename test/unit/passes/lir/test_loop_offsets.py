"""lir-cleanup-loop-offsets: the sum of all motions stays, and what breaks it is caught."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from random_row_kernels import RowKernel
from sampled import ALL, sampled
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import VerifyException

import snippets_mlir
from snippets_mlir.checkers.linear_ir import verify_linear_ir
from snippets_mlir.dialects.builtin.dims import symbol
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.loops import LoopInfo
from snippets_mlir.dialects.lir.memory import MemoryAccessOp
from snippets_mlir.dialects.lir.pointers import memory_port, set_memory_port
from snippets_mlir.dialects.lir.ports import LoopPort
from snippets_mlir.interpreter.machine import Interpreter
from snippets_mlir.passes.lir.lir_cleanup_loop_offsets import LirCleanupLoopOffsetsPass, joined
from snippets_mlir.passes.pipelines import LIR_TO_VECTOR, SNIPPETS_TO_LIR
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.parsing import parse_module

LAST = "lir-insert-specific-iterations"
TO_EXPANDED = ",".join([*SNIPPETS_TO_LIR, *LIR_TO_VECTOR[: LIR_TO_VECTOR.index(LAST) + 1]])
CLEANED = f"after:{LAST}:lir-validate-expanded-loops,lir-cleanup-loop-offsets"
ONCE = f"{CLEANED},lir-optimize-loop-single-evaluation"

# Sums over everything and in blocks, rows that are read again, and three root loops.
SOURCES: dict[str, tuple[str, tuple[int, ...]]] = {
    "all": ("reduce_sum %x {axes = array<i64: 0, 1, 2>, keep_dims}", (2, 3, 9001)),
    "first": ("reduce_sum %x {axes = array<i64: 0>, keep_dims}", (9, 5, 17)),
    "outer_and_last": ("reduce_sum %x {axes = array<i64: 0, 2>, keep_dims}", (5, 4, 21)),
    "blocks": ("reduce_sum %x {axes = array<i64: 1>, keep_dims}", (2, 9001)),
    "softmax": ("softmax %x {axis = 0 : i64}", (37,)),
    "softmax_rows": ("softmax %x {axis = 1 : i64}", (3, 50)),
    "softmax_columns": ("softmax %x {axis = 0 : i64}", (7, 19)),
}


def source(name: str) -> tuple[str, tuple[int, ...]]:
    """The text of a function with one op, and the shape of its input."""
    op, shape = SOURCES[name]
    axes = op.partition("array<i64: ")[2].partition(">")[0]
    reduced = {int(axis) for axis in axes.split(",")} if axes else set[int]()
    result = [1 if i in reduced else size for i, size in enumerate(shape)]
    x, r = (f"tensor<{'x'.join(map(str, dims))}xf32>" for dims in (shape, result))
    text = f"""func.func @main(%x: {x}) -> {r} {{
      %0 = snippets.{op} : ({x}) -> {r}
      func.return %0 : {r}
    }}"""
    return text, shape


def random_input(shape: tuple[int, ...]) -> Any:
    """Numbers of which every sum is exact."""
    return np.random.default_rng(1).integers(-8, 9, shape).astype(np.float32)


@pytest.mark.parametrize(("name", "passes"), sampled(product(SOURCES, [CLEANED, ONCE]), 3))
def test_kernels_compute_the_same(name: str, passes: str) -> None:
    text, shape = source(name)
    x = random_input(shape)
    plain = snippets_mlir.compile(text, fallback="error", target="generic")
    cleaned = snippets_mlir.compile(
        text, fallback="error", target="generic", insert_passes=[passes]
    )
    assert np.asarray(plain(x)).tobytes() == np.asarray(cleaned(x)).tobytes()


def test_joined_motion_is_the_same() -> None:
    """Random nests: the loop around with the new increment, against both motions as they were."""
    rng = random.Random(5)
    fired = 0
    for _ in range(3000):
        step, stride = rng.choice([1, 2, 4]), rng.randint(1, 9)
        trips = rng.randint(1, 5)
        inner, unit = rng.randint(1, 60), rng.randint(0, 9)
        outer = LoopInfo(0, step * trips, step, 1)
        new, reason = joined(outer, 4 * unit, -4 * stride * inner, 4)
        if reason:
            assert unit == 0 or (unit * step - stride * inner) % step
            continue
        fired += 1
        before = sum(stride * inner + (unit * step - stride * inner) for _ in range(trips))
        after = sum(stride * inner + new // 4 * step for _ in range(trips))
        assert (before, new % 4) == (after, 0)
    assert fired > 1000


@pytest.mark.parametrize(
    ("outer", "unit", "final", "reason"),
    [
        (LoopInfo(0, 8, 1, 1, parallel=True), 32, -32, "units of the parallel loop 0"),
        (LoopInfo(0, 8, 1, 1), 0, -32, "loop 0 does not move the pointer"),
        (LoopInfo(0, 8, 4, 0), 4, -84, "-68 bytes are no whole elements for each unit"),
        (LoopInfo(0, symbol(0), 1, 1), 32, -32, "known only at run time"),
        (LoopInfo(0, 8, 1, 1), 4 * symbol(0), -4 * symbol(0), "known only at run time"),
    ],
)
def test_reasons_to_keep_an_offset(outer: LoopInfo, unit: int, final: int, reason: str) -> None:
    assert reason in joined(outer, unit, final, 4)[1]


def cleaned_module(text: str, passes: str) -> ModuleOp:
    """A function whose kernels are expanded, and cleaned if `passes` say so."""
    ctx = make_context()
    module = parse_module(text, ctx, "t")
    run_passes(module, ctx, parse_pipeline(f"snippets-set-target{{target=generic}},{passes}", ctx))
    return module


def broken(port: LoopPort) -> list[LoopPort]:
    """The motion, with one number off."""
    unit, final = port.pointer_increment, port.finalization_offset
    return [
        LoopPort(port.loop, port.dim, unit + a, final + b) for a, b in ((1, 0), (0, 1), (1, -4))
    ]


def complaint(module: ModuleOp) -> str | None:
    """What the laws or the checkers say of a module."""
    try:
        module.verify()
        verify_linear_ir(module)
    except (VerifyException, CompileError) as error:
        return str(error)
    return None


@pytest.mark.parametrize("name", sampled(["first", "outer_and_last", "softmax"], 2))
def test_broken_motion_is_caught_or_harmless(name: str) -> None:
    """Each number of each cleaned motion, changed: a law or a checker complains.

    What none of them minds must not matter: it is the way back of a pointer nothing reads through.
    """
    text, shape = source(name)
    x = random_input(shape)
    module = cleaned_module(text, f"{TO_EXPANDED},lir-cleanup-loop-offsets")
    assert complaint(module) is None
    expected = Interpreter(module).run("main", [x])[0]
    caught = 0
    (kernel,) = [op for op in module.ops if isinstance(op, KernelOp)]
    for access in [op for op in kernel.block.ops if isinstance(op, MemoryAccessOp)]:
        port = memory_port(access)
        for place, motion in enumerate(port.loops):
            for other in sampled(broken(motion), 6):
                loops = (*port.loops[:place], other, *port.loops[place + 1 :])
                set_memory_port(access, replace(port, loops=loops))
                if complaint(module) is not None:
                    caught += 1
                else:
                    found = Interpreter(module).run("main", [x])[0]
                    assert found.tobytes() == expected.tobytes(), (access, other)
        set_memory_port(access, port)
    assert caught > 5


def test_random_kernels_keep_the_claims_and_their_values() -> None:
    """Kernels whose values cross loops, cleaned: checked after each pass, run before and after."""
    for seed in range(8 if ALL else 3):
        row = RowKernel(seed)
        before = cleaned_module(row.text, TO_EXPANDED)
        ctx = make_context()
        after = before.clone()
        passes = "lir-validate-expanded-loops,lir-cleanup-loop-offsets"
        for more in ("", ",lir-optimize-loop-single-evaluation"):
            run_passes(after, ctx, parse_pipeline(passes + more, ctx), verify_each=True)
            passes = "lir-cleanup-loop-offsets"
            results = zip(
                Interpreter(before).run("main", row.arrays),
                Interpreter(after).run("main", row.arrays),
                strict=True,
            )
            for a, b in results:
                assert a.tobytes() == b.tobytes(), seed


def test_it_has_side_effects_only_when_it_reports() -> None:
    assert LirCleanupLoopOffsetsPass(report=True).SIDE_EFFECTS
    assert not LirCleanupLoopOffsetsPass().SIDE_EFFECTS
