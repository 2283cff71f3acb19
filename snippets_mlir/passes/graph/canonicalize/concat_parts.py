"""Elementwise ops on the parts of a concat, and how to get the parts of their other operands.

%1 = snippets.multiply %concat, %s      whole: %s has size 1 along the axis
parts: %s is a concat of equal parts
slice: %s0 and %s1 are slices of %s in place
compute: %s is elementwise: the op runs on the parts of its operands
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Literal

from xdsl.ir import Block, Operation, SSAValue

from snippets_mlir.dialects.builtin.dims import Dim, static_size
from snippets_mlir.dialects.builtin.shaped import is_tensor, shape_of, tensor_of, tensor_type
from snippets_mlir.dialects.builtin.size_estimates import assumed
from snippets_mlir.dialects.builtin.size_facts import has_symbols
from snippets_mlir.dialects.snippets.canonicalization.slices import slice_of
from snippets_mlir.dialects.snippets.concatenation import ConcatOp
from snippets_mlir.dialects.snippets.shapes import is_static
from snippets_mlir.dialects.snippets.slicing import SliceOp
from snippets_mlir.passes.building.graph import OpBuilder, is_skipped
from snippets_mlir.passes.graph.canonicalize.snippets_move_elementwise_up import (
    is_on_graph,
    works_element_by_element,
)

LEAST_RUN = 16
"""Elements in memory, on average, from one part to the next one."""


Way = Literal["whole", "parts", "slice", "compute"]
"""An operand of an op on parts: the whole, a concat's part, a slice, or a result on parts."""


def _sizes(concat: ConcatOp) -> list[Dim]:
    """The sizes of the parts along the axis."""
    return [shape_of(part)[concat.axis] for part in concat.parts]


def has_wide_parts(concat: ConcatOp) -> bool:
    """The parts are known along the axis and wide enough for their own loops; so are theirs."""
    if not all(is_static(shape_of(value)) for value in (*concat.parts, concat.result)):
        return False
    run = assumed(prod(shape_of(concat.result)[concat.axis :]))
    inner = (p.owner for p in concat.parts if p.has_one_use() and isinstance(p.owner, ConcatOp))
    return run >= LEAST_RUN * len(concat.parts) and all(map(has_wide_parts, inner))


def _axis_of(value: SSAValue, concat: ConcatOp) -> int | None:
    """The dim of `value` that is aligned with the axis; None if it broadcasts along the axis."""
    shape = shape_of(value)
    dim = concat.axis - (len(shape_of(concat.result)) - len(shape))
    return None if dim < 0 or shape[dim] == 1 else dim


def _has_equal_parts(value: SSAValue, concat: ConcatOp) -> bool:
    other = value.owner
    if not isinstance(other, ConcatOp) or other.axis != concat.axis:
        return False
    return _sizes(other) == _sizes(concat) and shape_of(value) == shape_of(concat.result)


def _way(value: SSAValue, concat: ConcatOp, inside: set[Operation]) -> Way | None:
    """How to get parts of `value`, which only `inside` may read, without more computation."""
    shape = shape_of(value)
    if _axis_of(value, concat) is None:
        return "whole"
    if _has_equal_parts(value, concat):
        return "parts"
    if not is_static(shape) or has_symbols(shape):
        return None
    op = value.owner
    if isinstance(op, Block) or not works_element_by_element(op) or is_skipped(op):
        return "slice"
    users = {use.operation for use in value.uses}
    if any(isinstance(user, SliceOp) for user in users):
        return "slice"  # it is in memory for the other slice
    fits = users <= inside and op.parent is concat.parent
    return "compute" if fits and all(_way(v, concat, {op}) for v in op.operands) else None


def ways_of(ops: Sequence[Operation], concat: ConcatOp) -> dict[SSAValue, Way]:
    """The ways of the outside operands of `ops`, and of the values that these are computed from."""
    found: dict[SSAValue, Way] = {}
    inside, waiting = {*ops, concat}, [*ops]
    while waiting:
        op = waiting.pop()
        for value in op.operands:
            way = None if value.owner in inside else _way(value, concat, {op})
            if way is not None:
                found[value] = way
            if way == "compute" and isinstance(value.owner, Operation):
                waiting.append(value.owner)
    return found


def joins(op: Operation, concat: ConcatOp, inside: set[Operation]) -> bool:
    """Whether the parts of the result of `op` follow from those of `inside` and the rest."""
    if not works_element_by_element(op) or not is_on_graph(op) or len(op.results) != 1:
        return False
    if not all(is_tensor(value.type) for value in (*op.operands, *op.results)):
        return False
    if shape_of(op.results[0]) != shape_of(concat.result):
        return False
    return all(v.owner in inside or _way(v, concat, {op}) for v in op.operands)


class Part:
    """Ops on one part of a concat."""

    def __init__(
        self,
        concat: ConcatOp,
        place: int,
        build: OpBuilder,
        ways: Mapping[SSAValue, Way],
    ) -> None:
        self.concat, self.place, self.build, self.ways = concat, place, build, ways
        self.size = shape_of(concat.parts[place])[concat.axis]
        self.known: dict[SSAValue, SSAValue] = {}
        """The parts of values."""

    def applied(self, ops: Sequence[Operation]) -> SSAValue:
        """The result of the last of `ops` on this part."""
        for op in ops:
            self.known[op.results[0]] = self._computed(op)
        return self.known[ops[-1].results[0]]

    def _computed(self, op: Operation) -> SSAValue:
        """`op` on the parts of its operands."""
        result = op.results[0]
        shape = list(shape_of(result))
        if (dim := _axis_of(result, self.concat)) is not None:
            shape[dim] = self.size
        return self.build.add(
            type(op).create(
                operands=[self._of(value) for value in op.operands],
                result_types=[tensor_type(tensor_of(result).element_type, shape)],
                properties=dict(op.properties),
                attributes=dict(op.attributes),
            )
        )

    def _of(self, value: SSAValue) -> SSAValue:
        if (known := self.known.get(value)) is None:
            known = self.known[value] = self._made(value)
        return known

    def _made(self, value: SSAValue) -> SSAValue:
        way, op = self.ways[value], value.owner
        if way == "compute" and isinstance(op, Operation):
            return self._computed(op)
        if way == "parts" and isinstance(op, ConcatOp):
            return op.parts[self.place]
        dim = _axis_of(value, self.concat)
        if way == "whole" or dim is None:
            return value
        shape, start = shape_of(value), self.concat.starts[self.place]
        starts = [static_size(start) if d == dim else 0 for d in range(len(shape))]
        sizes = [self.size if d == dim else n for d, n in enumerate(shape)]
        return self.build.add(slice_of(value, starts, sizes, [1] * len(shape)))
