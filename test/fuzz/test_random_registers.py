"""Random programs through the assignment of registers: the checker, and the register mode.

The long run, from the folder `test/fuzz` with `../support` and `../..` on the path:

    python test_random_registers.py --count 20000 --seed 0 [--seconds N]
"""

from __future__ import annotations

import argparse
import gc
import random
import re
import sys
import time

import numpy as np
import pytest
from random_registers import RegisterKernel
from sampled import sampled
from xdsl.dialects.builtin import ModuleOp

from snippets_mlir.analysis.kernels.register_pressure import pressure
from snippets_mlir.checkers.linear_registers import verify_registers
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.interpreter import Interpreter
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.parsing import parse_module
from snippets_mlir.support.printing import print_module
from snippets_mlir.targets.machine import TARGETS

CONTEXT = make_context()
INPUTS = [
    np.arange(16, dtype=np.int32).reshape(2, 8) * 37 - 99,
    np.arange(16, 0, -1, dtype=np.int32).reshape(2, 8),
]


def kernel_of(module: ModuleOp) -> KernelOp:
    """The one kernel of a module."""
    return next(op for op in module.ops if isinstance(op, KernelOp))


def assigned(plain: ModuleOp, target: str, vectors: int, masks: int, general: int) -> ModuleOp:
    """A copy of the module with registers assigned."""
    module = plain.clone()
    sizes = f"vectors={vectors} masks={masks} general={general}"
    spec = (
        f"snippets-set-target{{target={target}}},lir-init-live-ranges,"
        f"lir-assign-registers{{{sizes}}},lir-insert-reg-spills"
    )
    run_passes(module, CONTEXT, parse_pipeline(spec, CONTEXT))
    return module


def check(seed: int) -> tuple[int, int, int]:
    """One program; the values live in it, the registers, and the spills and reloads."""
    rng = random.Random(f"files {seed}")
    target = rng.choice(("x86-64-avx2", "x86-64-avx512"))
    vectors, general = rng.randint(2, 32), rng.randint(2, 12)
    masks = rng.randint(1, 7) if target == "x86-64-avx512" else 0
    plain = RegisterKernel(seed).module
    live = pressure(kernel_of(plain), TARGETS[target].register_files).vectors
    (expected,) = Interpreter(plain).run("main", INPUTS)
    module = assigned(plain, target, vectors, masks, general)
    verify_registers(kernel_of(module))
    (found,) = Interpreter(module).run("main", INPUTS)
    assert np.array_equal(found, expected), f"seed {seed}"
    names = [op.name for op in kernel_of(module).block.ops]
    return live, vectors, names.count("lir.spill") + names.count("lir.reload")


@pytest.mark.parametrize("start", sampled(range(0, 40, 10), 4))
def test_random_programs(start: int) -> None:
    results = [check(seed) for seed in range(start, start + 10)]
    assert any(spills for _, _, spills in results)
    assert any(not spills for _, _, spills in results)
    assert max(live for live, _, _ in results) > 16


FORTY = print_module(RegisterKernel(1, live=40).module)


def test_forty_live_vectors_meet_sixteen_registers() -> None:
    plain = parse_module(FORTY, CONTEXT)
    assert pressure(kernel_of(plain), TARGETS["x86-64-avx2"].register_files).vectors >= 40
    (expected,) = Interpreter(plain).run("main", INPUTS)
    module = assigned(plain, "x86-64-avx2", 0, 0, 0)
    text = print_module(module)
    assert "lir.spill" in text
    assert {int(n) for n in re.findall(r'"vec(\d+)', text)} <= set(range(16))
    verify_registers(kernel_of(module))
    (found,) = Interpreter(module).run("main", INPUTS)
    assert np.array_equal(found, expected)


@pytest.mark.parametrize("seed", sampled(range(4), 4))
def test_a_wrong_register_is_noticed_twice(seed: int) -> None:
    """A register of an operand becomes another one: the checker and the register mode see it."""
    plain = parse_module(FORTY, CONTEXT)
    text = print_module(assigned(plain, "x86-64-avx2", 0, 0, 0))
    sites = [
        m.start(1)
        for m in re.finditer(
            r'= snippets\.\w+ %\w+, %\w+ \{[^}]*?ports = \[#lir\.port<[^>]*reg "vec(\d+)"', text
        )
    ]
    rng = random.Random(seed)
    at = rng.choice(sites[-30:])
    old = re.compile(r"\d+").match(text, at)
    assert old is not None
    wrong = (int(old[0]) + rng.randint(1, 15)) % 16
    broken = parse_module(text[:at] + str(wrong) + text[old.end() :], CONTEXT)
    with pytest.raises(CompileError, match="R1: expected operand 0"):
        verify_registers(kernel_of(broken))
    (expected,) = Interpreter(plain).run("main", INPUTS)
    try:
        (found,) = Interpreter(broken).run("main", INPUTS)
    except CompileError:
        found = None
    assert found is None or not np.array_equal(found, expected)


def main() -> int:
    """Run many programs; print what they were like, or the seed of the first that is wrong."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    arguments = parser.parse_args()
    spilled = most = spills = done = 0
    gc.freeze()  # what was imported is never garbage
    start = time.monotonic()
    for seed in range(arguments.seed, arguments.seed + arguments.count):
        if time.monotonic() - start > arguments.seconds:
            break
        try:
            live, _, count = check(seed)
        except Exception:
            print(f"FAILED: seed {seed}, after {done} programs without violation", flush=True)
            raise
        most, spills, spilled = max(most, live), spills + count, spilled + bool(count)
        done += 1
    print(
        f"{done} programs, seeds {arguments.seed} to {arguments.seed + done - 1}, no violation: "
        f"up to {most} values live, {spilled} with spills, {spills} spills and reloads; "
        f"{time.monotonic() - start:.0f} s, {time.process_time():.0f} s of CPU"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
