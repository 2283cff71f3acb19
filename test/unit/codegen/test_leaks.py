"""A program that is compiled and dropped leaves nothing: LLVM's memory, objects, cache entries."""

from __future__ import annotations

import ctypes
import functools
import gc
import sys
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import snippets_mlir
from snippets_mlir.codegen.compile import compile_object
from snippets_mlir.codegen.host import host_cpu
from snippets_mlir.codegen.load import LoadedObject

WARM = 16
"""Repetitions before it is measured."""

ONE_TIME = 1000
"""Bytes of a repetition that are no leak: parts of a page, one more block of a table."""

LOOP = """
define void @k(ptr noalias %x, ptr noalias %y, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr float, ptr %x, i64 %i
  %v = load <4 x float>, ptr %p, align 4
  %w = fmul <4 x float> %v, %v
  %q = getelementptr float, ptr %y, i64 %i
  store <4 x float> %w, ptr %q, align 4
  %next = add i64 %i, 4
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}
"""

GRAPH = """
func.func @main(%x: tensor<HxWxf32>, %y: tensor<HxWxi32>) -> (tensor<WxHxf32>, tensor<HxWxi32>) {
  %0 = snippets.exp %x : tensor<HxWxf32>
  %1 = snippets.softmax %0 {axis = 1 : i64} : tensor<HxWxf32>
  %2 = snippets.transpose %1 {permutation = array<i64: 1, 0>} : (tensor<HxWxf32>) -> tensor<WxHxf32>
  %3 = snippets.add %y, %y : tensor<HxWxi32>
  func.return %2, %3 : tensor<WxHxf32>, tensor<HxWxi32>
}"""

NEST = """
func.func @main(%A: memref<HxWxf32>, %B: memref<HxWxf32>) {
  affine.for %i = 0 to H {
    affine.for %j = 0 to W {
      %0 = affine.load %A[%i, %j] : memref<HxWxf32>
      %1 = math.exp %0 : f32
      affine.store %1, %B[%i, %j] : memref<HxWxf32>
    }
  }
  func.return
}"""


class _Memory(ctypes.Structure):
    """`struct mallinfo2` of glibc."""

    _fields_ = tuple((f"field{i}", ctypes.c_size_t) for i in range(10))


def allocated() -> int:
    """Bytes that `malloc` has handed out."""
    mallinfo = ctypes.CDLL(None).mallinfo2
    mallinfo.restype = _Memory
    found = mallinfo()
    return found.field7 + found.field4


needs_glibc = pytest.mark.skipif(
    sys.platform != "linux" or not hasattr(ctypes.CDLL(None), "mallinfo2"),
    reason="only glibc tells how much memory is in use",
)


def left_by(action: Callable[[], object], times: int) -> float:
    """Bytes that each of many repetitions leaves in the C library, the least of three rounds.

    A leak is in each of them; a table that grows once, or a thread of another test, is not.
    """
    for _ in range(min(times, WARM)):
        action()
    found: list[float] = []
    while len(found) < 3 and min(found, default=ONE_TIME) >= ONE_TIME:
        gc.collect()
        before = allocated()
        for _ in range(times):
            action()
        gc.collect()
        found.append((allocated() - before) / times)
    return min(found)


@needs_glibc
def test_objects_are_unloaded() -> None:
    triple, cpu, features = host_cpu()
    code = compile_object(LOOP, triple=triple, cpu=cpu, features=features)
    assert left_by(lambda: LoadedObject(code, ["k"]), 20 * WARM) < ONE_TIME


@needs_glibc
def test_what_lives_keeps_only_its_own_engine() -> None:
    """Every tenth object stays: what the others leave goes when it does."""
    triple, cpu, features = host_cpu()
    code = compile_object(LOOP, triple=triple, cpu=cpu, features=features)
    kept: list[LoadedObject] = []

    def some() -> None:
        kept.extend([LoadedObject(code, ["k"]) for _ in range(10)][:1])

    def rounds() -> None:
        for _ in range(8):
            some()
        assert len({one.address("k") for one in kept}) == 8
        kept.clear()

    assert left_by(rounds, 5) < 8 * ONE_TIME


@needs_glibc
@pytest.mark.parametrize("kernels", [True, False])
def test_compiling_leaves_nothing_in_llvm(kernels: bool) -> None:
    triple, cpu, features = host_cpu()

    def compiled() -> bytes:
        return compile_object(LOOP, triple=triple, cpu=cpu, features=features, kernels=kernels)

    assert left_by(compiled, 30) < ONE_TIME


def run(text: str, height: int, width: int) -> weakref.ref[Any]:
    """Compile a program, call it, drop it."""
    program = snippets_mlir.compile(text.replace("H", str(height)).replace("W", str(width)))
    arrays = [np.ones(spec.static_shape, spec.dtype) for spec in program.inputs]
    for _ in range(3):
        program(*arrays)
    return weakref.ref(program)


@pytest.mark.parametrize("text", [GRAPH, NEST])
def test_dropped_programs_are_gone(text: str) -> None:
    for _ in range(2):
        run(text, 5, 70)
    gc.collect()
    before = len(gc.get_objects())
    dropped = [run(text, 5, 70) for _ in range(4)]
    gc.collect()
    assert [one() for one in dropped] == [None] * 4
    assert len(gc.get_objects()) - before < 4 + 20


def unbounded() -> dict[str, int]:
    """The number of entries of each cache that has no limit."""
    gc.unfreeze()  # what was imported while tests were collected has caches, too
    kind: Any = type(functools.cache(run))
    found: list[Any] = [one for one in gc.get_objects() if isinstance(one, kind)]
    return {
        f"{one.__module__}.{one.__qualname__}": one.cache_info().currsize
        for one in found
        if one.cache_info().maxsize is None
    }


def test_caches_without_a_limit_do_not_grow_with_the_sizes() -> None:
    for text in (GRAPH, NEST):
        run(text, 5, 70)
        run(text, 6, 71)
    before = unbounded()
    for number in range(3):
        for text in (GRAPH, NEST):
            run(text, 37 + number, 135 + number)
    grown = {name: size for name, size in unbounded().items() if size > before.get(name, 0) + 2}
    assert not grown
