"""The benchmark programs run and write what they say; no time is asserted."""

from __future__ import annotations

import importlib
import json
from collections.abc import Container
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from benchmark_programs import BENCHMARKS, measure_here, run_benchmark

import snippets_mlir
from snippets_mlir.targets.host import host_target

COLUMNS = ("rotating given", "rotating fresh", "hot given", "hot fresh")


def _loops_here(patch: pytest.MonkeyPatch) -> None:
    """Let this process measure loops over memrefs."""
    loops: Any = importlib.import_module("loops")
    sections: Any = importlib.import_module("sections")
    found = [json.loads(json.dumps(loops.section(loops.QUICK)))]
    patch.setattr(sections, "loops", lambda _: found)  # pyright: ignore


def _probe_here(patch: pytest.MonkeyPatch, kinds: Container[str]) -> None:
    """Let this process answer some of the questions that a new process is asked."""
    sections: Any = importlib.import_module("sections")
    probe: Any = importlib.import_module("probe")
    in_a_process = sections._probe

    def probed(kind: str, name: str, threads: int, quick: bool, cache: str = "") -> Any:
        if kind not in kinds:
            return in_a_process(kind, name, threads, quick, cache)
        assert quick
        return json.loads(json.dumps(probe.PROBES[kind](name, threads, probe.QUICK)))

    patch.setattr(sections, "_probe", probed)


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the three outputs of one quick run on NumPy only."""
    folder = tmp_path_factory.mktemp("benchmarks")
    files = [f"--{kind}={folder / f'out.{kind}'}" for kind in ("json", "markdown", "svg")]
    options = ("--quick", "--only=bits_i32,gelu", "--sizes=l1", "--threads=1", "--peers=NumPy")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(BENCHMARKS))  # pyright: ignore[reportUnknownMemberType]
        measure_here(patch, only="silu_mul")
        _probe_here(patch, ("compile", "calls"))
        _loops_here(patch)
        done = run_benchmark("run", *options, *files)
    assert done.code == 0, done.err
    assert done.out.rstrip() == (folder / "out.markdown").read_text(encoding="utf-8").rstrip()
    return folder


def test_json_has_every_cell(outputs: Path) -> None:
    result: dict[str, Any] = json.loads((outputs / "out.json").read_text(encoding="utf-8"))
    gelu, bits = result["cells"]
    assert [gelu["workload"], bits["workload"]] == ["gelu", "bits_i32"]
    assert gelu["left_out"] == {"NumPy": "NumPy has no erf"}
    assert bits["left_out"] == {}
    for column in COLUMNS:
        assert set(gelu[column]) == {"snippets_mlir"}
        assert set(bits[column]) == {"snippets_mlir", "NumPy"}
        for time in bits[column].values():
            assert 0 < time["low"] <= time["median"] <= time["high"]
    assert bits["shape"] == [2048]
    assert bits["bytes"] == 3 * 8192
    for mode in ("rotating", "hot"):
        assert set(bits[f"{mode} limit"]) == {"memcpy", "copy", "copy, non-temporal"}
    assert bits["sets"] == 2
    assert not bits["chain"]
    assert set(result["versions"]) == {"snippets_mlir", "NumPy"}
    titles = [section["title"] for section in result["sections"]]
    costs = ["Cost of a call", "Cost of our calls", "Compile time"]
    assert titles == [*costs, "Peak memory", "Start-up of tools", "Loops over memrefs"]
    for section in result["sections"]:
        assert {len(row) for row in section["rows"]} == {len(section["head"])}
    compiling = result["sections"][2]["rows"]
    assert compiling[0][0] == "snippets_mlir"
    assert all(seconds > 0 for seconds in compiling[0][1:])


def test_markdown_has_all_columns(outputs: Path) -> None:
    text = (outputs / "out.markdown").read_text(encoding="utf-8")
    assert "## 8 KiB (L1), 1 thread\n" in text
    titles = [line for line in text.splitlines() if line.startswith("### ")]
    both = "into given outputs", "fresh outputs"
    turns = [f"### Sets of arrays in turn, {kind}" for kind in both]
    assert titles == [*turns, *(f"### One set of arrays, {kind}" for kind in both)]
    rows = [line for line in text.splitlines() if line.startswith("| `bits_i32`")]
    assert len(rows) == len(COLUMNS)
    assert "| 8 KiB (L1), 1 thread | " in text
    assert all("(NumPy)" in row for row in rows)
    assert "- NumPy, `gelu`: NumPy has no erf" in text


def test_svg_has_a_bar_for_each_ratio(outputs: Path) -> None:
    root = ElementTree.parse(outputs / "out.svg").getroot()
    titles = [e.text for e in root.iter("{http://www.w3.org/2000/svg}title")]
    assert len(titles) == 2
    assert all(title is not None and title.endswith("of NumPy") for title in titles)


def test_runs_are_joined(outputs: Path, tmp_path: Path) -> None:
    whole = json.loads((outputs / "out.json").read_text(encoding="utf-8"))
    gelu, bits = whole["cells"]
    parts = [
        whole | {"cells": [gelu], "sections": []},
        whole | {"cells": [bits, gelu | {"bytes": 7}]},
    ]
    files = [tmp_path / f"{k}.json" for k in range(3)]
    for file, part in zip(files, [*parts, whole | {"date": "1999-01-01"}], strict=True):
        file.write_text(json.dumps(part), encoding="utf-8")
    options = (str(files[0]), str(files[1]), f"--json={tmp_path / 'all.json'}")
    done = run_benchmark("join", *options)
    assert (done.code, done.err) == (0, "")
    found = json.loads((tmp_path / "all.json").read_text(encoding="utf-8"))
    assert found == whole | {"cells": [gelu | {"bytes": 7}, bits]}
    done = run_benchmark("join", str(files[0]), str(files[2]))
    assert done.code == 1
    assert done.err.startswith("join.py: expected runs of one date")
    assert run_benchmark("join", str(tmp_path / "none.json")).code == 1


def test_costs_of_this_checkout() -> None:
    done = run_benchmark("costs", "--rounds=1")
    assert done.code == 0, done.err
    names = [line[:26].strip() for line in done.out.splitlines()]
    assert names[:2] == ["start-up of snippets-opt", "import and first program"]
    assert names[-1] == "call"
    assert all(float(line[26:].split()[0]) > 0 for line in done.out.splitlines())


def test_other_targets_are_refused() -> None:
    for name, reason in (
        ("x86-64-avx3", "unknown target 'x86-64-avx3'"),
        ("aarch64-neon", "cannot run kernels for aarch64-neon"),
    ):
        done = run_benchmark("run", f"--target={name}")
        assert done.code == 2
        assert reason in done.err


def test_our_programs_are_compiled_for_the_target(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))  # pyright: ignore[reportUnknownMemberType]
    targets: Any = importlib.import_module("targets")
    peer: Any = importlib.import_module("peers.snippets_peer")
    workloads: Any = importlib.import_module("workloads")
    workload = workloads.WORKLOADS[0]
    inputs = workload.inputs("call")
    seen: list[object] = []
    own = snippets_mlir.compile

    def compile(text: str, **options: object) -> object:
        seen.append(options["target"])
        return own(text)

    monkeypatch.setattr(peer.snippets_mlir, "compile", compile)
    monkeypatch.delenv(targets.VARIABLE, raising=False)
    peer.Snippets(1).prepare(workload, inputs, "call")
    monkeypatch.setenv(targets.VARIABLE, "generic")
    peer.Snippets(1).prepare(workload, inputs, "call")
    assert seen == [host_target(), "generic"]
    assert targets.variables(host_target()) == {targets.VARIABLE: host_target()}


def test_unknown_workload_is_refused() -> None:
    done = run_benchmark("run", "--only=nothing")
    assert done.code == 2
    assert "unknown workload 'nothing'" in done.err


def test_arenas_prints_a_row() -> None:
    model = BENCHMARKS.parent / "docs" / "examples" / "mlp.onnx"
    done = run_benchmark("arenas", str(model), "--shape", "x=64x32")
    assert done.code == 0, done.err
    name, values, live, *ratios, _ = done.out.splitlines()[-1].strip("| ").split(" | ")
    assert name == "mlp"
    assert int(values) > 0
    assert float(live) > 0
    assert 1 <= float(ratios[0]) <= float(ratios[1]) <= float(ratios[2])
