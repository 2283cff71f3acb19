"""Programs with kernels inside of a session, from the cache on disk."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from image_models import GATED, HARD_SWISH, between_convolutions
from onnx import TensorProto, numpy_helper
from onnx_models import save

import snippets_mlir
from snippets_mlir.codegen.cache import read_entry, write_entry
from snippets_mlir.driver.cache import stored, storing
from snippets_mlir.driver.cache.inside_entry import MAGIC, read_inside
from snippets_mlir.driver.cache.program_cache import program_key
from snippets_mlir.driver.cache.sealed import sealed, unsealed

LOADS = """
import sys
import numpy as np
import snippets_mlir
m = snippets_mlir.compile(sys.argv[1], num_threads=2)
print(m.from_cache, len(m.kernels), [n for n in sys.modules if n.startswith("xdsl")][:3])
np.save(sys.argv[2], m(np.load(sys.argv[3])))
"""


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of programs of a cache of the test's own."""
    monkeypatch.setenv("SNIPPETS_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(stored, "program_key", program_key)
    return tmp_path / "cache" / "programs"


def image() -> np.ndarray:
    return np.random.default_rng(3).normal(0, 1, (2, 3, 40, 40)).astype(np.float32)


@pytest.mark.parametrize("channels", [24, 600])  # in the entry; in a file beside it
def test_second_process(programs: Path, tmp_path: Path, channels: int) -> None:
    path = tmp_path / "m.onnx"
    path.write_bytes(between_convolutions(GATED, channels).SerializeToString())
    compiled = snippets_mlir.compile(str(path), num_threads=2)
    wanted = compiled(image())
    files = [tmp_path / "out.npy", tmp_path / "in.npy"]
    np.save(files[1], image())
    told = subprocess.run(
        [sys.executable, "-c", LOADS, path, *files], capture_output=True, text=True, check=True
    )
    assert told.stdout == "session 1 []\n"
    np.testing.assert_array_equal(np.load(files[0]), wanted)


def test_halves(programs: Path) -> None:
    """Kernels inside of a model of f16 are kept, too."""
    made = between_convolutions(GATED, 24)
    for tensor in made.graph.initializer:
        if tensor.data_type == TensorProto.FLOAT:
            half = numpy_helper.to_array(tensor).astype(np.float16)
            tensor.CopyFrom(numpy_helper.from_array(half, tensor.name))
    for info in (*made.graph.input, *made.graph.output):
        info.type.tensor_type.elem_type = TensorProto.FLOAT16
    x = image().astype(np.float16)
    first = snippets_mlir.compile(made, num_threads=2)
    wanted = first(x)
    storing.finish()
    again = snippets_mlir.compile(made, num_threads=2)
    assert again.from_cache == "session"
    assert len(again.kernels) == len(first.kernels) == 1
    np.testing.assert_array_equal(again(x), wanted)


@pytest.mark.parametrize("later", [0, 1 << 60])  # written after `compile`; before it returns
def test_ir_of_a_program_from_the_cache(
    programs: Path, later: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(storing, "LATER", later)
    model = between_convolutions(HARD_SWISH)
    first = snippets_mlir.compile(model, num_threads=2)
    first(image())
    second = snippets_mlir.compile(model, num_threads=2)
    assert second.from_cache == "session"
    assert second.kernels[0].ir("lir") == first.kernels[0].ir("lir")
    assert second.cuts == first.cuts
    assert second.opaque == first.opaque
    np.testing.assert_array_equal(second(image()), first(image()))


def test_entries_that_are_damaged(programs: Path) -> None:
    model = between_convolutions(HARD_SWISH)
    wanted = snippets_mlir.compile(model, num_threads=2)(image())
    storing.finish()
    (path,) = programs.iterdir()
    raw = read_entry(path)
    assert raw is not None
    assert read_inside(raw) is not None
    body = unsealed(MAGIC, raw)
    for wrong in (
        raw[:-1],
        sealed(MAGIC, body[:-7]),
        sealed(MAGIC, body.replace(b'"subgraph_0"', b'"subgraph_9"')),
        sealed(MAGIC, body.replace(b'"grain":', b'"grown":')),
        sealed(MAGIC, body.replace(b'"made_for": "', b'"made_for": "0')),
        sealed(MAGIC, b""),
    ):
        assert read_inside(wrong) is None
        storing.finish()
        write_entry(path, wrong)
        again = snippets_mlir.compile(model, num_threads=2)
        assert again.from_cache is None
        np.testing.assert_array_equal(again(image()), wanted)


def test_data_in_another_file(programs: Path, tmp_path: Path) -> None:
    """The optimized model has the data inside: it is opened from memory, and from the cache."""
    made, path = between_convolutions(GATED), tmp_path / "m.onnx"
    inside = snippets_mlir.compile(made, num_threads=2)
    wanted = inside(image())
    save(made, path, external="m.onnx.data")
    for from_cache in (None, "session"):
        compiled = snippets_mlir.compile(path, num_threads=2)
        assert compiled.from_cache == from_cache
        assert len(compiled.kernels) == len(inside.kernels) == 1
        np.testing.assert_array_equal(compiled(image()), wanted)
        storing.finish()
    (tmp_path / "m.onnx.data").unlink()
    with pytest.raises(snippets_mlir.CompileError, match=r"m\.onnx\.data"):
        snippets_mlir.compile(path, num_threads=2)
