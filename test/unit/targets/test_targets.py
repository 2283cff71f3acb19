"""Code for every target machine, on whatever computer the tests run."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from sampled import sampled
from target_kernels import TARGET_KERNELS
from xdsl.dialects.builtin import ModuleOp

import snippets_mlir
from snippets_mlir.extend import variant
from snippets_mlir.inspect.opt import assembly_text, object_bytes
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.parsing import parse_module
from snippets_mlir.targets.host import host_target
from snippets_mlir.targets.machine import TARGETS, machine

ELF_MACHINE = {"x86_64": 62, "aarch64": 183}

# What a kernel's code has to have, for each target: packed arithmetic of full vectors.
_X86 = {
    "elementwise": r"v?(?:mulps|fn?m(?:add|sub)\d+ps)\s.*%{r}mm",
    "exp": r"v?(?:mulps|fn?m(?:add|sub)\d+ps)\s.*%{r}mm",
    "softmax": r"v?maxps\s.*%{r}mm",
    "reduction": r"v?addps\s.*%{r}mm",
    "integer": r"v?pmulld\s.*%{r}mm",
    "double": r"v?sqrtpd\s.*%{r}mm",
    "transpose": r"v?(?:mulps|fn?m(?:add|sub)\d+ps)\s.*%{r}mm",
}
_NEON = {
    "elementwise": r"fm(?:ul|la)\tv\d+\.4s",
    "exp": r"fm(?:ul|la)\tv\d+\.4s",
    "softmax": r"fmax(?:nm)?\tv\d+\.4s",
    "reduction": r"fadd\tv\d+\.4s",
    "integer": r"m(?:ul|la|ls)\tv\d+\.4s",
    "double": r"fsqrt\tv\d+\.2d",
    "transpose": r"fm(?:ul|la)\tv\d+\.4s",
}
_REGISTER = {4: "x", 8: "y", 16: "z"}
"""Lanes of f32 -> the letter of x86's registers."""

PAGE = Path(__file__).resolve().parents[3] / "docs" / "targets.md"


def instruction(target: str, kernel: str) -> str:
    """The pattern of an instruction that the code of `kernel` has to have."""
    if TARGETS[target].triple.startswith("aarch64"):
        return _NEON[kernel]
    return _X86[kernel].replace("{r}", _REGISTER[TARGETS[target].lanes])


@cache
def lowered(target: str, kernel: str) -> ModuleOp:
    ctx = make_context()
    module = parse_module(TARGET_KERNELS[kernel], ctx, kernel)
    passes = f"snippets-set-target{{target={target}}},snippets-to-llvm"
    run_passes(module, ctx, parse_pipeline(passes, ctx))
    return module


def called(assembly: str) -> set[str]:
    """The functions that the code calls or jumps to, those of the kernel's own aside."""
    names = re.findall(r"^\s+(?:callq?|jmpq?|bl|b)\s+([A-Za-z_][\w.@]*)", assembly, re.MULTILINE)
    return {name for name in names if not name.startswith("subgraph_")}


@pytest.mark.parametrize(
    ("target", "kernel"), sampled([(t, kernel) for kernel in TARGET_KERNELS for t in TARGETS], 3)
)
def test_assembly(target: str, kernel: str) -> None:
    """Vector instructions of the target, and no call of a function of libm."""
    text = assembly_text(lowered(target, kernel))
    assert re.search(instruction(target, kernel), text)
    assert called(text) <= {"memset", "memcpy"}
    wider = "".join(r for lanes, r in _REGISTER.items() if lanes > TARGETS[target].lanes)
    assert not wider or not re.search(f"%[{wider}]mm", text)


@pytest.mark.parametrize("target", TARGETS)
def test_object(target: str) -> None:
    """An ELF object of 64 bits, little-endian, relocatable, for the target's machine."""
    data = object_bytes(lowered(target, "elementwise"))
    assert data[:6] == b"\x7fELF\x02\x01"
    kind, number = (int.from_bytes(data[at : at + 2], "little") for at in (16, 18))
    assert kind == 1
    assert number == ELF_MACHINE[TARGETS[target].triple.partition("-")[0]]


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("avx2", "did you mean 'x86-64-avx2'?"),
        ("x86-64-avx22", "did you mean 'x86-64-avx2' or "),
        ("neon", "did you mean 'aarch64-neon'?"),
        ("mips", f"choose from {', '.join(TARGETS)}"),
        ("", "choose from generic, "),
    ],
)
def test_wrong_names(name: str, hint: str) -> None:
    with pytest.raises(CompileError, match=re.escape(hint)):
        machine(name)


@pytest.mark.parametrize("target", TARGETS)
def test_the_page_has_its_numbers(target: str) -> None:
    m = TARGETS[target]
    masks = m.mask_registers or "in vector registers"
    registers = f"{m.vector_registers}, {masks}, {m.general_registers}"
    row = rf"^\| `{target}`[^|]*\| {m.lanes} \| {registers} \|"
    assert re.search(row, PAGE.read_text(encoding="utf-8"), re.MULTILINE), row


@pytest.mark.parametrize("tune", TARGETS["x86-64-avx512"].tunes)
def test_a_tune_changes_loops_and_nothing_that_code_needs(tune: str) -> None:
    plain = TARGETS["x86-64-avx512"]
    tuned = plain.tuned(tune)
    assert tuned.products == 2
    assert tuned is plain.tuned(tune)
    needed = ("name", "triple", "cpu", "features", "lanes", "register_files")
    assert all(getattr(tuned, fact) == getattr(plain, fact) for fact in needed)
    assert not variant("x86-64-avx512", "few", vector_registers=16).tunes
    with pytest.raises(CompileError, match="no tune 'zen'; it has: sapphirerapids, znver5"):
        plain.tuned("zen")


@pytest.mark.skipif(host_target() != "x86-64-avx512", reason="needs AVX-512")
@pytest.mark.parametrize("tune", TARGETS["x86-64-avx512"].tunes)
@pytest.mark.parametrize(
    ("rows", "terms", "columns"),
    sampled([(33, 70, 100), (65, 129, 48), (1, 70, 130), (40, 7, 1000), (700, 99, 170)], 2),
)
def test_products_of_a_tune(rows: int, terms: int, columns: int, tune: str) -> None:
    """Copied panels of any width, tails of rows and columns, unrolled terms with a rest."""
    x, y = f"tensor<{rows}x{terms}xf32>", f"tensor<{terms}x{columns}xf32>"
    source = f"""func.func @main(%x: {x}, %y: {y}) -> tensor<{rows}x{columns}xf32> {{
      %0 = snippets.matmul %x, %y : ({x}, {y}) -> tensor<{rows}x{columns}xf32>
      func.return %0 : tensor<{rows}x{columns}xf32>
    }}"""
    facts = f"target=x86-64-avx512 tune={tune} threads=2"
    passes = f"snippets-set-target{{{facts}}},snippets-to-llvm"
    rng = np.random.default_rng(rows)
    a = rng.uniform(-1, 1, (rows, terms)).astype("f4")
    b = rng.uniform(-1, 1, (terms, columns)).astype("f4")
    found = snippets_mlir.compile(source, pipeline=passes)(a, b)
    exact = a.astype("f8") @ b.astype("f8")
    bound = (2 * terms**0.5 + 4) * 2.0**-24 * (abs(a).astype("f8") @ abs(b).astype("f8"))
    assert (abs(found - exact) <= bound).all()
