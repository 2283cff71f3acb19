"""Non-temporal stores: equal results at every alignment, and nothing else is written."""

from __future__ import annotations

import functools
import re
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from placed_arrays import check_around, placed
from sampled import sampled

import snippets_mlir
from snippets_mlir.driver import Compiled, Streaming
from snippets_mlir.interpreter import Interpreter
from snippets_mlir.interpreter.memory import Memory
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.support.parsing import parse_module
from snippets_mlir.targets.host import host_cache, host_target
from snippets_mlir.targets.machine import machine

Array = NDArray[Any]

FLAT = """
func.func @main(%x: tensor<SIZExf32>, %y: tensor<SIZExf32>) -> tensor<SIZExf32> {
  %0 = snippets.multiply %x, %y : tensor<SIZExf32>
  %1 = snippets.add %0, %y : tensor<SIZExf32>
  func.return %1 : tensor<SIZExf32>
}
"""
ROWS = """
func.func @main(%x: tensor<5xSIZExf32>, %y: tensor<5xSIZExf32>) -> tensor<5xSIZExf32> {
  %0 = snippets.add %x, %y : tensor<5xSIZExf32>
  %1 = snippets.reduce_max %0 {axes = array<i64: 1>, keep_dims}
     : (tensor<5xSIZExf32>) -> tensor<5x1xf32>
  %2 = snippets.subtract %0, %1 : (tensor<5xSIZExf32>, tensor<5x1xf32>) -> tensor<5xSIZExf32>
  func.return %2 : tensor<5xSIZExf32>
}
"""
TWO = """
func.func @main(%x: tensor<SIZExf32>, %y: tensor<SIZExf32>)
    -> (tensor<SIZExf32>, tensor<SIZExf32>) {
  %0 = snippets.multiply %x, %y : tensor<SIZExf32>
  %1 = snippets.add %x, %y : tensor<SIZExf32>
  func.return %0, %1 : tensor<SIZExf32>, tensor<SIZExf32>
}
"""
WIDE = FLAT.replace("f32", "f64")
INTEGERS = FLAT.replace("f32", "i32")


@functools.cache
def _program(text: str, size: int, streaming: Streaming, threads: int) -> Compiled:
    source = text.replace("SIZE", str(size))
    return snippets_mlir.compile(source, streaming=streaming, num_threads=threads)


def _run(program: Compiled, xs: list[Array], offsets: tuple[int, ...]) -> list[Array]:
    """The outputs, written to memory at the given offsets; its other bytes have to stay."""
    specs = program.outputs
    places = [
        placed(int(np.prod(s.static_shape)), s.dtype, o)
        for s, o in zip(specs, offsets, strict=True)
    ]
    outs = [a.reshape(s.static_shape) for (a, _), s in zip(places, specs, strict=True)]
    program(*xs, out=outs if len(outs) > 1 else outs[0])
    found = [out.copy() for out in outs]
    for array, memory in places:
        check_around(array, memory)
    return found


def _inputs(program: Compiled) -> list[Array]:
    rng = np.random.default_rng(0)
    return [(rng.standard_normal(i.static_shape) * 100).astype(i.dtype) for i in program.inputs]


@pytest.mark.parametrize(
    ("text", "size", "threads"),
    sampled([(*c, n) for c in [(FLAT, 8192), (FLAT, 8209), (ROWS, 261)] for n in (1, 2)], 2),
)
def test_every_offset_gives_the_same(text: str, size: int, threads: int):
    plain = _program(text, size, "never", threads)
    streaming = _program(text, size, "always", threads)
    assert "nontemporal" not in plain.ir("llvm")
    assert "nontemporal" in streaming.ir("llvm")
    xs = _inputs(plain)
    expected = plain(*xs)
    for offset in range(0, 64, 4):
        (found,) = _run(streaming, xs, (offset,))
        assert found.tobytes() == expected.tobytes()


