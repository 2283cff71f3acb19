"""The targets of `snippets-opt` behind the `llvm` dialect, and writing files whole or not at all.

`llvm`, `asm` and `obj` take a module whose kernels are `llvm.func` (pipeline `snippets-to-llvm`),
compiled for the machine that `snippets.target` names. `manifest` is the JSON program of the host
function; `obj` with a file writes it beside the object.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO, ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.utils.target import Target

from snippets_mlir.diagnostics import position_of
from snippets_mlir.errors import CompileError


@dataclass(frozen=True)
class LLVMTarget(Target):
    """LLVM IR as text."""

    name: ClassVar[str] = "llvm"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        """Write the text of all kernels."""
        output.write(llvm_text(module))


@dataclass(frozen=True)
class AssemblyTarget(Target):
    """Assembly of the module's target machine."""

    name: ClassVar[str] = "asm"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        """Write the assembly of all kernels."""
        from snippets_mlir.jit.compile import compile_assembly

        text, machine = llvm_text(module), _machine(module)
        output.write(
            compile_assembly(
                text, triple=machine.triple, cpu=machine.cpu, features=machine.features
            )
        )


@dataclass(frozen=True)
class ObjectTarget(Target):
    """An object file; `snippets-opt` writes its bytes itself, see `object_bytes`."""

    name: ClassVar[str] = "obj"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        """Refuse: an object file is not text."""
        raise CompileError("target 'obj' is binary; give a file with -o")


@dataclass(frozen=True)
class ManifestTarget(Target):
    """The program of the host function as JSON."""

    name: ClassVar[str] = "manifest"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        """Write the JSON text."""
        output.write(manifest_text(module))


OUR_TARGETS: dict[str, Callable[[], type[Target]]] = {
    "llvm": lambda: LLVMTarget,
    "asm": lambda: AssemblyTarget,
    "obj": lambda: ObjectTarget,
    "manifest": lambda: ManifestTarget,
}


def _machine(module: ModuleOp):
    from snippets_mlir.targets.machine import machine

    match module.attributes.get("snippets.target"):
        case StringAttr(data=name):
            return machine(name)
        case _:
            raise CompileError(
                "the module has no target machine; run snippets-set-target first",
                **position_of(module),
            )


def llvm_text(module: ModuleOp) -> str:
    """The LLVM IR of all kernels of a module.

    Raises:
        CompileError: the module has no kernels at the llvm level.
    """
    from snippets_mlir.emit.llvm_text import emit_llvm

    if not any(op.name == "llvm.func" for op in module.ops):
        raise CompileError(
            "the module has no llvm.func; lower it first, with -p snippets-to-llvm",
            **position_of(module),
        )
    return emit_llvm(module)


def object_bytes(module: ModuleOp) -> bytes:
    """The object file of all kernels of a module."""
    from snippets_mlir.jit.compile import compile_object

    text, machine = llvm_text(module), _machine(module)
    return compile_object(text, triple=machine.triple, cpu=machine.cpu, features=machine.features)


def manifest_text(module: ModuleOp) -> str:
    """The manifest of a module as JSON text."""
    from snippets_mlir.emit.manifest import build_manifest

    return json.dumps(build_manifest(module), indent=2) + "\n"


def write_output(path: str | None, data: str | bytes) -> None:
    """Write to a file, in one step and only when all is there, or to standard output.

    Raises:
        CompileError: the file cannot be written.
    """
    content = data.encode() if isinstance(data, str) else data
    if path is None or path == "-":
        _write_stdout(data)
        return
    target = Path(path)
    try:
        if target.exists() and not target.is_file():  # /dev/null, a pipe
            target.write_bytes(content)
            return
        with NamedTemporaryFile(dir=target.parent, prefix=f".{target.name}.", delete=False) as file:
            file.write(content)
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask()
        os.chmod(file.name, mode)
        os.replace(file.name, target)
    except OSError as error:
        raise CompileError(f"cannot write '{path}': {error.strerror}") from error


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _write_stdout(data: str | bytes) -> None:
    if isinstance(data, str):
        sys.stdout.write(data)
    else:
        sys.stdout.buffer.write(data)
    sys.stdout.flush()
