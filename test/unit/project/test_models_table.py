"""The benchmark of models: the catalog, the files, the errors and the processes."""

from __future__ import annotations

import importlib
import math
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
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


def test_the_catalog_names_each_model_once_and_its_base() -> None:
    models = _module("models.catalog").MODELS
    parts = (
        "shipped.SHIPPED",
        "vision.VISION",
        "transformer.TRANSFORMER",
        "encoders.ENCODERS",
        "scikit.SCIKIT",
    )
    lists = [getattr(_module(f"models.{module}"), name) for module, name in _pairs(parts)]
    derived = _module("models.derived").derived(models)
    assert len(models) == sum(map(len, lists)) + len(derived)
    assert len(models) >= 45
    for name, model in models.items():
        assert model.name == name
        assert model.base is None or models[model.base].base is None
    assert [m.name for m in models.values() if m.decoder] == [
        "gpt2_kv",
        "gpt2_rows_kv",
        "gpt2_12_kv",
    ]
    assert [m.name for m in models.values() if m.many_shapes] == ["bert2"]


def _pairs(names: tuple[str, ...]) -> list[list[str]]:
    return [name.split(".") for name in names]


def test_feeds_are_the_same_in_every_process() -> None:
    feeds, models = _module("models.feeds"), _module("models.catalog").MODELS
    for name, model in models.items():
        if model.origin == "scikit-learn":
            continue
        first, second = (model.feeds(feeds.random_of(name)) for _ in range(2))
        assert first
        for one, other in zip(first, second, strict=True):
            assert {k: a.shape for k, a in one.items()} == {k: a.shape for k, a in other.items()}
            assert all(np.array_equal(one[key], other[key]) for key in one)
            assert all(array.flags.c_contiguous for array in one.values())


def test_many_shapes_are_different_and_the_largest_come_first() -> None:
    feeds, model = _module("models.feeds"), _module("models.catalog").MODELS["bert2"]
    shapes = [feed["ids"].shape for feed in model.many_shapes(feeds.random_of("bert2"))]
    assert len(set(shapes)) > 1000
    assert shapes[:2] == [(8, 64), (1, 512)]
    assert max(batch * length for batch, length in shapes) == 512


def test_feeds_go_through_a_file(tmp_path: Path) -> None:
    store = _module("models.store")
    feeds = [{"a/b": np.arange(3), "file": np.float32(2)}, {"a/b": np.zeros((0, 2))}]
    store.write_feeds(tmp_path / "m.npz", feeds)
    found = store.read_feeds(tmp_path / "m.npz")
    assert [list(feed) for feed in found] == [["a/b", "file"], ["a/b"]]
    assert found[0]["a/b"].tolist() == [0, 1, 2]
    assert found[0]["file"].shape == ()
    assert found[1]["a/b"].shape == (0, 2)


def test_a_missing_package_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    models, missing = _module("models.catalog").MODELS, _module("models.model").Missing
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    for name in ("magika", "vit2"):
        with pytest.raises(missing):
            models[name].make(tmp_path)
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize(
    ("found", "right", "expected"),
    [
        ([1.0, 2.0], [1.0, 2.5], 0.2),
        ([0.0, 1e-4], [0.0, 2e-4], 1e-2),
        ([math.nan, 1.0], [math.nan, 1.0], 0.0),
        ([math.inf, 1.0], [math.inf, 2.0], 0.5),
        ([math.nan, 1.0], [1.0, 1.0], math.inf),
        ([1.0, 1.0], [math.nan, 1.0], math.inf),
        ([-math.inf, 1.0], [math.inf, 1.0], math.inf),
        ([1e30, 1.0], [math.inf, 1.0], math.inf),
        ([math.nan, 1.0], [math.inf, 1.0], math.inf),
        ([], [], 0.0),
        ([1.0], [1.0, 2.0], math.inf),
    ],
)
def test_errors(found: list[float], right: list[float], expected: float) -> None:
    error = _module("models.errors").error
    assert error(np.array(found, np.float32), np.array(right, np.float32)) == pytest.approx(
        expected
    )


def test_errors_of_integers_are_shares() -> None:
    errors = _module("models.errors")
    right = np.array([1, 2, 3, 4])
    assert errors.error(np.array([1, 2, 3, 5]), right) == 0.25
    assert errors.error(right.astype(np.int32), right) == math.inf
    found = {"x": np.array([1, 2]), "y": np.array([1, 2])}
    assert errors.worst(found, {"x": found["x"], "y": np.array([1, 0])}) == (0.5, "y")


