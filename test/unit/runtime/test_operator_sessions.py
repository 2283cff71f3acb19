"""Kernels as custom operators of onnxruntime: sessions, threads, processes, registration."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Barrier, Thread
from typing import Any

import numpy as np
import pytest
from operator_sessions import (
    BLOCK,
    BLOCKS,
    FLAT,
    ROW,
    ROWS,
    Node,
    binary,
    numbers,
    operator,
    options_of,
)
from warm_process import run_warm

from snippets_mlir.runtime.engine import operators
from snippets_mlir.runtime.engine.operators import Operator, register, supported

pytestmark = pytest.mark.skipif(supported() is not None, reason=str(supported()))


@pytest.fixture(scope="module")
def multiply() -> Operator:
    return binary("Mul", "multiply", FLAT, FLAT)


def test_sessions_have_operators_of_their_own() -> None:
    first = Node(binary("Same", "multiply", FLAT, FLAT))
    second = Node(binary("Same", "add", FLAT, FLAT))
    third = Node(operator("Same", "%r = snippets.negative %x0 : T", FLAT))
    x = numbers(40)
    for _ in range(2):
        np.testing.assert_array_equal(first(x, x), x * x)
        np.testing.assert_array_equal(second(x, x), x + x)
        np.testing.assert_array_equal(third(x), -x)


def test_several_operators_in_options_of_several_sessions(multiply: Operator) -> None:
    made = [multiply, binary("Add", "add", FLAT, FLAT)]
    options = options_of(made)
    x = numbers(40)
    for _ in range(2):
        np.testing.assert_array_equal(Node(made[0], options)(x, x), x * x)
        np.testing.assert_array_equal(Node(made[1], options)(x, x), x + x)


def test_options_may_go_before_the_session(multiply: Operator) -> None:
    node = Node(multiply)
    gc.collect()
    x = numbers(40)
    np.testing.assert_array_equal(node(x, x), x * x)


def in_threads(count: int, work: Callable[[int], None]) -> None:
    """Have threads start at once; raise what they raise."""
    barrier, errors = Barrier(count), list[BaseException]()

    def run(index: int) -> None:
        try:
            barrier.wait()
            work(index)
        except BaseException as error:
            errors.append(error)

    threads = [Thread(target=run, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


@pytest.mark.parametrize("threads", [1, 2])
def test_python_threads_call_one_session(multiply: Operator, threads: int) -> None:
    node = Node(multiply._replace(threads=threads))

    def work(index: int) -> None:
        x = np.full(50_000 + index, index, np.float32)
        for _ in range(50):
            np.testing.assert_array_equal(node(x, x), x * x)

    in_threads(3, work)


def test_python_threads_register_at_once() -> None:
    made = [binary("Op", op, FLAT, FLAT) for op in ("add", "subtract", "multiply", "maximum")]
    functions: list[Any] = [np.add, np.subtract, np.multiply, np.maximum]
    x, y = np.random.default_rng(0).random((2, 33), np.float32)

    def work(index: int) -> None:
        for _ in range(10):
            np.testing.assert_array_equal(Node(made[index])(x, y), functions[index](x, y))

    in_threads(4, work)


def test_no_file_is_left_open(multiply: Operator) -> None:
    gc.collect()  # what other tests have left may hold files
    before = set(os.listdir("/proc/self/fd"))
    options_of([multiply])
    assert set(os.listdir("/proc/self/fd")) <= before


FORK = """
import os, sys
import numpy as np
from operator_sessions import FLAT, Node, binary
x = np.arange(100_000, dtype=np.float32)
multiply = binary("Op", "multiply", FLAT, FLAT)
node = Node(multiply)
node(x, x)
if not os.fork():
    np.testing.assert_array_equal(node(x, x), x * x)  # of one thread: it runs in a child
    np.testing.assert_array_equal(Node(multiply._replace(threads=2))(x, x), x * x)
    np.testing.assert_array_equal(Node(binary("Op", "add", FLAT, FLAT))(x, x), x + x)
    os._exit(5)
