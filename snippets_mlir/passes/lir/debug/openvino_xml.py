"""Kernels as OpenVINO IR, the XML that Netron opens: `<net>` with `<layers>` and `<edges>`.

There are two graphs, as in the guide's SerializeControlFlow and SerializeDataFlow. The first has
the ops in execution order, loop markers included, with an edge from each op to the next and from a
loop's begin to its end. The second has the computing ops, with an edge for each operand. All other
facts of an op are attributes of its layer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree import ElementTree

from xdsl.ir import OpResult, SSAValue

from snippets_mlir.dialects.builtin.dims import Shape
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of
from snippets_mlir.dialects.lir.markers import LoopBeginOp, LoopEndOp
from snippets_mlir.passes.lir.debug.kernel_view import (
    KernelView,
    OpView,
    Port,
    loop_text,
    port_text,
    text_of,
)

_PRECISIONS = {
    "bf16": "BF16",
    "f16": "FP16",
    "f32": "FP32",
    "f64": "FP64",
    "i1": "BOOL",
    **{f"i{width}": f"I{width}" for width in (8, 16, 32, 64)},
    **{f"ui{width}": f"U{width}" for width in (8, 16, 32, 64)},
}


@dataclass
class Layer:
    """A node of the graph.

    Ports of values are numbered inputs first, then outputs; `before` and `after` are the numbers of
    ports that only give the order of execution.
    """

    name: str
    type: str
    data: dict[str, str]
    inputs: tuple[Port, ...] = ()
    outputs: tuple[Port, ...] = ()
    before: tuple[int, ...] = ()
    after: tuple[int, ...] = ()


Edge = tuple[int, int, int, int]
"""From layer, its port, to layer, its port."""


def _layer_type(name: str) -> str:
    """`snippets.broadcast_move` is a `BroadcastMove`."""
    return "".join(part.capitalize() for part in name.partition(".")[2].split("_")) or name


def _key(name: str) -> str:
    return re.sub(r"\W", "_", name)


def _op_data(view: OpView) -> dict[str, str]:
    """The attributes of an op's layer."""
    data = {"op": view.op.name, "place": str(view.index), "loops": str(list(view.loops))}
    data |= {_key(name): text for name, text in view.properties.items()}
    for kind, ports in (("in", view.inputs), ("out", view.outputs)):
        for index, port in enumerate(ports):
            data[f"{kind}_{index}"] = f"{port.name} {port_text(port.descriptor)}".strip()
    return data


def _precision(value: SSAValue) -> str:
    element = text_of(tensor_of(value).element_type)
    return _PRECISIONS.get(element, element.upper())


def _sizes(port: Port) -> Shape:
    if port.descriptor is not None:
        return port.descriptor.shape
    return shape_of(port.value)


def _write_order(parent: ElementTree.Element, tag: str, numbers: Sequence[int]) -> None:
    if numbers:
        group = ElementTree.SubElement(parent, tag)
        for number in numbers:
            ElementTree.SubElement(group, "port", {"id": str(number), "precision": "UNSPECIFIED"})


def _write_ports(parent: ElementTree.Element, tag: str, ports: Sequence[Port], first: int) -> None:
    if not ports:
        return
    group = ElementTree.SubElement(parent, tag)
    for index, port in enumerate(ports, start=first):
        attributes = {"id": str(index), "precision": _precision(port.value)}
        if tag == "output":
            attributes["names"] = port.name
        element = ElementTree.SubElement(group, "port", attributes)
        for size in _sizes(port):
            ElementTree.SubElement(element, "dim").text = str(size)


