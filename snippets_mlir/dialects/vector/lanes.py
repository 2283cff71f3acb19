"""The source of each element of a result: one definition for all ops that only move elements.

    vector.transpose %a, [1, 0] : vector<2x3xf32> to vector<3x2xf32>

has the lanes `(0, 0), (0, 3), (0, 1), (0, 4), (0, 2), (0, 5)`: element 1 of the result, counted row
by row, is element 3 of operand 0, and so on. A scalar is one element; None is an element without a
value. The folder, the lowering to machine vectors and the interpreter all read lanes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import product
from math import prod
from typing import cast

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, IntegerAttr
from xdsl.ir import Attribute, Operation

from snippets_mlir.dialects.builtin.shaped import extents_of

Lane = tuple[int, int] | None


@lru_cache(maxsize=4096)
def strides_of(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The row-major strides of a dense array, in elements."""
    return tuple(prod(shape[d + 1 :]) for d in range(len(shape)))


def flat_index(index: Iterable[int], shape: tuple[int, ...]) -> int:
    """The row-major number of an element."""
    return sum(i * s for i, s in zip(index, strides_of(shape), strict=True))


def indices_of(shape: Sequence[int]) -> Iterable[tuple[int, ...]]:
    """All indices of a shape, in row-major order."""
    return product(*(range(size) for size in shape))


def integers_in(attribute: Attribute) -> tuple[int, ...]:
    """The integers of `array<i64: ...>` or `[1, 2]`."""
    if isinstance(attribute, DenseArrayBase):
        return tuple(int(v) for v in attribute.get_values())
    assert isinstance(attribute, ArrayAttr)
    return tuple(entry.value.data for entry in cast(ArrayAttr[IntegerAttr], attribute))


def _broadcast(op: Operation) -> Sequence[Lane]:
    source = extents_of(op.operands[0].type)
    target = extents_of(op.results[0].type)
    lead = len(target) - len(source)
    return [
        (
            0,
            flat_index(
                (0 if size == 1 else i for i, size in zip(index[lead:], source, strict=True)),
                source,
            ),
        )
        for index in indices_of(target)
    ]


def _position(op: Operation) -> tuple[int, ...] | None:
    """The static position of an extract or insert, None when it is dynamic or poison."""
    values = integers_in(op.properties["static_position"])
    return None if any(value < 0 for value in values) else values


def _extract(op: Operation) -> Sequence[Lane] | None:
    position = _position(op)
    if position is None:
        return None
    source = extents_of(op.operands[0].type)
    start = flat_index((*position, *(0 for _ in source[len(position) :])), source)
    return [(0, start + k) for k in range(prod(source[len(position) :]))]


def _insert(op: Operation) -> Sequence[Lane] | None:
    position = _position(op)
    if position is None:
        return None
    shape = extents_of(op.operands[1].type)
    start = flat_index((*position, *(0 for _ in shape[len(position) :])), shape)
    lanes: list[Lane] = [(1, k) for k in range(prod(shape))]
    size = prod(shape[len(position) :])
    lanes[start : start + size] = [(0, k) for k in range(size)]
    return lanes


def _shuffle(op: Operation) -> Sequence[Lane]:
    shape = extents_of(op.operands[0].type)
    rows = shape[0] if shape else 1
    size = prod(shape[1:])
    lanes: list[Lane] = []
    for row in integers_in(op.properties["mask"]):
        for k in range(size):
            operand, place = (0, row) if row < rows else (1, row - rows)
            lanes.append(None if row < 0 else (operand, place * size + k))
    return lanes


def _transpose(op: Operation) -> Sequence[Lane]:
    source = extents_of(op.operands[0].type)
    order = integers_in(op.properties["permutation"])
    strides = strides_of(source)
    return [
        (0, sum(i * strides[d] for i, d in zip(index, order, strict=True)))
        for index in indices_of([source[d] for d in order])
    ]


def _same(op: Operation) -> Sequence[Lane]:
    return [(0, k) for k in range(prod(extents_of(op.results[0].type)))]


def _extract_slice(op: Operation) -> Sequence[Lane]:
    source = extents_of(op.operands[0].type)
    start, step = _slice(op, len(source))
    return [
        (0, flat_index((s + i * t for i, s, t in zip(index, start, step, strict=True)), source))
        for index in indices_of(extents_of(op.results[0].type))
    ]


def _insert_slice(op: Operation) -> Sequence[Lane]:
    source, target = (extents_of(value.type) for value in op.operands)
    start = integers_in(op.properties["offsets"])
    step = (
        *(1 for _ in target[: len(target) - len(source)]),
        *integers_in(op.properties["strides"]),
    )
    lanes: list[Lane] = [(1, k) for k in range(prod(target))]
    lead = len(target) - len(source)
    for k, index in enumerate(indices_of(source)):
        whole = (*(0 for _ in range(lead)), *index)
        place = (s + i * t for i, s, t in zip(whole, start, step, strict=True))
        lanes[flat_index(place, target)] = (0, k)
    return lanes


def _slice(op: Operation, rank: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Offsets and strides of all dimensions; omitted dimensions are whole."""
    offsets = integers_in(op.properties["offsets"])
    strides = integers_in(op.properties["strides"])
    return (
        (*offsets, *(0 for _ in range(rank - len(offsets)))),
        (*strides, *(1 for _ in range(rank - len(strides)))),
    )


def _interleave(op: Operation) -> Sequence[Lane]:
    return [(side, k) for k in range(prod(extents_of(op.operands[0].type))) for side in (0, 1)]


def _from_elements(op: Operation) -> Sequence[Lane]:
    return [(k, 0) for k in range(len(op.operands))]


_LANES: dict[str, Callable[[Operation], Sequence[Lane] | None]] = {
    "vector.broadcast": _broadcast,
    "vector.extract": _extract,
    "vector.extract_strided_slice": _extract_slice,
    "vector.from_elements": _from_elements,
    "vector.insert": _insert,
    "vector.insert_strided_slice": _insert_slice,
    "vector.interleave": _interleave,
    "vector.shape_cast": _same,
    "vector.shuffle": _shuffle,
    "vector.transpose": _transpose,
}


def lanes_of(op: Operation) -> Sequence[Sequence[Lane]] | None:
    """The lanes of each result; None for an op that computes or whose position is dynamic."""
    if op.name == "vector.deinterleave":
        size = prod(extents_of(op.results[0].type))
        return [[(0, 2 * k + side) for k in range(size)] for side in (0, 1)]
    if op.name == "vector.to_elements":
        return [[(0, k)] for k in range(len(op.results))]
    find = _LANES.get(op.name)
    lanes = None if find is None else find(op)
    return None if lanes is None else [lanes]


def moves_elements(op: Operation) -> bool:
    """Whether `op` is an op that `lanes_of` may support."""
    return op.name in _LANES or op.name in ("vector.deinterleave", "vector.to_elements")
