# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false
"""Functions and operators of NumPy by `snippets_mlir.jit`, beside NumPy's own results.

Each expression runs on floats with special values, integers with their limits, bools, arrays
without elements and arrays of one element; where NumPy raises an error, so does ours.
"""

from __future__ import annotations

import warnings
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy_results import same
from sampled import sampled

from snippets_mlir import CompileError, jit

RNG = np.random.default_rng(3)
SPECIAL = [0.0, -0.0, np.nan, np.inf, -np.inf, -0.5, 0.5, 1.5, 2.5, -2.5]


def _floats(*shape: int) -> Any:
    drawn = RNG.integers(-12, 13, shape) / 4
    return np.where(RNG.random(shape) < 0.3, RNG.choice(SPECIAL, shape), drawn).astype(np.float32)


def _integers(dtype: Any, *shape: int) -> Any:
    limits = np.iinfo(dtype)
    drawn = RNG.integers(max(limits.min, -9), 10, shape).astype(dtype)
    few = np.array([limits.min, limits.max, 0, 1], dtype)
    return np.where(RNG.random(shape) < 0.2, RNG.choice(few, shape), drawn)


ARRAYS: dict[str, tuple[Any, Any]] = {
    "floats": (_floats(5, 17), _floats(5, 17)),
    "f64": (_floats(3, 4).astype(np.float64), _floats(3, 4).astype(np.float64)),
    "f16": (_floats(3, 4).astype(np.float16), _floats(3, 4).astype(np.float16)),
    "i32": (_integers(np.int32, 4, 9), _integers(np.int32, 4, 9)),
    "i8": (_integers(np.int8, 4, 9), _integers(np.int8, 4, 9)),
    "u8": (_integers(np.uint8, 3, 5), _integers(np.uint8, 3, 5)),
    "i64 and u64": (_integers(np.int64, 3, 5), _integers(np.uint64, 3, 5)),
    "bools": (RNG.random((3, 8)) < 0.5, RNG.random((3, 8)) < 0.5),
    "empty": (np.zeros((3, 0), np.float32), np.zeros((3, 0), np.float32)),
    "one": (np.full((1, 1), -1.5, np.float32), np.full((1, 1), 2.5, np.float32)),
    "rank 0": (np.array(-2.5, np.float32), np.array(1.5, np.float32)),
}

EXPRESSIONS = """
x == y; x != y; x < y; x <= y; x > y; x >= y; y < x; x > -1; x < 300; -1 == x; 300 != x; -1000 >= x
np.isnan(x); np.isinf(x); np.isfinite(x); np.isposinf(x); np.isneginf(x)
np.floor(x); np.ceil(x); np.trunc(x); np.fmax(x, y); np.fmin(x, y); np.heaviside(x, y)
np.round(x); np.round(x, 1); np.round(x // 2, -1); x.round(2)
x ** 2; x ** 0.5; x ** 2.0; (x > y).reshape(x.shape) ** 2; np.degrees(x); np.radians(x)
np.divmod(x, y); divmod(x, 2); np.modf(x); np.modf(x)[0]; np.float_power(abs(x), 0.5)
np.clip(x, -1, 2); np.clip(x, 0, 1000); np.clip(x, -1000, 2.5); x.clip(min=1)
x.any(); x.all(); x.any(-1); x.all(0, keepdims=True); np.logical_or.reduce(x)
x.sum(-1); x.max(-1); x.argmax(0); x.cumsum(-1); np.cumsum(x); x.argmin(-1)
np.max(x, initial=-3); x.max(-1, where=x > 0, initial=1)
np.nansum(x); np.nansum(x, -1); np.nanprod(x, 0); np.nanmax(x); np.nanmin(x, 0); np.nanmean(x, -1)
np.nanvar(x, 0); np.nanstd(x, ddof=1); np.nancumsum(x, -1); np.nancumprod(x, 0)
np.nan_to_num(x); np.nan_to_num(x, nan=3, posinf=7, neginf=-7)
np.ptp(x); np.ptp(x, -1); np.average(x, -1); np.average(x, weights=y)
np.roll(x, 1); np.roll(x, (1, 2), (0, -1)); np.roll(x, (1, 2), 0); np.flip(x, 0); np.flip(x, (0, 1))
np.fliplr(x); np.flipud(x); np.rot90(x); np.rot90(x, 2); np.rot90(x, -1); np.rollaxis(x, -1)
np.stack([x, y], 1); np.hstack([x, y]); np.vstack([x, y]); np.dstack([x, y]); np.append(x, y)
np.column_stack([x, y]); np.append(x, y, 0); np.concatenate([x, y], -1)
np.atleast_1d(x); np.atleast_2d(x); np.atleast_3d(x); np.split(x, [1]); np.array_split(x, 2)
np.split(x, 2, -1); np.array_split(x, 3, 1); np.diagonal(x); np.diagonal(x, 1); np.trace(x)
x.trace(-1); x.diagonal(-1); np.ediff1d(x); np.diff(x, prepend=0); np.diff(x, append=x[..., :1])
np.select([x > 1, x < 0], [x, y], 3); np.isclose(x, y); np.isclose(x, x, equal_nan=True)
np.allclose(x, y); np.array_equal(x, y); np.array_equal(x, x, equal_nan=True)
np.inner(x, y); np.outer(x, y); np.vdot(x, y); np.kron(x, y); (x > 0) @ (y > 0).T; np.vecdot(x, y)
np.linalg.norm(x); np.linalg.norm(x, axis=-1); np.linalg.norm(x, 1, axis=0)
np.linalg.norm(x, np.inf, -1); np.linalg.vector_norm(x, axis=0)
x.real + x; x.conj(); x.itemsize + x; x.nbytes; np.copy(x) * 2; np.empty_like(x).ndim + x
"""
TEXTS = [*filter(None, map(str.strip, EXPRESSIONS.replace("\n", ";").split(";")))]
CASES = sampled(product(ARRAYS, TEXTS), 10)


