"""Programs with plug-ins in the cache: the code of the plug-ins is a part of the name."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from time import time
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import snippets_mlir
from snippets_mlir.driver.cache import stored
from snippets_mlir.driver.cache.plugin_contents import NoContentError, content_of
from snippets_mlir.driver.cache.program_cache import program_key
from snippets_mlir.driver.reports.notebooks import report_of
from snippets_mlir.passmanager.plugin_modules import load_plugin
from snippets_mlir.support.outside import PlugIn
from snippets_mlir.targets.machine import TARGETS, machine, register_target

EXAMPLES = Path(__file__).parents[3] / "docs" / "examples" / "plugin"
SHRINK, SOFTSHRINK = EXAMPLES / "shrink.mlir", EXAMPLES / "shrinking" / "softshrink.py"
X = np.linspace(-2, 2, 64, dtype=np.float32)
RELU = """
func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = snippets.relu %x : tensor<64xf32>
  func.return %0 : tensor<64xf32>
}
"""
PASS = """
from snippets_mlir.extend import Pass, Stages, dataclass

@dataclass(frozen=True)
class Nothing(Pass):
    name, STAGES, SIDE_EFFECTS = "nothing", Stages(("graph",)), {effects}

    def apply(self, ctx, op):
        pass

POSITIONS = ["start:nothing"]
"""


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty cache that is used."""
    monkeypatch.setenv("SNIPPETS_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(stored, "program_key", program_key)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of modules, which are forgotten after the test."""
    before = set(sys.modules)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    yield tmp_path
    for name in set(sys.modules) - before:
        del sys.modules[name]


def twice(source: object, **options: Any) -> list[str | None]:
    """Where the program comes from, the first and the second time."""
    return [snippets_mlir.compile(source, **options).from_cache for _ in range(2)]


def written(path: Path, text: str) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return path


def test_an_op_of_a_file() -> None:
    first, second = (snippets_mlir.compile(SHRINK, plugins=[SOFTSHRINK]) for _ in range(2))
    assert (first.from_cache, second.from_cache) == (None, "program")
    np.testing.assert_array_equal(second(X), first(X))
    assert second.kernels[0].ops == first.kernels[0].ops
    assert second.ir("lir") == first.ir("lir")
    assert second.reference()[0].entry == "main"
    assert twice(SHRINK) == [None, "program"]  # the op is of the process


def test_passes_of_files_and_of_patterns(tmp_path: Path) -> None:
    """Their positions are kept with the program; other passes make other programs."""
    nothing = written(tmp_path / "nothing.py", PASS.format(effects=False))
    assert twice(RELU) == [None, "program"]
    assert twice(RELU, plugins=[nothing]) == [None, "program"]
    found = snippets_mlir.compile(RELU, plugins=[nothing])
    assert found.passes.startswith("nothing,")
    np.testing.assert_array_equal(found(X), np.maximum(X, 0))
    assert snippets_mlir.compile(RELU).from_cache == "program"
    text = (EXAMPLES.parents[2] / "test/tools/inputs/no_negatives.mlir").read_text()
    patterns = written(tmp_path / "patterns.mlir", text)
    assert twice(RELU, plugins=[patterns], insert_passes=["start:patterns"]) == [None, "program"]
    written(patterns, text + "\n")
    assert snippets_mlir.compile(RELU, plugins=[patterns]).from_cache is None


def test_passes_that_do_more_run_every_time(tmp_path: Path) -> None:
    nothing = written(tmp_path / "nothing.py", PASS.format(effects=True))
    assert twice(RELU, plugins=[nothing]) == [None, None]


def model(rows: int | str) -> onnx.ModelProto:
    nodes = [
        helper.make_node("Exp", ["x"], ["a"]),
        helper.make_node("Softshrink", ["a"], ["y"], domain="mine"),
    ]
    x, y = (helper.make_tensor_value_info(n, TensorProto.FLOAT, [rows, 33]) for n in "xy")
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("mine", 1)]
    return helper.make_model(helper.make_graph(nodes, "g", [x], [y]), opset_imports=opsets)


@pytest.mark.parametrize("rows", [4, "n"])
def test_models_with_a_domain_of_their_own(rows: int | str) -> None:
    """A dynamic model compiles for calls that neither its kernels nor onnxruntime can run."""
    for kind in (None, "shared"):
        program = snippets_mlir.compile(model(rows), plugins=[SOFTSHRINK])
        assert program.from_cache == kind
        for count in [rows] if isinstance(rows, int) else [4, 0, 3]:
            x = np.linspace(-2, 2, count * 33, dtype=np.float32).reshape(count, 33)
            e = np.exp(x.astype(np.float64))
            np.testing.assert_allclose(program(x), np.where(e > 0.5, e - 0.5, 0), 1e-6, 1e-6)
        assert program.compiled_times == (kind is None) + (rows == "n")


