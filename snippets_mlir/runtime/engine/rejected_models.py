"""Why onnxruntime rejects a model: the node that its message names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from snippets_mlir.codegen.locks import MAKING

if TYPE_CHECKING:
    import onnx

_GIVEN_UP = "MODEL_LOAD_CANCELED"
"""The name of onnxruntime's status."""


def _label(node: onnx.NodeProto) -> str:
    name = f" '{node.name}'" if node.name else ""
    return f"{node.domain + '.' if node.domain else ''}{node.op_type}{name}"


def _inputs(node: onnx.NodeProto, shapes: Mapping[str, str]) -> str:
    """The shapes of a node's inputs in words; empty if none is known."""
    if not any(name in shapes for name in node.input):
        return ""
    words = [shapes.get(name, "unknown") for name in node.input if name]
    return f" ({'input' if len(words) == 1 else 'inputs'} {', '.join(words)})"


def _shapes(model: onnx.ModelProto) -> dict[str, str]:
    """The shapes of values of a model, as `3x4`, as far as they are known."""
    from onnx import shape_inference

    try:
        graph = shape_inference.infer_shapes(model).graph
    except Exception:  # errors of several classes; the model is known to be invalid
        graph = model.graph
    shapes = {t.name: _words(t.dims) for t in graph.initializer}
    for info in (*graph.input, *graph.value_info):
        if info.type.tensor_type.HasField("shape"):
            dims = info.type.tensor_type.shape.dim
            sizes = [d.dim_value if d.HasField("dim_value") else d.dim_param or "?" for d in dims]
            shapes.setdefault(info.name, _words(sizes))
    return shapes


def _words(sizes: Iterable[int | str]) -> str:
    return "x".join(map(str, sizes)) or "scalar"


def rejection(model: bytes | Path, message: str) -> str:
    """The error text for a model that onnxruntime rejects, naming the node or all its op types.

    The text is `message` if it was told to give up: a large model is not read for this.
    """
    if _GIVEN_UP in message:
        return message
    with MAKING:
        import onnx
        from google.protobuf.message import DecodeError

    text = re.sub(r"\s+", " ", message).strip()
    proto = onnx.ModelProto()
    try:
        proto.ParseFromString(model.read_bytes() if isinstance(model, Path) else model)
    except (DecodeError, OSError):  # no model, or a file that cannot be read
        return f"onnxruntime does not accept the model: {text}"
    words = set(re.findall(r"[\w./:-]+", message))
    unknown = [n for n in proto.graph.node if n.domain and f"{n.domain}:{n.op_type}" in words]
    guilty = unknown or [n for n in proto.graph.node if n.name in words]
    guilty = guilty or [n for n in proto.graph.node if n.op_type in words] or [*proto.graph.node]
    shapes = _shapes(proto)
    shown = ", ".join(_label(n) + _inputs(n, shapes) for n in guilty[:4])
    hint = ""
    if unknown:
        names = ", ".join(dict.fromkeys(a.name for n in unknown for a in n.attribute))
        knows = f" that knows their attributes ({names})" if names else ""
        hint = f"; operators of other domains need a plug-in{knows}: docs/plugins.md"
    return f"onnxruntime does not accept the ONNX node {shown}: {text}{hint}"
