"""Indices of ONNX operators that only a call knows: a wrong one is an error, as in onnxruntime.

No kernel holds these operators: onnxruntime runs them, between kernels or alone, and checks.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper
from onnx_checks import ops_of, reasons_of
from onnx_models import model, run_reference, value
from sampled import sampled

import snippets_mlir

ROWS, COLUMNS, COUNT = 64, 48, 6
X = np.random.default_rng(0).standard_normal((ROWS, COLUMNS)).astype(np.float32)
UPDATES = X[:COUNT] + 1
INDICES = np.array([0, -ROWS, ROWS - 1, 3, -1, 5])

TAKERS: dict[str, tuple[int, ...]] = {
    "Gather": (COUNT,),
    "GatherElements": (COUNT, COLUMNS),
    "GatherND": (COUNT, 1),
}
"""Operators that read at indices, and the shapes of these."""

WRITERS: dict[str, tuple[int, ...]] = {
    "ScatterElements": (COUNT, COLUMNS),
    "ScatterND": (COUNT, 1),
}

DTYPES: dict[str, list[Any]] = {"GatherND": [np.int64], "ScatterND": [np.int64]}
"""Types of indices, where these are not int32 and int64."""

MODES: dict[str, dict[str, Any]] = {
    "estimated": {},
    "every kernel": {"partitioner": "fuse-ops"},
    "nothing skipped": {"mark_skipped": "none"},
}


def spread(places: np.ndarray[Any, Any], shape: tuple[int, ...], dtype: Any) -> Any:
    """An index for each row of `shape`."""
    return np.broadcast_to(places.reshape(COUNT, *[1] * (len(shape) - 1)), shape).astype(dtype)


def between_kernels(operator: str, dtype: Any, *, dynamic: bool) -> onnx.ModelProto:
    """The operator between two runs of elementwise nodes, which kernels hold."""
    shape = {**TAKERS, **WRITERS}[operator]
    given = ["e", "i", *(["u"] if operator in WRITERS else [])]
    nodes = [
        helper.make_node("Exp", ["x"], ["a"]),
        helper.make_node("Mul", ["a", "x"], ["e"]),
        helper.make_node(operator, given, ["g"], name="taken"),
        helper.make_node("Sigmoid", ["g"], ["s"]),
        helper.make_node("Mul", ["s", "g"], ["y"]),
    ]
    sizes = ("rows", COLUMNS) if dynamic else (ROWS, COLUMNS)
    places = ("places", *shape[1:]) if dynamic else shape
    inputs = [value("x", sizes), value("i", places, dtype)]
    return model(nodes, inputs, ["y"], {"u": UPDATES} if operator in WRITERS else {})


CASES = [
    (operator, dtype, mode, dynamic)
    for operator in (*TAKERS, *WRITERS)
    for dtype in DTYPES.get(operator, [np.int64, np.int32])
    for mode in MODES
    for dynamic in (False, True)
]


@pytest.mark.parametrize(("operator", "dtype", "mode", "dynamic"), sampled(CASES, 8))
def test_a_wrong_index_is_an_error(operator: str, dtype: Any, mode: str, dynamic: bool) -> None:
    """Of onnxruntime's, which names the node; later calls of the same program are right."""
    made, shape = between_kernels(operator, dtype, dynamic=dynamic), {**TAKERS, **WRITERS}[operator]
    compiled = snippets_mlir.compile(made, **MODES[mode])
    right = spread(INDICES, shape, dtype)
    (wanted,) = run_reference(made, [X, right])
    for wrong in (ROWS, -ROWS - 1, np.iinfo(dtype).max, np.iinfo(dtype).min):
        np.testing.assert_allclose(compiled(X, right), wanted, 1e-4, 1e-5)
        given = right.copy()
        given.flat[given.size // 2] = wrong
        with pytest.raises(Exception, match=f"{operator} node"):
            run_reference(made, [X, given])
        with pytest.raises(ValueError, match=f"{operator} node") as error:
            compiled(X, given)
        if operator == "Gather":
            assert f"idx={wrong} must be within the inclusive range [-{ROWS}," in str(error.value)
    np.testing.assert_allclose(compiled(X, right), wanted, 1e-4, 1e-5)


@pytest.mark.parametrize("operator", [*TAKERS, *WRITERS])
def test_without_onnxruntime_they_are_refused(operator: str) -> None:
    made = between_kernels(operator, np.int64, dynamic=False)
    with pytest.raises(snippets_mlir.CompileError, match=f"onnx.{operator} 'taken'"):
        snippets_mlir.compile(made, fallback="error")


def test_no_indices_and_no_rows() -> None:
    made = between_kernels("Gather", np.int64, dynamic=True)
    for options in MODES.values():
        compiled = snippets_mlir.compile(made, **options)
        none = np.zeros(0, np.int64)
        assert compiled(X, none).shape == compiled(X[:0], none).shape == (0, COLUMNS)
        with pytest.raises(ValueError, match="Gather node"):
            compiled(X[:0], np.zeros(1, np.int64))


def test_constant_indices_become_slices_if_they_are_inside() -> None:
    """Those that are outside stay with onnxruntime, whose error it is."""

    def taken(places: list[int]) -> onnx.ModelProto:
        nodes = [helper.make_node("Gather", ["x", "i"], ["y"])]
        return model(nodes, [value("x", X.shape)], ["y"], {"i": np.array(places)})

    assert ops_of(taken([-1, ROWS - 2])) == ["snippets.slice"]
    for wrong in ([ROWS], [-ROWS - 1], [0, ROWS]):
        assert reasons_of(taken(wrong)) == [f'"Gather of places beyond a dim of {ROWS}"']
        with pytest.raises(ValueError, match="Gather"):
            snippets_mlir.compile(taken(wrong))(X)
