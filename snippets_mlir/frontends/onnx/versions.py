"""The version of an operator that a node has, and whether a row of the mapping applies to it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import onnx
from onnx import defs, helper

from snippets_mlir.frontends.onnx.engine_operators import domain_of, is_of_engine
from snippets_mlir.frontends.onnx.graph_view import Node
from snippets_mlir.frontends.onnx.node import Row
from snippets_mlir.frontends.onnx.operator_versions import since


def described(proto: onnx.NodeProto, opsets: Mapping[str, int]) -> Node:
    """A node as the mapping sees it; `opsets` has the version of each domain of its model."""
    domain = domain_of(proto)
    version = opsets.get(domain, 1)
    version_since = None if domain else since(proto.op_type, version)
    if version_since is None and is_of_engine(proto, version):
        version_since = 1
    attributes: dict[str, Any] = {a.name: helper.get_attribute_value(a) for a in proto.attribute}
    return Node(
        proto.op_type,
        domain,
        proto.name,
        version,
        version_since,
        tuple(proto.input),
        tuple(proto.output),
        attributes,
    )


def why_no_row(node: Node, row: Row | None) -> str | None:
    """Why `row`, that of the node's operator, does not apply to the node, or None when it does."""
    return _unknown_version(node, row) or _unknown_attribute(node, row)


def _unknown_attribute(node: Node, row: Row | None) -> str | None:
    """Which attributes the builder of `row` does not understand, in words; None for no such."""
    if row is None or row.attributes is None:
        return None
    unknown = [name for name in node.attributes if name not in row.attributes]
    if not unknown:
        return None
    found = f"{', '.join(unknown)} of {node.op_type}"
    words = f"attribute {found} is" if len(unknown) == 1 else f"attributes {found} are"
    known = f"the known ones are {', '.join(row.attributes)}" if row.attributes else "none is known"
    return f"the {words} unknown, {known}"


def _unknown_version(node: Node, row: Row | None) -> str | None:
    if node.domain:
        unknown = f"operators of the domain '{node.domain}' are not compiled"
        return unknown if row is None else None
    newest = defs.onnx_opset_version()
    if node.version > newest:
        return f"opset {node.version} is newer than {newest}, the newest that is known"
    if row is None:
        return f"the operator {node.op_type} is not compiled"
    if node.since not in row.since:
        known = ", ".join(str(v) for v in row.since)
        return f"version {node.since} of {node.op_type} is unknown, the known ones are {known}"
    return None
