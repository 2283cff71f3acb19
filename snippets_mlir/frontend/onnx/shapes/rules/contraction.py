"""Products of matrices and attention."""

from __future__ import annotations

from snippets_mlir.frontend.onnx.shapes.dims import Size, floordiv
from snippets_mlir.frontend.onnx.shapes.types import Shape, UnknownShape
from snippets_mlir.frontend.onnx.shapes.view import NodeView, Out, Rule


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
    """The shape of Gemm's result."""
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


def _attention(node: NodeView) -> list[Out]:
    """ONNX's Attention: inputs of rank 4, or of rank 3 with the heads in the last dim."""
    q, k, v = (node.shape(i) for i in range(3))
    heads = _heads(q, node.integer("q_num_heads"))
    kv_heads = _heads(k, node.integer("kv_num_heads"))
    past = node.shape(4) if node.has(4) else None
    length = k[-2] if past is None else _plus(past[2], k[-2])
    k_size = k[3] if len(k) == 4 else _divided(k[2], kv_heads)
    v_size = v[3] if len(v) == 4 else _divided(v[2], kv_heads)
    if len(q) == 4:
        result: Shape = (q[0], q[1], q[2], v_size)
    else:
        width = None if heads is None or v_size is None else heads * v_size
        result = (q[0], q[1], width)
    return [
        Out(result),
        Out((q[0], kv_heads, length, k_size)),
        Out((q[0], kv_heads, length, v_size)),
        Out((q[0], heads, q[-2], length)),
    ]


def _heads(shape: Shape, attribute: int) -> Size | None:
    return shape[1] if len(shape) == 4 else attribute or None


def _plus(a: Size | None, b: Size | None) -> Size | None:
    return None if a is None or b is None else a + b


def _divided(a: Size | None, b: Size | None) -> Size | None:
    return None if a is None or b is None else floordiv(a, b)


RULES: dict[str, Rule] = {
    "Attention": _attention,
    "Det": lambda n: [Out(n.shape(0)[:-2])],
    "Einsum": _einsum,
    "Gemm": _gemm,
    "MatMul": _matmul,
    "MatMulInteger": _matmul,
    "RotaryEmbedding": lambda n: [Out(n.shape(0))],
}
