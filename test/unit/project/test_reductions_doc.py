"""`docs/reductions.md`: the numbers that it derives are those of the compiler, the values right."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import snippets_mlir
from snippets_mlir.driver import Compiled
from snippets_mlir.targets.host import host_target
from snippets_mlir.targets.machine import machine

DOCS = Path(__file__).resolve().parents[3] / "docs"
AGAIN = {("layer_norm", 1): (1, 3072), ("layer_norm", 2): (0, 0)}
"""Buffers and bytes on targets that compute values again, by `rereads`, where they are others."""
TARGETS = ("generic", "x86-64-avx2", "x86-64-avx512")

Double = NDArray[np.float64]
Inputs = Mapping[str, Double]


def table() -> dict[str, tuple[int, int, str, int, int, int]]:
    """The rows of the page: kernels, loops, nest, buffers, bytes, domain."""
    text = (DOCS / "reductions.md").read_text(encoding="utf-8")
    rows = re.findall(
        r"^\| `(\w+)\.mlir` \| (\d+) \| (\d+) \| `(.*)` \| (\d+) \| (\d+) \| (\d+) \|$", text, re.M
    )
    return {
        name: (int(kernels), int(loops), nest, int(buffers), int(size), int(domain))
        for name, kernels, loops, nest, buffers, size, domain in rows
    }


def normalized(x: Double, axes: tuple[int, ...]) -> Double:
    d = x - x.mean(axes, keepdims=True)
    return d / np.sqrt((d * d).mean(axes, keepdims=True) + 1e-5)


def softmax(a: Inputs) -> list[Double]:
    t = a["x"] * a["s"] + a["b"]
    e = np.exp(t - t.max(1, keepdims=True))
    return [e / e.sum(1, keepdims=True)]


def log_softmax(a: Inputs) -> list[Double]:
    d = a["x"] - a["x"].max(1, keepdims=True)
    return [d - np.log(np.exp(d).sum(1, keepdims=True))]


def layer_norm(a: Inputs) -> list[Double]:
    t = a["x"] + a["r"]
    return [t, normalized(t, (2,)) * a["s"] + a["b"]]


def group_norm(a: Inputs) -> list[Double]:
    y = normalized(a["x"].reshape(4, 8, 4, 14, 14), (2, 3, 4)).reshape(4, 32, 14, 14)
    return [y * a["s"].reshape(32, 1, 1) + a["b"].reshape(32, 1, 1)]


REFERENCES: dict[str, Callable[[Inputs], list[Double]]] = {
    "softmax": softmax,
    "log_softmax": log_softmax,
    "layer_norm": layer_norm,
    "group_norm": group_norm,
}


def example(name: str, **options: Any) -> Compiled:
    return snippets_mlir.compile(str(DOCS / "examples" / f"{name}.mlir"), **options)


def test_the_page_has_all_programs() -> None:
    assert table().keys() == REFERENCES.keys()


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", REFERENCES)
def test_the_report_equals_the_derivation(name: str, target: str) -> None:
    kernels, loops, nest, buffers, size, domain = table()[name]
    if machine(target).lanes > machine(host_target()).lanes:
        pytest.skip(f"issue #3: this computer cannot run {target}")
    if machine(target).rematerialize_from is not None:
        buffers, size = AGAIN.get((name, machine(target).rereads), (buffers, size))
    program = example(name, target=target, fallback="error")
    assert len(program.kernels) == kernels
    entry = program.kernels[0].entry
    assert entry.facts is not None
    found = (entry.facts.loops, entry.facts.nest, entry.facts.buffers, entry.facts.scratch)
    assert found == (loops, nest, buffers, size)
    assert entry.domain == domain
    assert program.manifest["steps"][0]["scratch"] == size


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("name", REFERENCES)
def test_values(name: str, threads: int) -> None:
    """Within a few units in the last place of the float64 result, per row of norms."""
    program = example(name, fallback="error", num_threads=threads)
    random = np.random.default_rng(5)
    arrays = {
        s.name: random.standard_normal(s.static_shape).astype(np.float32) for s in program.inputs
    }
    arrays["x"].flat[:4] *= 30
    found = program.run(arrays)
    expected = REFERENCES[name]({n: a.astype(np.float64) for n, a in arrays.items()})
    for result, wanted in zip(found.values(), expected, strict=True):
        np.testing.assert_allclose(result, wanted, rtol=2e-5, atol=4e-6)


@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_special_rows(name: str) -> None:
    """NaN and inf make their own row NaN, and no other; -inf beside numbers is exact."""
    program = example(name, fallback="error")
    arrays = {s.name: np.ones(s.static_shape, np.float32) for s in program.inputs}
    x = arrays["x"]
    x[0, 7] = np.nan
    x[1, -1] = np.inf
    x[2] = -np.inf
    x[3, :-1] = -np.inf
    (y,) = program.run(arrays).values()
    assert np.isnan(y[:3]).all()
    last, rest = (1.0, 0.0) if name == "softmax" else (0.0, -np.inf)
    assert y[3, -1] == last
    assert (y[3, :-1] == rest).all()
    assert np.isfinite(y[4:]).all()