def test_code_in_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """The program is compiled each time, and says why."""
    nothing = SimpleNamespace(POSITIONS=["end:cse"])
    program = snippets_mlir.compile(RELU, plugins=[nothing])
    assert program.uncached_reason == "plug-in 'object' is an object, whose code is in no file"
    assert f"not kept in the cache: {program.uncached_reason}" in report_of(program)
    assert twice(RELU, plugins=[nothing]) == [None, None]
    made = ModuleType("made")
    vars(made)["POSITIONS"] = ["end:cse"]
    assert twice(RELU, plugins=[made]) == [None, None]
    monkeypatch.setitem(sys.modules, "made", made)
    program = snippets_mlir.compile(RELU, plugins=["made"])
    assert program.uncached_reason == "the code of plug-in 'made' is in no file"
    assert snippets_mlir.compile(RELU).uncached_reason is None


def test_a_target_that_no_plugin_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("snippets_mlir.targets.machine.TARGETS", dict(TARGETS))
    register_target(snippets_mlir.extend.variant("generic", "mine"))
    program = snippets_mlir.compile(RELU, target="mine")
    assert program.uncached_reason == "no plug-in registered the target 'mine'"
    assert machine("mine").lanes == machine("generic").lanes


def content(name: str) -> str:
    return content_of(PlugIn(name, load_plugin(name)))


def forget(folder: Path) -> None:
    """As if a new process imported the modules of a folder."""
    importlib.invalidate_caches()
    for name, module in tuple(sys.modules.items()):
        if str(getattr(module, "__file__", None)).startswith(str(folder)):
            del sys.modules[name]


def test_the_code_is_that_of_the_module_and_of_its_imports(folder: Path) -> None:
    """A change of any of the files is another content, and a change back is the same."""
    files = {
        folder / "plug" / "__init__.py": "",
        folder / "plug" / "passes.py": "import os, helping\nfrom . import other\n",
        folder / "plug" / "other.py": "",
        folder / "plug" / "later.py": "imported = 'by a function'\n",
        folder / "helping.py": "try:\n    import not_installed\nexcept ImportError: pass\n",
        folder / "alone.py": "from helping import not_installed\n".replace("not_installed", "os"),
    }
    files[folder / "helping.py"] += "import os\n"
    for path, text in files.items():
        written(path, text)
    known = content("plug.passes")
    for path, text in files.items():
        forget(folder)
        os.utime(written(path, text + "x = 1\n"), (1, 1))  # Python sees changes by their dates
        assert (content("plug.passes") == known) == (path.name == "alone.py"), path
        forget(folder)
        os.utime(written(path, text), (2, 2))
        assert content("plug.passes") == known
    alone = content(str(folder / "alone.py"))
    forget(folder)
    os.utime(written(folder / "helping.py", "import os, sys\n"), (3, 3))
    assert content(str(folder / "alone.py")) != alone


def test_an_installed_package_is_told_by_its_dates(folder: Path) -> None:
    helping = written(folder / "site-packages" / "helping.py", "x = 1\n")
    sys.path.insert(0, str(helping.parent))
    written(folder / "plug.py", "import helping\n")
    known = content("plug")
    os.utime(helping, (1, 1))
    assert content("plug") != known


def test_a_file_that_has_changed_since_it_was_imported(folder: Path) -> None:
    """Its name would be that of other code."""
    path = written(folder / "plug.py", "POSITIONS = ['end:cse']\n")
    assert twice(RELU, plugins=["plug"]) == [None, "program"]
    os.utime(path, (time() + 9, time() + 9))
    program = snippets_mlir.compile(RELU, plugins=["plug"])
    reason = "plug-in 'plug': plug.py has changed since this process imported it"
    assert (program.from_cache, program.uncached_reason) == (None, reason)


def test_an_interactive_session(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was typed is not in the file of the module."""
    written(folder / "plug.py", "POSITIONS = ['end:cse']\n")
    plugin = PlugIn("plug", load_plugin("plug"))
    monkeypatch.setitem(sys.modules, "__main__", plugin.code)
    assert content_of(plugin)
    monkeypatch.setattr(sys, "ps1", ">>> ", raising=False)
    with pytest.raises(NoContentError, match="plug-in 'plug' is an interactive session"):
        content_of(plugin)


def test_a_file_that_is_gone(folder: Path) -> None:
    path = written(folder / "plug.py", "POSITIONS = ['end:cse']\n")
    plugin = PlugIn("plug", load_plugin("plug"))
    path.unlink()
    with pytest.raises(NoContentError, match=r"cannot read .*plug\.py: No such file"):
        content_of(plugin)
