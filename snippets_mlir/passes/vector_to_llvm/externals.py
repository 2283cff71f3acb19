"""What lowered code needs of the process: functions of libc, and texts in constant memory."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects import llvm
from xdsl.dialects.builtin import ModuleOp, StringAttr, SymbolRefAttr, i8
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, Region, SSAValue
from xdsl.traits import SymbolOpInterface

from snippets_mlir.dialects.llvm.globals import GlobalOp
from snippets_mlir.passes.building.conversion import Lowering
from snippets_mlir.passes.vector_to_llvm.descriptors import POINTER
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError


def declare(module: ModuleOp, types: Mapping[str, llvm.LLVMFunctionType]) -> None:
    """Declare external functions in front of the module, those it has not declared yet.

    CompileError when the program has a function of its own of such a name.
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


class Texts:
    """Texts in constant memory of a module, each once."""

    def __init__(self, module: ModuleOp, prefix: str) -> None:
        """`prefix` starts the symbols of the texts."""
        self._module = module
        self._prefix = prefix
        self._names: dict[str, str] = {}

    def address(self, low: Lowering, text: str) -> tuple[SSAValue, int]:
        """The address of the UTF-8 bytes of `text`, which a zero byte follows; their number."""
        raw = text.encode()
        if text not in self._names:
            name = self._names[text] = self._free_name()
            made = GlobalOp(
                llvm.LLVMArrayType(len(raw) + 1, i8),
                name,
                "internal",
                constant=True,
                value=StringAttr(f"{text}\0"),
                body=Region(),
            )
            _in_front(self._module, made)
        symbol = {"global_name": SymbolRefAttr(self._names[text])}
        return low.make(llvm.AddressOfOp, (), POINTER, symbol), len(raw)

    def _free_name(self) -> str:
        taken: set[str] = set()
        for op in self._module.ops:
            symbol = op.get_trait(SymbolOpInterface)
            if symbol is not None and (name := symbol.get_sym_attr_name(op)) is not None:
                taken.add(name.data)
        number = len(self._names)
        while f"{self._prefix}{number}" in taken:
            number += 1
        return f"{self._prefix}{number}"


def _in_front(module: ModuleOp, made: Operation) -> None:
    first = module.body.block.first_op
    if first is None:
        module.body.block.add_op(made)
    else:
        module.body.block.insert_op_before(made, first)
