"""The targets that `snippets-opt` adds to xDSL's, and atomic writing of files.

`llvm`, `asm` and `obj` take a module whose kernels are `llvm.func` (pipeline `snippets-to-llvm`),
compiled for the machine that `snippets.target` names. `manifest` is the JSON program of the host
function; `obj` with a file writes it beside the object.
"""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.target import Target

from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.printing import ExactPrinter

if TYPE_CHECKING:
    from snippets_mlir.inspect.stage_dumps import StageDumps

_SEPARATOR = "// -----\n"


@dataclass(frozen=True)
class MLIRTarget(Target):
    """The module as text: upstream's target with our printer, which keeps every bit."""

    name: ClassVar[str] = "mlir"

    print_generic_format: bool = False
    print_properties_as_attributes: bool = False
    print_debuginfo: bool = False
    syntax_highlight: bool = False

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        """Write the text of the module."""
        from xdsl.syntax_printer import SyntaxPrinter

        printer = (SyntaxPrinter if self.syntax_highlight else ExactPrinter)(
            stream=output,
            print_generic_format=self.print_generic_format,
            print_properties_as_attributes=self.print_properties_as_attributes,
            print_debuginfo=self.print_debuginfo,
        )
        printer.print_op(module)
        printer.print_metadata(ctx.loaded_dialects)
        output.write("\n\n")


@dataclass(frozen=True)
class LLVMTarget(Target):
    """The output format `llvm`: LLVM IR as text."""

    name: ClassVar[str] = "llvm"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        """Write the text of all kernels."""
        from snippets_mlir.inspect.opt import llvm_text

        output.write(llvm_text(module))


@dataclass(frozen=True)
class AssemblyTarget(Target):
    """Assembly of the module's target machine."""

    name: ClassVar[str] = "asm"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        """Write the assembly of all kernels."""
        from snippets_mlir.inspect.opt import assembly_text

        output.write(assembly_text(module))


@dataclass(frozen=True)
class ObjectTarget(Target):
    """An object file; `snippets-opt` asks the driver for its bytes."""

    name: ClassVar[str] = "obj"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        """Refuse: an object file is not text."""
        raise CompileError("target 'obj' is binary and takes no options")


@dataclass(frozen=True)
class ManifestTarget(Target):
    """The program of the host function as JSON."""

    name: ClassVar[str] = "manifest"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        """Write the manifest as JSON text to `output`."""
        from snippets_mlir.inspect.opt import manifest_text

        output.write(manifest_text(module))


OUR_TARGETS: dict[str, Callable[[], type[Target]]] = {
    "mlir": lambda: MLIRTarget,
    "llvm": lambda: LLVMTarget,
    "asm": lambda: AssemblyTarget,
    "obj": lambda: ObjectTarget,
    "manifest": lambda: ManifestTarget,
}


@dataclass(frozen=True)
class Output:
    """The output of one module; an object has its manifest beside it."""

    data: str | bytes
    manifest: str | None = None


def emitted_stages(stages: StageDumps, args: Namespace) -> Output:
    """The stages as one output, or files in a directory, and nothing else.

    Raises:
        CompileError: a file cannot be written, or the input is split.
    """
    if args.emit_dir is None:
        return Output(stages.joined())
    if args.split_input_file:
        raise CompileError("--emit-dir takes one module; do not split the input")
    for path, data in stages.files(args.emit_dir).items():
        write_output(path, data)
    return Output("")


def write_outputs(path: str | None, outputs: Sequence[Output]) -> None:
    """Write all outputs to one file, or to standard output.

    Raises:
        CompileError: a file cannot be written, or several objects are to go into one.
    """
    texts = [output.data for output in outputs if isinstance(output.data, str)]
    if len(texts) == len(outputs):
        write_output(path, _SEPARATOR.join(texts))
        return
    if len(outputs) != 1:
        raise CompileError("target 'obj' writes one module; do not split the input")
    (output,) = outputs
    write_output(path, output.data)
    if output.manifest is not None and path not in (None, "-"):
        write_output(f"{os.path.splitext(path)[0]}.json", output.manifest)


def write_output(path: str | None, data: str | bytes) -> None:
    """Write to a file, in one step after everything is ready, or to standard output.

    Raises:
        CompileError: the file cannot be written.
    """
    if path is None or path == "-":
        _write_stdout(data)
        return
    content = data.encode() if isinstance(data, str) else data
    try:
        _replace(Path(path), content)
    except OSError as error:
        raise CompileError(f"cannot write '{path}': {error.strerror}") from error


def _replace(target: Path, content: bytes) -> None:
    if target.exists() and not target.is_file():  # /dev/null, a pipe
        target.write_bytes(content)
        return
    target = target.resolve()  # a link stays a link
    draft = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        draft.write_bytes(content)
        if target.exists():
            draft.chmod(target.stat().st_mode & 0o777)
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)


def _write_stdout(data: str | bytes) -> None:
    if isinstance(data, str):
        sys.stdout.write(data)
    else:
        sys.stdout.buffer.write(data)
    sys.stdout.flush()
