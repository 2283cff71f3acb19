"""Programs in MLIR with dynamic dims: what the cache has of them, and `from_cache`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import snippets_mlir
from snippets_mlir.driver.cache import storing
from snippets_mlir.driver.compiled import Compiled

KERNEL = """func.func @main(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = snippets.tanh %x : tensor<?x8xf32>
  func.return %0 : tensor<?x8xf32>
}"""
MIXED = """func.func @main(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %c = snippets.constant dense<0> : tensor<i64>
  %0 = snippets.tanh %x : tensor<?x8xf32>
  %1 = onnx.node "CumSum"(%0, %c) {domain = "", version = 14 : i64}
       : (tensor<?x8xf32>, tensor<i64>) -> tensor<?x8xf32>
  %2 = snippets.multiply %1, %1 : tensor<?x8xf32>
  func.return %2 : tensor<?x8xf32>
}"""
RNG = np.random.default_rng(0)


@pytest.fixture(autouse=True)
def cache(cache_directory: Path) -> Path:
    return cache_directory


def call(program: Compiled, text: str, rows: int) -> None:
    x = RNG.standard_normal((rows, 8)).astype(np.float32)
    expected = np.tanh(x.astype(np.float64))
    if text == MIXED:
        expected = expected.cumsum(0) ** 2
    np.testing.assert_allclose(program(x), expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("text", [KERNEL, MIXED], ids=["kernel", "mixed"])
def test_a_second_program_compiles_nothing(text: str) -> None:
    cold, warm = snippets_mlir.compile(text), snippets_mlir.compile(text)
    assert cold.from_cache is None
    for rows in (3, 1, 5, 3):
        call(cold, text, rows)
        assert cold.from_cache is None
    for rows in (3, 1, 5, 3):
        call(warm, text, rows)
        assert (warm.from_cache, warm.compiled_times) == ("template", 0)
    assert [k.ops for k in warm.kernels] == [k.ops for k in cold.kernels]
    assert [*map(str, warm.opaque)] == [*map(str, cold.opaque)]
    assert warm.per_shape == cold.per_shape
    assert warm.ir("lir") == cold.ir("lir")
    assert warm.passes == cold.passes


def test_a_new_shape_is_compiled() -> None:
    call(snippets_mlir.compile(MIXED), MIXED, 3)
    program = snippets_mlir.compile(MIXED)
    call(program, MIXED, 3)
    call(program, MIXED, 4)
    assert (program.from_cache, program.compiled_times) == (None, 1)


def test_shapes_do_not_run_together() -> None:
    text = MIXED.replace("%x: tensor<?x8xf32>)", "%x: tensor<?x8xf32>, %y: tensor<?x?xf32>)")
    text = text.replace("-> tensor<?x8xf32> {", "-> (tensor<?x8xf32>, tensor<?x?xf32>) {")
    text = text.replace("%2 : tensor<?x8xf32>\n", "%2, %y : tensor<?x8xf32>, tensor<?x?xf32>\n")
    for expected in ((None, 3), ("template", 0)):
        program = snippets_mlir.compile(text)
        for rows, shape in ((2, (3, 4)), (2, (4, 3)), (3, (2, 4))):
            x, y = np.ones((rows, 8), np.float32), RNG.random(shape).astype(np.float32)
            assert (program(x, y)[1] == y).all()
        assert (program.from_cache, program.compiled_times) == expected


def test_other_options_and_texts_are_other_programs() -> None:
    call(snippets_mlir.compile(MIXED), MIXED, 3)
    other = snippets_mlir.compile(MIXED, math="fast")
    call(other, MIXED, 3)
    assert other.from_cache is None
    added = MIXED.replace("snippets.multiply %1, %1", "snippets.add %1, %1")
    other = snippets_mlir.compile(added)
    other(np.ones((3, 8), np.float32))
    assert other.from_cache is None


def test_damaged_entries_are_compiled_again(cache: Path) -> None:
    call(snippets_mlir.compile(MIXED), MIXED, 3)
    storing.finish()
    for path in (cache / "programs").iterdir():
        data = bytearray(path.read_bytes())
        data[-5] ^= 1
        path.write_bytes(data)
    program = snippets_mlir.compile(MIXED)
    call(program, MIXED, 3)
    assert program.from_cache is None
