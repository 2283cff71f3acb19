"""Elements of a tensor at positions that other tensors contain.

    %2 = snippets.gather %x, %i {axis = 0 : i64} :
         (tensor<1000x64xf32>, tensor<8xi64>) -> tensor<8x64xf32>
    %3 = snippets.dynamic_slice %x, %j {axes = array<i64: 1>} :
         (tensor<1000x64xf32>, tensor<i64>) -> tensor<1000x16xf32>

Element (a, b) of %2 is element (i[a], b) of %x, and element (a, b) of %3 is element (a, j + b).
Positions outside of %x are clamped, so that both ops have a value for all operands. Front ends
whose gathers refuse such positions check them (`index_checks.py`).

In a kernel both are loads from an address that depends on the positions (`lir.gather`): rows that
are dense in memory are loaded by vectors. Source: `numpy.take`, ONNX Gather, `torch.embedding`,
`stablehlo.gather` of rows; `stablehlo.dynamic_slice`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from typing_extensions import override
from xdsl.dialects.builtin import IntegerAttr, TensorType, UnitAttr, i64
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, result_def
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.builtin.dims import Dim, Shape, product
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of, tensor_type
from snippets_mlir.dialects.snippets.base import BOOL, FLOAT, INTEGER, kind_of
from snippets_mlir.dialects.snippets.concatenation import others
from snippets_mlir.dialects.snippets.pattern_kinds import PatternKind
from snippets_mlir.dialects.snippets.record import OpRecord, value_in
from snippets_mlir.dialects.snippets.shapes import format_shape
from snippets_mlir.dialects.snippets.whole_tensor import (
    AxisOp,
    WholeTensorOp,
    normalized_axes,
    verify_axes,
)


class PlacesOp(WholeTensorOp, ABC):
    """An op whose operands after the first are integers: places in the first operand."""

    ELEMENT_KINDS: ClassVar = (FLOAT, INTEGER, BOOL)

    @property
    def source(self) -> SSAValue:
        """The operand from which elements are read."""
        return self.operands[0]

    @property
    @override
    def joined_operands(self) -> Sequence[SSAValue]:
        """Only the operand: places have their own element type."""
        return (self.source,)

    @property
    def places(self) -> Sequence[SSAValue]:
        """The operands with the places of elements, in the order of `limits` and `steps`."""
        return self.operands[1:]

    @property
    @abstractmethod
    def read_shape(self) -> Shape:
        """The sizes of the part of the operand that is read for one place of each kind."""

    @property
    def limits(self) -> tuple[Dim, ...]:
        """The largest place of each kind: larger places are clamped to it."""
        whole, read = shape_of(self.source), self.read_shape
        return tuple(whole[axis] - read[axis] for axis in self.moved)

    @property
    @abstractmethod
    def moved(self) -> tuple[int, ...]:
        """The dim of the operand that each kind of place indexes."""

    @property
    def strides(self) -> Shape:
        """The distance of neighbours in each dim of the operand, in elements."""
        shape = shape_of(self.source)
        return tuple(product(shape[dim + 1 :]) for dim in range(len(shape)))

    @override
    def verify_elements(self) -> None:
        super().verify_elements()
        for value in self.places:
            verify_integers(self.name, value)


def verify_integers(name: str, value: SSAValue) -> None:
    """VerifyException (C3) unless the elements of `value` are integers wider than a bit."""
    element = tensor_of(value).element_type
    if kind_of(element) != INTEGER:
        raise VerifyException(f"C3: {name} expects places that are integers, found {element}")


@irdl_op_definition
class GatherOp(PlacesOp, AxisOp):
    """The slices of the operand at `indices` along `axis`; the dims of `indices` replace the axis.

    With `from_end`, an index below 0 counts from the end. Indices that are then outside are
    clamped: to 0 below, to the last place above.
    """

    name = "snippets.gather"
    operand = operand_def(TensorType)
    indices = operand_def(TensorType)
    result = result_def(TensorType)
    from_end = opt_prop_def(UnitAttr)

    def __init__(
        self,
        operand: SSAValue | Operation,
        indices: SSAValue | Operation,
        axis: int,
        from_end: bool = False,
    ) -> None:
        """A negative axis counts from the last dim; VerifyException (C7) for an axis that does not
        exist.
        """
        source = tensor_of(operand)
        (axis,) = normalized_axes(self.name, [axis], source.get_num_dims())
        shape, places = shape_of(source), shape_of(tensor_of(indices))
        super().__init__(
            operands=[operand, indices],
            result_types=[
                tensor_type(source.element_type, (*shape[:axis], *places, *shape[axis + 1 :]))
            ],
            properties={
                "axis": IntegerAttr(axis, i64),
                "from_end": UnitAttr() if from_end else None,
            },
        )

    @property
    @override
    def read_shape(self) -> Shape:
        shape = shape_of(self.operand)
        return (*shape[: self.axis], 1, *shape[self.axis + 1 :])

    @property
    @override
    def moved(self) -> tuple[int, ...]:
        return (self.axis,)

    def infer_shape(self, shapes: Sequence[Shape]) -> Shape:
        """The operand's shape, with the shape of the indices in place of the axis."""
        return (*shapes[0][: self.axis], *shapes[1], *shapes[0][self.axis + 1 :])

    def verify_attributes(self) -> None:
        """The axis is a dim of the operand, and has elements if anything is read (C7)."""
        shape = shape_of(self.operand)
        verify_axes(self.name, [self.axis], len(shape))
        read = (*others(shape, self.axis), *shape_of(self.indices))
        if shape[self.axis] == 0 and 0 not in read:
            raise VerifyException(
                f"C7: {self.name} expects an axis with elements, found {format_shape(shape)} with "
                f"axis {self.axis}"
            )


RECORDS = (
    OpRecord(
        GatherOp,
        value=value_in("gathering:gather"),
        moves=True,
        relay=PatternKind.INJECTIVE,
        relax=PatternKind.INJECTIVE,
        patterns=("gathers:WidenPlaces",),
    ),
)
