"""Who checks an ONNX model: onnxruntime what it loads anyway, ONNX's checker everything else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import onnx
import pytest
from mutated_models import mutated
from onnx import helper
from onnx_models import model, value
from random_engine_graphs import engine_graph
from shape_models import PATTERNS, parsed

import snippets_mlir
from snippets_mlir.driver.cache import stored
from snippets_mlir.driver.cache.program_cache import program_key
from snippets_mlir.driver.onnx import kept_model, one_session, whole_model
from snippets_mlir.driver.onnx.cuts import planned_model
from snippets_mlir.frontends.onnx import load, prepare
from snippets_mlir.support.errors import CompileError

Counter = Callable[[], int]


@pytest.fixture(autouse=True)
def no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SNIPPETS_CACHE_DIR", "")


@pytest.fixture
def checks(monkeypatch: pytest.MonkeyPatch) -> Counter:
    """How often ONNX's checker was asked."""
    asked: list[str | None] = []

    def check(proto: onnx.ModelProto, file: str | None) -> None:
        asked.append(file)
        load.check(proto, file)

    monkeypatch.setattr(prepare, "check", check)
    return lambda: len(asked)


@pytest.fixture
def sessions(monkeypatch: pytest.MonkeyPatch) -> Counter:
    """How many sessions of whole models were made."""
    made: list[int] = []
    real = whole_model.model_session

    def model_session(*arguments: Any, **options: Any) -> Any:
        made.append(1)
        return real(*arguments, **options)

    monkeypatch.setattr(whole_model, "model_session", model_session)
    monkeypatch.setattr(one_session, "model_session", model_session)
    return lambda: len(made)


def product(rows: int | str, **attributes: Any) -> onnx.ModelProto:
    """One product, for which no kernel pays."""
    node = helper.make_node("MatMul", ["x", "w"], ["y"], **attributes)
    weights = {"w": np.ones((8, 4), np.float32)}
    return model([node], [value("x", [rows, 8])], [value("y", [rows, 4])], weights)


@pytest.mark.usefixtures("foreign_products")
@pytest.mark.parametrize("rows", ["n", 3])
def test_a_session_is_the_check(rows: int | str, checks: Counter, sessions: Counter) -> None:
    compiled = snippets_mlir.compile(product(rows))
    for _ in range(2):
        (y,) = [compiled(np.ones((3, 8), np.float32))]
        np.testing.assert_array_equal(y, np.full((3, 4), 8, np.float32))
    assert not compiled.kernels
    assert (checks(), sessions()) == (0, 1)


def test_a_large_dynamic_model_is_checked_before_its_first_call(
    checks: Counter, sessions: Counter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_model, "SMALL", 16)
    compiled = snippets_mlir.compile(product("n"))
    assert (checks(), sessions()) == (1, 0)
    compiled(np.ones((3, 8), np.float32))
    assert sessions() == 1


@pytest.mark.parametrize("small", [16, 1 << 20])
@pytest.mark.parametrize("rows", ["n", 3])
def test_what_is_wrong_is_told_when_it_is_compiled(
    rows: int | str, small: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_model, "SMALL", small)
    with pytest.raises(CompileError, match="Unrecognized attribute: volume"):
        snippets_mlir.compile(product(rows, volume=11))


@pytest.mark.parametrize("rows", ["n", 3])
def test_kernels_are_made_of_checked_models(
    rows: int | str, checks: Counter, sessions: Counter
) -> None:
    node = helper.make_node("Softplus", ["x"], ["y"])
    made = model([node], [value("x", [rows, 8])], [value("y", [rows, 8])])
    compiled = snippets_mlir.compile(made, mark_skipped="none")
    compiled(np.ones((3, 8), np.float32))
    assert compiled.kernels
    assert (checks(), sessions()) == (1, 0)


def test_the_plan_of_a_program_from_the_cache_opens_no_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sessions: Counter
) -> None:
    monkeypatch.setenv("SNIPPETS_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(stored, "program_key", program_key)
    x = np.ones((3, 8), np.float32)
    made = product("n").SerializeToString()
    first = snippets_mlir.compile(made)
    first(x)
    again = snippets_mlir.compile(made)
    again(x)
    assert again.from_cache == "session"
    opened = sessions()
    assert again.cuts == first.cuts
    assert sessions() == opened


def test_the_check_stays_when_python_drops_assertions() -> None:
    text = Path(prepare.__file__).read_text(encoding="utf-8")
    optimized: dict[str, Any] = {"__name__": prepare.__name__}
    exec(compile(text, prepare.__file__, "exec", optimize=1), optimized)
    prepared = optimized["prepare"](product(3, volume=11), None, None)
    for _ in range(2):
        with pytest.raises(CompileError, match="Unrecognized attribute: volume"):
            prepared.require_sound()


MISTAKES = (*range(60), 200105, 200161, 202068, 202707)
"""Seeds; the last ones are models that the plan fails on before anything has checked them."""


def test_models_with_mistakes_are_refused_or_run() -> None:
    refused: dict[int, str] = {}
    for seed in MISTAKES:
        random = Random(seed)
        static = random.random() < 0.5
        made = engine_graph(seed) if static else parsed(random.choice([*PATTERNS.values()]))
        try:
            snippets_mlir.compile(mutated(made, random, random.randint(1, 3)), num_threads=1)
        except CompileError as error:
            refused[seed] = str(error)
    assert not [seed for seed, text in refused.items() if "cannot be compiled" in text]
    assert {*refused} >= {*MISTAKES[-4:]}
    assert 10 < len(refused) < len(MISTAKES) - 10


def test_a_fault_of_the_compiler_is_an_error_with_its_cause(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def may_pay(*_: object) -> bool:
        raise TypeError("no such\nsize")

    monkeypatch.setattr(planned_model, "may_pay", may_pay)
    monkeypatch.setenv("SNIPPETS_DEBUG", "1")
    with pytest.raises(CompileError, match="cannot be compiled: TypeError: no such size") as error:
        snippets_mlir.compile(product(3))
    assert isinstance(error.value.__cause__, TypeError)


def test_a_model_that_breaks_inference_is_not_valid() -> None:
    node = helper.make_node("Transpose", ["x"], ["y"], perm=[7, 9])
    made = model([node], [value("x", ["n", 8])], [value("y", ["n", 8])])
    made.graph.node[0].attribute[0].type = onnx.AttributeProto.STRING
    with pytest.raises(CompileError):
        snippets_mlir.compile(made)


def test_other_fallbacks_check_at_once(checks: Counter) -> None:
    node = helper.make_node("Relu", ["x"], ["y"])
    made = model([node], [value("x", ["n", 8])], [value("y", ["n", 8])])
    snippets_mlir.compile(made, fallback="error")
    assert checks() == 1
    made.graph.node[0].attribute.append(helper.make_attribute("volume", 11))
    with pytest.raises(CompileError, match="Unrecognized attribute"):
        snippets_mlir.compile(made, fallback="error")
