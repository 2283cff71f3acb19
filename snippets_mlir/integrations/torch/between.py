"""Torch ops between programs, with fewer and faster calls.

    view = aten.view.default(mm, [64, 4, 32])          known = known_strides(mm, (128, 1))
    permute = aten.permute.default(view, [1, 0, 2]) -> permute = reinterpret(known, (4, 64, 32),
                                                           (32, 128, 1), 0)
    aten.addmm.default(b, x, w)                     -> torch.addmm(b, x, w)

A view takes torch longer than a kernel on a small tensor, and graphs have chains of views. If the
sizes and strides are numbers, a chain becomes one tensor on the memory of its base tensor. Its
offset counts from the first element of the base. `known_strides` compares the strides with the
traced strides, and copies a tensor that torch made with other strides.

Views that the graph returns, and the views they are made of, stay unchanged: torch then knows that
both share memory, and gradients depend on this if one is written later. Views of another element
type, and of sizes from the call, also stay.

The ops in `FUNCTIONS` are called by torch's functions of the same name: a call of an op's overload
takes longer, because it looks up its schema.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from snippets_mlir.frontends.torch.graph import is_getitem
from snippets_mlir.integrations.torch.load import load_torch

FUNCTIONS = (
    "_scaled_dot_product_flash_attention_for_cpu",
    "addmm",
    "baddbmm",
    "bmm",
    "convolution",
    "mm",
)
"""Ops of torch with Python functions that take the op's arguments."""


def known_strides(tensor: Any, strides: tuple[int, ...]) -> Any:
    """`tensor`, or a copy with these strides if it has other strides."""
    if tensor.stride() == strides:
        return tensor
    like = load_torch().empty_strided(tensor.shape, strides, dtype=tensor.dtype)
    return like.copy_(tensor)


def _name_of(node: Any) -> str:
    """The name of the op that a node calls, as `aten::view`; empty if it calls no torch op."""
    schema = getattr(node.target, "_schema", None)
    return "" if node.op != "call_function" or schema is None else str(schema.name)


def _makes_views(node: Any) -> bool:
    name = _name_of(node)
    return bool(name) and (name == "aten::_unsafe_view" or getattr(node.target, "is_view", False))


def _makes_parts(node: Any) -> bool:
    """Whether a node makes several views of its operand."""
    return _makes_views(node) and isinstance(node.meta.get("val"), list | tuple)


def _source(node: Any) -> Any:
    """What a node is a view of, or a part of several views; None for other nodes."""
    if is_getitem(node) and _makes_parts(node.args[0]):
        node = node.args[0]
    elif _makes_parts(node) or not _makes_views(node):
        return None
    source = node.args[0] if node.args else None
    return source if hasattr(source, "meta") else None


def _is_plain(value: Any) -> bool:
    torch = load_torch()
    if not isinstance(value, torch.Tensor) or value.layout is not torch.strided:
        return False
    numbers = (*value.shape, *value.stride(), value.storage_offset())
    if value.device.type != "cpu" or value.is_neg() or value.is_conj():
        return False
    return all(type(number) is int for number in numbers)


def _is_reinterpretable(view: Any, source: Any) -> bool:
    """Whether both are on the same memory, with sizes and strides that are numbers."""
    values = [node.meta.get("val") for node in (view, source)]
    if not all(_is_plain(value) for value in values):
        return False
    one, other = values
    return (
        one.dtype == other.dtype and one.untyped_storage()._cdata == other.untyped_storage()._cdata
    )


def _returned_views(graph: Any) -> set[Any]:
    """The views that the graph returns, and the views that these are made of."""
    found: set[Any] = set()
    for node in reversed(list(graph.nodes)):
        if any(user.op == "output" or user in found for user in node.users) and (
            _source(node) is not None or _makes_parts(node)
        ):
            found.add(node)
    return found


def _reinterpret_views(graph: Any) -> None:
    reinterpret = getattr(import_module("torch._C._dynamo.guards"), "_reinterpret_tensor", None)
    if reinterpret is None:  # another version of torch
        return
    known: dict[Any, Any] = {}
    bases: dict[Any, Any] = {}
    kept = _returned_views(graph)
    for node in list(graph.nodes):
        source = _source(node)
        if source is None or node in kept or not _is_reinterpretable(node, source):
            continue
        base = bases.get(source, source)
        value, of = node.meta["val"], base.meta["val"]
        with graph.inserting_before(node):
            if base not in known:
                known[base] = graph.call_function(known_strides, (base, tuple(of.stride())))
            offset = value.storage_offset() - of.storage_offset()
            arguments = (known[base], tuple(value.shape), tuple(value.stride()), offset)
            view = graph.call_function(reinterpret, arguments)
        bases[view] = base
        view.meta = dict(node.meta)
        node.replace_all_uses_with(view)
    ours = (reinterpret, known_strides)
    for node in reversed(list(graph.nodes)):
        if not node.users and (
            node.target in ours or _source(node) is not None or _makes_parts(node)
        ):
            graph.erase_node(node)


def shorten_calls(gm: Any) -> None:
    """Change the graph of `gm`, which already has its programs; its results stay the same."""
    _reinterpret_views(gm.graph)
    functions = load_torch()._C._VariableFunctions
    for node in gm.graph.nodes:
        namespace, _, name = _name_of(node).partition("::")
        function = getattr(functions, name, None) if name in FUNCTIONS else None
        if namespace == "aten" and function is not None:
            node.target = function
