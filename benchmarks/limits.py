"""How fast memory can be copied: NumPy's memcpy, and two copy loops on our own threads.

The loops are LLVM IR, compiled by the project's own JIT: 64 bytes an iteration, with ordinary and
with non-temporal stores. They have the signature of kernels: arguments, begin, end and thread.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from functools import cache

import numpy as np
from timing import Call

from snippets_mlir.codegen.compile import compile_object
from snippets_mlir.codegen.host import host_cpu
from snippets_mlir.codegen.load import LoadedObject
from snippets_mlir.runtime.parallel.threads import launch

LINE = 64
_TEXT = """
define void @copy(ptr %args, i64 %begin, i64 %end, i64 %thread) {
entry:
  %data = load ptr, ptr %args
  %from = load ptr, ptr %data
  %second = getelementptr ptr, ptr %data, i64 1
  %to = load ptr, ptr %second
  br label %head
head:
  %i = phi i64 [ %begin, %entry ], [ %next, %body ]
  %more = icmp slt i64 %i, %end
  br i1 %more, label %body, label %exit
body:
  %source = getelementptr i8, ptr %from, i64 %i
  %target = getelementptr i8, ptr %to, i64 %i
  %line = load <8 x i64>, ptr %source, align 64
  store <8 x i64> %line, ptr %target, align 64NT
  %next = add i64 %i, 64
  br label %head
exit:
  FENCE
  ret void
}
!0 = !{i32 1}
"""


@cache
def _loop(non_temporal: bool) -> tuple[LoadedObject, int]:
    text = _TEXT.replace("NT", ", !nontemporal !0" if non_temporal else "")
    text = text.replace("FENCE", "fence seq_cst" if non_temporal else "")
    triple, cpu, features = host_cpu()
    code = LoadedObject(compile_object(text, triple=triple, cpu=cpu, features=features))
    return code, code.address("copy")


def _aligned(size: int) -> np.ndarray[tuple[int], np.dtype[np.uint8]]:
    raw = np.zeros(size + LINE, np.uint8)
    skip = -raw.__array_interface__["data"][0] % LINE
    return raw[skip : skip + size]


def whole_lines(size: int) -> int:
    """`size` bytes, and the rest of the last 64."""
    return -(-size // LINE) * LINE


def copies(size: int, threads: int) -> Mapping[str, Call]:
    """Calls that copy `size` bytes, by name; ValueError if `size` is not a multiple of 64."""
    if size % LINE:
        raise ValueError(f"expected a multiple of {LINE} bytes, got {size}")
    source, target = _aligned(size), _aligned(size)
    data = (ctypes.c_void_p * 2)(
        source.__array_interface__["data"][0], target.__array_interface__["data"][0]
    )

    def looped(non_temporal: bool) -> Call:
        code, address = _loop(non_temporal)

        def call() -> object:
            launch(address, ctypes.addressof(data), 0, 0, size, 4096, threads)
            return code, data, source, target

        call()
        if not (source == target).all():
            raise RuntimeError("the copy loop does not copy")
        return call

    source[:] = np.arange(size, dtype=np.uint64).astype(np.uint8)
    plain = looped(False)
    target[:] = 0
    streaming = looped(True)
    return {
        "memcpy": lambda: np.copyto(target, source),
        "copy": plain,
        "copy, non-temporal": streaming,
    }
