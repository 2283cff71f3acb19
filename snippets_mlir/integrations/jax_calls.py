"""Calls of programs from XLA's code, through its foreign function interface.

    site = call_site_of(traced.out_info, program)
    results = site.call(arrays)             inside of a function that JAX traces

The handler (`runtime/calls/xla_call.py`) gets XLA's buffers and runs the kernels on them, without
Python and without copies. It is registered with XLA before the first call site is made.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from snippets_mlir.codegen.locks import once_after
from snippets_mlir.integrations.jax_package import load_jax
from snippets_mlir.runtime.calls.xla_call import call_site, handler_address
from snippets_mlir.runtime.program import Program
from snippets_mlir.support.errors import CompileError

TARGET = "snippets_mlir"
"""The name by which XLA knows the handler."""


def minor_version(header: Path) -> int:
    """The minor version of XLA's foreign function interface, from its C header in jaxlib.

    Raises:
        CompileError: no header states the version, or the major version is not 0.
    """
    try:
        text = header.read_text("utf-8")
    except OSError as error:
        raise CompileError(f"cannot read the version of XLA's interface: {error}") from None
    found = [re.search(rf"#define XLA_FFI_API_{part} (\d+)", text) for part in ("MAJOR", "MINOR")]
    major, minor = (-1 if match is None else int(match[1]) for match in found)
    if major != 0 or minor < 0:
        raise CompileError(f"{header}: expected version 0 of XLA's interface")
    return minor


def _load_handler() -> int:
    """The address of the handler for the installed jaxlib."""
    header = Path(load_jax().ffi.include_dir(), "xla", "ffi", "api", "c_api.h")
    return handler_address(minor_version(header))


@once_after(_load_handler)
def _register() -> bool:
    """Register the handler with XLA."""
    ffi = load_jax().ffi
    capsule = ffi.pycapsule(ctypes.c_void_p(_load_handler()))
    ffi.register_ffi_target(TARGET, capsule, platform="cpu")
    return True


class Site(NamedTuple):
    """A call of the kernels for arguments of one structure, with their shapes and types.

    Attributes:
        results: shape and element type of each result.
        structure: how the results make up what the function returns.
        attributes: the attributes by which the handler finds the program.
    """

    results: tuple[Any, ...]
    structure: Any
    attributes: dict[str, int]

    def call(self, arrays: Sequence[Any]) -> Any:
        """The results, as JAX traces them, for arrays that it traces."""
        numbers = {name: np.int64(value) for name, value in self.attributes.items()}
        return load_jax().ffi.ffi_call(TARGET, self.results)(*arrays, **numbers)


def call_site_of(results: Any, program: Program) -> Site:
    """A call site of a program, which stays in memory until the process ends.

    Args:
        results: what the function returns, with shapes and types as leaves.
        program: the program compiled from it.

    Raises:
        CompileError: XLA cannot call it, or its interface is not known.
    """
    if not program.fills_outputs:
        message = "XLA cannot call a program with counters or the segfault detector"
        raise CompileError(message)
    _register()
    jax = load_jax()
    specs, structure = jax.tree_util.tree_flatten(results)
    return Site(tuple(specs), structure, call_site(program))
