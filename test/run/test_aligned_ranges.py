"""Ranges that are begun at a cache line: the same results wherever arrays are, and nothing else."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from placed_arrays import check_around, placed
from warm_process import run_warm

import snippets_mlir
from snippets_mlir.codegen.stubs.interface import LEAST_GRAINS
from snippets_mlir.driver import Compiled
from snippets_mlir.runtime.parallel import step_teams
from snippets_mlir.targets.host import host_target

Array = NDArray[Any]
RUNNER = Path(__file__).parents[1] / "support" / "aligned_runner.py"
ALIGNING = host_target() == "x86-64-avx512"
GRAIN = 16
LEAST = LEAST_GRAINS * GRAIN

ONE = """
func.func @main(%x: tensor<SIZExf32>) -> tensor<SIZExf32> {
  %0 = snippets.gelu %x : tensor<SIZExf32>
  func.return %0 : tensor<SIZExf32>
}
"""
TWO = """
func.func @main(%x: tensor<SIZExf32>, %y: tensor<SIZExf32>, %s: tensor<1xf32>)
    -> (tensor<SIZExf32>, tensor<SIZExi1>) {
  %0 = snippets.swish %x : tensor<SIZExf32>
  %1 = snippets.multiply %0, %y : tensor<SIZExf32>
  %2 = snippets.add %1, %s : (tensor<SIZExf32>, tensor<1xf32>) -> tensor<SIZExf32>
  %3 = snippets.greater %2, %x : (tensor<SIZExf32>, tensor<SIZExf32>) -> tensor<SIZExi1>
  func.return %2, %3 : tensor<SIZExf32>, tensor<SIZExi1>
}
"""
CHAIN = """
func.func @main(%x: tensor<SIZExf32>) -> (tensor<SIZExf32>, tensor<f32>) {
  %0 = snippets.gelu %x : tensor<SIZExf32>
  %1 = snippets.sigmoid %0 : tensor<SIZExf32>
  %2 = snippets.reduce_sum %1 {axes = array<i64: 0>} : (tensor<SIZExf32>) -> tensor<f32>
  %3 = snippets.divide %1, %2 : (tensor<SIZExf32>, tensor<f32>) -> tensor<SIZExf32>
  %4 = snippets.gelu %3 : tensor<SIZExf32>
  func.return %4, %2 : tensor<SIZExf32>, tensor<f32>
}
"""
DOUBLE = ONE.replace("f32", "f64").replace("gelu", "tanh")


@pytest.fixture(autouse=True)
def whole_teams(monkeypatch: pytest.MonkeyPatch) -> None:
    """Short ranges are shared, too."""

    def team_for(touched: int, threads: int, computing: float = 0.0) -> int:
        return threads

    monkeypatch.setattr(step_teams, "team_for", team_for)


@functools.cache
def _program(text: str, size: int | str, threads: int, streaming: Any = "auto") -> Compiled:
    source = text.replace("SIZE", str(size))
    return snippets_mlir.compile(source, num_threads=threads, fallback="error", streaming=streaming)


def _at(values: Array, offset: int) -> tuple[Array, Array]:
    """A copy `offset` bytes after a cache line, and all of the memory that it lies in."""
    array, memory = placed(values.size, values.dtype, offset)
    array[...] = values
    return array, memory


def _inputs(program: Compiled, size: int) -> list[Array]:
    rng = np.random.default_rng(size)
    arrays: list[Array] = []
    for spec in program.inputs:
        values = rng.normal(0, 3, (spec.shape or (None,))[0] or size).astype(spec.dtype)
        special = np.array([-0.0, np.nan, np.inf, -np.inf], spec.dtype)
        if len(values) > 1:
            values[np.linspace(0, len(values) - 1, 4).astype(int)] = special
        arrays.append(values)
    return arrays


def _run(program: Compiled, inputs: list[Array], offsets: list[int]) -> list[bytes]:
    """The outputs; arrays lie at the given offsets, in turn, and the bytes around them stay."""
    given = [_at(a, offsets[i % len(offsets)])[0] for i, a in enumerate(inputs)]
    kinds = [(s.shape, s.dtype) for s in program.outputs]
    shapes = [[len(inputs[0]) if n is None else n for n in shape or ()] for shape, _ in kinds]
    empty = [np.zeros(shape, dtype) for shape, (_, dtype) in zip(shapes, kinds, strict=True)]
    places = [_at(array.reshape(-1), offsets[-1]) for array in empty]
    outs = [a.reshape(e.shape) for (a, _), e in zip(places, empty, strict=True)]
    program(*given, out=outs)
    found = [out.tobytes() for out in outs]
    for array, memory in places:
        check_around(array, memory)
    return found


def _aligned(program: Compiled) -> list[list[int]]:
    return [step["aligned"] for step in program.manifest["steps"] if "aligned" in step]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("text", [ONE, TWO, DOUBLE], ids=["one", "two", "double"])
def test_every_offset_gives_the_same(text: str, threads: int) -> None:
    size = threads * LEAST + GRAIN + 5
    program = _program(text, size, threads)
    inputs = _inputs(program, size)
    expected = _run(program, inputs, [0])
    element = program.inputs[0].dtype.itemsize
    assert _aligned(program) == ([[0, element]] if ALIGNING else [])
    for offset in range(0, 64, element):
        assert _run(program, inputs, [offset]) == expected
        assert _run(program, inputs, [offset, 64 - element, 4 * element]) == expected


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("streaming", ["never", "always"])
def test_sizes_of_a_call(threads: int, streaming: str) -> None:
    """Dynamic dims: a template's kernels are shifted, also where their stores may stream."""
    program = _program(TWO, "?", threads, streaming)
    least = threads * LEAST
    for size in (5, least - 1, least, least + 1, least + GRAIN, 5 * LEAST):
        inputs = _inputs(program, size)
        expected = _run(program, inputs, [0])
        for offset in (4, 16, 60):
            for _ in range(3):  # the checked way, then the short one
                assert _run(program, inputs, [offset]) == expected
    assert program.compiled_times == 1


