"""Registers beside LLVM's: what is counted, the tables of the docs, no spill in the benchmarks."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sampled import sampled

from snippets_mlir.inspect.register_report import RegisterUse, bodies_of, llvm_use, register_report
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.parsing import parse_module
from snippets_mlir.tools.report_registers import main, table

ROOT = Path(__file__).resolve().parents[3]
ASSEMBLY = """
\t.globl\tk.body
k.body:
\tvmovups\t(%rdi), %ymm3
\tvmovups\t%ymm3, -32(%rsp)                # 32-byte Spill
\tvaddps\t-32(%rsp), %ymm3, %ymm11         # 32-byte Folded Reload
\tmovq\t%rax, -8(%rsp)                     # 8-byte Spill
\tkmovw\t%k2, %eax                         # %ymm15 is not used
.LBB1_2:
\tretq
other:
\tvxorps\t%xmm0, %xmm0, %xmm0
"""


def test_registers_and_spills_of_vectors_are_counted() -> None:
    bodies = bodies_of(ASSEMBLY)
    assert list(bodies) == ["k.body", "other"]
    assert llvm_use(bodies["k.body"], "x86_64") == (2, 1, 1, 1)
    assert llvm_use(bodies["other"], "x86_64") == (1, 0, 0, 0)
    neon = "\tldr\tq3, [x0]\n\tstr\tq3, [sp, #16]   // 16-byte Folded Spill\n\tfmov\tv7.4s, v3.4s"
    assert llvm_use(neon, "aarch64") == (2, 0, 1, 0)


def _numbers(row: str) -> list[int]:
    """The numbers in a row of a table."""
    return [int(cell) for cell in row.split("|") if cell.strip().isdigit()]


def test_the_table_of_the_docs(capsys: pytest.CaptureFixture[str]) -> None:
    """Versions of LLVM differ by a register or two."""
    page = (ROOT / "docs" / "iterations.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)\.mlir` \|(.*)\|$", page, re.M)
    assert [name for name, _ in rows] == ["softmax", "layer_norm", "chain20"]
    for name, row in rows:
        assert main([str(ROOT / "docs" / "examples" / f"{name}.mlir")]) == 0
        found = _numbers(capsys.readouterr().out.splitlines()[-1])
        assert len(found) == 8
        pairs = zip(_numbers(row), found, strict=True)
        assert all(abs(said - counted) <= 2 for said, counted in pairs), (name, found)


def test_a_wrong_file_is_an_error(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main([str(tmp_path / "none.mlir")]) == 1
    assert "error" in capsys.readouterr().err


def test_a_wrong_target_is_an_error() -> None:
    module = parse_module("func.func @main() { func.return }", make_context())
    with pytest.raises(CompileError, match="unknown target 'x86-64-avx3'"):
        register_report(module, "x86-64-avx3")


def test_table() -> None:
    assert table([RegisterUse("k", 1, 2, 3, 4, 5, 6, 7, 8)]).splitlines()[-1] == (
        "| k | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 |"
    )


@pytest.fixture(scope="module")
def suite() -> Iterator[Any]:
    """The modules of the benchmarks that know the workloads."""
    sys.path.insert(0, str(ROOT / "benchmarks"))
    try:
        yield importlib.import_module("workloads"), importlib.import_module("mlir_text")
    finally:
        sys.path.remove(str(ROOT / "benchmarks"))


@pytest.mark.parametrize("target", ["x86-64-avx2", "x86-64-avx512"])
def test_spills_in_the_benchmark_suite(suite: Any, target: str) -> None:
    workloads, text = suite
    # The accumulators of products fill the registers: those of blocks of the sum are spilled.
    for workload in sampled((w for w in workloads.WORKLOADS if "l1" in w.sizes), 2):
        module = parse_module(text.mlir(workload, "l1"), make_context())
        for use in register_report(module, target):
            assert (use.slots, use.spills, use.reloads) == (0, 0, 0), workload.name
