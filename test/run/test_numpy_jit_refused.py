# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false
"""What `snippets_mlir.jit` refuses is an error that names the line."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, cast

import numpy as np
import pytest
from numpy_results import same

from snippets_mlir import jit
from snippets_mlir.support.errors import CompileError

RNG = np.random.default_rng(0)
X = RNG.normal(size=(8, 24)).astype(np.float32)
Y = RNG.normal(size=24).astype(np.float32)


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
    "step of 0": (lambda x: x[::0], "slice step cannot be zero"),
    "negative power of integers": (
        lambda x: x.astype("i4") ** -2,
        "^np.power: an integer to the power -2 is no integer",
    ),
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


@pytest.mark.parametrize("result", ["text", object()])
def test_results_that_are_no_arrays(result: Any) -> None:
    with pytest.raises(CompileError, match=r"<lambda> returns .*, neither an array nor a number"):
        jit(lambda x: (x, result))(X)


def test_callables_that_tell_no_parameters() -> None:
    with pytest.raises(TypeError, match=r"nothing tells the parameters of <class 'dict'>; wrap it"):
        jit(dict)
    with pytest.raises(TypeError, match="too many positional arguments"):
        jit(np.exp)(X, Y)
