"""Nodes whose inputs fit in no call, whatever the sizes of the call.

    Conv(x: [n, 3, 8, 8], w: [4, 5, 3, 3])     'x' has 3 channels, the weights are for 5
    Softmax<axis = 4>(x: [n, 3])               refused by ONNX's inference

`is_refused` asks ONNX's inference about every node, once for equal ones: a shape rule looks only at
what its result depends on. That inference does not compare all sizes, and onnxruntime compares the
rest when a node runs. `misfit` compares those: channels, biases, parameters of norms, axes. Sizes
that a call decides fit. Nodes of graphs inside of others are left out, because they may not run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import prod
from typing import TYPE_CHECKING

from snippets_mlir.frontends.onnx.shapes.dims import Size
from snippets_mlir.frontends.onnx.shapes.schemas import onnx_inference, schema_of
from snippets_mlir.frontends.onnx.shapes.types import Shape
from snippets_mlir.frontends.onnx.shapes.view import NodeView

if TYPE_CHECKING:
    from snippets_mlir.frontends.onnx.shapes.infer import InferredShapes

Misfits = Iterator[str]


def is_refused(found: InferredShapes) -> bool:
    """Whether ONNX refuses the types of a node's inputs."""
    seen: set[tuple[object, ...]] = set()
    refused: list[NodeView] = []
    if found.is_refused:
        return True
    for node in found.nodes:
        if any(a.HasField("g") or a.graphs for a in node.proto.attribute):
            continue
        types = (node.type(index) for index in range(len(node.inputs)) if node.has(index))
        if any(not type_.element and type_.other is None for type_ in types):
            continue
        if (key := _signature(node)) not in seen:
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


def _signature(node: NodeView) -> tuple[object, ...]:
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
    for node in found.nodes:
        check = None if node.domain else _CHECKS.get(node.op_type)
        if check is not None and (reason := next(check(node), None)) is not None:
            return f"node {node.label}: {reason}"
    return None


def _differ(a: Size | None, b: Size | None) -> bool:
    return isinstance(a, int) and isinstance(b, int) and a != b


def _shape(node: NodeView, index: int) -> Shape | None:
    return node.type(index).shape if node.has(index) else None


def _parameter(node: NodeView, index: int, what: str, size: Size | None) -> Misfits:
    """A parameter of one dim, whose size is `size`."""
    shape = _shape(node, index)
    if shape is not None and (len(shape) != 1 or _differ(shape[0], size)):
        found = "x".join("?" if s is None else str(s) for s in shape) or "a scalar"
        wanted = f"{size} elements" if isinstance(size, int) else "one dim"
        yield f"'{node.inputs[index]}' is {what}: expected {wanted}, found {found}"


def _conv(node: NodeView) -> Misfits:
    x, w, group = _shape(node, 0), _shape(node, 1), node.integer("group", 1)
    if x is None or w is None or not len(x) == len(w) >= 3:
        return
    if isinstance(w[1], int) and _differ(x[1], w[1] * group):
        yield f"'{node.inputs[0]}' has {x[1]} channels, the weights are for {w[1] * group}"
    yield from _parameter(node, 2, "the bias", w[0])


def _conv_transpose(node: NodeView) -> Misfits:
    x, w, group = _shape(node, 0), _shape(node, 1), node.integer("group", 1)
    if x is None or w is None or not len(x) == len(w) >= 3:
        return
    if _differ(x[1], w[0]):
        yield f"'{node.inputs[0]}' has {x[1]} channels, the weights are for {w[0]}"
    if isinstance(w[1], int):
        yield from _parameter(node, 2, "the bias", w[1] * group)


def _of_channels(*parameters: int) -> Callable[[NodeView], Misfits]:
    """A norm whose parameters have an element for each channel."""

    def check(node: NodeView) -> Misfits:
        x = _shape(node, 0)
        spatial = node.integer("spatial", 1)  # 0: parameters of elements, before version 9
        if spatial and x is not None and len(x) >= 3 and isinstance(x[1], int):
            for index in parameters:
                yield from _parameter(node, index, "a parameter of channels", x[1])

    return check


