"""The contents of plug-ins for keys of the cache: the SHA-256 of their code.

    softshrink.py          the file, and the files of modules that it imports
    my_package.plugin      every .py file of my_package, and those of modules that these import

Python's own modules, and modules of packages whose versions are in the key, are left out. The name,
size and date of its .py files identify an installed package. Data that a plug-in reads at run time
(other files, the environment) is not in the key.

No key is possible if the code is in no file, or if a file has changed since the process imported
it. Such programs are compiled each time, and `Compiled.uncached_reason` says why.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

from snippets_mlir.codegen.cache import digest_of
from snippets_mlir.codegen.stamps import python_files
from snippets_mlir.passmanager.plugin_modules import imported_by
from snippets_mlir.support.outside import PARTS, PlugIn

_IN_EVERY_KEY = {"snippets_mlir", "xdsl", "numpy", "llvmlite", "onnx", "onnxruntime"}
_INSTALLED = {"site-packages", "dist-packages"}


class NoContentError(Exception):
    """The code of a plug-in cannot be read; the message says why."""


def plugin_contents(plugins: Sequence[PlugIn]) -> tuple[tuple[str, ...], str | None]:
    """The contents of plug-ins, and of all modules with registered ops, targets or implementations.

    Returns: a hash for each, or the reason why one has none.
    """
    for part, owner in PARTS.items():
        if owner is None:
            return (), f"no plug-in registered the {part}"
    wanted = (*plugins, *(owner for owner in PARTS.values() if owner is not None))
    try:
        return tuple(dict.fromkeys(map(content_of, wanted))), None
    except NoContentError as error:
        return (), str(error)


def content_of(plugin: PlugIn) -> str:
    """The hash of the code of one plug-in.

    Raises:
        NoContentError: its code is in no file, or its file has changed since the import.
    """
    name, code = plugin
    if not isinstance(code, Path | ModuleType):
        raise NoContentError(f"plug-in '{name}' is an object, whose code is in no file")
    if isinstance(code, ModuleType) and sys.modules.get(code.__name__) is not code:
        raise NoContentError(f"plug-in '{name}' is a module that was not imported from a file")
    if code is sys.modules["__main__"] and (hasattr(sys, "ps1") or sys.flags.interactive):
        raise NoContentError(f"plug-in '{name}' is an interactive session")
    try:
        if isinstance(code, Path):
            return digest_of([code.read_bytes()])
        return digest_of(_parts(code.__name__.partition(".")[0], name))
    except OSError as error:
        what = f"cannot read {error.filename}: {error.strerror}"
        raise NoContentError(f"plug-in '{name}': {what}") from error


def _parts(own: str, plugin: str) -> Iterator[str | bytes]:
    """Names and bytes of the files of a module or package, and of the files that they import."""
    imported = {
        getattr(module, "__file__", None): name for name, module in tuple(sys.modules.items())
    }
    queue, seen = [own], {own, *_IN_EVERY_KEY, *sys.stdlib_module_names}
    for root in queue:
        files = _files_of(root)
        if root == own and not files:
            raise NoContentError(f"the code of plug-in '{plugin}' is in no file")
        for name, path in files:
            if root != own and _INSTALLED.intersection(path.parts):
                status = path.stat()
                yield f"{name} {status.st_size} {status.st_mtime_ns}"
                continue
            yield from (name, content := path.read_bytes())
            if (module := imported.get(str(path))) is None:
                continue
            if path.stat().st_mtime > imported_by(module):
                raise NoContentError(
                    f"plug-in '{plugin}': {path.name} has changed since this process imported it"
                )
            found = [top for top in _imports(content) if top not in seen]
            queue += found
            seen.update(found)


def _files_of(root: str) -> list[tuple[str, Path]]:
    """The files of a package, or of a module outside of packages, with the names that tell them."""
    if (module := sys.modules.get(root)) is not None:
        folders, file = getattr(module, "__path__", None), getattr(module, "__file__", None)
    else:
        try:
            spec = find_spec(root)
        except (ImportError, ValueError):
            spec = None
        folders, file = (spec.submodule_search_locations, spec.origin) if spec else (None, None)
    if folders is not None:
        inside = ((folder, path) for folder in folders for path, *_ in python_files(folder)[0])
        return sorted((root + path[len(folder) :], Path(path)) for folder, path in inside)
    return [] if file is None else [(Path(file).name, Path(file))]


def _imports(content: bytes) -> list[str]:
    """The packages, or modules outside of packages, that a file imports; none if it is binary."""
    try:
        nodes = [*ast.walk(ast.parse(content))]
    except (SyntaxError, ValueError):
        return []
    names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    names += [n.module for n in nodes if isinstance(n, ast.ImportFrom) and n.module and not n.level]
    return sorted({name.partition(".")[0] for name in names})
