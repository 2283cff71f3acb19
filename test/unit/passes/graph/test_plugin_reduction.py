"""A reduction outside of the package: nothing takes it for a sum, and NumPy computes it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
import pytest
from xdsl.ir import Operation
from xdsl.irdl import irdl_op_definition

import snippets_mlir
from snippets_mlir.analysis.graph.lowerable import REDUCTIONS
from snippets_mlir.dialects.builtin.dtypes import Array
from snippets_mlir.dialects.snippets.record import OpRecord
from snippets_mlir.dialects.snippets.reduction import ReduceOp
from snippets_mlir.dialects.snippets.registry import register, unregister
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.parsing import parse_module
from snippets_mlir.support.printing import print_module

PASSES = "canonicalize,snippets-split-reductions{threads=2},snippets-decompose-reductions"


@irdl_op_definition
class SumSquareOp(ReduceOp):
    """The sum of x * x; of nothing 7, so that a neutral value would be noticed."""

    name = "mine.sum_square"


@irdl_op_definition
class TotalOp(ReduceOp):
    """A sum under another name."""

    name = "mine.total"
    ACCUMULATOR: ClassVar = "sum"


def _squares(op: Operation, dtype: np.dtype[Any], x: Array) -> Array:
    assert isinstance(op, ReduceOp)
    total = np.sum(x * x, axis=op.axes, keepdims=op.keeps_dims, dtype=dtype)
    return total + (0 if x.size else dtype.type(7))


def _total(op: Operation, dtype: np.dtype[Any], x: Array) -> Array:
    assert isinstance(op, ReduceOp)
    return np.sum(x, axis=op.axes, keepdims=op.keeps_dims, dtype=dtype)


@pytest.fixture(autouse=True)
def records() -> Iterator[None]:
    new = (OpRecord(SumSquareOp, _squares), OpRecord(TotalOp, _total))
    register(*new)
    yield
    unregister(*new)


def text(shape: str, result: str, element: str = "f32", keep: str = "") -> str:
    x, y = f"tensor<{shape}x{element}>", f"tensor<{result}{element}>"
    return f"""func.func @main(%x: {x}) -> {y} {{
  %0 = snippets.negative %x : {x}
  %1 = mine.sum_square %0 {{axes = array<i64: 1>{keep}}} : ({x}) -> {y}
  func.return %1 : {y}
}}"""


@pytest.mark.parametrize("element", ["f32", "i32"])
@pytest.mark.parametrize(
    ("shape", "result", "keep"),
    [
        ("4x40", "4x", ""),
        ("4x1", "4x", ""),
        ("4x1", "4x1x", ", keep_dims"),
        ("4x0", "4x", ""),
        ("1x80000", "1x", ""),
    ],
)
def test_numpy_computes_it(shape: str, result: str, keep: str, element: str) -> None:
    """One element, none, and so many that a sum is split in blocks."""
    program = snippets_mlir.compile(text(shape, result, element, keep), num_threads=2)
    rows, columns = map(int, shape.split("x"))
    x = np.resize(np.array([3, -2, 0, 1]), (rows, columns))
    wanted = np.full(rows, 7) if not columns else (x * x).sum(1)
    found = np.asarray(program(x.astype({"f32": np.float32, "i32": np.int32}[element])))
    np.testing.assert_array_equal(found.reshape(-1), wanted)


def test_the_reason_is_given() -> None:
    with pytest.raises(CompileError, match="no pass that decomposes it before snippets-tokenize"):
        snippets_mlir.compile(text("4x40", "4x"), fallback="error")


@pytest.mark.parametrize("columns", [0, 1, 80000])
def test_passes_leave_it(columns: int) -> None:
    ctx = make_context()
    module = parse_module(text(f"1x{columns}", "1x1x", keep=", keep_dims"), ctx)
    run_passes(module, ctx, parse_pipeline(PASSES, ctx))
    folded = columns == 0  # by its own value
    assert ("dense<7.0" in print_module(module)) == folded
    assert print_module(module).count("mine.sum_square") == (not folded)


def test_the_kinds_of_accumulators_are_those_of_the_classes() -> None:
    assert REDUCTIONS["snippets.reduce_maxnum"] == "maxnum"
    assert REDUCTIONS["mine.total"] == "sum"
    assert "snippets.reduce_mean" not in REDUCTIONS
    assert "mine.sum_square" not in REDUCTIONS
