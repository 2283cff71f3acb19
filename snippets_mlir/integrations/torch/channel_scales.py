"""Moves scales and shifts of channels into the weights and bias of the preceding convolution.

    scale = mul(...)                                   scale = mul(...)
    shift = add(...)                                   shift = add(...)
    conv = convolution(x, w, b)                    ->  v = mul(w, view(scale, (C, 1, 1, 1)))
    mul_1 = mul(conv, view(scale, (C, 1, 1)))          d = add(mul(b, scale), shift)
    add_1 = add(mul_1, view(shift, (C, 1, 1)))         conv = convolution(x, v, d)
    silu(add_1)                                        silu(conv)

Scale and shift are computed from inputs of the graph, as in batch norm in evaluation. The weights
are inputs, which may have other values in each call, so they are scaled in each call. The program
that computes the scales also scales the weights, and writes them with channels innermost. Torch
would copy them to that order before each convolution. If it would not (weights of one pixel, or of
one channel), and the weights have more elements than the result of the convolution, they stay
unchanged.

The products of weights and scales are rounded, so results differ in the last bits from eager torch.
If a product of weight and scale is beyond the type's range, it is infinite, and the result may also
be infinite. `math="strict"` keeps the order of the operations.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import prod
from typing import Any

from snippets_mlir.frontends.torch.graph import operator_of
from snippets_mlir.integrations.torch.load import load_torch
from snippets_mlir.integrations.torch.parts import COMPUTED_FIRST

RESHAPES = ("_unsafe_view", "reshape", "unsqueeze", "view")
"""Views that keep a value per channel one."""


def fold_scales(graph: Any, convolutions: Iterable[Any]) -> None:
    """Change `graph` where only a scale or a shift reads one of its `convolutions`."""
    for node in convolutions:
        if _may_fold(node):
            _fold(graph, node)


def _may_fold(node: Any) -> bool:
    """Whether scaling the weights takes less time than scaling the result, and rounds as finely."""
    torch = load_torch()
    w = node.args[1].meta["val"]
    if w.dtype not in (torch.float32, torch.float64):
        return False
    copied = not w.is_contiguous(memory_format=torch.channels_last)
    return copied or w.numel() <= node.meta["val"].numel()


def _fold(graph: Any, node: Any) -> None:
    """Fold the ops after a convolution: first scales, then shifts, as long as there are any."""
    torch = load_torch()
    aten = torch.ops.aten
    scales: list[Any] = []
    shifts: list[Any] = []
    last = node
    while (found := _channel_value(node, last)) is not None:
        user, value, scaled = found
        if scaled and shifts:
            break
        (scales if scaled else shifts).append(value)
        last = user
    if not scales:
        return
    first = _hoisted(graph, node, (*scales, *shifts))
    image, weight, bias, *others = node.args
    channels = node.meta["val"].shape[1]
    with graph.inserting_before(node):

        def added(target: Any, *args: Any, **kwargs: Any) -> Any:
            call = graph.call_function(target, args, kwargs)
            call.meta[COMPUTED_FIRST] = True
            first.append(call)
            return call

        for value in scales:
            column = added(aten.view.default, value, [channels, 1, 1, 1])
            weight = added(aten.mul.Tensor, weight, column)
            row = added(aten.view.default, value, [channels])
            bias = None if bias is None else added(aten.mul.Tensor, bias, row)
        for value in shifts:
            row = added(aten.view.default, value, [channels])
            bias = row if bias is None else added(aten.add.Tensor, bias, row)
        weight = added(aten.clone.default, weight, memory_format=torch.channels_last)
    for call in first:
        call.meta[COMPUTED_FIRST] = True
    node.args = (image, weight, bias, *others)
    node.meta["val"] = last.meta["val"]
    chain = _between(node, last)
    last.replace_all_uses_with(node)
    views = [source for user in chain for source in user.all_input_nodes]
    for dead in dict.fromkeys((*reversed(chain), *views)):
        if not dead.users and dead.op == "call_function":
            graph.erase_node(dead)


def _between(node: Any, last: Any) -> list[Any]:
    """The users from the only one of `node` to `last`."""
    chain: list[Any] = []
    while node is not last:
        (node,) = node.users
        chain.append(node)
    return chain


def _channel_value(convolution: Any, node: Any) -> tuple[Any, Any, bool] | None:
    """The only user of `node`, if it scales or shifts channels.

    Returns:
        The user, the value, which has an element for each channel, and whether it scales.
    """
    if len(node.users) != 1:
        return None
    (user,) = node.users
    name = operator_of(user)
    if name not in ("add", "mul") or user.kwargs or len(user.all_input_nodes) != 2:
        return None
    if len(user.args) != 2:
        return None
    one, other = user.args
    value = other if one is node else one
    val, result = value.meta["val"], convolution.meta["val"]
    shape = tuple(val.shape)[-3:]
    fits = shape == (result.shape[1], 1, 1) and prod(val.shape) == result.shape[1]
    same = val.dtype == result.dtype == user.meta["val"].dtype
    if not fits or not same or user.meta["val"].shape != result.shape:
        return None
    if _sources(value) is None:
        return None
    while operator_of(value) in RESHAPES and value.args[0].meta["val"].numel() == val.numel():
        value = value.args[0]
    return user, value, name == "mul"


def _sources(value: Any) -> list[Any] | None:
    """The calls that compute a value only from inputs of the graph; None if it needs others."""
    found: dict[Any, None] = {}
    wanted = [value]
    while wanted:
        node = wanted.pop()
        if node.op == "placeholder" or node in found:
            continue
        if operator_of(node) is None or not node.all_input_nodes or _draws(node):
            return None
        found[node] = None
        wanted += node.all_input_nodes
    return list(found)


def _draws(node: Any) -> bool:
    return load_torch().Tag.nondeterministic_seeded in node.target.tags


def _hoisted(graph: Any, node: Any, values: Iterable[Any]) -> list[Any]:
    """Move the calls that compute `values` before `node`; returns these calls, moved or not."""
    sources = {source for value in values for source in _sources(value) or ()}
    found = [source for source in graph.nodes if source in sources]
    later = False
    for source in list(graph.nodes):
        later = later or source is node
        if later and source in sources:
            node.prepend(source)
    return found
