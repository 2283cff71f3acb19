"""Convolutions and pooling: a window that moves over the spatial dims.

    (size + pads - dilated window) / stride + 1         without auto_pad
    ceil(size / stride)                                 SAME_UPPER and SAME_LOWER

The first division is C's in onnxruntime: a window larger than the tensor is used once if less than
a stride is missing, and not at all if less than two are missing. For symbolic sizes, inference
assumes that the window is not larger. `ceil_mode` rounds up, without windows that would begin in
the padding after the tensor.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from snippets_mlir.frontends.onnx.shapes.bounds import minimum
from snippets_mlir.frontends.onnx.shapes.dims import Size, ceildiv, floordiv
from snippets_mlir.frontends.onnx.shapes.types import Shape, UnknownShape
from snippets_mlir.frontends.onnx.shapes.view import NodeView, Out, Rule


@dataclass(frozen=True)
class Window:
    """The window of a node, by spatial dim."""

    kernel: Sequence[Size | None]
    strides: Sequence[int]
    dilations: Sequence[int]
    pads: Sequence[int]
    auto_pad: str

    def outputs(self, node: NodeView, sizes: Shape, *, ceil: bool = False) -> Shape:
        """How often the window fits into spatial dims of `sizes`."""
        return tuple(self._output(node, i, size, ceil) for i, size in enumerate(sizes))

    def _output(self, node: NodeView, dim: int, size: Size | None, ceil: bool) -> Size | None:
        stride, width = self.strides[dim], self.width(dim)
        if size is None:
            return None
        if self.auto_pad.startswith("SAME"):
            return ceildiv(size, stride)
        if width is None:
            return None
        before, after = self.pads[dim], self.pads[dim + len(self.kernel)]
        slack = size + (before + after) - width
        if isinstance(slack, int) and slack < 0:  # then ceil_mode makes no difference
            times = 1 - -slack // stride
            return times if times >= 0 else None
        if not ceil:
            return floordiv(node.assumptions.fits(slack), stride) + 1
        return minimum((ceildiv(slack, stride) + 1, ceildiv(size + before, stride)))

    def width(self, dim: int) -> Size | None:
        """The extent of the window, with its gaps."""
        size = self.kernel[dim]
        return None if size is None else (size - 1) * self.dilations[dim] + 1


def window(node: NodeView, kernel: Sequence[Size | None]) -> Window:
    """The window of `node`, whose size is `kernel` unless an attribute says it."""
    kernel = node.integers("kernel_shape") or kernel
    rank = len(kernel)
    auto_pad = node.text("auto_pad", "NOTSET")
    pads = node.integers("pads") if auto_pad in ("NOTSET", "") else None
    found = Window(
        kernel,
        node.integers("strides") or [1] * rank,
        node.integers("dilations") or [1] * rank,
        pads or [0] * 2 * rank,
        auto_pad,
    )
    if not len(found.strides) == len(found.dilations) == rank == len(found.pads) // 2:
        raise UnknownShape
    if min((1, *found.strides, *found.dilations)) < 1:
        raise UnknownShape
    return found


def conv_shape(node: NodeView, x: int, w: int) -> Shape:
    """The shape of a convolution's result; `x` and `w` are the inputs for data and weights."""
    data = node.shape(x)
    weights = node.type(w).shape
    spatial = data[2:]
    if weights is None:
        kernel: Shape = (None,) * len(spatial)
        return (data[0], None, *window(node, kernel).outputs(node, spatial))
    if len(weights) != len(data):
        raise UnknownShape
    return (data[0], weights[0], *window(node, weights[2:]).outputs(node, spatial))


def conv(x: int = 0, w: int = 1, zero_point: int | None = None) -> Rule:
    """The rule of a convolution; its elements are those of `zero_point` if that is given."""

    def rule(node: NodeView) -> list[Out]:
        element = 0 if zero_point is None else node.type(zero_point).element
        return [Out(conv_shape(node, x, w), None, element)]

    return rule


