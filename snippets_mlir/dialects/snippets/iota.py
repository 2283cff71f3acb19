"""Numbers that count along a dim.

%0 = snippets.iota {dim = 1 : i64} : tensor<4x8xi32>

`canonicalize` turns it into a broadcast of an iota whose other dims have size 1. That iota folds to
a constant of at most `MOST_FOLDED` numbers; with more numbers it runs in NumPy. Source:
`stablehlo.iota`.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import ClassVar

from typing_extensions import override
from xdsl.dialects.builtin import I64, IntegerAttr, TensorType, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, prop_def, result_def
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.builtin.dims import Shape, static_shape
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of
from snippets_mlir.dialects.builtin.size_facts import has_symbols
from snippets_mlir.dialects.snippets.base import FLOAT, INTEGER
from snippets_mlir.dialects.snippets.pattern_kinds import PatternKind
from snippets_mlir.dialects.snippets.record import OpRecord, value_in
from snippets_mlir.dialects.snippets.shapes import format_shape, is_static
from snippets_mlir.dialects.snippets.whole_tensor import WholeTensorOp, verify_axes

MOST_FOLDED = 1 << 16
"""The most numbers of the constant that an iota folds to."""


@irdl_op_definition
class IotaOp(WholeTensorOp):
    """0, 1, 2, ... along `dim`, rounded to floats; integers that the type cannot represent wrap."""

    name = "snippets.iota"
    ELEMENT_KINDS: ClassVar = (FLOAT, INTEGER)
    WITHOUT_KERNEL: ClassVar = f"an iota of more than {MOST_FOLDED} numbers becomes no constant"
    dim_attr = prop_def(IntegerAttr[I64], prop_name="dim")
    result = result_def(TensorType)

    def __init__(self, type: TensorType[Attribute], dim: int) -> None:
        super().__init__(result_types=[type], properties={"dim": IntegerAttr(dim, i64)})

    @property
    def dim(self) -> int:
        """The dim along which numbers grow."""
        return self.dim_attr.value.data

    @property
    @override
    def joined_operands(self) -> Sequence[SSAValue]:
        """The result, whose element type is the type of the op."""
        return (self.result,)

    def infer_shape(self, shapes: Sequence[Shape]) -> Shape:
        """The shape of the type."""
        return shape_of(self.result)

    def verify_attributes(self) -> None:
        """Check that the type has static sizes (C1) and the dim (C7)."""
        shape = shape_of(self.result)
        if not is_static(shape) or has_symbols(shape):
            raise VerifyException(
                f"C1: {self.name} expects a static shape, found {format_shape(shape)}"
            )
        verify_axes(self.name, [self.dim], len(shape))

    @override
    def fold(self) -> Sequence[SSAValue | Attribute] | None:
        """The numbers, if they are at most `MOST_FOLDED` and are not repeated."""
        shape = static_shape(shape_of(self.result))
        if not prod(shape) == shape[self.dim] <= MOST_FOLDED:
            return None
        from snippets_mlir.dialects.snippets.values.evaluate import dense_attr, evaluate

        return (dense_attr(evaluate(self, []), tensor_of(self.result)),)


RECORDS = (
    OpRecord(
        IotaOp,
        value=value_in("sequences:iota"),
        relay=PatternKind.INJECTIVE,
        relax=PatternKind.INJECTIVE,
        patterns=("iotas:RepeatIota",),
    ),
)
