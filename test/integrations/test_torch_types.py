"""Element types by `torch.compile(backend="snippets")`, beside eager torch."""

from __future__ import annotations

from typing import Any

import pytest

from snippets_mlir.torch import backend


def exp_twice(x: Any) -> Any:
    return x.exp() * 2


def test_types_and_scalars(torch: Any, programs: list[str]):
    def f(i: Any, j: Any, b: Any, d: Any, s: Any) -> Any:
        return i / 2, i + j, i > 1.5, b & (i == j), d * s, (b | (d > 0)).any(), b.sum(), s * 3

    inputs = (
        torch.arange(-3, 5),
        torch.arange(8, dtype=torch.int32),
        torch.arange(8) % 3 == 0,
        torch.randn(8, dtype=torch.float64),
        torch.tensor(1.5),
    )
    found, expected = torch.compile(f, backend=backend)(*inputs), f(*inputs)
    torch.testing.assert_close(found, expected, rtol=0, atol=0)
    assert [r.dtype for r in found] == [r.dtype for r in expected]
    assert len(programs) == 1


def test_types_without_kernels_run_in_torch(torch: Any, programs: list[str]):
    x = torch.randn(8, dtype=torch.complex64)
    compiled = torch.compile(exp_twice, backend=backend)
    torch.testing.assert_close(compiled(x), exp_twice(x))
    assert programs == []


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_halves_and_their_gradients(torch: Any, programs: list[str], dtype: str):
    """Kernels round what is stored, eager torch each op: they are at least as near to float64."""

    def f(x: Any, y: Any, w: Any) -> Any:
        h = torch.nn.functional.layer_norm(x * y, (x.shape[-1],)) @ w
        return torch.nn.functional.silu(h) + x.permute(1, 0).amax(1)[0]

    torch.manual_seed(0)
    inputs = [torch.randn(17, 33), torch.randn(17, 33), torch.randn(33, 65) / 6]
    halves = [x.to(getattr(torch, dtype)).requires_grad_() for x in inputs]
    exact = [x.detach().double().requires_grad_() for x in halves]
    eager = [x.detach().clone().requires_grad_() for x in halves]
    compiled = torch.compile(f, backend=backend, options={"products": "kernels"})
    results = [g(*x) for g, x in ((compiled, halves), (f, eager), (f, exact))]
    for result in results:
        result.sum().backward()
    assert len(programs) >= 2
    groups = zip(halves, eager, exact, strict=True)
    ours, theirs, right = ([r] for r in results)
    rows = [(a, b, c) for a, b, c in zip(ours, theirs, right, strict=True)]
    rows += [(a.grad, b.grad, c.grad) for a, b, c in groups]
    for found, other, wanted in rows:
        assert found.dtype == other.dtype
        errors = [(x.double() - wanted).abs().max().item() for x in (found, other)]
        scale = torch.finfo(found.dtype).eps * wanted.abs().max().item()
        assert errors[0] <= max(2 * errors[1], scale)


def test_numbers_are_not_rounded_to_16_bits(torch: Any):
    x = torch.linspace(-3, 3, 77).bfloat16()

    def f(x: Any) -> Any:
        return x * 0.1, x / 3.3, x < 0.3, torch.maximum(x, x * 0 + 0.3), x.var()

    # Eager torch rounds the number of a sum, which we do not.
    total = torch.compile(lambda x: x + 1.003, backend=backend)(x)  # pyright: ignore
    assert torch.equal(total, (x.float() + 1.003).bfloat16())
    for found, wanted in zip(torch.compile(f, backend=backend)(x), f(x), strict=True):
        torch.testing.assert_close(found, wanted, rtol=0, atol=0)


def test_halves_on_a_target_without_their_conversions(torch: Any, programs: list[str]):
    x = torch.randn(8).half()
    compiled = torch.compile(exp_twice, backend=backend, options={"target": "generic"})
    torch.testing.assert_close(compiled(x), exp_twice(x.float()).half())
    assert len(programs) == 1


