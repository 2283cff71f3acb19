"""Convolutions on channels-last images, if this saves more time than moving the images costs.

    convolution(x, w)                            clone = aten.clone(x, memory_format=channels_last)
    silu                                     ->  convolution(clone, w)
    convolution_1(silu, v)                       silu                      # in the order of images
    mean                                         convolution_1(silu, v)
                                                 mean

oneDNN's convolutions compute with channels innermost. Images in another order are copied to such an
order before each convolution, and its result is copied back. With channels last neither copy is
needed, and kernels compute in the order of their operands. So the input images are copied once, and
the results of the graph keep their original order.

The rows of kernels are then the channels of a pixel. A value per channel, such as the scale of a
batch norm, would be computed again for each pixel. It is therefore marked (`COMPUTED_FIRST` in
`parts.py`), and becomes a separate program, which is called first.

The scales and shifts of channels become parts of the weights (`channel_scales.py`).

A graph is changed if the added copies take less time than the removed copies (`image_copy` of the
machine: oneDNN has better code for wider vectors). Returned images, views of images as rows of
another length, and kernels with operands in both orders count as copies. Unchanged are graphs with
unknown sizes, graphs that call `as_strided` or write to their inputs, convolutions that are
transposed or of another rank, and graphs of training, because the gradient's graph expects the
traced orders of tensors.
"""

from __future__ import annotations

from functools import partial
from importlib import import_module
from math import prod
from typing import Any

from snippets_mlir.frontends.torch.graph import computes, operator_of
from snippets_mlir.integrations.torch.channel_scales import fold_scales
from snippets_mlir.integrations.torch.load import load_torch
from snippets_mlir.integrations.torch.parts import COMPUTED_FIRST
from snippets_mlir.targets.host import host_target
from snippets_mlir.targets.machine import machine

MOST_CHANNELS = 4096
"""Maximal number of elements of a value per channel; larger values are images."""


def with_channels_last(gm: Any, *, fold: bool) -> Any:
    """`gm` with channels-last convolutions, or `gm` itself; it is not changed.

    Args:
        gm: the graph.
        fold: whether scales of channels may become parts of weights, which rounds otherwise.
    """
    if not _may_change(gm):
        return gm
    graph = load_torch().fx.Graph()
    returned = graph.graph_copy(gm.graph, {})
    graph.output(returned)
    changed = load_torch().fx.GraphModule(gm, graph)
    if fold:
        fold_scales(graph, [node for node in graph.nodes if _is_on_images(node)])
    moved = _Change(graph).moved()
    copy = machine(host_target()).image_copy
    if moved is None or copy * moved >= sum(map(_elements_of, _images(gm))):
        return gm
    _mark_values_of_channels(graph)
    return changed


def _is_on_images(node: Any) -> bool:
    """Whether a node is a convolution of two-dimensional images."""
    if operator_of(node) != "convolution" or node.args[6]:
        return False
    x = node.args[0].meta["val"]
    return x.ndim == 4 and x.device.type == "cpu" and x.dtype.is_floating_point


def _images(gm: Any) -> list[Any]:
    """Operands and results of the convolutions, once for each convolution."""
    found = [node for node in gm.graph.nodes if _is_on_images(node)]
    return [value for node in found for value in (node.args[0], node)]


def _may_change(gm: Any) -> bool:
    torch = load_torch()
    if not (torch.backends.mkldnn.enabled and torch.backends.mkldnn.is_available()):
        return False
    if not _images(gm):
        return False
    for node in gm.graph.nodes:
        if node.op in ("call_module", "get_attr"):
            return False
        name = operator_of(node) or ""
        if name == "as_strided" or (name.endswith("_") and not name.startswith("_")):
            return False
        val = node.meta.get("val")
        if isinstance(val, torch.SymInt | torch.SymFloat | torch.SymBool):
            return False
        if isinstance(val, torch.Tensor) and not all(type(size) is int for size in val.shape):
            return False
    return True


