"""Ops that move elements or rename dims and compute nothing; `snippets.reshape` is one more.

Dims are counted from the outermost.

    %1 = snippets.transpose %0 {permutation = array<i64: 1, 0>} :
         (tensor<4x8xf32>) -> tensor<8x4xf32>
    %2 = snippets.squeeze %x {axes = array<i64: 0>} : (tensor<1x8xf32>) -> tensor<8xf32>
    %3 = snippets.unsqueeze %2 {axes = array<i64: 0, 2>} : (tensor<8xf32>) -> tensor<1x8x1xf32>
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar

from typing_extensions import override
from xdsl.dialects.builtin import DenseArrayBase, TensorType, i64
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.builtin.dims import Dim, Shape
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of, tensor_type
from snippets_mlir.dialects.snippets.base import BOOL, FLOAT, INTEGER
from snippets_mlir.dialects.snippets.counterparts import Engine, Onnx
from snippets_mlir.dialects.snippets.pattern_kinds import PatternKind
from snippets_mlir.dialects.snippets.record import OpRecord, value_in
from snippets_mlir.dialects.snippets.shapes import DYNAMIC, format_shape
from snippets_mlir.dialects.snippets.whole_tensor import (
    AxesOp,
    WholeTensorOp,
    normalized_axes,
    verify_axes,
)


class LayoutOp(WholeTensorOp, ABC):
    """An op whose result holds the elements of its operand, each once."""

    ELEMENT_KINDS: ClassVar = (FLOAT, INTEGER, BOOL)
    operand = operand_def(TensorType)
    result = result_def(TensorType)


def permuted(shape: Sequence[Dim], permutation: Sequence[int]) -> Shape:
    """The shape of a transpose: dim i is dim `permutation[i]` of the operand."""
    return tuple(shape[dim] for dim in permutation)


def without(shape: Sequence[Dim], axes: Sequence[int]) -> Shape:
    """`shape` without the dims `axes`."""
    return tuple(size for dim, size in enumerate(shape) if dim not in axes)


def with_ones(shape: Sequence[Dim], axes: Sequence[int]) -> Shape:
    """The shape with 1 at `axes` and the sizes of `shape` elsewhere, in their order."""
    sizes = iter(shape)
    rank = len(shape) + len(axes)
    return tuple(1 if dim in axes else next(sizes) for dim in range(rank))


@irdl_op_definition
class TransposeOp(LayoutOp):
    """Dim i of the result is dim `permutation[i]` of the operand (`numpy.transpose`)."""

    name = "snippets.transpose"
    permutation_attr = prop_def(DenseArrayBase.constr(i64), prop_name="permutation")

    def __init__(self, operand: SSAValue | Operation, permutation: Sequence[int]) -> None:
        source = tensor_of(operand)
        _verify_permutation(permutation, source.get_num_dims())
        shape = permuted(shape_of(source), permutation)
        super().__init__(
            operands=[operand],
            result_types=[tensor_type(source.element_type, shape)],
            properties={"permutation": DenseArrayBase.from_list(i64, permutation)},
        )

    @property
    def permutation(self) -> tuple[int, ...]:
        """For each dim of the result, the dim of the operand."""
        return tuple(self.permutation_attr.get_values())

    @property
    def keeps_last_dim(self) -> bool:
        """Whether neighbours along the operand's last dim are also neighbours in the result."""
        return self.permutation[-1:] == (len(self.permutation) - 1,)

    def infer_shape(self, shapes: Sequence[Shape]) -> Shape:
        """The operand's sizes in their new order."""
        return permuted(shapes[0], self.permutation)

    def verify_attributes(self) -> None:
        """`permutation` names each dim of the operand once (C7)."""
        _verify_permutation(self.permutation, len(shape_of(self.operand)))


def _verify_permutation(permutation: Sequence[int], rank: int) -> None:
    if sorted(permutation) != list(range(rank)):
        found = ", ".join(map(str, permutation)) or "none"
        raise VerifyException(
            f"C7: snippets.transpose expects a permutation of the {rank} dims of its operand, "
            f"found {found}"
        )


