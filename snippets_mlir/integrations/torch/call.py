"""A kernel program as a function of tensors.

Small tensors are passed by address (`addresses.py`). Other tensors are passed as NumPy arrays on
the same memory, and results are tensors on the memory that the program wrote. Only arguments that a
kernel cannot read are copied. NumPy has bfloat16 from `ml_dtypes` and torch has its own, so these
are passed as int16.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from snippets_mlir.dialects.builtin.dtypes import bfloat16, is_bfloat16
from snippets_mlir.driver import Compiled
from snippets_mlir.frontends.torch.graph import order_of
from snippets_mlir.frontends.torch.node import number_of
from snippets_mlir.integrations.torch.addresses import Function, call_at_addresses
from snippets_mlir.integrations.torch.load import load_torch
from snippets_mlir.runtime.memory.pool import keep_freed_memory
from snippets_mlir.runtime.parallel.threads import use_openmp


def array_of(tensor: Any) -> Any:
    """The elements of a tensor as an array on the same memory."""
    if tensor.requires_grad:
        tensor = tensor.detach()
    try:
        return tensor.numpy()
    except RuntimeError:
        return tensor.numpy(force=True)  # its elements are the negated elements in memory


def call_of(
    program: Compiled,
    arguments: int,
    tensors: Sequence[int],
    inputs: Sequence[Any],
    outputs: Sequence[Any],
) -> Function:
    """`program` as a function of the arguments of a call in a graph.

    Args:
        program: the called program.
        arguments: the number of arguments of a call.
        tensors: the arguments of the program; the others are sizes, which it computes.
        inputs: for each of these the fake tensor that it was compiled for, or a symbolic number.
        outputs: the same for results.

    Returns:
        A function that returns a tensor if there is one result, else a tuple.
    """
    kinds = [number_of(value) for value in inputs]
    wide = {int: load_torch().int64, float: load_torch().float64}
    numbers = {i: wide[kind] for i, kind in zip(tensors, kinds, strict=True) if kind}
    if numbers:
        empty = load_torch().empty
        inputs = [
            value if kind is None else empty((), dtype=wide[kind])
            for value, kind in zip(inputs, kinds, strict=True)
        ]
    use_openmp()  # torch's team spins between kernels
    keep_freed_memory()
    call = call_at_addresses(program, inputs, outputs, _by_arrays(program, inputs, outputs))

    def call_with_sizes(*given: Any) -> Any:
        return call(*[given[i] for i in tensors])

    scalar = load_torch().scalar_tensor

    def call_with_numbers(*given: Any) -> Any:
        return call(
            *[scalar(given[i], dtype=numbers[i]) if i in numbers else given[i] for i in tensors]
        )

    if numbers:
        return call_with_numbers
    return call if list(tensors) == list(range(arguments)) else call_with_sizes


def _by_arrays(program: Compiled, inputs: Sequence[Any], outputs: Sequence[Any]) -> Function:
    """`program` as a function of tensors, which go in and out as arrays on their memory."""
    from_array = _maker(False)
    single = len(outputs) == 1
    halves = [is_bfloat16(spec.dtype) for spec in (*program.inputs, *program.outputs)]
    readers = [_reader(is_half) for is_half in halves[: len(program.inputs)]]
    makers = [_maker(is_half) for is_half in halves[len(program.inputs) :]]
    orders, made = ([order_of(value) for value in values] for values in (inputs, outputs))

    def call_plainly(*tensors: Any) -> Any:
        return from_array(program(*map(array_of, tensors)))

    def call(*tensors: Any) -> Any:
        arrays = [
            read(tensor if order is None else tensor.permute(order.outermost))
            for tensor, order, read in zip(tensors, orders, readers, strict=True)
        ]
        found = program(*arrays)
        results = [
            make(array) if order is None else make(array).permute(order.inverse)
            for array, order, make in zip((found,) if single else found, made, makers, strict=True)
        ]
        return results[0] if single else tuple(results)

    return call if any((*orders, *made, *halves)) or not single else call_plainly


def _reader(is_half: bool) -> Function:
    integer, dtype = load_torch().int16, bfloat16() if is_half else None

    def read(tensor: Any) -> Any:
        return array_of(tensor.detach().view(integer)).view(dtype)

    return read if is_half else array_of


def _maker(is_half: bool) -> Function:
    """A tensor on the memory of an array, also for bfloat16.

    An array without elements has strides of 0 in NumPy, not in torch.
    """
    torch = load_torch()
    from_array = torch.from_numpy

    def make(array: Any) -> Any:
        tensor = from_array(array)
        return tensor if array.size else torch.empty(array.shape, dtype=tensor.dtype)

    def make_half(array: Any) -> Any:
        return make(array.view("int16")).view(torch.bfloat16)

    return make_half if is_half else make
