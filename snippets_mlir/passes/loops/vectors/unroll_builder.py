"""The builder of `vector-unroll`: ops on pieces, and casts of pieces to whole vectors."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import cast

from xdsl.dialects import arith as upstream_arith
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    IndexType,
    IntegerAttr,
    UnrealizedConversionCastOp,
    VectorType,
    i64,
)
from xdsl.dialects.utils import FastMathFlag
from xdsl.dialects.vector import CombiningKindFlag as Kind
from xdsl.ir import Attribute, Operation, SSAValue

from snippets_mlir.dialects.builtin.shaped import element_of, extents_of
from snippets_mlir.dialects.vector.elements import FromElementsOp
from snippets_mlir.dialects.vector.ops import NO_FAST_MATH, ReductionOp
from snippets_mlir.dialects.vector.shapes import BroadcastOp, ExtractOp, InsertOp, ShuffleOp
from snippets_mlir.passes.building.reduction_kinds import combining_op
from snippets_mlir.passes.loops.vectors.unroll_pieces import (
    Piece,
    is_float,
    pieces_of_shape,
    vector_type,
)

INDEX = IndexType()
Lane = tuple[SSAValue, int] | None
KINDS: dict[Kind, tuple[str, str]] = {
    Kind.ADD: ("addi", "addf"),
    Kind.AND: ("andi", ""),
    Kind.MAXIMUMF: ("", "maximumf"),
    Kind.MAXNUMF: ("", "maxnumf"),
    Kind.MAXSI: ("maxs", ""),
    Kind.MAXUI: ("maxu", ""),
    Kind.MINIMUMF: ("", "minimumf"),
    Kind.MINNUMF: ("", "minnumf"),
    Kind.MINSI: ("mins", ""),
    Kind.MINUI: ("minu", ""),
    Kind.MUL: ("muli", "mulf"),
    Kind.OR: ("ori", ""),
    Kind.XOR: ("xori", ""),
}


class Unroller:
    """Makes ops before the op that is split.

    A split value is a cast of its pieces until it has no readers; `given` are other casts.
    """

    def __init__(self, lanes: int, given: Container[Operation]) -> None:
        self.lanes = lanes
        self._given = given
        self._at: Operation | None = None

    def at(self, op: Operation) -> None:
        """Put the next ops before `op`."""
        self._at = op

    def splits(self, type: Attribute) -> bool:
        """Whether values of `type` are split."""
        if not isinstance(type, VectorType):
            return False
        shape = extents_of(cast("Attribute", type))
        return len(shape) != 1 or shape[0] > self.lanes

    def pieces(self, type: Attribute) -> tuple[Piece, ...]:
        """The pieces of a vector type that native vectors hold, in row-major order."""
        return pieces_of_shape(extents_of(type), self.lanes)

    def types(self, type: Attribute) -> list[Attribute]:
        """The vector types of the pieces of a type, in row-major order."""
        element = element_of(type)
        return [vector_type(element, piece.size) for piece in self.pieces(type)]

    def whole(self, type: Attribute, pieces: Sequence[SSAValue]) -> SSAValue:
        """The value of `type` that consists of some native vectors."""
        if not self.splits(type):
            return pieces[0]
        return self.add(UnrealizedConversionCastOp(operands=[pieces], result_types=[[type]]))

    def values(self, value: SSAValue) -> Sequence[SSAValue]:
        """The pieces of a value; a value that is not split is its own piece."""
        owner = value.owner
        if not isinstance(owner, UnrealizedConversionCastOp) or owner in self._given:
            return (value,)
        return tuple(owner.operands)

    def lane(self, value: SSAValue, index: int) -> tuple[SSAValue, int]:
        """The piece with element `index` of a value, and the element's place in it."""
        if not self.splits(value.type):
            return value, index
        shape = extents_of(value.type)
        if not shape:
            return self.values(value)[0], 0
        row, place = divmod(index, shape[-1])
        each = -(-shape[-1] // self.lanes)
        return self.values(value)[row * each + place // self.lanes], place % self.lanes

    def insert(self, op: Operation) -> Operation:
        """Put an op in its place."""
        assert self._at is not None
        block = self._at.parent
        assert block is not None
        op.location = self._at.location
        block.insert_op_before(op, self._at)
        return op

    def add(self, op: Operation) -> SSAValue:
        """Insert an op; returns its first result."""
        return self.insert(op).results[0]

    def clone(
        self, op: Operation, operands: Sequence[SSAValue], types: Sequence[Attribute]
    ) -> Operation:
        """The same op on other operands."""
        return self.insert(
            type(op).create(
                operands=operands,
                result_types=types,
                properties=op.properties,
                attributes=op.attributes,
            )
        )

    def index(self, value: int) -> SSAValue:
        """A constant of type `index`."""
        return self.add(upstream_arith.ConstantOp(IntegerAttr(value, INDEX)))

    def shifted(self, index: SSAValue, by: int) -> SSAValue:
        """`index + by`."""
        return index if not by else self.add(upstream_arith.AddiOp(index, self.index(by)))

    def dense(self, element: Attribute, values: Sequence[float]) -> SSAValue:
        """A vector of constant elements."""
        type = vector_type(element, len(values))
        attr = DenseIntOrFPElementsAttr.from_list(cast(VectorType[AnyFloat], type), values)
        return self.add(upstream_arith.ConstantOp(attr, type))

    def shuffle(self, lhs: SSAValue, rhs: SSAValue, mask: Sequence[int]) -> SSAValue:
        """A shuffle of two vectors of one type; an identity `vector.shuffle` is dropped."""
        size = extents_of(lhs.type)[0]
        if list(mask) == list(range(size)):
            return lhs
        type = vector_type(element_of(lhs.type), len(mask))
        attr = DenseArrayBase.from_list(i64, mask)
        return self.add(ShuffleOp(lhs, rhs, attr, result_type=type))

    def element(self, value: SSAValue, place: int) -> SSAValue:
        """One element of a vector as a scalar."""
        element = element_of(value.type)
        return value if element == value.type else self.add(ExtractOp(value, [place], element))

    def gather(self, lanes: Sequence[Lane], element: Attribute) -> SSAValue:
        """A vector of lanes of other vectors or scalars; lanes that are None may be anything."""
        used = [lane for lane in lanes if lane is not None]
        sources = list(dict.fromkeys(value for value, _ in used))
        vectors = [value for value in sources if isinstance(value.type, VectorType)]
        if not vectors:
            return self._of_scalars(lanes, element)
        result = self._of_vectors(vectors, lanes)
        for place, lane in enumerate(lanes):
            if lane is not None and not isinstance(lane[0].type, VectorType):
                result = self.add(InsertOp(lane[0], result, [place]))
        return result

    def of_lanes(
        self, result: SSAValue, origins: Sequence[tuple[SSAValue, int] | None]
    ) -> Sequence[SSAValue]:
        """The pieces of `result`, with the elements of `origins`."""
        element = element_of(result.type)
        if element == result.type:
            assert origins[0] is not None
            return [self.element(*origins[0])]
        made: list[SSAValue] = []
        start = 0
        for piece in self.pieces(result.type):
            made.append(self.gather(origins[start : start + piece.size], element))
            start += piece.size
        return made

    def _of_scalars(self, lanes: Sequence[Lane], element: Attribute) -> SSAValue:
        type = vector_type(element, len(lanes))
        used = [lane[0] for lane in lanes if lane is not None]
        if len(set(used)) == 1:
            return self.add(BroadcastOp(used[0], type))
        scalars = [used[0] if lane is None else lane[0] for lane in lanes]
        return self.add(FromElementsOp(scalars, type))

    def _of_vectors(self, vectors: Sequence[SSAValue], lanes: Sequence[Lane]) -> SSAValue:
        if len(vectors) <= 2 and vectors[0].type == vectors[-1].type:
            size = extents_of(vectors[0].type)[0]
            start = {value: k * size for k, value in reversed(list(enumerate(vectors)))}
            mask = [
                start[lane[0]] + lane[1] if lane is not None and lane[0] in start else -1
                for lane in lanes
            ]
            return self.shuffle(vectors[0], vectors[-1], mask)
        result: SSAValue | None = None
        for value in vectors:
            own = [lane[1] if lane is not None and lane[0] is value else -1 for lane in lanes]
            part = self.shuffle(value, value, own)
            if result is None:
                result = part
                continue
            merged = [len(lanes) + k if p >= 0 else k for k, p in enumerate(own)]
            result = self.shuffle(result, part, merged)
        assert result is not None
        return result

    def combine(self, kind: Kind, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        """`lhs kind rhs`, element by element."""
        name = KINDS[kind][is_float(element_of(lhs.type))]
        return self.add(combining_op(name, lhs, rhs))

    def reduce(self, kind: Kind, vectors: Sequence[SSAValue], *, reassociates: bool) -> SSAValue:
        """All elements of some vectors combined to a scalar.

        Floats are summed and multiplied in their order unless `reassociates`.
        """
        element = element_of(vectors[0].type)
        ordered = kind in (Kind.ADD, Kind.MUL) and is_float(element) and not reassociates
        if ordered:
            total: SSAValue | None = None
            for vector in vectors:
                total = self.add(ReductionOp(kind, vector, total))
            assert total is not None
            return total
        by_size: dict[int, SSAValue] = {}
        for vector in vectors:
            size = extents_of(vector.type)[0]
            known = by_size.get(size)
            by_size[size] = vector if known is None else self.combine(kind, known, vector)
        flags = upstream_arith.FastMathFlagsAttr([FastMathFlag.REASSOC])
        fast = flags if is_float(element) and kind in (Kind.ADD, Kind.MUL) else NO_FAST_MATH
        scalars = [self.add(ReductionOp(kind, vector, None, fast)) for vector in by_size.values()]
        result = scalars[0]
        for scalar in scalars[1:]:
            result = self.combine(kind, result, scalar)
        return result
