"""ATen ops that take some elements of a tensor, at places along its dims.

    slice(x, 1, 2, 10)         snippets.slice
    select(x, 0, -1)           snippets.slice, without the dim
    flip(x, [0])               snippets.slice with a step of -1
    slice(x, 1, 2, -1)         snippets.slice_to, where the dim has any size
    slice(x, 1, s0, s0 + 8)    snippets.dynamic_slice at s0, a number of the call
    select(x, 0, s0)           snippets.gather at s0

The sizes of a slice are numbers, or the size of the whole dim; other dims may have any size. Torch
has guards for the sign of a start and for its distance from the end, so a start from the call is
inside. A place computed from the elements of a tensor has no guards: `select` checks it, and slices
stay in eager torch. Source: the definitions of the ops in ATen.
"""

from __future__ import annotations

from typing import Any, cast

from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from snippets_mlir.dialects.builtin.dims import Dim, static_size
from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.builtin.slice_bounds import END
from snippets_mlir.dialects.snippets.arithmetic import AddOp
from snippets_mlir.dialects.snippets.bounded_slicing import SliceToOp
from snippets_mlir.dialects.snippets.dynamic_slicing import DynamicSliceOp
from snippets_mlir.dialects.snippets.gathering import GatherOp
from snippets_mlir.dialects.snippets.index_checks import CheckIndicesOp
from snippets_mlir.dialects.snippets.shapes import DYNAMIC, is_static
from snippets_mlir.dialects.snippets.slicing import SliceOp
from snippets_mlir.frontends.torch.layout import WHOLE_VIEWS, Rule
from snippets_mlir.frontends.torch.node import NodeBuilder, Unheld, hinted_size, known_size


def _taken(b: NodeBuilder, dim: int, places: range, *, dropped: bool = False) -> SSAValue:
    """The places along a dim, from the first to the last or the other way."""
    x = b.tensor()
    sizes: list[Dim] = list(shape_of(x))
    starts, steps = [0] * len(sizes), [1] * len(sizes)
    sizes[dim] = len(places)
    if places:
        starts[dim], steps[dim] = places.start, places.step
    return b.emit(SliceOp(x, starts, sizes, steps, [dim] if dropped else []))


def _is_known(place: Any) -> bool:
    return isinstance(place, int | None)


def _slice(b: NodeBuilder) -> SSAValue:
    x = b.tensor()
    shape = shape_of(x)
    dim = int(b.arguments["dim"]) % len(shape)
    start, end, step = (b.arguments[name] for name in ("start", "end", "step"))
    if start in (None, 0) and end in (None, END) and step == 1:
        return x
    if shape[dim] != DYNAMIC and all(map(_is_known, (start, end, step))):
        size = static_size(shape[dim])
        places = range(size)[slice(start, end, step)]
        return x if places == range(size) else _taken(b, dim, places)
    size = shape_of(b.result_type())[dim]
    if isinstance(size, int) and size != DYNAMIC and isinstance(start, int | None) and step == 1:
        first = start or 0
        if first >= 0:
            return _taken(b, dim, range(first, first + size))
    bounds = _from_end(b, dim, start, 0), _from_end(b, dim, end, END)
    if None not in bounds and shape[dim] == DYNAMIC:
        return _sliced_to(b, dim, *cast("tuple[int, int]", bounds), step)
    if size == DYNAMIC or step != 1:
        raise Unheld("how many elements the slice has is known only when it is called")
    sizes = [*shape[:dim], size, *shape[dim + 1 :]]
    return b.emit(DynamicSliceOp(x, [_start(b, shape[dim])], [dim], sizes))


def _from_end(b: NodeBuilder, dim: int, bound: Any, default: int) -> int | None:
    """A bound as a number, counted from the end if it is the size of the dim less a number."""
    if isinstance(bound, int | None):
        return default if bound is None else bound
    rest = bound.meta["val"] - b.arguments["self"].meta["val"].shape[dim]
    number = known_size(rest)
    if number is None or number > 0:
        return None
    return number or END


def _sliced_to(b: NodeBuilder, dim: int, start: int, stop: int, step: int) -> SSAValue:
    """A slice along a dim of unknown size."""
    x = b.tensor()
    rank = len(shape_of(x))
    starts, stops, steps = [0] * rank, [END] * rank, [1] * rank
    starts[dim], stops[dim], steps[dim] = start, stop, step
    return b.emit(SliceToOp(x, starts, stops, steps))


def _start(b: NodeBuilder, whole: Dim) -> SSAValue:
    """The start of a slice as a value, counted from the first element."""
    node = b.arguments["start"]
    if isinstance(node, int):
        raise Unheld("its end is a number of the call")
    if (hint := hinted_size(node.meta["val"])) is None:
        raise Unheld("where the slice is follows from the elements of a tensor")
    start = b.operand("start", i64)
    if hint >= 0:
        return start
    if whole == DYNAMIC:
        raise Unheld("its start is counted from the end of a dim of dynamic size")
    return b.emit(AddOp(start, b.scalar(static_size(whole), i64)))


def _select(b: NodeBuilder) -> SSAValue:
    x, index = b.tensor(), b.arguments["index"]
    shape = shape_of(x)
    dim = int(b.arguments["dim"]) % len(shape)
    if isinstance(index, int) and (index >= 0 or shape[dim] != DYNAMIC):
        place = index if index >= 0 else index + static_size(shape[dim])
        return _taken(b, dim, range(place, place + 1), dropped=True)
    if isinstance(index, int):
        rank = len(shape)
        starts = [index if d == dim else 0 for d in range(rank)]
        return b.emit(SliceToOp(x, starts, [END] * rank, [1] * rank, [dim]))
    place = b.operand("index", i64)
    if hinted_size(index.meta["val"]) is None:
        place = b.emit(CheckIndicesOp(place, x, dim, from_end=True))
    return b.emit(GatherOp(x, place, dim, from_end=True))


def _flip(b: NodeBuilder) -> SSAValue:
    x = b.tensor()
    falling = b.axes("dims") if b.arguments["dims"] else []
    sizes = shape_of(x)
    if not is_static([sizes[dim] for dim in falling]):
        starts = [END if dim in falling else 0 for dim in range(len(sizes))]
        stops = [-END if dim in falling else END for dim in range(len(sizes))]
        steps = [-1 if dim in falling else 1 for dim in range(len(sizes))]
        return b.emit(SliceToOp(x, starts, stops, steps))
    starts = [max(static_size(sizes[d]) - 1, 0) if d in falling else 0 for d in range(len(sizes))]
    steps = [-1 if dim in falling else 1 for dim in range(len(sizes))]
    return b.emit(SliceOp(x, starts, sizes, steps)) if falling else x


SLICES: dict[str, Rule] = {"flip": _flip, "select": _select, "slice": _slice}
"""Views that take some of the elements of a tensor, or all in another order."""

VIEWS: dict[str, Rule] = {**WHOLE_VIEWS, **SLICES}
"""Ops that compute nothing: on their own they are no reason for a kernel."""