@pytest.mark.parametrize("threads", [1, 2])
def test_a_chain_of_kernels(threads: int) -> None:
    """Kernels between which values live in the program's own memory, at a cache line."""
    size = 2 * LEAST + 3
    program = _program(CHAIN, size, threads)
    inputs = _inputs(program, size)
    inputs[0] = np.nan_to_num(inputs[0], posinf=1, neginf=-1)
    expected = _run(program, inputs, [0])
    for offset in (4, 16, 60):
        for _ in range(2):
            assert _run(program, inputs, [offset]) == expected


def test_long_ranges() -> None:
    size = (1 << 17) + 21
    program = _program(ONE, size, 2)
    inputs = _inputs(program, size)
    expected = _run(program, inputs, [0])
    for offset in (4, 16, 60):
        for _ in range(2):
            assert _run(program, inputs, [offset]) == expected


def test_an_array_between_elements_is_copied() -> None:
    program = _program(ONE, 2 * LEAST, 1)
    (x,) = _inputs(program, 2 * LEAST)
    expected = program(x.copy())
    for _ in range(2):
        assert program(_at(x, 2)[0]).tobytes() == expected.tobytes()


def test_an_output_in_place_of_an_input_is_refused() -> None:
    """Elements are computed twice: an output may share no byte with an input."""
    program = _program(ONE, 2 * LEAST, 1)
    memory = np.zeros(2 * LEAST + 8, np.float32)
    x = memory[: 2 * LEAST]
    for _ in range(3):
        for out in (x, memory[8:]):
            with pytest.raises(ValueError, match="overlaps input"):
                program(x, out=out)
        program(x)


@pytest.mark.parametrize("options", [{"perf_count": "body"}, {"segfault_detector": True}])
def test_what_is_watched_is_left_alone(options: dict[str, Any]) -> None:
    text = ONE.replace("SIZE", str(LEAST))
    assert _aligned(snippets_mlir.compile(text, num_threads=1, **options)) == []


def test_the_code_says_nothing_of_it() -> None:
    program = _program(ONE, LEAST, 1)
    assert "aligned" not in program.ir("llvm-ir")
    assert ("snippets.aligned" in program.ir("llvm")) == ALIGNING


def test_nothing_beyond_the_arrays_is_touched() -> None:
    done = run_warm(str(RUNNER), timeout=600)
    last = (done.stdout.splitlines() or ["nothing ran"])[-1]
    assert done.returncode == 0, f"{done.returncode} in {last}\n{done.stderr}"
    assert last == f"{72 if ALIGNING else 0} calls aligned"
