"""Ops of StableHLO that move elements: constants, broadcasts, reshapes, slices, gathers.

    %c = stablehlo.constant dense<0.5> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
    %2 = stablehlo.slice %1 [0:4:2, 1:8] : (tensor<4x8xf32>) -> tensor<2x7xf32>

Verifiers check the shapes that rewrites and values rely on. Source: the StableHLO specification.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar, Self

from typing_extensions import override
from xdsl.dialects.builtin import (
    BoolAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    FunctionType,
    IntegerAttr,
    TensorType,
    i64,
)
from xdsl.ir import Attribute
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import ConstantLike, Pure
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.builtin.dims import Dim
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of
from snippets_mlir.dialects.snippets.constants import parse_constant, print_constant
from snippets_mlir.dialects.snippets.shapes import DYNAMIC, compatible, format_shape
from snippets_mlir.dialects.stablehlo.attributes import GatherAttr

_DIMS = DenseArrayBase.constr(i64)
_TYPES = "functional-type(operands, results)"


def _expect(op: IRDLOperation, expected: Sequence[Dim] | None, why: str) -> None:
    """VerifyException unless the result has the shape `expected`; None: the attributes misfit."""
    found = shape_of(op.results[0])
    if expected is None or not compatible(tuple(expected), found):
        inner = ", ".join(format_shape(shape_of(v)) for v in op.operands)
        shape = "" if expected is None else f"{format_shape(tuple(expected))}, "
        raise VerifyException(
            f"{op.name} expects {why}: {shape}found {format_shape(found)} of {inner}"
        )


@irdl_op_definition
class ConstantOp(IRDLOperation):
    """A constant tensor."""

    name = "stablehlo.constant"
    value = prop_def(DenseIntOrFPElementsAttr)
    output = result_def(TensorType)
    traits = traits_def(Pure(), ConstantLike())

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Parse `dense<...> : type {attributes}`."""
        place = parser.pos
        value, type_, attributes = parse_constant(parser)
        if not isinstance(value, DenseIntOrFPElementsAttr):
            parser.raise_error("expected dense<...>; elements by reference are not read", place)
        properties: dict[str, Attribute] = {"value": value}
        return cls.create(result_types=[type_], properties=properties, attributes=attributes)

    @override
    def print(self, printer: Printer) -> None:
        print_constant(printer, self.value, self.output.type, self.attributes)


@irdl_op_definition
class IotaOp(IRDLOperation):
    """Each element is its index along a dim."""

    name = "stablehlo.iota"
    iota_dimension = prop_def(IntegerAttr.constr(i64))
    output = result_def(TensorType)
    traits = traits_def(Pure())
    assembly_format = "`dim` `=` $iota_dimension attr-dict `:` type($output)"

    @property
    def dim(self) -> int:
        """The dim that is counted."""
        return self.iota_dimension.value.data

    @override
    def verify_(self) -> None:
        if self.dim not in range(len(shape_of(self.output))):
            _expect(self, None, f"a dim of the result, not {self.dim}")


class _TailedOp(IRDLOperation, ABC):
    """An op that is written `%a, %b, word = value {attributes} : type`.

    `WORD` is the word, `TAIL` the property that it names: a list of dims, or one of them.
    """

    WORD: ClassVar[str]
    TAIL: ClassVar[str]
    ONE: ClassVar[bool] = False

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Parse the text above; one type is that of the operand and of the result."""
        place = parser.pos
        operands: list[Parser.UnresolvedOperand] = []
        while (operand := parser.parse_optional_unresolved_operand()) is not None:
            operands.append(operand)
            parser.parse_punctuation(",")
        parser.parse_keyword(cls.WORD)
        parser.parse_punctuation("=")
        value: Attribute
        if cls.ONE:
            value = IntegerAttr(parser.parse_integer(), i64)
        else:
            dims = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer)
            value = DenseArrayBase.from_list(i64, dims)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        types = parser.parse_type()
        if not isinstance(types, FunctionType):
            types = FunctionType.from_lists([types], [types])
        return cls.create(
            operands=parser.resolve_operands(operands, types.inputs.data, place),
            result_types=types.outputs.data,
            properties={cls.TAIL: value},
            attributes=attributes,
        )

    @override
    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_operand)
        value = self.properties[self.TAIL]
        printer.print_string(f", {self.WORD} = ")
        if isinstance(value, IntegerAttr):
            printer.print_string(str(value.value.data))
        else:
            assert isinstance(value, DenseArrayBase)
            printer.print_string(str(list(value.get_values())))
        if self.attributes:
            printer.print_string(" ")
            printer.print_attr_dict(self.attributes)
        printer.print_string(" : ")
        self.print_types(printer)

    def print_types(self, printer: Printer) -> None:
        """Print the function type."""
        ins, outs = [v.type for v in self.operands], [v.type for v in self.results]
        printer.print_attribute(FunctionType.from_lists(ins, outs))


class _MoveOp(IRDLOperation):
    operand = operand_def(TensorType)
    output = result_def(TensorType)
    traits = traits_def(Pure())

    @property
    def shape(self) -> Sequence[Dim]:
        """The operand's shape."""
        return shape_of(self.operand)


