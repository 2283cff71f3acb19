"""The peak rate of float32 multiplications and additions on a core, by target.

A loop on whole vectors that stay in registers: independent accumulators, each of which waits only
for its own last result, and no memory accesses. If the target has a fused multiply-add, the loop
uses it, else one multiplication and one addition that do not depend on each other. Both count as
two operations for each element.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from ctypes import CFUNCTYPE, c_float, c_int64

from snippets_mlir.codegen.compile import compile_object
from snippets_mlir.codegen.load import LoadedObject
from snippets_mlir.targets.target_machine import TargetMachine

ACCUMULATORS = 12
"""A product has to wait at most for four others of a pipe; two constants fit beside them in 16."""

STEPS = 2_000_000
"""Of a call: some milliseconds, beside which it does not matter that threads start late."""


def peak_text(machine: TargetMachine) -> str:
    """`@peak(steps)` in LLVM: `ACCUMULATORS` operations of whole vectors a step, and their sum."""
    of = f"<{machine.lanes} x float>"
    names = range(ACCUMULATORS)

    def next_value(k: int) -> str:
        if machine.fma:
            call = f"call {of} @llvm.fma.v{machine.lanes}f32"
            return f"%n{k} = {call}({of} %a{k}, {of} %scale, {of} %shift)"
        kind, other = ("fmul", "%scale") if k % 2 else ("fadd", "%shift")
        return f"%n{k} = {kind} {of} %a{k}, {other}"

    sums = [f"%s0 = fadd {of} %n0, %n1"]
    sums += [f"%s{k} = fadd {of} %s{k - 1}, %n{k + 1}" for k in names[1:-1]]
    lines = [
        f"declare {of} @llvm.fma.v{machine.lanes}f32({of}, {of}, {of})",
        "define float @peak(i64 %steps, float %x) {",
        "entry:",
        f"  %one = insertelement {of} zeroinitializer, float %x, i32 0",
        f"  %scale = shufflevector {of} %one, {of} %one, <{machine.lanes} x i32> zeroinitializer",
        f"  %shift = fadd {of} %scale, %scale",
        "  br label %loop",
        "loop:",
        "  %k = phi i64 [ 0, %entry ], [ %k1, %loop ]",
        *(f"  %a{k} = phi {of} [ %scale, %entry ], [ %n{k}, %loop ]" for k in names),
        *(f"  {next_value(k)}" for k in names),
        "  %k1 = add i64 %k, 1",
        "  %more = icmp slt i64 %k1, %steps",
        "  br i1 %more, label %loop, label %end",
        "end:",
        *(f"  {line}" for line in sums),
        f"  %r = extractelement {of} %s{ACCUMULATORS - 2}, i32 0",
        "  ret float %r",
        "}",
    ]
    return "\n".join(lines) + "\n"


def peak_call(machine: TargetMachine, threads: int) -> tuple[Callable[[], object], float]:
    """A call that computes on `threads` threads, and its number of operations.

    The machine has to be this computer's, or one whose code it runs.
    """
    image = compile_object(
        peak_text(machine), triple=machine.triple, cpu=machine.cpu, features=machine.features
    )
    loaded = LoadedObject(image, ["peak"])
    function = CFUNCTYPE(c_float, c_int64, c_float)(loaded.address("peak"))
    pool = ThreadPoolExecutor(threads)

    def one(_: int, kept: LoadedObject = loaded) -> float:
        return float(function(STEPS, 1.0))

    def call() -> object:
        return list(pool.map(one, range(threads)))

    done = STEPS * ACCUMULATORS * machine.lanes * (2 if machine.fma else 1)
    return call, float(done * threads)
