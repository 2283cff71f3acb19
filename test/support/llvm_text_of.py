"""From MLIR text to LLVM text and into memory, for tests."""

from __future__ import annotations

from snippets_mlir.codegen.compile import compile_object
from snippets_mlir.codegen.host import host_cpu
from snippets_mlir.codegen.load import LoadedObject
from snippets_mlir.emit.llvm_text import emit_llvm
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.support.parsing import parse_module


def emit(text: str) -> str:
    """LLVM text of a module in MLIR text."""
    return emit_llvm(parse_module(text, make_context(), "test"))


def load(text: str, opt: int = 0) -> LoadedObject:
    """The functions of LLVM text in memory."""
    triple, cpu, features = host_cpu()
    return LoadedObject(compile_object(text, triple=triple, cpu=cpu, features=features, opt=opt))
