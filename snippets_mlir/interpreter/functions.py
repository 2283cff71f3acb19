"""Functions: finding them, checking their argument arrays, `func.call`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from xdsl.dialects import llvm
from xdsl.dialects.builtin import DictionaryAttr, ModuleOp, StringAttr, TensorType
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Operation
from xdsl.utils.hints import isa

from snippets_mlir.dialects.builtin.dtypes import Array, as_array, numpy_dtype
from snippets_mlir.dialects.program.graph import GraphOp
from snippets_mlir.dialects.snippets.shapes import compatible, format_shape
from snippets_mlir.interpreter.clocks import EXTERNAL
from snippets_mlir.interpreter.printing import LIBC
from snippets_mlir.interpreter.registry import Handler
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError

if TYPE_CHECKING:
    from snippets_mlir.interpreter.machine import Interpreter


def find_function(module: ModuleOp, name: str) -> FuncOp | GraphOp:
    """The function or graph `name`, which has a body; CompileError if there is none."""
    functions = {op.sym_name.data: op for op in module.ops if isinstance(op, FuncOp | GraphOp)}
    function = functions.get(name)
    if function is None:
        close = get_close_matches(name, functions)
        hint = f"; did you mean {' or '.join(close)}?" if close else ""
        raise CompileError(f"the module has no function {name}{hint}")
    if isinstance(function, FuncOp) and function.is_declaration:
        raise CompileError(f"function {name} has no body", **position_of(function))
    return function


def argument_names(function: FuncOp | GraphOp) -> tuple[str, ...]:
    """The names of the arguments: `snippets.name`, else `arg0`, `arg1`, ..."""
    if isinstance(function, GraphOp):
        return function.input_names
    names = [f"arg{i}" for i in range(len(function.body.blocks[0].args))]
    attributes = function.arg_attrs.data if function.arg_attrs else ()
    for i, attribute in enumerate(attributes):
        if isa(attribute, DictionaryAttr):
            name = attribute.data.get("snippets.name")
            names[i] = name.data if isinstance(name, StringAttr) else names[i]
    return tuple(names)


def check_arguments(function: FuncOp | GraphOp, arrays: Sequence[Any]) -> tuple[Array, ...]:
    """Read-only views of `arrays`, which have the types of the arguments.

    TypeError for a wrong number of arrays, a value that is not an array, or a wrong dtype;
    ValueError for a wrong shape.
    """
    arguments = function.body.blocks[0].args
    if len(arrays) != len(arguments):
        raise TypeError(
            f"function {function.sym_name.data} expects {len(arguments)} arrays, "
            f"found {len(arrays)}"
        )
    views: list[Array] = []
    for name, argument, array in zip(argument_names(function), arguments, arrays, strict=True):
        views.append(_checked_view(f"input '{name}'", argument.type, array))
    return tuple(views)


def _checked_view(where: str, type_: Any, array: Any) -> Array:
    if not isa(type_, TensorType):
        raise CompileError(f"{where}: the interpreter has no arrays of type {type_}")
    if (view := as_array(array)) is None:
        raise TypeError(f"{where}: expected a NumPy array, found {type(array).__name__}")
    expected = numpy_dtype(type_.element_type)
    if view.dtype != expected:
        raise TypeError(f"{where}: expected dtype {expected}, found {view.dtype}")
    if not compatible(view.shape, type_.get_shape()):
        raise ValueError(
            f"{where}: expected shape {format_shape(type_.get_shape())}, "
            f"found {format_shape(view.shape)}"
        )
    view = view.view()
    view.flags.writeable = False
    return view


def _call(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
    assert isinstance(op, CallOp)
    if (external := EXTERNAL.get(op.callee.string_value())) is not None:
        return external(operands)
    function = find_function(interpreter.module, op.callee.string_value())
    return interpreter.run_block(function.body.blocks[0], operands, function)


def _llvm_call(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
    assert isinstance(op, llvm.CallOp)
    name = "" if op.callee is None else op.callee.string_value()
    if (external := EXTERNAL.get(name)) is not None:
        return external(operands)
    function = interpreter.symbol(name)
    if not isinstance(function, llvm.FuncOp) or not function.body.blocks:
        if (of_libc := LIBC.get(name)) is not None:
            return of_libc(operands)
        raise CompileError(f"the module has no function @{name} with a body")
    return interpreter.run_block(function.body.blocks[0], operands, function)


HANDLERS: Mapping[str, Handler] = {CallOp.name: _call, llvm.CallOp.name: _llvm_call}
