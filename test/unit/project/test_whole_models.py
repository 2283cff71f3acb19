"""`benchmarks/whole_models.py`: what it says of results and of files that are not there."""

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest


@pytest.fixture
def whole_models(monkeypatch: pytest.MonkeyPatch) -> Any:
    benchmarks = Path(__file__).resolve().parents[3] / "benchmarks"
    monkeypatch.setattr(sys, "path", [str(benchmarks), *sys.path])
    return import_module("whole_models")


def test_models_that_nobody_made(
    whole_models: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    store = sys.modules["models.store"]
    monkeypatch.setattr(store, "folder", lambda: tmp_path)
    assert whole_models.main(["bert12_128", "gpt2_12_kv"]) == 1
    assert capsys.readouterr().err == (
        "no files of bert12_128, gpt2_12_kv: `make models` makes them\n"
    )


def test_differences_are_relative_to_the_largest_number(whole_models: Any) -> None:
    wanted = [np.array([1.0, -4.0]), np.zeros(0), np.zeros(2)]
    assert whole_models.difference([wanted[0], wanted[1], wanted[2]], wanted) == 0
    found = {"a": np.array([1.0, -3.0]), "b": np.zeros(0), "c": np.zeros(2)}
    assert whole_models.difference(found, wanted) == 0.25


def test_a_row_has_the_ratio_to_the_better_peer(
    whole_models: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = {"ours": 2.0, "onnxruntime": 5.0, "OpenVINO": 4.0}
    time_of = sys.modules["timing"].Time

    def made(*_: object) -> Any:
        return lambda: [np.ones(3, np.float32)]

    def measured(*_: object) -> Any:
        return {peer: time_of(time, time, time, 1) for peer, time in seconds.items()}

    def feeds_of(_: str) -> list[dict[str, Any]]:
        return [{}]

    monkeypatch.setattr(whole_models, "CONTENDERS", dict.fromkeys(seconds, made))
    monkeypatch.setattr(whole_models, "feeds_of", feeds_of)
    monkeypatch.setattr(whole_models, "measure", measured)
    cells, ratio = whole_models.row_of("m", 2, whole_models.QUICK)
    assert ratio == 0.5
    assert cells == ["`m`", "2000.0", "5000.0", "4000.0", "0.0e+00", "0.50"]
