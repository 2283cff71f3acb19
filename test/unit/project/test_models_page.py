"""The page of models: the bars, the tables, and runs that are joined."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module", autouse=True)
def folder() -> Iterator[None]:
    """The modules of the benchmarks can be imported."""
    sys.path.insert(0, str(ROOT / "benchmarks"))
    try:
        yield
    finally:
        sys.path.remove(str(ROOT / "benchmarks"))


def _module(name: str) -> Any:
    return importlib.import_module(name)


def _entry(name: str, **more: Any) -> dict[str, Any]:
    """A model that keeps all bars."""
    fast = {"state": "ok", "load_ms": 10.0, "first_ms": 10.0, "new_shape_ms": 1.0}
    return {
        "name": name,
        "date": "2026-01-02",
        "state": "ok",
        "megabytes": 1.5,
        "nodes": 7,
        "error": 1e-7,
        "where": "y of feed 0",
        "kernels": 3,
        "distinct_kernels": 2,
        "ops": 9,
        "opaque": {"Conv": 3, "MatMul": 2},
        "ours_ms": 1.0,
        "onnxruntime_ms": 1.0,
        "spread": 0.01,
        "ratio": 1.0,
        "fresh": {"ours": fast, "cached": fast, "onnxruntime": fast},
    } | more


def _result(*entries: dict[str, Any]) -> dict[str, Any]:
    return {
        "machine": {"cpu": "A processor", "cpus": 2, "python": "3", "target": "x86", "cache": 2.5},
        "versions": {"onnxruntime": "1.20"},
        "entries": {entry["name"]: entry for entry in entries},
    }


def test_models_that_keep_the_bars_miss_none() -> None:
    memory = {"state": "ok", "shapes": 1000, "memory": {"1": 100.0, "250": 400.0, "1000": 450.0}}
    entry = _entry(
        "bert2",
        decoder={"state": "ok", "ratio": 1.1},
        memory={"ours": memory, "onnxruntime": memory},
    )
    assert _module("models.bars").misses([entry, {"name": "magika", "state": "skip"}]) == []


def test_each_bar_can_be_missed() -> None:
    slow = {"state": "ok", "load_ms": 100.0, "first_ms": 100.0, "new_shape_ms": 200.0}
    fast = {"state": "ok", "load_ms": 5.0, "first_ms": 1.0}
    memory = {"state": "ok", "shapes": 1000, "memory": {"250": 400.0, "1000": 500.0}}
    entries = [
        _entry(
            "bert2",
            ratio=1.2,
            fresh={"ours": slow, "cached": slow, "onnxruntime": fast},
            decoder={"state": "ok", "ratio": 1.5},
            memory={"ours": memory},
        ),
        {"name": "vit2", "state": "crash", "stage": "compile"},
        _entry("bert2_ts", memory={"ours": memory | {"shapes": 7, "seconds": 300.0}}),
        _entry("magika", fresh={"ours": {"state": "error", "stage": "load"}}),
    ]
    assert _module("models.bars").misses(entries) == [
        "`bert2`: 1.20 of onnxruntime's time, at most 1.05",
        "`bert2`: 200 ms for compiling and the first call, at most 138",
        "`bert2`: 200 ms for the same from the cache, at most 17",
        "`bert2`: 200 ms for a new shape, at most 100",
        "`bert2`: a token takes 1.50 of onnxruntime's, at most 1.2",
        "`bert2`: 100 MiB more at 1000 shapes than at a quarter, at most 64",
        "`vit2`: crash at compile",
        "`bert2_ts`: 7 shapes in 300 s, 1000 expected",
        "`magika`: ours, in a new process: error at load",
        "all models: a geometric mean of 1.06, at most 1.00",
    ]


def test_the_page_has_every_model() -> None:
    page = _module("models.page").page
    others = {"settings": {"partition": "kernels"}, "kernels": 5, "error": 0.0, "ratio": 1.5}
    crashed = {"name": "vit2", "state": "crash", "date": "2026-01-01", "message": "a | b\nc"}
    text = page(
        _result(
            crashed,
            _entry("bert2", ratio=0.5, ratio_before=1.3, with_kernels=others),
            _entry("magika", kernels=0, with_kernels=others, opaque=dict.fromkeys("abcdefgh", 1)),
        )
    )
    lines = text.splitlines()
    assert lines[0].startswith(
        "Measured 2026-01-01 to 2026-01-02 on A processor, 2 CPUs, x86, 2.5 MiB"
    )
    assert "| `bert2` | ok | 1.0e-07 | 3 (9) | 1 | 1 | 0.50 (before: 1.30) | 0.50 (3) |" in lines
    assert "| `magika` | ok | 1.0e-07 | 0 (9) | 1 | 1 | 1.00 | 1.50 (5) |" in lines
    assert r"| `vit2` | crash a \| b c |  |  |  |  |  |  |" in lines
    assert "| `bert2` | 10 | 10 | 20 | 20 | 1 | 1 |" in lines
    assert "| `magika` | 1.5 | 7 | 8 | a 1, b 1, c 1, d 1, e 1, f 1, ... |" in lines
    assert "1 crash, 2 ok. Geometric mean of the ratios: 0.71; the largest is 1.00 (`magika`)." in (
        lines
    )
    assert lines[-1] == "* `vit2`: crash"


def test_the_page_of_nothing_says_so() -> None:
    assert _module("models.page").page(_result()).splitlines()[-1] == "None."


@pytest.mark.parametrize("text", [None, "no marks\n"])
def test_a_document_without_marks_is_refused_before_the_run(
    tmp_path: Path, text: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    document = tmp_path / "page.md"
    if text is not None:
        document.write_text(text)
    with pytest.raises(SystemExit) as refused:
        _module("run_models").main(["bert2", f"--document={document}"])
    assert refused.value.code == 2
    assert (
        f"argument --document: {'' if text else 'cannot read '}{document}"
        in capsys.readouterr().err
    )


def test_the_document_has_the_tables_of_the_file(tmp_path: Path) -> None:
    run_models: Any = _module("run_models")
    document, found = tmp_path / "models.md", tmp_path / "models.json"
    document.write_text("before\n<!-- tables: begin -->\nformer\n<!-- tables: end -->\nafter\n")
    found.write_text(json.dumps(_result(_entry("bert2"))))
    assert run_models.main(["--tables", f"--json={found}", f"--document={document}"]) == 0
    text = document.read_text()
    assert text.startswith("before\n")
    assert text.endswith("\nafter\n")
    assert "former" not in text
    assert "| `bert2` | ok |" in text


def test_entries_keep_the_order_of_the_catalog(tmp_path: Path) -> None:
    run_models: Any = _module("run_models")
    file = tmp_path / "models.json"
    result: dict[str, Any] = {"machine": {}, "versions": {}, "entries": {}}
    for name in ("vit2", "magika", "bert2"):
        run_models.add(result, _entry(name), file, is_long=True)
    assert [*json.loads(file.read_text())["entries"]] == ["magika", "bert2", "vit2"]


def test_a_short_run_keeps_what_it_leaves_out(tmp_path: Path) -> None:
    run_models: Any = _module("run_models")
    file, decoder = tmp_path / "models.json", {"state": "ok"}
    result = _result(_entry("gpt2_kv", decoder=decoder, ratio=2.0))
    run_models.add(result, _entry("gpt2_kv", ratio=1.5), file, is_long=False)
    assert json.loads(file.read_text("utf-8"))["entries"]["gpt2_kv"]["decoder"] == decoder
    assert result["entries"]["gpt2_kv"]["ratio"] == 1.5
    run_models.add(result, _entry("gpt2_kv", state="error"), file, is_long=False)
    assert "decoder" not in result["entries"]["gpt2_kv"]
    run_models.add(result, _entry("gpt2_kv", decoder=decoder), file, is_long=True)
    run_models.add(result, _entry("gpt2_kv"), file, is_long=True)
    assert "decoder" not in result["entries"]["gpt2_kv"]


def test_runs_of_another_machine_are_not_mixed(tmp_path: Path) -> None:
    run_models: Any = _module("run_models")
    file = tmp_path / "models.json"
    file.write_text(json.dumps(_result(_entry("vit2"))))
    with pytest.raises(SystemExit, match="another machine"):
        run_models.known(file, ["bert2"])
    assert run_models.known(file, [*run_models.MODELS])["entries"] == {}


def test_unknown_models_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        _module("run_models").main(["bert3"])
    assert "unknown: bert3" in capsys.readouterr().err
