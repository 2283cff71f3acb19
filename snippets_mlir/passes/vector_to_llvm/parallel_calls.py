"""Turn calls whose range may be split into pieces into calls of the runtime's launcher.

    func.call @g(%begin, %end, %x) {snippets.grain = 64 : i64} : (index, index, f32) -> ()

becomes

    llvm.call @g_launch(%begin, %end, %x, %c64)

`@g_launch` calls `@g` itself if there is work for only one thread (the grain), or if
`@snippets_team` is not filled. Otherwise the launcher calls `@g_range` on several threads, which
reads the arguments from memory. `@snippets_team` has three words: the address of the launcher, its
first argument, and the number of threads. The launcher is `snippets_launch` of
`codegen/stubs/launch.py`, and `@g_range` has the interface of a kernel.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    ModuleOp,
    SymbolRefAttr,
    TensorType,
    i1,
    i32,
    i64,
)
from xdsl.dialects.func import CallOp
from xdsl.dialects.llvm import LLVMArrayType, LLVMFunctionType, LLVMStructType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from snippets_mlir.dialects.llvm import integer_intrinsics
from snippets_mlir.dialects.llvm.globals import GlobalOp
from snippets_mlir.dialects.llvm.memory import LoadOp, StoreOp
from snippets_mlir.dialects.llvm.values import ZeroOp
from snippets_mlir.passes.building.conversion import GRAIN
from snippets_mlir.passes.building.lowering import Lowering
from snippets_mlir.passes.vector_to_llvm.descriptors import NO_WRAP, POINTER, add, gep
from snippets_mlir.passes.vector_to_llvm.memref_interface import call_properties, extract, packed

TEAM = "snippets_team"
_WORD: dict[str, Attribute] = {"alignment": IntegerAttr(8, i64), "ordering": IntegerAttr(0, i64)}
_PACK_ALIGNMENT = 64
_SIGNED_GREATER: dict[str, Attribute] = {"predicate": IntegerAttr(4, i64)}
_PLAIN: dict[str, Attribute] = {"overflowFlags": llvm.OverflowAttr(None)}


def is_launch(op: Operation) -> bool:
    """Whether `op` is a call with a range, its first two operands, that may be split."""
    return isinstance(op, CallOp) and GRAIN in op.attributes


def launch(low: Lowering, op: Operation, arguments: Sequence[SSAValue]) -> Sequence[SSAValue]:
    """The call of the function that `add_launchers` made for the callee of `op`."""
    grain = op.attributes[GRAIN]
    assert isinstance(op, CallOp)
    assert isinstance(grain, IntegerAttr)
    given = [*arguments, low.integer(grain.value.data)]
    name = f"{op.callee.string_value()}_launch"
    low.insert(llvm.CallOp, given, (), call_properties(name, len(given)))
    return ()


def add_launchers(module: ModuleOp, calls: Sequence[CallOp]) -> None:
    """Add two functions for each callee of `calls` that `launch` lowers, and the team.

    The callees are already `llvm.func`.
    """
    names = {call.callee.string_value(): None for call in calls if is_launch(call)}
    functions = {op.sym_name.data: op for op in module.ops if isinstance(op, llvm.FuncOp)}
    for name in names:
        callee = functions[name]
        for made in (_range_function(callee), _launch_function(callee)):
            made.location = callee.location
            module.body.block.insert_op_after(made, callee)
    if names:
        module.body.block.add_op(_team())


def _team() -> Operation:
    """Three words that are zero until the runtime fills them; all objects share them."""
    words = DenseIntOrFPElementsAttr.from_list(TensorType(i64, [3]), [0])
    return GlobalOp(
        LLVMArrayType(3, i64), TEAM, "weak", constant=False, value=words, alignment=8, body=Region()
    )


def _function(callee: llvm.FuncOp, suffix: str, body: Region) -> llvm.FuncOp:
    """An internal function of the name of `callee` and a suffix."""
    types = [argument.type for argument in body.blocks[0].args]
    name = f"{callee.sym_name.data}_{suffix}"
    return llvm.FuncOp(name, LLVMFunctionType(types), llvm.LinkageAttr("internal"), body=body)


def _start(block: Block, low: Lowering) -> Operation:
    """End `block` with a return and let `low` work before it."""
    end = llvm.ReturnOp()
    block.add_op(end)
    low.at(end)
    return end


def _load(low: Lowering, pointer: SSAValue, type: Attribute) -> SSAValue:
    return low.make(LoadOp, (pointer,), type, _WORD)


def _word(low: Lowering, pointer: SSAValue, place: int, type: Attribute) -> SSAValue:
    return _load(low, gep(low, pointer, low.integer(place), i64), type)


def _call(low: Lowering, callee: llvm.FuncOp, arguments: Sequence[SSAValue]) -> None:
    name = callee.sym_name.data
    low.insert(llvm.CallOp, arguments, (), call_properties(name, len(arguments)))


def _range_function(callee: llvm.FuncOp) -> llvm.FuncOp:
    """`callee` on a part of its range, the arguments from memory."""
    low, block = Lowering(), Block(arg_types=[POINTER, i64, i64, i64])
    _start(block, low)
    types = callee.function_type.inputs.data
    pack = _load(low, _load(low, block.args[0], POINTER), LLVMStructType.from_type_list(types))
    given = [extract(low, pack, (place,), type) for place, type in enumerate(types)]
    ends = [add(low, given[0], place) for place in block.args[1:3]]
    _call(low, callee, [*ends, *given[2:]])
    return _function(callee, "range", Region(block))


def _launch_function(callee: llvm.FuncOp) -> llvm.FuncOp:
    """`callee`, or the launcher with its range function; the last argument is the grain."""
    low, types = Lowering(), callee.function_type.inputs.data
    entry, alone, several = Block(arg_types=[*types, i64]), Block(), Block()
    *given, grain = entry.args
    end = _start(entry, low)
    team = low.make(llvm.AddressOfOp, (), POINTER, {"global_name": SymbolRefAttr(TEAM)})
    size = low.make(llvm.SubOp, (given[1], given[0]), i64, NO_WRAP)
    pieces = low.make(llvm.SDivOp, (size, grain), i64)
    count = low.make(integer_intrinsics.SMinOp, (pieces, _word(low, team, 2, i64)), i64)
    one = low.integer(1)
    many = low.make(llvm.ICmpOp, (count, one), i1, _SIGNED_GREATER)
    sizes: dict[str, Attribute] = {"operandSegmentSizes": DenseArrayBase.from_list(i32, (1, 0, 0))}
    low.insert(llvm.CondBrOp, (many,), (), sizes, (several, alone))
    entry.erase_op(end)
    _start(alone, low)
    _call(low, callee, given)
    _start(several, low)
    pack = packed(low, given)
    memory = low.make(
        llvm.AllocaOp,
        (low.integer(1),),
        POINTER,
        {"alignment": IntegerAttr(_PACK_ALIGNMENT, i64), "elem_type": pack.type},
    )
    low.insert(StoreOp, (pack, memory), (), _WORD)
    kernel = low.make(
        llvm.AddressOfOp,
        (),
        POINTER,
        {"global_name": SymbolRefAttr(f"{callee.sym_name.data}_range")},
    )
    nothing = low.make(ZeroOp, (), POINTER)
    threads = low.make(llvm.TruncOp, (count,), i32, _PLAIN)
    launcher, runtime = _word(low, team, 0, POINTER), _word(low, team, 1, POINTER)
    arguments = (launcher, runtime, kernel, memory, nothing, nothing, size, one, threads)
    properties = call_properties("", len(arguments))
    del properties["callee"]
    low.insert(llvm.CallOp, arguments, (), properties)
    return _function(callee, "launch", Region([entry, alone, several]))
