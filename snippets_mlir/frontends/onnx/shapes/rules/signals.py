"""Resizing, Fourier transforms and recurrent networks."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import onnx

from snippets_mlir.frontends.onnx.shapes.dims import Dim, Size, floordiv
from snippets_mlir.frontends.onnx.shapes.rules.shaping import single
from snippets_mlir.frontends.onnx.shapes.types import Shape, UnknownShape
from snippets_mlir.frontends.onnx.shapes.view import NodeView, Out, Rule, normalized


def _resize(node: NodeView) -> list[Out]:
    shape = list(node.shape(0))
    scales_at = 2 if node.version >= 11 else 1
    given = node.integers("axes")
    axes = list(range(len(shape))) if given is None else [normalized(a, len(shape)) for a in given]
    if node.has(3) and node.type(3).shape != (0,):
        if node.text("keep_aspect_ratio_policy", "stretch") != "stretch":
            sizes: Sequence[Size | None] = [None] * len(axes)
        else:
            sizes = node.given_sizes("", 3) or []
    else:
        scales = _scales(node, scales_at, len(axes))
        sizes = [_scaled(shape[a], s) for a, s in zip(axes, scales, strict=True)]
    for axis, size in zip(axes, sizes, strict=True):
        shape[axis] = size
    return [Out(tuple(shape))]


def _upsample(node: NodeView) -> list[Out]:
    shape = node.shape(0)
    given = node.reals("scales")
    scales = _scales(node, 1, len(shape)) if given is None else given
    return [Out(tuple(_scaled(s, f) for s, f in zip(shape, scales, strict=True)))]


def _scales(node: NodeView, index: int, count: int) -> Sequence[Size | float | None]:
    """The factors of a Resize: floats of a constant, or whole numbers that are computed."""
    numbers = node.numbers(index)
    if numbers is not None and numbers.size:
        return numbers.reshape(-1).tolist()
    found = node.sizes(index)
    unknown: list[Size | float | None] = [None] * count
    return found or unknown


def _scaled(size: Size | None, scale: Size | float | None) -> Size | None:
    """`size * scale` rounded down; onnxruntime computes it in float32."""
    if size is None or scale is None:
        return None
    if isinstance(scale, float) and isinstance(size, int):
        return int(np.floor(np.float32(scale) * np.float32(size)))
    if isinstance(scale, Dim):
        return size * scale
    ratio = Fraction(scale)
    if not 0 < max(ratio.denominator, ratio.numerator) <= 1024:
        return None
    return floordiv(size * ratio.numerator, ratio.denominator)


def _recurrent(node: NodeView) -> list[Out]:
    """RNN, GRU and LSTM; `layout` 1 has the batch first."""
    x, weights = node.shape(0), node.type(2).shape
    hidden: Size | None = node.integer("hidden_size") or None
    if hidden is None and weights is not None:
        hidden = weights[2]
    directions = 2 if node.text("direction", "forward") == "bidirectional" else 1
    if node.integer("layout"):
        batch, length = x[0], x[1]
        all_: Shape = (batch, length, directions, hidden)
        last: Shape = (batch, directions, hidden)
    else:
        length, batch = x[0], x[1]
        all_ = (length, directions, batch, hidden)
        last = (directions, batch, hidden)
    return [Out(all_), Out(last), Out(last)]


def _half(size: Size | None) -> Size | None:
    return None if size is None else floordiv(size, 2) + 1


def _dft(node: NodeView) -> list[Out]:
    shape = list(node.shape(0))
    if node.version >= 20:
        given = node.integers_of(2) if node.has(2) else [-2]
        if given is None:
            raise UnknownShape
        axis = normalized(given[0], len(shape))
    else:
        axis = node.axis("axis", 1, len(shape))
    if node.has(1):
        shape[axis] = single(node, 1)
    if node.integer("onesided"):
        inverse = bool(node.integer("inverse"))
        shape[axis] = None if inverse else _half(shape[axis])
        shape[-1] = 1 if inverse else 2
    else:
        shape[-1] = 2
    return [Out(tuple(shape))]


def _stft(node: NodeView) -> list[Out]:
    signal, step = node.shape(0), single(node, 1)
    length = single(node, 3) if node.has(3) else node.shape(2)[0]
    size = signal[1]
    frames = None
    if size is not None and length is not None and isinstance(step, int) and step > 0:
        frames = floordiv(size - length, step) + 1
    bins = _half(length) if node.integer("onesided", 1) else length
    return [Out((signal[0], frames, bins, 2))]


def _taper(node: NodeView) -> list[Out]:
    element = node.integer("output_datatype", onnx.TensorProto.FLOAT)
    return [Out((single(node, 0),), None, element)]


RULES: dict[str, Rule] = {
    **dict.fromkeys(("BlackmanWindow", "HammingWindow", "HannWindow"), _taper),
    **dict.fromkeys(("GRU", "LSTM", "RNN"), _recurrent),
    "DFT": _dft,
    "Resize": _resize,
    "STFT": _stft,
    "Upsample": _upsample,
}
