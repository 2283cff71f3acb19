"""Shapes of matrix products: MatMul, Gemm, Einsum and the like."""

from __future__ import annotations

from snippets_mlir.frontends.onnx.shapes.dims import Size
from snippets_mlir.frontends.onnx.shapes.types import Shape, UnknownShape
from snippets_mlir.frontends.onnx.shapes.view import NodeView, Out, Rule


def multiplied(node: NodeView, a: Shape, b: Shape) -> Shape:
    """The shape of `a @ b`."""
    if not a or not b:
        raise UnknownShape
    left = a if len(a) > 1 else (1, *a)
    right = b if len(b) > 1 else (*b, 1)
    node.same(left[-1], right[-2])
    batch = node.broadcast(left[:-2], right[:-2])
    rows = left[-2:-1] if len(a) > 1 else ()
    columns = right[-1:] if len(b) > 1 else ()
    return (*batch, *rows, *columns)


def _matmul(node: NodeView) -> list[Out]:
    return [Out(multiplied(node, node.shape(0), node.shape(1)))]


def gemm_shape(node: NodeView) -> Shape:
    """The shape of Gemm's result, [M, N]; `transA` and `transB` swap the dims."""
    a, b = node.shape(0), node.shape(1)
    if len(a) != 2 or len(b) != 2:
        raise UnknownShape
    a = a[::-1] if node.integer("transA") else a
    b = b[::-1] if node.integer("transB") else b
    node.same(a[1], b[0])
    return (a[0], b[1])


def _gemm(node: NodeView) -> list[Out]:
    return [Out(gemm_shape(node))]


def _einsum(node: NodeView) -> list[Out]:
    equation = node.text("equation", "").replace(" ", "")
    left, arrow, right = equation.partition("->")
    terms = left.split(",")
    sizes: dict[str, Size | None] = {}
    dots: Shape = ()
    for index, term in enumerate(terms):
        shape = node.shape(index)
        before, ellipsis, after = term.partition("...")
        if ellipsis:
            end = len(shape) - len(after)
            dots = node.broadcast(dots, shape[len(before) : end])
            shape = (*shape[: len(before)], *shape[end:])
        for letter, size in zip(before + after, shape, strict=True):
            # A size of 1 is broadcast to the others.
            (sizes[letter],) = node.broadcast((sizes.get(letter, 1),), (size,))
    if not arrow:
        once = sorted(c for c in sizes if left.count(c) == 1)
        right = ("..." if "..." in left else "") + "".join(once)
    before, ellipsis, after = right.partition("...")
    middle = dots if ellipsis else ()
    return [Out((*(sizes[c] for c in before), *middle, *(sizes[c] for c in after)))]


RULES: dict[str, Rule] = {
    "Det": lambda n: [Out(n.shape(0)[:-2])],
    "Einsum": _einsum,
    "Gemm": _gemm,
    "MatMul": _matmul,
    "MatMulInteger": _matmul,
    "RotaryEmbedding": lambda n: [Out(n.shape(0))],
}
