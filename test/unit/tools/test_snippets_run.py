"""`snippets-run` on ONNX models, its inputs, its errors, and how it compares."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from snippets_mlir.inspect.compare import TOLERANCES, compare
from snippets_mlir.runtime.arrays import TensorSpec
from snippets_mlir.support.errors import CompileError
from snippets_mlir.tools.run_bench import Bench, measure
from snippets_mlir.tools.run_inputs import (
    make_inputs,
    read_archives,
    read_array,
    read_shape,
    split_pairs,
)
from snippets_mlir.tools.snippets_run import main

ROOT = Path(__file__).resolve().parents[3]
F32 = np.dtype(np.float32)
INF, NAN = np.inf, np.nan


def floats(*values: float) -> np.ndarray:
    return np.array(values, np.float32)


@pytest.mark.parametrize(
    ("result", "reference", "ok"),
    [
        (floats(1, -0.0, NAN, INF, -INF), floats(1, 0.0, NAN, INF, -INF), True),
        (floats(1, 1e-9), floats(1, 0), True),
        (floats(1, 1e-3), floats(1, 0), False),
        (floats(NAN), floats(1), False),
        (floats(1), floats(NAN), False),
        (floats(INF), floats(-INF), False),
        (floats(INF), floats(3e38), False),
        (floats(1e-20), floats(0), False),
        (floats(), floats(), True),
        (np.float32(2).reshape(()), np.float32(2).reshape(()), True),
        (floats(1), floats(1, 2), False),
        (floats(1), np.array([1.0]), False),
        (np.array([2**53 + 1]), np.array([2**53]), False),
        (np.array([True, False]), np.array([True, True]), False),
        (np.array([-3, 4]), np.array([-3, 4]), True),
    ],
)
def test_comparison(result: np.ndarray, reference: np.ndarray, ok: bool):
    assert compare(result, reference).ok is ok


def test_errors_are_measured():
    difference = compare(floats(1, 2.5), floats(1, 2))
    assert difference.max_abs == 0.5
    assert difference.max_rel == pytest.approx(0.5 / (2 + 1.5))
    assert not difference.ok
    assert compare(floats(1, 2.5), floats(1, 2), 0.2).ok
    assert compare(np.array([1, 9]), np.array([1, 2])).max_abs == 7
    assert set(TOLERANCES) == {"float64", "float32", "float16", "bfloat16"}


def test_random_inputs_are_seeded_and_fit():
    specs = [
        TensorSpec("x", (2, None), F32),
        TensorSpec("n", (50,), np.dtype(np.int64)),
        TensorSpec("u", (50,), np.dtype(np.uint8)),
        TensorSpec("b", (50,), np.dtype(np.bool_)),
        TensorSpec("s", (), np.dtype(np.float64)),
        TensorSpec("e", (0, 3), F32),
    ]
    first = make_inputs(specs, {}, {"x": "2x7"}, 1, indices=False)
    again = make_inputs(specs, {}, {"x": "2x7"}, 1, indices=False)
    other = make_inputs(specs, {}, {}, 2, indices=True)
    for spec, a, b in zip(specs, first, again, strict=True):
        assert a.dtype == spec.dtype
        np.testing.assert_array_equal(a, b, strict=True)
    assert [a.shape for a in first] == [(2, 7), (50,), (50,), (50,), (), (0, 3)]
    assert first[1].min() < 0
    assert other[0].shape == (2, 1)
    assert other[1].min() >= 0


def test_inputs_that_are_wrong(tmp_path: Path):
    spec = TensorSpec("x", (2, None), F32)
    with pytest.raises(CompileError, match="--shape expects NAME=2x3, found 'x=2xa'"):
        read_shape("x", "2xa", spec)
    with pytest.raises(CompileError, match="--shape: 3x4 does not fit input x: 2x"):
        read_shape("x", "3x4", spec)
    with pytest.raises(CompileError, match="--input expects NAME=VALUE, found 'x='"):
        split_pairs("--input", ["x="], ["x"])
    assert split_pairs("--input", ["a=b=c.npy"], ["a=b"]) == {"a=b": "c.npy"}
    with pytest.raises(CompileError, match="cannot read it"):
        read_array("x", str(tmp_path / "missing.npy"))
    np.savez(tmp_path / "two.npz", a=np.zeros(1))
    with pytest.raises(CompileError, match="found an archive"):
        read_array("x", str(tmp_path / "two.npz"))
    np.save(tmp_path / "objects.npy", np.array([{}]), allow_pickle=True)
    with pytest.raises(CompileError, match=r"not an \.npy file"):
        read_array("x", str(tmp_path / "objects.npy"))


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


def test_archives_of_inputs(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """What `--dump-tensors` writes gives the same results; names may be any, bfloat16 is known."""
    (tmp_path / "model.mlir").write_text(
        """
        func.func @main(%x: tensor<4xbf16> {snippets.name = "file"},
            %y: tensor<4xi1> {snippets.name = "a/b:0"}) -> tensor<4xbf16> {
          %z = snippets.constant dense<0.0> : tensor<4xbf16>
          %0 = snippets.select %y, %x, %z
            : (tensor<4xi1>, tensor<4xbf16>, tensor<4xbf16>) -> tensor<4xbf16>
          func.return %0 : tensor<4xbf16>
        }
        """
    )
    model, archive = str(tmp_path / "model.mlir"), f"{tmp_path}/t/inputs.npz"
    first, again = f"{tmp_path}/first", f"{tmp_path}/again"
    dumped = [f"--dump-tensors={tmp_path}/t", f"--output-dir={first}", "--seed=3"]
    assert main([model, *dumped]) == 0
    assert sorted(np.load(archive)) == ["a/b:0", "file"]
    assert main([model, "--input", archive, f"--output-dir={again}", "--verify"]) == 0
    assert Path(first, "out0.npy").read_bytes() == Path(again, "out0.npy").read_bytes()
    # The file of an input comes before that of an archive.
    np.save(tmp_path / "y.npy", np.zeros(4, bool))
    one = ["--input", f"a/b:0={tmp_path}/y.npy", "--input", archive, f"--output-dir={again}"]
    assert main([model, *one]) == 0
    assert not np.load(f"{again}/out0.npy").view(np.uint16).any()
    capsys.readouterr()
    np.savez(tmp_path / "wrong.npz", fil=np.zeros(4))
    (tmp_path / "text.npz").write_text("no archive")
    for file, message in (
        ("wrong.npz", f"error: --input {tmp_path}/wrong.npz: no input 'fil'; did you mean 'file'?"),
        ("text.npz", "text.npz: error: not an .npz file: "),
        ("gone.npz", "gone.npz: error: cannot read it: No such file or directory"),
    ):
        assert main([model, "--input", str(tmp_path / file)]) == 1
        assert message in capsys.readouterr().err
    with pytest.raises(CompileError, match=r"expects NAME=VALUE, found 'x\.np'"):
        split_pairs("--input", read_archives(["x.np"], ["x"])[0], ["x"])


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
