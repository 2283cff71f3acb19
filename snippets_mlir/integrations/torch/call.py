"""A kernel program as a function of tensors.

Tensors go in as NumPy arrays on the same memory, and results come out as tensors on the memory that
the program wrote: nothing is copied but what a kernel cannot read.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from snippets_mlir.driver import Compiled
from snippets_mlir.frontends.torch.graph import Order
from snippets_mlir.integrations.torch.load import load_torch

Function = Callable[..., Any]


def array_of(tensor: Any) -> Any:
    """The elements of a tensor as an array on the same memory."""
    if tensor.requires_grad:
        tensor = tensor.detach()
    try:
        return tensor.numpy()
    except RuntimeError:
        return tensor.numpy(force=True)  # it is the negative of what is in its memory


def call_of(
    program: Compiled,
    tensors: Sequence[int],
    inputs: Sequence[Order | None],
    outputs: Sequence[Order | None],
) -> Function:
    """`program` as a function of the arguments that a call in a graph has.

    Args:
        program: what is called.
        tensors: the arguments that are tensors; the others are sizes, which the program finds.
        inputs: for each of these the order of its dims in memory.
        outputs: the same for results.

    Returns:
        A function that returns a tensor if there is one result, else a tuple.
    """
    from_array = load_torch().from_numpy
    single = len(outputs) == 1

    def call_plainly(*arguments: Any) -> Any:
        return from_array(program(*[array_of(arguments[i]) for i in tensors]))

    def call(*arguments: Any) -> Any:
        arrays = [
            array_of(arguments[i] if order is None else arguments[i].permute(order.outermost))
            for i, order in zip(tensors, inputs, strict=True)
        ]
        found = program(*arrays)
        results = [
            from_array(array) if order is None else from_array(array).permute(order.inverse)
            for array, order in zip((found,) if single else found, outputs, strict=True)
        ]
        return results[0] if single else tuple(results)

    return call if any((*inputs, *outputs)) or not single else call_plainly
