"""What tests look at in modules that ONNX models were imported as."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from snippets_mlir.dialects.onnx.ops import NodeOp
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.support.parsing import parse_module
from snippets_mlir.support.printing import print_module


def main_of(module: ModuleOp) -> FuncOp:
    (function,) = module.ops
    assert isinstance(function, FuncOp)
    return function


def nodes(module: ModuleOp) -> list[NodeOp]:
    return [op for op in module.walk() if isinstance(op, NodeOp)]


def check_text(module: ModuleOp) -> None:
    """The module prints and parses back to itself in both forms."""
    text = print_module(module)
    for generic in (False, True):
        parsed = parse_module(print_module(module, generic=generic), make_context())
        assert parsed.is_structurally_equivalent(module)
        assert print_module(parsed) == text
