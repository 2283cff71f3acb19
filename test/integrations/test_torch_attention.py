# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownVariableType=false
"""Attention whose products kernels compute, and its gradients, beside eager torch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from snippets_mlir.torch import backend

HEADS = (2, 3, 5, 8)
OTHER = (2, 3, 7, 8)


def _mask(torch: Any, *, empty: bool) -> Any:
    mask = torch.rand(5, 5) > 0.4
    mask[:, 0] = True
    if empty:
        mask[2] = False
    return mask


CASES: dict[str, tuple[dict[str, Any], Callable[[Any], Any], tuple[Any, ...]]] = {
    "plain": ({}, lambda t: None, (HEADS, OTHER)),
    "causal": ({"is_causal": True}, lambda t: None, (HEADS, HEADS)),
    "causal with more keys": ({"is_causal": True}, lambda t: None, (HEADS, OTHER)),
    "scaled": ({"scale": 0.1}, lambda t: None, (HEADS, HEADS)),
    "mask": ({}, lambda t: _mask(t, empty=False), (HEADS, HEADS)),
    "mask of a whole row": ({}, lambda t: _mask(t, empty=True), (HEADS, HEADS)),
    "added mask": ({}, lambda t: t.randn(2, 1, 5, 5), (HEADS, HEADS)),
    "grouped": ({"enable_gqa": True}, lambda t: None, ((2, 6, 5, 8), HEADS)),
}


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("name", CASES)
def test_gradients_of_attention_in_kernels(torch: Any, name: str, dtype: str) -> None:
    options, masked, (queries, keys) = CASES[name]
    type_ = getattr(torch, dtype)
    mask = masked(torch)
    if mask is not None and mask.dtype != torch.bool:
        mask = mask.to(type_)
    given = [torch.randn(*shape).to(type_) for shape in (queries, keys, keys)]

    def f(q: Any, k: Any, v: Any, mask: Any) -> Any:
        found = torch.nn.functional.scaled_dot_product_attention(q, k, v, mask, **options)
        return found * found

    found: list[list[Any]] = []
    functions: list[Any] = [torch.compile(f, backend=backend, options={"products": "kernels"}), f]
    for g in functions:
        inputs = [value.clone().requires_grad_() for value in given]
        result = g(*inputs, mask)
        result.sum().backward()
        found.append([result.detach(), *(value.grad for value in inputs)])
    bound = 1e-5 if dtype == "float32" else 0.06
    for ours, expected in zip(*found, strict=True):
        torch.testing.assert_close(ours, expected, rtol=bound, atol=bound)
