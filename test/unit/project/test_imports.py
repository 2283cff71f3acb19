"""The import table of the design: which folder of the package may import which."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import pytest
from package_trees import PACKAGE, modules, tree_of
from statements import statements_in

from snippets_mlir.passmanager import universe

# What may be imported by all.
COMMON = {"support", "__version__"}

LOWER = {
    "support": set[str](),
    "dialects": set[str](),
    "analysis": {"dialects"},
    "checkers": {"dialects"},
    "interpreter": {"dialects"},
    "emit": {"dialects"},
    "targets": {"analysis", "dialects"},
    "passes": {"targets", "analysis", "dialects"},
    "passmanager": {"passes", "checkers", "interpreter"},
    "codegen": {"emit", "dialects"},
    "runtime": {"codegen", "emit", "interpreter", "analysis", "dialects"},
    "frontends": {"analysis", "dialects"},
}
BELOW = set(LOWER)
ALLOWED = LOWER | {
    "driver": BELOW,
    "dask": {"integrations"},
    "jax": {"integrations"},
    "xp": {"frontends"},
    "extend": BELOW,
    "inspect": BELOW | {"driver"},
    "testing": BELOW | {"driver"},
    "integrations": BELOW | {"driver"},
    "tools": BELOW | {"driver", "inspect", "testing", "integrations"},
    "torch": {"integrations"},
    "__init__": {"driver", "codegen", "integrations"},
}

# Single files that need one arrow more, and why.
EXCEPTIONS = {
    # A plug-in may have target machines, which are registered where targets are defined.
    "passmanager/plugins.py": {"targets"},
    # The manifest is what is emitted for a program; the pass leaves it in the module.
    "passes/program/convert_program_to_manifest.py": {"emit"},
}

# Packages of passes, in pipeline order; they do not import one another. `building` is what several
# of them build IR with; the parts of `graph` and `loops` are packages, too.
STAGES = ("graph", "program", "lir", "lir_to_vector", "vector_to_llvm", "loops")
PARTED = ("graph", "loops")
SHARED = ("building", "effects", "base", "evaluator", "patterns", "plans")

# Outside packages that are loaded in one place, or only when they are used.
ONLY_IN = {"llvmlite": ("codegen",)}
LAZY_ONLY = ("onnx", "onnxruntime", "google", "ml_dtypes", "mpmath", "torch")
# What a user imports or runs; none of it may need an extra.
ROOTS = ("snippets_mlir", "snippets_mlir.driver", "snippets_mlir.tools.snippets_run")
FAST_ROOTS = ("snippets_mlir.tools.snippets_opt", "snippets_mlir.passmanager.universe")


@dataclass(frozen=True)
class Import:
    file: Path
    line: int
    module: str
    lazy: bool

    def __str__(self) -> str:
        return f"{self.file.relative_to(PACKAGE)}:{self.line}: {self.module}"

    @cached_property
    def folder(self) -> str:
        """The folder, or the module at the top, that the importing file is in."""
        first = self.file.relative_to(PACKAGE).parts[0]
        return first.removesuffix(".py")


def imports_of(tree: ast.AST, file: Path, *, lazy: bool = False) -> Iterator[Import]:
    """All imports below a node; those inside functions and `TYPE_CHECKING` are lazy."""
    for node in statements_in(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(file, node.lineno, alias.name, lazy)
        elif isinstance(node, ast.ImportFrom) and node.module:
            if node.level:
                raise AssertionError(f"{file}:{node.lineno}: relative import")
            for alias in node.names:
                yield Import(file, node.lineno, f"{node.module}.{alias.name}", lazy)
        else:
            inside = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            typing = isinstance(node, ast.If) and "TYPE_CHECKING" in names_in(node.test)
            yield from imports_of(node, file, lazy=lazy or inside or typing)


def names_in(node: ast.expr) -> set[str]:
    """The names and attributes of an expression."""
    parts = list(ast.walk(node))
    names = {part.id for part in parts if isinstance(part, ast.Name)}
    return names | {part.attr for part in parts if isinstance(part, ast.Attribute)}


@cache
def all_imports() -> list[Import]:
    found: list[Import] = []
    for file in modules():
        found += imports_of(tree_of(file), file)
    return found


CHECKERS = ("snippets_mlir.checkers.linear_ir", "snippets_mlir.checkers.dominance")
"""What `snippets-opt` loads to check the module that it has read."""
KEPT = ("driver", "driver.cache.stored", "tools.run_inputs", "runtime.parallel.threads")
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


def stage_of(parts: Sequence[str]) -> str | None:
    """The package of passes that a module below `passes` is in, None for the shared ones."""
    if not parts or parts[0] not in STAGES:
        return None
    parted = parts[0] in PARTED and len(parts) > 2
    return ".".join(parts[: 2 if parted else 1])


def test_every_folder_of_passes_is_a_stage():
    folders = {p.name for p in (PACKAGE / "passes").iterdir() if (p / "__init__.py").exists()}
    assert folders == {*STAGES, "building"}


def test_stages_do_not_import_one_another():
    wrong: list[str] = []
    for found in all_imports():
        prefix = "snippets_mlir.passes."
        if found.folder != "passes" or not found.module.startswith(prefix):
            continue
        inside = found.file.relative_to(PACKAGE / "passes").with_suffix("").parts
        own = stage_of(inside)
        parts = found.module.removeprefix(prefix).split(".")
        other = stage_of(parts[:-1])
        allowed = own == other or parts[0] in SHARED or (own is None and inside[0] == "pipelines")
        if not allowed and not (other and own and own.startswith(f"{other}.")):
            wrong.append(str(found))
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("package", ONLY_IN)
def test_package_is_loaded_in_one_place(package: str):
    wrong = [
        str(found)
        for found in all_imports()
        if found.module.split(".")[0] == package and found.folder not in ONLY_IN[package]
    ]
    assert not wrong, "\n".join(wrong)


@cache
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


@pytest.mark.parametrize("compiler", ["xdsl", "llvmlite.binding"])
def test_a_kept_program_runs_without_the_compiler(compiler: str):
    """LLVM loads the code of its kernels, if it has any."""
    loaded = loaded_by(f"snippets_mlir.{m}" for m in ("tools.snippets_run", *KEPT))
    assert compiler not in loaded, loaded[compiler]


def test_a_wrong_import_would_be_found():
    tree = ast.parse("def f():\n    from snippets_mlir.codegen.load import LoadedObject\n")
    (found,) = imports_of(tree, PACKAGE / "dialects" / "x.py")
    assert found.lazy
    assert found.folder == "dialects"
    assert found.module == "snippets_mlir.codegen.load.LoadedObject"


def test_stages_are_told_apart():
    assert stage_of(("graph", "tokenize", "plan")) == "graph.tokenize"
    assert stage_of(("loops", "math_expand_ops")) == "loops"
    assert stage_of(("lir", "debug", "files")) == "lir"
    assert stage_of(("building", "conversion")) is None