def test_what_a_process_said_is_kept_when_it_ends_early() -> None:
    merged = _module("models.child").merged
    said = '{"stage": "compile", "nodes": 3}\n{"stage": "call"}\n'
    assert merged(said + '{"state": "ok"}\n', "exit status 0", "") == {
        "stage": "call",
        "nodes": 3,
        "state": "ok",
    }
    crashed = merged(said + '{"sta', "exit status -11", "some text\nlast words")
    assert crashed["state"] == "crash"
    assert crashed["stage"] == "call"
    assert crashed["message"] == "exit status -11 some text last words"
    assert merged("", "no answer within 3 s", "")["message"] == "no answer within 3 s"


def test_a_step_runs_in_a_process_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    child = _module("models.child")
    monkeypatch.setenv("SNIPPETS_MODELS_DIR", "/nowhere")
    found = child.run("measure", ["magika"], 60)
    assert found["state"] == "error"
    assert "magika" in found["message"]


def test_an_error_above_the_tolerance_is_wrong() -> None:
    judged = _module("models.collect").judged
    assert judged("bert2", {"state": "ok", "error": 1e-5}) == "ok"
    assert judged("bert2", {"state": "ok", "error": 1e-3}) == "wrong"
    assert judged("bert2", {"state": "ok", "error": None}) == "wrong"
    assert judged("bert2_int8", {"state": "ok", "error": 1e-3}) == "ok"
    assert judged("bert2", {"state": "crash"}) == "crash"


def test_medians_of_processes() -> None:
    medians = _module("models.collect").medians
    runs = [{"state": "ok", "stage": "x", "load_ms": ms} for ms in (3.0, 1.0, 2.0)]
    assert medians(runs) == {"state": "ok", "load_ms": 2.0}
    failed = {"state": "error", "message": "no"}
    assert medians([runs[0], failed, runs[1]]) == failed


@pytest.mark.usefixtures("foreign_products")
def test_a_model_is_measured_in_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, quick = _module("models.store"), _module("timing").QUICK
    measure, fresh = _module("models.measure"), _module("models.fresh")
    monkeypatch.setenv(store.VARIABLE, str(tmp_path))
    monkeypatch.setattr(measure, "EFFORT", quick)
    (tmp_path / "mlp.onnx").write_bytes((ROOT / "docs/examples/mlp.onnx").read_bytes())
    x, gate = np.ones((64, 32), np.float32), np.zeros(64, np.float32)
    store.write_feeds(tmp_path / "mlp.npz", [{"x": x, "gate": gate}])
    assert store.is_made("mlp")
    found: dict[str, Any] = {}
    measure.measure(found.update, ["mlp"])
    assert found["error"] < 1e-5
    assert found["distinct_kernels"] <= found["kernels"]
    assert found["opaque"]["MatMul"] == 2
    assert {"nodes", "megabytes", "distinct_kernels", "ops", *_module("models.bars").TIMED} - {
        "with_kernels"
    } <= set(found)
    for side in fresh.SIDES:
        found = {}
        fresh.fresh(found.update, [side, "mlp"])
        assert {"load_ms", "first_ms"} <= set(found)


def test_sequences_hand_the_cache_on(monkeypatch: pytest.MonkeyPatch) -> None:
    decode, decoder = _module("models.decode"), _module("models.model").Decoder
    described = decoder("ids", 10, ("k",), length_dim=1)
    feed = decode.first_feed({"ids": np.zeros((1, 1)), "k": np.ones((1, 2))}, described, 5)
    assert feed["k"].shape == (1, 5)

    def run(given: dict[str, Any]) -> dict[str, Any]:
        grown = np.concatenate([given["k"], given["ids"]], axis=1)
        return {"sums": grown.sum(), "k_new": grown}

    given = np.array([[[1]], [[2]], [[3]], [[4]]])
    seconds, results = decode.sequence(run, described, feed, given)
    assert results == [6, 8, 11, 15]
    found = decode.summary({"ours": [seconds], "onnxruntime": [seconds]})
    assert found["ratio"] == 1
    assert found["tokens"] == 2
    monkeypatch.setattr(decode, "LIMIT", 0.0)
    assert len(decode.sequence(run, described, feed, given)[0]) == decode.FIRST + 1
