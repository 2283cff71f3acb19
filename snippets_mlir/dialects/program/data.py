"""Values of a graph that need no computation: constants, and views of a value in another shape.

%w = program.data "c0.w" #snippets.resource<"m.onnx", "c0.w", "ab12"> : tensor<64x3xf32>
%b = program.data "c0.b" dense<0.0> : tensor<64xf32>
%p = program.data "c1.w" #snippets.panels<dense<1.0> : tensor<4x20xf32>, width 16>
     : tensor<2x4x16xf32>
%v = program.view "flat" (%x) : tensor<4x16xf32> -> tensor<64xf32>
%u = program.view "rows" (%y) dims [0, -1] : tensor<?xf32> -> tensor<?x1xf32>
"""

from __future__ import annotations

from collections.abc import Sequence

from typing_extensions import override
from xdsl.dialects.builtin import (
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    IntegerType,
    StringAttr,
    TensorType,
    i64,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    lazy_traits_def,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import ConstantLike, Pure
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.builtin.dims import Shape, product
from snippets_mlir.dialects.builtin.op_class import Op
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of
from snippets_mlir.dialects.program.attributes import in_graph
from snippets_mlir.dialects.snippets.attributes import PanelsAttr, ResourceAttr
from snippets_mlir.dialects.snippets.constants import Dense, parse_constant, print_constant
from snippets_mlir.dialects.snippets.panels import panels_type
from snippets_mlir.dialects.snippets.shapes import is_static, with_elements_of


@irdl_op_definition
class DataOp(Op):
    """A constant, written in place, named by reference or packed; all networks share it."""

    name = "program.data"
    id = prop_def(StringAttr)
    value = prop_def(DenseIntOrFPElementsAttr | ResourceAttr | PanelsAttr)
    result = result_def(TensorType)
    traits = lazy_traits_def(lambda: (Pure(), ConstantLike(), in_graph()))

    def __init__(self, id: str, value: Dense | ResourceAttr | PanelsAttr, type: Attribute) -> None:
        super().__init__(result_types=[type], properties={"id": StringAttr(id), "value": value})

    @classmethod
    def parse(cls, parser: Parser) -> DataOp:
        """Parse `"id" value : type`."""
        id_ = parser.parse_str_literal()
        value, type_, attributes = parse_constant(parser)
        return cls.create(
            result_types=[type_],
            properties={"id": StringAttr(id_), "value": value},
            attributes=attributes,
        )

    @override
    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_string_literal(self.id.data)
        print_constant(printer, self.value, self.result.type, self.attributes)

    def verify_(self) -> None:
        """Check that the type is static and equals the value's type."""
        type_ = tensor_of(self.result)
        if not is_static(shape_of(type_)):
            raise VerifyException(f'program.data "{self.id.data}": a dynamic shape: {type_}')
        if isinstance(self.value, DenseIntOrFPElementsAttr) and self.value.type != type_:
            raise VerifyException(
                f'program.data "{self.id.data}": expected the type of its value, '
                f"{self.value.type}, found {type_}"
            )
        if isinstance(self.value, PanelsAttr) and panels_type(self.value) != type_:
            raise VerifyException(
                f'program.data "{self.id.data}": expected panels of {panels_type(self.value)}, '
                f"found {type_}"
            )


@irdl_op_definition
class ViewOp(Op):
    """The same elements under another shape: it runs nothing and owns no memory.

    For each dim of the result, `dims` has the dim of the operand with the same size, or -1 if the
    type states the size. Without `dims`, the type leaves at most one size open.
    """

    name = "program.view"
    id = prop_def(StringAttr)
    operand = operand_def(TensorType)
    dims = opt_prop_def(DenseArrayBase[IntegerType])
    result = result_def(TensorType)
    traits = lazy_traits_def(lambda: (Pure(), in_graph()))

    def __init__(
        self, id: str, operand: SSAValue, type: Attribute, dims: Sequence[int] | None = None
    ) -> None:
        super().__init__(
            operands=[operand],
            result_types=[type],
            properties={
                "id": StringAttr(id),
                "dims": None if dims is None else DenseArrayBase.from_list(i64, dims),
            },
        )

    @property
    def source_dims(self) -> tuple[int, ...] | None:
        """`dims` as Python integers."""
        return None if self.dims is None else tuple(map(int, self.dims.get_values()))

    def infer_shape(self, source: Shape) -> Shape:
        """The shape of the result for an operand of shape `source`, if it determines the shape."""
        target = shape_of(self.result)
        if (dims := self.source_dims) is not None:
            return tuple(
                size if dim < 0 else source[dim] for size, dim in zip(target, dims, strict=True)
            )
        return with_elements_of(source, target)

    @classmethod
    def parse(cls, parser: Parser) -> ViewOp:
        """Parse `"id" (%x) dims [...] : type -> type`."""
        id_ = parser.parse_str_literal()
        pos = parser.pos
        with parser.in_parens():
            operand = parser.parse_unresolved_operand()
        dims = None
        if parser.parse_optional_keyword("dims"):
            dims = parser.parse_comma_separated_list(
                parser.Delimiter.SQUARE, lambda: parser.parse_integer(allow_boolean=False)
            )
        attributes = parser.parse_optional_attr_dict_with_keyword()
        parser.parse_punctuation(":")
        source = parser.parse_type()
        parser.parse_punctuation("->")
        (value,) = parser.resolve_operands([operand], [source], pos)
        op = cls(id_, value, parser.parse_type(), dims)
        op.attributes.update(attributes.data if attributes else {})
        return op

    @override
    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_string_literal(self.id.data)
        printer.print_string(" (")
        printer.print_operand(self.operand)
        printer.print_string(")")
        if (dims := self.source_dims) is not None:
            printer.print_string(f" dims {list(dims)}")
        printer.print_op_attributes(self.attributes, print_keyword=True)
        printer.print_string(" : ")
        printer.print_attribute(self.operand.type)
        printer.print_string(" -> ")
        printer.print_attribute(self.result.type)

    def verify_(self) -> None:
        """Both types have the same elements, and `dims` names a dim or -1 for each dim."""
        source, target = tensor_of(self.operand), tensor_of(self.result)
        if source.element_type != target.element_type:
            raise VerifyException(
                f'program.view "{self.id.data}": expected {source.element_type}, found {target}'
            )
        shapes = shape_of(source), shape_of(target)
        if all(map(is_static, shapes)) and product(shapes[0]) != product(shapes[1]):
            raise VerifyException(
                f'program.view "{self.id.data}": expected as many elements as {source} has, '
                f"found {target}"
            )
        dims = self.source_dims
        if dims is not None and (
            len(dims) != len(shapes[1]) or any(not -1 <= d < len(shapes[0]) for d in dims)
        ):
            raise VerifyException(
                f'program.view "{self.id.data}": expected in dims a dim of {source}, or -1, for '
                f"each dim of {target}, found {list(dims)}"
            )
