"""Checks of nodes that no text of shapes says: axes, indices, numbers of elements, windows.

Gather<axis = 1>(x: [n, 3], i: [0, 3])     an index of 'i' is beyond the 3 places of axis 1
MaxPool<kernel_shape = [9]>(x: [n, 3, 4])  the window of 9 places is larger than the 4 of dim 2
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from snippets_mlir.frontends.onnx.engine_operators import MICROSOFT
from snippets_mlir.frontends.onnx.shapes.dims import Size
from snippets_mlir.frontends.onnx.shapes.index_checks import (
    Check,
    Misfits,
    axis_attribute,
    axis_fits,
    axis_input,
    by_elements,
    by_rows,
    differ,
    indices,
    input_shape,
    spelt,
)
from snippets_mlir.frontends.onnx.shapes.rules.windows import window
from snippets_mlir.frontends.onnx.shapes.types import Shape, UnknownShape
from snippets_mlir.frontends.onnx.shapes.view import NodeView


def _count(shape: Shape) -> int | None:
    """The number of elements, if all sizes are known."""
    sizes = [size for size in shape if isinstance(size, int)]
    return prod(sizes) if len(sizes) == len(shape) else None


def _reaches(shape: Shape, wanted: Sequence[Size | None]) -> bool:
    """Whether `shape` may broadcast to `wanted`."""
    pairs = zip(reversed(shape), reversed(wanted), strict=False)
    return len(shape) <= len(wanted) and not any(a != 1 and differ(a, b) for a, b in pairs)


def _norm(node: NodeView) -> Misfits:
    """Parameters that broadcast to the data, or have the elements of a row."""
    x, axis = input_shape(node, 0), node.integer("axis", -1)
    yield from axis_fits(node, axis)
    if x is None or not -len(x) <= axis < len(x):
        return
    row = x[axis:]
    for index in (1, 2):
        shape = input_shape(node, index)
        if shape is not None and not _reaches(shape, x) and differ(_count(shape), _count(row)):
            found = spelt(shape)
            yield f"'{node.inputs[index]}': expected {spelt(row)} as the rows, found {found}"


def _bias_of_product(a: int, b: int, c: int) -> Check:
    def check(node: NodeView) -> Misfits:
        left, right, bias = input_shape(node, a), input_shape(node, b), input_shape(node, c)
        if left is None or right is None or not len(left) == len(right) == 2:
            return
        inner = left[0 if node.integer("transA") else 1], right[1 if node.integer("transB") else 0]
        if differ(*inner):
            names = f"'{node.inputs[a]}' of {spelt(left)} and '{node.inputs[b]}' of {spelt(right)}"
            yield f"{names}: expected equal inner sizes, found {inner[0]} and {inner[1]}"
        sizes = left[1 if node.integer("transA") else 0], right[0 if node.integer("transB") else 1]
        if bias is not None and not _reaches(bias, sizes):
            yield (
                f"'{node.inputs[c]}' does not broadcast to the product: expected {spelt(sizes)}, "
                f"found {spelt(bias)}"
            )

    return check


def _prelu(node: NodeView) -> Misfits:
    x, slope = input_shape(node, 0), input_shape(node, 1)
    if x is None or slope is None:
        return
    pairs = zip(reversed(x), reversed(slope), strict=False)
    if any(1 not in pair and differ(*pair) for pair in pairs):
        yield f"'{node.inputs[0]}' and '{node.inputs[1]}' do not broadcast"


def _reshape(node: NodeView) -> Misfits:
    """To sizes that are all known but one; 0 stands for a size of the input."""
    x, wanted = input_shape(node, 0), node.integers_of(1)
    if x is None or not wanted or 0 in wanted or wanted.count(-1) > 1 or min(wanted) < -1:
        return
    count, known = _count(x), prod(size for size in wanted if size > 0)
    if count is not None and (count % known if -1 in wanted else count != known):
        yield f"'{node.inputs[0]}' has {count} elements, the shape {known}"


def _transpose(node: NodeView) -> Misfits:
    x, perm = input_shape(node, 0), node.integers("perm")
    if x is not None and perm is not None and len(perm) != len(x):
        yield f"perm: expected {len(x)} dims as '{node.inputs[0]}' has, found {len(perm)}"


def _elements_for_dims(index: int, times: int, axes: int | None) -> Check:
    """An input that has `times` elements for each dim, or each of the axes."""

    def check(node: NodeView) -> Misfits:
        x, found = input_shape(node, 0), input_shape(node, index)
        if x is None or found is None or len(found) != 1 or node.attributes.get("axes"):
            return
        if (axes is not None and node.has(axes)) or found[0] == 0:
            return
        if differ(found[0], times * len(x)):
            name = node.inputs[index]
            yield f"'{name}': expected {times * len(x)} elements, found {found[0]}"

    return check


def _quantised(node: NodeView) -> Misfits:
    """A scale for all, or one for each place of an axis."""
    x, scale, point = (input_shape(node, index) for index in range(3))
    axis = node.integer("axis", 1)
    if x is None or scale is None or node.integer("block_size"):
        return
    if len(scale) == 1 and isinstance(scale[0], int) and scale[0] != 1:
        if not -len(x) <= axis < len(x):
            yield from axis_fits(node, axis)
        elif differ(scale[0], x[axis]):
            yield f"'{node.inputs[1]}': expected {x[axis]} elements, found {scale[0]}"
    if point is not None and differ(_count(point), _count(scale)):
        yield f"'{node.inputs[2]}': expected {spelt(scale)} as the scale, found {spelt(point)}"


def _window(w: int | None) -> Check:
    """A window that fits into its tensor, less than two strides missing."""

    def check(node: NodeView) -> Misfits:
        x, weights = input_shape(node, 0), None if w is None else input_shape(node, w)
        if x is None or (w is not None and weights is None):
            return
        if node.integer("channels_last") or node.op_type == "NhwcMaxPool":
            x = (x[0], x[-1], *x[1:-1])
        given = node.integers("kernel_shape")
        kernel = () if weights is None else weights[2:]
        if given and weights is not None:
            if len(given) != len(kernel) or any(map(differ, given, kernel)):
                name, wanted = node.inputs[w or 0], spelt((*given,))
                yield f"'{name}': expected windows of {wanted}, found {spelt(kernel)}"
                return
        try:
            found = window(node, kernel)
        except UnknownShape:
            return
        if len(found.kernel) != len(x) - 2 or found.auto_pad.startswith("SAME"):
            return
        for dim, size in enumerate(x[2:]):
            width = found.width(dim)
            if not isinstance(size, int) or not isinstance(width, int):
                continue
            room = size + found.pads[dim] + found.pads[dim + len(x) - 2]
            if (missing := width - room) > 0 and 1 - missing // found.strides[dim] < 0:
                yield f"the window of {width} places is larger than the {room} of dim {dim + 2}"

    return check


_BY_ELEMENTS = ("GatherElements", "Scatter", "ScatterElements")
_POOLS = ("AveragePool", "LpPool", "MaxPool")

CHECKS: dict[tuple[str, str], Check] = {
    **{("", name): by_elements for name in _BY_ELEMENTS},
    **{("", name): _window(None) for name in _POOLS},
    **{(domain, "QLinearConv"): _window(3) for domain in ("", MICROSOFT)},
    **{
        (domain, name): _quantised
        for domain in ("", MICROSOFT)
        for name in ("DequantizeLinear", "QuantizeLinear")
    },
    **{("", name): axis_input for name in ("CumProd", "CumSum")},
    **{("", name): by_rows for name in ("GatherND", "ScatterND")},
    ("", "Conv"): _window(1),
    ("", "ConvInteger"): _window(1),
    ("", "Gather"): indices,
    ("", "Gemm"): _bias_of_product(0, 1, 2),
    ("", "LayerNormalization"): _norm,
    ("", "LpNormalization"): axis_attribute(-1),
    ("", "PRelu"): _prelu,
    ("", "Pad"): _elements_for_dims(1, 2, 3),
    ("", "RMSNormalization"): _norm,
    ("", "Reshape"): _reshape,
    ("", "Resize"): _elements_for_dims(2, 1, None),
    ("", "Transpose"): _transpose,
    ("", "Upsample"): _elements_for_dims(1, 1, None),
    (MICROSOFT, "FusedConv"): _window(1),
    (MICROSOFT, "FusedGemm"): _bias_of_product(0, 1, 2),
    (MICROSOFT, "NhwcMaxPool"): _window(None),
    (MICROSOFT, "Pad"): _elements_for_dims(1, 2, 3),
    (MICROSOFT, "QGemm"): _bias_of_product(0, 3, 6),
    (MICROSOFT, "QLinearAveragePool"): _window(None),
}
"""By domain and operator."""
