# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
"""Tensors go to kernels by their addresses, and without AOTAutograd's wrapper where it is idle."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest

import snippets_mlir
from snippets_mlir.torch import backend

addresses: Any = import_module("snippets_mlir.integrations.torch.addresses")
module: Any = import_module("snippets_mlir.integrations.torch.backend")

TEXT = """func.func @main(%x: tensor<4x6xf32>, %y: tensor<4x6xf32>) -> {results} {{
  %0 = snippets.multiply %x, %y : tensor<4x6xf32>
  %1 = snippets.exp %x : tensor<4x6xf32>
  func.return {values}
}}"""
ONE = TEXT.format(results="tensor<4x6xf32>", values="%0 : tensor<4x6xf32>")
TWO = TEXT.format(
    results="(tensor<4x6xf32>, tensor<4x6xf32>)", values="%1, %0 : tensor<4x6xf32>, tensor<4x6xf32>"
)


def refuse(*_: Any) -> str:
    """What is called in place of the addresses."""
    return "otherwise"


def call_of(torch: Any, text: str, results: int = 1) -> Callable[..., Any]:
    program = snippets_mlir.compile(text, fallback="error")
    value = torch.empty(4, 6)
    return addresses.call_at_addresses(program, [value, value], [value] * results, refuse)


def test_tensors_go_by_addresses(torch: Any) -> None:
    x, y = torch.randn(4, 6), torch.nn.Parameter(torch.randn(4, 6))
    found = call_of(torch, ONE)(x, y)
    assert not found.requires_grad
    assert torch.equal(found, x * y.detach())
    first, second = call_of(torch, TWO, 2)(x, y)
    torch.testing.assert_close(first, x.exp())
    assert torch.equal(second, x * y.detach())
    row = torch.randn(5, 6)[1:]  # it begins inside of other memory
    assert torch.equal(call_of(torch, ONE)(row, row), row * row)


OTHERS: dict[str, Callable[[Any], Any]] = {
    "no memory": lambda t: t.empty(4, 6, device="meta"),
    "sizes": lambda t: t.randn(4, 5),
    "rank": lambda t: t.randn(24),
    "strides": lambda t: t.randn(6, 4).t(),
    "slice": lambda t: t.randn(4, 12)[:, ::2],
    "type": lambda t: t.randn(4, 6).double(),
    "alignment": lambda t: t.frombuffer(bytearray(97), dtype=t.float32, offset=1, count=24).view(
        4, 6
    ),
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_tensors_do_not(torch: Any, name: str) -> None:
    call, x = call_of(torch, ONE), torch.randn(4, 6)
    other = OTHERS[name](torch)
    assert call(x, other) == "otherwise"
    assert call(other, x) == "otherwise"


def test_programs_that_have_no_such_call(torch: Any) -> None:
    """Sizes of the call, large results, strided, negated and empty tensors, counters."""
    program = snippets_mlir.compile(ONE, fallback="error")
    counted = snippets_mlir.compile(ONE, fallback="error", perf_count="body")
    x = torch.empty(4, 6)
    large, empty, negated = torch.empty(2048, 2048), torch.empty(0, 6), torch._neg_view(x)
    of = addresses.call_at_addresses
    assert of(counted, [x, x], [x], refuse) is refuse
    for inputs, output in (
        ([x, x], large),
        ([x, torch.empty(4, 12)[:, ::2]], x),
        ([x, x.expand(2, 4, 6)], x),
        ([negated, x], x),
        ([empty, empty], empty),
    ):
        assert of(program, inputs, [output], refuse) is refuse
    dynamic = snippets_mlir.compile(ONE.replace("4x6", "?x6"), fallback="error")
    assert of(dynamic, [x, x], [x], refuse) is refuse


def test_several_threads_call_one_function(
    torch: Any, wrong_in_threads: Callable[..., list[int]]
) -> None:
    f = torch.compile(lambda x, y: (x.exp() * y).sum(1), backend=backend)
    x, y = torch.randn(100, 100), torch.randn(100, 100)
    expected = f(x, y)
    assert not wrong_in_threads(lambda: torch.equal(f(x, y), expected), 200)


def test_an_address_that_is_none_is_an_error(torch: Any) -> None:
    program: Any = snippets_mlir.compile(ONE, fallback="error")
    network = program.build_for(()).program.first_network()
    x = torch.ones(4, 6)
    for given in ((x.data_ptr(),), ("x", x.data_ptr(), x.data_ptr())):
        with pytest.raises(TypeError):
            network.run_at(*given)
    out = torch.zeros(4, 6)
    assert network.run_at(x.data_ptr(), x.data_ptr(), out.data_ptr()) is None
    assert torch.equal(out, x)


TYPES = ("float64", "float16", "bfloat16", "int8", "int64", "bool")


@pytest.mark.parametrize("name", TYPES)
def test_types_and_orders_of_dims(torch: Any, name: str) -> None:
    x = torch.randint(-3, 4, (2, 3, 4, 5)).to(getattr(torch, name))

    def f(x: Any) -> tuple[Any, Any]:
        return torch.where(x > 0, x, x[:, :1]), x == 1

    def of_scalar(x: Any) -> tuple[Any, Any]:
        return torch.where(x > 0, x, x), x == 1

    for given in (x, x.contiguous(memory_format=torch.channels_last), x[0, 0, 0, 0], x[:0]):
        g = f if given.dim() else of_scalar
        torch._dynamo.reset()
        found: tuple[Any, Any] = torch.compile(g, backend=backend)(given)
        expected = g(given)
        for a, b in zip(found, expected, strict=True):
            assert (a.dtype, a.shape) == (b.dtype, b.shape)
            assert a.stride() == b.stride() or not a.numel()
            assert torch.equal(a, b)


def wrapped(torch: Any, f: Any, *inputs: Any, monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """For each graph, whether AOTAutograd's wrapper is left out."""
    found: list[bool] = []
    kept = {name: getattr(module, name) for name in ("has_idle_modes", "is_needless")}

    def idle(*arguments: Any) -> bool:
        found.append(kept["has_idle_modes"](*arguments))
        return found[-1]

    def needless(*arguments: Any) -> bool:
        found[-1] = kept["is_needless"](*arguments)
        return found[-1]

    monkeypatch.setattr(module, "has_idle_modes", idle)
    monkeypatch.setattr(module, "is_needless", needless)
    torch._dynamo.reset()
    ours, eager = [x.clone() for x in inputs], [x.clone() for x in inputs]
    g = torch.compile(f, backend=backend)
    for _ in range(2):
        results, expected = g(*ours), f(*eager)
        for a, b in zip([results, *ours], [expected, *eager], strict=True):
            torch.testing.assert_close(a, b)
            assert (a._base is None) == (b._base is None)
    monkeypatch.undo()
    return found


