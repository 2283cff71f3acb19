"""Numbers that a call has (SymInts), as operands and as places of slices, beside eager torch."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from snippets_mlir.torch import backend

SHAPES = ((16, 32), (20, 40), (9, 9))

SLICES: dict[str, Callable[[Any, Any, int], Any]] = {
    "narrow": lambda t, x, i: x.narrow(1, i, 6).exp() * 2,
    "slice": lambda t, x, i: x[:, i : i + 6].exp() * x[i, :6],
    "of rows": lambda t, x, i: x[i : i + 2].exp() - x[:2],
    "between ops": lambda t, x, i: (x * 3).narrow(1, i, 4).exp(),
    "of two dims": lambda t, x, i: x[i : i + 3, i : i + 4].exp() * 2,
    "select": lambda t, x, i: x[i].exp() * x[:, -1:],
    "select of columns": lambda t, x, i: x.select(1, i).exp() + 1,
    "known places": lambda t, x, i: x[:4, :8].exp() + x[1, 2] * i,
    "last": lambda t, x, i: x[-8:].exp() * 2 + x[-1, -1] + i,
}


@pytest.mark.parametrize("name", SLICES)
def test_slices_at_numbers_of_the_call(torch: Any, programs: list[str], name: str):
    torch._dynamo.reset()
    function = partial(SLICES[name], torch)
    compiled = torch.compile(function, backend="snippets", dynamic=True)
    for place in (2, 3, 0, 1):
        for shape in SHAPES:
            x = torch.randn(shape)
            torch.testing.assert_close(compiled(x, place), function(x, place))
    assert any("snippets.slice" in p or "snippets.dynamic_slice" in p or "snippets.gather" in p
               for p in programs)  # fmt: skip
    assert len(programs) <= 4  # 0 and 1 are programs of their own


def test_a_start_of_the_call_is_one_program(torch: Any, programs: list[str]):
    torch._dynamo.reset()
    compiled = torch.compile(
        lambda x, i: x.narrow(1, i, 6).exp(),  # pyright: ignore
        backend="snippets",
        options={"fallback": "error"},
        dynamic=True,
    )
    x = torch.randn(16, 32, requires_grad=True)
    for place in range(2, 27):
        torch.testing.assert_close(compiled(x, place), x[:, place : place + 6].exp())
    assert len(programs) == 1
    with pytest.raises(RuntimeError, match=r"narrow|start"):
        compiled(x, 27)


PARTS: dict[str, Callable[[Any], Any]] = {
    "difference": lambda x: x[1:] - x[:-1],
    "stencil": lambda x: x[2:].exp() + x[:-2] * x[1:-1],
    "elements": lambda x: x[-1].exp() + x[-3:].sum(0) + x[-3:-1].sum(0),
    "turned": lambda x: x.flip(0).exp() + x.flip([0, 1]),
    "all but one": lambda x: x.narrow(0, 1, x.shape[0] - 1).exp(),
    "from the end": lambda x: x.narrow(0, x.shape[0] - 3, 2).exp(),
}


@pytest.mark.parametrize("name", PARTS)
def test_parts_whose_size_the_call_has(torch: Any, programs: list[str], name: str):
    torch._dynamo.reset()
    compiled = torch.compile(
        PARTS[name], backend="snippets", dynamic=True, options={"fallback": "error"}
    )
    for rows in (9, 40, 5, 6, 1000):
        x = torch.randn(rows, 6)
        torch.testing.assert_close(compiled(x), PARTS[name](x))
    assert len(programs) == 1
    for rows in (3, 4):
        x = torch.randn(rows, 6)
        torch.testing.assert_close(compiled(x), PARTS[name](x))


def test_parts_in_other_steps_and_of_other_tensors(torch: Any):
    torch._dynamo.reset()

    def f(x: Any, y: Any) -> Any:
        return x[1:-1].exp() * y, x[::2].exp() + 1, x[1:].exp() * 2

    compiled = torch.compile(f, backend="snippets", dynamic=True)
    for rows in (9, 40, 5, 3, 2):
        x, y = torch.randn(rows, 6), torch.randn(rows - 2, 6)
        torch.testing.assert_close(compiled(x, y), f(x, y))


def test_counted_from_the_end(torch: Any):
    torch._dynamo.reset()
    x = torch.randn(7, 32)

    def f(x: Any, i: int) -> Any:
        return x[:, i : i + 5].exp() + x[0, i].tanh()

    compiled = torch.compile(f, backend=backend, dynamic=True)
    torch._dynamo.mark_static(x, 1)
    for place in (-9, -12, 3, -5 - 1, -32):
        torch.testing.assert_close(compiled(x, place), f(x, place))
    with pytest.raises(IndexError):
        compiled(x, -33)


def test_places_that_follow_from_elements(torch: Any):
    """A place has no guards then: `select` checks it, and torch makes a slice."""
    torch._dynamo.reset()

    def f(x: Any, i: Any) -> Any:
        return x.narrow(1, i.item(), 8).exp() * x[i.item()].amax()

    x = torch.randn(16, 32)
    with torch._dynamo.config.patch(capture_scalar_outputs=True):
        compiled = torch.compile(f, backend=backend)
        for place in (3, 0, 15):
            i = torch.tensor(place)
            torch.testing.assert_close(compiled(x, i), f(x, i))
        with pytest.raises((IndexError, RuntimeError)):
            compiled(x, torch.tensor(16))


def test_numbers_of_the_call_are_operands(torch: Any, programs: list[str]):
    torch._dynamo.reset()

    def f(x: Any, n: int) -> Any:
        scaled = torch.add(x, x, alpha=n) * n + x.clamp(max=n) + x**n / n
        truth = (x > n) | ((x * 5).to(torch.int8) * n > 3)
        return scaled, truth, x.half() * n, torch.where(x > 0, x, n), x * (n * 0.25)

    compiled = torch.compile(f, backend="snippets", dynamic=True)
    for n in (3, 5, -2, 1 << 40):
        for shape in SHAPES:
            x = torch.randn(shape)
            found, wanted = compiled(x, n), f(x, n)
            torch.testing.assert_close(found, wanted, rtol=1e-3, atol=1e-5)
            assert [r.dtype for r in found] == [r.dtype for r in wanted]
    assert len(programs) <= 2


def test_an_attribute_of_an_op_that_a_call_has_is_left_to_torch(torch: Any):
    torch._dynamo.reset()

    def f(x: Any, n: int) -> Any:
        return torch.nn.functional.leaky_relu(x, n * 0.5) + x

    compiled = torch.compile(f, backend=backend, dynamic=True)
    for n in (3, 4):
        x = torch.randn(8, 9)
        torch.testing.assert_close(compiled(x, n), f(x, n))
