"""Dynamic models whose first call is small: a much larger one is planned again."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from cut_models import between_products, check, inputs, model
from onnx import helper

import snippets_mlir
from snippets_mlir.driver.cache import stored, storing
from snippets_mlir.driver.cache.program_cache import program_key
from snippets_mlir.driver.onnx.growth import FACTOR, LARGE, TIMES, Growth, grown
from snippets_mlir.driver.onnx.programs import OnnxPrograms
from snippets_mlir.runtime.arguments.arrays import TensorSpec

pytestmark = pytest.mark.usefixtures("foreign_products")

F32 = np.dtype(np.float32)
SMALL, LARGER, MUCH_LARGER = (3, 64), (12, 64), (512, 64)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of the test's own."""
    monkeypatch.setenv("SNIPPETS_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(stored, "program_key", program_key)
    return tmp_path / "cache"


def planned(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The shapes of the plans that are made from now on."""
    made: list[object] = []
    decide = OnnxPrograms._decide  # pyright: ignore[reportPrivateUsage]

    def counted(self: OnnxPrograms, shapes: tuple[tuple[int, ...], ...]) -> None:
        made.append(shapes)
        decide(self, shapes)

    monkeypatch.setattr(OnnxPrograms, "_decide", counted)
    return made


def test_what_outgrows_a_plan():
    plan = Growth(((2, 8), (5,)))
    assert not plan.is_outgrown(((2, 8 * FACTOR), (5 * FACTOR,)))
    assert plan.is_outgrown(((2, 8 * FACTOR + 1), (5,)))
    assert plan.is_outgrown(((2, 8), (5 * FACTOR + 1,)))
    assert not Growth(((0, 8),)).is_outgrown(((1, FACTOR),))
    assert Growth(((0, 8),)).is_outgrown(((1, 8),))
    assert Growth(((),)).is_outgrown(((),)) is False


def test_a_plan_is_made_a_few_times():
    plan: Growth | None = Growth(((1,),))
    found = 0
    while plan is not None:
        plan, found = plan.after(((found,),)), found + 1
    assert found == TIMES


def test_dims_that_grow():
    specs = [TensorSpec("x", (None, 3, None), F32), TensorSpec("r", None, F32)]
    assert grown(((1, 3, 7), (2, 1)), specs) == ((LARGE, 3, LARGE), (LARGE, LARGE))
    assert grown(((0, 3, 2000), ()), specs) == ((LARGE, 3, 2000), ())


def test_a_much_larger_call_gets_kernels(monkeypatch: pytest.MonkeyPatch):
    plans, made = planned(monkeypatch), between_products()
    m = snippets_mlir.compile(made)
    for shape in (SMALL, LARGER, (1, 64), SMALL, LARGER):
        check(m, made, shape)
    assert (m.kernels, m.compiled_times, len(plans)) == ((), 0, 1)
    for shape in (MUCH_LARGER, SMALL, MUCH_LARGER, LARGER, (0, 64), (1, 64), (513, 64)):
        check(m, made, shape)
    assert m.compiled_times == 1
    assert len(plans) == 2
    check(m, made, MUCH_LARGER)
    assert len(m.kernels) == 1
    assert any("a kernel saves" in str(line) for line in m.cuts)


def always(*_: object, **_named: object) -> bool:
    return True


RELU = model([helper.make_node("Relu", ["x"], ["y"])], {"x": ["n", 4]}, {"y": ["n", 4]})


def test_a_model_that_no_kernel_helps_is_planned_once(monkeypatch: pytest.MonkeyPatch):
    plans, m = planned(monkeypatch), snippets_mlir.compile(RELU)
    for rows in (2, 2000, 9000):
        check(m, RELU, (rows, 4))
    assert len(plans) == 1
    again = snippets_mlir.compile(RELU)
    check(again, RELU, (9000, 4))
    assert (again.from_cache, len(plans)) == ("session", 1)


def test_plans_that_find_no_kernels_end(monkeypatch: pytest.MonkeyPatch):
    """The bound takes more for possible than a plan finds; the last plan counts for all calls."""
    plans, made = planned(monkeypatch), RELU
    monkeypatch.setattr(OnnxPrograms, "_may_pay", always)
    m = snippets_mlir.compile(made)
    for rows in (2, 9, 37, 150, 601, 2405, 9621):
        check(m, made, (rows, 4))
    assert m.kernels == ()
    assert len(plans) == 1 + TIMES


def test_the_first_call_does_not_ask_what_larger_calls_gain(monkeypatch: pytest.MonkeyPatch):
    """A thread asks after it, or the first call that outgrows the plan."""
    asked: list[object] = []
    may_pay = OnnxPrograms._may_pay  # pyright: ignore[reportPrivateUsage]

    def counted(self: OnnxPrograms, shapes: Any, **others: Any) -> bool:
        asked.append(shapes)
        return may_pay(self, shapes, **others)

    monkeypatch.setattr(OnnxPrograms, "_may_pay", counted)
    monkeypatch.setattr(storing, "DELAY", 300)
    m = snippets_mlir.compile(RELU)
    check(m, RELU, (2, 4))
    check(m, RELU, (8, 4))
    assert asked == [((2, 4),)]
    storing.finish()
    assert asked == [((2, 4),), ((LARGE, 4),)]
    check(m, RELU, (LARGE, 4))
    assert len(asked) == 2
    first = snippets_mlir.compile(between_products())
    check(first, between_products(), SMALL)
    asked.clear()
    check(first, between_products(), MUCH_LARGER)
    assert asked[0] == ((LARGE, 64),)
    assert len(first.kernels) == 1
    storing.finish()


def test_from_the_cache(cache: Path):
    made = between_products()
    check(snippets_mlir.compile(made), made, SMALL)
    m = snippets_mlir.compile(made)
    assert m.from_cache == "session"
    for shape in (SMALL, LARGER, MUCH_LARGER, SMALL, MUCH_LARGER):
        check(m, made, shape)
    assert (m.compiled_times, len(m.kernels)) == (1, 1)
    assert "lir.kernel" in m.kernels[0].ir("lir")
    again = snippets_mlir.compile(made)
    assert again.from_cache == "shared"
    check(again, made, MUCH_LARGER)


CHILD = """
import sys
import numpy as np
import snippets_mlir

m = snippets_mlir.compile(sys.argv[1])
assert m.from_cache == "session"
x = np.ones((3, 64), np.float32)
for rows in (3, 12, 3):
    m(np.ones((rows, 64), np.float32))
print(sorted(name for name in sys.modules if name == "xdsl" or name == "onnx"))
"""


def test_small_calls_from_the_cache_load_no_compiler(tmp_path: Path):
    made, path = between_products(), tmp_path / "m.onnx"
    path.write_bytes(made.SerializeToString())
    check(snippets_mlir.compile(path), made, SMALL)
    command = [sys.executable, "-c", CHILD, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("from_cache", [False, True])
def test_a_file_that_has_changed_stays_one_session(from_cache: bool, tmp_path: Path):
    """Kernels would have the weights of another model."""
    made, path = between_products(), tmp_path / "m.onnx"
    path.write_bytes(made.SerializeToString())
    m = snippets_mlir.compile(path)
    check(m, made, SMALL)
    if from_cache:
        m = snippets_mlir.compile(path)
        assert m.from_cache == "session"
    other = onnx.ModelProto.FromString(made.SerializeToString())
    other.graph.initializer[0].raw_data = bytes(len(made.graph.initializer[0].raw_data))
    path.write_bytes(other.SerializeToString())
    check(m, made, MUCH_LARGER)
    assert m.kernels == ()


def test_a_model_in_memory_that_has_changed_stays_one_session():
    made = between_products()
    source = onnx.ModelProto.FromString(made.SerializeToString())
    m = snippets_mlir.compile(source)
    check(m, made, SMALL)
    source.graph.initializer[0].raw_data = bytes(len(source.graph.initializer[0].raw_data))
    check(m, made, MUCH_LARGER)
    assert m.kernels == ()


def test_a_plan_that_fails_leaves_the_session(monkeypatch: pytest.MonkeyPatch):
    made = between_products()
    m = snippets_mlir.compile(made)
    check(m, made, SMALL)

    def fails(*_: object) -> None:
        raise snippets_mlir.CompileError("no kernel today")

    monkeypatch.setattr(OnnxPrograms, "_compiled", fails)
    check(m, made, MUCH_LARGER)
    assert m.kernels == ()
    assert m.compiled_times == 0


def test_several_threads_and_a_network():
    made = between_products()
    m = snippets_mlir.compile(made)
    check(m, made, SMALL)

    def call(rows: int) -> None:
        check(m, made, (rows, 64))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(call, [512, 3, 700, 12, 513, 3] * 4))
    assert m.compiled_times == 1


def test_a_network():
    made = between_products()
    session: Any = ort.InferenceSession(
        made.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    with snippets_mlir.compile_program(made, streams=1) as program:
        network = program.network()
        for rows in (3, 512, 3, 513):
            (x,) = inputs((rows, 64))
            network.set_input("x", x)
            network.execute()
            (expected,) = session.run(None, {"x": x})
            np.testing.assert_allclose(network.output("y"), expected, 1e-4, 1e-4)
        assert program.compiled.compiled_times == 1


def test_a_shape_that_is_prepared_decides():
    made = between_products()
    m = snippets_mlir.compile(made)
    check(m, made, SMALL)
    m.specialize({"x": MUCH_LARGER})
    assert m.compiled_times == 1
    check(m, made, MUCH_LARGER)
