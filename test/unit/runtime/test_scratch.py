"""Scratch memory of kernels: a block for each running call, a part of it for each thread."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import snippets_mlir
from snippets_mlir.driver import Compiled
from snippets_mlir.runtime import program_facts
from snippets_mlir.runtime.calls import python_call
from snippets_mlir.runtime.memory.scratch import ALIGNMENT, aligned_block
from snippets_mlir.support.errors import CompileError

Array = np.ndarray[Any, Any]

ROW = 1024

# Each row is copied to the scratch memory of the thread, and from there reversed to the output.
REVERSE = """
builtin.module attributes {{snippets.target = "{target}", snippets.threads = {threads} : i64}} {{
func.func @main(%x: tensor<{rows}x1024xf32>) -> {results} {{
  %0 = lir.call @reverse(%x) : (tensor<{rows}x1024xf32>) -> tensor<{rows}x1024xf32>
  {rest}
}}
func.func @reverse(%args: !llvm.ptr, %begin: i64, %end: i64, %thread: i64)
    attributes {{snippets.kernel, snippets.domain = {rows} : i64, snippets.grain = 1 : i64,
                snippets.scratch = {scratch} : i64}} {{
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %row = arith.constant 1024 : i64
  %size = arith.constant {scratch} : i64
  %last = arith.constant 1023 : i64
  %data = llvm.load %args {{alignment = 8 : i64}} : !llvm.ptr -> !llvm.ptr
  %x = llvm.load %data {{alignment = 8 : i64}} : !llvm.ptr -> !llvm.ptr
  %second = llvm.getelementptr %data[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  %out = llvm.load %second {{alignment = 8 : i64}} : !llvm.ptr -> !llvm.ptr
  %field = llvm.getelementptr %args[2] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  %base = llvm.load %field {{alignment = 8 : i64}} : !llvm.ptr -> !llvm.ptr
  %offset = arith.muli %thread, %size : i64
  %mine = llvm.getelementptr %base[%offset] : (!llvm.ptr, i64) -> !llvm.ptr, i8
  scf.for %r = %begin to %end step %one : i64 {{
    %start = arith.muli %r, %row : i64
    scf.for %j = %zero to %row step %one : i64 {{
      %at = arith.addi %start, %j : i64
      %p = llvm.getelementptr %x[%at] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %v = llvm.load %p {{alignment = 4 : i64}} : !llvm.ptr -> f32
      %q = llvm.getelementptr %mine[%j] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      llvm.store %v, %q {{alignment = 4 : i64}} : f32, !llvm.ptr
    }}
    scf.for %j = %zero to %row step %one : i64 {{
      %k = arith.subi %last, %j : i64
      %q = llvm.getelementptr %mine[%k] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %v = llvm.load %q {{alignment = 4 : i64}} : !llvm.ptr -> f32
      %at = arith.addi %start, %j : i64
      %p = llvm.getelementptr %out[%at] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      llvm.store %v, %p {{alignment = 4 : i64}} : f32, !llvm.ptr
    }}
  }}
  func.return
}}
}}
"""

ONE = "func.return %0 : tensor<{rows}x1024xf32>"
TWO = """
  %1 = lir.call @reverse(%0) : (tensor<{rows}x1024xf32>) -> tensor<{rows}x1024xf32>
  func.return %1, %0 : tensor<{rows}x1024xf32>, tensor<{rows}x1024xf32>
"""


def compiled(rows: int, threads: int, calls: int = 1, scratch: int = 4 * ROW) -> Compiled:
    """`calls` kernel calls in a row, each of which reverses the rows."""
    tensor = f"tensor<{rows}x1024xf32>"
    text = REVERSE.format(
        target="generic",
        threads=threads,
        rows=rows,
        scratch=scratch,
        results=tensor if calls == 1 else f"({tensor}, {tensor})",
        rest=(ONE if calls == 1 else TWO).format(rows=rows),
    )
    return snippets_mlir.compile(text, pipeline="vector-to-llvm", num_threads=threads)


def sample(rows: int, seed: int = 0) -> Array:
    return np.random.default_rng(seed).standard_normal((rows, ROW)).astype(np.float32)


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("rows", [1, 3, 64])
def test_each_thread_works_in_its_own_part(rows: int, threads: int) -> None:
    x = sample(rows)
    program = compiled(rows, threads)
    for _ in range(3):
        np.testing.assert_array_equal(program(x), x[:, ::-1])
    # A strided input takes the checked way.
    np.testing.assert_array_equal(program(np.asfortranarray(x)), x[:, ::-1])


@pytest.mark.parametrize("calls", [1, 2])
def test_python_threads_call_at_once(calls: int) -> None:
    """Every running call has a block of its own; `calls` is 1 for the short way."""
    program = compiled(64, 2, calls)

    def many(seed: int) -> None:
        x = sample(64, seed)
        for _ in range(20):
            result = program(x)
            reversed_rows = result if calls == 1 else result[1]
            np.testing.assert_array_equal(reversed_rows, x[:, ::-1])
            if calls == 2:
                np.testing.assert_array_equal(result[0], x)

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(many, range(6)))


@pytest.mark.parametrize("calls", [1, 2])
def test_the_base_is_aligned_and_blocks_are_used_again(
    monkeypatch: pytest.MonkeyPatch, calls: int
) -> None:
    program = compiled(2, 2, calls)
    seen: list[int] = []

    def note(*facts: int) -> None:
        seen.append(facts[3])

    monkeypatch.setattr(program_facts, "run_maker", lambda: None)  # machine code calls kernels
    monkeypatch.setattr(python_call, "launch", note)
    for _ in range(4):
        program(sample(2))
    assert len(seen) == 4 * calls
    assert len(set(seen)) == 1
    assert seen[0] != 0
    assert seen[0] % ALIGNMENT == 0


@pytest.mark.parametrize(
    ("rows", "threads", "team"), [(2, 8, 1), (3, 8, 1), (64, 8, 8), (60, 61, 60)]
)
def test_small_kernels_take_scratch_for_one_thread(rows: int, threads: int, team: int) -> None:
    storage = compiled(rows, threads).built().program.storage
    assert storage.scratch == 4 * ROW * team


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="issue #2: fork is POSIX")
def test_a_forked_child_has_scratch_of_its_own() -> None:
    program = compiled(64, 2)
    x, y = sample(64), sample(64, 1)
    np.testing.assert_array_equal(program(x), x[:, ::-1])
    pid = os.fork()
    if pid == 0:
        os._exit(0 if np.array_equal(program(y), y[:, ::-1]) else 1)
    for _ in range(5):
        np.testing.assert_array_equal(program(x), x[:, ::-1])
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def test_kernels_without_scratch_get_none(monkeypatch: pytest.MonkeyPatch) -> None:
    text = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = snippets.negative %x : tensor<4xf32>
      func.return %0 : tensor<4xf32>
    }"""
    program = snippets_mlir.compile(text, fallback="error")
    assert program.manifest["steps"][0]["scratch"] == 0
    seen: list[int] = []
    monkeypatch.setattr(program_facts, "run_maker", lambda: None)
    monkeypatch.setattr(python_call, "launch", lambda *facts: seen.append(facts[3]))  # pyright: ignore
    program(np.zeros(4, np.float32))
    assert seen == [0]


@pytest.mark.parametrize("scratch", [-64, 4, 65])
def test_scratch_has_to_be_whole_cache_lines(scratch: int) -> None:
    expected = rf"expected snippets\.scratch to be a multiple of 64.*{scratch}"
    with pytest.raises(CompileError, match=expected):
        compiled(2, 1, scratch=scratch)


@pytest.mark.parametrize("size", [0, 1, 63, 64, 100_000])
def test_blocks_lie_within_their_memory(size: int) -> None:
    address, memory = aligned_block(size)
    start = memory.__array_interface__["data"][0]
    assert address % ALIGNMENT == 0
    assert start <= address
    assert address + size <= start + memory.size


@pytest.mark.parametrize("size", [1 << 50, 1 << 62, (1 << 63) - 65])
def test_more_memory_than_there_is(size: int) -> None:
    """The error says how much; the text of a program may ask for any arena."""
    with pytest.raises(MemoryError, match=rf"^the program needs {size} bytes \(\d+\.0 GiB\) for "):
        aligned_block(size)
    source = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = snippets.abs %x {snippets.skipped = "it"} : tensor<4xf32>
      func.return %0 : tensor<4xf32>
    }"""
    text = snippets_mlir.compile(source).ir("program")
    assert "arena = 0 : i64" in text
    program = snippets_mlir.compile(text.replace("arena = 0", f"arena = {size // 64 * 64}"))
    for _ in range(2):
        with pytest.raises(MemoryError, match=f"the program needs {size // 64 * 64} bytes"):
            program(np.zeros(4, np.float32))
