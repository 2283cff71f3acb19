"""`snippets.slice_to`: a slice with Python's bounds, also for dims of unknown size.

    %1 = snippets.slice_to %0 {starts = array<i64: 1>, stops = array<i64: -2>,
         steps = array<i64: 1>} : (tensor<?xf32>) -> tensor<?xf32>

is `x[1:-2]`. Bounds are clamped; negative bounds count from the end. A dim in `drops` is dropped,
as in `x[start]`, and this element has to exist. If sizes are known as numbers or as formulas over
symbols, `canonicalize` turns it into a `snippets.slice` (`canonicalization/slices.py`). A program
for symbols serves calls whose bounds are in range and whose parts of unknown size have at least two
elements; other calls are compiled for their shapes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from typing_extensions import override
from xdsl.dialects.builtin import DenseArrayBase, TensorType, i64
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.builtin.dims import Dim, Shape
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of, tensor_type
from snippets_mlir.dialects.builtin.slice_bounds import Part, part_of, place_of
from snippets_mlir.dialects.snippets.base import BOOL, FLOAT, INTEGER
from snippets_mlir.dialects.snippets.pattern_kinds import PatternKind
from snippets_mlir.dialects.snippets.record import OpRecord, value_in
from snippets_mlir.dialects.snippets.shapes import DYNAMIC, is_static
from snippets_mlir.dialects.snippets.whole_tensor import WholeTensorOp, verify_axes

_DIMS = DenseArrayBase.constr(i64)


@irdl_op_definition
class SliceToOp(WholeTensorOp):
    """`x[start:stop:step]` in each dim, and `x[start]` in the dims that are dropped."""

    name = "snippets.slice_to"
    ELEMENT_KINDS: ClassVar = (FLOAT, INTEGER, BOOL)
    WITHOUT_KERNEL: ClassVar[str] = "a call has its sizes: a kernel reads the slice then"
    operand = operand_def(TensorType)
    starts_attr = prop_def(_DIMS, prop_name="starts")
    stops_attr = prop_def(_DIMS, prop_name="stops")
    steps_attr = prop_def(_DIMS, prop_name="steps")
    drops_attr = opt_prop_def(_DIMS, prop_name="drops")
    result = result_def(TensorType)

    def __init__(
        self,
        operand: SSAValue | Operation,
        starts: Sequence[int],
        stops: Sequence[int],
        steps: Sequence[int],
        drops: Sequence[int] = (),
    ) -> None:
        """A start, a stop and a step for each dim; `END` of `slice_bounds.py` means no bound."""
        type_ = tensor_of(operand)
        shape = _taken(shape_of(operand), starts, stops, steps, drops)
        super().__init__(
            operands=[operand],
            result_types=[tensor_type(type_.element_type, shape)],
            properties={
                "starts": DenseArrayBase.from_list(i64, starts),
                "stops": DenseArrayBase.from_list(i64, stops),
                "steps": DenseArrayBase.from_list(i64, steps),
                "drops": DenseArrayBase.from_list(i64, drops) if drops else None,
            },
        )

    @property
    def steps(self) -> tuple[int, ...]:
        """The distance of neighbours in each dim of the operand, not 0."""
        return tuple(self.steps_attr.get_values())

    @property
    def drops(self) -> tuple[int, ...]:
        """The dims of the operand that the result drops, in ascending order."""
        return () if self.drops_attr is None else tuple(self.drops_attr.get_values())

    @property
    def _bounds(self) -> tuple[Sequence[int], Sequence[int], Sequence[int], Sequence[int]]:
        starts, stops = self.starts_attr.get_values(), self.stops_attr.get_values()
        return starts, stops, self.steps, self.drops

    @property
    def key(self) -> tuple[slice | int, ...]:
        """The NumPy index of the slice."""
        found = zip(*self._bounds[:3], strict=True)
        slices = (slice(start, stop, step) for start, stop, step in found)
        return tuple(s.start if dim in self.drops else s for dim, s in enumerate(slices))

    def parts(self) -> list[Part]:
        """The part of each dim; the shape of the operand has no `DYNAMIC`."""
        return [_part(size, dim, *self._bounds) for dim, size in enumerate(shape_of(self.operand))]

    @override
    def infer_shape(self, shapes: Sequence[Shape]) -> Shape:
        return _taken(shapes[0], *self._bounds)

    @override
    def room(self) -> Sequence[Dim]:
        if not is_static(shape_of(self.operand)):
            return ()
        return [left for part in self.parts() for left in part.room]

    def verify_attributes(self) -> None:
        """Check that each dim has bounds and a step, no step is 0, and drops exist (C7)."""
        rank = len(shape_of(self.operand))
        numbers = {
            "starts": len(self.starts_attr.get_values()),
            "stops": len(self.stops_attr.get_values()),
            "steps": len(self.steps),
        }
        for name, count in numbers.items():
            if count != rank:
                raise VerifyException(
                    f"C7: {self.name} expects {rank} {name}, one for each dim of its operand, "
                    f"found {count}"
                )
        verify_axes(self.name, self.drops, rank)
        if 0 in self.steps:
            raise VerifyException(
                f"C7: {self.name} expects no step of 0, found it in dim {self.steps.index(0)}"
            )


def _part(
    size: Dim,
    dim: int,
    starts: Sequence[int],
    stops: Sequence[int],
    steps: Sequence[int],
    drops: Sequence[int],
) -> Part:
    if dim in drops:
        return place_of(size, starts[dim])
    return part_of(size, starts[dim], stops[dim], steps[dim])


def _taken(
    shape: Shape,
    starts: Sequence[int],
    stops: Sequence[int],
    steps: Sequence[int],
    drops: Sequence[int],
) -> Shape:
    """The shape of the result; a dim of unknown size gives an unknown size."""
    bounds = starts, stops, steps, drops
    counts = [DYNAMIC if n == DYNAMIC else _part(n, d, *bounds).count for d, n in enumerate(shape)]
    return tuple(count for dim, count in enumerate(counts) if dim not in drops)


RECORDS = (
    OpRecord(
        SliceToOp,
        value=value_in("conversion:take_slice_to"),
        moves=True,
        patterns=("slices:KnownBounds",),
        relay=PatternKind.INJECTIVE,
        relax=PatternKind.INJECTIVE,
    ),
)
