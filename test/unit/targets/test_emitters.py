"""The emitters of targets: the base table, what a target has instead, what they need besides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp, f32, f64
from xdsl.ir import Operation, SSAValue

import snippets_mlir
from snippets_mlir.dialects.lir.registers import auxiliary_of
from snippets_mlir.dialects.snippets.values.fma import fma
from snippets_mlir.inspect.opt import assembly_text
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.parsing import parse_module
from snippets_mlir.support.printing import print_module
from snippets_mlir.targets import machine as machines
from snippets_mlir.targets.emitters.emitter import Emitter
from snippets_mlir.targets.emitters.table import BASE, EMITTERS
from snippets_mlir.targets.emitters.vector_builder import VectorBuilder
from snippets_mlir.targets.machine import TARGETS, machine, register_target

FMA = """func.func @main(%x: tensor<999xf32>, %y: tensor<999xf32>, %z: tensor<999xf32>)
    -> tensor<999xf32> {
  %0 = snippets.fma %x, %y, %z : tensor<999xf32>
  func.return %0 : tensor<999xf32>
}"""

LARGEST = """func.func @main(%x: tensor<64xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {
  %0 = snippets.maximum %x, %y : tensor<64xf32>
  func.return %0 : tensor<64xf32>
}"""

MAXIMUM = "snippets.maximum"

REGISTERS = "lir-init-live-ranges,lir-assign-registers"


def lowered(text: str, target: str, passes: str) -> ModuleOp:
    ctx = make_context()
    module = parse_module(text, ctx, "t")
    pipeline = f"snippets-set-target{{target={target}}},{passes}"
    run_passes(module, ctx, parse_pipeline(pipeline, ctx), verify_each=True)
    return module


def special_values(rng: np.random.Generator) -> tuple[Any, Any, Any]:
    """Random bits, sums that cancel, results in the subnormal range, infinities and NaN."""
    bits = rng.integers(0, 1 << 32, (3, 999), dtype=np.uint32)
    bits[:, 333:666] &= 0x207FFFFF
    x, y, z = bits.view(np.float32)
    with np.errstate(all="ignore"):
        x[666:], y[666:] = rng.standard_normal((2, 333))
        z[666:] = -x[666:] * y[666:] * (1 + rng.integers(-2, 3, 333) * np.float32(2) ** -23)
    return x, y, z


def test_every_target_starts_from_the_base_table() -> None:
    for target in TARGETS.values():
        assert set(target.emitters.rows) == set(EMITTERS) == set(BASE.rows)
        own = {name for name, emitter in target.emitters.rows.items() if emitter != EMITTERS[name]}
        assert bool(own) == bool(target.own_emitters)
        assert len(own) < len(EMITTERS) / 4


def test_generic_has_no_calls_for_fma() -> None:
    """Without the instruction LLVM would call `fmaf` for each element."""
    text = assembly_text(lowered(FMA, "generic", "snippets-to-llvm"))
    assert "fmaf" not in text
    assert "cvtpd2ps" in text


def test_fma_of_generic_is_rounded_once() -> None:
    """The same bits as the op's value, which is exact; NaN for NaN."""
    program = snippets_mlir.compile(FMA, target="generic", fallback="error")
    for seed in range(5):
        x, y, z = special_values(np.random.default_rng(seed))
        with np.errstate(all="ignore"):
            expected = fma(x, y, z)
        np.testing.assert_array_equal(program(x, y, z), expected)


@pytest.mark.parametrize(
    ("target", "files"),
    [("x86-64-avx512", {"vec", "mask"}), ("x86-64-avx2", {"vec"}), ("aarch64-neon", {"vec"})],
)
def test_auxiliary_registers_of_a_target(target: str, files: set[str]) -> None:
    """A maximum needs a mask on AVX-512; the assignment names it, apart from other values."""
    lir = "snippets-to-lir,lir-mark-loops,lir-fuse-loops,lir-insert-load-store,lir-init-loops"
    module = lowered(LARGEST, target, f"{lir},lir-insert-loops,{REGISTERS}")
    (largest,) = [op for op in module.walk() if op.name == MAXIMUM]
    names = auxiliary_of(largest)
    assert {name.rstrip("0123456789") for name in names} == files
    table = machine(target).emitters
    for file in files:
        found = sum(name.startswith(file) for name in names)
        assert found == table.auxiliary(largest, file) > 0


def test_general_auxiliaries_are_apart_from_pointers() -> None:
    """The address of a table of `snippets.lookup` is in a register of its own."""
    text = """func.func @main(%x: tensor<64xi32>) -> tensor<64xf32> {
      %0 = snippets.lookup %x {table = dense<[1.0, 2.0, 4.0, 8.0]> : tensor<4xf32>} :
        (tensor<64xi32>) -> tensor<64xf32>
      func.return %0 : tensor<64xf32>
    }"""
    lir = "snippets-to-lir,lir-mark-loops,lir-fuse-loops,lir-insert-load-store,lir-init-loops"
    module = lowered(text, "x86-64-avx2", f"{lir},lir-insert-loops,{REGISTERS}")
    (lookup,) = [op for op in module.walk() if op.name == "snippets.lookup"]
    general = [name for name in auxiliary_of(lookup) if name.startswith("gpr")]
    assert len(general) == 1
    others = print_module(module).split("lir.ports")
    assert not any(f'reg "{general[0]}"' in part for part in others)


def _negated(b: VectorBuilder, op: Operation, x: Sequence[SSAValue]) -> SSAValue:
    return b.op("arith.negf", [b.op("arith.maximumf", x)])


def test_a_target_of_ones_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """One emitter is another one; the program on disk of the target it is made from is not used."""
    monkeypatch.setattr(machines, "TARGETS", dict(TARGETS))
    own = {MAXIMUM: Emitter(_negated)}
    mine = replace(machine("generic"), name="mine", own_emitters=own)
    register_target(mine)
    x = np.linspace(-1, 1, 64, dtype=np.float32)
    for target, sign in (("generic", 1), ("mine", -1)):
        program = snippets_mlir.compile(LARGEST, target=target, fallback="error")
        np.testing.assert_array_equal(program(x, -x), sign * np.maximum(x, -x))
    with pytest.raises(CompileError, match="already a target 'mine'"):
        register_target(replace(mine, lanes=8))


def test_precisions_of_an_emitter(monkeypatch: pytest.MonkeyPatch) -> None:
    """What an emitter does not take is widened, or refused with op, types, target and a way out."""
    monkeypatch.setattr(machines, "TARGETS", dict(TARGETS))
    only = replace(EMITTERS[MAXIMUM], precisions=((f64, f64),))
    register_target(replace(machine("generic"), name="mine", own_emitters={MAXIMUM: only}))
    module = lowered(LARGEST, "mine", "snippets-to-lir")
    (largest,) = [op for op in module.walk() if op.name == MAXIMUM]
    assert "f64" in str(largest.operands[0].type)
    narrow = replace(only, precisions=((f32, f32),))
    register_target(replace(machine("generic"), name="narrow", own_emitters={MAXIMUM: narrow}))
    with pytest.raises(CompileError, match="maximum of f64, f64: no precision of target narrow"):
        lowered(LARGEST.replace("f32", "f64"), "narrow", "snippets-to-lir")