def _elements_of(node: Any) -> int:
    return prod(node.meta["val"].shape)


def _mark_values_of_channels(graph: Any) -> None:
    """Mark ops on the graph's inputs whose results are small compared to their readers' results."""
    small = {n for n in graph.nodes if n.op == "placeholder"}
    for node in graph.nodes:
        if node.op != "call_function" or not isinstance(node.meta["val"], load_torch().Tensor):
            continue
        if small.issuperset(node.all_input_nodes) and _elements_of(node) <= MOST_CHANNELS:
            small.add(node)
    for node in small:
        if node.op == "call_function" and computes(node):
            node.meta[COMPUTED_FIRST] = True


class _Change:
    """The change of a graph, with the elements that its copies move."""

    def __init__(self, graph: Any) -> None:
        self.graph = graph
        self.copied = 0
        self.copies: dict[tuple[Any, Any], Any] = {}

    def moved(self) -> int | None:
        """Change the graph; returns the number of copied elements, None if an op refuses its
        operands.
        """
        torch = load_torch()
        nodes = list(self.graph.nodes)
        mode = import_module("torch._guards").detect_fake_mode(
            [n.meta.get("val") for n in nodes if n.op == "placeholder"]
        )
        if mode is None:
            return None
        with mode:
            for node in nodes:
                if node.op == "output":
                    node.args = torch.fx.map_arg(node.args, partial(self._as_before, user=node))
                elif node.op == "call_function" and not self._compute(node):
                    return None
        return self.copied

    def _compute(self, node: Any) -> bool:
        """Set the value of a node from the values of its operands, which may have a new order."""
        torch = load_torch()
        node.meta["before"] = node.meta.get("val")
        if _is_on_images(node):
            image, *others = node.args
            node.args = (self._copy(image, torch.channels_last, node), *others)
        try:
            node.meta["val"] = _value(node)
        except (RuntimeError, ValueError):
            # A view that the new order of dims does not allow.
            node.args = torch.fx.map_arg(node.args, partial(self._as_before, user=node))
            try:
                node.meta["val"] = _value(node)
            except (RuntimeError, ValueError):
                return False
        self._count_orders(node)
        return True

    def _count_orders(self, node: Any) -> None:
        """Operands of one size in several orders: all except those of one order count as copies."""
        if not isinstance(val := node.meta["val"], load_torch().Tensor):
            return
        some = [n.meta["val"] for n in node.all_input_nodes]
        some = [x for x in some if getattr(x, "shape", None) == val.shape]
        if len({x.stride() for x in some}) > 1:
            self.copied += val.numel()

    def _as_before(self, node: Any, user: Any) -> Any:
        """A node, or a copy in the order that its value had before the change."""
        torch = load_torch()
        before, now = node.meta.get("before"), node.meta.get("val")
        if not isinstance(before, torch.Tensor) or before.stride() == now.stride():
            return node
        if before.is_contiguous():
            return self._copy(node, torch.contiguous_format, user)
        if before.is_contiguous(memory_format=torch.channels_last):
            return self._copy(node, torch.channels_last, user)
        self.copied += 1 << 62  # no copy has this order
        return node

    def _copy(self, node: Any, form: Any, user: Any) -> Any:
        """A node in a memory format: itself, or a copy that is created once."""
        if node.meta["val"].is_contiguous(memory_format=form):
            return node
        if (found := self.copies.get((node, form))) is not None:
            return found
        clone = load_torch().ops.aten.clone.default
        with self.graph.inserting_before(user):
            found = self.graph.call_function(clone, (node,), {"memory_format": form})
        found.meta = {**node.meta, "val": _value(found)}
        found.meta.pop("before", None)
        self.copied += _elements_of(node)
        self.copies[node, form] = found
        return found


def _value_of(node: Any) -> Any:
    return node.meta["val"]


def _value(node: Any) -> Any:
    """The fake value of a call."""
    args, kwargs = load_torch().fx.map_arg((node.args, node.kwargs), _value_of)
    return node.target(*args, **kwargs)
