"""Constants by reference: the three kinds of file, and files that are missing or not the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import numpy_helper
from onnx_models import save
from xdsl.dialects.builtin import f32

from snippets_mlir.dialects.snippets.attributes import ResourceAttr
from snippets_mlir.dialects.snippets.resources import digest, load_resource
from snippets_mlir.support.errors import CompileError

W = np.arange(400, dtype=np.float32).reshape(20, 20)


def resource(path: Path, key: str = "w", sha256: str | None = None) -> ResourceAttr:
    return ResourceAttr.of(str(path), key, sha256 or digest(W))


def save_model(path: Path, *, external: bool = False) -> Path:
    graph = onnx.GraphProto(name="g", initializer=[numpy_helper.from_array(W, "w")])
    save(onnx.helper.make_model(graph), path, external="d.bin" if external else None)
    return path


@pytest.mark.parametrize("kind", ["npy", "npz", "onnx", "external"])
def test_every_kind_of_file(tmp_path: Path, kind: str):
    path = tmp_path / "f.onnx"
    if kind == "npy":
        path = tmp_path / "f.npy"
        np.save(path, W)
    elif kind == "npz":
        path = tmp_path / "f.npz"
        np.savez(path, w=W)
    else:
        save_model(path, external=kind == "external")
    found = load_resource(resource(path))
    assert found.dtype == W.dtype
    np.testing.assert_array_equal(found, W)


def test_a_constant_in_a_wider_type(tmp_path: Path):
    stored = W.astype(np.float16)
    np.save(tmp_path / "f.npy", stored)
    found = load_resource(ResourceAttr.of(str(tmp_path / "f.npy"), "", digest(stored), f32))
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, W)


@pytest.mark.parametrize("array", [W[:, ::2], W.T, W.astype(">f4"), W[:0], W[0, 0].reshape(())])
def test_layout_and_byte_order_do_not_count(tmp_path: Path, array: np.ndarray):
    np.save(tmp_path / "f.npy", array)
    expected = np.ascontiguousarray(array.astype("<f4"))
    found = load_resource(
        resource(tmp_path / "f.npy", sha256=digest(expected.reshape(array.shape)))
    )
    assert found.shape == array.shape
    assert found.dtype == np.dtype("<f4")
    np.testing.assert_array_equal(found, array)


def refused(attr: ResourceAttr, message: str) -> None:
    with pytest.raises(CompileError, match=message):
        load_resource(attr)


def test_missing_file_key_and_kind(tmp_path: Path):
    refused(resource(tmp_path / "f.npy"), "does not exist; its name is relative to the working")
    refused(resource(tmp_path / "f.bin"), r"expected a file of one of: \.onnx, \.npy, \.npz")
    refused(resource(save_model(tmp_path / "f.onnx"), "v"), "holds no constant 'v'")
    np.savez(tmp_path / "f.npz", w=W)
    refused(resource(tmp_path / "f.npz", "v"), "holds no constant 'v'")


def test_file_that_changed(tmp_path: Path):
    np.save(tmp_path / "f.npy", W)
    attr = resource(tmp_path / "f.npy")
    load_resource(attr)
    np.save(tmp_path / "f.npy", W + 1)
    refused(attr, "is not the one that the program was made from: expected sha256")


def test_damaged_files(tmp_path: Path):
    for name in ("f.npy", "f.npz", "f.onnx"):
        for data in (b"", b"\xff\x01 damaged", bytes(range(256))):
            (tmp_path / name).write_bytes(data)
            refused(resource(tmp_path / name), "cannot read|is not an ONNX model|holds no constant")


def test_arrays_of_objects_are_not_loaded(tmp_path: Path):
    np.save(tmp_path / "f.npy", np.array([{}], object), allow_pickle=True)
    refused(resource(tmp_path / "f.npy"), "cannot read")


def test_missing_external_data(tmp_path: Path):
    path = save_model(tmp_path / "f.onnx", external=True)
    (tmp_path / "d.bin").unlink()
    refused(resource(path), "cannot read the constant 'w'")
