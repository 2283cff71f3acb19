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


def _laid_out(torch: Any, order: str) -> list[Any]:
    """Queries, keys and values of `[2, 3, 5, 8]` whose dims are in memory in this order."""
    if order == "packed":
        packed = torch.randn(2, 5, 3, 3, 8)
        return [packed[:, :, part].transpose(1, 2) for part in range(3)]
    if order == "expanded":
        return [torch.randn(1, 5, 3, 8).transpose(1, 2).expand(2, -1, -1, -1) for _ in range(3)]
    places = ["bhsd".index(dim) for dim in order]
    sizes = [HEADS[place] for place in places]
    back = [order.index(dim) for dim in "bhsd"]
    return [torch.randn(sizes).permute(back) for _ in range(3)]


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("order", ["bhsd", "bshd", "sbhd", "packed", "expanded"])
def test_the_result_has_the_order_of_dims_of_eager_torch(
    torch: Any, order: str, *, dynamic: bool
) -> None:
    """It was `[S, B, H, D]`, so that views of it were an error."""
    q, k, v = _laid_out(torch, order)
    attention = torch.nn.functional.scaled_dot_product_attention
    viewed = attention(q, k, v).transpose(1, 2).is_contiguous()

    def f(q: Any, k: Any, v: Any) -> Any:
        found = attention(q, k, v)
        return found.transpose(1, 2).view(-1, 24) * 2 if viewed else found

    torch.compiler.reset()
    g = torch.compile(f, backend=backend, dynamic=dynamic, options={"products": "kernels"})
    ours, expected = g(q, k, v), f(q, k, v)
    assert ours.stride() == expected.stride()
    torch.testing.assert_close(ours, expected, rtol=1e-5, atol=1e-5)
