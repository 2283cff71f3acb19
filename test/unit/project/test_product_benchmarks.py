"""The benchmarks of matrix products, layers and drawn sizes: their pages, sizes and results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from benchmark_programs import BENCHMARKS, measure_here, run_benchmark

from snippets_mlir.targets.host import host_target

COLUMNS = ("rotating given", "rotating fresh", "hot given", "hot fresh")


@pytest.fixture
def one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cells are measured in this process, on any of its cores: their values are what is tested."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))  # pyright: ignore[reportUnknownMemberType]
    measure_here(monkeypatch)


@pytest.mark.usefixtures("one_process")
def test_products_and_layers_have_a_page(tmp_path: Path) -> None:
    """With the packages that are here; NumPy alone is enough."""
    document, file = tmp_path / "page.md", tmp_path / "out.json"
    document.write_text("Before\n\n<!-- tables: begin -->\nold\n<!-- tables: end -->\n")
    names = "matmul_row,matmul_bias_gelu,drawn_product_4,drawn_attention_6"
    options = ("--quick", f"--only={names}", "--seed=2", "--threads=1")
    done = run_benchmark("products", *options, f"--document={document}", f"--json={file}")
    assert done.code == 0, done.err
    cells = json.loads(file.read_text(encoding="utf-8"))["cells"]
    assert [cell["workload"] for cell in cells] == names.split(",")
    text = document.read_text(encoding="utf-8")
    assert text.startswith("Before\n")
    assert "old" not in text
    assert "### Listed" in text
    assert "### Drawn by seed 2" in text
    for row in ("`matmul_row`", "`matmul_bias_gelu`", cells[2]["formula"]):
        (line,) = (line for line in text.splitlines() if line.startswith(f"| {row} |"))
        assert len(line.split("|")) == 12
    assert "| with a bar (at most 0.90) | 1 |" in text
    assert "| drawn (worst at most 1.15) | 2 |" in text
    done = run_benchmark("products", "--only=silu_mul", f"--document={document}")
    assert done.code == 2
    assert "unknown workload 'silu_mul'" in done.err


def test_products_by_instruction_set_have_a_table(tmp_path: Path) -> None:
    """Of every target that this computer runs; the others are compiled for another machine."""
    document = tmp_path / "page.md"
    part = "<!-- instruction sets: begin -->\nold\n<!-- instruction sets: end -->\n"
    document.write_text(f"Before\n\n{part}After\n")
    done = run_benchmark("instruction_sets", "--quick", "--threads=1", f"--document={document}")
    assert done.code == 0, done.err
    text = document.read_text(encoding="utf-8")
    assert text.startswith("Before\n")
    assert text.endswith("After\n")
    assert "old" not in text
    head, _, product = (line for line in text.splitlines() if line.startswith("|"))
    assert host_target() in head
    shares = [float(cell.strip(" *")) for cell in product.split("|")[3:-1:3]]
    assert shares
    assert all(share > 0 for share in shares)
    assert product.startswith("| `matmul_512` | ")


@pytest.mark.usefixtures("one_process")
def test_every_workload_is_right_with_the_peers_that_tests_have() -> None:
    options = ("--quick", "--no-sections", "--sizes=call", "--threads=1", "--peers=NumPy")
    done = run_benchmark("run", *options, "--target=generic")
    assert done.code == 0, done.err
    assert "\nOurs is compiled for generic; the computer's own target is " in done.out
    left_out = {line for line in done.out.splitlines() if line.startswith("- ")}
    none = ("gelu", "bias_gelu_nchw", "gelu+affine_relu", "bias_gelu_nchw+bias_gelu_nchw")
    none = (*none, "matmul_bias_gelu")
    assert left_out == {f"- NumPy, `{name}`: NumPy has no erf" for name in none}


@pytest.mark.usefixtures("one_process")
def test_products_have_a_size_of_their_own() -> None:
    options = ("--quick", "--no-sections", "--only=matmul_row,matmul_heads", "--threads=1")
    done = run_benchmark("run", *options, "--peers=NumPy,onnxruntime")
    assert done.code == 0, done.err
    lines = done.out.splitlines()
    assert [line for line in lines if line.startswith("## ")] == [
        "## Matrix products and layers, 1 thread"
    ]
    head = "| workload | snippets_mlir | NumPy | onnxruntime | ours / best | bar | GFLOP/s |"
    assert lines.count(head) == len(COLUMNS)
    for name in ("matmul_row", "matmul_heads"):
        rows = [line.split(" | ") for line in lines if line.startswith(f"| `{name}`")]
        assert [all(row) for row in rows] == [True] * len(COLUMNS)


@pytest.mark.usefixtures("one_process")
def test_layers_and_drawn_sizes_are_right_with_onnxruntime(tmp_path: Path) -> None:
    names = ("encoder_32x384", "drawn_product_5", "drawn_attention_1")
    report = tmp_path / "out.json"
    options = ("--quick", "--no-sections", f"--only={','.join(names)}", "--seed=5", "--modes=hot")
    done = run_benchmark("run", *options, "--threads=1", "--peers=onnxruntime", f"--json={report}")
    assert done.code == 0, done.err
    assert "\nSeed 5 has drawn sizes.\n" in done.out
    cells: list[dict[str, Any]] = json.loads(report.read_text(encoding="utf-8"))["cells"]
    assert [(cell["workload"], cell["left_out"]) for cell in cells] == [(n, {}) for n in names]
    for cell in cells:
        assert not cell["rotating given"]
        assert set(cell["hot given"]) == {"snippets_mlir", "onnxruntime"}
    assert [cell["bar"] for cell in cells] == [0.85, None, None]
