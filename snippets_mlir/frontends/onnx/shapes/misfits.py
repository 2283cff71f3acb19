"""Nodes whose inputs fit in no call, whatever the sizes of the call.

    Conv(x: [n, 3, 8, 8], w: [4, 5, 3, 3])     'w': expected ?x3x..., found 4x5x3x3
    Softmax<axis = 4>(x: [n, 3])               refused by ONNX's inference

`is_refused` asks ONNX's inference about every node, once for equal ones: a shape rule looks only at
what its result depends on. That inference does not compare all sizes, and onnxruntime compares the
rest when a node runs. `misfit` compares those, as `layout_texts.py` and `misfit_checks.py` say.
Sizes that a call decides fit. `misfit` leaves out nodes of graphs inside of others that may not
run; onnxruntime refuses types that contradict each other in these too, so `is_refused` does not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from snippets_mlir.frontends.onnx.shapes.layout_texts import text_of
from snippets_mlir.frontends.onnx.shapes.layouts import misfits_of
from snippets_mlir.frontends.onnx.shapes.misfit_checks import CHECKS
from snippets_mlir.frontends.onnx.shapes.rules.control import surely_runs
from snippets_mlir.frontends.onnx.shapes.schemas import onnx_inference, schema_of
from snippets_mlir.frontends.onnx.shapes.view import NodeView

if TYPE_CHECKING:
    from snippets_mlir.frontends.onnx.shapes.infer import InferredShapes


def is_refused(found: InferredShapes) -> bool:
    """Whether ONNX refuses the types of a node's inputs."""
    return found.is_refused or _are_refused(found.nodes, set())


def _are_refused(nodes: Sequence[NodeView], seen: set[tuple[object, ...]]) -> bool:
    refused: list[NodeView] = []
    for node in nodes:
        if any(a.HasField("g") or a.graphs for a in node.proto.attribute):
            if any(_are_refused(body.nodes, seen) for body in node.bodies):
                return True
            continue
        types = (node.type(index) for index in range(len(node.inputs)) if node.has(index))
        if any(not type_.element and type_.other is None for type_ in types):
            continue
        if (key := signature(node)) not in seen:
            seen.add(key)
            onnx_inference(node, refused.append)
            if refused or _have_types_that_differ(node):
                return True
    return False


def _have_types_that_differ(node: NodeView) -> bool:
    """Whether inputs that have one element type by the operator's schema have two."""
    schema = schema_of(node.op_type, node.version, node.domain)
    bound: dict[str, int] = {}
    for index, formal in enumerate(() if schema is None else schema.inputs):
        element = node.type(index).element
        if formal.is_homogeneous and element:
            if bound.setdefault(formal.type_str, element) != element:
                return True
    return False


def signature(node: NodeView) -> tuple[object, ...]:
    """What ONNX's inference of a node depends on."""
    attributes = sorted(a.SerializeToString() for a in node.proto.attribute)
    types: list[object] = []
    for index in range(len(node.inputs)):
        known, type_ = node.known(index), node.type(index)
        data = None if known is None or known.tensor is None else known.tensor.SerializeToString()
        types.append((type_.element, str(type_.shape), str(type_.other or ""), data))
    return node.op_type, node.domain, len(node.outputs), (*attributes,), (*types,)


def misfit(found: InferredShapes) -> str | None:
    """The first node whose inputs fit in no call, and why.

    Also one that nothing reads: onnxruntime runs it.
    """
    return next(_misfits(found.nodes), None)


def _misfits(nodes: Sequence[NodeView]) -> Iterator[str]:
    for node in nodes:
        if (layout := text_of(node)) is not None:
            yield from (f"node {node.label}: {reason}" for reason in misfits_of(node, layout))
        if (check := CHECKS.get((node.domain, node.op_type))) is not None:
            yield from (f"node {node.label}: {reason}" for reason in check(node))
        if node.bodies and surely_runs(node):
            yield from _misfits(node.bodies[0].nodes)
