"""A kernel program as a function of tensors.

Tensors go in as NumPy arrays on the same memory, and results come out as tensors on the memory that
the program wrote: nothing is copied but what a kernel cannot read. NumPy has bfloat16 from
`ml_dtypes` and torch has its own, so these go through int16.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from snippets_mlir.dialects.builtin.dtypes import bfloat16, is_bfloat16
from snippets_mlir.driver import Compiled
from snippets_mlir.frontends.torch.graph import Order
from snippets_mlir.integrations.torch.load import load_torch
from snippets_mlir.runtime.threads import use_openmp

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
    use_openmp()  # torch computes between kernels with a team that spins
    single = len(outputs) == 1
    halves = [is_bfloat16(spec.dtype) for spec in (*program.inputs, *program.outputs)]
    readers = [_reader(is_half) for is_half in halves[: len(program.inputs)]]
    makers = [_maker(is_half) for is_half in halves[len(program.inputs) :]]

    def call_plainly(*arguments: Any) -> Any:
        return from_array(program(*[array_of(arguments[i]) for i in tensors]))

    def call(*arguments: Any) -> Any:
        arrays = [
            read(arguments[i] if order is None else arguments[i].permute(order.outermost))
            for i, order, read in zip(tensors, inputs, readers, strict=True)
        ]
        found = program(*arrays)
        results = [
            make(array) if order is None else make(array).permute(order.inverse)
            for array, order, make in zip(
                (found,) if single else found, outputs, makers, strict=True
            )
        ]
        return results[0] if single else tuple(results)

    return call if any((*inputs, *outputs, *halves)) or not single else call_plainly


def _reader(is_half: bool) -> Function:
    integer, dtype = load_torch().int16, bfloat16() if is_half else None

    def read(tensor: Any) -> Any:
        return array_of(tensor.detach().view(integer)).view(dtype)

    return read if is_half else array_of


def _maker(is_half: bool) -> Function:
    """A tensor on the memory of an array, also for bfloat16."""
    torch = load_torch()

    def make(array: Any) -> Any:
        return torch.from_numpy(array.view("int16")).view(torch.bfloat16)

    return make if is_half else torch.from_numpy
