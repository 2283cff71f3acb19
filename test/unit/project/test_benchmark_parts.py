"""What the benchmark programs are made of: workloads, references, sets of arrays, timing, ranks."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benchmark_programs import BENCHMARKS
from onnx import helper


@pytest.fixture(autouse=True)
def _modules_of_benchmarks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))  # pyright: ignore[reportUnknownMemberType]


def test_wrong_results_are_found() -> None:
    module: Any = importlib.import_module("reference")
    workloads: Any = importlib.import_module("workloads")
    for workload in workloads.WORKLOADS:
        inputs = workload.inputs("call")
        reference = module.Reference(workload, inputs, "call")
        right = reference.expected.astype(workload.dtype)
        reference.check(right, "right")
        with pytest.raises(module.Mismatch, match="wrong: element 7 is"):
            reference.check(_changed(right), "wrong")
        with pytest.raises(module.Mismatch, match="complex64"):
            reference.check(right.astype("complex64"), "type")


def test_a_layer_is_the_one_written_by_hand() -> None:
    reference: Any = importlib.import_module("reference")
    layers: Any = importlib.import_module("layers")
    workload = layers.attention(2, 5, 7, 4)
    inputs = workload.inputs("product")
    q, k, v, mask = (inputs[name].astype(float) for name in ("q", "k", "v", "mask"))
    weights = np.exp(np.einsum("bhqc,bhkc->bhqk", q, k) / 2 + mask)
    expected = np.einsum("bhqk,bhkc->bhqc", weights / weights.sum(-1, keepdims=True), v)
    found = reference.Reference(workload, inputs, "product").expected
    np.testing.assert_allclose(found, expected.ravel(), rtol=1e-9)
    assert workload.products("product") == 2 * 2 * 5 * 7 * 4
    assert layers.mlp(3, 4, 5).products("product") == 2 * 3 * 4 * 5
    assert layers.encoder(2, 64).products("product") == 12 * 2 * 64 * 64 + 2 * 2 * 2 * 64


def test_a_seed_draws_the_same_sizes_each_time() -> None:
    drawn: Any = importlib.import_module("drawn")
    first, second, other = drawn.drawn(1), drawn.drawn(1), drawn.drawn(2)
    assert [w.name for w in first] == list(drawn.NAMES)
    assert first == second
    assert sum(a.formula != b.formula for a, b in zip(first, other, strict=True)) > 35
    for workload in (*first, *other):
        assert drawn.FEWEST <= workload.products("product") <= drawn.MOST


def test_sets_share_constants() -> None:
    sets: Any = importlib.import_module("sets")
    workloads: Any = importlib.import_module("workloads")
    workload = next(w for w in workloads.WORKLOADS if w.name == "matmul_bias_gelu")
    assert workload.argument_shape("x", "product") == (512, 768)
    assert workload.argument_shape("w", "product") == (768, 3072)
    assert workload.products("product") == 512 * 768 * 3072
    (first, _), (second, _) = sets.make_sets(workload, workload.inputs("call"), "call", 2)
    assert [name for name in first if first[name] is second[name]] == ["w", "b"]


def test_a_chain_is_its_two_programs() -> None:
    reference: Any = importlib.import_module("reference")
    workloads: Any = importlib.import_module("workloads")
    for chain in workloads.CHAINS:
        whole = chain.whole()
        inputs = whole.inputs("call")
        own = {name: inputs[name] for name in chain.first.arguments}
        first = reference.Reference(chain.first, own, "call").expected
        shape = chain.first.shape("call")
        rest = chain.inputs_of_second(inputs, first.reshape(shape))
        assert list(rest) == list(chain.second.arguments)
        second = reference.Reference(chain.second, rest, "call").expected
        expected = reference.Reference(whole, inputs, "call").expected
        np.testing.assert_allclose(second, expected, rtol=1e-12)


def test_sets_take_turns_beyond_the_last_level_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    sets: Any = importlib.import_module("sets")
    timing: Any = importlib.import_module("timing")
    workloads: Any = importlib.import_module("workloads")
    monkeypatch.setattr(sets, "host_cache", lambda: 1 << 20)
    counts = [sets.sets_for(size, False) for size in (1 << 10, 1 << 19, 1 << 22)]
    assert counts == [512, 6, 2]
    assert sets.sets_for(1 << 10, True) == 2
    workload = workloads.WORKLOADS[0]
    made = sets.make_sets(workload, workload.inputs("call"), "call", 3)
    arrays = [array for inputs, out in made for array in (*inputs.values(), out)]
    assert len({array.ctypes.data for array in arrays}) == len(arrays)
    seen: list[int] = []
    call = timing.in_turn([lambda k=k: seen.append(k) for k in range(3)])
    for _ in range(7):
        call()
    assert seen == [0, 1, 2, 0, 1, 2, 0]


def test_copies_end_with_their_arrays() -> None:
    limits: Any = importlib.import_module("limits")
    assert [limits.whole_lines(size) for size in (1, 64, 100)] == [64, 64, 128]
    with pytest.raises(ValueError, match="expected a multiple of 64 bytes, got 100"):
        limits.copies(100, 1)


def test_a_pause_lasts_while_threads_spin(monkeypatch: pytest.MonkeyPatch) -> None:
    timing: Any = importlib.import_module("timing")
    spun, slept = 0.0, list[float]()

    def sleep(seconds: float) -> None:
        nonlocal spun
        spun += seconds if len(slept) < 5 else 0.0
        slept.append(seconds)

    monkeypatch.setattr(timing.time, "sleep", sleep)
    monkeypatch.setattr(timing, "process_time", lambda: spun)
    timing._pause(0.02)
    assert slept == [0.02, *[0.01] * 5]


def _changed(array: Any) -> Any:
    other = array.copy()
    other[7] += 1 if other.dtype.kind == "i" else 1e-3
    return other


def test_temporaries_never_hold_two_living_values() -> None:
    temporaries: Any = importlib.import_module("steps").temporaries
    workloads: Any = importlib.import_module("workloads")
    for workload in workloads.WORKLOADS:
        slots = temporaries(workload)
        holds: dict[int, str] = {}
        place: dict[str, int] = {}
        for slot, step in zip(slots, workload.steps, strict=True):
            read = [place[o] for o in step.operands if o in place]
            assert all(holds[p] == o for o in step.operands if (p := place.get(o)) is not None)
            assert slot not in read
            holds[slot] = step.result
            place[step.result] = slot


def test_rank_correlation() -> None:
    module: Any = importlib.import_module("ranks")
    rank_correlation = module.rank_correlation
    assert module.ranks([30, 10, 20, 10]) == [3, 0.5, 2, 0.5]
    assert rank_correlation([1, 2, 3], [1, 10, 100]) == pytest.approx(1)
    assert rank_correlation([1, 2, 3], [5, 4, 3]) == pytest.approx(-1)
    assert rank_correlation([1, 1], [2, 3]) != rank_correlation([1, 1], [2, 3])  # NaN


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="it reads /proc")
def test_networks_of_a_model_are_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module: Any = importlib.import_module("model_networks")
    monkeypatch.setattr(module, "use_cpus", lambda _: None)  # pyright: ignore
    monkeypatch.setenv("SNIPPETS_MODELS_DIR", str(tmp_path))
    nodes = [
        helper.make_node("Exp", ["x"], ["a"]),
        helper.make_node("MatMul", ["a", "a"], ["b"]),
        helper.make_node("Tanh", ["b"], ["y"]),
    ]
    x, y = (helper.make_tensor_value_info(name, 1, [8, 8]) for name in "xy")
    model = helper.make_model(helper.make_graph(nodes, "g", [x], [y]))
    (tmp_path / "m.onnx").write_bytes(model.SerializeToString())
    np.savez(tmp_path / "m.npz", **{"0/x": np.zeros((8, 8), np.float32)})  # pyright: ignore
    name, steps, between, _, ratio, _ = map(str.strip, module.row("m", cuts=True)[1:-1].split("|"))
    assert name == "m"
    assert int(steps) > 0
    assert float(between) >= 0
    assert ratio in ("", "1.000")
