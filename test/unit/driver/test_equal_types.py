"""Arrays whose types are equal to those of a program, but no objects of NumPy's own.

`pickle.loads` gives each array a type object of its own, and what is computed from the array has
it, too. Networks compare types by identity, so calls have to hand them views.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sampled import alternating

import snippets_mlir
from snippets_mlir.runtime.program import Program

Array = np.ndarray[Any, np.dtype[Any]]

STATIC = """
func.func @main(%x: tensor<3x17xf32>) -> tensor<3x17xf32> {
  %y = snippets.tanh %x : tensor<3x17xf32>
  func.return %y : tensor<3x17xf32>
}
"""
DYNAMIC = STATIC.replace("3x17", "?x17")


def unpickled(x: Array, _: Path) -> Array:
    return x.view(np.dtype(x.dtype, copy=True))


def computed(x: Array, folder: Path) -> Array:
    return unpickled(x, folder) + np.float32(0)


def strided(x: Array, folder: Path) -> Array:
    """A copy has the type of what it is a copy of."""
    return np.repeat(unpickled(x, folder), 2, axis=1)[:, ::2]


def of_a_subclass(x: Array, _: Path) -> Array:
    return x.view(np.matrix)


def mapped(x: Array, folder: Path) -> Array:
    np.save(folder / "x.npy", x)
    return np.load(folder / "x.npy", mmap_mode="r")


KINDS = [unpickled, computed, strided, of_a_subclass, mapped]


@pytest.fixture
def in_python(monkeypatch: pytest.MonkeyPatch) -> list[Program]:
    """The programs that have run in Python."""
    ran: list[Program] = []
    run = Program.run_in_python

    def noted(self: Program, *arguments: Any) -> Any:
        ran.append(self)
        return run(self, *arguments)

    monkeypatch.setattr(Program, "run_in_python", noted)
    return ran


@pytest.mark.parametrize(("kind", "text"), alternating(KINDS, [STATIC, DYNAMIC]))
def test_calls_walk_the_table(
    text: str, kind: Callable[[Array, Path], Array], tmp_path: Path, in_python: list[Program]
) -> None:
    program = snippets_mlir.compile(text, num_threads=1)
    x = np.linspace(-2, 2, 51, dtype=np.float32).reshape(3, 17)
    wanted = [program(x) for _ in range(2)][-1]
    in_python.clear()
    given = kind(x, tmp_path)
    for _ in range(3):
        np.testing.assert_array_equal(program(given), wanted, strict=True)
    assert not in_python


def test_networks_walk_the_table(tmp_path: Path, in_python: list[Program]) -> None:
    x = np.linspace(-2, 2, 51, dtype=np.float32).reshape(3, 17)
    with snippets_mlir.compile_program(DYNAMIC, streams=1, threads_per_stream=1) as program:
        network = program.network()
        results: list[Array] = []
        for given in (x, unpickled(x, tmp_path)):
            network.set_input(program.compiled.inputs[0].name, given)
            for _ in range(2):
                network.execute()
            results.append(network.output(program.compiled.outputs[0].name))
            if given is x:
                in_python.clear()
        np.testing.assert_array_equal(results[0], results[1], strict=True)
    assert not in_python


def test_outputs_of_such_types_are_written(tmp_path: Path) -> None:
    program = snippets_mlir.compile(STATIC, num_threads=1)
    x = unpickled(np.ones((3, 17), np.float32), tmp_path)
    out = unpickled(np.zeros((3, 17), np.float32), tmp_path)
    assert program(x, out=out) is out
    np.testing.assert_array_equal(out, program(x), strict=True)


@pytest.mark.parametrize(("dtype", "error"), [(">f4", "native byte order"), ("i4", "found int32")])
def test_other_types_are_errors(dtype: str, error: str, tmp_path: Path) -> None:
    program = snippets_mlir.compile(STATIC, num_threads=1)
    with pytest.raises(TypeError, match=error):
        program(mapped(np.ones((3, 17), dtype), tmp_path))


@pytest.mark.parametrize("kind", [unpickled, computed, mapped])
@pytest.mark.parametrize("text", [STATIC, DYNAMIC])
def test_equal_types_take_the_short_way(
    text: str,
    kind: Callable[[Array, Path], Array],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """After a first call of its sizes, nothing but the machine code of a network looks at them."""
    program = snippets_mlir.compile(text, num_threads=1)
    x = np.linspace(-2, 2, 51, dtype=np.float32).reshape(3, 17)
    wanted = [program(x) for _ in range(3)][-1]
    given = kind(x, tmp_path)
    monkeypatch.setattr(type(program), "execute", None)
    np.testing.assert_array_equal(program(given), wanted, strict=True)
    [named] = program.run({program.inputs[0].name: given}).values()
    np.testing.assert_array_equal(named, wanted, strict=True)
