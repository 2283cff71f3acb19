"""The benchmark that compares functions with exact values for all inputs."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from benchmark_programs import BENCHMARKS, run_benchmark, run_process


def test_exhaustive_accuracy_of_some_inputs(tmp_path: Path) -> None:
    found, document = tmp_path / "found.json", tmp_path / "accuracy.md"
    document.write_text("before\n<!-- tables: begin -->\nold\n<!-- tables: end -->\nafter\n")
    options = ("--stride=2000003", "--processes=1", f"--json={found}")
    script = str(BENCHMARKS / "exhaustive.py")  # its worker processes import the program
    done = run_process([sys.executable, script, "exp", "abs", *options])
    assert done.returncode == 0, done.stdout + done.stderr
    entries = json.loads(found.read_text(encoding="utf-8"))
    assert entries["abs"]["error"] == 0
    assert entries["exp"]["inputs"] == 2148
    assert 0.3 < entries["exp"]["error"] < 1.1
    assert abs(entries["exp"]["confirmed"] - entries["exp"]["error"]) < 1e-6

    options = ("--tables", f"--json={found}", f"--document={document}")
    assert run_benchmark("exhaustive", *options).code == 0
    lines = document.read_text(encoding="utf-8").splitlines()
    assert (lines[0], lines[-1]) == ("before", "after")
    assert "old" not in lines
    assert any(line.startswith("| `exp` | 0.") for line in lines)
    assert "| `exp` | 1 | 1 | inf | 0 | NaN | 2.718282 | 0.3678795 | 1 | 1 | inf | 0 |" in lines


def test_exhaustive_runs_go_on_where_they_were(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))  # pyright: ignore[reportUnknownMemberType]
    exhaustive: Any = __import__("exhaustive")
    new = {"code": "1", "stride": 4}
    assert not exhaustive.goes_on(None, new)
    assert exhaustive.goes_on({"code": "1", "stride": 4}, new)
    assert not exhaustive.goes_on({"code": "2", "stride": 4}, new)
    assert not exhaustive.goes_on({"code": "1", "stride": 1}, new)
    assert exhaustive.goes_on({"code": "1", "stride": 1, "special": []}, new)
    assert not exhaustive.goes_on({"code": "1", "stride": 8, "special": []}, new)


def test_errors_in_units_in_the_last_place(monkeypatch: pytest.MonkeyPatch) -> None:
    np: Any = __import__("numpy")
    monkeypatch.syspath_prepend(str(BENCHMARKS))  # pyright: ignore[reportUnknownMemberType]
    accuracy: Any = __import__("accuracy")
    inf, nan, top = np.inf, np.nan, float(np.finfo(np.float32).max)
    cases = [
        (1.0, 1.0, 0.0),
        (1.0, 1.0 + 2.0**-24, 0.5),
        (2.0**-149, 0.0, 1.0),
        (inf, inf, 0.0),
        (inf, 1e39, 0.0),
        (inf, top, 1.0),
        (inf, 1.0, inf),
        (top, inf, inf),
        (-inf, inf, inf),
        (nan, nan, 0.0),
        (nan, 1.0, inf),
        (1.0, nan, inf),
        (-0.0, 0.0, inf),
        (0.0, -1e-60, inf),
    ]
    got, exact, expected = np.array(cases).T
    assert accuracy.errors(got.astype(np.float32), exact).tolist() == expected.tolist()


@pytest.mark.parametrize("name", ["exp", "log", "tan", "floor", "swish_minus"])
def test_scans_of_chunks_find_what_element_by_element_finds(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    np: Any = __import__("numpy")
    monkeypatch.syspath_prepend(str(BENCHMARKS))  # pyright: ignore[reportUnknownMemberType]
    accuracy: Any = __import__("accuracy")
    stride = 100003
    found = accuracy.Scan(name, stride).range(0, 1 << 32)
    x = np.arange(0, 1 << 32, stride, dtype=np.uint64).astype(np.uint32).view(np.float32)
    got = np.asarray(accuracy.kernel(name, len(x))(x))
    with np.errstate(all="ignore"):
        exact = accuracy.errors(got, accuracy.oracle(name, x))
    assert found.inputs == len(x)
    assert abs(found.error - exact.max()) < 1e-6
