"""Decomposition of batch norm with known moments, as eager torch computes it.

    scale = weight / sqrt(variance + eps)        for each channel
    shift = bias - mean * scale
    x * scale + shift                            two operations for each element

torch's own decomposition is `(x - mean) * (1 / sqrt(variance + eps)) * weight + bias`. Source: the
linear and constant terms of ATen's batch norm for the CPU.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any


def batch_norm(
    x: Any, weight: Any, bias: Any, mean: Any, variance: Any, momentum: float, eps: float
) -> tuple[Any, Any, Any]:
    """`aten._native_batch_norm_legit_no_training` in other ops of ATen.

    Args:
        x: of shape (N, C, ...); 16-bit floats are computed in float32.
        weight: of shape (C,), or None for ones.
        bias: of shape (C,), or None for zeros.
        mean: of shape (C,).
        variance: of shape (C,).
        momentum: not used.
        eps: is added to the variance.

    Returns:
        The result in the type and shape of `x`, and two tensors without elements.
    """
    wide = import_module("torch._prims_common").get_computation_dtype(x.dtype)
    scale = 1 / (variance.to(wide) + eps).sqrt()
    if weight is not None:
        scale = scale * weight.to(wide)
    shift = -mean.to(wide) * scale
    if bias is not None:
        shift = bias.to(wide) + shift
    ones = [1] * (x.dim() - 2)
    found = x.to(wide) * scale.reshape(-1, *ones) + shift.reshape(-1, *ones)
    return found.to(x.dtype), x.new_empty((0,)), x.new_empty((0,))
