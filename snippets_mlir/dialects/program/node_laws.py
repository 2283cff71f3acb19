"""The laws of single nodes of a `program.graph`, and of the numbers that a graph has.

* P10: `queue` of a graph is `in-order` or `out-of-order`, `queues` is a number from 1 on, which is
  1 for `in-order`, and `arena` a number of bytes.
* P11: no id and no name is empty, and `origin` names a node of the model once.
* P12: an implementation is of a kind that exists, and its `cost` and `scratch` are not negative.
* P13: (before planned) no node has memory.
* P14: (selected) the implementation computes the body: nodes of `snippets` and of plug-ins call
  kernels, the ones that they name; no kernel computes ops of ONNX, checks of indices and other ops
  whose class says why (`WITHOUT_KERNEL`).
"""

from __future__ import annotations

from collections import Counter
from typing import NoReturn

from xdsl.dialects.builtin import IntegerAttr, StringAttr
from xdsl.ir import Operation

from snippets_mlir.dialects.lir.call import CallOp
from snippets_mlir.dialects.onnx.ops import NodeOp as OnnxNodeOp
from snippets_mlir.dialects.program.attributes import Impl, kinds
from snippets_mlir.dialects.program.graph import GraphOp
from snippets_mlir.dialects.program.ids import op_id
from snippets_mlir.dialects.program.node import NodeOp
from snippets_mlir.dialects.snippets.whole_tensor import WholeTensorOp
from snippets_mlir.support.diagnostics import close_match
from snippets_mlir.support.verifying import WrongInside

ORDERS = ("in-order", "out-of-order")
WITHOUT_KERNELS = ("onnxruntime", "reference", "inside")
"""Kinds that call no kernel of the module."""


def fail(graph: GraphOp, law: str, message: str, op: Operation | None = None) -> NoReturn:
    """Raise an error: `op` breaks a law; None stands for the graph itself."""
    raise WrongInside(f"{law}: in @{graph.sym_name.data}: {message}", op or graph)


def check_numbers(graph: GraphOp) -> None:
    """P10."""
    queue = graph.attributes.get("queue", StringAttr("in-order"))
    if not isinstance(queue, StringAttr) or queue.data not in ORDERS:
        fail(graph, "P10", f"expected queue = {' or '.join(map(_quoted, ORDERS))}, found {queue}")
    for name, least in (("arena", 0), ("queues", 1)):
        found = graph.attributes.get(name)
        if found is None:
            continue
        if not isinstance(found, IntegerAttr) or found.value.data < least:
            fail(graph, "P10", f"expected {name} = a number from {least} on, found {found}")
        if name == "queues" and found.value.data > 1 and graph.queue == "in-order":
            fail(
                graph,
                "P10",
                f'expected one queue, or queue = "out-of-order", found {found.value.data} queues',
            )


def check_names(graph: GraphOp) -> None:
    """P11."""
    if "" in graph.input_names:
        fail(graph, "P11", "an input has an empty name")
    for op in graph.block.ops:
        if op_id(op) == "":
            fail(graph, "P11", f"{op.name} has an empty id", op)
        if isinstance(op, NodeOp):
            for name, times in Counter(op.origin_names).items():
                if times > 1:
                    fail(graph, "P11", f'origin of "{op.id.data}" names "{name}" twice', op)
    if "" in graph.output.output_names:
        fail(graph, "P11", "an output has an empty name", graph.output)


def check_nodes(graph: GraphOp) -> None:
    """P12 to P14."""
    for node in graph.nodes:
        if node.how is not None:
            _check_impl(graph, node, node.how)
        if node.slots and not graph.reached("planned"):
            found = f'"{node.id.data}" has mem at the stage "{graph.stage.data}"'
            fail(graph, "P13", f'{found}, expected none before "planned"', node)


def _check_impl(graph: GraphOp, node: NodeOp, impl: Impl) -> None:
    id_, kind = node.id.data, impl.kind
    if kind not in (there := kinds()):
        known = f"impl<...> of {', '.join(there)}"
        match = close_match(kind, there)
        fail(graph, "P12", f"\"{id_}\": expected {known}, found '{kind}'{match}", node)
    for name, number in (("cost", impl.cost), ("scratch", impl.scratch)):
        if number is not None and number < 0:
            fail(graph, "P12", f'"{id_}": expected {name} of 0 or more, found {number}', node)
    if not graph.reached("selected"):
        return
    for op in node.block.ops:
        if isinstance(op, CallOp):
            callee = op.callee.string_value()
            if kind in WITHOUT_KERNELS:
                found = f'"{id_}" calls the kernel @{callee}, found impl<"{kind}">'
                hint = 'expected impl<"snippets">; a body before program-lower-implementations'
                fail(graph, "P14", f"{found}, {hint} can run otherwise", node)
            if impl.symbol not in (None, callee):
                found = f'"{id_}" calls the kernel @{callee}, found impl of @{impl.symbol}'
                fail(graph, "P14", found, node)
        elif kind == "snippets" and (what := _without_kernel(op)) is not None:
            fail(graph, "P14", f'"{id_}": impl<"snippets">, but no kernel computes {what}', node)


def _without_kernel(op: Operation) -> str | None:
    """The name of an op that no kernel computes, with the reason if its class has one."""
    if isinstance(op, OnnxNodeOp):
        return f'"{op.op_type.data}"'
    if isinstance(op, WholeTensorOp) and op.WITHOUT_KERNEL:
        return f"{op.name}: {op.WITHOUT_KERNEL}"
    return None


def _quoted(text: str) -> str:
    return f'"{text}"'
