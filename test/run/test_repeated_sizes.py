"""Broadcasts to dynamic sizes that only the values beside their results have."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import snippets_mlir
from snippets_mlir.support.errors import CompileError

Array = np.ndarray[Any, Any]
ONE = "%one = snippets.constant dense<1.0> : tensor<f32>"
CASES: dict[str, tuple[str, str]] = {
    "counted": (
        "%x: tensor<{n}xf32>",
        """
  %o = snippets.broadcast %one : (tensor<f32>) -> tensor<?xf32>
  %c = snippets.cum_sum %o {{axis = 0 : i64}} : tensor<?xf32>
  %y = snippets.add %x, %c : (tensor<{n}xf32>, tensor<?xf32>) -> tensor<{n}xf32>
  func.return %y : tensor<{n}xf32>""",
    ),
    "a dim of 1": (
        "%x: tensor<{n}x3xf32>",
        """
  %r = snippets.reshape %one : (tensor<f32>) -> tensor<1x1xf32>
  %o = snippets.broadcast %r : (tensor<1x1xf32>) -> tensor<?x3xf32>
  %y = snippets.add %o, %x : (tensor<?x3xf32>, tensor<{n}x3xf32>) -> tensor<{n}x3xf32>
  func.return %y : tensor<{n}x3xf32>""",
    ),
    "new rows": (
        "%x: tensor<{n}xf32>, %z: tensor<{m}x{n}xf32>",
        """
  %o = snippets.broadcast %x : (tensor<{n}xf32>) -> tensor<?x?xf32>
  %e = snippets.exp %o : tensor<?x?xf32>
  %y = snippets.multiply %z, %e : (tensor<{m}x{n}xf32>, tensor<?x?xf32>) -> tensor<{m}x{n}xf32>
  func.return %y : tensor<{m}x{n}xf32>""",
    ),
    "terms": (
        "%x: tensor<{m}x{n}xf32>",
        """
  %o = snippets.broadcast %one : (tensor<f32>) -> tensor<?x2xf32>
  %y = snippets.matmul %x, %o : (tensor<{m}x{n}xf32>, tensor<?x2xf32>) -> tensor<{m}x2xf32>
  func.return %y : tensor<{m}x2xf32>""",
    ),
    "a part": (
        "%x: tensor<{n}x3xf32>",
        """
  %o = snippets.broadcast %one : (tensor<f32>) -> tensor<?x2xf32>
  %y = snippets.concat %o, %x {{axis = 1 : i64}}
    : (tensor<?x2xf32>, tensor<{n}x3xf32>) -> tensor<{n}x5xf32>
  func.return %y : tensor<{n}x5xf32>""",
    ),
    "after another": (
        "%x: tensor<{n}xf32>",
        """
  %o = snippets.broadcast %one : (tensor<f32>) -> tensor<?xf32>
  %p = snippets.broadcast %one : (tensor<f32>) -> tensor<?xf32>
  %s = snippets.add %o, %p : tensor<?xf32>
  %y = snippets.multiply %s, %x : (tensor<?xf32>, tensor<{n}xf32>) -> tensor<{n}xf32>
  func.return %y : tensor<{n}xf32>""",
    ),
}


def expected(case: str, x: Array, z: Array) -> Array:
    match case:
        case "counted":
            return x + np.arange(1, len(x) + 1, dtype=np.float32)
        case "a dim of 1":
            return x + 1
        case "new rows":
            return z * np.exp(x)
        case "terms":
            return np.repeat(x.sum(-1, keepdims=True), 2, -1)
        case "a part":
            return np.concatenate([np.ones((len(x), 2), np.float32), x], -1)
        case _:
            return 2 * x


def program(case: str, n: object, m: object) -> Any:
    arguments, body = (text.format(n=n, m=m) for text in CASES[case])
    result = body.rsplit(":", 1)[1]
    text = f"func.func @main({arguments}) ->{result} {{\n  {ONE}{body}\n}}"
    return snippets_mlir.compile(text)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("dynamic", [True, False])
def test_sizes_of_values_beside_the_result(case: str, dynamic: bool):
    found = program(case, "?", "?") if dynamic else None
    rng = np.random.default_rng(0)
    for n, m in ((5, 3), (1, 4), (33, 1), (2, 2), (0, 3), (1, 1)):
        compiled = found or program(case, n, m)
        arguments = CASES[case][0]
        shape = {"?x?": (m, n), "?x3": (n, 3)}.get(_dims(arguments), (n,))
        x = rng.standard_normal(shape).astype(np.float32)
        z = rng.standard_normal((m, n)).astype(np.float32)
        given = (x, z) if "%z" in arguments else (x,)
        y = np.asarray(compiled(*given))
        wanted = expected(case, x, z)
        assert y.shape == wanted.shape
        np.testing.assert_allclose(y, wanted, 1e-5, 1e-6)


def _dims(arguments: str) -> str:
    return arguments.format(n="?", m="?").split("<")[1].split("xf32")[0]


def test_sizes_in_the_types_of_results():
    """The text has the size in the type of a result alone."""
    text = f"""func.func @main(%x: tensor<?xf32>) -> (tensor<8xf32>, tensor<?xf32>) {{
  {ONE}
  %o = snippets.broadcast %one : (tensor<f32>) -> tensor<?xf32>
  %y = snippets.exp %o : (tensor<?xf32>) -> tensor<8xf32>
  %z = snippets.exp %x : tensor<?xf32>
  func.return %y, %z : tensor<8xf32>, tensor<?xf32>
}}"""
    found = snippets_mlir.compile(text)
    for n in (3, 1):
        y, z = found(np.zeros(n, np.float32))
        np.testing.assert_allclose(y, np.full(8, np.e), 1e-6)
        np.testing.assert_array_equal(z, np.ones(n))


def test_values_that_have_to_be_equal_then():
    """Both inputs have the size of the broadcast."""
    text = f"""func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>)
    -> (tensor<?xf32>, tensor<?xf32>) {{
  {ONE}
  %o = snippets.broadcast %one : (tensor<f32>) -> tensor<?xf32>
  %a = snippets.add %o, %x : tensor<?xf32>
  %b = snippets.add %o, %y : tensor<?xf32>
  func.return %a, %b : tensor<?xf32>, tensor<?xf32>
}}"""
    found = snippets_mlir.compile(text)
    x = np.arange(4, dtype=np.float32)
    for y in (x, np.ones(1, np.float32)):
        a, b = found(x, y)
        np.testing.assert_array_equal(a, x + 1)
        np.testing.assert_array_equal(b, np.ones(4) + y)
    with pytest.raises(CompileError):
        found(x, x[:3])


@pytest.mark.parametrize("inputs", ["%x: tensor<?xf32>", "%x: tensor<3xf32>"])
def test_undetermined_sizes_are_refused_when_it_is_compiled(inputs: str):
    text = f"""func.func @main({inputs}) -> tensor<?xf32> {{
  {ONE}
  %o = snippets.broadcast %one : (tensor<f32>) -> tensor<?xf32>
  %y = snippets.exp %o : tensor<?xf32>
  func.return %y : tensor<?xf32>
}}"""
    with pytest.raises(CompileError, match="dynamic sizes of the result follow neither") as caught:
        snippets_mlir.compile(text)
    assert caught.value.line == 3


def test_a_size_that_may_be_negative_is_refused_when_it_is_compiled():
    text = f"""func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {{
  {ONE}
  %o = snippets.broadcast %one : (tensor<f32>) -> tensor<?xf32>
  %p = snippets.concat %o, %o, %x {{axis = 0 : i64}}
    : (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %y = snippets.add %p, %x : tensor<?xf32>
  func.return %y : tensor<?xf32>
}}"""
    with pytest.raises(CompileError) as caught:
        snippets_mlir.compile(text)
    assert caught.value.line in (3, 6)