@pytest.mark.parametrize(("text", "width"), [(WIDE, 8), (INTEGERS, 4)])
def test_other_elements(text: str, width: int):
    streaming = _program(text, 4099, "always", 1)
    xs = _inputs(streaming)
    expected = _program(text, 4099, "never", 1)(*xs)
    for offset in range(0, 64, width):
        assert _run(streaming, xs, (offset,))[0].tobytes() == expected.tobytes()


@pytest.mark.parametrize("offsets", [(0, 0), (12, 12), (60, 60), (0, 32), (4, 8)])
def test_two_outputs_stream_together_or_not_at_all(offsets: tuple[int, int]):
    streaming = _program(TWO, 4100, "always", 1)
    xs = _inputs(streaming)
    expected = _program(TWO, 4100, "never", 1)(*xs)
    found = _run(streaming, xs, offsets)
    assert [f.tobytes() for f in found] == [e.tobytes() for e in expected]


@pytest.mark.parametrize("size", [256, 257, 271, 272, 320])
def test_short_arrays(size: int):
    """Around the shortest loop whose stores stream, where the ends overlap the most."""
    streaming = _program(FLAT, size, "always", 1)
    xs = _inputs(streaming)
    expected = _program(FLAT, size, "never", 1)(*xs)
    for offset in (0, 4, 36, 60):
        assert _run(streaming, xs, (offset,))[0].tobytes() == expected.tobytes()


@pytest.mark.parametrize("base", [0, 4, 32, 60])
def test_the_interpreter_runs_the_aligned_loops(base: int, monkeypatch: pytest.MonkeyPatch):
    """It refuses an access that is not aligned as it says, wherever the arrays lie."""

    def placed(name: str, dtype: np.dtype[Any], shape: tuple[int, ...]) -> Memory:
        return Memory(name, int(np.prod(shape)) * dtype.itemsize, base=64 + base)

    monkeypatch.setattr(Memory, "for_array", placed)
    ctx = make_context()
    module = parse_module(FLAT.replace("SIZE", "515"), ctx)
    pipeline = "snippets-set-target{streaming=always threads=2},snippets-to-lir,lir-to-vector"
    run_passes(module, ctx, parse_pipeline(pipeline, ctx))
    assert str(module).count("nontemporal") == 1
    x, y = np.random.default_rng(0).standard_normal((2, 515)).astype(np.float32)
    (found,) = Interpreter(module).run("main", [x, y])
    assert (found == x * y + y).all()


def test_sizes_of_a_call_decide_at_run_time():
    text = FLAT.replace("SIZE", "?")
    pipeline = "snippets-set-target{cache=4096},snippets-to-llvm"
    program = snippets_mlir.compile(text, pipeline=pipeline, num_threads=1)
    for size in (3, 64, 300, 341, 342, 343, 1000, 4103):
        x, y = np.random.default_rng(size).standard_normal((2, size)).astype(np.float32)
        assert np.allclose(program(x, y), x * y + y, rtol=1e-6)
    code = program.ir("vector")
    assert "arith.constant 342 : i64" in code  # 4096 bytes of three arrays of float32
    assert "nontemporal" in code


def test_the_fence_is_in_the_code():
    assembly = _program(FLAT, 8192, "always", 1).ir("asm")
    assert "movntps" in assembly
    assert len(re.findall(r"mfence|lock\s+orl", assembly)) == 1
    assert "movnt" not in _program(FLAT, 8192, "never", 1).ir("asm")


def test_the_size_of_the_cache_decides():
    """Three arrays of a third of the last-level cache fit into it, and no byte more."""
    host = machine(host_target())
    elements = (host_cache() or host.cache) // 12
    for size, streams in ((elements, False), (elements + 1, host.streams != "none")):
        compiled = snippets_mlir.compile(FLAT.replace("SIZE", str(size)))
        assert ("nontemporal" in compiled.ir("lir")) == streams


def test_a_wrong_word():
    with pytest.raises(ValueError, match=r"streaming: expected one of .* 'allways'"):
        snippets_mlir.compile(FLAT.replace("SIZE", "8"), streaming="allways")  # pyright: ignore
