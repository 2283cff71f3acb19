"""`snippets.slice`: some elements of a tensor, at equal distances in each dim.

    %1 = snippets.slice %0 {starts = array<i64: 1, 0>, steps = array<i64: 1, 2>} :
         (tensor<4x8xf32>) -> tensor<3x4xf32>

Element (i, j) of the result is element (1 + i, 2 * j) of the operand. A step may be negative. Dims
in `drops` have size 1 and are dropped from the result. A dim of unknown size is taken as a whole.
In a kernel a slice of an input is a view: a load at another position, with other strides. If sizes
are formulas over symbols, starts may be formulas, too:

    {starts = [#snippets.size<?0 + -3 : i64>], steps = array<i64: 1>}

The slices of `bounded_slicing.py` become such slices.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from typing_extensions import override
from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, TensorType, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import BaseAttr, irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.builtin.dims import (
    Dim,
    Shape,
    Size,
    format_size,
    known_less,
    product,
    static_shape,
)
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of, tensor_type
from snippets_mlir.dialects.builtin.size_facts import has_symbols
from snippets_mlir.dialects.builtin.sizes import is_size, size_attr, size_in
from snippets_mlir.dialects.snippets.base import BOOL, FLOAT, INTEGER
from snippets_mlir.dialects.snippets.pattern_kinds import PatternKind
from snippets_mlir.dialects.snippets.record import OpRecord, value_in
from snippets_mlir.dialects.snippets.shapes import DYNAMIC, format_shape
from snippets_mlir.dialects.snippets.whole_tensor import WholeTensorOp

_DIMS = DenseArrayBase.constr(i64)


@irdl_op_definition
class SliceOp(WholeTensorOp):
    """The elements at `starts[d] + i * steps[d]` of each dim d (NumPy's basic slices)."""

    name = "snippets.slice"
    ELEMENT_KINDS: ClassVar = (FLOAT, INTEGER, BOOL)
    operand = operand_def(TensorType)
    starts_attr = prop_def(_DIMS | BaseAttr(ArrayAttr), prop_name="starts")
    steps_attr = prop_def(_DIMS, prop_name="steps")
    drops_attr = opt_prop_def(_DIMS, prop_name="drops")
    result = result_def(TensorType)

    def __init__(
        self,
        operand: SSAValue | Operation,
        starts: Sequence[Dim],
        sizes: Sequence[Dim],
        steps: Sequence[int],
        drops: Sequence[int] = (),
    ) -> None:
        """`sizes` are the sizes of all dims, including dropped dims."""
        shape = [size for dim, size in enumerate(sizes) if dim not in drops]
        super().__init__(
            operands=[operand],
            result_types=[tensor_type(tensor_of(operand).element_type, shape)],
            properties={
                "starts": _starts_attr(starts),
                "steps": DenseArrayBase.from_list(i64, steps),
                "drops": DenseArrayBase.from_list(i64, drops) if drops else None,
            },
        )

    @property
    def starts(self) -> Shape:
        """The place of the first element in each dim of the operand."""
        if isinstance(self.starts_attr, DenseArrayBase):
            return tuple(self.starts_attr.get_values())
        return tuple(size_in(start) for start in self.starts_attr if is_size(start))

    @property
    def steps(self) -> tuple[int, ...]:
        """The distance of neighbours in each dim of the operand, not 0."""
        return tuple(self.steps_attr.get_values())

    @property
    def drops(self) -> tuple[int, ...]:
        """The dims of the operand that the result drops, in ascending order."""
        return () if self.drops_attr is None else tuple(self.drops_attr.get_values())

    @property
    def kept(self) -> tuple[int, ...]:
        """The dim of the operand for each dim of the result."""
        return tuple(dim for dim in range(len(self.starts)) if dim not in self.drops)

    @property
    def sizes(self) -> Shape:
        """The sizes of the slice in all dims of the operand."""
        rest = iter(shape_of(self.result))
        return tuple(1 if dim in self.drops else next(rest) for dim in range(len(self.starts)))

    def offset(self) -> Dim:
        """The row-major distance in elements from the start of the operand to the first element."""
        places = zip(self.starts, self._strides(), strict=True)
        return sum((stride * start for start, stride in places), start=0)

    def strides(self) -> Shape:
        """The distance in the operand of neighbours in each dim of the result, in elements."""
        strides = self._strides()
        return tuple(strides[dim] * self.steps[dim] for dim in self.kept)

    def _strides(self) -> Shape:
        shape = shape_of(self.operand)
        return tuple(product(shape[dim + 1 :]) for dim in range(len(shape)))

    @override
    def infer_shape(self, shapes: Sequence[Shape]) -> Shape:
        """The sizes of the result; one of unknown size is all of the operand's dim."""
        found = zip(shape_of(self.result), self.kept, strict=True)
        return tuple(shapes[0][dim] if size == DYNAMIC else size for size, dim in found)

    @override
    def room(self) -> Sequence[Dim]:
        shape = shape_of(self.operand)
        parts = zip(self.starts, self.sizes, self.steps, shape, strict=True)
        return [
            whole - 1 - max(start, start + (size - 1) * step)
            for start, size, step, whole in parts
            if isinstance(size, int) and isinstance(start, int) and size > 0 and whole != DYNAMIC
        ]

    def verify_attributes(self) -> None:
        """A start and a step for each dim, and all elements inside of the operand (C7)."""
        shape, rank = shape_of(self.operand), len(shape_of(self.operand))
        if len(self.starts) != rank or len(self.steps) != rank:
            raise VerifyException(
                f"C7: {self.name} expects {rank} starts and steps, one for each dim of its "
                f"operand, found {len(self.starts)} and {len(self.steps)}"
            )
        if list(self.drops) != sorted({dim for dim in self.drops if 0 <= dim < rank}):
            raise VerifyException(
                f"C7: {self.name} expects rising drops below {rank}, found {list(self.drops)}"
            )
        if len(shape_of(self.result)) != rank - len(self.drops):
            raise VerifyException(
                f"C7: {self.name} expects a result of rank {rank - len(self.drops)}, found "
                f"{format_shape(shape_of(self.result))}"
            )
        for dim, whole in enumerate(shape):
            start, size, step = self.starts[dim], self.sizes[dim], self.steps[dim]
            if step == 0:
                raise VerifyException(
                    f"C7: {self.name} expects no step of 0, found it in dim {dim}"
                )
            if (start, size, step) == (0, whole, 1):
                continue  # the whole dim, of any size
            if DYNAMIC in (size, whole) and (isinstance(start, Size) or size == DYNAMIC):
                raise VerifyException(
                    f"C7: {self.name} expects a result of known sizes, found "
                    f"{format_shape(shape_of(self.result))}"
                )
            if size == 0 or whole == DYNAMIC:
                continue
            last = start + (size - 1) * step
            for place in (start, last):
                if known_less(place, 0) or known_less(place, whole) is False:
                    raise VerifyException(
                        f"C7: {self.name} expects places below {format_size(whole)} in dim {dim}, "
                        f"found {format_size(start)} to {format_size(last)}"
                    )


def _starts_attr(starts: Sequence[Dim]) -> Attribute:
    """Starts as a property: a dense array of numbers, or sizes if one has symbols."""
    if has_symbols(starts):
        return ArrayAttr([size_attr(start) for start in starts])
    return DenseArrayBase.from_list(i64, static_shape(starts))


RECORDS = (
    OpRecord(
        SliceOp,
        value=value_in("conversion:take_slice"),
        moves=True,
        patterns=("slices:SliceOfSlice",),
        gives_back=lambda op: isinstance(op, SliceOp) and set(op.steps) <= {1},
        relay=PatternKind.INJECTIVE,
        relax=PatternKind.INJECTIVE,
    ),
)
