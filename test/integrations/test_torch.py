"""`torch.compile(backend="snippets")` beside eager torch and float64."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from torch_gradients import total

from snippets_mlir import CompileError
from snippets_mlir.integrations.torch.options import Options
from snippets_mlir.runtime.parallel import threads
from snippets_mlir.runtime.parallel.openmp_libraries import loaded_runtimes
from snippets_mlir.torch import backend

ROOT = Path(__file__).resolve().parents[2]


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


def tanh_of_product(x: Any, y: Any) -> Any:
    return (x * y).tanh() + x


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


def test_kernels_take_the_threads_of_torch(torch: Any):
    """Its team spins after an op: with a crew, three threads would have two cores."""
    torch.compile(torch.sigmoid, backend=backend)(torch.randn(512, 1024))
    takes_teams = bool(threads._takes_teams.value)  # pyright: ignore[reportPrivateUsage]
    assert takes_teams == (len(loaded_runtimes()) == 1)
    x = torch.randn(512, 4096)
    found = torch.compile(lambda x: x.sigmoid() * x, backend=backend)(x)  # pyright: ignore
    torch.testing.assert_close(found, x.sigmoid() * x)


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
