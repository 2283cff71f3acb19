"""`llvm` ops on values: fcmp, select, zero, poison, freeze, extractelement."""

from __future__ import annotations

from typing import ClassVar

from typing_extensions import override
from xdsl.dialects.builtin import (
    I1,
    I64,
    ArrayAttr,
    IntAttr,
    IntegerAttr,
    SignlessIntegerConstraint,
    VectorType,
    i1,
    i64,
)
from xdsl.dialects.llvm import (
    ALL_FCMP_FLAGS,
    FastMathAttr,
    FCmpPredicateFlag,
    LLVMVoidType,
    is_compatible_type,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AnyAttr,
    ParsePropInAttrDict,
    RangeOf,
    VarConstraint,
    base,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import NoMemoryEffect, Pure
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.builtin.op_class import Op
from snippets_mlir.dialects.llvm.casts import FLOATS, lanes_of

NO_FAST_MATH = FastMathAttr(None)
_CONDITION = base(I1) | VectorType.constr(i1)


@irdl_op_definition
class FCmpOp(Op):
    """Compare floats: `llvm.fcmp "olt" %a, %b {fastmathFlags = ...} : vector<8xf32>`."""

    name = "llvm.fcmp"
    T: ClassVar = VarConstraint("T", FLOATS)

    lhs = operand_def(T)
    rhs = operand_def(T)
    res = result_def(_CONDITION)
    predicate = prop_def(IntegerAttr[I64])
    fastmathFlags = prop_def(FastMathAttr, default_value=NO_FAST_MATH)
    traits = traits_def(Pure())

    def __init__(
        self,
        lhs: SSAValue | Operation,
        rhs: SSAValue | Operation,
        predicate: str | int,
        fast_math: FastMathAttr = NO_FAST_MATH,
    ) -> None:
        lhs = SSAValue.get(lhs)
        lanes = lanes_of(lhs.type)
        number = FCmpPredicateFlag(predicate).to_int() if isinstance(predicate, str) else predicate
        super().__init__(
            operands=[lhs, rhs],
            result_types=[i1 if lanes is None else VectorType(i1, [lanes])],
            properties={"predicate": IntegerAttr(number, i64), "fastmathFlags": fast_math},
        )

    def verify_(self) -> None:
        """Check the predicate and the number of lanes."""
        if not 0 <= self.predicate.value.data < len(ALL_FCMP_FLAGS):
            raise VerifyException(f"expected a predicate of 0 to 15, found {self.predicate}")
        if lanes_of(self.res.type) != lanes_of(self.lhs.type):
            raise VerifyException(
                f"expected a result of i1 with the lanes of {self.lhs.type}, found {self.res.type}"
            )

    @classmethod
    def parse(cls, parser: Parser) -> FCmpOp:
        """Parse `"predicate" %a, %b attr-dict : type`."""
        position = parser.pos
        literal = parser.parse_str_literal()
        if literal not in tuple(ALL_FCMP_FLAGS):
            parser.raise_error(
                f"expected one of {', '.join(ALL_FCMP_FLAGS)}, found {literal!r}",
                position,
                parser.pos,
            )
        pair = [parser.parse_unresolved_operand()]
        parser.parse_punctuation(",")
        pair.append(parser.parse_unresolved_operand())
        attributes = parser.parse_optional_attr_dict()
        flags = attributes.pop("fastmathFlags", NO_FAST_MATH)
        if not isinstance(flags, FastMathAttr):
            parser.raise_error(f"expected #llvm.fastmath, found {flags}")
        parser.parse_punctuation(":")
        type = parser.parse_type()
        lhs, rhs = parser.resolve_operands(pair, [type, type], parser.pos)
        op = cls(lhs, rhs, literal, flags)
        op.attributes.update(attributes)
        return op

    @override
    def print(self, printer: Printer) -> None:
        printer.print_string(f' "{ALL_FCMP_FLAGS[self.predicate.value.data]}" ')
        printer.print_list(self.operands, printer.print_operand)
        attributes: dict[str, Attribute] = dict(self.attributes)
        if self.fastmathFlags.data:
            attributes["fastmathFlags"] = self.fastmathFlags
        printer.print_op_attributes(attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.lhs.type)


@irdl_op_definition
class SelectOp(Op):
    """`cond ? lhs : rhs`; a vector condition has as many lanes as the values."""

    name = "llvm.select"
    T: ClassVar = VarConstraint("T", AnyAttr())

    cond = operand_def(_CONDITION)
    lhs = operand_def(T)
    rhs = operand_def(T)
    res = result_def(T)
    fastmathFlags = prop_def(FastMathAttr, default_value=NO_FAST_MATH)
    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)

    assembly_format = "$cond `,` $lhs `,` $rhs attr-dict `:` type($cond) `,` type($res)"

    def __init__(
        self, cond: SSAValue | Operation, lhs: SSAValue | Operation, rhs: SSAValue | Operation
    ) -> None:
        lhs = SSAValue.get(lhs)
        super().__init__(operands=[cond, lhs, rhs], result_types=[lhs.type])

    def verify_(self) -> None:
        """Check the lanes of the condition."""
        lanes = lanes_of(self.cond.type)
        if lanes is not None and lanes != lanes_of(self.res.type):
            raise VerifyException(
                f"expected i1 or as many lanes as {self.res.type}, found {self.cond.type}"
            )


