"""Runs of sessions on arrays of a type that onnxruntime knows and NumPy does not: bf16.

    run(["y"], {"x": x: bfloat16})        onnxruntime refuses it: not a type of NumPy
    bind_input("x", "cpu", 0, 16, (3, 4), address of x)
    run_with_iobinding                    y: 24 bytes at an address, copied to a bfloat16 array

The arrays have the type of `ml_dtypes`.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from math import prod
from typing import Any

import numpy as np

from snippets_mlir.codegen.locks import ENGINE
from snippets_mlir.runtime.arguments.arrays import Array, address_of, dtype_from_name, is_array

_NAME, _TYPE, _NUMBER = "bfloat16", "tensor(bfloat16)", 16
"""Of the type: in `ml_dtypes`, in onnxruntime, in ONNX."""


def has_bf16(types: tuple[str, ...], feed: Mapping[str, Any]) -> bool:
    """Whether a result or an array is of bf16."""
    return _TYPE in types or any(is_array(a) and _is_bf16(a) for a in feed.values())


def _is_bf16(array: Array) -> bool:
    return array.dtype.kind == "V" and array.dtype.name == _NAME  # a name takes a microsecond


def run_bf16(
    bound: tuple[Callable[[], Any], Callable[[Any], None]],
    feed: Mapping[str, Any],
    outputs: tuple[str, ...],
) -> list[Any]:
    """The results of a session by its `io_binding`; raises onnxruntime's errors.

    Args:
        bound: `io_binding` and `run_with_iobinding`.
        feed: dense arrays by name.
        outputs: the names of the results.
    """
    bind, run = bound
    binding = bind()
    for name, array in feed.items():
        if _is_bf16(array):
            binding.bind_input(name, "cpu", 0, _NUMBER, array.shape, address_of(array))
        else:
            binding.bind_cpu_input(name, array)
    for name in outputs:
        binding.bind_output(name, "cpu")
    ENGINE.run(run, binding)
    return [_array(value) for value in binding.get_outputs()]


def _array(value: Any) -> Array:
    """A copy of the tensor of an `OrtValue`."""
    if value.data_type() != _TYPE:
        return value.numpy()
    dtype, shape = dtype_from_name(_NAME), tuple(value.shape())
    size = prod(shape) * dtype.itemsize
    data = ctypes.string_at(value.data_ptr(), size) if size else b""
    return np.frombuffer(bytearray(data), dtype).reshape(shape)
