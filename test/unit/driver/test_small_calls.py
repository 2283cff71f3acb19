"""Calls that are too small for the kernels of a dynamic model run as one session."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path

import numpy as np
import onnx
import pytest
from cut_models import between_products, check, model
from onnx import helper
from sampled import sampled

import snippets_mlir
from snippets_mlir.driver.cache import stored, stored_shared
from snippets_mlir.driver.cache.program_cache import program_key
from snippets_mlir.driver.cache.storing import finish
from snippets_mlir.driver.compiled import Compiled
from snippets_mlir.driver.onnx import one_session, whole_model
from snippets_mlir.driver.onnx.cuts import least_work
from snippets_mlir.driver.onnx.small_calls import MANY, TOO_SMALL, LeastWork, least_work_from
from snippets_mlir.driver.programs.dynamic import DynamicProgram
from snippets_mlir.runtime.engine.sessions import Session
from snippets_mlir.support.errors import CompileError

pytestmark = pytest.mark.usefixtures("foreign_products")

TINY, SMALL, LARGE, LARGER = (1, 64), (3, 64), (512, 64), (700, 64)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of the test's own."""
    monkeypatch.setenv("SNIPPETS_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(stored, "program_key", program_key)
    return tmp_path / "cache"


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The models of the sessions that are opened beside kernels."""
    found: list[object] = []
    made = whole_model.session_beside_kernels

    def counted(given: object, threads: int) -> Session:
        found.append(given)
        return made(given, threads)

    for module in (one_session, stored_shared):
        monkeypatch.setattr(module, "session_beside_kernels", counted)
    return found


def file_of(made: onnx.ModelProto, path: Path) -> Path:
    path.write_bytes(made.SerializeToString())
    return path


def check_many(m: Compiled, made: onnx.ModelProto, shape: tuple[int, ...]) -> None:
    """Calls of one shape, until their session is open if they are small."""
    for _ in range(MANY):
        check(m, made, shape)
    finish()
    check(m, made, shape)


def has_kernels(m: Compiled, made: onnx.ModelProto, shape: tuple[int, ...]) -> bool:
    check_many(m, made, shape)
    found = bool(m.kernels)
    check(m, made, shape)
    check(m, made, shape)
    assert bool(m.kernels) == found
    return found


ORDERS = [
    [LARGE, SMALL, LARGER, TINY],
    [SMALL, LARGE, TINY, LARGER],
    [LARGER, LARGE, SMALL, TINY, SMALL, LARGE],
]


@pytest.mark.parametrize(("shapes", "times"), sampled(product(ORDERS, (1, 2)), 2))
def test_the_sizes_of_a_call_decide(
    shapes: list[tuple[int, int]], times: int, tmp_path: Path
) -> None:
    """Also in a program from the cache, whatever its calls and those of its first process were."""
    made = between_products()
    path = file_of(made, tmp_path / "m.onnx")
    for _ in range(times):
        m = snippets_mlir.compile(path)
        for shape in shapes:
            assert has_kernels(m, made, shape) == (shape[0] >= 512), shape
        assert m.compiled_times <= 1


def test_the_report_of_a_small_call(opened: list[object]) -> None:
    made = between_products()
    m = snippets_mlir.compile(made)
    check(m, made, LARGE)
    assert opened == []
    kernels = m.kernels
    check(m, made, SMALL)
    assert (m.kernels, opened) == (kernels, [])
    check_many(m, made, SMALL)
    assert len(opened) == 1
    reasons = {op.name: op.reason for op in m.opaque}
    assert reasons["soft"] == reasons["gate"] == TOO_SMALL
    assert (m.kernels, m.compiled_times) == ((), 1)
    assert any(line.startswith("one session: calls smaller than about x ") for line in m.cuts)
    check(m, made, LARGE)
    assert [k.name for k in m.kernels] == [k.name for k in kernels]


def test_a_few_small_calls_open_no_session(tmp_path: Path, opened: list[object]) -> None:
    """Whatever their shapes are; opening it takes longer than they lose."""
    made = between_products()
    path = file_of(made, tmp_path / "m.onnx")
    for from_cache in (None, "shared"):
        m = snippets_mlir.compile(path)
        assert m.from_cache == from_cache
        check(m, made, LARGE)
        for shape in [SMALL, TINY] * (MANY // 8):
            check(m, made, shape)
        finish()
        check(m, made, SMALL)
        assert (len(m.kernels), opened) == (1, [])


@pytest.mark.parametrize("error", [CompileError, MemoryError])
def test_a_session_that_cannot_be_opened(
    error: type[Exception], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, opened: list[object]
) -> None:
    """The kernels go on with small calls."""

    def refuse(given: object, threads: int) -> Session:
        raise error("no memory")

    made = between_products()
    m = snippets_mlir.compile(file_of(made, tmp_path / "m.onnx"))
    check(m, made, LARGE)
    monkeypatch.setattr(one_session, "session_beside_kernels", refuse)
    check_many(m, made, SMALL)
    assert (len(m.kernels), opened) == (1, [])


def test_one_session_for_many_shapes(opened: list[object]) -> None:
    """Also at most sixteen builds, which share it."""
    made = between_products()
    m = snippets_mlir.compile(made)
    check(m, made, LARGE)
    x = np.ones((200, 64), np.float32)
    for _ in range(2):
        for rows in range(1, 90):
            m(x[:rows])
        finish()
    assert len(opened) == 1
    assert isinstance(m, DynamicProgram)
    assert len(m.known_builds()) <= 16
    assert len({id(b.program) for b in m.known_builds() if b.any_shape}) <= 1
    check(m, made, LARGER)
    assert len(m.kernels) == 1


def test_threads(opened: list[object]) -> None:
    made = between_products()
    m = snippets_mlir.compile(made)

    def call(rows: int) -> None:
        check(m, made, (rows, 64))

    with ThreadPoolExecutor(8) as pool:
        for _ in range(2):
            list(pool.map(call, [512, 3, 700, 1, 513, 3, 2, 4] * 4))
            finish()
    assert len(opened) == 1
    assert m.compiled_times == 1


CHILD = """
import sys
import numpy as np
import snippets_mlir
from snippets_mlir.driver.cache.storing import finish
from snippets_mlir.driver.onnx.small_calls import MANY

m = snippets_mlir.compile(sys.argv[1])
assert m.from_cache == "shared"
for rows in (3, 600, 5, 3, 601):
    for _ in range(MANY):
        m(np.ones((rows, 64), np.float32))
    finish()
    m(np.ones((rows, 64), np.float32))
    print(len(m.kernels), end=" ")
print(sorted(name for name in sys.modules if name == "xdsl" or name == "onnx"))
"""


def test_a_program_from_the_cache_loads_no_compiler(tmp_path: Path) -> None:
    made = between_products()
    path = file_of(made, tmp_path / "m.onnx")
    check(snippets_mlir.compile(path), made, LARGE)
    command = [sys.executable, "-c", CHILD, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "0 1 0 0 1 []"


@pytest.mark.parametrize("from_cache", [False, True])
def test_a_file_that_has_changed_keeps_its_kernels(
    from_cache: bool, tmp_path: Path, opened: list[object]
) -> None:
    """A session of it would be another model."""
    made = between_products()
    path = file_of(made, tmp_path / "m.onnx")
    m = snippets_mlir.compile(path)
    check(m, made, LARGE)
    if from_cache:
        m = snippets_mlir.compile(path)
        assert m.from_cache == "shared"
    other = onnx.ModelProto.FromString(made.SerializeToString())
    other.graph.initializer[0].raw_data = bytes(len(made.graph.initializer[0].raw_data))
    file_of(other, path)
    for shape in (SMALL, TINY, SMALL):
        check_many(m, made, shape)
    assert len(m.kernels) == 1
    assert opened == []


def test_no_session_if_weights_take_longer(
    monkeypatch: pytest.MonkeyPatch, opened: list[object]
) -> None:
    """It would be a second copy of the weights for a small part of a call."""
    monkeypatch.setattr(least_work, "LOSS", 1e9)
    made = between_products()
    m = snippets_mlir.compile(made)
    for shape in (LARGE, SMALL):
        assert has_kernels(m, made, shape)
    assert opened == []


def test_kernels_without_a_cut_take_calls_of_all_sizes(opened: list[object]) -> None:
    """No session starts or ends."""
    ops = ["Softplus", "Elu", "Sigmoid", "Tanh", "Erf", "Softsign", "Elu", "Tanh", "Sigmoid"]
    names = ["x", *(f"v{i}" for i in range(len(ops) - 1)), "y"]
    nodes = [helper.make_node(op, [names[i]], [names[i + 1]]) for i, op in enumerate(ops)]
    made = model(nodes, {"x": ["n", 64]}, {"y": ["n", 64]})
    m = snippets_mlir.compile(made)
    for shape in (LARGE, SMALL):
        assert has_kernels(m, made, shape)
    assert opened == []


def test_the_caller_decides(opened: list[object]) -> None:
    made = between_products()
    m = snippets_mlir.compile(made, mark_skipped="none")
    for shape in (LARGE, SMALL):
        assert has_kernels(m, made, shape)
    assert opened == []


def test_least_work_as_data() -> None:
    least = LeastWork({"n": (0, 0), "k": (1, 1)}, [[3, ["n", "k"]], [1, ["n"]]], 100, "x 10x3")
    assert least.exceeds(((9, 1), (5, 3)))
    assert not least.exceeds(((10, 1), (5, 3)))
    assert least_work_from(least.data(), [2, 2]) == LeastWork(
        {"n": [0, 0], "k": [1, 1]}, least.work, 100, "x 10x3"
    )
    assert least_work_from(None, [2]) is None
    with pytest.raises(ValueError, match="a size of no dim"):
        least_work_from(least.data(), [2, 1])
    quotient = LeastWork({"n": (0, 0)}, [[1, [["floordiv", [[1, ["n"]]], [[1, ["n"]]]]]]], 2, "")
    assert not quotient.exceeds(((0,),))
    assert quotient.exceeds(((4,),))
