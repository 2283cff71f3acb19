"""Operators that onnxruntime has in ONNX's domain, but ONNX lacks or has only in later versions.

ONNX's checker refuses them in this domain, so the checker sees them in an unknown domain.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import onnx

from snippets_mlir.frontends.onnx.operator_versions import since

OF_ENGINE = frozenset(("LayerNormalization", "SimplifiedLayerNormalization"))
"""onnxruntime's operators in ONNX's domain, as version 1; ONNX has them later, or never."""

MICROSOFT = "com.microsoft"


def domain_of(proto: onnx.NodeProto | onnx.OperatorSetIdProto) -> str:
    """The domain of a node or an opset; empty for both names of ONNX's own domain."""
    return "" if proto.domain == "ai.onnx" else proto.domain


def opsets_of(imports: Iterable[onnx.OperatorSetIdProto]) -> dict[str, int]:
    """The opset version of each operator domain of a model."""
    return {domain_of(o): o.version for o in imports}


def is_of_engine(node: onnx.NodeProto, opset: int) -> bool:
    """Whether only onnxruntime has a node's operator in ONNX's domain."""
    if node.op_type not in OF_ENGINE or domain_of(node):
        return False
    return since(node.op_type, opset) is None


def _all_nodes(nodes: Iterable[onnx.NodeProto]) -> Iterator[onnx.NodeProto]:
    """The nodes, and those of the graphs in their attributes."""
    for node in nodes:
        yield node
        for attribute in node.attribute:
            for inner in [attribute.g] if attribute.HasField("g") else attribute.graphs:
                yield from _all_nodes(inner.node)


def _operators_of_engine(model: onnx.ModelProto) -> Iterator[onnx.NodeProto]:
    versions = opsets_of(model.opset_import)
    for nodes in (model.graph.node, *(f.node for f in model.functions)):
        for node in _all_nodes(nodes):
            if is_of_engine(node, versions.get("", 1)):
                yield node


def has_operators_of_engine(model: onnx.ModelProto) -> bool:
    """Whether only onnxruntime has the operator of some node in ONNX's domain."""
    return any(True for _ in _operators_of_engine(model))


def move_operators_of_engine(model: onnx.ModelProto) -> None:
    """Put them into a domain that the checker does not know (edits `model`)."""
    for node in _operators_of_engine(model):
        node.domain = MICROSOFT
    for owner in (model, *model.functions):
        if all(opset.domain != MICROSOFT for opset in owner.opset_import):
            owner.opset_import.add(domain=MICROSOFT, version=1)
