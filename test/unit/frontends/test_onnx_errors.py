"""Models that are wrong are one CompileError each, never a traceback of another kind."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper
from onnx_models import model, save, value

from snippets_mlir.frontends.onnx import import_model
from snippets_mlir.support.errors import CompileError


def relu(source: str, target: str) -> onnx.NodeProto:
    return helper.make_node("Relu", [source], [target])


def refuse(made: onnx.ModelProto, message: str) -> None:
    with pytest.raises(CompileError, match=message):
        import_model(made)


def test_cyclic_graph():
    made = model([relu("x", "y")], [value("x", [2])], ["y"])
    del made.graph.node[:]
    made.graph.node.extend([relu("b", "a"), relu("a", "b"), relu("a", "y")])
    refuse(made, "not a valid ONNX model: .*topologically sorted")


def test_dangling_input_of_a_node():
    made = model([relu("x", "y")], [value("x", [2])], ["y"])
    made.graph.node[0].input[0] = "nowhere"
    refuse(made, "not a valid ONNX model: .*nowhere")


def test_dangling_output():
    made = model([relu("x", "y")], [value("x", [2])], ["y"])
    made.graph.output[0].name = "nowhere"
    refuse(made, "output 'nowhere'")


def test_value_defined_twice():
    made = model([relu("x", "y"), relu("x", "y")], [value("x", [2])], ["y"])
    refuse(made, "not a valid ONNX model: .*single static assignment")


def test_operator_that_the_standard_domain_lacks():
    node = helper.make_node("NoSuchOperator", ["x"], ["y"])
    refuse(model([node], [value("x", [2])], [value("y", [2])]), "NoSuchOperator")


def test_missing_attribute():
    node = helper.make_node("Cast", ["x"], ["y"])
    refuse(model([node], [value("x", [2])], [value("y", [2])]), "to")


def test_shapes_that_do_not_broadcast():
    node = helper.make_node("Add", ["x", "w"], ["y"], name="sum")
    inputs = [value("x", [2]), value("w", [3])]
    refuse(
        model([node], inputs, [value("y", [3])]), "node Add 'sum': C4: .* do not broadcast: 2, 3"
    )


def test_declared_shape_that_the_operator_contradicts():
    made = model([relu("x", "y")], [value("x", [2])], [value("y", [2])])
    made.graph.output[0].type.tensor_type.shape.dim[0].dim_value = 7
    refuse(made, "node Relu: the model says that 'y' has shape 7, its operator gives 2")


def test_model_without_a_graph():
    refuse(onnx.ModelProto(ir_version=8), "it has no graph")


def test_newer_format():
    made = model([relu("x", "y")], [value("x", [2])], ["y"])
    made.ir_version = 1000
    refuse(made, "not a valid ONNX model: .*1000")


def test_initializer_with_too_few_bytes():
    node = helper.make_node("Add", ["x", "w"], ["y"])
    made = model([node], [value("x", [2])], ["y"], {"w": np.ones(2, np.float32)})
    made.graph.initializer[0].raw_data = b"\0\0\0\0"
    refuse(made, "w")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "the file is empty"),
        (b"\xff\xfe\x00\x01random bytes", "does not decode"),
        (bytes(range(256)) * 8, "does not decode|not a"),
    ],
)
def test_file_that_is_no_model(tmp_path: Path, data: bytes, message: str):
    path = tmp_path / "m.onnx"
    path.write_bytes(data)
    with pytest.raises(CompileError, match=message) as raised:
        import_model(path)
    assert raised.value.file == str(path)


def test_file_cut_anywhere(tmp_path: Path):
    node = helper.make_node("Add", ["x", "w"], ["y"])
    made = model([node], [value("x", [4])], ["y"], {"w": np.ones(4, np.float32)})
    data = made.SerializeToString()
    path = tmp_path / "m.onnx"
    for length in range(0, len(data) - 1):
        path.write_bytes(data[:length])
        try:
            import_model(path)
        except CompileError:
            continue
        assert length > len(data) - 20, "only the list of opsets may be lost unseen"


def test_file_that_does_not_exist_or_is_a_folder(tmp_path: Path):
    with pytest.raises(CompileError, match="does not exist"):
        import_model(tmp_path / "none.onnx")
    with pytest.raises(CompileError, match="cannot read"):
        import_model(tmp_path)


def test_missing_external_data(tmp_path: Path):
    node = helper.make_node("Add", ["x", "w"], ["y"])
    made = model([node], [value("x", [400])], ["y"], {"w": np.ones(400, np.float32)})
    path = tmp_path / "m.onnx"
    save(made, path, external="w.bin")
    import_model(path)
    (tmp_path / "w.bin").unlink()
    with pytest.raises(CompileError, match=r"w\.bin"):
        import_model(path)


def test_name_that_is_not_utf8(tmp_path: Path):
    made = model([relu("input", "y")], [value("input", [2])], ["y"])
    path = tmp_path / "m.onnx"
    path.write_bytes(made.SerializeToString().replace(b"input", b"in\xff\xfet"))
    with pytest.raises(CompileError, match=r"not UTF-8|not a valid ONNX model|does not decode"):
        import_model(path)


def test_attribute_that_is_not_utf8_stays_in_the_node():
    node = helper.make_node("BitShift", ["x", "x"], ["y"], direction=b"\xff")
    made = model([node], [value("x", [2], np.uint32)], [value("y", [2], np.uint32)])
    assert "onnx.proto" in str(import_model(made))


def test_opset_version_out_of_range():
    made = model([relu("x", "y")], [value("x", [2])], ["y"])
    made.opset_import[0].version = 2**40
    try:
        text = str(import_model(made))
    except CompileError:
        return
    assert "is newer than" in text
