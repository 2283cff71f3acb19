"""Calls that run as one session beside kernels for others: without Python's loop over steps."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest
from shape_models import parsed

import snippets_mlir
from snippets_mlir.runtime.calls import python_call

MODEL = """
    g (float[n, 64] x, float[p, 64] past) => (float[m, 64] y, float[n, 64] z) {
        z = Softplus (x)
        y = Concat <axis = 0> (past, z)
    }"""


def arrays(n: int, p: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    x = np.random.default_rng(n).standard_normal((n, 64)).astype(np.float32)
    return x, np.ones((p, 64), np.float32)


def test_an_empty_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """From the second call of a shape on, as with kernels; each shape has its own way."""
    compiled = snippets_mlir.compile(parsed(MODEL), mark_skipped="none", num_threads=1)
    loops: list[object] = []
    execute = python_call.PythonCall.execute

    def counted(call: python_call.PythonCall) -> Any:
        loops.append(call)
        return execute(call)

    monkeypatch.setattr(python_call.PythonCall, "execute", counted)
    for turn in range(3):
        for n, p in ((5, 3), (5, 0), (7, 0), (6, 4)):
            x, past = arrays(n, p)
            y, z = compiled(x, past)
            soft = np.log1p(np.exp(x.astype(np.float64)))
            np.testing.assert_allclose(z, soft, rtol=1e-5, atol=1e-6)
            np.testing.assert_array_equal(y, np.concatenate([past, z]))
        if turn == 1:
            loops.clear()
    assert loops == []
    assert len(compiled.kernels) > 0
    x, past = arrays(5, 0)
    y, _ = compiled(np.asfortranarray(x), past)
    assert y.shape == (5, 64)
    with pytest.raises(TypeError, match="float64"):
        compiled(x.astype(np.float64), past)
    with pytest.raises(ValueError, match="past"):
        compiled(x, np.ones((0, 63), np.float32))


def test_a_session_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is no dict, or has other shapes, takes another way."""
    compiled = snippets_mlir.compile(parsed(MODEL), mark_skipped="none", num_threads=1)
    x, past = arrays(0, 5)
    for _ in range(3):
        compiled.run({"x": x, "past": past})

    def never(*_: Any) -> None:
        raise ZeroDivisionError

    with monkeypatch.context() as patch:
        patch.setattr(type(compiled), "__call__", never)
        found = compiled.run({"x": x, "past": past})
        np.testing.assert_array_equal(found["y"], past)
        with pytest.raises(ZeroDivisionError):
            compiled.run({"x": x, "past": np.ones((1, 64), np.float32)})
    with pytest.raises(TypeError, match="arrays by name, found list"):
        compiled.run(cast("Any", [x, past]))
    longer = compiled.run({"x": x, "past": np.ones((1, 64), np.float32)})
    np.testing.assert_array_equal(longer["y"], np.ones((1, 64)))
