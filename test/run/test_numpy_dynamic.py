# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false
"""`snippets_mlir.jit(dynamic=True)`: one trace for arrays of all sizes, with NumPy's results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sampled import sampled

from snippets_mlir import Compiled, jit
from snippets_mlir.dialects.builtin.dtypes import Array
from snippets_mlir.support.errors import CompileError

RNG = np.random.default_rng(0)
SIZES = ((4, 8), (7, 13), (33, 101), (3, 8), (2, 64), (17, 3))
OF_ONE = ((1, 5), (5, 1), (1, 1))


def programs(function: Any) -> list[Compiled]:
    """The programs that a decorated function has compiled."""
    return [program for program, _ in vars(function)["_programs"].values()]


def arrays(shape: tuple[int, ...], dtype: Any = np.float32) -> tuple[Array, Array]:
    """An array, and one of its last dim."""
    x, y = RNG.normal(size=shape) * 4, RNG.normal(size=shape[-1]) * 4
    return x.astype(dtype), y.astype(dtype)


def same(found: Any, expected: Any) -> None:
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    values = found.astype(np.float64), expected.astype(np.float64)
    np.testing.assert_allclose(values[0], values[1], 1e-5, 1e-5)


def softmax(x: Any, y: Any) -> Any:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) * y


FUNCTIONS: dict[str, tuple[Callable[..., Any], Any]] = {
    "softmax": (softmax, np.float32),
    "moments": (lambda x, y: (x - x.mean(0)) / (x.std(0) + 1) + y.var(), np.float32),
    "mean of integers": (lambda x, y: x.mean(-1) + y.max(), np.int32),
    "all": (lambda x, y: (x > -99).all() & (y < 99).all(), np.float64),
    "product": (lambda x, y: x.T @ x, np.float32),
    "constant": (lambda x, y: np.where(x > y, x, 2.5) + np.float32(1), np.float32),
}


@pytest.mark.parametrize("name", sampled(FUNCTIONS, 2))
def test_one_compilation_for_all_sizes(name: str) -> None:
    function, dtype = FUNCTIONS[name]
    traced: list[int] = []

    def counted(x: Any, y: Any) -> Any:
        traced.append(1)
        return function(x, y)

    dynamic = jit(counted, dynamic=True, num_threads=1)
    for shape in SIZES:
        x, y = arrays(shape, dtype)
        same(dynamic(x, y), function(x, y))
    (program,) = programs(dynamic)
    assert (program.compile_count, len(traced)) == (1, 1)


def test_sizes_of_one_share_the_trace() -> None:
    """A size of 1 broadcasts, so the code is another one; the calls after it find it."""
    dynamic = jit(softmax, dynamic=True, num_threads=1)
    for shape in (*OF_ONE, *SIZES[:1], *OF_ONE):
        x, y = arrays(shape)
        same(dynamic(x, y), softmax(x, y))
    (program,) = programs(dynamic)
    assert program.compile_count == 1 + len(OF_ONE)


def test_arrays_without_elements_are_compiled_for_their_shapes() -> None:
    dynamic = jit(lambda x: np.exp(x).sum(0), dynamic=True)
    for shape in ((3, 4), (0, 4), (3, 0), (5, 4)):
        x = np.ones(shape, np.float32)
        same(dynamic(x), np.exp(x).sum(0))
    with pytest.raises(CompileError, match="of no elements"):
        jit(lambda x: x.max(), dynamic=True)(np.ones((0, 4)))


def test_ranks_and_dtypes_are_compiled_for() -> None:
    dynamic = jit(lambda x: x * 2, dynamic=True)
    for x in (np.ones(3), np.ones(4), np.ones((3, 4)), np.ones(3, np.int16), 2.5, np.float32(2)):
        found, expected = dynamic(x), np.multiply(x, 2)
        assert found == pytest.approx(expected)
        assert found.dtype == expected.dtype
    assert len(programs(dynamic)) == 5


PARTS: dict[str, Callable[..., Any]] = {
    "difference": lambda x: x[1:] - x[:-1],
    "stencil": lambda x: (
        x[1:-1, 1:-1] * -4 + x[2:, 1:-1] + x[:-2, 1:-1] + x[1:-1, 2:] + x[1:-1, :-2]
    ),
    "elements": lambda x: x[0] * x[-1] + x[..., -1, None].sum(),
    "new dims": lambda x: x[:, None, -2:] * x[None, 0:1, :2],
    "backwards": lambda x: x[::-1] + x[:, ::-1] * x[:1],
    "rows of parts": lambda x: x[1:, 2:].max(-1, keepdims=True, initial=0) + x[1:].sum(0),
    "slices of slices": lambda x: np.exp(x[1:][:, :-1][::-1, 1:] + x[:-1, -1:]),
}


@pytest.mark.parametrize("name", sampled(PARTS, 2))
def test_parts_of_unknown_sizes(name: str) -> None:
    """One program; sizes that are too small for the bounds are compiled for, as NumPy has them."""
    function = PARTS[name]
    dynamic = jit(function, dynamic=True, num_threads=1)
    for shape in (*SIZES, (4, 4), (3, 5), (2, 3), (1, 2), (1, 1)):
        x = arrays(shape, np.float64)[0]
        same(dynamic(x), function(x))
    (program,) = programs(dynamic)
    assert program.per_shape is None


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda x: x[0, 0, 0], "too many indices"),
        (lambda x: x[::0], "slice step cannot be zero"),
        (lambda x: x[1.5:], "cannot be interpreted as an integer"),
    ],
)
def test_indices_that_are_wrong_for_all_sizes(function: Callable[..., Any], message: str) -> None:
    with pytest.raises(CompileError, match=message) as error:
        jit(function, dynamic=True)(np.ones((3, 4)))
    assert "test_numpy_dynamic.py" in str(error.value)


def test_an_element_that_is_not_there() -> None:
    dynamic = jit(lambda x: x[3] + x[-4], dynamic=True)
    for count in (9, 4, 30):
        x = np.arange(count * 2.0).reshape(count, 2)
        same(dynamic(x), x[3] + x[-4])
    with pytest.raises(IndexError, match="index 3 is out of bounds for a dim of size 3"):
        dynamic(np.ones((3, 2)))


def test_out_and_trees() -> None:
    dynamic = jit(lambda d: {"a": d["x"] + 1, "b": [d["x"].sum()]}, dynamic=True)
    for count in (3, 11):
        x = np.arange(count, dtype=np.float32)
        found = dynamic({"x": x})
        same(found["a"], x + 1)
        assert found["b"] == [x.sum()]
    out = np.empty(5, np.float32)
    jit(lambda x: x * 3, dynamic=True)(np.ones(5, np.float32), out=out)
    np.testing.assert_array_equal(out, 3)


def test_lower_leaves_sizes_open() -> None:
    x = np.ones((3, 4), np.float32)
    function = jit(lambda x: x + 1)
    assert "tensor<?x?xf32>" in function.lower(x, dynamic=True).ir()
    assert "tensor<3x4xf32>" in function.lower(x).ir()
    assert "tensor<?x?xf32>" in jit(lambda x: x + 1, dynamic=True).lower(x).ir()
    assert "TracedArray(float32[?, ?])" in str(traced_text(x))


def traced_text(x: Array) -> str:
    """How a traced value of unknown sizes is printed."""
    texts: list[str] = []

    def function(x: Any) -> Any:
        texts.append(repr(x))
        return x + 1

    jit(function, dynamic=True).lower(x)
    return texts[0]


REFUSED: dict[str, Callable[..., Any]] = {
    "reshape": lambda x: x.reshape(-1),
    "shape": lambda x: x * x.shape[0],
    "ddof": lambda x: x.std(0, ddof=1),
    "zeros": lambda x: np.zeros_like(x) + x,
    "length": lambda x: x * len(x),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_needs_sizes_names_the_line(name: str) -> None:
    function = REFUSED[name]
    with pytest.raises(CompileError, match="sizes that dynamic=True leaves open") as error:
        jit(function, dynamic=True)(np.ones((3, 4)))
    assert error.value.file == __file__
    assert error.value.line == function.__code__.co_firstlineno


def test_shapes_that_do_not_broadcast_are_an_error_of_the_call() -> None:
    dynamic = jit(lambda x, y: x + y, dynamic=True)
    dynamic(np.ones(3), np.ones(3))
    with pytest.raises(CompileError, match="3"):
        dynamic(np.ones(3), np.ones(4))
