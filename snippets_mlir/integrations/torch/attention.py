"""Decomposition of attention with the sums for its gradient and the op's order of dims.

    out, logsumexp = aten._scaled_dot_product_flash_attention_for_cpu(q, k, v)

    out        softmax(q @ k.T * scale + mask) @ v          by torch's decomposition
    logsumexp  log(sum(exp(q @ k.T * scale + mask)))        for each row of scores

torch's own decomposition returns the weights as the second result. The op's gradient, which torch
runs, reads logarithms there. In a graph without gradients nothing reads them, and they are removed.
torch's decomposition also gives the first result the layout [S, B, H, D]; the result of the op has
the order of dims of its queries, and the graph may take views of it.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from math import sqrt
from typing import Any

from snippets_mlir.integrations.torch.load import load_torch

Rule = Callable[..., tuple[Any, Any]]


def with_logsumexp(rule: Rule) -> Rule:
    """torch's decomposition `rule` of attention, with the second result of the op."""

    def attention(
        query: Any,
        key: Any,
        value: Any,
        dropout_p: float = 0.0,
        is_causal: bool = False,
        *,
        attn_mask: Any = None,
        scale: float | None = None,
    ) -> tuple[Any, Any]:
        given = (query, key, value, dropout_p, is_causal)
        found, _ = rule(*given, attn_mask=attn_mask, scale=scale)
        found = _like(query, found)
        return found, _logsumexp(query, key, attn_mask, is_causal, scale)

    return attention


def _like(query: Any, found: Any) -> Any:
    """`found` with the memory order of `query`'s dims, as `empty_like` gives it."""
    prims = import_module("torch._prims_common")
    order, _ = prims.compute_elementwise_output_logical_to_physical_perm(query)
    places = [order.index(dim) for dim in range(len(order))]
    return found.permute(order).contiguous().permute(places)


def _logsumexp(query: Any, key: Any, mask: Any, is_causal: bool, scale: float | None) -> Any:
    """The log-sum-exp of the scores of each query, in the type and order of dims of the op's
    result.
    """
    torch = load_torch()
    wide = torch.float64 if query.dtype == torch.float64 else torch.float32
    factor = 1 / sqrt(query.shape[-1]) if scale is None else scale
    key = key.repeat_interleave(query.shape[1] // key.shape[1], 1)
    scores = query.to(wide) @ key.to(wide).transpose(-2, -1) * factor
    if is_causal:
        mask = torch.ones(scores.shape[-2:], dtype=torch.bool, device=query.device).tril()
    if mask is not None and mask.dtype == torch.bool:
        scores = scores.masked_fill(mask.logical_not(), float("-inf"))
    elif mask is not None:
        scores = scores + mask
    found = scores.logsumexp(-1)
    found = found.masked_fill(found == float("-inf"), 0)  # a row whose scores are all masked
    return found.transpose(1, 2).contiguous().transpose(1, 2)
