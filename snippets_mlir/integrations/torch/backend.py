"""The backend `snippets` of `torch.compile`.

    torch.compile(f, backend="snippets", options={"math": "fast"})

Dynamo traces `f`, and AOTAutograd makes graphs of ATen ops without mutation from it: one graph, or
a forward and a backward graph if a gradient is requested. Each maximal convex part of a graph that
kernels compute is one program of `snippets_mlir.compile`; torch runs the rest. Sizes that dynamo
turns into symbols are dynamic dims of the programs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Any

from snippets_mlir.frontends.torch.elementwise import OPERATORS
from snippets_mlir.integrations.torch.attention import with_logsumexp
from snippets_mlir.integrations.torch.batch_norm import batch_norm
from snippets_mlir.integrations.torch.call import Function
from snippets_mlir.integrations.torch.channels_last import with_channels_last
from snippets_mlir.integrations.torch.graphs import Report, compile_graph
from snippets_mlir.integrations.torch.load import load_torch
from snippets_mlir.integrations.torch.options import Options
from snippets_mlir.integrations.torch.wrapper import has_idle_modes, is_needless
from snippets_mlir.support.errors import CompileError

DECOMPOSED = (
    "_fused_rms_norm",
    "_log_softmax_backward_data",
    "_native_batch_norm_legit",
    "_native_batch_norm_legit_functional",
    "_native_batch_norm_legit_no_training",
    "_softmax_backward_data",
    "gelu_backward",
    "native_batch_norm_backward",
    "native_group_norm",
    "native_group_norm_backward",
    "native_layer_norm",
    "native_layer_norm_backward",
    "threshold_backward",
)
"""ATen ops that are decomposed besides non-core ops."""

PRODUCTS = ("_scaled_dot_product_flash_attention_for_cpu", "addmm", "baddbmm")
"""ATen ops with products that are decomposed if kernels compute products."""


def backend(
    gm: Any,
    example_inputs: Sequence[Any],
    *,
    options: Mapping[str, Any] | None = None,
    mode: str | None = None,
    report: Report | None = None,
) -> Function:
    """Compile a graph from dynamo; torch calls this for `backend="snippets"`.

    Args:
        gm: the graph.
        example_inputs: fake tensors, one for each input.
        options: see `Options`.
        mode: None; inductor's modes do not exist here.
        report: called with the rows of each graph that is compiled.

    Raises:
        CompileError: an option is wrong, torch is absent or too old, or with
            `fallback="error"` an op that no kernel computes.
    """
    torch = load_torch()
    if mode not in (None, "default"):
        raise CompileError(f"mode: the backend has no modes, found '{mode}'; see its options")
    chosen = Options.of(options)

    direct: list[Function] = []
    idle = has_idle_modes(example_inputs)
    fold = chosen.compile.get("math") != "strict"

    def compiled(gm: Any, _inputs: Sequence[Any]) -> Any:
        return compile_graph(gm, chosen, report)

    def compiled_for_inference(gm: Any, _inputs: Sequence[Any]) -> Any:
        needless = idle and is_needless(gm, example_inputs)
        function = compile_graph(with_channels_last(gm, fold=fold), chosen, report)
        if needless:
            direct.append(function.plain)
        return function

    aot = import_module("torch._dynamo.backends.common").aot_autograd
    partitions = import_module("torch._functorch.partitioners")
    wrapped = aot(
        fw_compiler=compiled,
        bw_compiler=compiled,
        inference_compiler=compiled_for_inference,
        decompositions={**decompositions(torch, products=chosen.products == "kernels")},
        partition_fn=partitions.min_cut_rematerialization_partition,
    )(gm, example_inputs)
    return direct[0] if direct else wrapped


@cache
def core_decompositions(torch: Any) -> Mapping[Any, Any]:
    """torch's decompositions of non-core ops.

    They exclude ops that torch's dispatch itself decomposes (composite implicit ones), which
    `core_aten_decompositions` collects by a search of every operator: half of a first call.
    """
    tables = import_module("torch._decomp")
    explicit = getattr(tables, "_core_aten_decompositions_post_autograd", None)
    return (explicit or tables.core_aten_decompositions)()


@cache
def decompositions(torch: Any, *, products: bool) -> Mapping[Any, Any]:
    """The decompositions of ops; ops that the compiler supports stay whole."""
    aten = torch.ops.aten
    more = [getattr(aten, name) for name in (*DECOMPOSED, *(PRODUCTS if products else ()))]
    explicit = import_module("torch._decomp").get_decompositions(more)
    table = {**core_decompositions(torch), **explicit}
    table[aten._native_batch_norm_legit_no_training.default] = batch_norm
    attention = aten._scaled_dot_product_flash_attention_for_cpu.default
    if attention in table:
        table[attention] = with_logsumexp(table[attention])
    whole = {f"aten::{name}" for name in (*OPERATORS, *(() if products else PRODUCTS))}
    return {op: rule for op, rule in table.items() if op.name().split(".")[0] not in whole}
