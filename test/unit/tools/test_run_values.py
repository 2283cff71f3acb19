"""Inputs of `snippets-run`, given and drawn, and how results are compared."""

from pathlib import Path

import numpy as np
import pytest

from snippets_mlir.inspect.compare import TOLERANCES, compare
from snippets_mlir.runtime.arguments.arrays import TensorSpec
from snippets_mlir.support.errors import CompileError
from snippets_mlir.tools.run_inputs import (
    make_inputs,
    read_archives,
    read_array,
    read_shape,
    split_pairs,
)
from snippets_mlir.tools.snippets_run import main

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
