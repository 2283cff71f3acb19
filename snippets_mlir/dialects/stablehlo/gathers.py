"""Ops of StableHLO that take or replace parts of tensors at positions known only at run time.

    %1 = stablehlo.dynamic_slice %x, %i, %j, sizes = [1, 8]
         : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<1x8xf32>

A gather is written in the generic form. Source: the StableHLO specification.
"""

from __future__ import annotations

from typing import ClassVar

from typing_extensions import override
from xdsl.dialects.builtin import (
    BoolAttr,
    TensorType,
)
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
from xdsl.traits import Pure

from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of
from snippets_mlir.dialects.stablehlo.attributes import GatherAttr
from snippets_mlir.dialects.stablehlo.movement import DIMS, TYPES, expect_shape
from snippets_mlir.dialects.stablehlo.tailed import TailedOp


@irdl_op_definition
class DynamicSliceOp(TailedOp):
    """A slice whose start is known at run time; it is clamped into the operand."""

    name = "stablehlo.dynamic_slice"
    WORD: ClassVar = "sizes"
    TAIL: ClassVar = "slice_sizes"
    operand = operand_def(TensorType)
    start_indices = var_operand_def(TensorType)
    slice_sizes = prop_def(DIMS)
    output = result_def(TensorType)
    traits = traits_def(Pure())

    @override
    def verify_(self) -> None:
        if len(self.start_indices) != len(shape_of(self.operand)):
            expect_shape(self, None, "a start for each dim of the operand")
        expect_shape(self, tuple(self.slice_sizes.get_values()), "a result of the sizes")


@irdl_op_definition
class DynamicUpdateSliceOp(IRDLOperation):
    """The operand with `update` in place of a slice of its shape, within the operand."""

    name = "stablehlo.dynamic_update_slice"
    operand = operand_def(TensorType)
    update = operand_def(TensorType)
    start_indices = var_operand_def(TensorType)
    output = result_def(TensorType)
    traits = traits_def(Pure())
    assembly_format = f"$operand `,` $update (`,` $start_indices^)? attr-dict `:` {TYPES}"

    @override
    def verify_(self) -> None:
        if len(self.start_indices) != len(shape_of(self.operand)):
            expect_shape(self, None, "a start for each dim of the operand")
        expect_shape(self, shape_of(self.operand), "the operand's shape")


@irdl_op_definition
class GatherOp(IRDLOperation):
    """Slices of the operand, each at a place given by a vector of the indices."""

    name = "stablehlo.gather"
    operand = operand_def(TensorType)
    start_indices = operand_def(TensorType)
    dimension_numbers = prop_def(GatherAttr)
    slice_sizes = prop_def(DIMS)
    indices_are_sorted = opt_prop_def(BoolAttr)
    output = result_def(TensorType)
    traits = traits_def(Pure())

    @override
    def verify_(self) -> None:
        if len(self.slice_sizes) != len(shape_of(self.operand)):
            expect_shape(self, None, "a slice size for each dim of the operand")
        if tensor_of(self.output).element_type != tensor_of(self.operand).element_type:
            expect_shape(self, None, "a result of the operand's element type")


OPS = [DynamicSliceOp, DynamicUpdateSliceOp, GatherOp]
