"""The host function of a module: which one it is, and its interface.

    func.func @main(%x: tensor<4xf32> {snippets.name = "x"}) -> tensor<4xf32>

A host function works on tensors. Kernels and their parts work on pointers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, StringAttr
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Block, Operation, SSAValue

from snippets_mlir.dialects.program.graph import GraphOp, graphs_of
from snippets_mlir.support.diagnostics import close_match, position_of
from snippets_mlir.support.errors import CompileError

NAME = "snippets.name"


Entry: TypeAlias = func.FuncOp | GraphOp


def host_functions(module: ModuleOp) -> list[func.FuncOp]:
    """The functions with a body that work on tensors: neither kernels nor parts of kernels."""
    return [
        op
        for op in module.ops
        if isinstance(op, func.FuncOp)
        and not op.is_declaration
        and not any(isinstance(t, LLVMPointerType) for t in op.function_type.inputs)
    ]


def find_entry(module: ModuleOp, entry: str | None = None) -> Entry:
    """The function called `entry`, else `main`, else the only public one; else `CompileError`.

    A `program.graph` is a public function.
    """
    functions: dict[str, Entry] = {f.sym_name.data: f for f in host_functions(module)}
    functions |= {graph.sym_name.data: graph for graph in graphs_of(module)}
    names = ", ".join(f"@{name}" for name in functions) or "none"
    if entry is not None:
        if entry in functions:
            return functions[entry]
        raise CompileError(
            f"expected a function @{entry}, found {names}{close_match(entry, list(functions))}",
            **position_of(module),
        )
    if "main" in functions:
        return functions["main"]
    public = [f for f in functions.values() if _is_public(f)]
    if len(public) == 1:
        return public[0]
    raise CompileError(
        f"expected a function @main or exactly one public function, found {names}; "
        "name the function to compile with `entry`",
        **position_of(public[1] if public else module),
    )


def find_host_function(module: ModuleOp, entry: str | None = None) -> func.FuncOp:
    """As `find_entry`, but a graph is also a `CompileError`."""
    found = find_entry(module, entry)
    if isinstance(found, GraphOp):
        raise CompileError(
            f"expected a function, found the program.graph @{found.sym_name.data}",
            **position_of(found),
        )
    return found


def host_ops(function: Entry) -> list[Operation]:
    """The ops of a function of one block, or of the nodes of a graph, in their order."""
    if isinstance(function, GraphOp):
        return [op for node in function.nodes for op in node.block.ops]
    return list(body_of(function).ops)


def body_of(function: Entry) -> Block:
    """The one block of a host function; control flow is a `CompileError`."""
    if len(function.body.blocks) != 1:
        raise CompileError(
            f"@{function.sym_name.data}: expected one block, found {len(function.body.blocks)}",
            **position_of(function),
        )
    return function.body.block


def _is_public(function: Entry) -> bool:
    if isinstance(function, GraphOp):
        return True
    visibility = function.sym_visibility
    return visibility is None or visibility.data == "public"


def _names(attributes: ArrayAttr[DictionaryAttr] | None, count: int, prefix: str) -> list[str]:
    names = [f"{prefix}{i}" for i in range(count)]
    for i, entry in enumerate(attributes.data if attributes else ()):
        name = entry.data.get(NAME)
        if isinstance(name, StringAttr):
            names[i] = name.data
    return names


def interface_names(function: Entry) -> tuple[list[str], list[str]]:
    """The names of a function's inputs and outputs.

    `CompileError` for a name of two inputs, or of two outputs that are not the same value.
    """
    if isinstance(function, GraphOp):
        return list(function.input_names), list(function.output.output_names)
    types = function.function_type
    inputs = _names(function.arg_attrs, len(types.inputs), "arg")
    outputs = _names(function.res_attrs, len(types.outputs), "out")
    returned = _returned(function)
    values = dict(zip(outputs, returned, strict=True)) if returned else {}
    same = [outputs[i] for i, value in enumerate(returned) if values[outputs[i]] is value]
    for role, names, shared in (("input", inputs, []), ("output", outputs, same)):
        twice = next((n for n in names if names.count(n) > max(1, shared.count(n))), None)
        if twice is not None:
            raise CompileError(
                f"@{function.sym_name.data}: two {role}s are called {twice!r}; "
                f"`{NAME}` has to be unique among the {role}s",
                **position_of(function),
            )
    return inputs, outputs


def _returned(function: func.FuncOp) -> Sequence[SSAValue]:
    """The values that a function of one block returns."""
    blocks = function.body.blocks
    terminator = blocks[0].last_op if len(blocks) == 1 else None
    return terminator.operands if isinstance(terminator, func.ReturnOp) else ()
