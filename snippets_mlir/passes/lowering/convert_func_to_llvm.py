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

Discardable attributes and those of arguments and results are kept. Refuses a function with more
than one result, a type that LLVM does not have, and a call of a host function. Host functions (with
a tensor in the signature or a `lir.call` in the body) are left as they are.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import llvm
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, ModuleOp, UnitAttr, i32
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass

from snippets_mlir.diagnostics import position_of
from snippets_mlir.errors import CompileError
from snippets_mlir.passes.lowering.conversion import Lowering, Row, kernel_functions, lower


def _return(op: Operation, low: Lowering) -> Sequence[SSAValue]:
    low.insert(llvm.ReturnOp, low.operands(op))
    return ()


def _call(op: Operation, low: Lowering) -> Sequence[SSAValue]:
    types = [low.type(type) for type in op.result_types]
    properties = {
        "fastmathFlags": llvm.FastMathAttr(None),
        "CConv": llvm.CallingConventionAttr("ccc"),
        "TailCallKind": llvm.TailCallKindAttr(llvm.TailCallKind.NONE),
        "op_bundle_sizes": DenseArrayBase.from_list(i32, ()),
        "operandSegmentSizes": DenseArrayBase.from_list(i32, (len(op.operands), 0)),
        "callee": op.properties["callee"],
    }
    call = low.insert(
        llvm.CallOp, low.operands(op), [t for t in types if t is not None], properties
    )
    return call.results


CALLS: dict[type[Operation], Row] = {CallOp: _call, ReturnOp: _return}


def _plan(func: FuncOp, low: Lowering) -> llvm.LLVMFunctionType:
    """The type of the `llvm.func`; CompileError when there is none."""
    signature = func.function_type
    inputs = [low.type(type) for type in signature.inputs]
    outputs = [low.type(type) for type in signature.outputs]
    if len(outputs) > 1 or None in inputs or None in outputs:
        raise CompileError(
            f"function @{func.sym_name.data} of type {signature} has no llvm form: expected at "
            "most one result, and scalars, pointers and 1-D vectors",
            **position_of(func),
        )
    return llvm.LLVMFunctionType(
        [type for type in inputs if type is not None], outputs[0] if outputs else None
    )


def _apply(func: FuncOp, type: llvm.LLVMFunctionType, low: Lowering) -> None:
    if func.body.blocks:
        low.convert_arguments(func.body.blocks[0])
    internal = func.sym_visibility is not None and func.sym_visibility.data == "private"
    properties: dict[str, Attribute | None] = {
        "arg_attrs": func.arg_attrs,
        "res_attrs": func.res_attrs,
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
    func.detach()
    func.erase()


def _check_calls(func: Operation, kernels: set[str]) -> None:
    for op in func.walk():
        if isinstance(op, CallOp) and op.callee.string_value() not in kernels:
            raise CompileError(
                f"expected a call of a kernel function, found {op.callee}", **position_of(op)
            )


@dataclass(frozen=True)
class ConvertFuncToLLVMPass(ModulePass):
    """Lower kernel functions, their calls and returns to the llvm dialect."""

    name: ClassVar[str] = "convert-func-to-llvm"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Convert signatures first, then calls and returns."""
        functions = tuple(kernel_functions(op))
        kernels = {func.sym_name.data for func in functions}
        low = Lowering()
        for func in functions:
            _check_calls(func, kernels)
            if isinstance(func, FuncOp):
                _apply(func, _plan(func, low), low)
        lower(op, CALLS)
