"""Small ONNX models that compute shapes as exporters do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper, parser

HEADER = '<ir_version: 8, opset_import: ["" : 17]>\n'


def parsed(text: str) -> onnx.ModelProto:
    """The model of its text; values that are declared and never computed are filled with ones."""
    model = parser.parse_model(HEADER + text)
    computed = {n for node in model.graph.node for n in node.output}
    for info in model.graph.value_info:
        if info.name not in computed:
            dims = [d.dim_value for d in info.type.tensor_type.shape.dim]
            array = np.ones(dims, np.float32)
            model.graph.initializer.append(numpy_helper.from_array(array, info.name))
    return model


# Each ends in a value of known shape, though ONNX's inference leaves one unknown.
PATTERNS = {
    "range of a squeezed size": """
        g (int64[b, s] x) => (int64[n] y) {
            shape = Shape (x)
            one = Constant <value_ints = [1]> ()
            size = Gather <axis = 0> (shape, one)
            limit = Squeeze (size)
            start = Constant <value_int = 0> ()
            step = Constant <value_int = 1> ()
            y = Range (start, limit, step)
        }""",
    "slice of a buffer": """
        g (float[b, s, 8] x) => (float[b, n, 8] y)
        <float[1, 64, 8] buffer> {
            shape = Shape <start = 1, end = 2> (x)
            zero = Constant <value_ints = [0]> ()
            one = Constant <value_ints = [1]> ()
            part = Slice (buffer, zero, shape, one)
            y = Add (x, part)
        }""",
    "where of equal into expand": """
        g (float[1, s] x, int64[b] k) => (float[m, n] y) {
            count = Shape (k)
            length = Shape <start = 1> (x)
            minus = Constant <value_ints = [-1, -1]> ()
            wanted = Concat <axis = 0> (count, length)
            two = Constant <value_ints = [2]> ()
            ones = ConstantOfShape <value = int64[1] {1}> (two)
            same = Equal (wanted, minus)
            chosen = Where (same, ones, wanted)
            y = Expand (x, chosen)
        }""",
    "range of a converted size": """
        g (int64[b, s] x) => (float[n] y) {
            shape = Shape (x)
            one = Constant <value_int = 1> ()
            size = Gather <axis = 0> (shape, one)
            limit = Cast <to = 1> (size)
            start = Constant <value_float = 0.0> ()
            step = Constant <value_float = 1.0> ()
            y = Range (start, limit, step)
        }""",
    "topk of a computed number": """
        g (float[b, s] x) => (float[b, n] y, int64[b, n] i) {
            size = Shape <start = 1> (x)
            two = Constant <value_ints = [2]> ()
            k = Div (size, two)
            y, i = TopK (x, k)
        }""",
    "heads": """
        g (float[b, s, 24] x) => (float[b, 4, s, 6] y) {
            shape = Shape <end = 2> (x)
            heads = Constant <value_ints = [4, -1]> ()
            wanted = Concat <axis = 0> (shape, heads)
            z = Reshape (x, wanted)
            y = Transpose <perm = [0, 2, 1, 3]> (z)
        }""",
    "padding of a computed amount": """
        g (float[1, 1, t] x) => (float[1, 1, n] y) {
            size = Shape <start = 2> (x)
            eight = Constant <value_ints = [8]> ()
            rest = Mod (size, eight)
            missing = Sub (eight, rest)
            zeros = Constant <value_ints = [0, 0, 0, 0, 0]> ()
            pads = Concat <axis = 0> (zeros, missing)
            y = Pad (x, pads)
        }""",
}


def feeds_of(model: onnx.ModelProto, sizes: Mapping[str, int]) -> dict[str, Any]:
    """Ones for the inputs, with these sizes for their dims by name."""
    feeds: dict[str, Any] = {}
    for info in model.graph.input:
        tensor = info.type.tensor_type
        shape = [
            d.dim_value if d.HasField("dim_value") else sizes[d.dim_param] for d in tensor.shape.dim
        ]
        feeds[info.name] = np.ones(shape, helper.tensor_dtype_to_np_dtype(tensor.elem_type))
    return feeds


def down_and_up(levels: int) -> onnx.ModelProto:
    """A U-Net: each level halves the size, doubles it again and joins both."""
    lines = ["a0 = Relu (x)"]
    for i in range(levels):
        stride = "kernel_shape = [3, 3], strides = [2, 2], pads = [1, 1, 1, 1]"
        lines.append(f"a{i + 1} = MaxPool <{stride}> (a{i})")
    lines.append(f"u{levels} = Relu (a{levels})")
    for i in reversed(range(levels)):
        lines.append(f'd{i} = Resize <mode = "nearest"> (u{i + 1}, , scales)')
        lines.append(f"u{i} = Concat <axis = 1> (d{i}, a{i})")
    lines.append("s = Constant <value_ints = [0, 1, -1]> ()")
    lines.append(f"f = Reshape (u{levels - 1}, s)")
    lines.append(f"t = Shape (u{levels - 1})")
    lines.append("y = Reshape (f, t)")
    body, scales = "\n".join(lines), "<float[4] scales = {1, 1, 2, 2}>"
    head = f"g (float[n, 2, h, w] x) => (float[n, c, i, j] y) {scales}"
    return parsed(f"{head} {{{body}}}")
