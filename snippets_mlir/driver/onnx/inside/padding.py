"""Whether a chain may run on blocked images whose last block is not full.

    channels 0 ... 39 of 48: what the model computes
    channels 40 ... 47: zeros, or the result of a chain on zeros

Convolutions multiply the channels that fill up a block by weights of zero, so these channels may
have any finite number. `0 * inf` and `0 * NaN` are NaN, and would reach every channel of the
result. The numbers depend on the nodes before the chain, so the chain is tested on zeros and on
numbers close to zero: `log(x)`, `1 / x` and `x / y` of images fail, `x * clip(x + 3, 0, 6) / 6`
does not.
"""

from __future__ import annotations

from collections.abc import Sequence
from ctypes import CFUNCTYPE, addressof, c_int64, c_void_p
from math import prod

import numpy as np

from snippets_mlir.driver.onnx.inside.kernels import ChainKernel
from snippets_mlir.driver.onnx.inside.signatures import Signature
from snippets_mlir.runtime.arguments.arrays import address_of

PLANE, COUNT = 4, 8
"""Elements of a plane, and planes, of the images that a chain is tried on."""
SPREAD = 4.0
"""The standard deviation of the numbers."""
LARGEST = 1e6
"""Results beyond might overflow in the next chain."""

_KERNEL = CFUNCTYPE(None, c_void_p, c_int64, c_int64, c_int64)


def keeps_padding_finite(
    signature: Signature, kernel: ChainKernel, scalars: Sequence[np.ndarray]
) -> bool:
    """Whether a chain with these scalars is finite on zeros and on numbers around zero."""
    random = np.random.default_rng(0)
    inner = max(1, signature.inner)
    elements = PLANE * COUNT * inner

    def tensor(size: int) -> np.ndarray:
        found = random.normal(0.0, SPREAD, size).astype(np.float32)
        found[: size // 2] = 0.0
        return found

    arrays = [tensor(elements) for _ in range(signature.tensors)]
    arrays += [tensor(COUNT * inner) for _ in range(signature.planes)]
    arrays += [np.ascontiguousarray(s, np.float32) for s in scalars]
    result = np.empty(elements, np.float32)
    run(kernel, arrays, result, (elements, PLANE, COUNT))
    return bool(np.all(np.abs(result) <= LARGEST))  # False for a NaN


def run(
    kernel: ChainKernel,
    arrays: Sequence[np.ndarray],
    result: np.ndarray,
    slots: Sequence[int],
) -> None:
    """Run a kernel on one thread.

    Args:
        kernel: the kernel of a chain.
        arrays: its operands, in the order of `Signature.operands`.
        result: the array that it writes.
        slots: the number of elements, and the sizes of a plane and of the planes.
    """
    pointers = [address_of(arrays[place]) for place in kernel.operands]
    data = (c_void_p * (len(pointers) + 1))(*pointers, address_of(result))
    rt = (c_int64 * len(slots))(*slots)
    args = (c_void_p * 3)(addressof(data), addressof(rt), None)
    domain = prod(slots[slot] for slot in kernel.domain)
    _KERNEL(kernel.address)(addressof(args), 0, domain, 0)
