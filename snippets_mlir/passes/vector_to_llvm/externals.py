"""Externals of lowered code: functions of libc, and texts in constant memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import count

from xdsl.dialects import llvm
from xdsl.dialects.builtin import ModuleOp, StringAttr, SymbolRefAttr, i8
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, Region, SSAValue
from xdsl.traits import SymbolOpInterface

from snippets_mlir.dialects.llvm.globals import GlobalOp
from snippets_mlir.passes.building.lowering import Lowering
from snippets_mlir.passes.vector_to_llvm.descriptors import POINTER
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError


def declare(module: ModuleOp, types: Mapping[str, llvm.LLVMFunctionType]) -> None:
    """Declare external functions that the module has not declared yet, at its front.

    CompileError if the program has its own function with such a name.
    """
    taken = {op.sym_name.data: op for op in module.ops if isinstance(op, llvm.FuncOp | FuncOp)}
    for name in sorted(types):
        if (own := taken.get(name)) is not None:
            if isinstance(own, FuncOp):
                raise CompileError(
                    f"function @{name} has the name of a function of libc that this program needs; "
                    "expected another name",
                    **position_of(own),
                )
            continue
        _in_front(module, llvm.FuncOp(name, types[name], llvm.LinkageAttr("external")))


def symbols_of(module: ModuleOp) -> set[str]:
    """The symbols that the ops of `module` define."""
    found: set[str] = set()
    for op in module.ops:
        symbol = op.get_trait(SymbolOpInterface)
        if symbol is not None and (name := symbol.get_sym_attr_name(op)) is not None:
            found.add(name.data)
    return found


def add_texts(module: ModuleOp, prefix: str, texts: Iterable[str]) -> None:
    """Put texts into constant memory of `module`, each once; `prefix` starts their symbols."""
    taken, numbers = symbols_of(module), count()
    for text in dict.fromkeys(texts):
        name = next(n for i in numbers if (n := f"{prefix}{i}") not in taken)
        made = GlobalOp(
            llvm.LLVMArrayType(len(text.encode()) + 1, i8),
            name,
            "internal",
            constant=True,
            value=StringAttr(f"{text}\0"),
            body=Region(),
        )
        _in_front(module, made)


def texts_of(module: ModuleOp, prefix: str) -> dict[str, str]:
    """The symbols of the texts that `add_texts` put into `module`."""
    found: dict[str, str] = {}
    for op in module.ops:
        if isinstance(op, GlobalOp) and op.sym_name.data.startswith(prefix) and op.constant:
            if isinstance(op.value, StringAttr):
                found[op.value.data.removesuffix("\0")] = op.sym_name.data
    return found


def address_of(low: Lowering, text: str) -> SSAValue:
    """The address of the UTF-8 bytes of `text` with a zero byte after them."""
    symbol = {"global_name": SymbolRefAttr(low.texts[text])}
    return low.make(llvm.AddressOfOp, (), POINTER, symbol)


def _in_front(module: ModuleOp, made: Operation) -> None:
    first = module.body.block.first_op
    if first is None:
        module.body.block.add_op(made)
    else:
        module.body.block.insert_op_before(made, first)
