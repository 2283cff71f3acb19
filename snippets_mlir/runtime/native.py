"""The native half of `threads.launch`: a trampoline between an OpenMP runtime and a kernel.

    void snippets_launch(const Runtime *r, Kernel *k, void **data, const int64_t *rt, char *scratch,
                         int64_t domain, int64_t grain, int32_t threads);
    void snippets_launch_aligned(..., int32_t threads, int64_t aligned);
    struct Runtime { void *parallel; void *thread_num; void *num_threads; };

It starts a team of `threads` through `GOMP_parallel(worker, l, threads, 0)`; worker `t` of the `n`
that really came takes the chunks from `c*t/n` to `c*(t+1)/n` of the `c` chunks of `grain` elements,
so that each element is one worker's. `aligned` says whether a range is begun at a cache line
(`range_text.py`); for `snippets_launch` it is not.

While a team is at work, other Python threads that call run their kernels alone: each would get
workers of its own, more than there are CPUs. The OpenMP functions come by pointer, so the object
has no undefined symbols and is kept in the cache on disk.
"""

from __future__ import annotations

import ctypes
from functools import partial
from typing import TYPE_CHECKING

from snippets_mlir.codegen.locks import forever, once
from snippets_mlir.runtime.range_text import range_text

if TYPE_CHECKING:
    from snippets_mlir.codegen.load import LoadedObject

_TEMPLATE = """
%args = type { ptr, ptr, ptr }
%launch = type { ptr, ptr, %args, i64, i64, i64 }

@snippets_busy = internal global i32 0, align 4

define void @snippets_launch(ptr %runtime, ptr %kernel, ptr %data, ptr %rt, ptr %scratch,
                             i64 %domain, i64 %grain, i32 %threads) {
  call void @snippets_launch_aligned(ptr %runtime, ptr %kernel, ptr %data, ptr %rt, ptr %scratch,
                                     i64 %domain, i64 %grain, i32 %threads, i64 0)
  ret void
}

define void @snippets_launch_aligned(ptr %runtime, ptr %kernel, ptr %data, ptr %rt, ptr %scratch,
                                     i64 %domain, i64 %grain, i32 %threads, i64 %aligned) {
  %l = alloca %launch, align 8
  store ptr %kernel, ptr %l, align 8
  %p1 = getelementptr %launch, ptr %l, i32 0, i32 1
  store ptr %runtime, ptr %p1, align 8
  %p2 = getelementptr %launch, ptr %l, i32 0, i32 2, i32 0
  store ptr %data, ptr %p2, align 8
  %p3 = getelementptr %launch, ptr %l, i32 0, i32 2, i32 1
  store ptr %rt, ptr %p3, align 8
  %p4 = getelementptr %launch, ptr %l, i32 0, i32 2, i32 2
  store ptr %scratch, ptr %p4, align 8
  %p5 = getelementptr %launch, ptr %l, i32 0, i32 3
  store i64 %domain, ptr %p5, align 8
  %p6 = getelementptr %launch, ptr %l, i32 0, i32 4
  store i64 %grain, ptr %p6, align 8
  %p7 = getelementptr %launch, ptr %l, i32 0, i32 5
  store i64 %aligned, ptr %p7, align 8
  %before = atomicrmw xchg ptr @snippets_busy, i32 1 acquire, align 4
  %busy = icmp ne i32 %before, 0
  br i1 %busy, label %alone, label %team
team:
  %parallel = load ptr, ptr %runtime, align 8
  call void %parallel(ptr @snippets_worker, ptr %l, i32 %threads, i32 0)
  store atomic i32 0, ptr @snippets_busy release, align 4
  ret void
alone:
  %args = getelementptr %launch, ptr %l, i32 0, i32 2
  call void @snippets_range(ptr %kernel, ptr %args, i64 0, i64 %domain, i64 0,
                            i64 %grain, i64 %aligned)
  ret void
}

define internal void @snippets_worker(ptr %l) {
  %kernel = load ptr, ptr %l, align 8
  %p1 = getelementptr %launch, ptr %l, i32 0, i32 1
  %runtime = load ptr, ptr %p1, align 8
  %args = getelementptr %launch, ptr %l, i32 0, i32 2
  %p5 = getelementptr %launch, ptr %l, i32 0, i32 3
  %domain = load i64, ptr %p5, align 8
  %p6 = getelementptr %launch, ptr %l, i32 0, i32 4
  %grain = load i64, ptr %p6, align 8
  %p7 = getelementptr %launch, ptr %l, i32 0, i32 5
  %aligned = load i64, ptr %p7, align 8
  %r1 = getelementptr ptr, ptr %runtime, i32 1
  %thread_num = load ptr, ptr %r1, align 8
  %r2 = getelementptr ptr, ptr %runtime, i32 2
  %num_threads = load ptr, ptr %r2, align 8
  %t32 = call i32 %thread_num()
  %n32 = call i32 %num_threads()
  %t = sext i32 %t32 to i64
  %n = sext i32 %n32 to i64
  %grown = add i64 %domain, %grain
  %padded = sub i64 %grown, 1
  %chunks = udiv i64 %padded, %grain
  %each = udiv i64 %chunks, %n
  %left = urem i64 %chunks, %n
  %extra = call i64 @llvm.umin.i64(i64 %t, i64 %left)
  %before = mul i64 %each, %t
  %first = add i64 %before, %extra
  %more = icmp ult i64 %t, %left
  %one = zext i1 %more to i64
  %mine = add i64 %each, %one
  %length = mul i64 %mine, %grain
  %begin = mul i64 %first, %grain
  %stop = add i64 %begin, %length
  %end = call i64 @llvm.umin.i64(i64 %stop, i64 %domain)
  call void @snippets_range(ptr %kernel, ptr %args, i64 %begin, i64 %end, i64 %t,
                            i64 %grain, i64 %aligned)
  ret void
}
"""
TEXT = _TEMPLATE + range_text()
"""The trampoline as LLVM text."""


