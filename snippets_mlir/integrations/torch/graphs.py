"""Compiles one graph of ATen ops: programs in place of its parts, torch between them.

mul = aten.mul.Tensor(x, w)                    fused_0 = fused_0(x, w)
silu = aten.silu.default(mul)             ->   conv = aten.convolution.default(fused_0, k, ...)
conv = aten.convolution.default(silu, k, ...)
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from typing import Any, cast

from snippets_mlir.codegen.locks import once
from snippets_mlir.driver import compile_with_options
from snippets_mlir.driver.compiling import COMPILING
from snippets_mlir.frontends.torch.graph import import_graph, is_getitem, is_operand
from snippets_mlir.integrations.torch.between import shorten_calls
from snippets_mlir.integrations.torch.call import call_of
from snippets_mlir.integrations.torch.explain import Row, place_of, rows_of
from snippets_mlir.integrations.torch.load import load_torch
from snippets_mlir.integrations.torch.options import Options
from snippets_mlir.integrations.torch.parts import Parts, leave_views, plan_parts
from snippets_mlir.support.errors import CompileError

Report = Callable[[Iterable[Row]], None]


def compile_graph(gm: Any, options: Options, report: Report | None = None) -> Any:
    """The function of a graph of ATen ops; it takes a list of its inputs, which it empties.

    Its attribute `plain` takes the inputs one by one.
    """
    products = options.products == "kernels"
    with COMPILING:
        parts = plan_parts(gm, products=products)
    rows = rows_of(gm, parts)
    if report is not None:
        report(rows)
    _refuse_or_say(options, parts)
    chosen = [dict.fromkeys(leave_views(gm, part)) for part in parts.parts]
    fuse = import_module("torch.fx.passes.utils.fuser_utils").fuse_by_partitions
    fused = fuse(gm, chosen)
    for node in list(fused.graph.nodes):
        if node.op == "call_module" and node.target.startswith("fused_"):
            _replace(fused, node, options)
    shorten_calls(fused)
    # A module of a fused graph compiles its code at each first call, through a slower method.
    forward = _only_call(fused.graph) or load_torch().fx.GraphModule(fused, fused.graph).forward

    def boxed(inputs: list[Any]) -> Any:
        arguments = tuple(inputs)
        inputs.clear()
        return forward(*arguments)

    boxed._boxed_call = True  # pyright: ignore[reportFunctionMemberAccess]
    boxed.plain = forward  # pyright: ignore[reportFunctionMemberAccess]
    return boxed


def _only_call(graph: Any) -> Any:
    """The function of a graph that is one call of a program with all inputs, for all results."""
    nodes = {
        op: [n for n in graph.nodes if n.op == op]
        for op in ("placeholder", "call_function", "output")
    }
    given, calls = nodes["placeholder"], nodes["call_function"]
    if not calls or len(graph.nodes) != len(given) + len(calls) + 1:
        return None
    call, *parts = calls
    (returned,) = (node.args[0] for node in nodes["output"])
    if list(call.args) != given or call.kwargs or list(returned) != (parts or [call]):
        return None
    if any(not is_getitem(n) or n.args != (call, i) for i, n in enumerate(parts)):
        return None
    function = getattr(call.target, "in_tuple", None)
    return function if function is not None and len(returned) == function.results else None


def _replace(gm: Any, node: Any, options: Options) -> None:
    """Call a program in place of the module of a part."""
    inner = getattr(gm, node.target).graph
    inputs = [n for n in inner.nodes if n.op == "placeholder"]
    offered = [n for n in inputs if is_operand(n.meta.get("val"))]
    calls = [n for n in inner.nodes if n.op == "call_function"]
    (returned,) = (n.args[0] for n in inner.nodes if n.op == "output")
    several = isinstance(returned, tuple | list)
    outputs = list(cast("Sequence[Any]", returned)) if several else [returned]
    with COMPILING:
        products = options.products == "kernels"
        module, taken = import_graph(offered, calls, outputs, products=products)
        text = str(module)
    torch = load_torch()
    arguments = {"num_threads": torch.get_num_threads(), "fallback": "error", **options.compile}
    program = compile_with_options(text, None, arguments)
    function = call_of(
        program,
        len(inputs),
        [inputs.index(n) for n in taken],
        *([n.meta["val"] for n in nodes] for nodes in (taken, outputs)),
    )
    function.__name__ = node.target
    with gm.graph.inserting_before(node):
        call = gm.graph.call_function(function, node.args)
    call.meta = dict(node.meta)
    node.replace_all_uses_with(call)
    gm.graph.erase_node(node)
    delattr(gm, node.target)


@once
def _said() -> set[str]:
    return set()


def _refuse_or_say(options: Options, parts: Parts) -> None:
    """Refuse ops that torch would have to run, or say so once on standard error."""
    left = {n: why for n, why in parts.reasons.items() if hasattr(n.target, "_schema")}
    left = {n: why for n, why in left.items() if not why.startswith("it only makes")}
    if not left:
        return
    node, why = next(iter(left.items()))
    if options.fallback == "error":
        file, line = place_of(node)
        raise CompileError(f"no kernel computes {node.target}: {why}", file=file, line=line)
    if not _said():
        _said().add("eager")
        print(
            f"snippets_mlir: torch runs {node.target} and other ops that no kernel computes; "
            "snippets_mlir.torch.explain(f, *inputs) lists them",
            file=sys.stderr,
        )
