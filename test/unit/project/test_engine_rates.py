"""The graphs of `benchmarks/engine_rates.py` are what it says; its lines and tables are right."""

import importlib
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime as ort
import pytest

from snippets_mlir.targets.engine import engine_of

BENCHMARKS = Path(__file__).resolve().parents[3] / "benchmarks"


def module(name: str) -> Any:
    sys.path.insert(0, str(BENCHMARKS))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(BENCHMARKS))


GRAPHS = module("engine_graphs")
TIMING = module("engine_timing")
MEASURED = module("engine_rates")


def results(graph: Any) -> Any:
    session: Any = ort.InferenceSession(
        graph.model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    (found,) = session.run(None, graph.feed())
    return found


@pytest.mark.parametrize("name", ["", *GRAPHS.OPERATORS])
def test_chains_keep_their_range(name: str):
    found = results(GRAPHS.chain(name, (4, 8), 3))
    assert found.shape == (4, 8)
    assert np.isfinite(found).all()
    assert found.max() <= 0.75


@pytest.mark.parametrize("target", ["x86-64-avx512", "x86-64-avx2", "aarch64-neon"])
def test_every_rate_in_use_is_measured(target: str):
    assert engine_of(target).rates.keys() <= GRAPHS.OPERATORS.keys()


def test_attention_in_parts_is_attention():
    parts = GRAPHS.attention(2, 16, 8)
    feed = parts.whole.feed()

    def run(graph: Any, **given: Any) -> Any:
        session: Any = ort.InferenceSession(
            graph.model.SerializeToString(), providers=["CPUExecutionProvider"]
        )
        return session.run(None, given)[0]

    scores = run(parts.before, q=feed["q"], k=feed["k"])
    found = run(parts.after, weights=run(parts.softmax, scores=scores), v=feed["v"])
    np.testing.assert_allclose(found, run(parts.whole, **feed), rtol=1e-5)
    assert results(GRAPHS.convolutions(16, 5, 2)).shape == (1, 16, 5, 5)
    np.testing.assert_allclose(results(GRAPHS.products(8, 3)).std(0), 0, atol=0.1)


def test_products_are_measured(monkeypatch: pytest.MonkeyPatch):
    """A call of n products takes 5 us and 2 us for each product, however busy the machine is."""

    def nanoseconds(*runs: Any, **given: Any) -> list[float]:
        for run in runs:
            run()
        return [5000.0 + 2000.0 * n for n in (1, 2, 4)[: len(runs)]]

    monkeypatch.setattr(MEASURED, "nanoseconds", nanoseconds)
    assert MEASURED.of_products(16) == pytest.approx(2000 / 16**3)
    assert MEASURED.of_kernel_products(16) == pytest.approx(7000 / 16**3)


def test_lines():
    found = TIMING.line([1, 4, 7], [30, 90, 150])
    assert found.slope == pytest.approx(20)
    assert found.start == pytest.approx(10)


def test_rows_mark_what_is_off():
    assert MEASURED.row('"Erf":', 0.5, 0.4) == '    "Erf": 0.5,  # in use 0.4, 1.25 of it'
    assert MEASURED.row("node =", 100, 200).endswith("0.50 of it  <--")
    assert MEASURED.row("node =", 301, 200).endswith("<--")
    (head, erf, tail) = MEASURED.table({"Erf": [9, 0.4, 9]}, {"Erf": 0.4})
    assert (head, tail) == ("RATES: Mapping[str, float] = {", "}")
    assert erf == '    "Erf": 0.4,  # in use 0.4, 1.00 of it'


def test_a_quick_run_prints_the_table(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(MEASURED, "use_cpus", print)
    assert MEASURED.main(["--quick", "Abs"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].startswith("# ")
    assert lines[3].startswith('    "Abs": ')
    with pytest.raises(SystemExit):
        MEASURED.main(["Nothing"])
