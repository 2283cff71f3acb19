"""`snippets.concat`: tensors one after the other along a dim.

    %2 = snippets.concat %0, %1 {axis = 1 : i64} :
         (tensor<4x8xf32>, tensor<4x16xf32>) -> tensor<4x24xf32>

In a kernel it ends the computation: each operand has its own loops, and is stored into its part of
the single output (`lir.part`). Source: `numpy.concatenate`, ONNX Concat, `stablehlo.concatenate`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from typing_extensions import override
from xdsl.dialects.builtin import IntegerAttr, TensorType, i64
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, result_def, var_operand_def
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.builtin.dims import Dim, Shape
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of, tensor_type
from snippets_mlir.dialects.snippets.base import BOOL, FLOAT, INTEGER
from snippets_mlir.dialects.snippets.pattern_kinds import PatternKind
from snippets_mlir.dialects.snippets.record import OpRecord, value_in
from snippets_mlir.dialects.snippets.shapes import DYNAMIC, compatible, format_shape
from snippets_mlir.dialects.snippets.whole_tensor import AxisOp, verify_axes

MAX_PARTS = 16
"""Largest number of parts of a concat in one kernel: concats are not merged into longer ones."""


@irdl_op_definition
class ConcatOp(AxisOp):
    """The operands one after the other along `axis`; their other dims are equal."""

    name = "snippets.concat"
    ELEMENT_KINDS: ClassVar = (FLOAT, INTEGER, BOOL)
    parts = var_operand_def(TensorType)
    result = result_def(TensorType)

    def __init__(self, parts: Sequence[SSAValue], axis: int) -> None:
        """`axis` counts from the first dim; VerifyException (C7, C9) if the parts do not fit."""
        shapes = [shape_of(part) for part in parts]
        verify_axes(self.name, [axis], len(shapes[0]))
        verify_parts(shapes, axis)
        shape = joined(shapes, axis)
        super().__init__(
            operands=[parts],
            result_types=[tensor_type(tensor_of(parts[0]).element_type, shape)],
            properties={"axis": IntegerAttr(axis, i64)},
        )

    @property
    def starts(self) -> tuple[Dim, ...]:
        """Where each operand begins along the axis."""
        starts: list[Dim] = [0]
        for part in self.parts[:-1]:
            starts.append(starts[-1] + shape_of(part)[self.axis])
        return tuple(starts)

    @override
    def verify_elements(self) -> None:
        if not self.parts:
            raise VerifyException(f"C4: {self.name} expects an operand")
        super().verify_elements()

    def verify_attributes(self) -> None:
        """The axis is a dim (C7)."""
        verify_axes(self.name, [self.axis], len(shape_of(self.parts[0])))

    @override
    def verify_parameters(self) -> None:
        verify_parts([shape_of(part) for part in self.parts], self.axis)

    @override
    def infer_shape(self, shapes: Sequence[Shape]) -> Shape:
        """Sizes along the axis add up; other sizes come from the first operand that knows them."""
        return joined(shapes, self.axis)


def others(shape: Shape, axis: int) -> Shape:
    """The sizes of all dims except `axis`."""
    return (*shape[:axis], *shape[axis + 1 :])


def verify_parts(shapes: Sequence[Shape], axis: int) -> None:
    """VerifyException (C9) unless the shapes are equal in all dims but the axis."""
    first = others(shapes[0], axis)
    same = (len(s) == len(first) + 1 and compatible(others(s, axis), first) for s in shapes)
    if not all(same):
        found = ", ".join(map(format_shape, shapes))
        raise VerifyException(
            f"C9: {ConcatOp.name} expects operands of equal sizes in all dims but {axis}, "
            f"found {found}"
        )


def joined(shapes: Sequence[Shape], axis: int) -> Shape:
    """The shape of a concat of parts that fit."""
    rest = zip(*(others(shape, axis) for shape in shapes), strict=True)
    known = [next((size for size in sizes if size != DYNAMIC), DYNAMIC) for sizes in rest]
    along = [shape[axis] for shape in shapes]
    total: Dim = DYNAMIC if DYNAMIC in along else sum(along[1:], start=along[0])
    return (*known[:axis], total, *known[axis:])


RECORDS = (
    OpRecord(
        ConcatOp,
        value=value_in("conversion:concat"),
        moves=True,
        patterns=("concats:FlattenConcat",),
        relay=PatternKind.INJECTIVE,
        relax=PatternKind.INJECTIVE,
    ),
)