@irdl_op_definition
class BroadcastInDimOp(_MoveOp):
    """Dim i of the operand is dim `dims[i]` of the result; sizes of 1 repeat."""

    name = "stablehlo.broadcast_in_dim"
    broadcast_dimensions = prop_def(_DIMS)
    assembly_format = f"$operand `,` `dims` `=` $broadcast_dimensions attr-dict `:` {_TYPES}"

    @property
    def dims(self) -> tuple[int, ...]:
        """The dim of the result of each dim of the operand."""
        return tuple(self.broadcast_dimensions.get_values())

    @override
    def verify_(self) -> None:
        target, dims = shape_of(self.output), self.dims
        fits = len(dims) == len(self.shape) == len(set(dims)) and all(
            dim in range(len(target)) and (size == 1 or compatible((size,), (target[dim],)))
            for dim, size in zip(dims, self.shape, strict=False)
        )
        if not fits:
            _expect(self, None, f"dims [{', '.join(map(str, dims))}] that fit the operand")


@irdl_op_definition
class ReshapeOp(_MoveOp):
    """The same elements in row-major order."""

    name = "stablehlo.reshape"
    assembly_format = f"$operand attr-dict `:` {_TYPES}"


@irdl_op_definition
class TransposeOp(_MoveOp):
    """Dim i of the result is dim `permutation[i]` of the operand."""

    name = "stablehlo.transpose"
    permutation_attr = prop_def(_DIMS, prop_name="permutation")
    assembly_format = f"$operand `,` `dims` `=` $permutation attr-dict `:` {_TYPES}"

    @property
    def permutation(self) -> tuple[int, ...]:
        """The dim of the operand of each dim of the result."""
        return tuple(self.permutation_attr.get_values())

    @override
    def verify_(self) -> None:
        permuted = None
        if sorted(self.permutation) == list(range(len(self.shape))):
            permuted = [self.shape[dim] for dim in self.permutation]
        _expect(self, permuted, "the permuted shape")


@irdl_op_definition
class ReverseOp(_TailedOp):
    """The elements along `dims` in the other order."""

    name = "stablehlo.reverse"
    WORD: ClassVar = "dims"
    TAIL: ClassVar = "dimensions"
    operand = operand_def(TensorType)
    dimensions = prop_def(_DIMS)
    output = result_def(TensorType)
    traits = traits_def(Pure())

    @override
    def print_types(self, printer: Printer) -> None:
        printer.print_attribute(self.output.type)

    @override
    def verify_(self) -> None:
        _expect(self, shape_of(self.operand), "the operand's shape")


