"""Products of StableHLO: `dot_general`.

    %1 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1],
         precision = [DEFAULT, DEFAULT] : (tensor<7x4x8xf32>, tensor<7x8x5xf32>)
         -> tensor<7x4x5xf32>

The dims of the result are the batching dims, then the other dims of the left and of the right
operand. Source: the StableHLO specification.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Self, TypeVar

from typing_extensions import override
from xdsl.dialects.builtin import (
    ArrayAttr,
    FunctionType,
    TensorType,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.builtin.dims import Shape
from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.snippets.shapes import compatible, format_shape
from snippets_mlir.dialects.stablehlo.attributes import DotAttr, PrecisionAttr

_T = TypeVar("_T")


def parse_list(parser: Parser, item: Callable[[], _T]) -> list[_T]:
    """Parse `[item, ...]`."""
    return parser.parse_comma_separated_list(parser.Delimiter.SQUARE, item)


def parse_types(
    parser: Parser, unresolved: Sequence[UnresolvedOperand], place: int
) -> tuple[Sequence[SSAValue], Sequence[Attribute]]:
    """Parse `: function-type`; the operands and the types of the results."""
    parser.parse_punctuation(":")
    types = parser.parse_type()
    if not isinstance(types, FunctionType):
        parser.raise_error("expected a function type", place)
    return parser.resolve_operands(unresolved, types.inputs.data, place), types.outputs.data


def print_types(op: IRDLOperation, printer: Printer) -> None:
    """Print ` : (operand types) -> result type`."""
    printer.print_string(" : ")
    printer.print_function_type(op.operand_types, op.result_types)


@irdl_op_definition
class DotGeneralOp(IRDLOperation):
    """Sums of products over the contracting dims, for each place of the batching dims."""

    name = "stablehlo.dot_general"
    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    numbers = prop_def(DotAttr, prop_name="dot_dimension_numbers")
    precision_config = opt_prop_def(ArrayAttr[PrecisionAttr])
    result = result_def(TensorType)
    traits = traits_def(Pure())

    @property
    def batching(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The batching dims of the left and the right operand."""
        return self._dims("batching")

    @property
    def contracting(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The contracting dims of the left and the right operand."""
        return self._dims("contracting")

    def _dims(self, kind: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
        return (
            self.numbers.dims(f"lhs_{kind}_dimensions"),
            self.numbers.dims(f"rhs_{kind}_dimensions"),
        )

    @property
    def free(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The other dims of the left and the right operand."""
        ranks = len(shape_of(self.lhs)), len(shape_of(self.rhs))
        taken = zip(self.batching, self.contracting, strict=True)
        left, right = (
            tuple(dim for dim in range(rank) if dim not in (*b, *c))
            for rank, (b, c) in zip(ranks, taken, strict=True)
        )
        return left, right

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Parse the text of the module docstring; the batching dims and the precision are
        optional.
        """
        place = parser.pos
        operands = [parser.parse_unresolved_operand()]
        parser.parse_punctuation(",")
        operands.append(parser.parse_unresolved_operand())
        fields: dict[str, Sequence[int]] = {}
        properties: dict[str, Attribute] = {}
        while parser.parse_optional_punctuation(","):
            word = parser.parse_identifier()
            parser.parse_punctuation("=")
            if word in ("batching_dims", "contracting_dims"):
                kind = word.removesuffix("_dims")
                fields[f"lhs_{kind}_dimensions"] = parse_list(parser, parser.parse_integer)
                parser.parse_keyword("x")
                fields[f"rhs_{kind}_dimensions"] = parse_list(parser, parser.parse_integer)
            elif word == "precision":
                words = parse_list(parser, lambda: PrecisionAttr.parse_parameter(parser))
                properties["precision_config"] = ArrayAttr([PrecisionAttr(w) for w in words])
            else:
                parser.raise_error(
                    f"expected batching_dims, contracting_dims or precision, found {word}", place
                )
        properties["dot_dimension_numbers"] = DotAttr.of(fields)
        attributes = parser.parse_optional_attr_dict()
        values, results = parse_types(parser, operands, place)
        return cls.create(
            operands=values, result_types=results, properties=properties, attributes=attributes
        )

    @override
    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_operand)
        for kind, (left, right) in (
            ("batching", self.batching),
            ("contracting", self.contracting),
        ):
            if left or kind == "contracting":
                printer.print_string(f", {kind}_dims = {list(left)} x {list(right)}")
        if self.precision_config is not None:
            words = ", ".join(p.data for p in self.precision_config)
            printer.print_string(f", precision = [{words}]")
        printer.print_op_attributes(self.attributes)
        print_types(self, printer)

    @override
    def verify_(self) -> None:
        shapes = shape_of(self.lhs), shape_of(self.rhs)
        found = f"found {format_shape(shapes[0])} and {format_shape(shapes[1])}"
        for kind, (left, right) in (
            ("batching", self.batching),
            ("contracting", self.contracting),
        ):
            inside = all(
                d in range(len(s))
                for dims, s in zip((left, right), shapes, strict=True)
                for d in dims
            )
            if len(left) != len(right) or not inside:
                raise VerifyException(f"{self.name} expects as many {kind} dims of both, {found}")
            a, b = (
                tuple(s[d] for d in dims) for dims, s in zip((left, right), shapes, strict=True)
            )
            if not compatible(a, b):
                raise VerifyException(f"{self.name} expects {kind} dims of equal sizes, {found}")
        if not compatible(self.inferred, shape_of(self.result)):
            raise VerifyException(
                f"{self.name} expects a result of shape {format_shape(self.inferred)}, "
                f"found {format_shape(shape_of(self.result))}"
            )

    @property
    def inferred(self) -> Shape:
        """The result's shape, from the shapes of the operands."""
        left, right = shape_of(self.lhs), shape_of(self.rhs)
        return (
            *(left[d] for d in self.batching[0]),
            *(left[d] for d in self.free[0]),
            *(right[d] for d in self.free[1]),
        )


OPS = [DotGeneralOp]
