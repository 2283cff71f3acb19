"""Tensors whose data is in a file beside the model: found, checked, and read when asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import onnx
import pytest
from onnx import TensorProto, numpy_helper

from snippets_mlir.dialects.onnx.tensors import elements_of, located, with_data
from snippets_mlir.support.errors import CompileError

BEFORE = 12
"""Bytes of the file before the data."""


def external(array: Any, folder: Path, **facts: object) -> onnx.TensorProto:
    """A tensor with the data of `array` in a file, of which it says `facts` (None: nothing)."""
    tensor = numpy_helper.from_array(array, "w")
    (folder / "w.bin").write_bytes(bytes(BEFORE) + tensor.raw_data)
    told = {"location": "w.bin", "offset": BEFORE, "length": len(tensor.raw_data)} | facts
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    for key, value in told.items():
        if value is not None:
            tensor.external_data.append(onnx.StringStringEntryProto(key=key, value=str(value)))
    return tensor


ARRAYS: list[Any] = [
    np.array([[1.5, -0.0, np.inf], [np.nan, 3, 4]], np.float32),
    np.arange(6, dtype=np.float16),
    np.array(2.5),
    np.array([2**62, -1]),
    np.array([True, False, True]),
    np.array([1 + 2j], np.complex64),
    np.zeros((0, 3), np.float32),
    np.array([1.5, -2], ml_dtypes.bfloat16),
    np.array([1, -2, 7], ml_dtypes.int4),
]


@pytest.mark.parametrize("array", ARRAYS, ids=lambda a: f"{a.dtype}-{a.ndim}")
@pytest.mark.parametrize("length", [True, False])
def test_elements_are_those_of_the_file(array: Any, length: bool, tmp_path: Path) -> None:
    tensor = external(array, tmp_path, **({} if length else {"length": None}))
    before = tensor.SerializeToString()
    found = located(tensor, str(tmp_path))
    assert not found.raw_data or array.dtype.kind == "V" or not array.size
    for elements in (elements_of(found), numpy_helper.to_array(with_data(found))):
        assert (elements.dtype, elements.shape) == (array.dtype, array.shape)
        assert elements.tobytes() == array.tobytes()
    assert tensor.SerializeToString() == before


def test_a_tensor_with_its_data_is_located() -> None:
    tensor = numpy_helper.from_array(np.ones(3, np.float32), "w")
    assert located(tensor, "nowhere") is tensor
    assert with_data(tensor) is tensor
    assert elements_of(tensor).tolist() == [1, 1, 1]


def test_the_folder_may_be_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found = located(external(np.arange(4), tmp_path), "")
    monkeypatch.chdir("/")
    assert elements_of(found).tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        ({"location": "gone.bin"}, r"gone\.bin"),
        ({"location": "../w.bin"}, r"\.\./w\.bin"),
        ({"location": "/etc/hostname"}, "absolute|outside|relative"),
        ({"location": ""}, "empty|not regular file"),
        ({"offset": 1000}, "1000|0 bytes|found"),
        ({"offset": -4}, "-4|negative"),
        ({"offset": "x"}, "'x'"),
        ({"offset": BEFORE + 4}, "expected 16 bytes in .* from byte 16 on, found 12"),
        ({"offset": BEFORE - 4, "length": None}, "expected 16 bytes .* found 20"),
        ({"length": 12}, "expected 16 bytes .* found 12"),
        ({"length": 20}, "expected 16 bytes .* found 16"),
    ],
)
def test_files_that_are_not_right_are_refused(
    facts: dict[str, object], message: str, tmp_path: Path
) -> None:
    inside = tmp_path / "model"
    inside.mkdir()
    tensor = external(np.arange(4, dtype=np.float32), inside, **facts)
    (tmp_path / "w.bin").write_bytes(bytes(64))
    with pytest.raises(CompileError, match=f"^cannot read the initializer 'w': .*({message})"):
        located(tensor, str(inside))


@pytest.mark.parametrize("size", [None, 0, BEFORE + 15])
def test_a_file_that_has_changed_is_an_error(size: int | None, tmp_path: Path) -> None:
    found = located(external(np.arange(4, dtype=np.float32), tmp_path), str(tmp_path))
    (tmp_path / "w.bin").unlink()
    if size is not None:
        (tmp_path / "w.bin").write_bytes(bytes(size))
    for read in (elements_of, with_data):
        with pytest.raises(CompileError, match=r"^cannot read the initializer 'w': "):
            read(found)
