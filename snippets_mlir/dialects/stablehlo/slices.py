"""Ops of StableHLO that take parts of tensors or join them: slices, pads.

    %1 = stablehlo.slice %x [0:4:2, 1:8] : (tensor<4x8xf32>) -> tensor<2x7xf32>
    %2 = stablehlo.concatenate %x, %x, dim = 1 : (tensor<4x8xf32>, tensor<4x8xf32>)
         -> tensor<4x16xf32>

Source: the StableHLO specification.
"""

from __future__ import annotations

from typing import ClassVar, Self

from typing_extensions import override
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, TensorType, i64
from xdsl.irdl import (
    IRDLOperation,
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

from snippets_mlir.dialects.builtin.dims import Dim
from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.snippets.shapes import DYNAMIC, compatible
from snippets_mlir.dialects.stablehlo.movement import DIMS, TYPES, MoveOp, expect_shape
from snippets_mlir.dialects.stablehlo.products import parse_types
from snippets_mlir.dialects.stablehlo.tailed import TailedOp


@irdl_op_definition
class ReverseOp(TailedOp):
    """The elements along `dims` in reverse order."""

    name = "stablehlo.reverse"
    WORD: ClassVar = "dims"
    TAIL: ClassVar = "dimensions"
    operand = operand_def(TensorType)
    dimensions = prop_def(DIMS)
    output = result_def(TensorType)
    traits = traits_def(Pure())

    @override
    def print_types(self, printer: Printer) -> None:
        printer.print_attribute(self.output.type)

    @override
    def verify_(self) -> None:
        expect_shape(self, shape_of(self.operand), "the operand's shape")


@irdl_op_definition
class SliceOp(MoveOp):
    """The elements from `start` to before `limit` in steps of `stride`, in each dim."""

    name = "stablehlo.slice"
    start_indices = prop_def(DIMS)
    limit_indices = prop_def(DIMS)
    strides = prop_def(DIMS)

    @property
    def ranges(self) -> list[slice]:
        """Start, stop and step of each dim of the operand."""
        lists = (self.start_indices, self.limit_indices, self.strides)
        return [slice(*one) for one in zip(*(a.get_values() for a in lists), strict=True)]

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Parse `%x [start:limit:stride, ...] {attributes} : function-type`."""
        place = parser.pos
        unresolved = parser.parse_unresolved_operand()

        def one() -> tuple[int, int, int]:
            start = parser.parse_integer()
            parser.parse_punctuation(":")
            limit = parser.parse_integer()
            stride = parser.parse_integer() if parser.parse_optional_punctuation(":") else 1
            return start, limit, stride

        ranges = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, one)
        attributes = parser.parse_optional_attr_dict()
        operands, results = parse_types(parser, [unresolved], place)
        starts, limits, strides = zip(*ranges, strict=True) if ranges else ((), (), ())
        return cls.create(
            operands=operands,
            result_types=results,
            properties={
                "start_indices": DenseArrayBase.from_list(i64, starts),
                "limit_indices": DenseArrayBase.from_list(i64, limits),
                "strides": DenseArrayBase.from_list(i64, strides),
            },
            attributes=attributes,
        )

    @override
    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.operand)
        shown = (f"{r.start}:{r.stop}" + ("" if r.step == 1 else f":{r.step}") for r in self.ranges)
        printer.print_string(f" [{', '.join(shown)}]")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_function_type(self.operand_types, self.result_types)

    @override
    def verify_(self) -> None:
        lists = (self.start_indices, self.limit_indices, self.strides)
        if any(len(a) != len(self.shape) for a in lists):
            expect_shape(self, None, "a range for each dim of the operand")
        sizes: list[Dim] | None = []
        for r, size in zip(self.ranges, self.shape, strict=True):
            known = size if isinstance(size, int) and size != DYNAMIC else r.stop
            if not (0 <= r.start <= r.stop <= known and r.step > 0):
                sizes = None
                break
            sizes.append(len(range(r.start, r.stop, r.step)))
        expect_shape(self, sizes, "ranges within the operand, and a result of their sizes")


@irdl_op_definition
class PadOp(IRDLOperation):
    """The operand with a value around it and, by `interior`, between its elements.

    Negative `low` and `high` cut elements off.
    """

    name = "stablehlo.pad"
    operand = operand_def(TensorType)
    padding_value = operand_def(TensorType)
    edge_padding_low = prop_def(DIMS)
    edge_padding_high = prop_def(DIMS)
    interior_padding = prop_def(DIMS)
    output = result_def(TensorType)
    traits = traits_def(Pure())
    assembly_format = (
        "$operand `,` $padding_value `,` `low` `=` $edge_padding_low `,` `high` `=` "
        "$edge_padding_high `,` `interior` `=` $interior_padding attr-dict `:` "
        f"{TYPES}"
    )

    @property
    def amounts(self) -> list[tuple[int, int, int]]:
        """Low, high and interior padding of each dim."""
        lists = (self.edge_padding_low, self.edge_padding_high, self.interior_padding)
        return [*zip(*(a.get_values() for a in lists), strict=True)]

    @override
    def verify_(self) -> None:
        lists = (self.edge_padding_low, self.edge_padding_high, self.interior_padding)
        fits = all(len(a) == len(shape_of(self.operand)) for a in lists)
        if not fits or any(inner < 0 for _, _, inner in self.amounts):
            expect_shape(
                self, None, "three amounts for each dim, of which interior is not negative"
            )
        expect_shape(
            self,
            [
                size
                if not isinstance(size, int) or size == DYNAMIC
                else low + size + max(size - 1, 0) * inner + high
                for size, (low, high, inner) in zip(
                    shape_of(self.operand), self.amounts, strict=True
                )
            ],
            "the padded shape",
        )


@irdl_op_definition
class ConcatenateOp(TailedOp):
    """The operands one after the other along a dim."""

    name = "stablehlo.concatenate"
    WORD: ClassVar = "dim"
    TAIL: ClassVar = "dimension"
    ONE: ClassVar = True
    inputs = var_operand_def(TensorType)
    dimension = prop_def(IntegerAttr.constr(i64))
    output = result_def(TensorType)
    traits = traits_def(Pure())

    @property
    def dim(self) -> int:
        """The dim along which the operands follow each other."""
        return self.dimension.value.data

    @override
    def verify_(self) -> None:
        shapes = [shape_of(v) for v in self.inputs]
        if not shapes or self.dim not in range(len(shapes[0])):
            expect_shape(self, None, f"operands with a dim {self.dim}")
        rest = [(*s[: self.dim], *s[self.dim + 1 :]) for s in shapes]
        if any(
            len(s) != len(shapes[0]) or not compatible(r, rest[0])
            for s, r in zip(shapes, rest, strict=True)
        ):
            expect_shape(self, None, f"operands that differ in dim {self.dim} alone")


OPS = [
    ConcatenateOp,
    PadOp,
    ReverseOp,
    SliceOp,
]
