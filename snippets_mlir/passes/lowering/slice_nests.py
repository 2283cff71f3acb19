"""Loops over the slices of super-vectors: where a slice is, and ops on slices.

    %s = arith.addf %a, %b : vector<4x20xf32>

is, for 8 lanes,

    scf.for %r = %c0 to %c4 step %c1 {
      scf.for %c = %c0 to %c16 step %c8 {
        ... the slice of 8 elements at %r, %c
      }
      ... the slice of 4 elements at %r, 16
    }

Dimensions of one element have no loop, and a loop of one iteration is left out. What does not
depend on a loop may be put before it: `Place.before` has a builder for each depth.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import arith as upstream_arith
from xdsl.dialects import scf
from xdsl.dialects.builtin import BytesAttr, DenseIntOrFPElementsAttr, VectorType, i1
from xdsl.dialects.ub import PoisonOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from snippets_mlir.dialects.arith import CmpiOp, SelectOp
from snippets_mlir.dialects.shaped import element_of, rank_of, shape_of
from snippets_mlir.dialects.vector import ops
from snippets_mlir.dialects.vector.shapes import BroadcastOp
from snippets_mlir.passes.lowering.affine_values import INDEX, IndexBuilder
from snippets_mlir.passes.lowering.super_vectors import splat_of
from snippets_mlir.passes.lowering.unroll_pieces import vector_type

Index = SSAValue | None
"""An index; None is 0."""


def plus(b: IndexBuilder, index: SSAValue, by: Index) -> SSAValue:
    """`index + by`."""
    return index if by is None else b.add(upstream_arith.AddiOp(index, by))


@dataclass
class Place:
    """One slice while its ops are made.

    Attributes:
        at: the index of its first element.
        size: how many elements it has.
        before: a builder for each depth: 0 in front of the loops, the last one in the slice.
        made: the slices that there are already.
    """

    at: tuple[Index, ...]
    size: int
    before: tuple[IndexBuilder, ...]
    made: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])

    @property
    def b(self) -> IndexBuilder:
        """The builder of the slice."""
        return self.before[-1]

    def type(self, element: Attribute) -> Attribute:
        """The type of a slice."""
        return vector_type(element, self.size)

    def slice(self, value: SSAValue) -> SSAValue:
        """The slice of an operand; what is no vector serves all of them."""
        if value.type.name != VectorType.name:
            return value
        if value not in self.made:
            self.made[value] = self._again(value)
        return self.made[value]

    def _again(self, value: SSAValue) -> SSAValue:
        """The slice of what is made of scalars alone."""
        owner, type, b = value.owner, self.type(element_of(value.type)), self.b
        number = splat_of(value)
        if number is not None:
            return _splat(b, number, type)
        if isinstance(owner, ops.CreateMaskOp | ops.ConstantMaskOp):
            return self.mask(value, range(rank_of(value.type)), len(self.at) - 1)
        if isinstance(owner, PoisonOp):
            return b.add(PoisonOp(type))
        if isinstance(owner, ops.StepOp):
            lanes = b.add(ops.StepOp(type))
            start = self.at[-1]
            if start is None:
                return lanes
            return b.add(upstream_arith.AddiOp(lanes, b.add(BroadcastOp(start, type))))  # pyright: ignore
        assert isinstance(owner, BroadcastOp)
        return b.add(BroadcastOp(owner.operands[0], type))  # pyright: ignore

    def mask(
        self,
        value: SSAValue,
        places: Sequence[int],
        lane: int,
        *,
        size: int | None = None,
        depth: int = -1,
    ) -> SSAValue:
        """The part of a mask for this slice.

        Dimension `k` of the mask goes with dimension `places[k]` of the vector, along `lane` of
        which the `size` elements (those of the slice, or 1) lie.
        """
        owner, b = value.owner, self.before[depth]
        size = self.size if size is None else size
        number = splat_of(value)
        if number is not None:
            return _splat(b, number, vector_type(i1, size))
        if not isinstance(owner, ops.CreateMaskOp | ops.ConstantMaskOp):
            assert size == self.size
            return self.slice(value)
        sizes = (
            list(owner.mask_dim_sizes)
            if isinstance(owner, ops.CreateMaskOp)
            else [b.constant(n) for n in owner.sizes]
        )
        bounds = dict(zip(places, sizes, strict=True))
        count, start = bounds.pop(lane), self.at[lane]
        if start is not None:
            count = b.add(upstream_arith.SubiOp(count, start))
        for place, bound in bounds.items():
            index, zero = self.at[place], b.constant(0)
            inside = b.add(CmpiOp(zero if index is None else index, bound, "slt"))
            count = b.add(SelectOp(inside, count, zero))
        return b.add(ops.CreateMaskOp([count], vector_type(i1, size)))


def _splat(b: IndexBuilder, number: bytes, type: Attribute) -> SSAValue:
    """A constant whose elements all have the bits `number`."""
    data = BytesAttr(number * shape_of(type)[0])
    return b.add(upstream_arith.ConstantOp(DenseIntOrFPElementsAttr(type, data), type))  # pyright: ignore


def build_nest(
    op: Operation, shape: tuple[int, ...], lanes: int, body: Callable[[Place], None]
) -> None:
    """Make the loops over the slices of a shape in front of `op`; `body` fills each slice."""
    at: list[Index] = []
    before: list[IndexBuilder] = []
    b = IndexBuilder(op)
    for size in shape[:-1]:
        outer, index = b, None
        if size > 1:
            outer, index, b = _loop(b, 0, size, 1)
        before.append(outer)
        at.append(index)
    last = shape[-1]
    whole = last - last % lanes
    outer = b
    if whole > lanes:
        outer, index, inner = _loop(b, 0, whole, lanes)
        body(Place((*at, index), lanes, (*before, outer, inner)))
    elif whole:
        body(Place((*at, None), lanes, (*before, b, b)))
    if last > whole:
        start = b.constant(whole) if whole else None
        body(Place((*at, start), last - whole, (*before, outer, b)))


def _loop(
    b: IndexBuilder, first: int, end: int, step: int
) -> tuple[IndexBuilder, SSAValue, IndexBuilder]:
    """A loop: a builder in front of it, its index, and a builder in its body."""
    block = Block(arg_types=[INDEX])
    last = scf.YieldOp()
    block.add_op(last)
    start, stop, by = (b.constant(number) for number in (first, end, step))
    loop = scf.ForOp(start, stop, by, (), Region(block))
    b.put(loop)
    return IndexBuilder(loop), block.args[0], IndexBuilder(last)


def slice_elementwise(op: Operation, place: Place) -> list[SSAValue]:
    """The same op on slices."""
    new = type(op).create(
        operands=[place.slice(value) for value in op.operands],
        result_types=[place.type(element_of(result.type)) for result in op.results],
        properties=op.properties,
        attributes=op.attributes,
    )
    place.b.put(new)
    new.location = op.location
    return list(new.results)