def _layer_norm(node: NodeView) -> Misfits:
    """Rows of one dim; parameters of several dims broadcast in ways of onnxruntime's own."""
    x = _shape(node, 0)
    yield from _axis(node, node.integer("axis", -1))
    if x and node.integer("axis", -1) in (-1, len(x) - 1) and isinstance(x[-1], int):
        for index in (1, 2):
            shape = _shape(node, index)
            if shape is not None and len(shape) == 1 and shape[0] != 1:
                yield from _parameter(node, index, "a parameter of rows", x[-1])


def _gemm(node: NodeView) -> Misfits:
    a, b, c = (_shape(node, index) for index in range(3))
    if a is None or b is None or c is None or not len(a) == len(b) == 2:
        return
    sizes = a[1 if node.integer("transA") else 0], b[0 if node.integer("transB") else 1]
    if not _reaches(c, sizes):
        yield f"'{node.inputs[2]}' does not broadcast to the product"


def _reaches(shape: Shape, wanted: Sequence[Size | None]) -> bool:
    pairs = zip(reversed(shape), reversed(wanted), strict=False)
    return len(shape) <= len(wanted) and not any(a != 1 and _differ(a, b) for a, b in pairs)


def _prelu(node: NodeView) -> Misfits:
    x, slope = _shape(node, 0), _shape(node, 1)
    if x is None or slope is None:
        return
    pairs = zip(reversed(x), reversed(slope), strict=False)
    if any(1 not in pair and _differ(*pair) for pair in pairs):
        yield f"'{node.inputs[0]}' and '{node.inputs[1]}' do not broadcast"


def _blocks(node: NodeView) -> Misfits:
    x, size = _shape(node, 0), node.integer("blocksize", 1)
    if x is not None and len(x) == 4 and isinstance(x[1], int) and x[1] % (size * size or 1):
        yield f"'{node.inputs[0]}' has {x[1]} channels, which {size * size} does not divide"


def _reshape(node: NodeView) -> Misfits:
    """To sizes that are all known; 0 and -1 stand for sizes of the input."""
    x, wanted = _shape(node, 0), node.integers_of(1)
    if x is None or not wanted or min(wanted) <= 0:
        return
    sizes = [size for size in x if isinstance(size, int)]
    if len(sizes) == len(x) and prod(sizes) != prod(wanted):
        yield f"'{node.inputs[0]}' has {prod(sizes)} elements, the shape {prod(wanted)}"


def _gather(node: NodeView) -> Misfits:
    x, axis, places = _shape(node, 0), node.integer("axis"), node.integers_of(1)
    if x is None or not places or not -len(x) <= axis < len(x):
        return
    if isinstance(size := x[axis], int) and not all(-size <= place < size for place in places):
        yield f"an index of '{node.inputs[1]}' is beyond the {size} places of axis {axis}"


def _axis_attribute(default: int) -> Callable[[NodeView], Misfits]:
    return lambda node: _axis(node, node.integer("axis", default))


def _axis(node: NodeView, axis: int) -> Misfits:
    x = _shape(node, 0)
    if x is not None and not -max(len(x), 1) <= axis < max(len(x), 1):
        yield f"axis {axis} is no dim of '{node.inputs[0]}', whose rank is {len(x)}"


def _axis_input(node: NodeView) -> Misfits:
    for axis in (node.integers_of(1) or [])[:1]:
        yield from _axis(node, axis)


_CHECKS: dict[str, Callable[[NodeView], Misfits]] = {
    "BatchNormalization": _of_channels(1, 2, 3, 4),
    "Conv": _conv,
    "ConvTranspose": _conv_transpose,
    "CumSum": _axis_input,
    "DepthToSpace": _blocks,
    "Gather": _gather,
    "Gemm": _gemm,
    "InstanceNormalization": _of_channels(1, 2),
    "LayerNormalization": _layer_norm,
    "PRelu": _prelu,
    "Reshape": _reshape,
    "ScatterElements": _axis_attribute(0),
}
