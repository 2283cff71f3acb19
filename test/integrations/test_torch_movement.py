"""Indices, joins and slices by `torch.compile(backend="snippets")`, beside eager torch."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from snippets_mlir.torch import backend, explain


def rotated(t: Any, x: Any, c: Any, s: Any) -> Any:
    half = x.shape[-1] // 2
    return x * c + t.cat([-x[..., half:], x[..., :half]], -1) * s


def embedded(torch: Any, x: Any, i: Any) -> Any:
    return torch.nn.functional.embedding(i, x) + 1


def rows(torch: Any, x: Any, i: Any) -> Any:
    return x[i] * 2


def taken_columns(torch: Any, x: Any, i: Any) -> Any:
    return x[:, i] * 2


def selected(torch: Any, x: Any, i: Any) -> Any:
    return torch.index_select(x, 1, i.reshape(-1)) * 2


def rows_twice(torch: Any, x: Any, i: Any) -> Any:
    return x[i] + x[i].exp()


def elements(torch: Any, x: Any, i: Any) -> Any:
    return x[i, i.flip(0) - 9] * 2


def elements_between(torch: Any, x: Any, i: Any) -> Any:
    return x.reshape(9, 4, 5)[i, :, i[:, :1] & 3] * 2 + x.reshape(3, 3, 20)[:, i & 1, i][0, 0, 0]


def elements_of_the_last_dims(torch: Any, x: Any, i: Any) -> Any:
    return x.reshape(9, 4, 5)[..., i & 3, i[0] & 3] * x[0, 0]


PLACES: tuple[Any, ...] = (
    embedded,
    rows,
    taken_columns,
    selected,
    rows_twice,
    elements,
    elements_between,
    elements_of_the_last_dims,
)


@pytest.mark.parametrize("function", PLACES, ids=lambda f: f.__name__)
@pytest.mark.parametrize("dtype", ["int64", "int32"])
def test_rows_at_indices_are_read_by_kernels(torch: Any, function: Any, dtype: str):
    torch._dynamo.reset()
    f = partial(function, torch)
    x = torch.randn(9, 20, requires_grad=True)
    i = torch.tensor([[3, 0, 8], [1, 1, 2]], dtype=getattr(torch, dtype))
    compiled = torch.compile(f, backend="snippets", options={"fallback": "error"})
    with torch.no_grad():
        torch.testing.assert_close(compiled(x, i), f(x, i))
    gradients: list[Any] = []
    for g in (torch.compile(f, backend="snippets"), f):
        g(x, i).sum().backward()
        gradients.append(x.grad)
        x.grad = None
    torch.testing.assert_close(*gradients)


def test_indices_that_are_outside_are_an_error(torch: Any):
    """Only those of brackets may count from the end."""
    torch._dynamo.reset()
    x = torch.randn(9, 20)
    taken = torch.compile(rows, backend="snippets")
    functions = torch.compile(embedded, backend="snippets"), taken
    for function, places in zip(functions, ((9, -1), (9, -10)), strict=True):
        for place in places:
            with pytest.raises(IndexError, match=f"index {place} is out of bounds"):
                function(torch, x, torch.tensor([0, place]))
    torch.testing.assert_close(taken(torch, x, torch.tensor([-9, 8])), x[[-9, 8]] * 2)


def test_numbers_that_count_are_constants(torch: Any):
    def counting(x: Any) -> Any:
        shape = x.shape[-1]
        floats = torch.arange(shape, dtype=torch.float32)
        return x + torch.arange(3, 3 + 2 * shape, 2) + floats - torch.arange(shape - 1, -1, -1)

    torch._dynamo.reset()
    x = torch.randn(4, 9)
    compiled = torch.compile(counting, backend="snippets", options={"fallback": "error"})
    torch.testing.assert_close(compiled(x), counting(x))


def test_elements_in_the_other_order_are_read_in_place(torch: Any, programs: list[str]):
    """A copy in torch, a slice of a kernel; its memory is not that of its operand."""

    def f(x: Any) -> Any:
        y = x.flip(0, -1) * 2
        z = y.flip(1)
        return y, z.cumsum(1), x.flip(0), x.flip([]) + 1, z

    torch._dynamo.reset()
    x = torch.randn(3, 1, 5)
    found, wanted = torch.compile(f, backend=backend)(x), f(x)
    torch.testing.assert_close(found, wanted)
    assert sum(text.count("snippets.slice") for text in programs) == 2
    assert found[0].data_ptr() != found[4].data_ptr()
    found[2].zero_()
    assert bool(x.any())


def test_what_stays_with_torch_of_indices(torch: Any):
    import snippets_mlir.torch as ours

    def alone(x: Any, i: Any) -> Any:
        return x[i]

    x, i = torch.randn(9, 20), torch.tensor([3, 0, 8])
    torch._dynamo.reset()
    reasons = [row.reason for row in ours.explain(alone, x, i)]
    assert reasons == ["no kernel computes with its operands"]

    def pairs(x: Any, i: Any) -> Any:
        return x[i, i] * 2

    torch._dynamo.reset()
    compiled = torch.compile(pairs, backend="snippets", dynamic=True)
    for count in (9, 12):
        x = torch.randn(count, 20)
        torch.testing.assert_close(compiled(x, i), pairs(x, i))


def test_a_rotary_embedding_is_one_program(torch: Any, programs: list[str]):
    function = partial(rotated, torch)
    x, c, s = torch.randn(2, 8, 33, 32), torch.randn(33, 32), torch.randn(33, 32)
    torch.testing.assert_close(torch.compile(function, backend=backend)(x, c, s), function(x, c, s))
    assert len(programs) == 1
    assert {row.kernel for row in explain(function, x, c, s)} == {0}


JOINS: dict[str, Callable[[Any, Any], Any]] = {
    "cat": lambda t, x: t.cat([x.sin(), x], 1) * 2,
    "cat of rows": lambda t, x: t.cat([x, x.exp(), x[:3]]).tanh(),
    "cat of types": lambda t, x: t.cat([x, x.double(), x.half()], 1),
    "cat beside nothing": lambda t, x: t.cat([t.zeros(0), x, t.zeros(0)], -1) + 1,
    "cat of empty rows": lambda t, x: t.cat([x[:0], x * 2]),
    "narrow": lambda t, x: t.cat([(x > 0).to(t.int8), (x * 9).to(t.int8)], 1) + 1,
    "truth values": lambda t, x: t.cat([x > 0, x < 1]).logical_not(),
    "stack": lambda t, x: t.stack([x.sin(), x.cos()], -1).flatten(-2),
    "pad": lambda t, x: t.nn.functional.pad(x.relu(), (1, 2, 0, 3), value=-1.5) * 2,
    "pad of one dim": lambda t, x: t.nn.functional.pad(x, (3, 0)) * 2,
    "pad that cuts": lambda t, x: t.nn.functional.pad(x.relu(), (-1, 2)) * 2,
    "slices": lambda t, x: x[1:, ::2] * x[:-1, 1::2] + x[2, :1] - x[..., -1:].exp()[1:],
    "a row": lambda t, x: x[0] * x[:, -2:-1] + x[-1].sigmoid(),
}


@pytest.mark.parametrize("name", JOINS)
def test_joins_and_their_gradients(torch: Any, name: str):
    torch.manual_seed(1)
    function = partial(JOINS[name], torch)
    x = torch.randn(7, 34, requires_grad=True)
    again = x.detach().clone().requires_grad_()
    found, expected = torch.compile(function, backend=backend)(x), function(again)
    torch.testing.assert_close(found, expected)
    if expected.requires_grad:
        (found * found.detach().cos()).sum().backward()
        (expected * expected.detach().cos()).sum().backward()
        torch.testing.assert_close(x.grad, again.grad, rtol=1e-4, atol=1e-4)


def test_pads_of_integers(torch: Any):
    """Numbers that are none of the type are torch's to convert, or to refuse."""
    pad = torch.nn.functional.pad
    x = torch.arange(-3, 3)
    for kind, numbers in {"bool": (0, 1, 0.5), "uint8": (7, 255, -1), "int8": (-128, 2.5)}.items():
        for number in numbers:
            function = partial(pad, x.to(getattr(torch, kind)), (1, 2), value=number)
            try:
                expected = function()
            except RuntimeError:
                with pytest.raises(RuntimeError):
                    torch.compile(function, backend=backend)()
            else:
                found = torch.compile(function, backend=backend)()
                torch.testing.assert_close(found, expected, rtol=0, atol=0)


