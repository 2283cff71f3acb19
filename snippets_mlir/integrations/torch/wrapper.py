"""Whether AOTAutograd's wrapper around a compiled graph has anything to do.

    guards -> wrapper -> graph      becomes      guards -> graph

The wrapper writes mutated inputs back, makes results that are views of inputs, turns off gradients
and autocasting, and marks dynamic dims. It takes as long as a small kernel, so if none of this is
needed, dynamo calls the graph directly.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from snippets_mlir.integrations.torch.load import load_torch

COUNTS = (
    "num_graphsafe_rng_states",
    "num_intermediate_bases",
    "num_mutated_graph_handled_indices",
    "num_mutated_inp_runtime_indices",
    "num_outputs_aliased",
)
FLAGS = ("dynamic_outputs", "is_rng_op_functionalized", "tokens")
"""Fields of AOTAutograd's metadata (`ViewAndMutationMeta`) that give the wrapper work to do."""


def has_idle_modes(inputs: Sequence[Any]) -> bool:
    """Whether there are neither gradients nor autocasting for the wrapper to turn off.

    It is called before AOTAutograd begins, which turns both off for itself; dynamo's guards ensure
    that this does not change.

    Args:
        inputs: the inputs of dynamo's function, fake tensors and sizes.
    """
    torch = load_torch()
    if torch._C._is_any_autocast_enabled():
        return False
    return not (torch.is_grad_enabled() and any(getattr(i, "requires_grad", False) for i in inputs))


def is_needless(gm: Any, inputs: Sequence[Any]) -> bool:
    """Whether the graph of a function without gradients can be called without the wrapper.

    It is called while AOTAutograd compiles the graph, and only if modes are idle
    (`has_idle_modes`). A version of torch that has no such metadata keeps its wrapper.

    Args:
        gm: the graph.
        inputs: as in `has_idle_modes`.
    """
    context = import_module("torch._guards").TracingContext.try_get()
    metadata = getattr(context, "fw_metadata", None)
    if metadata is None or any(getattr(metadata, name, 1) != 0 for name in COUNTS):
        return False
    if any(getattr(metadata, name, True) for name in FLAGS):
        return False
    schemas = import_module("torch._functorch._aot_autograd.schemas")
    plain = getattr(schemas, "PlainTensorMeta", None)
    kinds = (*metadata.subclass_inp_meta, *metadata.subclass_fw_graph_out_meta)
    if plain is None or not all(isinstance(kind, plain) for kind in kinds):
        return False
    taken = [n for n in gm.graph.nodes if n.op == "placeholder"]
    (returned,) = (n.args[0] for n in gm.graph.nodes if n.op == "output")
    return len(taken) == len(inputs) and len(returned) == metadata.num_outputs
