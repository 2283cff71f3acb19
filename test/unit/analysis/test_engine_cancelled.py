"""Transposes that onnxruntime removes are those that the cost model takes as removed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from snippets_mlir.analysis.engine.cancelled import is_cancelled
from snippets_mlir.dialects.snippets.layout import TransposeOp
from test.support.engine_models import Node, model, module_of, nodes_of_engine

HEADS = {"perm": (0, 2, 1, 3)}
FIRST: Node = ("Transpose", ["x"], "t", HEADS)
SHAPE = (2, 5, 4, 8)
SUM = {"keepdims": 0}


@pytest.mark.parametrize(
    "nodes",
    [
        [FIRST, ("Erf", ["t"], "r"), ("Transpose", ["r"], "y", HEADS)],
        [FIRST, ("Add", ["t", "bias"], "r"), ("Transpose", ["r"], "y", HEADS)],
        [FIRST, ("ReduceSum", ["t", "last"], "r"), ("Transpose", ["r"], "y", HEADS)],
        [
            FIRST,
            ("Pow", ["t", "two"], "p"),
            ("ReduceSum", ["p", "last"], "r", SUM),
            ("Transpose", ["r"], "y", {"perm": (0, 2, 1)}),
        ],
    ],
)
def test_transposes_that_are_moved_back(tmp_path: Path, nodes: list[Node]) -> None:
    made = model(nodes, SHAPE, bias=np.ones(8, np.float32), last=[3], two=2.0)
    assert "Transpose" not in nodes_of_engine(made, tmp_path)
    found = [op for op in module_of(made).walk() if isinstance(op, TransposeOp)]
    assert len(found) == 2
    assert all(map(is_cancelled, found))


@pytest.mark.parametrize(
    "nodes",
    [
        [FIRST, ("Erf", ["t"], "y")],
        [FIRST, ("Erf", ["t"], "r"), ("Transpose", ["r"], "y", {"perm": (0, 2, 3, 1)})],
        [
            FIRST,
            ("ReduceSum", ["t", "first"], "r", SUM),
            ("Transpose", ["r"], "y", {"perm": (0, 2, 1)}),
        ],
        [
            FIRST,
            ("Erf", ["t"], "r"),
            ("Reshape", ["r", "joined"], "j"),
            ("Transpose", ["j"], "y", {"perm": (1, 0, 2)}),
        ],
    ],
)
def test_transposes_of_which_one_stays(tmp_path: Path, nodes: list[Node]) -> None:
    made = model(nodes, SHAPE, first=[1], joined=[8, 5, 8])
    assert "Transpose" in nodes_of_engine(made, tmp_path)
    found = [op for op in module_of(made).walk() if isinstance(op, TransposeOp)]
    assert found
    assert not any(map(is_cancelled, found))
