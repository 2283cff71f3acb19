"""`np.einsum` of traced arrays, as matrix products.

    np.einsum("bhqd,bhkd->bhqk", q, k)      matmul(q, transpose(k, (0, 1, 3, 2)))
    np.einsum("ij,j,kj->ik", x, y, z)       matmul(x * y, transpose(z))
    np.einsum("ii->i", x), ("ij->j", x)     diagonal(x), sum(x, 0)

Operands are combined from the left, two at a time. Labels that both have and that nothing later
needs are the terms of a matrix product; without such labels it is an elementwise product. The dims
of an ellipsis are labels, counted from the last one. As in NumPy, a dim of size 1 broadcasts to any
size, and the result has the type of the operands.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from snippets_mlir.frontends.numpy.arrays import TracedArray, fn, operand_of, trace_of
from snippets_mlir.frontends.numpy.products import matmul
from snippets_mlir.frontends.numpy.trace import refuse

Labels = tuple[str, ...]
Term = tuple[Any, Labels]
"""An array and the labels of its dims."""


def einsum(*operands: Any, optimize: Any = False) -> Any:
    """`np.einsum(subscripts, *arrays)`; `optimize` changes nothing."""
    subscripts, *arrays = operands
    if not isinstance(subscripts, str):
        refuse("np.einsum: write the subscripts as a text, as in np.einsum('ij,jk->ik', x, y)")
    given, arrow, result = subscripts.replace(" ", "").partition("->")
    texts = given.split(",")
    if len(texts) != len(arrays):
        refuse(f"np.einsum: {len(texts)} subscripts for {len(arrays)} arrays")
    dtype = np.result_type(*(operand_of(x).promoted for x in arrays))
    trace = trace_of(*arrays)
    dims = [_labels(text, np.ndim(x)) for text, x in zip(texts, arrays, strict=True)]
    ellipsis = max((tuple(c for c in some if len(c) > 1) for some in dims), key=len)
    if arrow:
        wanted = _labels(result, len(result.replace("...", "")) + len(ellipsis))
    else:
        letters = "".join(texts).replace(".", "")
        wanted = (*ellipsis, *sorted(c for c in set(letters) if letters.count(c) == 1))
    _check(dims, wanted, [np.shape(x) for x in arrays])
    wide = np.dtype(np.int32) if dtype.kind == "b" else dtype
    values = [TracedArray(trace, operand_of(x).value(trace, wide)) for x in arrays]
    terms = [_diagonal(value, some) for value, some in zip(values, dims, strict=True)]
    found = terms[0]
    for place, term in enumerate(terms[1:], 2):
        needed = {*wanted, *(label for _, some in terms[place:] for label in some)}
        found = _product(found, term, needed)
    array, labels = _summed(found, set(wanted))
    array = fn.transpose(array, [labels.index(label) for label in wanted])
    return array != 0 if dtype.kind == "b" else array


def _labels(text: str, rank: int) -> Labels:
    """The label of each dim; dims of an ellipsis are `...0` for the last one, `...1` before it."""
    before, dots, after = text.partition("...")
    if not all(c.isascii() and c.isalpha() for c in before + after):
        refuse(f"np.einsum: '{text}' is no list of letters")
    more = rank - len(before) - len(after)
    if more < 0 or (more and not dots):
        refuse(f"np.einsum: '{text}' for an array of {rank} dims")
    return (*before, *(f"...{k}" for k in reversed(range(more))), *after)


def _check(dims: Sequence[Labels], wanted: Labels, shapes: Sequence[tuple[int, ...]]) -> None:
    """Refuse sizes that do not fit, and results with repeated or unknown labels."""
    sizes: dict[str, int] = {}
    for labels, shape in zip(dims, shapes, strict=True):
        own: dict[str, int] = {}  # where a label is twice, sizes of 1 do not broadcast
        for label, size in zip(labels, shape, strict=True):
            known = own.get(label, sizes.setdefault(label, size))
            if known != size and (label in own or size != 1 != known):
                refuse(f"np.einsum: the dims '{label}' have the sizes {known} and {size}")
            sizes[label] = size if sizes[label] == 1 else sizes[label]
            own[label] = size
    for label in wanted:
        if label not in sizes or wanted.count(label) > 1:
            refuse(f"np.einsum: the result has '{label}', which has to be there once in both")


def _diagonal(array: Any, labels: Labels) -> Term:
    """Without labels that are twice there: the places at which both are the same."""
    for label in dict.fromkeys(labels):
        while labels.count(label) > 1:
            first = labels.index(label)
            second = labels.index(label, first + 1)
            kept = tuple(c for axis, c in enumerate(labels) if axis not in (first, second))
            array, labels = fn.diagonal(array, 0, first, second), (*kept, label)
    return array, labels


def _summed(term: Term, needed: set[str]) -> Term:
    """The sums along the dims that nothing needs."""
    array, labels = term
    axes = tuple(axis for axis, label in enumerate(labels) if label not in needed)
    if axes:
        array = fn.sum(array, axis=axes, dtype=array.dtype)
    return array, tuple(label for label in labels if label in needed)


def _without_ones(term: Term, other: Term) -> Term:
    """A term without its dims of size 1 which the other term has."""
    array, labels = term
    axes = [a for a, c in enumerate(labels) if c in other[1] and np.shape(array)[a] == 1]
    left = tuple(c for axis, c in enumerate(labels) if axis not in axes)
    return (fn.squeeze(array, tuple(axes)) if axes else array), left


def _product(first: Term, second: Term, needed: set[str]) -> Term:
    first = _without_ones(first, second)
    second = _without_ones(second, first)
    (a, of_a), (b, of_b) = (
        _summed(term, needed | set(other[1])) for term, other in ((first, second), (second, first))
    )
    batch = [c for c in of_a if c in of_b and c in needed]
    terms = [c for c in of_a if c in of_b and c not in needed]
    left, right = (
        [c for c in some if c not in other] for some, other in ((of_a, of_b), (of_b, of_a))
    )
    sizes = dict(zip((*of_a, *of_b), (*np.shape(a), *np.shape(b)), strict=True))

    def ordered(array: Any, labels: Labels, order: Sequence[str]) -> Any:
        return fn.transpose(array, [labels.index(label) for label in order])

    def counts(*groups: Sequence[str]) -> list[int]:
        return [prod(sizes[label] for label in group) for group in groups]

    both = [sizes[label] for label in batch]
    x = ordered(a, of_a, [*batch, *left, *terms])
    y = ordered(b, of_b, [*batch, *terms, *right])
    if terms:
        x = fn.reshape(x, (*both, *counts(left, terms)))
        y = fn.reshape(y, (*both, *counts(terms, right)))
        found = matmul(x, y)
    else:
        x = fn.reshape(x, (*both, *counts(left), 1))
        y = fn.reshape(y, (*both, 1, *counts(right)))
        found = fn.multiply(x, y)
    labels = (*batch, *left, *right)
    return fn.reshape(found, [sizes[label] for label in labels]), labels
