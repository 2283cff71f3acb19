"""Plug-ins through `snippets_mlir.extend` and `compile(..., plugins=)`: the example package."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import snippets_mlir
from snippets_mlir import extend
from snippets_mlir.support.errors import CompileError
from snippets_mlir.targets.host import host_target
from snippets_mlir.targets.machine import machine

FOLDER = Path(__file__).parents[3] / "docs" / "examples" / "plugin"
EXAMPLES = FOLDER / "shrinking"
LIMITS = {
    "softshrink.py": 30,
    "relu_to_maximum.py": 20,
    "small_cache.py": 7,
    "floor_by_ceiling.py": 12,
    "small_nodes.py": 12,
}
X = np.linspace(-2, 2, 64, dtype=np.float32)


@pytest.mark.parametrize("name", LIMITS)
def test_examples_are_short_and_import_one_module(name: str) -> None:
    text = (EXAMPLES / name).read_text()
    assert len(text.splitlines()) <= LIMITS[name]
    nodes = [n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Import | ast.ImportFrom)]
    assert len(nodes) == 1
    assert "extend" in ast.unparse(nodes[0])


def test_an_op_of_a_plugin_is_in_a_kernel() -> None:
    program = snippets_mlir.compile(
        FOLDER / "shrink.mlir",
        plugins=[str(EXAMPLES / "softshrink.py"), EXAMPLES / "small_cache.py"],
        target="x86-64-small" if machine(host_target()).triple.startswith("x86") else None,
    )
    (kernel,) = program.kernels
    assert kernel.ops == ("snippets.exp", "mine.softshrink", "snippets.relu")
    e = np.exp(X.astype(np.float64))
    np.testing.assert_allclose(program(X), np.where(e > 0.5, e - 0.5, 0), 1e-6, 1e-6)


_RELU = """
func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = snippets.relu %x : tensor<64xf32>
  func.return %0 : tensor<64xf32>
}
"""


def test_a_pass_of_a_plugin_runs() -> None:
    plugin = str(EXAMPLES / "relu_to_maximum.py")
    program = snippets_mlir.compile(
        _RELU, plugins=[plugin], pipeline="relu-to-maximum,snippets-to-llvm"
    )
    np.testing.assert_array_equal(program(X), np.maximum(X, 0))
    with pytest.raises(CompileError, match="relu-to-maximum"):
        snippets_mlir.compile(_RELU, pipeline="relu-to-maximum,snippets-to-llvm")


def test_a_file_that_has_changed_is_refused(tmp_path: Path) -> None:
    """Its classes are in use: the old code would give old results."""
    plugin = tmp_path / "passes.py"
    text = (EXAMPLES / "relu_to_maximum.py").read_text()
    plugin.write_text(text)
    snippets_mlir.compile(_RELU, plugins=[plugin])
    snippets_mlir.compile(_RELU, plugins=[plugin])
    plugin.write_text(text.replace("scalar(0", "scalar(1"))
    with pytest.raises(CompileError, match="has changed since this process loaded it"):
        snippets_mlir.compile(_RELU, plugins=[plugin])


def test_what_cannot_be_loaded_is_one_error() -> None:
    with pytest.raises(CompileError, match="there is no such file"):
        snippets_mlir.compile(_RELU, plugins=["missing.py"])
    with pytest.raises(CompileError, match="it is a folder; name the package, 'shrinking', with "):
        snippets_mlir.compile(_RELU, plugins=[EXAMPLES])
    with pytest.raises(CompileError, match="'object' has nothing to load: expected RECORDS"):
        snippets_mlir.compile(_RELU, plugins=[SimpleNamespace()])
    wrong: list[Any] = ["mine.py", None, {}, {"a"}, 1, b"x", iter(()), np.array([1])]
    for value in wrong:
        with pytest.raises(TypeError, match=r"^plugins: expected a list of paths"):
            snippets_mlir.compile(_RELU, plugins=value)
    items: list[Any] = [None, 1, b"x", ["mine.py"], {}]
    for item in items:
        with pytest.raises(TypeError, match=r"^plugins: expected a list of paths.*, with "):
            snippets_mlir.compile(_RELU, plugins=[item])


def test_public_names_exist() -> None:
    assert all(hasattr(extend, name) for name in extend.__all__)
    assert extend.ops.MaximumOp.name == "snippets.maximum"
    assert "MaximumOp" in dir(extend.ops)
    with pytest.raises(AttributeError, match="no class 'NothingOp'"):
        _ = extend.ops.NothingOp


def test_importing_the_package_does_not_load_it() -> None:
    program = "import sys, snippets_mlir; assert 'snippets_mlir.extend' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True)
