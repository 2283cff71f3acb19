"""`snippets_mlir.jax` without JAX, with an old one, or with a jaxlib that does not fit."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from snippets_mlir.integrations import jax_package
from snippets_mlir.jax import jit, kernel
from snippets_mlir.support.errors import CompileError


@pytest.fixture(autouse=True)
def _forgotten() -> Iterator[None]:
    jax_package.imported.cache_clear()
    yield
    jax_package.imported.cache_clear()


def test_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jax", None)
    for make in (jit, kernel):
        with pytest.raises(CompileError, match=r"JAX 0\.7 or newer is needed: pip install"):
            make(abs)


def test_old(monkeypatch: pytest.MonkeyPatch) -> None:
    old = ModuleType("jax")
    old.__version__ = "0.6.2"  # pyright: ignore[reportAttributeAccessIssue]
    monkeypatch.setitem(sys.modules, "jax", old)
    with pytest.raises(CompileError, match=r"JAX 0\.7 or newer is needed, found 0\.6\.2"):
        jit(abs)


def test_another_jaxlib(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message is the same each time, though Python imports the package only once."""
    package = tmp_path / "jax" / "__init__.py"
    package.parent.mkdir()
    package.write_text("raise RuntimeError('jaxlib is version 0.8,\\n not 0.10')")
    for name in [name for name in sys.modules if name.partition(".")[0] == "jax"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    for make in (jit, kernel):
        with pytest.raises(CompileError, match=r"\(jaxlib is version 0\.8, not 0\.10\)"):
            make(abs)
