"""Plug-ins as modules: a file path, a module name, or `@name` of an entry point.

`imported_by` gives the time of a module's import, if it is known: a file that has changed since
then no longer matches the module.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path
from time import time
from types import ModuleType

from snippets_mlir.support.diagnostics import close_match
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.outside import IMPORTED_AT, place_outside

ENTRY_POINTS = "snippets_mlir.plugins"

_SEEN: dict[str, float] = {}


def imported_by(module: str) -> float:
    """A time, in seconds of the epoch, by which a module had been imported."""
    return _SEEN.get(module, IMPORTED_AT)


def _note_modules(since: float) -> None:
    """Record the import time of new modules."""
    now = {name: _SEEN.get(name, since) for name in tuple(sys.modules)}
    _SEEN.clear()
    _SEEN.update(now)


def load_plugin(path_or_module: str) -> ModuleType:
    """Import a plugin; a file is imported once, even if several options name it.

    Raises:
        CompileError: it does not exist, or raises during the import.
    """
    if path_or_module.startswith("@"):
        path_or_module = _entry_point(path_or_module[1:])
    is_file = path_or_module.endswith(".py") or "/" in path_or_module
    _note_modules(IMPORTED_AT)
    try:
        if is_file:
            return _load_file(Path(path_or_module))
        return importlib.import_module(path_or_module)
    except Exception as error:
        file, line = place_outside(error) or (None, None)
        if isinstance(error, CompileError):
            if file is None:
                raise
            said = error.render()
        else:
            said = f"{type(error).__name__}: {error}"
        message = f"plugin '{path_or_module}' cannot be loaded: {said}"
        raise CompileError(message, file=file, line=line) from error
    finally:
        _note_modules(time())


def _entry_point(name: str) -> str:
    """The module that an installed package names `name` in the group of our plugins."""
    from importlib.metadata import entry_points

    found = {entry.name: entry.value for entry in entry_points(group=ENTRY_POINTS)}
    if name not in found:
        installed = ", ".join(sorted(found)) or "none"
        hint = close_match(name, list(found)) or f"; installed: {installed}"
        raise CompileError(f"plugin '@{name}' cannot be loaded: no such entry point{hint}")
    return found[name]


def _load_file(path: Path) -> ModuleType:
    from hashlib import sha256  # start-up: it loads OpenSSL

    resolved = path.resolve()
    if resolved.is_dir():
        raise CompileError(
            f"plugin '{path}' cannot be loaded: it is a folder; name the package, "
            f"'{resolved.name}', with {resolved.parent} in PYTHONPATH, or a file in it"
        )
    if not resolved.is_file():
        raise CompileError(f"plugin '{path}' cannot be loaded: there is no such file")
    name = f"snippets_plugin_{sha256(str(resolved).encode()).hexdigest()[:12]}"
    content = sha256(resolved.read_bytes()).hexdigest()
    if name in sys.modules:
        if sys.modules[name].__dict__["__content__"] != content:
            raise CompileError(
                f"plugin '{path}' has changed since this process loaded it; start a new process"
            )
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, resolved)
    if spec is None or spec.loader is None:
        raise CompileError(f"plugin '{path}' is not a Python file")
    module = importlib.util.module_from_spec(spec)
    module.__dict__["__content__"] = content
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module