def test_the_wrapper_stays_where_it_works(torch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    x, y = torch.randn(4, 6), torch.randn(4, 6)

    def of(f: Any, *inputs: Any) -> list[bool]:
        return wrapped(torch, f, *inputs, monkeypatch=monkeypatch)

    assert of(lambda x, y: x.exp() * y, x, y) == [True]
    assert of(lambda x, y: torch.mm(x.exp(), y.t()) + 1, x, y) == [True]
    assert of(lambda x, y: x.add_(y).exp(), x, y) == [False]
    assert of(lambda x, y: x.t(), x, y) == [False]
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert of(lambda x, y: torch.mm(x.exp(), y.t()), x, y) == [False]
    with torch.no_grad():
        weight = torch.nn.Parameter(torch.randn(6))
        assert of(lambda x: x.exp() * weight, x) == [True]
    assert of(lambda x: x.exp() * weight.detach(), x) == [False]
    assert of(lambda x: (x.exp() * weight.detach()).sum(), x.requires_grad_(False)) == [False]


def test_dynamic_dims_of_results_are_marked_by_the_wrapper(
    torch: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    f: Any = torch.compile(lambda x: x.exp() * 2, backend=backend, dynamic=True)
    for rows in (3, 5):
        x = torch.randn(rows, 4)
        found = f(x)
        torch.testing.assert_close(found, x.exp() * 2)
        assert getattr(found, "_dynamo_propagated_dynamic_indices", None)


COMPOSITE: dict[str, Callable[[Any, Any], Any]] = {
    "upsample": lambda t, x: t.nn.functional.interpolate(x[None, None], scale_factor=2.0) * 2,
    "xlogy": lambda t, x: t.special.xlogy(x, x.abs()) + 1,
    "columns": lambda t, x: t.column_stack([x, x]).exp(),
    "instance_norm": lambda t, x: t.nn.functional.instance_norm(x[None]),
}


@pytest.mark.parametrize("mode", ["enable_grad", "no_grad", "inference_mode"])
@pytest.mark.parametrize("name", COMPOSITE)
def test_torch_takes_composite_ops_apart_by_itself(
    torch: Any, monkeypatch: pytest.MonkeyPatch, name: str, mode: str
) -> None:
    """The graphs are those that a table with these ops gives."""
    graphs: list[list[str]] = []
    whole = module.compile_graph

    def compiled(gm: Any, *rest: Any) -> Any:
        graphs.append([str(node.target) for node in gm.graph.nodes])
        return whole(gm, *rest)

    search = import_module("torch._decomp").core_aten_decompositions
    monkeypatch.setattr(module, "compile_graph", compiled)
    found: list[list[list[str]]] = []
    x = torch.randn(4, 6, requires_grad=mode == "enable_grad")
    for table in (module.core_decompositions.__wrapped__, lambda _: search()):
        monkeypatch.setattr(module, "core_decompositions", table)
        module.decompositions.cache_clear()
        torch._dynamo.reset()
        function = torch.compile(lambda x: COMPOSITE[name](torch, x), backend="snippets")
        with getattr(torch, mode)():
            torch.testing.assert_close(function(x), COMPOSITE[name](torch, x))
        found.append(graphs.copy())
        graphs.clear()
    module.decompositions.cache_clear()
    assert found[0] == found[1]


def test_no_search_of_every_operator(torch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes a third of a first call."""
    utils: Any = import_module("torch.export.decomp_utils")
    monkeypatch.setattr(utils, "_collect_all_valid_cia_ops", lambda: pytest.fail("searched"))
    torch._dynamo.reset()
    x = torch.randn(4, 6)
    with torch.no_grad():
        torch.testing.assert_close(torch.compile(torch.tanh, backend="snippets")(x), x.tanh())


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("dynamic", [False, True])
def test_results_without_elements_have_the_strides_of_torch(
    torch: Any, dtype: str, dynamic: bool
) -> None:
    """NumPy's are 0."""

    def function(x: Any) -> Any:
        return x.exp() + 1, x.sum(0)

    compiled = torch.compile(function, backend="snippets", dynamic=dynamic)
    for shape in ((0, 3), (2, 0), (0, 0)):
        x = torch.empty(shape, dtype=getattr(torch, dtype))
        for found, wanted in zip(compiled(x), function(x), strict=True):
            assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype)
            assert found.stride() == wanted.stride()
