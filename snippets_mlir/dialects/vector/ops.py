"""`vector` ops on values: reductions and masks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from typing_extensions import override
from xdsl.dialects import vector as upstream
from xdsl.dialects.arith import FastMathFlagsAttr
from xdsl.dialects.builtin import (
    I64,
    AnyFloat,
    DenseArrayBase,
    IndexType,
    VectorBaseTypeConstraint,
    VectorType,
    i1,
    i64,
)
from xdsl.dialects.vector import CombiningKindAttr, CombiningKindFlag
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.vector.access import as_class
from snippets_mlir.dialects.vector.elements import element_of

NO_FAST_MATH = FastMathFlagsAttr("none")
_ANY_KINDS = frozenset({CombiningKindFlag.ADD, CombiningKindFlag.MUL})
_FLOAT_KINDS = frozenset(
    {
        CombiningKindFlag.MAXIMUMF,
        CombiningKindFlag.MAXNUMF,
        CombiningKindFlag.MINIMUMF,
        CombiningKindFlag.MINNUMF,
    }
)


@irdl_op_definition
class ReductionOp(IRDLOperation):
    """All elements of a 1-D vector combined: `vector.reduction <add>, %v, %acc fastmath<reassoc> :
    vector<8xf32> into f32`.

    C1: the result and the accumulator have the element type of the vector.
    C2: the kind goes with the element type.
    """

    name = "vector.reduction"
    T: ClassVar = VarConstraint("T", AnyAttr())

    vector = operand_def(VectorType.constr(T))
    acc = opt_operand_def(T)
    dest = result_def(T)
    kind = prop_def(CombiningKindAttr)
    fastmath = prop_def(FastMathFlagsAttr, default_value=NO_FAST_MATH)
    traits = traits_def(Pure())

    assembly_format = (
        "$kind `,` $vector (`,` $acc^)? (`fastmath` `` $fastmath^)? attr-dict "
        "`:` type($vector) `into` type($dest)"
    )

    def __init__(
        self,
        kind: CombiningKindFlag,
        vector: SSAValue | Operation,
        acc: SSAValue | Operation | None = None,
        fastmath: FastMathFlagsAttr = NO_FAST_MATH,
    ) -> None:
        vector = SSAValue.get(vector)
        super().__init__(
            operands=[vector, acc],
            result_types=[element_of(vector.type)],
            properties={"kind": CombiningKindAttr(kind), "fastmath": fastmath},
        )

    @override
    def verify_(self) -> None:
        kind, floats = self.kind.data, isinstance(self.dest.type, AnyFloat)
        if kind not in _ANY_KINDS and floats != (kind in _FLOAT_KINDS):
            raise VerifyException(
                f"C2: expected a kind of reduction for {self.dest.type}, found {kind.value}"
            )


class BitcastOp(upstream.BitcastOp):
    """The same bits under another vector type."""

    traits = traits_def(Pure())

    @classmethod
    @override
    def parse(cls, parser: Parser) -> BitcastOp:
        return as_class(cls, upstream.BitcastOp.parse(parser))


class CreateMaskOp(upstream.CreateMaskOp):
    """A mask that is 1 below the operands in every dimension; sizes out of range are clamped."""

    traits = traits_def(Pure())

    @classmethod
    @override
    def parse(cls, parser: Parser) -> CreateMaskOp:
        return as_class(cls, upstream.CreateMaskOp.parse(parser))


@irdl_op_definition
class ConstantMaskOp(IRDLOperation):
    """A mask that is 1 below constant sizes: `vector.constant_mask [3] : vector<8xi1>`.

    C1: one size for each dimension, from 0 to the dimension; all are 0 if one is.
    """

    name = "vector.constant_mask"

    mask_dim_sizes = prop_def(DenseArrayBase.constr(i64))
    result = result_def(VectorBaseTypeConstraint(i1))
    traits = traits_def(Pure())

    def __init__(self, sizes: Sequence[int], result_type: VectorType) -> None:
        super().__init__(
            result_types=[result_type],
            properties={"mask_dim_sizes": DenseArrayBase.from_list(i64, sizes)},
        )

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of true elements in each dimension, as Python integers."""
        sizes: DenseArrayBase[I64] = self.mask_dim_sizes
        return sizes.get_values()

    @override
    def verify_(self) -> None:
        assert isinstance(self.result.type, VectorType)
        shape = self.result.type.get_shape()  # pyright: ignore[reportUnknownMemberType]
        sizes = self.sizes
        good = len(sizes) == len(shape) and all(
            0 <= n <= d for n, d in zip(sizes, shape, strict=True)
        )
        if not good or (0 in sizes and any(sizes)):
            raise VerifyException(
                f"C1: expected one size from 0 to each of {list(shape)}, all 0 if one is, "
                f"found {list(sizes)}"
            )

    @classmethod
    def parse(cls, parser: Parser) -> ConstantMaskOp:
        """Parse `[sizes] attr-dict : type`."""
        sizes = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        position = parser.pos
        type = parser.parse_type()
        if not isinstance(type, VectorType):
            parser.raise_error(f"expected a vector type, found {type}", position, parser.pos)
        op = cls(sizes, type)  # pyright: ignore[reportUnknownArgumentType]
        op.attributes.update(attributes)
        return op

    @override
    def print(self, printer: Printer) -> None:
        printer.print_string(f" [{', '.join(map(str, self.sizes))}]")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.result.type)


@irdl_op_definition
class StepOp(IRDLOperation):
    """The vector 0, 1, 2, ...: `vector.step : vector<8xindex>`."""

    name = "vector.step"
    result = result_def(VectorType.constr(IndexType()))
    traits = traits_def(Pure())
    assembly_format = "attr-dict `:` type($result)"

    def __init__(self, result_type: Attribute) -> None:
        super().__init__(result_types=[result_type])


OPS: tuple[type[Operation], ...] = (
    BitcastOp,
    ConstantMaskOp,
    CreateMaskOp,
    ReductionOp,
    StepOp,
)
