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

A call whose range may be split into pieces (`snippets.grain`) may run on several threads, see
`parallel_calls.py`. Discardable attributes, and attributes of arguments and of one result, stay.
Memref arguments become the parts of their descriptors and several results a struct
(`memref_interface.py`). Refuses a type that LLVM does not have, and a call of a host function. Host
functions (with a tensor in the signature or a `lir.call` in the body) stay.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from typing_extensions import override
from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, UnitAttr
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from snippets_mlir.dialects.builtin.shaped import rank_of
from snippets_mlir.passes.building.conversion import (
    ConversionPass,
    converts,
    is_kernel_function,
    kernel_functions,
)
from snippets_mlir.passes.building.lowering import Lowering
from snippets_mlir.passes.patterns import AnyPattern, Pattern
from snippets_mlir.passes.vector_to_llvm.memref_interface import (
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
from snippets_mlir.support.attribute_names import C_INTERFACE
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.walking import ops_inside


def _return(op: Operation, low: Lowering) -> Sequence[SSAValue]:
    """`llvm.return` of one value; several are a struct."""
    operands = low.operands(op)
    low.insert(llvm.ReturnOp, (packed(low, operands),) if len(operands) > 1 else operands)
    return ()


def _call(op: Operation, low: Lowering) -> Sequence[SSAValue]:
    """`llvm.call`, or the launch of a range that threads may share."""
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


def _converted_type(func: FuncOp, low: Lowering) -> llvm.LLVMFunctionType:
    """The type of the `llvm.func`; CompileError if there is none."""
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


class ConvertFunction(Pattern[FuncOp, llvm.LLVMFunctionType]):
    """An `llvm.func` with the same body, and the wrapper for C if it asks for one."""

    name = "func-func"
    ops = (FuncOp,)
    conditions = (is_kernel_function,)

    def __init__(self, low: Lowering) -> None:
        self.low = low

    @override
    def match(self, op: FuncOp) -> llvm.LLVMFunctionType:
        return _converted_type(op, self.low)

    def rewrite(self, op: FuncOp, match: llvm.LLVMFunctionType, rewriter: PatternRewriter) -> None:
        """Convert the arguments, then move the body."""
        low = self.low
        if op.body.blocks:
            expand_arguments(op.body.blocks[0], low)
            low.convert_arguments(op.body.blocks[0])
        internal = op.sym_visibility is not None and op.sym_visibility.data == "private"
        properties: dict[str, Attribute | None] = {
            "arg_attrs": expand_attributes(op.arg_attrs, op.function_type.inputs.data),
            "res_attrs": op.res_attrs if len(op.function_type.outputs) < 2 else None,
            "unnamed_addr": IntegerAttr(0, 64),
        }
        attributes = dict(op.attributes)
        if op.body.blocks:
            attributes["no_unwind"] = UnitAttr()
        low.at(op)
        body = op.detach_region(op.body)
        converted = llvm.FuncOp(
            op.sym_name,
            match,
            llvm.LinkageAttr("internal" if internal and body.blocks else "external"),
            body=body,
            other_props={name: attr for name, attr in properties.items() if attr is not None},
            extra_attrs=attributes,
        )
        converted.location = op.location
        made = [converted]
        if C_INTERFACE in op.attributes and body.blocks:
            made.append(c_wrapper(op.sym_name.data, op.function_type.inputs.data, match, low))
        rewriter.replace(op, made)


def _checked_calls(module: ModuleOp) -> list[CallOp]:
    """The calls in kernel functions; CompileError if one calls a host function."""
    functions = tuple(kernel_functions(module))
    kernels = {func.sym_name.data for func in functions}
    inside = (op for func in functions for op in ops_inside(func) if op.name == CallOp.name)
    calls = [op for op in inside if isinstance(op, CallOp)]
    for call in calls:
        if call.callee.string_value() not in kernels:
            raise CompileError(
                f"expected a call of a kernel function, found {call.callee}", **position_of(call)
            )
    return calls


@dataclass(frozen=True)
class ConvertFuncToLLVMPass(ConversionPass):
    """Lower kernel functions, their calls and returns to the llvm dialect."""

    name: ClassVar[str] = "convert-func-to-llvm"
    MIXES_CLASSES: ClassVar[bool] = False
    PATTERNS = (ConvertFunction, converts(CallOp, _call), converts(ReturnOp, _return))

    def earlier(self, module: ModuleOp) -> Iterator[tuple[Operation, list[AnyPattern]]]:
        """Convert signatures first; launchers need those."""
        calls = _checked_calls(module)
        low = Lowering()
        yield module, [ConvertFunction(low) for p in self.enabled() if p is ConvertFunction]
        add_launchers(module, calls)
