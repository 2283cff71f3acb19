"""Why onnxruntime rejects a model: the node that its message names."""

from __future__ import annotations

import re
from pathlib import Path

from snippets_mlir.codegen.locks import MAKING


def rejection(model: bytes | Path, message: str) -> str:
    """The error text for a model that onnxruntime rejects, naming the node or all its op types."""
    with MAKING:
        import onnx

    proto = onnx.ModelProto()
    proto.ParseFromString(model.read_bytes() if isinstance(model, Path) else model)
    words = set(re.findall(r"[\w./:-]+", message))
    unknown = [n for n in proto.graph.node if n.domain and f"{n.domain}:{n.op_type}" in words]
    guilty = unknown or [n for n in proto.graph.node if n.name in words]
    guilty = guilty or [n for n in proto.graph.node if n.op_type in words] or [*proto.graph.node]
    shown = ", ".join(
        f"{n.domain + '.' if n.domain else ''}{n.op_type}" + (f" '{n.name}'" if n.name else "")
        for n in guilty[:4]
    )
    text = re.sub(r"\s+", " ", message).strip()
    hint = "; operators of other domains need a plug-in: docs/plugins.md" if unknown else ""
    return f"onnxruntime does not accept the ONNX node {shown}: {text}{hint}"