@irdl_op_definition
class SliceOp(_MoveOp):
    """The elements from `start` to before `limit` in steps of `stride`, in each dim."""

    name = "stablehlo.slice"
    start_indices = prop_def(_DIMS)
    limit_indices = prop_def(_DIMS)
    strides = prop_def(_DIMS)

    @property
    def ranges(self) -> list[slice]:
        """The range of each dim."""
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
        parser.parse_punctuation(":")
        types = parser.parse_type()
        if not isinstance(types, FunctionType):
            parser.raise_error("expected a function type", place)
        starts, limits, strides = zip(*ranges, strict=True) if ranges else ((), (), ())
        return cls.create(
            operands=parser.resolve_operands([unresolved], types.inputs.data, place),
            result_types=types.outputs.data,
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
        if self.attributes:
            printer.print_string(" ")
            printer.print_attr_dict(self.attributes)
        printer.print_string(" : ")
        types = FunctionType.from_lists([self.operand.type], [self.output.type])
        printer.print_attribute(types)

    @override
    def verify_(self) -> None:
        lists = (self.start_indices, self.limit_indices, self.strides)
        if any(len(a) != len(self.shape) for a in lists):
            _expect(self, None, "a range for each dim of the operand")
        sizes: list[Dim] | None = []
        for r, size in zip(self.ranges, self.shape, strict=True):
            known = size if isinstance(size, int) and size != DYNAMIC else r.stop
            if not (0 <= r.start <= r.stop <= known and r.step > 0):
                sizes = None
                break
            sizes.append(len(range(r.start, r.stop, r.step)))
        _expect(self, sizes, "ranges within the operand, and a result of their sizes")


@irdl_op_definition
class PadOp(IRDLOperation):
    """The operand with a value around it and, by `interior`, between its elements.

    Negative `low` and `high` cut elements off.
    """

    name = "stablehlo.pad"
    operand = operand_def(TensorType)
    padding_value = operand_def(TensorType)
    edge_padding_low = prop_def(_DIMS)
    edge_padding_high = prop_def(_DIMS)
    interior_padding = prop_def(_DIMS)
    output = result_def(TensorType)
    traits = traits_def(Pure())
    assembly_format = (
        "$operand `,` $padding_value `,` `low` `=` $edge_padding_low `,` `high` `=` "
        "$edge_padding_high `,` `interior` `=` $interior_padding attr-dict `:` "
        f"{_TYPES}"
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
            _expect(self, None, "three amounts for each dim, of which interior is not negative")
        _expect(
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
class ConcatenateOp(_TailedOp):
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
            _expect(self, None, f"operands with a dim {self.dim}")
        rest = [(*s[: self.dim], *s[self.dim + 1 :]) for s in shapes]
        if any(
            len(s) != len(shapes[0]) or not compatible(r, rest[0])
            for s, r in zip(shapes, rest, strict=True)
        ):
            _expect(self, None, f"operands that differ in dim {self.dim} alone")


@irdl_op_definition
class DynamicSliceOp(_TailedOp):
    """A slice whose start is known at run time; it is moved so that it lies within the operand."""

    name = "stablehlo.dynamic_slice"
    WORD: ClassVar = "sizes"
    TAIL: ClassVar = "slice_sizes"
    operand = operand_def(TensorType)
    start_indices = var_operand_def(TensorType)
    slice_sizes = prop_def(_DIMS)
    output = result_def(TensorType)
    traits = traits_def(Pure())

    @override
    def verify_(self) -> None:
        if len(self.start_indices) != len(shape_of(self.operand)):
            _expect(self, None, "a start for each dim of the operand")
        _expect(self, tuple(self.slice_sizes.get_values()), "a result of the sizes")


@irdl_op_definition
class DynamicUpdateSliceOp(IRDLOperation):
    """The operand with `update` in place of a slice of its shape, within the operand."""

    name = "stablehlo.dynamic_update_slice"
    operand = operand_def(TensorType)
    update = operand_def(TensorType)
    start_indices = var_operand_def(TensorType)
    output = result_def(TensorType)
    traits = traits_def(Pure())
    assembly_format = f"$operand `,` $update `,` $start_indices attr-dict `:` {_TYPES}"

    @override
    def verify_(self) -> None:
        if len(self.start_indices) != len(shape_of(self.operand)):
            _expect(self, None, "a start for each dim of the operand")
        _expect(self, shape_of(self.operand), "the operand's shape")


@irdl_op_definition
class GatherOp(IRDLOperation):
    """Slices of the operand, each at a place that is a vector of the indices."""

    name = "stablehlo.gather"
    operand = operand_def(TensorType)
    start_indices = operand_def(TensorType)
    dimension_numbers = prop_def(GatherAttr)
    slice_sizes = prop_def(_DIMS)
    indices_are_sorted = opt_prop_def(BoolAttr)
    output = result_def(TensorType)
    traits = traits_def(Pure())

    @override
    def verify_(self) -> None:
        if len(self.slice_sizes) != len(shape_of(self.operand)):
            _expect(self, None, "a slice size for each dim of the operand")
        if tensor_of(self.output).element_type != tensor_of(self.operand).element_type:
            _expect(self, None, "a result of the operand's element type")


OPS = [
    BroadcastInDimOp,
    ConcatenateOp,
    ConstantOp,
    DynamicSliceOp,
    DynamicUpdateSliceOp,
    GatherOp,
    IotaOp,
    PadOp,
    ReshapeOp,
    ReverseOp,
    SliceOp,
    TransposeOp,
]
