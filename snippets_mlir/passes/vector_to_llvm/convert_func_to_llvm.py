"""Lower kernel functions to `llvm.func`, and calls and returns inside them.

    func.func private @k(%p: !llvm.ptr {llvm.noalias}, %n: index) attributes {snippets.kernel} {
      func.call @g(%p) : (!llvm.ptr) -> ()
      func.return
    }

becomes

    llvm.func internal @k(%p: !llvm.ptr {llvm.noalias}, %n: i64)
        attributes {snippets.kernel, no_unwind} {
      llvm.call @g(%p) : (!llvm.ptr) -> ()
      llvm.return
    }

A call whose range may be cut into pieces (`snippets.grain`) may run on several threads, see
`parallel_calls.py`. Discardable attributes and those of arguments and of one result are kept.
Memref arguments become the parts of their descriptors and several results a struct
(`memref_interface.py`). Refuses a type that LLVM does not have, and a call of a host function. Host
functions (with a tensor in the signature or a `lir.call` in the body) are left as they are.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, UnitAttr
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass

from snippets_mlir.dialects.builtin.shaped import rank_of
from snippets_mlir.passes.building.conversion import Lowering, Row, kernel_functions, lower
from snippets_mlir.passes.vector_to_llvm.memref_interface import (
    C_INTERFACE,
    argument_types,
    c_wrapper,
    call_properties,
    expand_arguments,
    expand_attributes,
    extract,
    is_memref,
    packed,
    parts_of,
    result_type,
)
from snippets_mlir.passes.vector_to_llvm.parallel_calls import add_launchers, is_launch, launch
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.walking import ops_inside


def _return(op: Operation, low: Lowering) -> Sequence[SSAValue]:
    operands = low.operands(op)
    low.insert(llvm.ReturnOp, (packed(low, operands),) if len(operands) > 1 else operands)
    return ()


def _call(op: Operation, low: Lowering) -> Sequence[SSAValue]:
    types = [type for type in map(low.type, op.result_types) if type is not None]
    arguments: list[SSAValue] = []
    for before, value in zip(op.operands, low.operands(op), strict=True):
        expands = is_memref(before.type)
        arguments += parts_of(low, value, rank_of(before.type)) if expands else [value]
    if is_launch(op):
        return launch(low, op, arguments)
    properties = call_properties("", len(arguments))
    properties["callee"] = op.properties["callee"]
    output = result_type(types)
    call = low.insert(llvm.CallOp, arguments, [] if output is None else [output], properties)
    if len(types) < 2:
        return call.results
    return [extract(low, call.results[0], (i,), type) for i, type in enumerate(types)]


CALLS: dict[type[Operation], Row] = {CallOp: _call, ReturnOp: _return}


def _plan(func: FuncOp, low: Lowering) -> llvm.LLVMFunctionType:
    """The type of the `llvm.func`; CompileError when there is none."""
    signature = func.function_type
    inputs = [part for type in signature.inputs for part in argument_types(type, low)]
    outputs = [low.type(type) for type in signature.outputs]
    if None in inputs or None in outputs:
        raise CompileError(
            f"function @{func.sym_name.data} of type {signature} has no llvm form: expected "
            "scalars, pointers, 1-D vectors and ranked memrefs",
            **position_of(func),
        )
    return llvm.LLVMFunctionType(
        [type for type in inputs if type is not None], result_type(outputs)
    )


def _apply(func: FuncOp, type: llvm.LLVMFunctionType, low: Lowering) -> None:
    if func.body.blocks:
        expand_arguments(func.body.blocks[0], low)
        low.convert_arguments(func.body.blocks[0])
    internal = func.sym_visibility is not None and func.sym_visibility.data == "private"
    properties: dict[str, Attribute | None] = {
        "arg_attrs": expand_attributes(func.arg_attrs, func.function_type.inputs.data),
        "res_attrs": func.res_attrs if len(func.function_type.outputs) < 2 else None,
        "unnamed_addr": IntegerAttr(0, 64),
    }
    attributes = dict(func.attributes)
    if func.body.blocks:
        attributes["no_unwind"] = UnitAttr()
    low.at(func)
    body = func.detach_region(func.body)
    converted = llvm.FuncOp(
        func.sym_name,
        type,
        llvm.LinkageAttr("internal" if internal and body.blocks else "external"),
        body=body,
        other_props={name: attr for name, attr in properties.items() if attr is not None},
        extra_attrs=attributes,
    )
    converted.location = func.location
    block = func.parent
    assert block is not None
    block.insert_op_before(converted, func)
    if C_INTERFACE in func.attributes and body.blocks:
        name, inputs = func.sym_name.data, func.function_type.inputs.data
        block.insert_op_before(c_wrapper(name, inputs, type, low), func)
    func.detach()
    func.erase()


def _check_calls(calls: Sequence[CallOp], kernels: set[str]) -> None:
    for call in calls:
        if call.callee.string_value() not in kernels:
            raise CompileError(
                f"expected a call of a kernel function, found {call.callee}", **position_of(call)
            )


@dataclass(frozen=True)
class ConvertFuncToLLVMPass(ModulePass):
    """Lower kernel functions, their calls and returns to the llvm dialect."""

    name: ClassVar[str] = "convert-func-to-llvm"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Convert signatures first, then calls and returns."""
        functions = tuple(kernel_functions(op))
        kernels = {func.sym_name.data for func in functions}
        calls = [op for func in functions for op in ops_inside(func) if isinstance(op, CallOp)]
        _check_calls(calls, kernels)
        low = Lowering()
        for func in functions:
            if isinstance(func, FuncOp):
                _apply(func, _plan(func, low), low)
        add_launchers(op, calls)
        lower(op, CALLS)
