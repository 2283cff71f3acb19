"""Memrefs and several results at the boundary of a function, as in MLIR.

    func.func @f(%A: memref<?xf32> {llvm.noalias}) -> (f32, index)

has the type

    llvm.func @f(ptr, ptr {llvm.noalias}, i64, i64, i64) -> !llvm.struct<(f32, i64)>

A memref argument becomes the parts of its descriptor. Attributes of the argument go to the aligned
pointer, which all accesses use. A function with `llvm.emit_c_interface` also gets a wrapper
`_mlir_ciface_f` that C can call: memrefs are pointers to descriptors, and a non-scalar result is
written through a pointer that is the first argument.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    IntegerAttr,
    MemRefType,
    SymbolRefAttr,
    UnrealizedConversionCastOp,
    i32,
    i64,
)
from xdsl.dialects.llvm import LLVMFunctionType, LLVMStructType
from xdsl.ir import Attribute, Block, Region, SSAValue

from snippets_mlir.dialects.builtin.shaped import rank_of
from snippets_mlir.dialects.llvm import memory as llvm_memory
from snippets_mlir.dialects.llvm.values import PoisonOp
from snippets_mlir.passes.building.lowering import Lowering, memref_descriptor
from snippets_mlir.passes.vector_to_llvm.descriptors import POINTER, make_descriptor
from snippets_mlir.support.attribute_names import C_INTERFACE_PREFIX


def is_memref(type: Attribute) -> bool:
    """Whether `type` is a ranked memref."""
    return type.name == MemRefType.name


def argument_types(type: Attribute, low: Lowering) -> list[Attribute | None]:
    """The types that an argument of `type` becomes; None for a type that LLVM lacks."""
    if is_memref(type):
        return [POINTER, POINTER, i64, *([i64] * (2 * rank_of(type)))]
    return [low.type(type)]


def result_type(types: Sequence[Attribute | None]) -> Attribute | None:
    """The one type of several results (a struct), None for no result."""
    known = [type for type in types if type is not None]
    if len(known) < 2:
        return known[0] if known else None
    return LLVMStructType.from_type_list(known)


def expand_arguments(block: Block, low: Lowering) -> None:
    """Give the memref arguments of an entry block the form of `argument_types`."""
    for argument in tuple(block.args):
        if not is_memref(argument.type):
            continue
        assert block.first_op is not None
        low.at(block.first_op)
        parts = [
            block.insert_arg(type, argument.index)
            for type in argument_types(argument.type, low)
            if type is not None
        ]
        rank = rank_of(argument.type)
        value = make_descriptor(
            low, parts[0], parts[1], parts[2], parts[3 : 3 + rank], parts[3 + rank :]
        )
        cast = low.insert(UnrealizedConversionCastOp, (value,), (argument.type,))
        argument.replace_all_uses_with(cast.results[0])
        block.erase_arg(argument)


def expand_attributes(
    attributes: ArrayAttr[DictionaryAttr] | None, types: Sequence[Attribute]
) -> ArrayAttr[DictionaryAttr] | None:
    """The attributes of the arguments, one entry for each part of a memref."""
    if attributes is None:
        return None
    entries: list[DictionaryAttr] = []
    for type, entry in zip(types, attributes, strict=True):
        if not is_memref(type):
            entries.append(entry)
            continue
        empty = DictionaryAttr({})
        entries += [empty, entry, empty, *([empty] * (2 * rank_of(type)))]
    return ArrayAttr(entries)


def parts_of(low: Lowering, descriptor: SSAValue, rank: int) -> list[SSAValue]:
    """The parts of a descriptor in the order of `argument_types`."""
    paths = [(0,), (1,), (2,), *((3, d) for d in range(rank)), *((4, d) for d in range(rank))]
    return [extract(low, descriptor, path, POINTER if path[0] < 2 else i64) for path in paths]


def extract(low: Lowering, container: SSAValue, path: Sequence[int], type: Attribute) -> SSAValue:
    """Insert a `llvm.extractvalue`; its result."""
    position = DenseArrayBase.from_list(i64, path)
    return low.make(llvm.ExtractValueOp, (container,), type, {"position": position})


def packed(low: Lowering, values: Sequence[SSAValue]) -> SSAValue:
    """Several values as the fields of one struct, in order."""
    type = LLVMStructType.from_type_list([value.type for value in values])
    struct = low.make(PoisonOp, (), type)
    for place, value in enumerate(values):
        position = DenseArrayBase.from_list(i64, [place])
        struct = low.make(llvm.InsertValueOp, (struct, value), type, {"position": position})
    return struct


def c_wrapper(
    name: str, inputs: Sequence[Attribute], function: LLVMFunctionType, low: Lowering
) -> llvm.FuncOp:
    """`_mlir_ciface_name`, which calls the function of type `function`."""
    output = function.output
    returns = not isinstance(output, llvm.LLVMVoidType)
    indirect = isinstance(output, LLVMStructType)
    given = [POINTER if is_memref(type) else low.type(type) or type for type in inputs]
    block = Block(arg_types=[*([POINTER] if indirect else []), *given])
    end = llvm.ReturnOp()
    block.add_op(end)
    low.at(end)
    arguments: list[SSAValue] = []
    for type, argument in zip(inputs, block.args[indirect:], strict=True):
        if is_memref(type):
            rank = rank_of(type)
            arguments += parts_of(low, _load(low, argument, memref_descriptor(rank)), rank)
        else:
            arguments.append(argument)
    call = low.insert(
        llvm.CallOp, arguments, [output] if returns else [], call_properties(name, len(arguments))
    )
    if indirect:
        low.insert(llvm_memory.StoreOp, (call.results[0], block.args[0]), (), _ACCESS)
    elif returns:
        low.insert(llvm.ReturnOp, call.results)
        end.detach()
        end.erase()
    type = LLVMFunctionType(
        [argument.type for argument in block.args], output if returns and not indirect else None
    )
    return llvm.FuncOp(
        f"{C_INTERFACE_PREFIX}{name}", type, llvm.LinkageAttr("external"), body=Region(block)
    )


_ACCESS: dict[str, Attribute] = {
    "alignment": IntegerAttr(8, i64),
    "ordering": IntegerAttr(0, i64),
}


def _load(low: Lowering, pointer: SSAValue, type: Attribute) -> SSAValue:
    return low.make(llvm_memory.LoadOp, (pointer,), type, _ACCESS)


def call_properties(name: str, arguments: int) -> dict[str, Attribute]:
    """The properties of a call of `name`."""
    return {
        "fastmathFlags": llvm.FastMathAttr(None),
        "CConv": llvm.CallingConventionAttr("ccc"),
        "TailCallKind": llvm.TailCallKindAttr(llvm.TailCallKind.NONE),
        "op_bundle_sizes": DenseArrayBase.from_list(i32, ()),
        "operandSegmentSizes": DenseArrayBase.from_list(i32, (arguments, 0)),
        "callee": SymbolRefAttr(name),
    }