def _render(view: KernelView, layers: list[Layer], edges: list[Edge]) -> str:
    net = ElementTree.Element("net", {"name": view.name, "version": "11"})
    nodes = ElementTree.SubElement(net, "layers")
    for index, layer in enumerate(layers):
        node = ElementTree.SubElement(
            nodes,
            "layer",
            {"id": str(index), "name": layer.name, "type": layer.type, "version": "SnippetsOpset"},
        )
        ElementTree.SubElement(node, "data", layer.data)
        _write_ports(node, "input", layer.inputs, 0)
        _write_order(node, "input", layer.before)
        _write_ports(node, "output", layer.outputs, len(layer.inputs))
        _write_order(node, "output", layer.after)
    links = ElementTree.SubElement(net, "edges")
    for edge in edges:
        keys = ("from-layer", "from-port", "to-layer", "to-port")
        ElementTree.SubElement(
            links, "edge", dict(zip(keys, (str(number) for number in edge), strict=True))
        )
    info = ElementTree.SubElement(net, "rt_info")
    ElementTree.SubElement(info, "stage", {"value": view.stage})
    ElementTree.SubElement(info, "scratch", {"value": str(view.scratch)})
    for loop in view.loops.values():
        ElementTree.SubElement(info, f"loop_{loop.id}", {"value": loop_text(loop)})
    ElementTree.indent(net)
    return '<?xml version="1.0"?>\n' + ElementTree.tostring(net, encoding="unicode") + "\n"


def _parameter(port: Port) -> Layer:
    shape = ",".join(str(size) for size in _sizes(port))
    data = {"shape": shape, "element_type": _precision(port.value).lower()}
    return Layer(port.name, "Parameter", data, outputs=(port,))


def _op_layer(op: OpView) -> Layer:
    name = op.outputs[0].name if op.outputs else f"{op.op.name} {op.index}"
    kind = "Result" if op.op.name == "lir.result" else _layer_type(op.op.name)
    return Layer(name, kind, _op_data(op), op.inputs, op.outputs)


def source_of(value: SSAValue) -> SSAValue:
    """The value that a loop marker passes on: into the loop, or out of it."""
    while isinstance(value, OpResult) and isinstance(value.op, LoopBeginOp | LoopEndOp):
        value = value.op.operands[value.index]
    return value


def data_flow_xml(view: KernelView) -> str:
    """The graph of values: no loop markers, an edge for each operand.

    The edge of a carried value comes from its start, and that of a final value from its op.
    """
    ops = [op for op in view.ops if not isinstance(op.op, LoopBeginOp | LoopEndOp)]
    layers = [*map(_parameter, view.arguments), *map(_op_layer, ops)]
    made: dict[SSAValue, tuple[int, int]] = {}
    for index, layer in enumerate(layers):
        for port_index, port in enumerate(layer.outputs, start=len(layer.inputs)):
            made[port.value] = (index, port_index)
    edges = [
        (*made[source_of(port.value)], index, port_index)
        for index, layer in enumerate(layers)
        for port_index, port in enumerate(layer.inputs)
    ]
    return _render(view, layers, edges)


def control_flow_xml(view: KernelView) -> str:
    """The ops in their order of execution.

    Port 0 comes from the previous op and 1 goes to the next; 2 is a loop's end, 3 its begin.
    """
    layers: list[Layer] = []
    edges: list[Edge] = []
    begins: dict[int, int] = {}
    for index, op in enumerate(view.ops):
        layer = Layer(f"{index} {op.op.name}", _layer_type(op.op.name), _op_data(op))
        layer.before = (0,) if index else ()
        layer.after = (1,) if index + 1 < len(view.ops) else ()
        layers.append(layer)
        if index:
            edges.append((index - 1, 1, index, 0))
        if isinstance(op.op, LoopBeginOp | LoopEndOp):
            layer.data["loop"] = loop_text(view.loops[op.op.id])
        if isinstance(op.op, LoopBeginOp):
            begins[op.op.id] = index
            layer.after = (*layer.after, 3)
        elif isinstance(op.op, LoopEndOp):
            edges.append((begins[op.op.id], 3, index, 2))
            layer.before = (*layer.before, 2)
    return _render(view, layers, edges)
