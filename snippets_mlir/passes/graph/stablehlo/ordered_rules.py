"""Convert the reductions of StableHLO that depend on the order of the elements.

    %1:2 = stablehlo.reduce(%x init: %lowest), (%iota init: %zero) across dimensions = [1]
           reducer(..) {the larger element and its index, the smaller index of equal ones}
           : (tensor<4x8xf32>, tensor<4x8xi32>, ..) -> (tensor<4xf32>, tensor<4xi32>)

is `snippets.reduce_max` and `snippets.arg_max`, and

    %1 = "stablehlo.reduce_window"(%x, %zero) <{padding = [[0, 0], [7, 0]],
         window_dimensions = [1, 8]}> ({stablehlo.add}) : (tensor<4x8xf32>, ..) -> tensor<4x8xf32>

is `snippets.cum_sum {axis = 1}`, with `reverse` for a padding of `[0, 7]`; so are products, maxima
and minima, from their neutral value. JAX prints these forms. Exact, except that windows may be
combined in another order. Refused: other regions and initial values, strides and dilations.
"""

from __future__ import annotations

from typing import NamedTuple, cast

from typing_extensions import override
from xdsl.dialects.builtin import IntegerType, i1, i32
from xdsl.ir import Block, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of
from snippets_mlir.dialects.snippets.arg_reduction import ArgMaxOp, ArgMinOp, ArgReduceOp
from snippets_mlir.dialects.snippets.conversion import BroadcastOp, ConvertTruncationOp
from snippets_mlir.dialects.snippets.cumulative import CumulativeOp
from snippets_mlir.dialects.snippets.iota import IotaOp
from snippets_mlir.dialects.snippets.reduction import (
    ReduceMaxOp,
    ReduceMinOp,
    ReduceOp,
    reduced_shape,
)
from snippets_mlir.dialects.stablehlo import reduction
from snippets_mlir.dialects.stablehlo.elementwise import CompareOp
from snippets_mlir.dialects.stablehlo.names import record_for
from snippets_mlir.dialects.stablehlo.region_ops import ReduceWindowOp, Window
from snippets_mlir.passes.graph.stablehlo.builder import (
    Replacement,
    in_a_function,
    of_known_elements,
    splat_of,
)
from snippets_mlir.passes.graph.stablehlo.reduction_rules import neutral
from snippets_mlir.passes.patterns import Pattern

Step = tuple[str, str, tuple[int, ...]]
"""An op of a region: name, direction of a comparison, numbers of the operands."""


class Extreme(NamedTuple):
    """A reduction to an extreme and its place."""

    value: type[ReduceOp]
    place: type[ArgReduceOp]
    axis: int


_EXTREMES: dict[str, tuple[type[ReduceOp], type[ArgReduceOp]]] = {
    "GT": (ReduceMaxOp, ArgMaxOp),
    "LT": (ReduceMinOp, ArgMinOp),
}


_ONE = Window(1, 1, 1, 1, 0, 0)
"""A dim in which windows are single elements."""


def _steps_of(block: Block) -> list[Step]:
    """The ops of a region; its arguments have the first numbers, results the next ones."""
    numbers: dict[SSAValue, int] = {arg: number for number, arg in enumerate(block.args)}
    steps = list[Step]()
    for op in block.ops:
        direction = op.direction.data if isinstance(op, CompareOp) and not op.total_order else ""
        steps.append((op.name, direction, tuple(numbers.get(v, -1) for v in op.operands)))
        for result in op.results:
            numbers[result] = len(numbers)
    return steps


def _first_extreme(direction: str) -> list[Step]:
    """For (x, i, y, j): x and i if x is better, NaN, or equal with a smaller i; else y and j."""
    return [
        ("stablehlo.compare", direction, (0, 2)),
        ("stablehlo.compare", "NE", (0, 0)),
        ("stablehlo.or", "", (4, 5)),
        ("stablehlo.compare", "EQ", (0, 2)),
        ("stablehlo.compare", "LT", (1, 3)),
        ("stablehlo.and", "", (7, 8)),
        ("stablehlo.or", "", (6, 9)),
        ("stablehlo.select", "", (6, 0, 2)),
        ("stablehlo.select", "", (10, 1, 3)),
        ("stablehlo.return", "", (11, 12)),
    ]


