"""The import table of the design: which folder of the package may import which."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from snippets_mlir import universe

PACKAGE = Path(__file__).resolve().parents[2] / "snippets_mlir"

# Modules at the top that everything may use.
COMMON = {"errors", "diagnostics", "walking", "__version__"}
# Modules at the top that tie dialects and passes into a context; for the driver and the tools.
BASE = {
    *(
        "context",
        "parsing",
        "pass_options",
        "pipeline_spec",
        "pipeline_text",
        "plugins",
        "positioned",
    ),
    "universe",
}

ALLOWED = {
    "analysis": {"dialects"},
    "checkers": {"dialects"},
    "dialects": set[str](),
    "emit": {"dialects"},
    "frontend": {"analysis", "dialects"},
    "interpreter": {"dialects"},
    "jit": {"emit"},
    "passes": {"targets", "analysis", "dialects"},
    "runtime": {"jit"},
    "targets": {"analysis", "dialects"},
    "driver": {
        *("analysis", "checkers", "dialects", "emit", "frontend", "interpreter", "jit"),
        *("passes", "runtime", "targets"),
        *BASE,
    },
    "tools": {"driver", "runtime", "onnx_backend", *BASE},
    "onnx_backend": {"driver", "frontend", "runtime", *BASE},
    "__init__": {"driver", "jit"},
    # A context names dialects and passes; running passes checks what they leave.
    "context": {"universe"},
    "pipeline_spec": {"checkers", "passes", *BASE},
    "parsing": BASE,
    "positioned": BASE,
    "pass_options": BASE,
    "pipeline_text": BASE,
    "plugins": BASE | {"targets"},
    "universe": set[str](),
    "errors": set[str](),
    "diagnostics": set[str](),
    "walking": set[str](),
}

# Single files that need one arrow more, and why.
EXCEPTIONS = {
    # Runs the ops that no kernel holds: it has to know those ops, and onnxruntime wants a model.
    "runtime/executors.py": {"dialects", "emit"},
}

# Outside packages that are loaded in one place, or only when they are used.
ONLY_IN = {"llvmlite": ("jit",)}
LAZY_ONLY = ("onnx", "onnxruntime", "google", "ml_dtypes", "mpmath")
# What a user imports or runs; none of it may need an extra.
ROOTS = ("snippets_mlir", "snippets_mlir.driver", "snippets_mlir.tools.snippets_run")
FAST_ROOTS = ("snippets_mlir.tools.snippets_opt", "snippets_mlir.universe")


@dataclass(frozen=True)
class Import:
    """One import of one file."""

    file: Path
    line: int
    module: str
    lazy: bool

    def __str__(self) -> str:
        return f"{self.file.relative_to(PACKAGE)}:{self.line}: {self.module}"

    @property
    def folder(self) -> str:
        """The folder, or the module at the top, that the importing file is in."""
        first = self.file.relative_to(PACKAGE).parts[0]
        return first.removesuffix(".py")


def imports_of(tree: ast.AST, file: Path, *, lazy: bool = False) -> Iterator[Import]:
    """All imports below a node; those inside functions and `TYPE_CHECKING` are lazy."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(file, node.lineno, alias.name, lazy)
        elif isinstance(node, ast.ImportFrom) and node.module:
            if node.level:
                raise AssertionError(f"{file}:{node.lineno}: relative import")
            for alias in node.names:
                yield Import(file, node.lineno, f"{node.module}.{alias.name}", lazy)
        else:
            inside = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            typing = isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
            yield from imports_of(node, file, lazy=lazy or inside or typing)


@cache
def all_imports() -> list[Import]:
    found: list[Import] = []
    for file in sorted(PACKAGE.rglob("*.py")):
        found += imports_of(ast.parse(file.read_text(encoding="utf-8")), file)
    return found


CHECKERS = ("snippets_mlir.checkers.linear_ir", "snippets_mlir.checkers.dominance")
"""What `snippets-opt` loads to check the module that it has read."""
KEPT = ("driver", "driver.stored", "tools.run_inputs", "runtime.threads")
"""What `snippets-run` loads for a program that is in the cache."""


def extra(file: Path) -> set[str]:
    return EXCEPTIONS.get(file.relative_to(PACKAGE).as_posix(), set())


def test_every_folder_is_in_the_table():
    folders = {p.name for p in PACKAGE.iterdir() if p.is_dir() and p.name != "__pycache__"}
    modules = {p.stem for p in PACKAGE.glob("*.py")}
    assert not sorted((folders | modules) - set(ALLOWED))


@pytest.mark.parametrize("folder", ALLOWED)
def test_folder_imports_what_the_table_allows(folder: str):
    allowed = ALLOWED[folder] | COMMON | {folder}
    wrong = [
        str(found)
        for found in all_imports()
        if found.folder == folder
        and found.module.startswith("snippets_mlir.")
        and found.module.split(".")[1] not in allowed | extra(found.file)
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("package", ONLY_IN)
def test_package_is_loaded_in_one_place(package: str):
    wrong = [
        str(found)
        for found in all_imports()
        if found.module.split(".")[0] == package and found.folder not in ONLY_IN[package]
    ]
    assert not wrong, "\n".join(wrong)


def file_of(module: str) -> Path | None:
    """The file of a module of the package."""
    path = PACKAGE.parent.joinpath(*module.split("."))
    for candidate in (path.with_suffix(".py"), path / "__init__.py"):
        if candidate.is_file():
            return candidate
    return None


def loaded_by(roots: Iterable[str]) -> dict[str, str]:
    """Each module that importing the roots loads, with the first module that asked for it."""
    eager: dict[Path, list[str]] = {}
    for found in all_imports():
        if not found.lazy:
            eager.setdefault(found.file, []).append(found.module)
    asked = dict.fromkeys(roots, "")
    pending = list(asked)
    while pending:
        module = pending.pop()
        file = file_of(module)
        for target in eager.get(file, []) if file else []:
            parts = target.split(".")
            for length in range(1, len(parts) + 1):
                name = ".".join(parts[:length])
                if name not in asked:
                    asked[name] = module
                    pending.append(name)
    return asked


@pytest.mark.parametrize("package", LAZY_ONLY)
def test_extra_is_imported_when_it_is_used(package: str):
    rows = {row.partition(":")[0] for row in universe.PASSES.values()}
    rows |= {row.partition(":")[0] for row in universe.DIALECTS.values()}
    assert package not in loaded_by((*ROOTS, *FAST_ROOTS, *rows))


@pytest.mark.parametrize("package", ["numpy", "llvmlite", "importlib.metadata"])
def test_start_up_does_not_load(package: str):
    rows = (*universe.DIALECTS.values(), *universe.REPLACED_DIALECTS.values())
    loaded = loaded_by((*FAST_ROOTS, *CHECKERS, *(row.partition(":")[0] for row in rows)))
    assert package not in loaded, loaded[package]


def test_a_kept_program_runs_without_the_compiler():
    loaded = loaded_by(f"snippets_mlir.{m}" for m in ("tools.snippets_run", *KEPT))
    assert "xdsl" not in loaded, loaded["xdsl"]


def test_a_wrong_import_would_be_found():
    tree = ast.parse("def f():\n    from snippets_mlir.jit.load import LoadedObject\n")
    (found,) = imports_of(tree, PACKAGE / "dialects" / "x.py")
    assert found.lazy
    assert found.folder == "dialects"
    assert found.module == "snippets_mlir.jit.load.LoadedObject"
