"""Models on which a fusion of onnxruntime ends the process are opened without it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest

import snippets_mlir
from snippets_mlir.runtime.engine.opening import open_session
from snippets_mlir.runtime.engine.unsafe_fusions import unsafe_fusions

HEAD = '<ir_version: 8, opset_import: ["" : 20]> g '
BODY = "{ t = Transpose<perm = [1, 0, 2]>(x) y = MatMul(t, w) }"
CAST = "{ t = Transpose<perm = [1, 0, 2]>(x) c = Cast<to = 1>(t) y = MatMul(c, w) }"
LEFT_OUT = ("MatmulTransposeFusion",)

HALVES = f"(float16[3, N, 4] x) => (float16[N, 3, 5] y) <float16[4, 5] w> {BODY}"
INPUT = f"(float16[3, N, 4] x, float[4, 5] w) => (float[N, 3, 5] y) {CAST}"
INTEGERS = f"(int32[3, 2, 4] x, float[4, 5] w) => (float[2, 3, 5] y) {CAST}"
BRANCH = (
    f"(bool b, int32[3, 2, 4] x, float[4, 5] w) => (float[2, 3, 5] z) "
    f"{{ z = If(b) <then_branch = a () => (float[2, 3, 5] y) {CAST}, "
    f"else_branch = e () => (float[2, 3, 5] y) {CAST}> }}"
)
FLOATS = f"(float[3, 2, 4] x, float[4, 5] w) => (float[2, 3, 5] y) {BODY}"
OTHER_CAST = (
    "(float[3, 2, 4] x, float[4, 5] w, int32[2, 3, 5] b) => (float[2, 3, 5] z) "
    "{ t = Transpose<perm = [1, 0, 2]>(x) y = MatMul(t, w) c = Cast<to = 1>(b) z = Add(y, c) }"
)
NO_TRANSPOSE = (
    "(float16[2, 4] x, float[4, 5] w) => (float[2, 5] y) { c = Cast<to = 1>(x) y = MatMul(c, w) }"
)


def made(text: str) -> bytes:
    """The model of a graph; its initializer `w`, if it has one, is filled with 1 (bits 15360)."""
    text = text.replace(
        "<float16[4, 5] w>", "<float16[4, 5] w = {" + ",".join(["15360"] * 20) + "}>"
    )
    return onnx.parser.parse_model(HEAD + text).SerializeToString()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (HALVES, LEFT_OUT),
        (INPUT, LEFT_OUT),
        (INTEGERS, LEFT_OUT),
        (BRANCH, LEFT_OUT),
        (FLOATS, ()),
        (OTHER_CAST, ()),
        (NO_TRANSPOSE, ()),
    ],
)
def test_fusions_are_left_out_where_they_are_unsafe(
    text: str, expected: tuple[str, ...], tmp_path: Path
) -> None:
    data = made(text)
    assert unsafe_fusions(data) == expected
    (tmp_path / "m.onnx").write_bytes(data)
    assert unsafe_fusions(tmp_path / "m.onnx") == expected


def test_what_cannot_be_read_leaves_nothing_out(tmp_path: Path) -> None:
    assert unsafe_fusions(b"MatMul Transpose Cast") == ()
    assert unsafe_fusions(tmp_path / "no file") == ()


@pytest.mark.parametrize("text", [HALVES, INPUT, INTEGERS])
def test_sessions_run(text: str) -> None:
    """onnxruntime's default options end the process when it opens these models."""
    session = open_session(made(text))
    dtype = np.int32 if text is INTEGERS else np.float16
    x = np.arange(24).reshape(3, 2, 4).astype(dtype)
    w = np.ones((4, 5), np.float32)
    (found,) = session([x, w][: len(session.inputs)])
    expected = np.transpose(x, (1, 0, 2)).astype(np.float32) @ w
    np.testing.assert_array_equal(found, expected)


def test_a_model_of_16_bits_compiles() -> None:
    x = np.arange(24).reshape(3, 2, 4).astype(np.float16)
    found = snippets_mlir.compile(onnx.load_from_string(made(HALVES)))(x)
    expected = np.transpose(x, (1, 0, 2)).astype(np.float32) @ np.ones((4, 5), np.float32)
    np.testing.assert_array_equal(found, expected)