def counts_along(value: SSAValue, axis: int) -> bool:
    """Whether `value` is an iota of integers along the dim `axis`, broadcast along the others."""
    rank = len(shape_of(value))
    while isinstance(value.owner, BroadcastOp) and len(shape_of(value.owner.operand)) == rank:
        value = value.owner.operand
    is_iota = isinstance(value.owner, IotaOp) and value.owner.dim == axis
    return is_iota and isinstance(tensor_of(value).element_type, IntegerType)


class ReduceToPlace(Pattern[reduction.ReduceOp, Extreme]):
    """A reduction of elements and their indices to the first extreme is `arg_max` or `arg_min`."""

    name = "reduce-to-place"
    ops = (reduction.ReduceOp,)
    conditions = (in_a_function, of_known_elements)

    def match(self, op: reduction.ReduceOp) -> Extreme | None:
        """The two ops, and the dim."""
        if len(op.results) != 2 or len(op.axes) != 1:
            return None
        x, (axis,) = op.inputs[0], op.axes
        element, steps = tensor_of(x).element_type, _steps_of(op.body.block)
        kinds = (kinds for d, kinds in _EXTREMES.items() if steps == _first_extreme(d))
        value, place = next(kinds, (None, None))
        if value is None or place is None or not counts_along(op.inputs[1], axis):
            return None
        shape = shape_of(x)
        begin, first = (splat_of(init) for init in op.init_values)
        worst = value is ReduceMinOp if element == i1 else neutral(value.ACCUMULATOR, element)
        fits = all(shape_of(r) == reduced_shape(shape, [axis], False) for r in op.results)
        begins = begin is not None and (bool(begin) if element == i1 else begin) == worst
        found = begins and first == 0 and fits and shape[axis] != 0
        return Extreme(value, place, axis) if found else None

    def rewrite(self, op: reduction.ReduceOp, match: Extreme, rewriter: PatternRewriter) -> None:
        """Replace both results; the extreme of truth values is computed on integers."""
        build, x = Replacement(op, rewriter), op.inputs[0]
        element = tensor_of(x).element_type
        wide = build.add(ConvertTruncationOp(x, i32)) if element == i1 else x
        value = build.add(match.value(wide, [match.axis]))
        if element == i1:
            value = build.add(ConvertTruncationOp(value, i1))
        integers = cast("IntegerType", tensor_of(op.results[1]).element_type)
        place = build.add(match.place(x, match.axis, False, integers))
        rewriter.replace(op, [], [value, place])


class Cumulative(Pattern[ReduceWindowOp, CumulativeOp]):
    """A reduction of windows with all elements up to each place is a cumulative op."""

    name = "cumulative"
    ops = (ReduceWindowOp,)
    conditions = (in_a_function, of_known_elements)

    @override
    def match(self, op: ReduceWindowOp) -> CumulativeOp | None:
        record = record_for(op) if len(op.inputs) == 2 else None
        if record is None:
            return None
        x, init = op.inputs
        make = cast("type[CumulativeOp]", record.op)
        places = [dim for dim, window in enumerate(op.windows) if window != _ONE]
        begin = neutral(make.COMBINES, tensor_of(x).element_type)
        if len(places) != 1 or splat_of(init) != begin or x.type != op.outputs[0].type:
            return None
        (axis,) = places
        size = op.windows[axis].size
        forms = {
            Window(size, 1, 1, 1, size - 1, 0): False,
            Window(size, 1, 1, 1, 0, size - 1): True,
        }
        reverse = forms.get(op.windows[axis])
        whole = size == shape_of(x)[axis]
        return make(x, axis, reverse=reverse) if whole and reverse is not None else None

    @override
    def rewrite(self, op: ReduceWindowOp, match: CumulativeOp, rewriter: PatternRewriter) -> None:
        build = Replacement(op, rewriter)
        build.replace(build.add(match))


RULES = (ReduceToPlace, Cumulative)
