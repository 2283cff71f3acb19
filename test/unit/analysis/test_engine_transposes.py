"""What onnxruntime moves for a Transpose, as its times tell, and which ones are in its products."""

from __future__ import annotations

from pathlib import Path

import onnx
import pytest

from snippets_mlir.analysis.engine.transposes import Moves, is_in_product, moves
from snippets_mlir.dialects.snippets.layout import TransposeOp
from test.support.engine_models import Node, model, module_of, nodes_of_engine

Dims = tuple[int, ...]


@pytest.mark.parametrize(
    ("shape", "permutation", "wanted"),
    [
        ((128, 12, 64), (1, 0, 2), Moves(pieces=1536)),  # 14 ns a piece on a Zen 4
        ((1, 128, 12, 64), (0, 2, 1, 3), Moves(pieces=1536)),
        ((2, 8, 300, 4), (0, 2, 1, 3), Moves(pieces=4800)),
        ((8, 16, 24, 32), (2, 1, 0, 3), Moves(pieces=3072)),
        ((4, 6, 5, 7), (1, 0, 2, 3), Moves(pieces=24)),
        ((12, 129, 64), (0, 2, 1), Moves(turned=99072)),  # 0.15 to 0.7 ns an element
        ((8, 16, 24, 32), (2, 3, 0, 1), Moves(turned=98304)),
        ((8, 16, 24, 32), (3, 0, 1, 2), Moves(turned=98304)),
        ((8, 16, 24, 32), (0, 2, 3, 1), Moves(turned=98304)),
        ((8, 16, 24, 32), (0, 3, 2, 1), Moves(scattered=98304)),  # 3.4 ns an element
        ((8, 16, 24, 32), (1, 0, 3, 2), Moves(scattered=98304)),
        ((24, 32, 128), (2, 1, 0), Moves(scattered=98304)),
        ((1, 12, 1, 64), (0, 2, 1, 3), Moves()),
        ((12, 1, 64), (0, 2, 1), Moves()),
        ((12, 3, 1, 64), (0, 2, 1, 3), Moves()),
        ((3, 4), (0, 1), Moves()),
        ((0, 4), (1, 0), Moves()),
        ((), (), Moves()),
    ],
)
def test_what_moves(shape: Dims, permutation: Dims, wanted: Moves):
    assert moves(shape, permutation) == wanted


@pytest.mark.parametrize(
    ("permutation", "shape", "between"),
    [
        ((0, 2, 1), (2, 7, 4), ""),
        ((1, 2, 0), (7, 2, 4), ""),
        ((0, 2, 1), (2, 7, 4), "Mul"),
        ((0, 2, 1), (2, 7, 4), "Reshape"),
    ],
)
def test_transposes_in_products(tmp_path: Path, permutation: Dims, shape: Dims, between: str):
    second: dict[str, list[Node]] = {
        "Mul": [("Mul", ["t", "c"], "m")],
        "Reshape": [("Reshape", ["t", "s"], "m")],
    }
    nodes: list[Node] = [
        ("Transpose", ["z"], "t", {"perm": permutation}),
        *second.get(between, []),
        ("MatMul", ["x", "m" if between else "t"], "y"),
    ]
    made = model(nodes, (2, 5, 4), shape, c=0.5, s=[2, 4, 7])
    assert "Transpose" not in nodes_of_engine(made, tmp_path)
    assert found_in_products(made) == [True]


@pytest.mark.parametrize(
    ("permutation", "shape", "reader"),
    [
        ((0, 2, 3, 1), (2, 7, 3, 4), "MatMul"),
        ((0, 2, 1, 3), (2, 4, 3, 7), "MatMul"),
        ((0, 1, 3, 2), (2, 3, 7, 4), "Div"),
    ],
)
def test_transposes_of_their_own(tmp_path: Path, permutation: Dims, shape: Dims, reader: str):
    rows = 5 if reader == "MatMul" else 4
    columns = 4 if reader == "MatMul" else 7
    nodes: list[Node] = [
        ("Transpose", ["z"], "t", {"perm": permutation}),
        (reader, ["x", "t"], "y"),
    ]
    made = model(nodes, (2, 3, rows, columns), shape)
    assert "Transpose" in nodes_of_engine(made, tmp_path)
    assert found_in_products(made) == [False]


def test_a_computed_reshape_keeps_a_transpose(tmp_path: Path):
    nodes: list[Node] = [
        ("Transpose", ["z"], "t", {"perm": (0, 2, 1)}),
        ("Shape", ["z"], "n", {"start": 1, "end": 2}),
        ("Concat", ["one", "four", "n"], "s", {"axis": 0}),
        ("Reshape", ["t", "s"], "m"),
        ("MatMul", ["x", "m"], "y"),
    ]
    made = model(nodes, (1, 5, 4), (1, "n", 4), one=[1], four=[4])
    assert "Transpose" in nodes_of_engine(made, tmp_path)
    assert found_in_products(made) == [False]


def found_in_products(made: onnx.ModelProto) -> list[bool]:
    """Of each transpose of a model, whether it is in a product."""
    return [is_in_product(op) for op in module_of(made).walk() if isinstance(op, TransposeOp)]
