"""The short way through a call of a program that is one session."""

from __future__ import annotations

from collections import UserDict
from typing import Any

import numpy as np
import onnxruntime
import pytest
from onnx import helper
from onnx_models import model, value

import snippets_mlir
from snippets_mlir.driver.cache.storing import finish
from snippets_mlir.driver.compiled import Compiled
from snippets_mlir.driver.programs.dynamic import DynamicProgram
from snippets_mlir.runtime.calls.engine_call import engine_call


def small() -> Compiled:
    """A model of one session, which has been called."""
    nodes = [helper.make_node("Relu", ["x"], ["y"])]
    m = snippets_mlir.compile(model(nodes, [value("x", ["n", 2])], [value("y", ["n", 2])]))
    m(np.ones((1, 2), np.float32))
    finish()  # a thread finds that no larger call has kernels
    m(np.ones((1, 2), np.float32))
    assert m.kernels == ()
    return m


def test_a_call_goes_to_the_session_in_c(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: Any) -> None:
        raise AssertionError("checks in Python")

    m = small()
    monkeypatch.setattr(onnxruntime.InferenceSession, "run", never)
    x = np.array([[-1, 2], [3, -4]], np.float32)
    np.testing.assert_array_equal(m(x), [[0, 2], [3, 0]])
    np.testing.assert_array_equal(m(x[:, ::-1]), [[2, 0], [0, 3]])  # the checked way


def test_a_session_beside_kernels_takes_only_its_shapes() -> None:
    m = small()
    assert isinstance(m, DynamicProgram)
    program = m.known_builds()[0].program
    call = engine_call(program, m.inputs, [(1, 2)])
    assert call is not None
    one, two = np.full((1, 2), -1, np.float32), np.ones((2, 2), np.float32)
    np.testing.assert_array_equal(call.call((one,), None), [[0, 0]])
    found = call.call_named({"x": one})
    assert found is not None
    np.testing.assert_array_equal(found["y"], [[0, 0]])
    assert call.call((two,), None) is None
    assert call.call_named({"x": two}) is None


def test_what_onnxruntime_refuses_is_told_by_the_checked_way() -> None:
    m = small()
    with pytest.raises(ValueError, match="input 'x'"):
        m(np.ones((1, 3), np.float32))
    with pytest.raises(TypeError, match="input 'x'"):
        m(np.ones((1, 2), np.int32))
    np.testing.assert_array_equal(m(np.ones((3, 2), np.float32)), np.ones((3, 2)))


@pytest.mark.parametrize("count", [1, 2])
def test_arrays_by_name_go_the_same_way(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: Any) -> None:
        raise AssertionError("the checked way")

    names = ["y", "z"][:count]
    nodes = [helper.make_node("Relu", ["x"], [name]) for name in names]
    outputs = [value(name, ["n", 2]) for name in names]
    m = snippets_mlir.compile(model(nodes, [value("x", ["n", 2])], outputs))
    x = np.array([[-1, 2], [3, -4]], np.float32)
    m(x)
    finish()
    m(x)
    monkeypatch.setattr(m, "execute", never)
    found = m.run({"x": x})
    assert list(found) == names
    for array in found.values():
        np.testing.assert_array_equal(array, [[0, 2], [3, 0]])


def test_arrays_by_name_are_not_copied_into_lists(monkeypatch: pytest.MonkeyPatch) -> None:
    """A dict goes to onnxruntime as it is; everything else, and what it refuses, is checked."""

    def never(*_: Any) -> None:
        raise ZeroDivisionError

    m = small()
    x = np.array([[-1, 2], [3, -4]], np.float32)
    monkeypatch.setattr(type(m), "__call__", never)
    np.testing.assert_array_equal(m.run({"x": x})["y"], [[0, 2], [3, 0]])
    for other in ({"x": x[:, ::-1]}, {"x": x.astype(">f4")}, {"x": x.tolist()}, UserDict(x=x)):
        with pytest.raises(ZeroDivisionError):
            m.run(other)


@pytest.mark.parametrize(
    ("feed", "error", "message"),
    [
        ({}, ValueError, "input 'x': missing"),
        ({"z": 1}, ValueError, "input 'z': no such input"),
        ({"x": np.ones((1, 2), np.float32), "z": 1}, ValueError, "input 'z': no such input"),
        ({"x": np.ones((1, 3), np.float32)}, ValueError, "input 'x'"),
        ({"x": np.ones((1, 2), np.int32)}, TypeError, "input 'x'"),
        ({1: np.ones((1, 2), np.float32)}, TypeError, "names that are strings, found 1"),
        ([1], TypeError, "arrays by name, found list"),
    ],
)
def test_wrong_arrays_by_name_are_told(feed: Any, error: type[Exception], message: str) -> None:
    m = small()
    with pytest.raises(error, match=message):
        m.run(feed)
    np.testing.assert_array_equal(m.run({"x": np.ones((3, 2), np.float32)})["y"], np.ones((3, 2)))


def test_an_equal_type_goes_the_same_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was unpickled has a type of its own; a type of other byte order is refused."""

    def never(*_: Any) -> None:
        raise ZeroDivisionError

    m = small()
    x = np.array([[-1, 2], [3, -4]], np.float32)
    monkeypatch.setattr(m, "execute", never)
    np.testing.assert_array_equal(m(x.view(np.dtype(x.dtype, copy=True))), [[0, 2], [3, 0]])
    with pytest.raises(ZeroDivisionError):
        m(x.astype(">f4"))
