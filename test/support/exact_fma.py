"""Multiply-adds of NumPy arrays that are rounded once."""

from __future__ import annotations

import ctypes
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]

_FMA = """
define void @fma_{name}(ptr %a, ptr %b, ptr %c, ptr %out, i64 %n) {{
entry:
  %empty = icmp eq i64 %n, 0
  br i1 %empty, label %exit, label %loop
loop:
  %i = phi i64 [0, %entry], [%next, %loop]
  %pa = getelementptr {type}, ptr %a, i64 %i
  %pb = getelementptr {type}, ptr %b, i64 %i
  %pc = getelementptr {type}, ptr %c, i64 %i
  %po = getelementptr {type}, ptr %out, i64 %i
  %va = load {type}, ptr %pa
  %vb = load {type}, ptr %pb
  %vc = load {type}, ptr %pc
  %r = call {type} @llvm.fma.{name}({type} %va, {type} %vb, {type} %vc)
  store {type} %r, ptr %po
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}}
declare {type} @llvm.fma.{name}({type}, {type}, {type})
"""


@cache
def _engine() -> Any:
    # llvmlite has no types.
    llvm: Any = import_module("llvmlite.binding")
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    text = _FMA.format(name="f32", type="float") + _FMA.format(name="f64", type="double")
    machine = llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), opt=2
    )
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(text), machine)
    engine.finalize_object()
    return engine


@cache
def _fma_function(name: str) -> Any:
    address = _engine().get_function_address(f"fma_{name}")
    return ctypes.CFUNCTYPE(None, *([ctypes.c_void_p] * 4), ctypes.c_int64)(address)


def exact_fma(a: Array, b: Array, c: Array, dtype: type[np.floating[Any]]) -> Array:
    """a * b + c rounded once, of broadcast float32 or float64 arrays."""
    arrays = [np.ascontiguousarray(x) for x in np.broadcast_arrays(a, b, c)]
    out = np.empty(arrays[0].shape, dtype)
    assert all(x.dtype == out.dtype for x in arrays)
    name = "f32" if dtype is np.float32 else "f64"
    _fma_function(name)(*(x.ctypes.data for x in (*arrays, out)), out.size)
    return out
