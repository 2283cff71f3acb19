"""`snippets-opt` starts about as fast as `xdsl-opt`: it loads little more.

The times are printed by `benchmarks/startup.py`; a test counts modules, which do not depend on how
busy the machine is.
"""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

MOST_MORE = 43
"""Modules that `snippets-opt` may load on a trivial module and `xdsl-opt` does not (43 today)."""

HEAVY = {"numpy", "llvmlite", "onnx", "onnxruntime", "hashlib", "_hashlib"}


@cache
def loaded_by(module: str, *arguments: Path | str, before: str = "") -> set[str]:
    """The modules that `module`'s `main` loads.

    Those that are part of Python's executable are left out: they load no file.
    """
    code = (
        "import io, json, sys; kept = sys.stdout;"
        "from importlib import import_module as load; known = set(sys.modules);"
        "sys.argv[0] = 'opt'; sys.stdout = io.StringIO();"
        f"{before} load({module!r}).main();"
        "kept.write(json.dumps(sorted(set(sys.modules) - known - set(sys.builtin_module_names))))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stdout))


@pytest.fixture(scope="module")
def trivial(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("startup") / "trivial.mlir"
    path.write_text("builtin.module {\n}\n", encoding="utf-8")
    return path


def test_start_up_loads_little_more_than_xdsl_opt(trivial: Path):
    """No time is asserted: the same two commands take 1.0 to 1.4 of each other on one machine."""
    more = loaded_by("snippets_mlir.tools.snippets_opt", trivial) - loaded_by(
        "xdsl.tools.xdsl_opt", trivial
    )
    assert "snippets_mlir.tools.snippets_opt" in more
    assert len(more) <= MOST_MORE, sorted(more)


def test_trivial_module_loads_no_heavy_package(trivial: Path):
    """Neither NumPy nor LLVM nor the ONNX packages, nor OpenSSL."""
    assert not HEAVY & loaded_by("snippets_mlir.tools.snippets_opt", trivial)


def test_kernels_without_constants_need_no_numpy():
    """Passes compute with arrays only where a program has constants to compute with."""
    path = Path(__file__).parents[3] / "docs" / "examples" / "softmax.mlir"
    options = ("-p", "snippets-to-llvm", "-t", "llvm")
    found = loaded_by("snippets_mlir.tools.snippets_opt", path, *options)
    assert "snippets_mlir.passes.vector_to_llvm" in found
    assert not {"numpy", "llvmlite", "snippets_mlir.driver"} & found


def test_heavy_packages_would_be_seen(trivial: Path):
    """The twin: a start that loads them is found out."""
    before = "".join(f"load({name!r});" for name in sorted(HEAVY))
    assert loaded_by("snippets_mlir.tools.snippets_opt", trivial, before=before) >= HEAVY
