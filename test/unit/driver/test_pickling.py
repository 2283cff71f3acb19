"""Programs are pickled as text, and compiled again, or found in the cache, where they load."""

from __future__ import annotations

import copy
import pickle  # noqa: TID251 - what is pickled is text
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import snippets_mlir
from snippets_mlir.driver.settings import default_context
from snippets_mlir.support.parsing import parse_module

TEXT = """func.func @f(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = snippets.exp %x : tensor<?x4xf32>
  func.return %0 : tensor<?x4xf32>
}"""
X = np.linspace(-2, 2, 12, dtype=np.float32).reshape(3, 4)


def again(program: Any) -> Any:
    return pickle.loads(pickle.dumps(program))


@pytest.mark.parametrize("text", [TEXT, TEXT.replace("?", "3")])
def test_text_with_its_options(text: str) -> None:
    program = snippets_mlir.compile(text, num_threads=1, math="fast")
    for other in (again(program), again(again(program)), copy.copy(program)):
        assert (other.num_threads, type(other)) == (1, type(program))
        np.testing.assert_array_equal(other(X), program(X))


def test_a_file_is_read_again(tmp_path: Path) -> None:
    (file := tmp_path / "f.mlir").write_text(TEXT)
    data = pickle.dumps(snippets_mlir.compile(file))
    np.testing.assert_allclose(pickle.loads(data)(X), np.exp(X), rtol=1e-6)
    file.write_text(TEXT.replace("exp", "abs"))
    np.testing.assert_array_equal(pickle.loads(data)(X), np.abs(X))


def test_what_is_in_memory_is_refused() -> None:
    program = snippets_mlir.compile(parse_module(TEXT, default_context()))
    with pytest.raises(TypeError, match="if it was compiled from text or a file"):
        pickle.dumps(program)