status = os.waitstatus_to_exitcode(os.wait()[1])
np.testing.assert_array_equal(node(x, x), x * x)
print(status)
"""


def test_a_child_runs_and_registers_operators() -> None:
    path = str(Path(__file__).parents[2] / "support")
    child = run_warm("-c", FORK, env={**os.environ, "PYTHONPATH": path}, timeout=300)
    assert (child.stdout, child.returncode) == ("5\n", 0), child.stderr


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"types": ()}, "types"),
        ({"types": (1,) * 65}, "types"),
        ({"grain": 0}, "grain"),
        ({"threads": 0}, "threads"),
        ({"form": "rows"}, "form"),
        ({"inner": 3}, "inner"),
        ({"scalars": (0,)}, "scalars or planes"),
        ({"scalars": (2,)}, "scalars or planes"),
        ({"planes": (1,)}, "planes"),
        ({"form": "planes", "planes": (1,), "scalars": (1,)}, "scalars or planes"),
        ({"domain": ()}, "domain"),
        ({"domain": (3,)}, "domain"),
        ({"domain": (1, 1)}, "domain"),
        ({"places": (0,)}, "places"),
        ({"places": (0, 2)}, "places"),
        ({"places": (1, 1)}, "places"),
        ({"kernel": 0}, "kernel"),
    ],
)
def test_invalid_operators_are_refused(
    multiply: Operator, change: dict[str, Any], word: str
) -> None:
    with pytest.raises(ValueError, match=f"operator 'Mul': invalid {word}: "):
        register(None, [multiply._replace(**change)])


def test_what_is_not_supported_says_why(
    multiply: Operator, monkeypatch: pytest.MonkeyPatch
) -> None:
    import onnxruntime

    for module, name, value, text in (
        (onnxruntime, "__version__", "1.16.3", "version 1.17 or later; this is 1.16.3"),
        (onnxruntime, "__version__", "0.99.0", "version 1.17 or later; this is 0.99.0"),
        (onnxruntime, "__version__", "unknown", "version 1.17 or later; this is unknown"),
        (operators.platform, "machine", lambda: "riscv64", "no operators .* for riscv64"),
        (operators.sys, "platform", "darwin", "need Linux"),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(module, name, value)
            why = supported()
            assert why is not None
            with pytest.raises(OSError, match=text):
                register(None, [multiply])
    assert supported() is None
    monkeypatch.setattr(onnxruntime, "__version__", "2.0.1+cpu")
    assert supported() is None


def test_inputs_go_to_the_places_that_a_kernel_has_for_them() -> None:
    made = binary("Op", "subtract", FLAT, FLAT)
    x, y = numbers(1, 20), numbers(20)[::-1].copy()
    expected = {(0, 1): x - y, (1, 0): y - x}
    for places, values in expected.items():
        node = Node(made._replace(places=places))
        with np.errstate(invalid="ignore"):
            np.testing.assert_array_equal(node(x, y), values)


def test_defaults_are_those_of_the_forms() -> None:
    for types, inner in (((FLAT, FLAT), 1), ((ROWS, ROW), 1), ((BLOCKS, BLOCK), 16)):
        made = binary("Op", "multiply", *types, inner=inner)
        assert made._replace(domain=None, places=None).complete() == made


def test_a_library_that_does_not_load_is_an_error(
    multiply: Operator, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> bytes:
        return b"\x7fELF, but not really"

    monkeypatch.setattr(operators, "shared_object", broken)
    with pytest.raises(OSError, match="onnxruntime cannot load operators: "):
        options_of([multiply])


COLLIDES = """
import ctypes, os, platform
import onnxruntime
from snippets_mlir.codegen.shared_object import shared_object
from snippets_mlir.runtime.engine.operators import register
files = [os.memfd_create("other") for _ in range(32)]
for file in files:
    os.write(file, shared_object("other", 1 << 40, platform.machine()))
    ctypes.CDLL(f"/proc/self/fd/{file}")
for file in files:
    os.close(file)
register(onnxruntime.SessionOptions(), [])
"""


def test_paths_that_others_have_loaded_libraries_from():
    """The C library keeps a path for the library that it has loaded from there."""
    subprocess.run([sys.executable, "-c", COLLIDES], check=True)
