"""What the tools print of candidates: names of nodes, places in the text, guessed sizes."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import snippets_mlir
from snippets_mlir.driver.onnx.cuts.remarks import (
    UNKNOWN,
    model_choices,
    model_remarks,
    module_cuts,
    module_remarks,
)
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.support.parsing import parse_module

pytestmark = pytest.mark.usefixtures("foreign_products")

TARGET = "x86-64-avx2"


def model_of(rows: str | int, names: tuple[str, str] = ("soft", "gate")) -> onnx.ModelProto:
    """Two products with a Softplus and a Mul between them."""
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["a"], name="first"),
        helper.make_node("Softplus", ["a"], ["b"], name=names[0]),
        helper.make_node("Mul", ["a", "b"], ["c"], name=names[1]),
        helper.make_node("MatMul", ["c", "v"], ["y"], name="second"),
    ]
    data: dict[str, Any] = {"w": np.ones((64, 512)), "v": np.ones((512, 8))}
    weights = [onnx.numpy_helper.from_array(a.astype(np.float32), n) for n, a in data.items()]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [rows, 64])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [rows, 8])
    graph = helper.make_graph(nodes, "g", [x], [y], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)


def texts(folder: Path, made: onnx.ModelProto) -> list[str]:
    path = folder / "m.onnx"
    path.write_bytes(made.SerializeToString())
    found = list(model_remarks(str(path), TARGET, 2))
    assert all(remark.file == str(path) and remark.line is None for remark in found)
    return [remark.message for remark in found]


def test_choices_of_a_model_have_the_cost_of_each_kind(tmp_path: Path):
    """The numbers are those of the estimate, and the larger of gain and cut decides."""
    for rows in (2, 512):
        path = tmp_path / "m.onnx"
        path.write_bytes(model_of(rows).SerializeToString())
        (line,) = model_choices(str(path), TARGET, 2)
        found = re.fullmatch(
            r"'soft', 'gate' \(snippets.softplus, snippets.multiply\): snippets (\d+) ns, "
            r"onnxruntime (\d+) ns; gain (-?\d+) ns, cut (\d+) ns.*: (\w+)",
            line,
        )
        assert found is not None, line
        kernel, engine, gain, cut = map(int, found.groups()[:4])
        assert abs(engine - kernel - gain) <= 1
        assert found[5] == ("snippets" if gain > cut else "onnxruntime")
        assert (gain > cut) == (rows == 512)


def test_candidates_of_a_model_are_called_after_its_nodes(tmp_path: Path):
    (large,) = texts(tmp_path, model_of(512))
    what = "'soft', 'gate' (snippets.softplus, snippets.multiply): a kernel saves "
    assert large.startswith(f"kernel: {what}")
    assert large.endswith(" us")
    (small,) = texts(tmp_path, model_of(2))
    assert small.startswith(f"engine: {what}")
    (nameless,) = texts(tmp_path, model_of(2, ("", "")))
    assert nameless.startswith("engine: snippets.softplus, snippets.multiply: a kernel")


def test_dynamic_dims_count_as_a_guess(tmp_path: Path):
    (guessed,), (known,) = texts(tmp_path, model_of("n")), texts(tmp_path, model_of(UNKNOWN))
    assert guessed == f"{known}; dynamic dims count as {UNKNOWN}"


def test_the_report_says_the_same(tmp_path: Path):
    made = model_of(512)
    m = snippets_mlir.compile(made)
    (line,) = m.cuts
    assert line.startswith("kernel: 'soft', 'gate' (snippets.softplus, snippets.multiply): a ")


PROGRAM = """
func.func @main(%x: tensor<{0}x64xf32>) -> tensor<{0}x64xf32> {{
  %0 = onnx.node "Hardmax"(%x) {{domain = "", version = 13 : i64, node_name = "n"}}
      : (tensor<{0}x64xf32>) -> tensor<{0}x64xf32>
  %1 = snippets.softplus %0 : tensor<{0}x64xf32>
  func.return %1 : tensor<{0}x64xf32>
}}
"""


def remarks_of(text: str) -> list[Any]:
    module = parse_module(text, make_context(), "p.mlir")
    before = str(module)
    found = list(module_remarks(module, TARGET, 2))
    assert str(module) == before
    return found


def test_candidates_in_text_have_its_places():
    (remark,) = remarks_of(PROGRAM.format(512))
    assert (remark.file, remark.line, remark.column) == ("p.mlir", 5, 3)
    assert remark.message.startswith("kernel: snippets.softplus: a kernel saves")
    (guessed,), (known,) = remarks_of(PROGRAM.format("?")), remarks_of(PROGRAM.format(UNKNOWN))
    assert guessed.message == f"{known.message}; a dim ? counts as {UNKNOWN}"


def test_operators_of_text_have_their_rates():
    """A Softplus takes the engine ten times what an Abs takes."""
    cuts = [
        module_cuts(parse_module(text, make_context(), "p.mlir"), None, TARGET, 2)
        for text in (PROGRAM.format(4096), PROGRAM.format(4096).replace("softplus", "abs"))
    ]
    slow, quick = (c.candidates[0].engine for c in cuts if c is not None)
    assert slow > 5 * quick


ALONE = """
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = snippets.exp %x : tensor<4xf32>
  func.return %0 : tensor<4xf32>
}
"""


@pytest.mark.parametrize(
    ("text", "options", "expected"),
    [
        (PROGRAM.format(8), {}, ["<string>:5:3: kernel: snippets.softplus: a kernel saves"]),
        (PROGRAM.format(8), {"partitioner": "fuse-ops"}, []),
        (ALONE, {}, []),
    ],
)
def test_cuts_of_a_program_in_text(text: str, options: Any, expected: list[str]):
    cuts = snippets_mlir.compile(text, **options).cuts
    assert [line[: len(start)] for line, start in zip(cuts, expected, strict=True)] == expected
