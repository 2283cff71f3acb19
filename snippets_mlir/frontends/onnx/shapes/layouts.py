"""Shapes of the inputs of an operator as text, and the first input of a node that has another one.

    Conv    "n group*c *, = m c *, m"        x: [1, 3, 8, 8], w: [4, 5, 3, 3], group = 1
                                             'w': expected ?x3x... beside 'x' of 1x3x8x8, found ...

A comma separates the inputs; one without a text has any shape. ` / ` separates the alternatives of
an input. The text of a shape is a list of dims:

    n  8  _         the size called n, 8, any size
    group*c  c?     a product; c or 1
    *  *s           any number of dims; the same dims wherever the name s is
    =  ()           the same rank as the first input; a scalar

A positive integer attribute of the node is the value of its name; `sizes_of_node` computes others.
Other names are the sizes that they meet first. Sizes that a call decides fit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from math import prod
from typing import TypeAlias

from snippets_mlir.frontends.onnx.shapes.dims import Size
from snippets_mlir.frontends.onnx.shapes.layout_texts import DEFAULTS, sizes_of_node
from snippets_mlir.frontends.onnx.shapes.types import Shape
from snippets_mlir.frontends.onnx.shapes.view import NodeView

Names: TypeAlias = dict[str, "int | Shape"]
"""The sizes of names, and the dims of names with a star."""


class _Differs(Exception):
    """A shape is not the one that a text says."""


def misfits_of(node: NodeView, layout: str) -> Iterator[str]:
    """Inputs of `node` with other shapes than `layout` says, as "expected ..., found ..."."""
    names: Names = {**DEFAULTS, **sizes_of_node(node)}
    names |= {n: a.i for n, a in node.attributes.items() if a.type == a.INT and a.i > 0}
    first = node.type(0).shape
    for index, texts in enumerate(_parts(layout)):
        shape = node.type(index).shape if node.has(index) else None
        if not texts or shape is None:
            continue
        found = _taken(shape, texts, names, None if first is None else len(first))
        if found is None:
            beside = f" beside '{node.inputs[0]}' of {_of(first)}" if index and first else ""
            wanted = " or ".join(_spelt(dims, names) for dims in texts)
            yield f"'{node.inputs[index]}': expected {wanted}{beside}, found {_of(shape)}"
            return
        names = found


@lru_cache(maxsize=256)
def _parts(layout: str) -> tuple[tuple[list[str], ...], ...]:
    """For each input the dims of its alternatives; none for an input without a text."""
    inputs = (text.strip() for text in layout.split(","))
    return tuple(tuple(t.split() for t in text.split(" / ")) if text else () for text in inputs)


def _taken(
    shape: Shape, texts: Iterable[list[str]], names: Names, rank: int | None
) -> Names | None:
    """`names` after `shape` fits one of `texts`; None if it fits none."""
    fitting: list[Names] = []
    for dims in texts:
        found = dict(names)
        try:
            _bind(shape, dims, found, rank)
        except _Differs:
            continue
        fitting.append(found)
    if not fitting:
        return None
    return fitting[0] if len(fitting) == 1 else names


def _bind(shape: Shape, dims: list[str], names: Names, rank: int | None) -> None:
    if dims[0] == "=":
        dims = dims[1:]
        if rank not in (None, len(shape)):
            raise _Differs
    dims = [] if dims == ["()"] else dims
    star = next((i for i, dim in enumerate(dims) if dim.startswith("*")), None)
    if star is None:
        if len(dims) != len(shape):
            raise _Differs
        pairs = zip(dims, shape, strict=True)
    else:
        after = len(dims) - star - 1
        if len(shape) < star + after:
            raise _Differs
        end = len(shape) - after
        _bind_rest(dims[star][1:], shape[star:end], names)
        known = (*dims[:star], *dims[star + 1 :])
        pairs = zip(known, (*shape[:star], *shape[end:]), strict=True)
    for dim, size in pairs:
        if isinstance(size, int):
            _bind_dim(dim, size, names)


def _bind_rest(name: str, sizes: Shape, names: Names) -> None:
    if not name:
        return
    known = names.setdefault(name, sizes)
    if isinstance(known, int) or len(known) != len(sizes):
        raise _Differs
    for a, b in zip(known, sizes, strict=True):
        if isinstance(a, int) and isinstance(b, int) and a != b:
            raise _Differs


def _bind_dim(dim: str, size: int, names: Names) -> None:
    if dim == "_" or (dim.endswith("?") and size == 1):
        return
    known, unknown = _factors(dim, names)
    if not unknown:
        if known != size:
            raise _Differs
    elif len(unknown) == 1 and known > 0:
        if size % known:
            raise _Differs
        names[unknown[0]] = size // known


def _factors(dim: str, names: Mapping[str, int | Shape]) -> tuple[int, list[str]]:
    """The known part of a product, and the names of its unknown factors."""
    factors = dim.rstrip("?").split("*")
    sizes = [int(f) if f.isdigit() else names.get(f) for f in factors]
    unknown = [f for f, size in zip(factors, sizes, strict=True) if not isinstance(size, int)]
    return prod(size for size in sizes if isinstance(size, int)), unknown


def _spelt(dims: list[str], names: Names) -> str:
    words: list[str] = []
    for dim in dims:
        rest = names.get(dim[1:]) if dim.startswith("*") else None
        if isinstance(rest, tuple):
            words += map(_size, rest)
        elif dim.startswith("*"):
            words.append("...")
        elif dim not in ("=", "()"):
            known, unknown = _factors(dim, names)
            named = "*".join(
                [*([str(known)] if known != 1 or not unknown else []), *"?" * len(unknown)]
            )
            words.append("?" if dim == "_" else f"({named} or 1)" if dim[-1] == "?" else named)
    return "x".join(words) or "a scalar"


def _size(size: Size | None) -> str:
    return str(size) if isinstance(size, int) else "?"


def _of(shape: Shape) -> str:
    return "x".join(map(_size, shape)) or "a scalar"
