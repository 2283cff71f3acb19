r"""Turn `vector.print` into calls of libc's `printf`.

    vector.print %v : vector<2xf32>

becomes, with the elements as `f64`,

    llvm.call @printf(%format, %e0, %e1) vararg(...)         // "( %g, %g )\n"
    llvm.call @fflush(%null)

The buffer is flushed after each op, so that the output shows how far the program is. Vectors of
several dimensions have already become prints of elements (`unroll_printing.py`). Leaves numbers of
more than 64 bits.
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
from snippets_mlir.passes.building.conversion import converts, kernel_functions
from snippets_mlir.passes.building.lowering import Lowering
from snippets_mlir.passes.vector_to_llvm.descriptors import POINTER
from snippets_mlir.passes.vector_to_llvm.externals import add_texts, address_of, declare
from snippets_mlir.passes.vector_to_llvm.memref_interface import call_properties
from snippets_mlir.support.walking import ops_inside

_PRINTF = llvm.LLVMFunctionType([POINTER], i32, is_variadic=True)
_FUNCTIONS: Mapping[str, llvm.LLVMFunctionType] = {
    "fflush": llvm.LLVMFunctionType([POINTER], i32),
    "printf": _PRINTF,
}
_WIDEST = 64


def _conversion(element: Attribute) -> str | None:
    """The `printf` conversion of an element, None if there is none."""
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
    """One element in the type that `printf` takes."""
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


def printable(op: PrintOp) -> bool:
    """`printf` has a conversion for the elements."""
    return op.source is None or _conversion(element_of(op.source.type)) is not None


def format_of(op: PrintOp) -> str:
    """The format for `printf`: the text of the op, and a conversion for its value."""
    conversion = "" if op.source is None else _conversion(element_of(op.source.type))
    parts = (conversion if isinstance(p, int) else p.replace("%", "%%") for p in op.parts())
    return "".join(part for part in parts if part is not None)


def _print(op: Operation, low: Lowering) -> Sequence[SSAValue]:
    """One call of `printf`, and one of `fflush`."""
    assert isinstance(op, PrintOp)
    arguments = [_argument(op, part, low) for part in op.parts() if isinstance(part, int)]
    if text := format_of(op):
        given = (address_of(low, text), *arguments)
        properties = {**call_properties("printf", len(given)), "var_callee_type": _PRINTF}
        low.insert(llvm.CallOp, given, (i32,), properties)
        null = low.make(ZeroOp, (), POINTER)
        low.insert(llvm.CallOp, (null,), (i32,), call_properties("fflush", 1))
    return ()


PRINT = converts(PrintOp, _print, printable)
FORMATS = "print_format_"


def prepare_prints(module: ModuleOp) -> None:
    """Declare the functions that prints call, and put their formats into memory."""
    low = Lowering()
    formats = [
        format_of(op)
        for function in kernel_functions(module)
        for op in ops_inside(function)
        if op.name == PrintOp.name and isinstance(op, PrintOp)
        if printable(op) and low.has_types(op)
    ]
    if formats:
        declare(module, _FUNCTIONS)
        add_texts(module, FORMATS, filter(None, formats))
