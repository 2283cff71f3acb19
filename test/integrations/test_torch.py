"""`torch.compile(backend="snippets")` beside eager torch and float64."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, cast

import pytest

from snippets_mlir import CompileError
from snippets_mlir.integrations.torch import graphs
from snippets_mlir.integrations.torch.options import Options
from snippets_mlir.torch import backend, explain

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def programs(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The text of each program that is compiled."""
    found: list[str] = []
    compiled = graphs.compile_with_options

    def kept(source: str, *arguments: Any) -> Any:
        found.append(source)
        return compiled(source, *arguments)

    monkeypatch.setattr(graphs, "compile_with_options", kept)
    return found


def silu_mul(t: Any, x: Any, y: Any) -> Any:
    return t.nn.functional.silu(x) * y


def rms_norm(t: Any, x: Any, y: Any) -> Any:
    return t.nn.functional.rms_norm(x + y, (x.shape[-1],), y[0])


def layer_norm(t: Any, x: Any, y: Any) -> Any:
    return t.nn.functional.layer_norm(x, (x.shape[-1],), y[0], y[1])


def softmax(t: Any, x: Any, y: Any) -> Any:
    return t.softmax(x / 8 + y, -1)


def gelu(t: Any, x: Any, y: Any) -> Any:
    return t.nn.functional.gelu(x, approximate="tanh") + t.nn.functional.gelu(y)


def loss(t: Any, x: Any, y: Any) -> Any:
    return t.nn.functional.mse_loss(t.tanh(x), y.sigmoid()) + x.var()


def columns(t: Any, x: Any, y: Any) -> Any:
    return (x.t() * 2 + y.t()).relu(), x.sum(0), y.amax(1, keepdim=True)


FUNCTIONS = (silu_mul, rms_norm, layer_norm, softmax, gelu, loss, columns)


def total(t: Any, results: Any) -> Any:
    if not isinstance(results, tuple):
        return (results * t.cos(results.detach())).sum()
    return sum(total(t, result) for result in cast("tuple[Any, ...]", results))


def exp_twice(x: Any) -> Any:
    return x.exp() * 2


def tanh_of_product(x: Any, y: Any) -> Any:
    return (x * y).tanh() + x


def views(x: Any) -> Any:
    return x.t().reshape(3, 8)[None].expand(2, 3, 8)


def running(x: Any) -> Any:
    return x.sort(0).values.exp()


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_results_and_gradients_are_those_of_float64(
    torch: Any, programs: list[str], function: Callable[..., Any]
):
    compiled = torch.compile(partial(function, torch), backend=backend)
    inputs = [torch.randn(33, 65, requires_grad=True) for _ in range(2)]
    wide = [x.detach().double().requires_grad_() for x in inputs]
    found, expected = compiled(*inputs), function(torch, *wide)
    torch.testing.assert_close(found, expected, check_dtype=False, rtol=2e-5, atol=2e-5)
    total(torch, found).backward()
    total(torch, expected).backward()
    for x, w in zip(inputs, wide, strict=True):
        torch.testing.assert_close(x.grad, w.grad, check_dtype=False, rtol=2e-4, atol=2e-4)
    assert len(programs) >= 2, "a program forward, and one backward"


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_one_program_without_gradients(torch: Any, programs: list[str], function: Any):
    compiled = torch.compile(partial(function, torch), backend=backend)
    x, y = torch.randn(33, 65), torch.randn(33, 65)
    torch.testing.assert_close(compiled(x, y), function(torch, x, y), rtol=1e-5, atol=1e-5)
    assert len(programs) == 1


def test_the_entry_point_is_found_without_an_import():
    text = (
        "import torch; f = torch.compile(lambda x: x.exp() + 1, backend='snippets'); "
        "print(f(torch.zeros(3)).tolist())"
    )
    found = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True)
    assert found.stdout.strip() == "[2.0, 2.0, 2.0]", found.stderr


def test_sizes_change_without_compiling_again(torch: Any, programs: list[str]):
    def f(x: Any, y: Any) -> Any:
        return torch.softmax(x * 2 + y, -1).reshape(-1, 4).sum(1)

    compiled = torch.compile(f, backend=backend, dynamic=True)
    for rows, size in ((2, 8), (3, 16), (5, 12), (17, 64)):
        x, y = torch.randn(rows, size), torch.randn(size)
        torch.testing.assert_close(compiled(x, y), f(x, y))
    assert len(programs) == 1
    assert "?" in programs[0]


def test_mutation_and_aliases(torch: Any):
    def f(x: Any, y: Any) -> Any:
        x.add_(y)
        z = x.view(-1)
        z.mul_(2)
        return z, x[1], y.t()

    x, y = torch.randn(4, 6), torch.randn(4, 6)
    expected_x = x.clone()
    compiled = torch.compile(f, backend=backend)
    found, expected = compiled(x, y), f(expected_x, y)
    torch.testing.assert_close(found, expected)
    torch.testing.assert_close(x, expected_x)
    assert found[0].data_ptr() == x.data_ptr()
    assert found[2].data_ptr() == y.data_ptr()


LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "channels_last": lambda t: t.randn(2, 3, 4, 5).to(memory_format=t.channels_last),
    "transposed": lambda t: t.randn(3, 2, 5, 4).permute(1, 0, 3, 2),
    "sliced": lambda t: t.randn(4, 3, 4, 10)[::2, :, :, ::2],
    "expanded": lambda t: t.randn(1, 3, 1, 5).expand(2, 3, 4, 5),
    "offset": lambda t: t.randn(121)[1:].view(2, 3, 4, 5),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(torch: Any, programs: list[str], layout: str):
    def f(x: Any) -> Any:
        return (x.exp() + 1) / 2, x.mean((2, 3), keepdim=True) - x

    x = LAYOUTS[layout](torch)
    found, expected = torch.compile(f, backend=backend)(x), f(x)
    torch.testing.assert_close(found, expected)
    assert [r.stride() for r in found] == [r.stride() for r in expected]
    assert len(programs) == 1


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
    torch.testing.assert_close(compiled(x), exp_twice(x))
    assert programs == []


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


def test_graph_breaks(torch: Any, programs: list[str]):
    def f(x: Any) -> Any:
        y = x.exp() + 1
        if y.sum() > 0:
            return y * 2
        return y / 2

    x = torch.randn(16)
    torch.testing.assert_close(torch.compile(f, backend=backend)(x), f(x))
    assert len(programs) == 2


def test_threads(torch: Any):
    compiled = torch.compile(tanh_of_product, backend=backend)
    inputs = [(torch.randn(64, 64), torch.randn(64, 64)) for _ in range(8)]
    wrong: list[int] = []

    def work(k: int) -> None:
        x, y = inputs[k]
        for _ in range(20):
            if not torch.allclose(compiled(x, y), tanh_of_product(x, y), atol=1e-6):
                wrong.append(k)

    compiled(*inputs[0])
    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


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


PLACES: tuple[Any, ...] = (embedded, rows, taken_columns, selected, rows_twice)


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


def test_what_stays_with_torch_of_indices(torch: Any):
    import snippets_mlir.torch as ours

    def alone(x: Any, i: Any) -> Any:
        return x[i]

    def elements(x: Any, i: Any) -> Any:
        return x[i, i] * 2

    x, i = torch.randn(9, 20), torch.tensor([3, 0, 8])
    reasons = "no kernel computes with what it takes", "several tensors are indices"
    for reason, function in zip(reasons, (alone, elements), strict=True):
        torch._dynamo.reset()
        assert reason in [row.reason for row in ours.explain(function, x, i)]


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
        total(torch, found).backward()
        total(torch, expected).backward()
        torch.testing.assert_close(x.grad, again.grad, rtol=1e-4, atol=1e-4)


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
    return (x[rows] * 2).trunc() + x.cumsum(0).exp() - x.sort(-1).values.std(0)


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


def test_results_that_are_one_another(torch: Any):
    def f(x: Any) -> Any:
        y = x + 1
        return y, y, y.view(-1), x, [x * 2, {"x": x.relu()}], y.t(), y.clone(), y.t().exp()

    x = torch.randn(3, 2)
    found, expected = torch.compile(f, backend=backend)(x), f(x)
    torch.testing.assert_close(found, expected)
    same = [result.data_ptr() == found[0].data_ptr() for result in (*found[1:4], *found[5:7])]
    assert same == [True, True, False, True, False]


@pytest.mark.parametrize("shape", [(0, 4), (3, 0), (), (1,)])
def test_small_shapes(torch: Any, shape: tuple[int, ...]):
    def f(x: Any) -> Any:
        return x * 2 + 1, x.sum(), x.tanh().sum(-1) if x.dim() else x

    x = torch.randn(shape)
    torch.testing.assert_close(torch.compile(f, backend=backend)(x), f(x), equal_nan=True)


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


WRONG: tuple[tuple[dict[str, Any], str], ...] = (
    ({"maths": "fast"}, "options: there is no option 'maths'; did you mean 'math'?"),
    ({"fallback": "none"}, "options: fallback is 'eager' or 'error', found 'none'"),
    ({"math": "exact"}, "math: "),
    ({"fallback": "error"}, r"no kernel computes aten.sort"),
)


@pytest.mark.parametrize(("options", "message"), WRONG)
def test_bad_input(torch: Any, options: dict[str, Any], message: str):
    compiled = torch.compile(running, backend="snippets", options=options)
    with pytest.raises(Exception, match=re.escape(message)) as found:
        compiled(torch.randn(4))
    assert isinstance(getattr(found.value, "inner_exception", None), CompileError)


def test_an_error_names_the_line(torch: Any):
    with pytest.raises(Exception, match="sort") as found:
        torch.compile(running, backend="snippets", options={"fallback": "error"})(torch.randn(4))
    assert Path(found.value.inner_exception.file).name == "test_torch.py"  # pyright: ignore


def test_modes_are_refused(torch: Any):
    with pytest.raises(CompileError, match="the backend has no modes, found 'max-autotune'"):
        backend(None, [], mode="max-autotune")
    assert Options.of(None) == Options()


def test_the_page_runs():
    """The examples of docs/torch.md, one after the other."""
    text = (ROOT / "docs" / "torch.md").read_text(encoding="utf-8")
    code = "\n".join(
        re.findall(r"^```python needs=torch\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    )
    assert code.count("assert") >= 2
    exec(compile(code, "torch.md", "exec"), {"__name__": "page"})