def _conv_transpose(node: NodeView) -> list[Out]:
    data, weights = node.shape(0), node.shape(1)
    found, rank = window(node, weights[2:]), len(data) - 2
    more = node.integers("output_padding") or [0] * rank
    given = node.integers("output_shape")
    channels = weights[1]
    channels = None if channels is None else channels * node.integer("group", 1)
    if given is not None:
        return [Out((data[0], channels, *given[-rank:]))]
    sizes: list[Size | None] = []
    for dim, size in enumerate(data[2:]):
        width, stride = found.width(dim), found.strides[dim]
        if size is None or width is None:
            sizes.append(None)
        elif found.auto_pad.startswith("SAME"):
            sizes.append(size * stride)
        else:
            pads = found.pads[dim] + found.pads[dim + rank]
            sizes.append((size - 1) * stride + more[dim] + width - pads)
    return [Out((data[0], channels, *sizes))]


def pool_shape(node: NodeView, data: Shape) -> Shape:
    """The shape of a pooling of `data`, channels second."""
    kernel = node.integers("kernel_shape")
    if kernel is None or len(kernel) != len(data) - 2:
        raise UnknownShape
    ceil = bool(node.integer("ceil_mode"))
    return (*data[:2], *window(node, kernel).outputs(node, data[2:], ceil=ceil))


def _pool(node: NodeView) -> list[Out]:
    shape = pool_shape(node, node.shape(0))
    return [Out(shape), Out(shape)]


def global_pool(node: NodeView) -> list[Out]:
    """Global pooling: [N, C, 1, ...], one number for each channel."""
    shape = node.shape(0)
    return [Out((*shape[:2], *[1] * (len(shape) - 2)))]


def _max_unpool(node: NodeView) -> list[Out]:
    if node.has(2):
        return [Out(tuple(node.given_sizes("", 2) or ()))]
    data, kernel = node.shape(0), list(node.integers("kernel_shape") or ())
    found, rank = window(node, kernel), len(kernel)
    sizes: list[Size | None] = []
    for dim, size in enumerate(data[2:]):
        rest = kernel[dim] - found.pads[dim] - found.pads[dim + rank]
        sizes.append(None if size is None else (size - 1) * found.strides[dim] + rest)
    return [Out((*data[:2], *sizes))]


def _roi_align(node: NodeView) -> list[Out]:
    size = (node.integer("output_height", 1), node.integer("output_width", 1))
    return [Out((node.shape(1)[0], node.shape(0)[1], *size))]


def _max_roi_pool(node: NodeView) -> list[Out]:
    return [Out((node.shape(1)[0], node.shape(0)[1], *(node.integers("pooled_shape") or ())))]


def _blocks(down: bool) -> Callable[[NodeView], list[Out]]:
    def rule(node: NodeView) -> list[Out]:
        n, c, h, w = node.shape(0)
        b = node.integer("blocksize", 1)

        def by(size: Size | None, factor: int, divide: bool) -> Size | None:
            if size is None:
                return None
            return floordiv(size, factor) if divide else size * factor

        return [Out((n, by(c, b * b, not down), by(h, b, down), by(w, b, down)))]

    return rule


def _grid_sample(node: NodeView) -> list[Out]:
    data = node.shape(0)
    return [Out((*data[:2], *node.shape(1)[1:-1]))]


RULES: dict[str, Rule] = {
    "AveragePool": _pool,
    "Conv": conv(),
    "ConvInteger": conv(),
    "ConvTranspose": _conv_transpose,
    "DeformConv": conv(),
    "DepthToSpace": _blocks(down=False),
    "GlobalAveragePool": global_pool,
    "GlobalLpPool": global_pool,
    "GlobalMaxPool": global_pool,
    "GridSample": _grid_sample,
    "LpPool": _pool,
    "MaxPool": _pool,
    "MaxRoiPool": _max_roi_pool,
    "MaxUnpool": _max_unpool,
    "QLinearConv": conv(0, 3, 7),
    "RoiAlign": _roi_align,
    "SpaceToDepth": _blocks(down=True),
}
