"""Cumulative ops by `torch.compile(backend="snippets")`, beside eager torch."""

from __future__ import annotations

from typing import Any

import pytest

from snippets_mlir.torch import backend, explain

NAN, INF = float("nan"), float("inf")


def extremes(x: Any, dim: int) -> Any:
    return (*x.cummax(dim), *x.cummin(dim))


@pytest.mark.parametrize("dim", [0, -1])
def test_extremes_and_their_places(torch: Any, dim: int):
    inputs = (
        torch.randn(5, 40).round(),
        torch.randint(-9, 9, (4, 33)),
        torch.randint(0, 9, (3, 17)).to(torch.uint8),
        torch.randn(4, 5, 6).half(),
        torch.randn(3, 17).bfloat16(),
        torch.tensor([[1, NAN, 3, NAN, 2, INF], [-0.0, 0.0, -0.0, 0.0, -INF, -INF]]),
        torch.full((2, 17), -INF),
        torch.full((2, 17), NAN),
        torch.randn(1, 1),
        torch.randn(2, 70_000),
    )
    for x in inputs:
        torch._dynamo.reset()
        compiled = torch.compile(extremes, backend=backend, options={"fallback": "error"})
        for found, expected in zip(compiled(x, dim), extremes(x, dim), strict=True):
            assert found.dtype == expected.dtype
            torch.testing.assert_close(found, expected, rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize("dim", [0, 1, -1])
@pytest.mark.parametrize("name", ["float32", "int32", "bfloat16"])
def test_extremes_of_dynamic_dims(torch: Any, programs: list[str], dim: int, name: str):
    options = {"fallback": "error"}
    compiled = torch.compile(extremes, backend=backend, dynamic=True, options=options)
    for shape in ((3, 4, 5), (2, 7, 9), (5, 70, 3), (4, 2, 1030)):
        x = torch.randint(-9, 9, shape).to(getattr(torch, name))
        if x.is_floating_point():
            x.view(-1)[5::7] = NAN
        for found, expected in zip(compiled(x, dim), extremes(x, dim), strict=True):
            torch.testing.assert_close(found, expected, rtol=0, atol=0, equal_nan=True)
    assert len(programs) == 1
    assert "?x?x?" in programs[0]


def test_extremes_that_torch_finds(torch: Any):
    for x in (torch.randn(3, 4) > 0, torch.tensor(3.0), torch.randn(2, 0)):
        torch._dynamo.reset()
        compiled = torch.compile(extremes, backend=backend)
        for found, expected in zip(compiled(x, 0), extremes(x, 0), strict=True):
            torch.testing.assert_close(found, expected)


def test_extremes_are_one_program_and_have_gradients(torch: Any):
    def of_powers(x: Any) -> Any:
        return extremes(x.exp(), 1)

    x = torch.randn(5, 9)
    assert {row.kernel for row in explain(of_powers, x)} == {0}
    given, again = (x.clone().requires_grad_() for _ in range(2))
    torch.compile(extremes, backend=backend)(given, 1)[0].square().sum().backward()
    extremes(again, 1)[0].square().sum().backward()
    torch.testing.assert_close(given.grad, again.grad)


@pytest.mark.parametrize("size", [65_536, 65_537])
def test_more_numbers_than_a_constant_has(torch: Any, size: int):
    def counted(x: Any) -> Any:
        return torch.arange(size) * x, torch.arange(3, 3 + 2 * size, 2) + x.long()

    x = torch.randn(size)
    compiled = torch.compile(counted, backend=backend, options={"fallback": "error"})
    for found, expected in zip(compiled(x), counted(x), strict=True):
        torch.testing.assert_close(found, expected)
