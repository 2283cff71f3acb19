# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
"""Scales of channels that become parts of weights: where they do, and the values."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest

Change = Callable[[Any, Any, Any, Any], Any]
"""Of torch, the result of a convolution, its image, and a positive value for each of 8 channels."""

SHAPES = {"image": (2, 3, 9, 8), "weights": (8, 3, 3, 3), "next": (8, 8, 3, 3)}
ONE_PIXEL = {**SHAPES, "weights": (8, 3, 1, 1)}
MANY = {"image": (1, 64, 2, 2), "weights": (8, 64, 1, 1), "next": (64, 8, 1, 1)}
"""The first weights have 16 times as many elements as the result, and are in any order."""


def norm(torch: Any, y: Any, x: Any, s: Any) -> Any:
    """Batch norm in evaluation."""
    return torch.nn.functional.batch_norm(y, s - 1, s, s.sqrt(), s.exp())


def column(s: Any) -> Any:
    """A value for each channel that the graph computes."""
    return s.sqrt().reshape(-1, 1, 1)


FOLDED: dict[str, tuple[Change, dict[str, tuple[int, ...]]]] = {
    "a scale": (lambda torch, y, x, s: y * column(s), SHAPES),
    "an input": (lambda torch, y, x, s: y * s.reshape(8, 1, 1), SHAPES),
    "from the left": (lambda torch, y, x, s: column(s).unsqueeze(0) * y, SHAPES),
    "a scale and a shift": (lambda torch, y, x, s: y * column(s) + column(s + 1), SHAPES),
    "two of each": (
        lambda torch, y, x, s: y * column(s) * column(s + 1) + column(s) + column(s + 2),
        SHAPES,
    ),
    "weights of one pixel": (lambda torch, y, x, s: y * column(s), ONE_PIXEL),
    "batch norm": (norm, SHAPES),
}
KEPT: dict[str, tuple[Change, dict[str, tuple[int, ...]]]] = {
    "a shift alone": (lambda torch, y, x, s: y + column(s), SHAPES),
    "a shift before": (lambda torch, y, x, s: (y + column(s)) * column(s), SHAPES),
    "a scale of the result": (lambda torch, y, x, s: y * (y.mean() * column(s)), SHAPES),
    "a value for each row": (lambda torch, y, x, s: y * x[0, 0, :, :1].reshape(9, 1), SHAPES),
    "a value for all": (lambda torch, y, x, s: y * s.mean(), SHAPES),
    "read twice": (lambda torch, y, x, s: y * column(s) + torch.exp(-y), SHAPES),
    "a number": (lambda torch, y, x, s: y * 3, SHAPES),
    "another type": (lambda torch, y, x, s: (y * column(s).double()).to(y.dtype), SHAPES),
    "random numbers": (
        lambda torch, y, x, s: y * torch.rand_like(s).mul(0).add(s).reshape(-1, 1, 1),
        SHAPES,
    ),
    "many weights": (lambda torch, y, x, s: y * column(s), MANY),
}


def check(
    torch: Any,
    change: Change,
    shapes: dict[str, tuple[int, ...]],
    bias: bool = True,
    **options: Any,
) -> int:
    """Compare with eager torch; how many weights and biases of the first became calls' results."""
    backend: Any = import_module("snippets_mlir.integrations.torch.backend")
    compile_graph = backend.compile_graph
    folded: list[Any] = []

    def counted(gm: Any, *rest: Any) -> Any:
        nodes = [n for n in gm.graph.nodes if n.target is torch.ops.aten.convolution.default]
        folded.extend(n for n in nodes[0].args[1:3] if n is not None and n.op == "call_function")
        return compile_graph(gm, *rest)

    def function(x: Any, w: Any, b: Any, s: Any, v: Any) -> Any:
        convolution = torch.nn.functional.conv2d
        y = convolution(x, w, b, padding=w.shape[-1] // 2)
        y = torch.relu(change(torch, y, x, s))
        return convolution(y, v, padding=v.shape[-1] // 2).sum((2, 3))

    torch._dynamo.reset()
    torch.manual_seed(0)
    x, w, v = (torch.randn(shape) for shape in shapes.values())
    inputs = [x, w, torch.randn(8) if bias else None, torch.rand(8) + 0.5, v]
    with pytest.MonkeyPatch.context() as patch, torch.no_grad():
        patch.setattr(backend, "compile_graph", counted)
        f = torch.compile(function, backend="snippets", options=options)
        for _ in range(2):
            wide = function(*(t if t is None else t.double() for t in inputs))
            found = f(*inputs)
            torch.testing.assert_close(found.double(), wide, rtol=1e-4, atol=1e-4)
            w.data.mul_(2)  # the weights are those of the call
    return len(folded)


@pytest.mark.parametrize("name", FOLDED)
def test_scales_become_parts_of_weights(torch: Any, name: str) -> None:
    assert check(torch, *FOLDED[name]) == 2


@pytest.mark.parametrize("name", KEPT)
def test_what_stays(torch: Any, name: str) -> None:
    assert check(torch, *KEPT[name]) == 0


@pytest.mark.parametrize("name", FOLDED)
def test_strict_rounding_keeps_the_order(torch: Any, name: str) -> None:
    assert check(torch, *FOLDED[name], math="strict") == 0


def test_without_a_bias(torch: Any) -> None:
    """The shift is the bias then."""
    assert check(torch, *FOLDED["a scale and a shift"], bias=False) == 2
    assert check(torch, *FOLDED["a scale"], bias=False) == 1
