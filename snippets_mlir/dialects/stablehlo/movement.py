"""Ops of StableHLO that move elements: constants, broadcasts, reshapes, slices, gathers.

    %c = stablehlo.constant dense<0.5> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
    %2 = stablehlo.slice %1 [0:4:2, 1:8] : (tensor<4x8xf32>) -> tensor<2x7xf32>

Verifiers check the shapes that rewrites and values rely on. Source: the StableHLO specification.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import Self

from typing_extensions import override
from xdsl.dialects.builtin import (
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    TensorType,
    i64,
)
from xdsl.ir import Attribute
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import ConstantLike, Pure
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.builtin.dims import Dim
from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.snippets.constants import parse_constant, print_constant
from snippets_mlir.dialects.snippets.shapes import compatible, format_shape

DIMS = DenseArrayBase.constr(i64)
TYPES = "functional-type(operands, results)"


def expect_shape(op: IRDLOperation, expected: Sequence[Dim] | None, why: str) -> None:
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
    """A tensor of constant elements."""

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
        """The dim along which elements count from 0."""
        return self.iota_dimension.value.data

    @override
    def verify_(self) -> None:
        if self.dim not in range(len(shape_of(self.output))):
            expect_shape(self, None, f"a dim of the result, not {self.dim}")


class MoveOp(IRDLOperation, ABC):
    """An op whose result holds elements of its operand."""

    operand = operand_def(TensorType)
    output = result_def(TensorType)
    traits = traits_def(Pure())

    @property
    def shape(self) -> Sequence[Dim]:
        """The sizes of the operand, `DYNAMIC` for unknown sizes."""
        return shape_of(self.operand)


@irdl_op_definition
class BroadcastInDimOp(MoveOp):
    """Dim i of the operand is dim `dims[i]` of the result; sizes of 1 repeat."""

    name = "stablehlo.broadcast_in_dim"
    broadcast_dimensions = prop_def(DIMS)
    assembly_format = f"$operand `,` `dims` `=` $broadcast_dimensions attr-dict `:` {TYPES}"

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
            expect_shape(self, None, f"dims [{', '.join(map(str, dims))}] that fit the operand")


@irdl_op_definition
class ReshapeOp(MoveOp):
    """The same elements in row-major order."""

    name = "stablehlo.reshape"
    assembly_format = f"$operand attr-dict `:` {TYPES}"


@irdl_op_definition
class TransposeOp(MoveOp):
    """Dim i of the result is dim `permutation[i]` of the operand."""

    name = "stablehlo.transpose"
    permutation_attr = prop_def(DIMS, prop_name="permutation")
    assembly_format = f"$operand `,` `dims` `=` $permutation attr-dict `:` {TYPES}"

    @property
    def permutation(self) -> tuple[int, ...]:
        """The dim of the operand of each dim of the result."""
        return tuple(self.permutation_attr.get_values())

    @override
    def verify_(self) -> None:
        permuted = None
        if sorted(self.permutation) == list(range(len(self.shape))):
            permuted = [self.shape[dim] for dim in self.permutation]
        expect_shape(self, permuted, "the permuted shape")


OPS = [
    BroadcastInDimOp,
    ConstantOp,
    IotaOp,
    ReshapeOp,
    TransposeOp,
]
