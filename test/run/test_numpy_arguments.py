# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false
"""Arguments of NumPy's functions in `snippets_mlir.jit`: their places, limits and byte order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy_results import same

from snippets_mlir import CompileError, jit

X = np.arange(6, dtype=np.float32).reshape(2, 3) - 2

COMPUTED = """
np.sum(x, 0, None, None, True); x.sum(0, None, None, True); np.max(x, 0, None, True)
x.min(0, None, True); np.max(x, 0, None, True, 5); x.std(0, None, None, 1)
np.var(x, 0, None, None, 1, True); np.any(x, 0, None, True); np.ptp(x, 0, None, True)
np.take(x, [0, 5], 0, None, "clip"); x.argmax(0, None); np.var(x, out=None); x.clip(1, 2, None)
np.concatenate([x, x], 0, None); np.dot(x, x.T, None); np.einsum("ij->j", x, out=None)
np.select([x > 0], [x.astype("u8")], x > 1); np.select([x > 0], [x.astype("i1")], 2)
np.select([x > 2, x > 0], [x.astype("i8"), x > 1], True)
x.dot(2.0); np.dot(2, x.astype("i1")); np.inner(x, 0.5); np.kron(x[0, 0], 2.0)
np.diff(x, n=0, prepend=0); np.cumulative_sum(x[0, 0]); np.rollaxis(x, 0, -1)
np.cumulative_prod(x[0, 0], include_initial=True); np.take(x[0, 0], [0, 0], 0)
np.repeat(x[0, 0], 2, 0); np.pad(x.astype("i4"), 1, constant_values=1.7)
np.einsum("ii->i", x[:, :2]); np.maximum.reduce(x, axis=(1, 0)); np.add.accumulate(x, 1)
"""

REFUSED = """
np.add.accumulate(x, None)
np.maximum.accumulate(x, (0, 1)); np.maximum.reduce(x, 5); np.minimum.reduce(x[:0])
np.diff(x, -1); np.einsum("ii->i", x[:, :1]); np.einsum("ii", x[:, :0]); np.rollaxis(x, 0, -4)
np.linalg.norm(x, axis=()); np.repeat(x[0, 0], 2, 1); np.cumulative_sum(x[0, 0], axis=1)
"""


def _texts(expressions: str) -> list[str]:
    return [*filter(None, map(str.strip, expressions.replace("\n", ";").split(";")))]


@pytest.mark.parametrize("text", _texts(COMPUTED))
def test_arguments_mean_what_they_mean_to_numpy(text: str) -> None:
    function = eval(f"lambda x: {text}", {"np": np})
    same(jit(function)(X), function(X))


@pytest.mark.parametrize("text", _texts(REFUSED))
def test_arguments_that_numpy_refuses_are_refused(text: str) -> None:
    function = eval(f"lambda x: {text}", {"np": np})
    with pytest.raises((TypeError, ValueError, IndexError, OverflowError)):
        function(X)
    with pytest.raises(CompileError) as caught:
        jit(function)(X)
    assert caught.value.line == 1


def test_an_array_for_the_result_is_refused_at_each_place() -> None:
    for function in (lambda x: np.sum(x, 0, None, x[0]), lambda x: np.max(x, 0, out=x[0])):
        with pytest.raises(CompileError, match="out= writes to an array"):
            jit(function)(X)


def test_numbers_of_a_call_have_types_of_their_own_in_products() -> None:
    for number in (2, 0.5):
        same(jit(lambda x, n: x.dot(n))(X, number), X.dot(number))
        same(jit(lambda x, n: np.kron(x[0, 0], n))(X, number), np.kron(X[0, 0], number))


@pytest.mark.parametrize("dynamic", [False, True])
def test_arrays_in_the_other_byte_order(dynamic: bool) -> None:
    function = jit(lambda x, y: x * y + 1, dynamic=dynamic)
    swapped: Any = X.astype(X.dtype.newbyteorder())
    for x, y in ((swapped, X), (X, swapped), (X, X), (swapped, swapped), (X, X), (swapped, X)):
        for _ in range(3):
            same(function(x, y), X * X + 1)


@pytest.mark.parametrize(
    ("dtype", "number"), [("i4", 2**40), ("u1", -1), ("u1", 256), ("i1", -129), ("u8", -1)]
)
@pytest.mark.parametrize("dynamic", [True, False])
def test_a_number_out_of_the_bounds_of_its_type_is_refused(
    dtype: str, number: int, dynamic: bool
) -> None:
    """Of each call: the program of the first one serves all."""
    x = np.arange(4, dtype=dtype)
    function = jit(lambda x, n: (x[1:] + n["a"], x), dynamic=dynamic)
    for fits in (3, min(int(np.iinfo(dtype).max), 2**63 - 1)):
        same(function(x, {"a": fits})[0], x[1:] + fits)
    for call in (function, lambda x, n: x + n["a"]):
        with pytest.raises(OverflowError, match=f"Python integer {number} out of bounds for"):
            call(x, {"a": number})
    same(jit(lambda x, n: x + n)(x.astype("f4"), number), x.astype("f4") + number)


@pytest.mark.parametrize("dtype", ["i1", "u1", "i4", "u4", "i8", "u8", "?", "f4"])
@pytest.mark.parametrize("dynamic", [True, False])
def test_numbers_of_a_call_are_compared_by_value(dtype: str, dynamic: bool) -> None:
    x = np.array([0, 1, 100, 16777216, -1, -100]).astype(dtype)
    for compared in (np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal):
        both = jit(lambda x, n, f=compared: (f(x, n), f(n, x)), dynamic=dynamic)
        for n in (1, 127, -1, -129, 300, 16777217, 2**40, -(2**63), 2**63 - 1):
            for found, expected in zip(both(x, n), (compared(x, n), compared(n, x)), strict=True):
                same(found, expected)
