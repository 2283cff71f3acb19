r"""`vector.print` as calls of libc's `printf`.

    vector.print %v : vector<2xf32>

becomes, with the elements as `f64`,

    llvm.call @printf(%format, %e0, %e1) vararg(...)         // "( %g, %g )\n"
    llvm.call @fflush(%null)

The buffer is flushed after each op, so that the text stands where the program is. Vectors of
several dimensions are printed element by element by then (`unroll_printing.py`). Left as they are:
numbers of more than 64 bits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    AnyFloat,
    Float64Type,
    IndexType,
    IntegerType,
    ModuleOp,
    VectorType,
    f64,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue

from snippets_mlir.dialects.builtin.integers import integers_of
from snippets_mlir.dialects.builtin.shaped import element_of
from snippets_mlir.dialects.llvm.casts import FPExtOp
from snippets_mlir.dialects.llvm.values import ExtractElementOp, ZeroOp
from snippets_mlir.dialects.vector.printing import PrintOp
from snippets_mlir.passes.building.conversion import Lowering
from snippets_mlir.passes.vector_to_llvm.descriptors import POINTER
from snippets_mlir.passes.vector_to_llvm.externals import Texts, declare
from snippets_mlir.passes.vector_to_llvm.memref_interface import call_properties

_PRINTF = llvm.LLVMFunctionType([POINTER], i32, is_variadic=True)
_FUNCTIONS: Mapping[str, llvm.LLVMFunctionType] = {
    "fflush": llvm.LLVMFunctionType([POINTER], i32),
    "printf": _PRINTF,
}
_WIDEST = 64


class PrintLowering:
    """Lowers the `vector.print` ops of one module."""

    def __init__(self, module: ModuleOp) -> None:
        self._module = module
        self._texts: Texts | None = None

    def row(self, op: Operation, low: Lowering) -> Sequence[SSAValue] | None:
        """One call of `printf`; None for numbers that it does not print."""
        assert isinstance(op, PrintOp)
        conversion = "" if op.source is None else _conversion(element_of(op.source.type))
        if conversion is None:
            return None
        if self._texts is None:
            declare(self._module, _FUNCTIONS)
            self._texts = Texts(self._module, "print_format_")
        text = ""
        arguments: list[SSAValue] = []
        for part in op.parts():
            if isinstance(part, int):
                text += conversion
                arguments.append(_argument(op, part, low))
            else:
                text += part.replace("%", "%%")
        if text:
            format, _ = self._texts.address(low, text)
            given = (format, *arguments)
            properties = {**call_properties("printf", len(given)), "var_callee_type": _PRINTF}
            low.insert(llvm.CallOp, given, (i32,), properties)
            null = low.make(ZeroOp, (), POINTER)
            low.insert(llvm.CallOp, (null,), (i32,), call_properties("fflush", 1))
        return ()


def _conversion(element: Attribute) -> str | None:
    """How `printf` writes an element, None when it cannot."""
    if isinstance(element, AnyFloat):
        return "%g" if element.bitwidth <= _WIDEST else None
    if isinstance(element, IndexType):
        return "%llu"
    if isinstance(element, IntegerType) and element.width.data <= _WIDEST:  # pyright: ignore[reportUnknownMemberType]
        return "%llu" if _is_unsigned(element) else "%lld"  # pyright: ignore[reportUnknownArgumentType]
    return None


def _is_unsigned(element: Attribute) -> bool:
    integers = integers_of(element)
    return integers is None or integers.unsigned or integers.width == 1


def _argument(op: PrintOp, number: int, low: Lowering) -> SSAValue:
    """One element in the type in which `printf` takes it."""
    assert op.source is not None
    element = element_of(op.source.type)
    type = low.type(element)
    (value,) = low.operands(op)
    assert type is not None
    if isinstance(op.source.type, VectorType):
        value = low.make(ExtractElementOp, (value, low.integer(number)), type)
    if isinstance(element, AnyFloat):
        return value if isinstance(element, Float64Type) else low.make(FPExtOp, (value,), f64)
    if type == i64 or (isinstance(type, IntegerType) and type.width.data == _WIDEST):  # pyright: ignore[reportUnknownMemberType]
        return value
    return low.make(llvm.ZExtOp if _is_unsigned(element) else llvm.SExtOp, (value,), i64)
