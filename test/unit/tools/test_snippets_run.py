"""`snippets-run` on ONNX models: what it says of models, graphs, arrays and files."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from snippets_mlir.tools.run_bench import Bench, measure
from snippets_mlir.tools.snippets_run import main

ROOT = Path(__file__).resolve().parents[3]


def test_bench_calls_both():
    calls: list[str] = []
    bench = measure(lambda: calls.append("ours"), lambda: calls.append("peer"), "x", most=4)
    assert calls.count("ours") == calls.count("peer") + 1 == bench.runs + 2
    assert Bench(2.0, 5.0, "numpy", 3).speedup == 2.5
    assert "2.50x as fast (3 runs" in str(Bench(2.0, 5.0, "numpy", 3))


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(arguments)
    out, err = capsys.readouterr()
    return code, out, err


@pytest.mark.usefixtures("foreign_products")
def test_an_onnx_model_is_verified(capsys: pytest.CaptureFixture[str]):
    path = str(ROOT / "docs" / "examples" / "mlp.onnx")
    code, out, err = run(
        capsys, path, "--verify", "--bench", "--json", "--shape", "x=5x32", "--mark-skipped=none"
    )
    assert (code, err) == (0, "")
    result: dict[str, Any] = json.loads(out)
    (output,) = result["outputs"]
    assert output["name"] == "probabilities"
    assert output["shape"] == [5, 10]
    assert output["ok"] is True
    assert output["max_rel"] < 1e-5
    assert "snippets.erf" in [op for kernel in result["kernels"] for op in kernel["ops"]]
    assert "onnx.MatMul" in {op["op"] for op in result["opaque"]}
    assert all(op["reason"] for op in result["opaque"])
    assert result["bench"]["peer"] == "onnxruntime"
    assert result["bench"]["ms"] > 0


def test_a_mismatch_is_exit_code_1(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    from snippets_mlir.inspect import compare as module

    def wrong(*_: object) -> list[np.ndarray]:
        return [np.full((16, 8), np.nan, np.float32)]

    monkeypatch.setattr(module, "interpreter_results", wrong)
    path = str(ROOT / "docs" / "examples" / "opaque.mlir")
    code, out, _ = run(capsys, path, "--verify")
    assert code == 1
    assert "y: 16x8 float32 max_abs=inf max_rel=inf MISMATCH" in out
    code, out, _ = run(capsys, path, "--verify", "--json")
    assert code == 1
    output = json.loads(out)["outputs"][0]
    assert (output["max_abs"], output["ok"]) == (None, False)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("empty.onnx", b""),
        ("random.onnx", bytes(range(256)) * 3),
        ("text.onnx", b"func.func @main() { func.return }"),
        ("empty.mlir", b""),
        ("random.mlir", bytes(range(256))),
    ],
)
def test_bad_files_are_one_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str, content: bytes
):
    path = tmp_path / name
    path.write_bytes(content)
    code, out, err = run(capsys, str(path))
    assert (code, out) == (1, "")
    assert err.startswith(str(path))
    assert ": error: " in err
    assert err.count("\n") == 1


def graph_file(path: Path, nodes: list[onnx.NodeProto], domain: str = "") -> str:
    value = helper.make_tensor_value_info
    graph = helper.make_graph(
        nodes, "g", [value("x", TensorProto.FLOAT, [2])], [value("y", TensorProto.FLOAT, [2])]
    )
    opsets = [helper.make_opsetid("", 13)]
    opsets += [helper.make_opsetid(domain, 1)] if domain else []
    model = helper.make_model(graph, opset_imports=opsets, ir_version=8)
    path.write_bytes(model.SerializeToString())
    return str(path)


def test_bad_graphs_are_one_line(capsys: pytest.CaptureFixture[str], tmp_path: Path):
    node = helper.make_node
    cyclic = [node("Add", ["x", "b"], ["a"]), node("Relu", ["a"], ["b"]), node("Abs", ["a"], ["y"])]
    graphs = {
        "cyclic": graph_file(tmp_path / "cyclic.onnx", cyclic),
        "dangling": graph_file(tmp_path / "dangling.onnx", [node("Add", ["x", "gone"], ["y"])]),
        "domain": graph_file(
            tmp_path / "domain.onnx", [node("Magic", ["x"], ["y"], domain="com.acme")], "com.acme"
        ),
    }
    for path in graphs.values():
        code, out, err = run(capsys, path)
        assert (code, out) == (1, "")
        assert "error: " in err
        assert err.count("\n") == 1


def test_missing_external_data_is_one_line(capsys: pytest.CaptureFixture[str], tmp_path: Path):
    weight = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[2])
    weight.data_location = TensorProto.EXTERNAL
    weight.external_data.add(key="location", value="gone.bin")
    value = helper.make_tensor_value_info
    graph = helper.make_graph(
        [helper.make_node("Add", ["x", "w"], ["y"])],
        "g",
        [value("x", TensorProto.FLOAT, [2])],
        [value("y", TensorProto.FLOAT, [2])],
        [weight],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    path = tmp_path / "external.onnx"
    path.write_bytes(model.SerializeToString())
    code, _, err = run(capsys, str(path))
    assert code == 1
    assert "gone.bin" in err
    assert err.count("\n") == 1


def test_inputs_of_nan_and_no_elements(capsys: pytest.CaptureFixture[str], tmp_path: Path):
    np.save(tmp_path / "x.npy", np.full((33, 17), np.nan, np.float32))
    path = str(ROOT / "docs" / "examples" / "two_outputs.mlir")
    code, out, _ = run(capsys, path, "--verify", "--input", f"x={tmp_path / 'x.npy'}")
    assert (code, out.count(" ok\n")) == (0, 2)
    dynamic = str(ROOT / "docs" / "examples" / "dynamic.mlir")
    code, out, _ = run(capsys, dynamic, "--verify", "--shape", "x=0x64")
    assert (code, out) == (0, "y: 0x64 float32 max_abs=0 max_rel=0 ok\n")


def test_a_wrong_input_file_names_the_input(capsys: pytest.CaptureFixture[str], tmp_path: Path):
    np.save(tmp_path / "x.npy", np.zeros((33, 17)))
    path = str(ROOT / "docs" / "examples" / "two_outputs.mlir")
    code, _, err = run(capsys, path, "--input", f"x={tmp_path / 'x.npy'}")
    assert (code, err) == (1, "error: input 'x': expected float32, found float64\n")


def test_arrays_that_onnxruntime_refuses(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """An index out of range is one line, no traceback."""
    (tmp_path / "model.mlir").write_text(
        """
        func.func @main(%x: tensor<4xf32>, %i: tensor<1xi64> {snippets.name = "i"})
            -> tensor<1xf32> {
          %0 = onnx.node "Gather"(%x, %i) {domain = "", version = 13 : i64}
            : (tensor<4xf32>, tensor<1xi64>) -> tensor<1xf32>
          func.return %0 : tensor<1xf32>
        }
        """
    )
    np.save(tmp_path / "i.npy", np.array([9]))
    assert main([str(tmp_path / "model.mlir"), f"--input=i={tmp_path}/i.npy"]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("error: onnxruntime: ")
