# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
"""Machine code looks at tensors by DLPack's function in C, and Python where there is none."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest

import snippets_mlir
from snippets_mlir.torch import backend

addresses: Any = import_module("snippets_mlir.integrations.torch.addresses")
descriptions: Any = import_module("snippets_mlir.integrations.torch.descriptions")

TEXT = """func.func @main(%x: tensor<4x6xf32>, %y: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = snippets.multiply %x, %y : tensor<4x6xf32>
  func.return %0 : tensor<4x6xf32>
}"""


def call_of(torch: Any, *others: Any) -> Any:
    """The call of a program, which appends tensors that it does not take to `others`."""
    program = snippets_mlir.compile(TEXT, fallback="error")
    value = torch.empty(4, 6)

    def otherwise(x: Any, y: Any) -> Any:
        for found in others:
            found.append((x, y))
        return x * y

    return addresses.call_at_addresses(program, [value, value], [value], otherwise)


def called(function: Callable[[], object]) -> list[str]:
    """The names of the functions in C that a call makes, but what this function needs itself."""
    found: list[str] = []

    def note(_: Any, event: str, argument: Any) -> None:
        if event == "c_call":
            found.append(argument.__name__)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        function()
    finally:
        sys.setprofile(before)
    return found[:-1]


def test_a_call_takes_two_functions(torch: Any) -> None:
    x, y = torch.randn(4, 6), torch.nn.Parameter(torch.randn(4, 6))
    call = call_of(torch)
    assert called(lambda: call(x, y)) == ["_empty_strided_cpu", "run"]
    assert called(lambda: call.in_tuple(x, y)) == ["_empty_strided_cpu", "run"]
    assert torch.equal(call(x, y), x * y.detach())
    (found,) = call.in_tuple(x, y)
    assert torch.equal(found, x * y.detach())
    assert not found.requires_grad


def test_types_and_ranks_have_descriptions(torch: Any) -> None:
    for name in ("float32", "float64", "bfloat16", "int8", "int64", "bool"):
        for rank in range(7):
            found = descriptions.description(getattr(torch, name), rank)
            assert found is not None
            assert found.device == 1
    kinds = {descriptions.description(t, 2).kind for t in (torch.int32, torch.float32, torch.int64)}
    assert len(kinds) == 3


class Named:
    """A tensor of a class of its own."""

    def __new__(cls, torch: Any, data: Any) -> Any:
        return data.as_subclass(type("Named", (torch.Tensor,), {}))


OTHERS: dict[str, Callable[[Any], Any]] = {
    "sizes": lambda t: t.randn(4, 1),
    "strides": lambda t: t.randn(6, 4).t(),
    "rank": lambda t: t.randn(1, 4, 6),
    "a slice": lambda t: t.randn(4, 12)[:, ::2],
    "a type": lambda t: t.randn(4, 6).double(),
    "one row": lambda t: t.randn(1, 6).expand(4, 6),
    "an address": lambda t: t.frombuffer(bytearray(97), dtype=t.float32, offset=1).view(4, 6),
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_tensors_are_computed_otherwise(torch: Any, name: str) -> None:
    found: list[Any] = []
    call, x = call_of(torch, found), torch.randn(4, 6)
    other = OTHERS[name](torch)
    assert torch.equal(call(x, other), x * other)
    assert torch.equal(call.in_tuple(other, x)[0], x * other)
    assert len(found) == 2


def test_classes_of_others_are_looked_at_in_python(torch: Any) -> None:
    found: list[Any] = []
    call, x = call_of(torch, found), torch.randn(4, 6)
    named = Named(torch, x)
    assert "data_ptr" in called(lambda: call(named, x))
    assert torch.equal(call(named, x), x * x)
    with pytest.raises(AttributeError):
        call(x.numpy(), x)
    assert not found


def test_a_wrong_number_of_tensors_is_an_error(torch: Any) -> None:
    run, x = call_of(torch).__globals__["run"], torch.randn(4, 6)
    for given in ((), (x, x), (x, x, x, x)):
        with pytest.raises(TypeError):
            run(*given)
    assert run(x, x, None) is Ellipsis
    assert run(x, x, x.double()) is Ellipsis


def test_versions_of_torch_without_the_table(torch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    address = descriptions.describe_function.__wrapped__
    assert address() is not None
    with monkeypatch.context() as patch:
        patch.setattr(descriptions, "MAJOR", 99)
        assert address() is None
    monkeypatch.delattr(torch.Tensor, "__dlpack_c_exchange_api__")
    assert address() is None


def test_a_function_that_says_something_else_is_not_used(
    torch: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    of = descriptions.description.__wrapped__
    assert of(torch.float32, 2) is not None
    monkeypatch.setattr(torch.Tensor, "data_ptr", lambda _: 64)
    assert of(torch.float32, 2) is None
    monkeypatch.setattr(descriptions, "describe_function", lambda: None)
    assert of(torch.float32, 2) is None


def test_without_the_function_tensors_go_by_addresses(
    torch: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(addresses, "description", lambda *_: None)
    x, y = torch.randn(4, 6), torch.randn(4, 6)
    call = call_of(torch)
    assert torch.equal(call(x, y), x * y)
    assert torch.equal(call.in_tuple(x, y)[0], x * y)
    assert "data_ptr" in called(lambda: call(x, y))


FUNCTIONS: dict[str, tuple[Callable[..., Any], bool]] = {
    "one result": (lambda x, y: x.sigmoid() * y, True),
    "two results": (lambda x, y: (x + y, x * y.exp()), True),
    "one of the inputs": (lambda x, y: x.exp() + 1, True),
    "an input": (lambda x, y: (x, x * y), True),
    "the same twice": (lambda x, y: [x * y] * 2, True),
    "two programs": (lambda x, y: ((x @ y.t()).exp(), x * y), False),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_graph_of_one_program_is_its_call(
    torch: Any, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    function, alone = FUNCTIONS[name]
    graphs: Any = import_module("snippets_mlir.integrations.torch.graphs")
    found: list[bool] = []
    only = graphs._only_call

    def noted(graph: Any) -> Any:
        found.append(only(graph) is not None)
        return only(graph)

    monkeypatch.setattr(graphs, "_only_call", noted)
    x, y = torch.randn(4, 6), torch.randn(4, 6)
    compiled = torch.compile(function, backend=backend)
    for _ in range(2):
        for a, b in zip(compiled(x, y), function(x, y), strict=True):
            torch.testing.assert_close(a, b)
    assert found == [alone]
