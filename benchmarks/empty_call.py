"""A call of XLA's foreign function interface to a handler that does nothing.

    jax.jit(empty_call(x))(x)       the overhead of JAX and XLA for any call of 64 elements

The handler is the handler of `codegen/stubs/xla_call.py` without steps. Results are uninitialized.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from snippets_mlir.codegen.compile import compile_object
from snippets_mlir.codegen.host import host_cpu
from snippets_mlir.codegen.load import LoadedObject
from snippets_mlir.codegen.locks import forever
from snippets_mlir.codegen.stubs.builder import Module
from snippets_mlir.codegen.stubs.expressions import POINTER
from snippets_mlir.codegen.stubs.xla_call import answer_metadata
from snippets_mlir.codegen.stubs.xla_interface import NEWEST
from snippets_mlir.integrations.jax_calls import minor_version

jax: Any = import_module("jax")
NAME, MINOR = "empty_call", "snippets_xla_minor"


@cache
def registered() -> str:
    """The name by which XLA knows the handler."""
    module = Module()
    module.words(MINOR, 32, 1, linkage="external")
    body = module.function(NAME, [POINTER], POINTER)
    answer_metadata(body, body.arguments[0])
    body.end(body.null())
    triple, cpu, features = host_cpu()
    made = compile_object(module.llvm_text(), triple=triple, cpu=cpu, features=features)
    code = forever(LoadedObject(made, (NAME, MINOR)))
    header = Path(jax.ffi.include_dir(), "xla", "ffi", "api", "c_api.h")
    ctypes.c_int32.from_address(code.address(MINOR)).value = min(minor_version(header), NEWEST)
    capsule = jax.ffi.pycapsule(ctypes.c_void_p(code.address(NAME)))
    jax.ffi.register_ffi_target(NAME, capsule, platform="cpu")
    return NAME


def empty_call(like: Any) -> Callable[[Any], Any]:
    """A function for `jax.jit` of an array, with a result of the shape and type of `like`."""
    result = jax.ShapeDtypeStruct(like.shape, like.dtype)
    return jax.ffi.ffi_call(registered(), result)
