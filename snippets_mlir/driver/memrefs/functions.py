"""Functions on memrefs: how to find them in a module, and the functions they call."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp, TensorType, UnitAttr, UnrankedTensorType
from xdsl.dialects.func import CallOp, FuncOp

from snippets_mlir.dialects.onnx.types import ValueType
from snippets_mlir.dialects.program.host import Entry
from snippets_mlir.driver.memrefs.interface import functions_of
from snippets_mlir.support.attribute_names import C_INTERFACE
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError


def works_on_memrefs(function: Entry) -> bool:
    """Whether a function is a program of this kind: no tensors, and something to pass."""
    types = (*function.function_type.inputs, *function.function_type.outputs)
    on_tensors = (TensorType, UnrankedTensorType, ValueType)
    return bool(types) and not any(isinstance(type, on_tensors) for type in types)


def isolate(module: ModuleOp, entry: str) -> None:
    """Erase the functions that `entry` does not call, directly or not, and export `entry`."""
    functions = functions_of(module)
    wanted: set[str] = set()
    queue = [entry]
    while queue:
        name = queue.pop()
        if name in wanted or name not in functions:
            continue
        wanted.add(name)
        queue += [
            op.callee.string_value() for op in functions[name].walk() if isinstance(op, CallOp)
        ]
    for name, function in functions.items():
        if name not in wanted:
            function.detach()
            function.erase()
    functions[entry].attributes[C_INTERFACE] = UnitAttr()


def refuse_rest(module: ModuleOp) -> None:
    """`CompileError` at the first op that no pass lowered."""
    for op in module.walk():
        if isinstance(op, FuncOp):
            raise CompileError(
                f"the pipeline does not lead to LLVM: @{op.sym_name.data} is still a 'func.func'; "
                "affine-to-llvm has all passes",
                **position_of(op),
            )
        if op.name.split(".")[0] not in ("builtin", "llvm"):
            raise CompileError(
                f"'{op.name}' cannot be lowered to machine code on these types", **position_of(op)
            )