class _AxesOp(LayoutOp, AxesOp, ABC):
    DECOMPOSED_BY: ClassVar = "snippets-decompose-reductions"


@irdl_op_definition
class SqueezeOp(_AxesOp):
    """The operand without its dims `axes`, whose sizes are 1."""

    name = "snippets.squeeze"

    def __init__(self, operand: SSAValue | Operation, axes: Sequence[int]) -> None:
        """Negative axes count from the last dim of the operand."""
        source = tensor_of(operand)
        axes = normalized_axes(self.name, axes, source.get_num_dims())
        super().__init__(
            operands=[operand],
            result_types=[tensor_type(source.element_type, without(shape_of(source), axes))],
            properties={"axes": DenseArrayBase.from_list(i64, axes)},
        )

    @override
    def infer_shape(self, shapes: Sequence[Shape]) -> Shape:
        return without(shapes[0], self.axes)

    def verify_attributes(self) -> None:
        """Check that the axes are dims of the operand with size 1 (C7)."""
        shape = shape_of(self.operand)
        verify_axes(self.name, self.axes, len(shape))
        if any(shape[axis] not in (1, DYNAMIC) for axis in self.axes):
            raise VerifyException(
                f"C7: {self.name} expects axes of size 1, found {format_shape(shape)} "
                f"with axes {', '.join(map(str, self.axes))}"
            )


@irdl_op_definition
class UnsqueezeOp(_AxesOp):
    """The operand with inserted dims of size 1; `axes` are their places in the result."""

    name = "snippets.unsqueeze"

    def __init__(self, operand: SSAValue | Operation, axes: Sequence[int]) -> None:
        """Negative axes count from the last dim of the result."""
        source = tensor_of(operand)
        axes = normalized_axes(self.name, axes, source.get_num_dims() + len(axes))
        super().__init__(
            operands=[operand],
            result_types=[tensor_type(source.element_type, with_ones(shape_of(source), axes))],
            properties={"axes": DenseArrayBase.from_list(i64, axes)},
        )

    def infer_shape(self, shapes: Sequence[Shape]) -> Shape:
        """The operand's sizes with 1 at the axes."""
        return with_ones(shapes[0], self.axes)

    def verify_attributes(self) -> None:
        """The axes are dims of the result (C7)."""
        verify_axes(self.name, self.axes, len(shape_of(self.operand)) + len(self.axes))


def is_view(op: Operation) -> bool:
    """Whether the result has the elements of the operand in the same order."""
    return isinstance(op, LayoutOp) and not isinstance(op, TransposeOp)


def view_dims(op: LayoutOp) -> list[int | None] | None:
    """For each dim of a squeeze or unsqueeze, the dim of its source that has the same size.

    A new dim is None; only None for a reshape, which states all sizes but one.
    """
    rank, target = len(shape_of(op.operand)), len(shape_of(op.result))
    match op:
        case SqueezeOp():
            return [dim for dim in range(rank) if dim not in op.axes]
        case UnsqueezeOp():
            rest = iter(range(rank))
            return [None if dim in op.axes else next(rest) for dim in range(target)]
        case _:
            return None


RECORDS = (
    OpRecord(
        SqueezeOp,
        value=value_in("conversion:squeeze"),
        moves=True,
        relay=PatternKind.INJECTIVE,
        relax=PatternKind.BROADCAST,
        patterns=("layouts:UndoAxes", "layouts:AxesToReshape", "slices:ReshapeOfSlice"),
    ),
    OpRecord(
        TransposeOp,
        value=value_in("conversion:transpose"),
        moves=True,
        relay=PatternKind.INJECTIVE,
        relax=PatternKind.INJECTIVE,
        patterns=("layouts:ComposeTransposes", "layouts:TransposeOfOnes"),
        onnx=Onnx("Transpose", (), own_importer=True),
        engine=Engine(lists={"perm": "permutation"}),
    ),
    OpRecord(
        UnsqueezeOp,
        value=value_in("conversion:unsqueeze"),
        moves=True,
        relay=PatternKind.BROADCAST,
        relax=PatternKind.BROADCAST,
        patterns=("layouts:UndoAxes", "layouts:AxesToReshape"),
    ),
)
