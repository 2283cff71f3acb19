"""A front end in a few lines: reverse Polish expressions of tensors, `x:4x8 y:8 add relu`."""

from __future__ import annotations

import re
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType, f32
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region, SSAValue

from snippets_mlir.dialects.snippets.base import BinaryOp, UnaryOp
from snippets_mlir.dialects.snippets.registry import record_of
from snippets_mlir.support.errors import CompileError


def read(text: str, ctx: Context, file: str) -> ModuleOp:
    """The module of an expression: inputs of f32 with their shapes, and names of ops."""
    block, stack = Block(), list[SSAValue]()
    for match in re.finditer(r"\S+", text):
        line = text.count("\n", 0, match.start())
        column = match.start() - text.rfind("\n", 0, match.start())
        name, _, shape = match[0].partition(":")
        if shape:
            sizes = [int(size) for size in shape.split("x")]
            stack.append(block.insert_arg(TensorType(f32, sizes), len(block.args)))
            stack[-1].name_hint = name
            continue
        record = record_of(f"snippets.{name}")
        if record is None or not issubclass(record.op, (UnaryOp, BinaryOp)):
            message = f"expected an input or an op, found {name!r}"
            raise CompileError(message, file=file, line=line + 1, column=column)
        count = 1 if issubclass(record.op, UnaryOp) else 2
        if len(stack) < count:
            message = f"{name} takes {count} values, found {len(stack)}"
            raise CompileError(message, file=file, line=line + 1, column=column)
        block.add_op(op := cast("Any", record.op)(*stack[-count:]))
        stack[-count:] = op.results
    block.add_op(ReturnOp(*stack))
    types = ([a.type for a in block.args], [value.type for value in stack])
    return ModuleOp([FuncOp("main", types, Region([block]))])
