"""What onnxruntime moves for an Einsum, as its times tell."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import ModelProto
from onnx.helper import make_node
from onnx_models import model, value
from xdsl.ir import Operation, SSAValue

from snippets_mlir.analysis.engine.einsum import moved_by_einsum
from snippets_mlir.analysis.engine.transposes import Moves
from snippets_mlir.dialects.builtin.dims import static_size
from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.program.host import body_of, find_entry
from snippets_mlir.frontends.onnx import import_graph, prepare_model

SIZES = {"b": 1, "n": 4, "i": 32, "j": 64, "d": 16}
LEFT, RIGHT, RESULT = 2048, 4096, 8192
"""Elements of the operands with b, n, i, d and b, n, j, d, and of the result with b, n, i, j."""


def shape(labels: str) -> tuple[int, ...]:
    return tuple(SIZES[label] for label in labels)


def einsum(equation: str) -> ModelProto:
    left, right, result = equation.replace("->", ",").split(",")
    inputs = [value("x", shape(left)), value("z", shape(right))]
    node = make_node("Einsum", ["x", "z"], ["y"], equation=equation)
    return model([node], inputs, [value("y", shape(result))], {})


def sizes(operand: SSAValue) -> list[int]:
    return [*map(static_size, shape_of(operand))]


def ops_of(made: ModelProto) -> list[Operation]:
    imported = import_graph(prepare_model(made))
    return [*body_of(find_entry(imported.module, None)).ops]


@pytest.mark.parametrize(
    ("equation", "wanted"),
    [
        ("bnid,bndj->bnij", Moves()),  # the time of the product, on a Xeon
        ("bnid,bjnd->bnij", Moves(turned=RIGHT)),  # 0 to 0.3 ns an element more
        ("bind,bndj->bnij", Moves(scattered=LEFT)),  # 3.1 to 3.4 ns an element more
        ("bndi,bndj->bnij", Moves(scattered=LEFT)),
        ("bind,bjnd->bnij", Moves(turned=RIGHT, scattered=LEFT)),
        ("bnid,bndj->binj", Moves(pieces=RESULT // SIZES["j"])),  # nothing more
        ("bnid,bndj->bnji", Moves(scattered=RESULT)),
    ],
)
def test_what_moves(equation: str, wanted: Moves) -> None:
    found = [*moved_by_einsum(ops_of(einsum(equation)), sizes)]
    assert Moves(*np.sum(found, axis=0)) == wanted
