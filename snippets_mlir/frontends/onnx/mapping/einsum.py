"""Einsum as products, sums and transposes, operand by operand from left to right.

    "bij, bjk -> bik"    snippets.matmul %x, %y
    "bhqd, bkhd -> bhqk" snippets.matmul %x, (transpose %y) {transpose_b}
    "ij, kj -> ij"       sum of %y over k, times %x
    "...ii -> ...i"      the greatest of select(diagonal, %x, -inf) along the last dim

A letter that occurs in only one operand is summed before the product. A size of 1 is broadcast to
the other sizes of its letter. Opaque are equations that do not fit the ranks, and diagonals and
merged dims of unknown sizes. Source: ONNX's definition of Einsum; `numpy.einsum`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from xdsl.ir import SSAValue

from snippets_mlir.dialects.builtin.dims import Dim, Size, product
from snippets_mlir.dialects.builtin.dtypes import numpy_dtype
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of
from snippets_mlir.dialects.snippets.arithmetic import MultiplyOp
from snippets_mlir.dialects.snippets.base import FLOAT, kind_of
from snippets_mlir.dialects.snippets.layout import SqueezeOp, TransposeOp, UnsqueezeOp
from snippets_mlir.dialects.snippets.reduction import ReduceMaxOp, ReduceSumOp
from snippets_mlir.dialects.snippets.selection import SelectOp
from snippets_mlir.dialects.snippets.shapes import DYNAMIC
from snippets_mlir.frontends.onnx.mapping.layout import reshaped
from snippets_mlir.frontends.onnx.node import NodeBuilder, Opaque

Labels = tuple[str, ...]
"""A letter for each dim; `.0`, `.1`, ... are dims of `...`, counted from the last."""


class Term(NamedTuple):
    """A value and the labels of its dims, each once."""

    value: SSAValue
    labels: Labels

    def sizes(self) -> dict[str, Dim]:
        """The size of each label, by label."""
        return dict(zip(self.labels, shape_of(self.value), strict=True))


def parsed(equation: str, ranks: Sequence[int]) -> tuple[list[Labels], Labels]:
    """The labels of each operand and of the result; Opaque if they do not fit the ranks."""
    left, arrow, right = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    if len(terms) != len(ranks):
        raise Opaque(f"Einsum '{equation}' names {len(terms)} operands, found {len(ranks)}")
    operands = [_labels(term, rank, equation) for term, rank in zip(terms, ranks, strict=True)]
    dots = max((labels for labels in map(_of_dots, operands)), key=len)
    if arrow:
        result = _labels(right, len(right.replace("...", "")) + len(dots), equation, dots)
    else:
        letters = sorted(c for c in set(left) - set(".,") if left.count(c) == 1)
        result = (*dots, *letters)
    known = {label for labels in operands for label in labels}
    if len(set(result)) != len(result) or not known.issuperset(result):
        raise Opaque(f"Einsum '{equation}' has a result that its operands do not give")
    return operands, result


def _of_dots(labels: Labels) -> Labels:
    return tuple(label for label in labels if label.startswith("."))


def _labels(term: str, rank: int, equation: str, dots: Labels | None = None) -> Labels:
    before, ellipsis, after = term.partition("...")
    count = rank - len(before) - len(after)
    if not (before + after).isalpha() and before + after:
        raise Opaque(f"Einsum '{equation}' has letters that are none")
    if count < 0 or (count and not ellipsis and dots is None):
        raise Opaque(f"Einsum '{equation}' does not fit an operand of rank {rank}")
    if dots is None:
        dots = tuple(f".{place}" for place in reversed(range(count)))
    return (*before, *(dots if ellipsis else ()), *after)


def build(b: NodeBuilder) -> SSAValue:
    """The value of an Einsum node."""
    values = b.values()
    equation = b.text("equation", "")
    operands, result = parsed(equation, [len(shape_of(v)) for v in values])
    terms = [_diagonal(b, v, labels) for v, labels in zip(values, operands, strict=True)]
    found = terms[0]
    for place, term in enumerate(terms[1:], start=2):
        later = {label for other in terms[place:] for label in other.labels}
        found = _together(b, found, term, later.union(result))
    return _ordered(b, _summed(b, found, result), result)


def _diagonal(b: NodeBuilder, value: SSAValue, labels: Labels) -> Term:
    """A value whose labels differ: elements with equal places in dims of one label."""
    for label in labels:
        first, *others = (dim for dim, other in enumerate(labels) if other == label)
        if not others:
            continue
        size, last = shape_of(value)[first], others[-1]
        if isinstance(size, Size) or size == DYNAMIC or size != shape_of(value)[last]:
            raise Opaque("Einsum of a diagonal whose size is not known")
        ones = [1] * len(labels)
        ones[first] = ones[last] = size
        condition = b.constant(np.eye(size, dtype=np.bool_).reshape(ones))
        chosen = b.emit(SelectOp(condition, value, b.like(_lowest(value), value)))
        rest = tuple(other for dim, other in enumerate(labels) if dim != last)
        return _diagonal(b, b.emit(ReduceMaxOp(chosen, [last])), rest)
    return Term(value, labels)


def _lowest(value: SSAValue) -> float:
    element = tensor_of(value).element_type
    return -np.inf if kind_of(element) == FLOAT else int(np.iinfo(numpy_dtype(element).name).min)


def _summed(b: NodeBuilder, term: Term, kept: Collection[str]) -> Term:
    """The sums over the labels that are not `kept`."""
    axes = [dim for dim, label in enumerate(term.labels) if label not in kept]
    if not axes:
        return term
    labels = tuple(label for label in term.labels if label in kept)
    return Term(b.emit(ReduceSumOp(term.value, axes)), labels)


def _ordered(b: NodeBuilder, term: Term, labels: Labels) -> SSAValue:
    """The value with its dims in the order of `labels`, which are the same."""
    if term.labels == labels:
        return term.value
    return b.emit(TransposeOp(term.value, [term.labels.index(label) for label in labels]))


def _without_ones(b: NodeBuilder, term: Term, other: Term, wanted: Collection[str]) -> Term:
    """The term without dims of size 1 that are larger in the other term, and summed over."""
    sizes = other.sizes()
    axes = [
        dim
        for dim, (label, size) in enumerate(term.sizes().items())
        if label not in wanted and size == 1 and sizes.get(label, 1) not in (1, DYNAMIC)
    ]
    if not axes:
        return term
    labels = tuple(label for dim, label in enumerate(term.labels) if dim not in axes)
    return Term(b.emit(SqueezeOp(term.value, axes)), labels)


def _together(b: NodeBuilder, left: Term, right: Term, wanted: Collection[str]) -> Term:
    """The product of two terms, summed over the unneeded labels."""
    left, right = (
        _without_ones(b, left, right, wanted),
        _without_ones(b, right, left, wanted),
    )
    left = _summed(b, left, {*right.labels, *wanted})
    right = _summed(b, right, {*left.labels, *wanted})
    shared = [label for label in left.labels if label in right.labels]
    batch = tuple(label for label in shared if label in wanted)
    inner = tuple(label for label in shared if label not in wanted)
    if not inner:
        return _multiplied(b, left, right)
    *outer, row = [label for label in left.labels if label not in shared] or [""]
    rows, columns = (row,) if row else (), tuple(n for n in right.labels if n not in shared)
    a, a_transposed = _matrices(b, left, (*batch, *outer), rows, inner)
    c, c_transposed = _matrices(b, right, batch, columns, inner)
    if batch and outer:
        c = b.emit(UnsqueezeOp(c, range(len(batch), len(batch) + len(outer))))
    found = b.product(a, c, a_transposed, not c_transposed)
    sizes = right.sizes() | left.sizes()
    sizes.update(zip(batch, shape_of(found), strict=False))
    labels = (*batch, *outer, *rows, *columns)
    if len(rows) != 1 or len(columns) != 1:
        found = reshaped(b, found, [sizes[label] for label in labels])
    return Term(found, labels)


def _matrices(
    b: NodeBuilder, term: Term, batch: Labels, free: Labels, inner: Labels
) -> tuple[SSAValue, bool]:
    """A term as [batch.., free, inner], or with True as [batch.., inner, free] if it is that."""
    transposed = term.labels == (*batch, *inner, *free) and bool(free)
    groups = (inner, free) if transposed else (free, inner)
    value = _ordered(b, term, (*batch, *groups[0], *groups[1]))
    if len(free) == 1 == len(inner):
        return value, transposed
    sizes = term.sizes()
    shape = [sizes[label] for label in batch]
    return reshaped(b, value, [*shape, *(_size(sizes[n] for n in g) for g in groups)]), transposed


def _size(sizes: Iterable[Dim]) -> Dim:
    found = list(sizes)
    return DYNAMIC if DYNAMIC in found else product(found)


def _multiplied(b: NodeBuilder, left: Term, right: Term) -> Term:
    """The elementwise product, with the dims of the left term, then the dims of only the right."""
    labels = (*left.labels, *(label for label in right.labels if label not in left.labels))
    factors: list[SSAValue] = []
    for term in (left, right):
        order = tuple(label for label in labels if label in term.labels)
        value = _ordered(b, term, order)
        first = labels.index(order[0]) if order else len(labels)
        ones = [d for d in range(first, len(labels)) if labels[d] not in term.labels]
        axes = [dim - first for dim in ones]
        factors.append(b.emit(UnsqueezeOp(value, axes)) if axes else value)
    return Term(b.emit(MultiplyOp(factors[0], factors[1])), labels)
