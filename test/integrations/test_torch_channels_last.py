# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
"""Convolutions on channels-last images: where graphs change, the same values, the same orders."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import pytest

import snippets_mlir.torch

module: Any = import_module("snippets_mlir.integrations.torch.channels_last")


def layers(*names: str) -> Callable[[Any], Any]:
    """A network of layers by their names: `conv 3 16 3` has 3 x 3 weights."""

    def make(torch: Any) -> Any:
        torch.manual_seed(0)
        found: list[Any] = []
        for name in names:
            kind, *numbers = name.split()
            sizes = [*map(int, numbers)]
            if kind == "conv":
                found.append(torch.nn.Conv2d(*sizes, padding=sizes[2] // 2))
            elif kind == "norm":
                norm = torch.nn.BatchNorm2d(*sizes)
                torch.nn.init.uniform_(norm.weight)
                torch.nn.init.normal_(norm.bias)
                torch.nn.init.normal_(norm.running_mean)
                torch.nn.init.uniform_(norm.running_var)
                found.append(norm)
            else:
                found.append(getattr(torch.nn, kind)(*sizes))
        return torch.nn.Sequential(*found).eval()

    return make


DEEP = ("conv 3 8 3", "norm 8", "SiLU", "conv 8 8 3", "norm 8", "SiLU")
CHANGED: dict[str, tuple[Callable[[Any], Any], Sequence[int]]] = {
    "a mean": (layers(*DEEP, "AdaptiveAvgPool2d 1", "Flatten"), (2, 3, 9, 7)),
    "images": (layers(*DEEP, "conv 8 2 1"), (2, 3, 8, 8)),
    "rows": (layers(*DEEP, "conv 8 2 1", "Flatten", "Tanh"), (2, 3, 8, 8)),
    "pools": (layers(*DEEP, "MaxPool2d 2", "conv 8 4 3", "ReLU", "AvgPool2d 2"), (1, 3, 8, 8)),
    "an odd number of channels": (
        layers("conv 3 5 3", "norm 5", "ReLU", "conv 5 7 3", "norm 7", "Sigmoid", "conv 7 1 1"),
        (3, 3, 5, 6),
    ),
    "many channels": (layers("conv 3 70 1", "norm 70", "SiLU", "conv 70 3 1"), (2, 3, 3, 3)),
}
KEPT: dict[str, tuple[Callable[[Any], Any], Sequence[int]]] = {
    "one convolution": (layers("conv 3 8 3", "ReLU"), (2, 3, 8, 8)),
    "copies on both sides": (layers("conv 8 2 3", "Tanh"), (2, 8, 8, 8)),
    "no convolution": (layers("norm 3", "ReLU"), (2, 3, 8, 8)),
    "another rank": (layers("Conv1d 3 8 3", "ReLU", "Conv1d 8 8 3"), (2, 3, 9)),
    "a transposed one": (layers("ConvTranspose2d 3 8 3", "ReLU"), (2, 3, 8, 8)),
}


def strides_of(tensor: Any) -> list[int]:
    """Of the dims that have several elements."""
    return [s for s, n in zip(tensor.stride(), tensor.shape, strict=True) if n != 1]


def check(torch: Any, name: str, cases: Any, *, dynamic: bool = False) -> int:
    """Compare a network with eager torch; how many copies to channels last its graphs have."""
    make, shape = cases[name]
    network = make(torch)
    x = torch.randn(shape)
    torch._dynamo.reset()
    copies: list[Any] = []

    def counted(gm: Any, *rest: Any) -> Any:
        copies.extend(n for n in gm.graph.nodes if n.target is torch.ops.aten.clone.default)
        return compile_graph(gm, *rest)

    backend: Any = import_module("snippets_mlir.integrations.torch.backend")
    compile_graph = backend.compile_graph
    with pytest.MonkeyPatch.context() as patch, torch.no_grad():
        patch.setattr(backend, "compile_graph", counted)
        f = torch.compile(network, backend="snippets", dynamic=dynamic)
        for given in (x, x.to(memory_format=torch.channels_last) if x.dim() == 4 else x, x):
            found, expected = f(given), network(given)
            torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)
            if given is x:
                assert strides_of(found) == strides_of(expected)
    return len(copies)


@pytest.mark.parametrize("name", CHANGED)
def test_a_network_becomes_channels_last(torch: Any, name: str) -> None:
    assert check(torch, name, CHANGED) > 0


@pytest.mark.parametrize("name", KEPT)
def test_a_network_that_stays(torch: Any, name: str) -> None:
    assert check(torch, name, KEPT) == 0


def test_sizes_of_the_call(torch: Any) -> None:
    """Symbols are left alone: the change would ask for sizes."""
    assert check(torch, "a mean", CHANGED, dynamic=True) == 0


def test_without_onednn(torch: Any) -> None:
    """Other convolutions have no preferred order."""
    with torch.backends.mkldnn.flags(enabled=False):
        assert check(torch, "a mean", CHANGED) == 0


def test_special_values(torch: Any) -> None:
    """NaN and infinities of pixels come out where they do in eager torch."""
    network = layers(*DEEP)(torch)
    x = torch.randn(2, 3, 8, 8)
    x[0, 0, 0, 0], x[1, 1, 4, 4] = float("nan"), float("inf")
    with torch.no_grad():
        found, expected = torch.compile(network, backend="snippets")(x), network(x)
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5, equal_nan=True)


@pytest.mark.parametrize("dtype", ["float64", "bfloat16"])
def test_other_floats(torch: Any, dtype: str) -> None:
    kind = getattr(torch, dtype)
    network = layers(*DEEP, "AdaptiveAvgPool2d 1")(torch).to(kind)
    x = torch.randn(2, 3, 8, 8, dtype=kind)
    with torch.no_grad():
        found, expected = torch.compile(network, backend="snippets")(x), network(x)
    bound = 1e-9 if dtype == "float64" else 3e-2
    torch.testing.assert_close(found, expected, rtol=bound, atol=bound)


def test_training_keeps_its_orders(torch: Any) -> None:
    """Gradients of a network in evaluation mode, and in training mode."""
    for training in (False, True):
        network = layers(*DEEP, "conv 8 2 1")(torch).train(training)
        x = torch.randn(2, 3, 8, 8, requires_grad=True)
        f = torch.compile(network, backend="snippets")
        gradients: list[Any] = []
        for call in (f, network):
            network.zero_grad()
            x.grad = None
            call(x).square().sum().backward()
            gradients.append([x.grad, *(p.grad.clone() for p in network.parameters())])
        torch.testing.assert_close(*gradients, rtol=1e-3, atol=1e-4)


def test_values_of_channels_are_computed_once(torch: Any) -> None:
    """The scales of both norms are program 0; kernels of images read them."""
    network = layers(*DEEP, "AdaptiveAvgPool2d 1")(torch)
    with torch.no_grad():
        rows = snippets_mlir.torch.explain(network, torch.randn(2, 3, 8, 8))
    program = {row.op: row.kernel for row in reversed(rows)}
    assert program["aten.sqrt.default"] == 0
    assert program["aten.convolution.default"] is None
    assert {row.kernel for row in rows if row.op == "aten.sqrt.default"} == {0}
    assert len({row.kernel for row in rows if row.kernel is not None}) == 3


def test_batch_norm_without_weights(torch: Any) -> None:
    norm = torch.nn.BatchNorm1d(5, affine=False).eval()
    torch.nn.init.normal_(norm.running_mean)
    for x in (torch.randn(4, 5), torch.randn(4, 5, 3), torch.randn(0, 5)):
        with torch.no_grad():
            found = torch.compile(norm, backend="snippets")(x)
            torch.testing.assert_close(found, norm(x))
