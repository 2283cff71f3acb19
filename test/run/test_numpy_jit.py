# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false
"""`snippets_mlir.jit`: results, dtypes and shapes are NumPy's; what is refused names the line."""

from __future__ import annotations

import copy
import re
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, cast

import numpy as np
import pytest
from numpy_results import same
from sampled import sampled

import snippets_mlir
import snippets_mlir.xp as xp
from snippets_mlir import jit
from snippets_mlir.dialects.builtin.dtypes import Array
from snippets_mlir.support.errors import CompileError

RNG = np.random.default_rng(0)
X = RNG.normal(size=(8, 24)).astype(np.float32)
Y = RNG.normal(size=24).astype(np.float32)
INTEGERS = np.arange(-8, 8, dtype=np.int32)
DIVISORS = np.array([3, -3, 2, 5] * 4, np.int32)
SPECIAL = np.array([0.0, -0.0, np.nan, np.inf, -np.inf, -3.5, 2.5, 1e30], np.float32)


class Pair(NamedTuple):
    """A tree of arrays with names."""

    first: Any
    second: Any


PROGRAMS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "arithmetic": (lambda x, y: x * 2 + y - np.float32(3) / (1 + abs(x)), (X, Y)),
    "promotion": (lambda x: x.astype(np.float64) ** 2 + np.int8(3) + np.ones((8, 1)), (X,)),
    "half": (lambda x: np.tanh(x) + np.float32(1), (X.astype(np.float16),)),
    "functions": (
        lambda x: np.square(x) + np.log2(abs(x) + 1) + np.hypot(x, 3) + np.sign(x) + np.deg2rad(x),
        (X,),
    ),
    "exponentials": (
        lambda x, y: (np.log1p(abs(x)) + np.expm1(x), np.exp2(x) + np.cbrt(x), np.arctan2(x, y)),
        (X, Y),
    ),
    "their special values": (
        lambda x: (np.log1p(x), np.expm1(x), np.log2(x), np.log10(x), np.arctan2(x, 0)),
        (SPECIAL,),
    ),
    "rounding": (lambda x: np.rint(x) + np.floor(x) + np.ceil(x) + np.trunc(x) + x.round(), (X,)),
    "division": (lambda a, b: (a // b + a % b, np.fmod(a, b), a / b), (INTEGERS, DIVISORS)),
    "division of floats": (lambda x, y: np.floor_divide(x, y) + x % y, (X, Y)),
    "bits": (lambda a, b: ((a & b) | (a ^ 5), ~a << 2, a >> 1), (INTEGERS, DIVISORS)),
    "bools": (lambda b, c: (~b | (b & c), b ^ c, b.sum(), b + c, b.any()), (X > 0, X > 1)),
    "where": (lambda x, y: np.where((x > y) & ~np.isnan(x), x, 0), (X, Y)),
    "clip": (lambda x: np.clip(x, -1, 1) + x.clip(max=0.5), (X,)),
    "special values": (
        lambda x: (np.maximum(x, 1), np.fmax(x, 1), np.copysign(2, x), np.signbit(x), x == x),
        (SPECIAL,),
    ),
    "next floats": (
        lambda x, h: (np.nextafter(x, 0), np.nextafter(h, np.float16(1)), np.nextafter(-0.0, x)),
        (SPECIAL, X.astype(np.float16)),
    ),
    "layer norm": (
        lambda x: (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5),
        (X,),
    ),
    "reductions": (
        lambda x: (x.sum(), x.min(0), x.prod(1), x.std(), x.mean((0, 1)), np.count_nonzero(x > 0)),
        (X,),
    ),
    "cumulative sums": (
        lambda x, a: (np.exp(x.cumsum(1) * 0.1), np.cumsum(a), np.cumsum(a > 0, axis=0)),
        (X, INTEGERS.astype(np.int8)),
    ),
    "cumulative sums with the first": (
        lambda x: (np.cumulative_sum(x, axis=-1, include_initial=True), np.cumsum(x[:0], 1)),
        (X,),
    ),
    "reductions of some elements": (
        lambda x, a: (
            x.sum(1, where=x > 0),
            np.prod(x, where=x[0] < 1, initial=2.0),
            np.mean(x, axis=1, keepdims=True, where=np.arange(x.shape[1]) % 3 == 0),
            np.var(x, 1, where=np.arange(x.shape[1]) % 3 == 0),
            x.std(0, ddof=1, keepdims=True, where=np.arange(x.shape[0])[:, None] > 2),
            x.max(0, initial=-3, where=x < 1),
            np.min(x, initial=0.5),
            np.any(a > 5, where=a < 9),
            np.all(x > 0, axis=1, where=x != 0),
            np.add.reduce(a, where=a > 0, initial=7),
            np.max(x[:0], axis=0, initial=1),
        ),
        (X, INTEGERS.astype(np.int8)),
    ),
    "tiles, grids and parts": (
        lambda x, y: (
            np.tile(x, 2),
            np.tile(y, (2, 1, 3)),
            np.tile(x, (0, 1)),
            *np.meshgrid(x[0], y),
            *np.meshgrid(y, x[0, :1], indexing="ij", sparse=True),
            *np.unstack(x[:2], axis=0),
            np.real(x),
        ),
        (X, Y),
    ),
    "products of tensors": (
        lambda x, z: (
            np.tensordot(z, x, 2),
            np.tensordot(z, x, axes=(2, 1)),
            np.tensordot(x[0], x[0], 0),
            np.tensordot(z, z, axes=([2, -3], [2, 0])),
        ),
        (X, np.stack([X, X + 1])),
    ),
    "logarithms of sums": (
        lambda s, t: (np.logaddexp(s, t), np.logaddexp(s, 3)),
        tuple(g.ravel() for g in np.meshgrid(SPECIAL, SPECIAL)),
    ),
    "cumulative products and extremes": (
        lambda x, a: (
            np.cumprod(x, axis=1),
            a.cumprod(),
            np.cumulative_prod(x, axis=0, include_initial=True),
            np.maximum.accumulate(x, axis=-1),
            np.minimum.accumulate(a) + 1,
            np.add.accumulate(x > 0),
        ),
        (X, INTEGERS.astype(np.int8)),
    ),
    "places": (
        lambda x, a: (x.argmax(1), np.argmin(x), np.argmax(a, axis=0, keepdims=True)),
        (np.stack([SPECIAL, SPECIAL[::-1]]), INTEGERS),
    ),
    "places of all": (lambda x: (np.argmin(x, keepdims=True), np.argmax(x > 0, -1)), (X,)),
    "sums of integers": (lambda a: (a.sum(), a.mean(), a.max()), (INTEGERS.astype(np.int8),)),
    "products": (lambda x, y: (x @ y, x @ x.T, np.dot(y, y), np.vecdot(x, y)), (X, Y)),
    "views": (lambda x: x.reshape(4, -1).T[None].squeeze() + np.moveaxis(x, 0, 1).sum(), (X,)),
    "indices": (lambda x: (x[1:5:2, None, ..., ::-1][0], x[-1], x[::-3, 3:3], x[..., 5]), (X,)),
    "known places": (
        lambda x: (
            np.take(x, [[2, -1], [0, 0]], 1) * 2,
            x[[1, 0, 1]],
            np.take(x, 5),
            x.take([], 0),
            x[[]],
        ),
        (X,),
    ),
    "repeats": (
        lambda x: (np.repeat(x, 2, axis=1), x.repeat([1, 0, 2], 0), np.repeat(x, 3)),
        (X[:3],),
    ),
    "joins": (lambda x, y: (np.concatenate([x, x * 2], 1), np.stack([x[0], y])), (X, Y)),
    "moves": (
        lambda x: (np.flip(x, 1), np.roll(x, 3, axis=1), np.diff(x), np.tril(x), np.triu(x, 1)),
        (X,),
    ),
    "trees": (lambda d: {"a": d["x"] + d["l"][0], "b": Pair(d["x"], 1)}, ({"x": X, "l": [Y, 1]},)),
    "numbers": (lambda x, a, n: x * a + n, (X, 2.5, 3)),
    "array API": (lambda x: xp.exp(x) / xp.sum(xp.exp(x), axis=-1, keepdims=True), (X,)),
    "empty": (lambda x: (x.sum(1), x * 2), (X[:, :0],)),
    "rank 0": (lambda x: np.exp(x) + 1, (np.float32(2),)),
}


@pytest.mark.parametrize("name", sampled(PROGRAMS, 3))
def test_results_are_numpys(name: str) -> None:
    function, arguments = PROGRAMS[name]
    with np.errstate(all="ignore"):
        expected = function(*arguments)
    compiled = jit(function, num_threads=1)
    same(compiled(*arguments), expected)
    same(compiled(*arguments), expected)


REFUSED: dict[str, tuple[Callable[..., Any], str]] = {
    "if": (lambda x: x if x.sum() > 0 else -x, r"no truth value: write np\.where"),
    "float()": (lambda x: float(x[0, 0]), "no number of Python"),
    "mask": (lambda x: x[x > 0], "an index that is a mask"),
    "write": (lambda x: x.__setitem__(0, 1), "cannot be written to"),
    "out": (lambda x: np.add(x, 1, out=x), "out= writes to an array"),
    "sort": (lambda x: np.sort(x), r"np\.sort is not compiled"),
    "option": (lambda x: np.std(x, correction=1), "^np.std with these arguments is not compiled"),
    "order of a method": (lambda x: x.ravel("A"), "the order of elements is 'C' or 'F'"),
    "argument of a method": (
        lambda x: x.reshape(-1, copy=True),
        "^reshape of arrays with these arguments is not compiled",
    ),
    "rule of a cast": (
        lambda x: x.astype("int8", casting="safe"),
        "^float.* cannot be cast to int8 by the rule 'safe'",
    ),
    "pad by a negative amount": (lambda x: np.pad(x, -1), "^np.pad expects amounts of 0 or more"),
    "pad by fractions": (
        lambda x: np.pad(x, cast("Any", 1.5)),
        "^np.pad expects amounts of integers",
    ),
    "pad by a traced amount": (lambda x: np.pad(x, x.sum()), "^np.pad by a traced amount"),
    "pad with means": (lambda x: np.pad(x, 1, mode="mean"), "^np.pad with mode='mean'"),
    "pad of nothing": (lambda x: np.pad(x[:0], 1, mode="edge"), "^np.pad: can't extend empty"),
    "joins of other ranks": (lambda x: np.concatenate([x, x[0]]), "^C9: snippets.concat expects"),
    "shapes": (lambda x: x + x[:, :3], r"np\.add: C4: .* 8x24, 8x3"),
    "inner sizes": (lambda x: x @ x, r"np\.matmul: C9: .*8x24"),
    "axis": (lambda x: x.sum(5), "C7|axis"),
    "reshape": (lambda x: x.reshape(7, 7), "cannot reshape"),
    "complex": (lambda x: x * 1j, "complex128 are not compiled"),
    "one argument": (lambda x: np.where(x), "finds places"),
    "axis of sums": (lambda x: np.cumsum(x, 5), r"^np\.cumsum: C7: .* found 5"),
    "maximum of some": (lambda x: np.max(x, where=x > 0), "^np.maximum.reduce with where needs"),
    "where of another shape": (
        lambda x: x[0].sum(where=x > 0),
        "^np.add.reduce: where does not broadcast to the array",
    ),
    "tensors that do not fit": (
        lambda x: np.tensordot(x, x, 1),
        "^np.tensordot: the dims that are summed have the sizes",
    ),
    "no axis of sums": (lambda x: np.cumulative_sum(x), "^np.cumulative_sum of an array"),
    "place of nothing": (lambda x: x[:0].argmin(0), r"^np\.argmin: C7: .*an axis with elements"),
    "traced places of a mode": (lambda x: np.take(x, np.argmax(x, 1), mode="wrap"), "write raise"),
    "traced bounds": (lambda x: x[: np.argmax(x, 1)[0]], "no number of Python"),
    "traced places of an array": (lambda x: Y[np.argmax(x, 1)], "has to be an argument"),
    "traced floats": (lambda x: x[x[0]], "an index that is a mask"),
    "places of several shapes": (
        lambda x: x[np.argmax(x, 1), [0, 1, 2]],
        "indices do not fit together",
    ),
    "places along a dim that is none": (
        lambda x: np.take_along_axis(x, np.argmax(x, 1), 1),
        "expects a dim, and places, of 2 dims",
    ),
    "too many dims": (lambda x: x[:, :, np.argmax(x, 1)], "too many indices"),
    "places outside": (lambda x: np.take(x, [0, 24], 1), "out of bounds for axis 1 with size 24"),
    "places of floats": (lambda x: x.take([0.5], 1), "expects places that are integers"),
    "two arrays, one outside": (lambda x: x[[0, 8], [1, 0]], "out of bounds for axis 0"),
    "two arrays, one of truth values": (lambda x: x[[0, 1], [True, False]], "that is a mask"),
    "solve": (lambda x: np.linalg.inv(x), "not compiled"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_names_the_line(name: str) -> None:
    function, message = REFUSED[name]
    with pytest.raises(CompileError) as error:
        jit(function)(X)
    assert re.search(message, error.value.message)
    assert error.value.file == __file__
    assert error.value.line == function.__code__.co_firstlineno


def test_leaked_values_are_refused() -> None:
    kept: list[Any] = []

    @jit
    def f(x: Any) -> Any:
        kept.append(x)
        return x + 1

    same(f(X), X + 1)
    with pytest.raises(CompileError, match="after its function has been traced"):
        _ = kept[0] + 1
    with pytest.raises(CompileError, match="of another function"):
        jit(lambda x: x + kept[0])(X)


def test_static_arguments_and_out() -> None:
    @jit(static_argnames=("power", "name"))
    def f(x: Array, *, power: int, name: str = "none") -> Any:
        return x**power if name == "none" else x

    same(f(X, power=3), X**3, 1e-5)
    same(f(X, power=2), X**2)
    same(f(X, power=2, name="same"), X)
    out = np.empty_like(X)
    assert jit(lambda x: x + 1)(X, out=out) is out
    same(out, X + 1)
    with pytest.raises(ValueError, match="has no argument 'powr'"):
        jit(f, static_argnames="powr")
    with pytest.raises(TypeError, match="name other arguments in static_argnames"):
        jit(lambda x, name: x)(X, "text")


@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
def test_arrays_with_operators_of_their_own_are_refused(tmp_path: Any) -> None:
    """Their masks, units and products would be lost; a file in memory is an array as others."""
    f = jit(lambda x: x * 2)
    same(f(X), X * 2)
    for kept in (np.ma.masked_array(X, X > 0), np.asmatrix(X)):
        with pytest.raises(TypeError, match="whose operators are not those of arrays"):
            f(kept)
    X.tofile(tmp_path / "x")
    same(f(np.memmap(tmp_path / "x", np.float32, "r", shape=X.shape)), X * 2)


@pytest.mark.parametrize("result", [None, "text", object()])
def test_results_that_are_no_arrays(result: Any) -> None:
    with pytest.raises(CompileError, match=r"<lambda> returns .*, which is no array or number"):
        jit(lambda x: (x, result))(X)


def test_a_function_is_traced_once_for_shapes_and_dtypes() -> None:
    traced: list[Any] = []

    @jit
    def f(x: Any) -> Any:
        traced.append((x.shape, x.dtype))
        return x * 2

    for x in (X, X + 1, X[:2], X.astype(np.float64), X):
        same(f(x), x * 2)
    assert len(traced) == 3


def test_strided_and_read_only_arrays() -> None:
    f = jit(lambda x, y: x + y)
    frozen = X.T.copy()
    frozen.flags.writeable = False
    same(f(X[:, ::2], X[:, ::-2]), X[:, ::2] + X[:, ::-2])
    same(f(X.T, frozen), X.T + frozen)


FUNCTIONS: dict[str, Any] = {
    "ufunc": np.exp,
    "another ufunc": np.arctan,
    "function with defaults of None": np.sum,
    "partial": partial(np.sum, axis=0),
    "partial of a lambda": partial(lambda scale, x: scale * x, 3),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_callables_that_are_no_functions(name: str) -> None:
    f = jit(FUNCTIONS[name])
    np.testing.assert_allclose(f(X), FUNCTIONS[name](X), rtol=1e-5)
    if "None" not in name:  # a function is pickled by its name
        np.testing.assert_array_equal(copy.copy(f)(X), f(X))


def test_callables_that_tell_no_parameters() -> None:
    with pytest.raises(TypeError, match=r"nothing tells the parameters of <class 'dict'>; wrap it"):
        jit(dict)
    with pytest.raises(TypeError, match="too many positional arguments"):
        jit(np.exp)(X, Y)


@pytest.mark.usefixtures("cache_directory")
def test_jit_is_a_decorator_before_and_after_a_compile() -> None:
    """The name is callable whatever was imported, with a cold and with a warm cache."""
    program = (
        "import snippets_mlir, numpy as np\n"
        "assert callable(snippets_mlir.jit)\n"
        "f = snippets_mlir.jit(lambda x: np.exp(x) + 1)\n"
        "assert abs(f(np.zeros(8, 'f4')) - 2).max() < 1e-6\n"
        "import snippets_mlir.codegen, snippets_mlir.runtime\n"
        "assert callable(snippets_mlir.jit)\n"
    )
    exec(program, {})
    subprocess.run([sys.executable, "-c", program], check=True)


def module_level(x: Any) -> Any:
    return x * 2


module_jit = jit(module_level)


def test_functions_are_reduced_to_their_names() -> None:
    assert module_jit.__reduce__() == "module_level"
    assert module_jit.__name__ == "module_level"


def test_array_namespace() -> None:
    assert "exp" in dir(xp)
    assert "sort" in dir(xp)
    with pytest.raises(AttributeError, match="has no 'fabs'"):
        _ = xp.fabs
    same(jit(lambda x: x.__array_namespace__().tanh(x))(X), np.tanh(X))


def test_public_names_are_light() -> None:
    assert "jit" in snippets_mlir.__all__