class _MadeValue(Op):
    """A value that depends only on its type."""

    res = result_def()
    traits = traits_def(Pure())

    assembly_format = "attr-dict `:` type($res)"

    def __init__(self, result_type: Attribute) -> None:
        super().__init__(result_types=[result_type])

    def verify_(self) -> None:
        """Check that LLVM has values of the type."""
        if isinstance(self.res.type, LLVMVoidType) or not is_compatible_type(self.res.type):
            raise VerifyException(f"expected a type of LLVM's, found {self.res.type}")


@irdl_op_definition
class ZeroOp(_MadeValue):
    """Zero, also for scalars and vectors; the null pointer."""

    name = "llvm.mlir.zero"


@irdl_op_definition
class PoisonOp(_MadeValue):
    """A poison value, which no defined result may depend on."""

    name = "llvm.mlir.poison"


@irdl_op_definition
class FreezeOp(Op):
    """The operand; poison becomes an arbitrary but fixed value."""

    name = "llvm.freeze"
    T: ClassVar = VarConstraint("T", AnyAttr())

    val = operand_def(T)
    res = result_def(T)
    traits = traits_def(NoMemoryEffect())

    assembly_format = "$val attr-dict `:` type($val)"

    def __init__(self, val: SSAValue | Operation) -> None:
        val = SSAValue.get(val)
        super().__init__(operands=[val], result_types=[val.type])


@irdl_op_definition
class ExtractElementOp(Op):
    """One element of a vector; poison when the position is out of range."""

    name = "llvm.extractelement"
    T: ClassVar = VarConstraint("T", AnyAttr())

    vector = operand_def(
        VectorType.constr(T, shape=ArrayAttr.constr(RangeOf(base(IntAttr)).of_length(1)))
    )
    position = operand_def(SignlessIntegerConstraint)
    res = result_def(T)
    traits = traits_def(Pure())

    assembly_format = "$vector `[` $position `:` type($position) `]` attr-dict `:` type($vector)"

    def __init__(self, vector: SSAValue | Operation, position: SSAValue | Operation) -> None:
        vector = SSAValue.get(vector)
        assert isinstance(vector.type, VectorType)
        super().__init__(
            operands=[vector, position],
            result_types=[vector.type.element_type],  # pyright: ignore[reportUnknownArgumentType, reportUnknownMemberType]
        )


OPS: tuple[type[Operation], ...] = (
    ExtractElementOp,
    FCmpOp,
    FreezeOp,
    PoisonOp,
    SelectOp,
    ZeroOp,
)
