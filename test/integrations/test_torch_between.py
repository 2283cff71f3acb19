# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownVariableType=false
"""Views and products that torch runs between programs: fewer calls, the same values."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest

from snippets_mlir.torch import backend

between: Any = import_module("snippets_mlir.integrations.torch.between")


def shortened(f: Callable[..., Any], *inputs: Any, mode: str = "fake") -> tuple[Any, list[str]]:
    """The graph of a function after `shorten_calls`, and what its nodes call."""
    make_fx: Any = import_module("torch.fx.experimental.proxy_tensor").make_fx
    gm = make_fx(f, tracing_mode=mode)(*inputs)
    between.shorten_calls(gm)
    gm.graph.lint()
    gm.recompile()
    return gm, [
        str(getattr(n.target, "__name__", n.target))
        for n in gm.graph.nodes
        if n.op == "call_function"
    ]


REPLACED: dict[str, tuple[Callable[..., Any], int]] = {
    "a chain": (lambda x: x.view(6, 2, 2).permute(2, 0, 1).unsqueeze(1)[1].exp(), 1),
    "two of one base": (lambda x: x.t().exp() + x[:, 1:].t()[:1].tanh(), 2),
    "offsets of a chain": (lambda x: x[2:, 1:].reshape(-1, 3)[1:, 1:].exp(), 1),
    "repeated elements": (lambda x: x[:, :1].expand(6, 5).exp(), 1),
    "parts": (lambda x: x.split(2)[1].exp() + x.t().unbind()[3].sum(), 2),
    "a diagonal": (lambda x: x.diagonal().exp(), 1),
    "size 1": (lambda x: x[3:4].squeeze(0).exp(), 1),
    "nothing left": (lambda x: x[6:].t().exp(), 1),
    "no dims": (lambda x: x[2, 1].exp(), 1),
}


@pytest.mark.parametrize("name", REPLACED)
def test_a_chain_of_views_is_one_call(torch: Any, name: str) -> None:
    f, views = REPLACED[name]
    x = torch.randn(6, 4)
    gm, calls = shortened(f, x)
    assert calls.count("_reinterpret_tensor") == views
    assert calls.count("known_strides") == 1
    assert not any("view" in call or "permute" in call or "slice" in call for call in calls)
    torch.testing.assert_close(gm(x), f(x))
    other = torch.randn(9, 4, 2)[2:8, :, 1]  # of other strides, and with an offset
    torch.testing.assert_close(gm(other), f(other))


def test_an_offset_is_counted_from_the_base(torch: Any) -> None:
    f: Callable[..., Any] = lambda x: x[1:].t().exp()  # noqa: E731
    gm, _ = shortened(f, torch.randn(9, 4)[3:])
    x = torch.randn(6, 4)
    torch.testing.assert_close(gm(x), f(x))


LEFT: dict[str, Callable[..., Any]] = {
    "returned": lambda x: x.view(4, 6).t(),
    "returned with its source": lambda x: ((y := x.view(4, 6)).t(), y.exp())[0],
    "another type": lambda x: x.view(import_module("torch").int32),
    "computed": lambda x: x.exp(),
}


@pytest.mark.parametrize("name", LEFT)
def test_what_stays(torch: Any, name: str) -> None:
    x = torch.randn(6, 4)
    gm, calls = shortened(LEFT[name], x)
    assert "_reinterpret_tensor" not in calls
    assert "known_strides" not in calls
    assert torch.equal(gm(x), LEFT[name](x))


def test_sizes_of_the_call_stay(torch: Any) -> None:
    f: Callable[..., Any] = lambda x: x.t().exp()  # noqa: E731
    gm, calls = shortened(f, torch.randn(6, 4), mode="symbolic")
    assert "_reinterpret_tensor" not in calls
    x = torch.randn(3, 5)
    torch.testing.assert_close(gm(x), f(x))


def test_known_strides(torch: Any) -> None:
    x = torch.randn(6, 4)
    assert between.known_strides(x, (4, 1)) is x
    moved = between.known_strides(x, (1, 6))
    assert moved.stride() == (1, 6)
    assert torch.equal(moved, x)
    assert between.known_strides(x.bool(), (1, 6)).dtype is torch.bool


def test_products_are_called_by_functions_of_torch(torch: Any) -> None:
    def f(x: Any, w: Any, b: Any) -> Any:
        return torch.addmm(b, x, w.t(), beta=0.5, alpha=2) @ w + x.sort(0)[0]

    x, w, b = torch.randn(6, 4), torch.randn(5, 4), torch.randn(5)
    gm, calls = shortened(f, x, w, b)
    assert calls == [
        "known_strides",
        "_reinterpret_tensor",
        "addmm",
        "mm",
        "sort.default",
        "getitem",
        "getitem",
        "add.Tensor",
    ]
    torch.testing.assert_close(gm(x, w, b), f(x, w, b))


def attention(torch: Any, x: Any, w: Any) -> tuple[Any, Any]:
    q, k, v = (x @ w).view(2, 7, 3, 2, 4).permute(2, 0, 3, 1, 4).unbind()
    found = torch.nn.functional.scaled_dot_product_attention(q, k, v).transpose(1, 2)
    return found.reshape(2, 7, 8).tanh(), found


def convolved(torch: Any, x: Any, w: Any) -> tuple[Any, Any]:
    images = x.view(1, 2, 7, 8)
    found = torch.nn.functional.conv2d(images, w.view(16, 2, 3, 2)[:3], padding=1)
    return found.permute(0, 2, 3, 1).reshape(-1, 3).relu(), found[:, 1:]


@pytest.mark.parametrize("function", [attention, convolved])
@pytest.mark.parametrize("products", ["torch", "kernels"])
def test_values_and_gradients(torch: Any, function: Any, products: str) -> None:
    x, w = torch.randn(2, 7, 8) / 4, torch.randn(8, 24)
    compiled = torch.compile(
        lambda x, w: function(torch, x, w), backend=backend, options={"products": products}
    )
    with torch.no_grad():
        for a, b in zip(compiled(x, w), function(torch, x, w), strict=True):
            torch.testing.assert_close(a, b)
            assert a.stride() == b.stride() or products == "kernels"
    gradients: list[Any] = []
    for g in (compiled, lambda x, w: function(torch, x, w)):
        given = [x.clone().requires_grad_(), w.clone().requires_grad_()]
        first, second = g(*given)
        (first.sum() + (second * second).sum()).backward()
        gradients.append([value.grad for value in given])
    for a, b in zip(*gradients, strict=True):
        torch.testing.assert_close(a, b)


def test_a_weight_that_is_written_to_before_its_gradient_is_an_error(torch: Any) -> None:
    """The transposed weight that the forward graph returns shares its version."""
    f = torch.compile(lambda x, w: (x @ w.t()).tanh() @ w, backend=backend)
    x, w = torch.randn(6, 4, requires_grad=True), torch.randn(5, 4, requires_grad=True)
    found = f(x, w).sum()
    with torch.no_grad():
        w += 1
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        found.backward()