@pytest.mark.parametrize("kind", sampled(ARRAYS, 2))
def test_results_are_numpys(kind: str) -> None:
    wrong: list[str] = []
    computed = 0
    texts = [text for array, text in CASES if array == kind]
    for text in texts:
        function = eval(f"lambda x, y: {text}", {"np": np})
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                expected: Any = function(*ARRAYS[kind])
            except (TypeError, ValueError, IndexError, OverflowError, ZeroDivisionError) as error:
                expected = error
        try:
            found = jit(function)(*ARRAYS[kind])
        except CompileError as error:
            if not isinstance(expected, Exception):
                wrong.append(f"{text}: refused: {error}")
            continue
        if isinstance(expected, ZeroDivisionError):
            continue  # of a sum, which no trace knows
        if isinstance(expected, Exception):
            wrong.append(f"{text}: NumPy raises {expected!r}")
            continue
        computed += 1
        try:
            same(found, expected, 3e-3 if kind in ("f16", "i8", "u8", "bools") else 1e-5)
        except AssertionError as error:
            wrong.append(f"{text}: {error}")
    assert not wrong, "\n".join(wrong)
    assert computed > len(texts) // 3


def test_bfloat16_keeps_numpys_types() -> None:
    ml_dtypes: Any = pytest.importorskip("ml_dtypes")
    x = np.array([[1.5, 2.5, -3.0], [0.5, 0.25, 8.0]], ml_dtypes.bfloat16)
    for function in (np.mean, np.var, np.std, np.round, np.reciprocal):
        same(jit(function)(x), function(x), 2e-2)
    same(jit(lambda x: x.dot(x.T))(x), x.dot(x.T), 2e-2)
    same(jit(lambda x: np.mean(x, where=x > 1))(x), np.mean(x, where=x > 1), 2e-2)


def test_a_tuple_among_indices_is_an_array_of_places() -> None:
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    same(jit(lambda x: x[(0, 2),])(x), x[(0, 2),], 0)
    same(jit(lambda x: x[(0, 2), 1:3])(x), x[(0, 2), 1:3], 0)
    same(jit(lambda x: x[:, (3, 0)])(x), x[:, (3, 0)], 0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x // -3", "Python integer -3 out of bounds for uint8"),
        ("np.maximum(x, 300)", "Python integer 300 out of bounds for uint8"),
        ("x.max(-1, where=x > 0, initial=-3)", "Python integer -3 out of bounds for uint8"),
        ("np.clip(x, 300, None)", "Python integer 300 out of bounds for uint8"),
        ("np.flip(x, 2)", "axis 2 is out of bounds for array of dimension 2"),
        ("np.stack([x, x], 3)", "axis 3 is out of bounds for array of dimension 3"),
        ("x.view()", "view of arrays is not compiled"),
        ("np.linalg.inv(x)", "np.linalg.inv is not compiled"),
        ("np.linalg.norm(x, 'nuc')", "Frobenius norm alone"),
        ("np.split(x, 2)", "does not result in an equal division"),
        ("np.rot90(x, 1, (0, 0))", "Axes must be different"),
    ],
)
def test_refusals_name_the_line(text: str, message: str) -> None:
    function = eval(f"lambda x: {text}", {"np": np})
    with pytest.raises(CompileError, match=message) as caught:
        jit(function)(np.ones((3, 5), np.uint8))
    assert caught.value.line == 1
