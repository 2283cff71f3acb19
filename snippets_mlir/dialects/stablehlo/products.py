"""Products of StableHLO: `dot_general`, and the convolution, which is only parsed and printed.

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
    DenseArrayBase,
    DenseIntElementsAttr,
    DenseIntOrFPElementsAttr,
    FunctionType,
    IntegerAttr,
    TensorType,
    i1,
    i64,
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
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.builtin.dims import Shape
from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.snippets.shapes import compatible, format_shape
from snippets_mlir.dialects.stablehlo.attributes import ConvAttr, DotAttr, PrecisionAttr

_T = TypeVar("_T")
_WINDOW = ("stride", "pad", "lhs_dilate", "rhs_dilate", "reverse")


def parse_list(parser: Parser, item: Callable[[], _T]) -> list[_T]:
    """Parse `[item, ...]`."""
    return parser.parse_comma_separated_list(parser.Delimiter.SQUARE, item)


def _parse_types(
    parser: Parser, unresolved: Sequence[Parser.UnresolvedOperand], place: int
) -> tuple[Sequence[SSAValue], Sequence[Attribute]]:
    """Parse `: function-type`; the operands and the types of the results."""
    parser.parse_punctuation(":")
    types = parser.parse_type()
    if not isinstance(types, FunctionType):
        parser.raise_error("expected a function type", place)
    return parser.resolve_operands(unresolved, types.inputs.data, place), types.outputs.data


def _print_types(op: IRDLOperation, printer: Printer) -> None:
    printer.print_string(" : ")
    ins, outs = [v.type for v in op.operands], [v.type for v in op.results]
    printer.print_attribute(FunctionType.from_lists(ins, outs))


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
        """Parse the text of the module docstring; the batching dims and the precision may lack."""
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
        values, results = _parse_types(parser, operands, place)
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
        if self.attributes:
            printer.print_string(" ")
            printer.print_attr_dict(self.attributes)
        _print_types(self, printer)

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
        """The result's shape by the operands'."""
        left, right = shape_of(self.lhs), shape_of(self.rhs)
        return (
            *(left[d] for d in self.batching[0]),
            *(left[d] for d in self.free[0]),
            *(right[d] for d in self.free[1]),
        )


@irdl_op_definition
class ConvolutionOp(IRDLOperation):
    """A convolution."""

    name = "stablehlo.convolution"
    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    dimension_numbers = prop_def(ConvAttr)
    window_strides = opt_prop_def(DenseArrayBase.constr(i64))
    padding = opt_prop_def(DenseIntElementsAttr)
    lhs_dilation = opt_prop_def(DenseArrayBase.constr(i64))
    rhs_dilation = opt_prop_def(DenseArrayBase.constr(i64))
    window_reversal = opt_prop_def(DenseArrayBase.constr(i1))
    feature_group_count = prop_def(IntegerAttr.constr(i64))
    batch_group_count = prop_def(IntegerAttr.constr(i64))
    precision_config = opt_prop_def(ArrayAttr[PrecisionAttr])
    result = result_def(TensorType)
    traits = traits_def(Pure())

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Parse `(%x, %w) dim_numbers = ..., window = {...} {...} : function-type`."""
        place = parser.pos
        operands = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, parser.parse_unresolved_operand
        )
        parser.parse_keyword("dim_numbers")
        parser.parse_punctuation("=")
        properties: dict[str, Attribute] = {
            "dimension_numbers": ConvAttr(ConvAttr.parse_roles(parser))
        }
        parser.parse_punctuation(",")
        parser.parse_keyword("window")
        parser.parse_punctuation("=")
        parser.parse_comma_separated_list(
            parser.Delimiter.BRACES, lambda: properties.update(_parse_window(parser))
        )
        known = cls.get_irdl_definition().properties
        attributes = parser.parse_optional_attr_dict()
        properties.update({k: attributes.pop(k) for k in list(attributes) if k in known})
        values, results = _parse_types(parser, operands, place)
        return cls.create(
            operands=values, result_types=results, properties=properties, attributes=attributes
        )

    @override
    def print(self, printer: Printer) -> None:
        printer.print_string("(")
        printer.print_list(self.operands, printer.print_operand)
        printer.print_string(f") dim_numbers = {self.dimension_numbers.text}, window = {{")
        lists = (
            ("stride", self.window_strides),
            ("pad", self.padding),
            ("lhs_dilate", self.lhs_dilation),
            ("rhs_dilate", self.rhs_dilation),
            ("reverse", self.window_reversal),
        )
        shown = (f"{word} = {_window_text(a)}" for word, a in lists if a is not None)
        printer.print_string(", ".join(shown) + "} ")
        rest: dict[str, Attribute] = {
            "batch_group_count": self.batch_group_count,
            "feature_group_count": self.feature_group_count,
        }
        if self.precision_config is not None:
            rest["precision_config"] = self.precision_config
        printer.print_attr_dict({**rest, **self.attributes})
        _print_types(self, printer)


def _parse_window(parser: Parser) -> dict[str, Attribute]:
    """Parse `stride = [1, 1]`, `pad = [[0, 0], [1, 1]]` or `reverse = [false]`; the property."""
    place = parser.pos
    word = parser.parse_identifier()
    parser.parse_punctuation("=")
    match word:
        case "pad":
            pairs = parse_list(parser, lambda: parse_list(parser, parser.parse_integer))
            if any(len(pair) != 2 for pair in pairs):
                parser.raise_error("expected pairs of amounts", place)
            type_ = TensorType(i64, [len(pairs), 2])
            numbers = [number for pair in pairs for number in pair]
            return {"padding": DenseIntOrFPElementsAttr.from_list(type_, numbers)}
        case "reverse":
            flags = parse_list(parser, parser.parse_boolean)
            return {"window_reversal": DenseArrayBase.from_list(i1, [int(f) for f in flags])}
        case "stride" | "lhs_dilate" | "rhs_dilate":
            name = "window_strides" if word == "stride" else f"{word.removesuffix('e')}ion"
            numbers = parse_list(parser, parser.parse_integer)
            return {name: DenseArrayBase.from_list(i64, numbers)}
        case _:
            parser.raise_error(f"expected {', '.join(_WINDOW)}, found {word}", place)


def _window_text(value: Attribute) -> str:
    if isinstance(value, DenseIntOrFPElementsAttr):
        numbers = [int(number) for number in value.get_values()]
        return str([numbers[i : i + 2] for i in range(0, len(numbers), 2)])
    assert isinstance(value, DenseArrayBase)
    if value.elt_type == i1:
        return "[" + ", ".join("true" if flag else "false" for flag in value.get_values()) + "]"
    return str(list(value.get_values()))


OPS = [ConvolutionOp, DotGeneralOp]
