"""Models of torch whose parts are programs: what torch runs between them, training, layers."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from torch_gradients import total

from snippets_mlir.torch import backend, explain


def views(x: Any) -> Any:
    return x.t().reshape(3, 8)[None].expand(2, 3, 8)


def test_graph_breaks(torch: Any, programs: list[str]):
    def f(x: Any) -> Any:
        y = x.exp() + 1
        if y.sum() > 0:
            return y * 2
        return y / 2

    x = torch.randn(16)
    torch.testing.assert_close(torch.compile(f, backend=backend)(x), f(x))
    assert len(programs) == 2


def test_views_alone_are_no_program(torch: Any, programs: list[str]):
    x = torch.randn(4, 6)
    found = torch.compile(views, backend=backend)(x)
    torch.testing.assert_close(found, views(x))
    assert programs == []


def test_parts_around_what_torch_runs(torch: Any, programs: list[str]):
    weight = torch.randn(5, 3, 3, 3)

    def f(x: Any) -> Any:
        y = torch.nn.functional.conv2d(x.relu() + 1, weight)
        return y.sigmoid() * y

    x = torch.randn(2, 3, 8, 8)
    rows = explain(f, x)
    assert [row.kernel for row in rows] == [0, 0, None, 1, 1]
    assert rows[2].reason == "no op of the compiler stands for it"
    assert str(rows).splitlines()[2].startswith(f"{__file__}:")
    torch.testing.assert_close(torch.compile(f, backend=backend)(x), f(x))


@pytest.mark.parametrize("steps", [5])
def test_a_model_trains(torch: Any, programs: list[str], steps: int):
    def trained(compiled: bool) -> Any:
        torch.manual_seed(0)
        model = torch.nn.Sequential(
            torch.nn.Linear(16, 32), torch.nn.LayerNorm(32), torch.nn.GELU(), torch.nn.Linear(32, 4)
        )
        call = torch.compile(model, backend=backend) if compiled else model
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        x, labels = torch.randn(64, 16), torch.randint(0, 4, (64,))
        for _ in range(steps):
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(call(x), labels).backward()
            optimizer.step()
        return [p.detach() for p in model.parameters()]

    torch.testing.assert_close(trained(True), trained(False), rtol=1e-4, atol=1e-5)
    assert programs


def chunks(t: Any, x: Any) -> Any:
    gate, up = x.chunk(2, -1)
    return t.nn.functional.silu(gate) * up


def rotary(t: Any, x: Any) -> Any:
    a, b = x[..., :4], x[..., 4:]
    return t.cat([a * a.cos() - b, a + b * b.sin()], -1)


def masked(t: Any, x: Any) -> Any:
    mask = t.tril(t.ones(x.shape[-1], x.shape[-1])) == 0
    return (x[..., None] * x[..., None, :]).masked_fill(mask, float("-inf")).softmax(-1)


def losses(t: Any, x: Any) -> Any:
    f, y = t.nn.functional, x.detach().flip(0)
    likely = f.binary_cross_entropy_with_logits(x, y.sigmoid())
    return f.huber_loss(x, y), likely, f.kl_div(x, y.softmax(-1), reduction="sum")


def causal(t: Any, x: Any) -> Any:
    heads = x[None, None]
    return t.nn.functional.scaled_dot_product_attention(heads, heads, heads, is_causal=True)


def scattered(t: Any, x: Any) -> Any:
    rows = t.arange(x.shape[0]).flip(0)
    return (x[rows] * 2).trunc() + (x.cumsum(0) / 4).exp() - x.sort(-1).values.std(0)


@pytest.mark.parametrize("dynamic", [False, True], ids=("static", "dynamic"))
@pytest.mark.parametrize(
    "function", [chunks, rotary, masked, losses, causal, scattered], ids=lambda f: f.__name__
)
def test_ops_of_torch_between_programs(torch: Any, function: Any, dynamic: bool):
    compiled = torch.compile(partial(function, torch), backend=backend, dynamic=dynamic)
    for rows in (6, 9) if dynamic else (6,):
        x = torch.randn(rows, 8, requires_grad=True)
        y = x.detach().clone().requires_grad_()
        found, expected = compiled(x), function(torch, y)
        torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-5)
        total(torch, found).backward()
        total(torch, expected).backward()
        torch.testing.assert_close(x.grad, y.grad, rtol=1e-4, atol=1e-4)


def layers(t: Any) -> dict[str, tuple[Any, Any]]:
    convolutions = t.nn.Sequential(
        t.nn.Conv2d(3, 8, 3), t.nn.BatchNorm2d(8), t.nn.SiLU(), t.nn.GroupNorm(2, 8)
    )
    attention = t.nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True)
    return {
        "convolutions": (convolutions, t.randn(4, 3, 9, 9)),
        "attention": (attention, t.randn(2, 5, 16)),
    }


@pytest.mark.parametrize("training", [True, False], ids=("training", "evaluation"))
@pytest.mark.parametrize("name", ["convolutions", "attention"])
def test_layers_and_their_gradients(torch: Any, name: str, training: bool):
    def results(compiled: bool) -> list[Any]:
        torch.manual_seed(1)
        model, x = layers(torch)[name]
        model.train(training)
        x.requires_grad_()
        call = torch.compile(model, backend=backend) if compiled else model
        found = call(x)
        total(torch, found).backward()
        return [found, x.grad, *(p.grad for p in model.parameters()), *model.buffers()]

    torch.testing.assert_close(results(True), results(False), rtol=1e-4, atol=1e-4)


def test_products_in_kernels(torch: Any, programs: list[str]):
    attention = torch.nn.functional.scaled_dot_product_attention

    def f(q: Any, k: Any, v: Any, w: Any, bias: Any) -> Any:
        return torch.nn.functional.linear(attention(q, k, v).flatten(0, 2), w, bias)

    q, k, v = (torch.randn(2, 3, 16, 8) for _ in range(3))
    w, bias = torch.randn(5, 8), torch.randn(5)
    own = partial(backend, options={"products": "kernels", "fallback": "error"})
    found = torch.compile(f, backend=own)(q, k, v, w, bias)
    torch.testing.assert_close(found, f(q, k, v, w, bias), rtol=1e-4, atol=1e-5)
    assert sum(text.count("snippets.matmul") for text in programs) == 3
