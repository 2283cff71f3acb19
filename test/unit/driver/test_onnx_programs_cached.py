"""ONNX models that are one session are kept in the cache."""

from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest
from cut_models import between_products, check
from onnx import helper
from onnx_models import model, value

import snippets_mlir
from snippets_mlir.codegen.cache import write_entry
from snippets_mlir.driver.cache import stored
from snippets_mlir.driver.cache.program_cache import program_key
from snippets_mlir.driver.cache.sealed import sealed
from snippets_mlir.driver.cache.storing import finish
from snippets_mlir.runtime.arguments.arrays import dtype_from_name

pytestmark = pytest.mark.usefixtures("foreign_products")


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of the test's own."""
    monkeypatch.setenv("SNIPPETS_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(stored, "program_key", program_key)
    return tmp_path / "cache" / "programs"


def test_models_that_are_one_session_are_cached(cache: Path):
    made = between_products()
    first = snippets_mlir.compile(made)
    check(first, made, (3, 64))  # the first call decides
    assert first.from_cache is None
    for source in (made, made.SerializeToString(deterministic=True)):
        again = snippets_mlir.compile(source)
        assert again.from_cache == "session"
        assert (again.inputs, again.outputs) == (first.inputs, first.outputs)
        assert again.opaque == first.opaque
        assert again.kernels == ()
        for rows in (1, 3, 12):  # no larger than four times the first call
            check(again, made, (rows, 64))
        with pytest.raises(ValueError, match=r"input 'x': expected rank 2"):
            again(np.zeros(64, np.float32))
        strided = np.ones((6, 64), np.float32)[::2]
        np.testing.assert_array_equal(again(strided), again(strided.copy()))
        assert "onnx.node" in again.ir("graph")
        assert again.compiled_times == 0


@pytest.mark.parametrize("rows", [3, "n"])
def test_halves_have_the_bits_of_onnxruntime(rows: int | str, cache: Path, tmp_path: Path):
    """In the process that plans the model, and in those that find it in the cache."""
    half = dtype_from_name("float16")
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["a"], pads=[1, 1, 1, 1]),
        helper.make_node("Transpose", ["a"], ["b"], perm=[0, 2, 1, 3]),  # onnxruntime moves halves
        helper.make_node("LpNormalization", ["b"], ["n"]),
        helper.make_node("Transpose", ["n"], ["c"], perm=[0, 2, 1, 3]),
        helper.make_node("Conv", ["c", "w"], ["y"]),
    ]
    weights = {"w": (np.linspace(-1, 1, 576).reshape(8, 8, 3, 3) % 0.37).astype(half)}
    io = [value("x", [rows, 8, 9, 9], half)], [value("y", [rows, 8, 7, 7], half)]
    path = tmp_path / "halves.onnx"
    path.write_bytes(model(nodes, *io, weights).SerializeToString())
    x = np.sin(np.arange(3 * 648, dtype=np.float32)).reshape(3, 8, 9, 9).astype(half)
    found = snippets_mlir.compile(path)(x)
    finish()
    again = snippets_mlir.compile(path)
    assert again.from_cache == "session"
    np.testing.assert_array_equal(again(x), found)
    session: Any = onnxruntime.InferenceSession(path)
    np.testing.assert_array_equal(session.run(None, {"x": x})[0], found)


@pytest.mark.parametrize(("element", "found"), [("float16", "session"), ("bfloat16", None)])
def test_models_of_halves_are_cached_if_onnxruntime_runs_them(
    element: str, found: str | None, cache: Path
):
    """All processes run the f16 model of the caller, which computes in f32, too."""
    dtype = dtype_from_name(element)
    made = model(
        [helper.make_node("LpNormalization", ["x"], ["y"])],
        [value("x", [3, 4], dtype)],
        [value("y", [3, 4], dtype)],
    )
    x = np.linspace(-3, 9, 12).reshape(3, 4).astype(dtype)
    x[0, 0], x[0, 1] = np.nan, np.inf
    first = snippets_mlir.compile(made)
    assert (first.from_cache, first.kernels) == (None, ())
    wanted = np.asarray(first(x), np.float32)
    finish()
    again = snippets_mlir.compile(made)
    assert again.from_cache == found
    np.testing.assert_array_equal(np.asarray(again(x), np.float32), wanted)


def test_large_files_are_told_by_their_identity(cache: Path, tmp_path: Path):
    path, made = tmp_path / "m.onnx", between_products(1, 900)
    made.doc_string = "large" * (1 << 18)
    path.write_bytes(made.SerializeToString())
    assert path.stat().st_size > 1 << 20
    assert snippets_mlir.compile(path).from_cache is None
    again = snippets_mlir.compile(str(path))
    assert again.from_cache == "session"
    check(again, made, (1, 64))
    other = between_products(3, 5000)
    path.write_bytes(other.SerializeToString())
    m = snippets_mlir.compile(path)
    assert m.from_cache is None
    check(m, other, (3, 64))


def _with_length(text: bytes) -> bytes:
    return len(text).to_bytes(8, "little") + text


@pytest.mark.parametrize(
    "data",
    [
        b"SNPE",
        sealed(b"SNPE", _with_length(b"[]")),
        sealed(b"SNPE", _with_length(b"{}")),
        b"SNPE" + bytes(32) + _with_length(b"{}"),
        sealed(
            b"SNPE",
            _with_length(
                b'{"entry":"main","inputs":[],"outputs":[{"name":"y","shape":[-1],"dtype":"x"}],"opaque":[]}'
            ),
        ),
        sealed(b"SNPE", _with_length(b"[" * 5000)),
    ],
)
def test_entries_of_sessions_that_are_foreign(cache: Path, data: bytes):
    made = between_products(2)
    snippets_mlir.compile(made)
    finish()
    (path,) = cache.iterdir()
    write_entry(path, data)
    m = snippets_mlir.compile(made)
    assert m.from_cache is None
    check(m, made, (2, 64))
