# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false
"""What `snippets_mlir.jit` shows of a function: its module at each stage, and its kernels."""

from __future__ import annotations

import numpy as np
import pytest

from snippets_mlir import jit

X, Y = np.random.default_rng(5).standard_normal((2, 8, 24)).astype(np.float32)


def test_lower_shows_the_text() -> None:
    f = jit(lambda x, y: np.tanh(x) + y)
    lowered = f.lower(X, Y)
    assert "snippets.tanh %x : tensor<8x24xf32>" in lowered.ir("graph")
    assert "lir.kernel" in lowered.ir("lir")
    assert f.explain(X, Y) == "kernel subgraph_0: snippets.tanh, snippets.add"
    gathered = jit(lambda x: np.take(x, [[0, 1], [2, 0]], 0) + 1)
    assert gathered.explain(X) == "kernel subgraph_0: snippets.gather, snippets.add"


def test_stages_of_a_function_without_kernels() -> None:
    lowered = jit(lambda x: x).lower(X)
    assert "func.func @main" in lowered.ir("lir")
    for function in (lowered, jit(lambda x: x + 1).lower(X)):
        with pytest.raises(ValueError, match="unknown stage 'foo'; stages are graph"):
            function.ir("foo")


def test_explain_without_arguments_is_of_the_calls_before() -> None:
    f = jit(lambda x: np.tanh(x) + 1)
    with pytest.raises(TypeError, match="missing a required argument: 'x'"):
        f.explain()
    f(X)
    assert f.explain() == "kernel subgraph_0: snippets.tanh, snippets.add"
    f(X.astype(np.float64))
    assert f.explain().splitlines() == ["kernel subgraph_0: snippets.tanh, snippets.add"] * 2
    assert jit(lambda: np.exp(np.ones(3))).explain() == ""
