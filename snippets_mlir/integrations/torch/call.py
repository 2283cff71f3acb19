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
    try:
        return tensor.numpy()
    except RuntimeError:
        # It requires a gradient, or is the negative of what is in its memory.
        return tensor.numpy(force=True)


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
    plain = not any(inputs) and not any(outputs)
    several = len(tensors) > 1

    def call(*arguments: Any) -> Any:
        if plain and single:
            return from_array(program(*[array_of(arguments[i]) for i in tensors]))
        arrays = [
            array_of(arguments[i] if order is None else arguments[i].permute(order.outermost))
            for i, order in zip(tensors, inputs, strict=True)
        ]
        found = program(*arrays)
        results = [from_array(array) for array in ((found,) if single else found)]
        results = [
            result if order is None else result.permute(order.inverse)
            for result, order in zip(results, outputs, strict=True)
        ]
        return results[0] if single else tuple(results)

    def fast(*arguments: Any) -> Any:
        try:
            return from_array(program(*[a.numpy() for a in arguments]))
        except RuntimeError:
            return call(*arguments)

    every = list(tensors) == list(range(len(tensors)))
    return fast if plain and single and every and several else call