class Runtime(ctypes.Structure):
    """Addresses of the three OpenMP functions."""

    _fields_ = (
        ("parallel", ctypes.c_void_p),
        ("thread_num", ctypes.c_void_p),
        ("num_threads", ctypes.c_void_p),
    )


class Args(ctypes.Structure):
    """What a kernel gets: arrays, runtime slots, scratch memory."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("rt", ctypes.c_void_p),
        ("scratch", ctypes.c_void_p),
    )


KERNEL = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)
_LAUNCH = ctypes.CFUNCTYPE(
    None,
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.c_int64,
    ctypes.c_int64,
    ctypes.c_int32,
    ctypes.c_int64,
)
_RANGE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, *[ctypes.c_int64] * 5)


def loaded_object(text: str, *symbols: str) -> LoadedObject:
    """LLVM text with functions called `symbols`, compiled for the host; it stays in memory."""
    from snippets_mlir.codegen.cache import cached
    from snippets_mlir.codegen.host import host_cpu
    from snippets_mlir.codegen.load import LoadedObject

    triple, cpu, features = host_cpu()
    load = partial(LoadedObject, symbols=symbols)
    return forever(cached(text, load, triple=triple, cpu=cpu, features=features))


def loaded_function(text: str, name: str) -> int:
    """The address of function `name` of LLVM text, compiled for the host; it stays in memory."""
    return loaded_object(text, name).address(name)


@once
def _launcher() -> LoadedObject:
    return loaded_object(TEXT, "snippets_launch", "snippets_launch_aligned", "snippets_range")


@once
def launch_address() -> int:
    """Where `snippets_launch` is, compiled at the first call."""
    return _launcher().address("snippets_launch")


@once
def aligned_launch_address() -> int:
    """Where `snippets_launch_aligned` is."""
    return _launcher().address("snippets_launch_aligned")


@once
def trampoline() -> ctypes._FuncPointer:  # pyright: ignore[reportPrivateUsage]
    """`snippets_launch_aligned` as a function; calls release the GIL."""
    return _LAUNCH(aligned_launch_address())


@once
def range_runner() -> ctypes._FuncPointer:  # pyright: ignore[reportPrivateUsage]
    """`snippets_range` as a function; calls release the GIL."""
    return _RANGE(_launcher().address("snippets_range"))