def test_joins_of_other_sizes_do_not_compile_again(torch: Any, programs: list[str]):
    def joined(x: Any, y: Any) -> Any:
        return torch.cat([x.exp(), y]) * 2

    compiled = torch.compile(joined, backend=backend, dynamic=True)
    for size in (3, 5, 9, 200):
        x, y = torch.randn(size, 7), torch.randn(size + 1, 7)
        torch.testing.assert_close(compiled(x, y), joined(x, y))
    assert len(programs) == 1


def test_slices_at_the_end_are_views(torch: Any, programs: list[str]):
    def f(x: Any) -> Any:
        y = x * 2
        return y, y[:, 1:]

    y, part = torch.compile(f, backend=backend)(torch.ones(3, 4))
    part.zero_()
    assert y.tolist() == [[2.0, 0.0, 0.0, 0.0]] * 3
    assert len(programs) == 1


def activations(torch: Any, x: Any) -> Any:
    f = torch.nn.functional
    return f.selu(x), f.softplus(x, 3.0, 4.0), f.softplus(x, 0.5), torch.angle(x)


def rounded(torch: Any, x: Any) -> Any:
    return torch.round(x, decimals=2) + 0, torch.round(x * 100, decimals=-1) + 0


def copies(torch: Any, x: Any) -> Any:
    return x.repeat(2, 3).exp(), x.exp().repeat(2, 1, 2), torch.tile(x, (4,)) * 2


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16"])
@pytest.mark.parametrize("function", [activations, rounded, copies])
def test_formulas(torch: Any, function: Callable[..., Any], dtype: str):
    """Scales, bounds and decimals other than those of the op of the compiler; copies."""
    special = torch.tensor([[0.0, -0.0, torch.inf, -torch.inf, torch.nan, 2.675, 50.0, -50.0]])
    x = torch.cat([special, torch.randn(9, 8) * 5]).to(getattr(torch, dtype))
    called = partial(function, torch)
    compiled = torch.compile(called, backend=backend, options={"fallback": "error"})
    tolerance = {"float16": 2e-3, "bfloat16": 1.6e-2, "float32": 1e-5, "float64": 1e-12}[dtype]
    for found, wanted in zip(compiled(x), called(x), strict=True):
        torch.testing.assert_close(
            found, wanted, rtol=tolerance, atol=tolerance, equal_nan=True, check_stride=True
        )