def test_quotients_with_rounding_modes(torch: Any, programs: list[str]):
    special = [0.0, -0.0, 1.0, -1.0, 2.5, -7.25, 3e38, 1e-40, float("inf"), -float("inf")]
    x = torch.tensor([*special, float("nan"), *torch.randn(30).tolist()])
    x, y = (v.reshape(-1).clone() for v in torch.meshgrid(x, x, indexing="ij"))
    for mode in ("floor", "trunc"):
        compiled = torch.compile(lambda x, y: torch.div(x, y, rounding_mode=mode), backend=backend)  # pyright: ignore
        for dtype in (torch.float32, torch.float64):
            a, b = x.to(dtype), y.to(dtype)
            found, wanted = compiled(a, b), torch.div(a, b, rounding_mode=mode)
            torch.testing.assert_close(found, wanted, rtol=0, atol=0, equal_nan=True)
            numbers = ~wanted.isnan()
            assert torch.equal(found.signbit()[numbers], wanted.signbit()[numbers])
    assert len(programs) == 4


def test_truth_values_as_numbers(torch: Any, programs: list[str]):
    def f(a: Any, b: Any, n: Any) -> Any:
        return (
            a > b, a <= b, torch.maximum(a, b), torch.minimum(a, b), a.amax(0), b.amin(1),
            n.isnan(), n.isinf(), a.isnan(), n.signbit(),
        )  # fmt: skip

    a, b = torch.rand(5, 9) > 0.5, torch.rand(5, 9) > 0.5
    n = torch.tensor([0, -1, 2**62, -(2**63)])
    for found, wanted in zip(torch.compile(f, backend=backend)(a, b, n), f(a, b, n), strict=True):
        assert torch.equal(found, wanted)
    assert len(programs) >= 1


def test_narrow_integers_wrap(torch: Any, programs: list[str]):
    def f(x: Any, y: Any) -> Any:
        return x * y + 7, torch.where(x > y, x, -y), (x + y).sum(1), (x * x).amax(0)

    compiled = torch.compile(f, backend=backend)
    for dtype in (torch.int8, torch.uint8, torch.int16):
        x, y = (torch.randint(-400, 400, (5, 67)).to(dtype) for _ in range(2))
        torch.testing.assert_close(compiled(x, y), f(x, y), rtol=0, atol=0)
    assert len(programs) == 3


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int32"])
def test_powers_that_are_roots(torch: Any, dtype: str):
    """Of -inf and -0.0 a root is not what `pow` of C is."""

    def powers(x: Any) -> Any:
        return x**0.5, x**-0.5, x**2, x**1.5, torch.pow(2, x)

    numbers = [0, 4, -1, 9] if dtype == "int32" else [-float("inf"), -0.0, 0.0, 4, float("nan")]
    x = torch.tensor(numbers * 5, dtype=getattr(torch, dtype))
    found = torch.compile(powers, backend=backend)(x)
    for one, expected in zip(found, powers(x), strict=True):
        torch.testing.assert_close(one, expected, equal_nan=True)
        zero = expected == 0
        assert torch.equal(one[zero].signbit(), expected[zero].signbit())


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int64", "float16", "bfloat16", "float32"])
def test_numbers_that_no_element_is(torch: Any, dtype: str):
    """They are infinite as floats and true as truth values; as integers, torch refuses them."""

    def filled(x: Any, n: float) -> Any:
        return torch.full_like(x, n)

    def chosen(x: Any, n: float) -> Any:
        return torch.where(x > 0, x, n).to(x.dtype), (x < n) | (x == n)

    x = torch.tensor([0, 1, 100]).to(getattr(torch, dtype))
    for n in (float("inf"), -float("inf"), float("nan"), -1e300, 1 << 40, 3):
        for f in (filled, chosen):
            torch._dynamo.reset()
            compiled = torch.compile(f, backend=backend)
            try:
                expected = f(x, n)
            except RuntimeError:
                continue
            torch.testing.assert_close(compiled(x, n), expected, rtol=0, atol=0, equal_nan=True)


def test_places_in_a_dim_without_elements(torch: Any):
    def selected(x: Any, i: Any) -> Any:
        return torch.index_select(x, 0, i) + 1

    def indexed(x: Any, i: Any) -> Any:
        return x[i, i] * 2

    x, none = torch.randn(0, 3), torch.zeros(0, dtype=torch.int64)
    for f in (selected, indexed):
        torch._dynamo.reset()
        compiled = torch.compile(f, backend=backend)
        with pytest.raises((IndexError, RuntimeError), match=r"bounds|self indexing axis"):
            compiled(x, torch.tensor([0, 0]))
        torch.testing.assert_close(compiled(x, none), f(x, none))
