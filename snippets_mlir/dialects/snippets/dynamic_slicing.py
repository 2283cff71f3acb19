"""Slices at positions that are known only at run time."""

from __future__ import annotations

from collections.abc import Sequence

from typing_extensions import override
from xdsl.dialects.builtin import DenseArrayBase, TensorType, i64
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, result_def, var_operand_def
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.builtin.dims import Dim, Shape, known_less
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of, tensor_type
from snippets_mlir.dialects.snippets.gathering import PlacesOp
from snippets_mlir.dialects.snippets.pattern_kinds import PatternKind
from snippets_mlir.dialects.snippets.record import OpRecord, value_in
from snippets_mlir.dialects.snippets.shapes import DYNAMIC, format_shape
from snippets_mlir.dialects.snippets.whole_tensor import AxesOp, verify_axes


@irdl_op_definition
class DynamicSliceOp(PlacesOp, AxesOp):
    """The elements from `starts` on along `axes`, as many as the result has; other dims are whole.

    Starts are clamped so that the slice is inside the operand.
    """

    name = "snippets.dynamic_slice"
    operand = operand_def(TensorType)
    starts = var_operand_def(TensorType)
    result = result_def(TensorType)

    def __init__(
        self,
        operand: SSAValue | Operation,
        starts: Sequence[SSAValue],
        axes: Sequence[int],
        sizes: Sequence[Dim],
    ) -> None:
        """`starts` are tensors of rank 0, one for each of `axes`; `sizes` are the result's sizes.

        Axes are rising, and not negative.
        """
        super().__init__(
            operands=[operand, starts],
            result_types=[tensor_type(tensor_of(operand).element_type, sizes)],
            properties={"axes": DenseArrayBase.from_list(i64, axes)},
        )

    @property
    @override
    def read_shape(self) -> Shape:
        return shape_of(self.result)

    @property
    @override
    def moved(self) -> tuple[int, ...]:
        return self.axes

    def infer_shape(self, shapes: Sequence[Shape]) -> Shape:
        """The result's sizes along the axes, the operand's sizes elsewhere."""
        own = shape_of(self.result)
        return tuple(own[dim] if dim in self.axes else size for dim, size in enumerate(shapes[0]))

    @override
    def room(self) -> Sequence[Dim]:
        shape, own = shape_of(self.operand), shape_of(self.result)
        return [shape[a] - own[a] for a in self.axes if DYNAMIC not in (shape[a], own[a])]

    def verify_attributes(self) -> None:
        """A start of rank 0 for each axis, and a result that fits the operand (C7)."""
        shape, own = shape_of(self.operand), shape_of(self.result)
        verify_axes(self.name, self.axes, len(shape))
        if len(self.starts) != len(self.axes) or any(shape_of(v) for v in self.starts):
            found = ", ".join(format_shape(shape_of(v)) for v in self.starts)
            raise VerifyException(
                f"C7: {self.name} expects a start of rank 0 for each of its {len(self.axes)} axes, "
                f"found {found or 'none'}"
            )
        if len(own) != len(shape) or any(_is_larger(own[a], shape[a]) for a in self.axes):
            raise VerifyException(
                f"C7: {self.name} expects a result within {format_shape(shape)}, found "
                f"{format_shape(own)}"
            )


def _is_larger(size: Dim, whole: Dim) -> bool:
    return DYNAMIC not in (size, whole) and known_less(whole, size) is True


RECORDS = (
    OpRecord(
        DynamicSliceOp,
        value=value_in("gathering:dynamic_slice"),
        moves=True,
        relay=PatternKind.INJECTIVE,
        relax=PatternKind.INJECTIVE,
        patterns=("gathers:WidenPlaces", "gathers:KnownSlice"),
    ),
)
