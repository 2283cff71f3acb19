"""`snippets_mlir.torch` without PyTorch, or with an old one: one message."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import ModuleType

import pytest

from snippets_mlir.integrations.torch.load import load_torch
from snippets_mlir.integrations.torch.options import Options
from snippets_mlir.support.errors import CompileError
from snippets_mlir.torch import backend, explain


@pytest.fixture(autouse=True)
def _forgotten() -> Iterator[None]:
    load_torch.cache_clear()
    yield
    load_torch.cache_clear()


def test_absent(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    message = r"PyTorch 2\.13 or newer is needed: pip install snippets-mlir\[torch\]"
    with pytest.raises(CompileError, match=message):
        backend(None, [])
    with pytest.raises(CompileError, match=message):
        explain(abs, 1)


def test_old(monkeypatch: pytest.MonkeyPatch):
    old = ModuleType("torch")
    old.__version__ = "2.9.1+cpu"  # pyright: ignore[reportAttributeAccessIssue]
    monkeypatch.setitem(sys.modules, "torch", old)
    with pytest.raises(CompileError, match=r"is needed, found 2\.9\.1\+cpu"):
        load_torch()


def test_options():
    found = Options.of({"math": "fast", "products": "kernels"})
    assert found == Options(products="kernels", compile={"math": "fast"})
    with pytest.raises(CompileError, match="products is 'torch' or 'kernels', found 'mkl'"):
        Options.of({"products": "mkl"})
