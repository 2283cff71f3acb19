"""`llvm.getelementptr` on pointers and vectors of pointers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from typing_extensions import override
from xdsl.dialects.builtin import (
    I32,
    DenseArrayBase,
    IntegerAttr,
    SignlessIntegerConstraint,
    VectorType,
    i32,
)
from xdsl.dialects.llvm import GEP_USE_SSA_VAL, LLVMPointerType
from xdsl.dialects.utils import parse_dynamic_index_list_without_types, print_dynamic_index_list
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    base,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.builtin.op_class import Op

POINTER = LLVMPointerType()
_POINTERS = base(LLVMPointerType) | VectorType.constr(base(LLVMPointerType))
_INDEX = SignlessIntegerConstraint | VectorType.constr(SignlessIntegerConstraint)
NO_WRAP: dict[str, int] = {"inbounds": 3, "nusw": 2, "nuw": 4}
"""MLIR's bits of `noWrapFlags`; inbounds implies nusw."""


@lru_cache
def _flags(bits: int) -> IntegerAttr[I32]:
    return IntegerAttr(bits, i32)


@lru_cache
def _constant_indices(indices: tuple[int, ...]) -> DenseArrayBase[I32]:
    return DenseArrayBase.from_list(i32, indices)


def flag_names(bits: int) -> tuple[str, ...]:
    """The flags from MLIR's bits, as keywords."""
    names = ("inbounds",) if bits & 1 else ("nusw",) if bits & 2 else ()
    return (*names, "nuw") if bits & 4 else names


@irdl_op_definition
class GEPOp(Op):
    """`llvm.getelementptr inbounds|nuw %p[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32`.

    The result is a vector of pointers if the base or an index is a vector.
    """

    name = "llvm.getelementptr"
    ptr = operand_def(_POINTERS)
    ssa_indices = var_operand_def(_INDEX)
    elem_type = prop_def()
    noWrapFlags = prop_def(IntegerAttr[I32], default_value=IntegerAttr(0, i32))
    rawConstantIndices = prop_def(DenseArrayBase.constr(i32))
    result = result_def(_POINTERS)
    traits = traits_def(Pure())

    def __init__(
        self,
        ptr: SSAValue | Operation,
        indices: Sequence[int | SSAValue],
        elem_type: Attribute,
        *,
        result_type: Attribute = POINTER,
        flags: Sequence[str] = (),
    ) -> None:
        bits = 0
        for flag in flags:
            bits |= NO_WRAP[flag]
        super().__init__(
            operands=[ptr, [i for i in indices if not isinstance(i, int)]],
            result_types=[result_type],
            properties={
                "elem_type": elem_type,
                "noWrapFlags": _flags(bits),
                "rawConstantIndices": _constant_indices(
                    tuple([i if isinstance(i, int) else GEP_USE_SSA_VAL for i in indices])
                ),
            },
        )

    @property
    def flag_names(self) -> tuple[str, ...]:
        """The flags as keywords."""
        return flag_names(self.noWrapFlags.value.data)

    def verify_(self) -> None:
        """Check that there is one operand for each dynamic index."""
        raw = self.rawConstantIndices.get_values()
        if not raw:
            raise VerifyException("expected at least one index")
        if raw.count(GEP_USE_SSA_VAL) != len(self.ssa_indices):
            raise VerifyException(
                f"expected {raw.count(GEP_USE_SSA_VAL)} dynamic indices, "
                f"found {len(self.ssa_indices)}"
            )

    @classmethod
    @override
    def parse(cls, parser: Parser) -> GEPOp:
        flags: list[str] = []
        while flag := parser.parse_optional_keyword_in(NO_WRAP):
            flags.append(flag)
            if parser.parse_optional_punctuation("|") is None:
                break
        name = parser.parse_unresolved_operand()
        names, raw = parse_dynamic_index_list_without_types(parser, GEP_USE_SSA_VAL)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        types = parser.parse_function_type()
        parser.parse_punctuation(",")
        elem_type = parser.parse_type()
        operands = parser.resolve_operands([name, *names], types.inputs.data, parser.pos)
        dynamic = iter(operands[1:])
        op = cls(
            operands[0],
            [next(dynamic) if i == GEP_USE_SSA_VAL else i for i in raw],
            elem_type,
            result_type=types.outputs.data[0],
            flags=flags,
        )
        op.attributes.update(attributes)
        return op

    @override
    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        if flags := self.flag_names:
            printer.print_string("|".join(flags) + " ")
        printer.print_operand(self.ptr)
        print_dynamic_index_list(
            printer, GEP_USE_SSA_VAL, self.ssa_indices, self.rawConstantIndices.get_values()
        )
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_function_type(self.operand_types, self.result_types)
        printer.print_string(", ")
        printer.print_attribute(self.elem_type)


OPS: tuple[type[Operation], ...] = (GEPOp,)
