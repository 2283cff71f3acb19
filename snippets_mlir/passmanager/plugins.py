"""Dialects and passes from outside the package: `--load-dialect-plugin=`, `--load-pass-plugin=`.

A plugin is a Python file or an importable module. It provides, in any mixture:

    DIALECTS = {"mine": "my_package.dialect:Mine"}      tables: name -> "module:object", the object
    PASSES = {"my-pass": MyPass}                        itself, or a function that returns it
    UNIVERSE = Universe(all_dialects=..., all_passes=...)        xDSL's own plugin form
    Mine = Dialect("mine", [...])                       dialects and passes that it defines itself
    RECORDS = [OpRecord(MyOp, ...)]                     ops with all that is particular to them
    POSITIONS = ["after:lir-fuse-loops:my-pass"]        where its passes go in pipelines
    TARGETS = [TargetMachine("mine", ...)]              machines, with emitters of their own
    IMPLEMENTATIONS = [Implementation("mine", ...)]     what may run a node of a program; a pair
                                                        (row, KIND) has the priority above KIND's

`@name` is a plugin of an installed package: an entry point of the group `snippets_mlir.plugins`
that names a module. In a table `":object"` means an object of the plugin. A name that already
exists is an error. A pass plugin may also be an MLIR file of `pdl.pattern`s (`pdl_passes.py`).
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

from xdsl.ir import Dialect
from xdsl.passes import ModulePass
from xdsl.universe import Universe

from snippets_mlir.passmanager.context import ToolContext
from snippets_mlir.passmanager.plugin_modules import load_plugin
from snippets_mlir.passmanager.positions import read_insertions
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.outside import PARTS, PlugIn


def load_plugins(plugins: Sequence[object], ctx: ToolContext) -> None:
    """Register all parts of plugins: paths, modules' names, `@names`, modules, other objects.

    Raises:
        CompileError: one cannot be loaded, has no parts, or a part with a taken name.
    """
    for given in plugins:
        path = str(given) if isinstance(given, str | Path) else None
        if path is not None and path.endswith(".mlir"):
            load_pass_plugin(path, ctx)
            continue
        name = path or str(getattr(given, "__name__", "object"))
        with _loaded(name, path or given, ctx) as plugin:
            dialects, parts = _add_dialects(plugin, name, ctx), _add_parts(plugin, name, ctx)
        if dialects is None and parts is None:
            raise CompileError(
                f"plugin '{name}' has nothing to load: expected RECORDS, DIALECTS, PASSES, "
                "POSITIONS, TARGETS, IMPLEMENTATIONS, or classes of dialects or passes"
            )


def load_named_plugins(dialects: Sequence[str], passes: Sequence[str], ctx: ToolContext) -> None:
    """Load the plug-ins of `--load-dialect-plugin`, then those of `--load-pass-plugin`.

    Raises:
        CompileError: a plug-in cannot be loaded, or is not valid.
    """
    for plugin in dialects:
        load_dialect_plugin(plugin, ctx)
    for plugin in passes:
        load_pass_plugin(plugin, ctx)


def load_dialect_plugin(path_or_module: str, ctx: ToolContext) -> tuple[str, ...]:
    """Register the dialects and the ops of a plugin and return the dialects' names.

    Raises:
        CompileError: it cannot be loaded, has neither, or one with a taken name.
    """
    with _loaded(path_or_module, path_or_module, ctx) as plugin:
        found = _add_dialects(plugin, path_or_module, ctx)
    if found is None:
        raise CompileError(f"plugin '{path_or_module}' has no dialect")
    return found


@contextmanager
def _loaded(name: str, given: object, ctx: ToolContext) -> Generator[object]:
    """Load a plugin; `ctx` and the parts registered for the process remember it."""
    before = set(PARTS)
    code = load_plugin(given) if isinstance(given, str) else given
    plugin = PlugIn(name, code)
    ctx.plugins.append(plugin)
    try:
        yield code
    finally:
        PARTS.update(dict.fromkeys((part for part in PARTS if part not in before), plugin))


def _add_dialects(plugin: object, name: str, ctx: ToolContext) -> tuple[str, ...] | None:
    """Register its dialects and ops; the dialects' names, None if it has neither."""
    found = _entries(plugin, "DIALECTS", "all_dialects", _own_dialects(plugin))
    if records := _rows(plugin, "RECORDS", name):
        _register(records)
    if not found:
        return () if records else None
    taken = set(ctx.registered_dialect_names)
    for dialect, factory in _new(found, taken, "dialect", name).items():
        ctx.register_dialect(dialect, factory)
    return tuple(found)


def _register(records: Sequence[Any]) -> None:
    """Register the ops of a plugin; their tables are loaded only if there are any."""
    importlib.import_module("snippets_mlir.dialects.snippets.registry").register(*records)


def load_pass_plugin(path_or_module: str, ctx: ToolContext) -> tuple[str, ...]:
    """Register the passes, targets and implementations of a plugin; the passes' names.

    Raises:
        CompileError: it cannot be loaded, has none of these, or one with a taken name.
    """
    if path_or_module.endswith(".mlir"):
        from snippets_mlir.passmanager.pdl_passes import read_pdl_pass

        ctx.plugins.append(PlugIn(path_or_module, Path(path_or_module)))
        name, cls = read_pdl_pass(Path(path_or_module), ctx)
        return _add_passes({name: lambda: cls}, path_or_module, ctx)
    with _loaded(path_or_module, path_or_module, ctx) as plugin:
        found = _add_parts(plugin, path_or_module, ctx)
    return _add_passes({}, path_or_module, ctx) if found is None else found


def _add_parts(plugin: object, name: str, ctx: ToolContext) -> tuple[str, ...] | None:
    """Register its passes, targets and implementations; the passes' names, None if it has none.

    Positions alone also count.
    """
    from snippets_mlir.targets.machine import register_target  # start-up: plugins
    from snippets_mlir.targets.target_machine import TargetMachine  # start-up: plugins

    targets = _rows(plugin, "TARGETS", name)
    for target in targets:
        table = f"plugin '{name}': TARGETS"
        if not isinstance(target, TargetMachine):
            raise CompileError(f"{table}: expected TargetMachine(...), found {target!r:.80}")
        read_insertions(target.positioned, f"{table}: positioned of '{target.name}'")
        register_target(target)
    rows = _rows(plugin, "IMPLEMENTATIONS", name)
    if rows:
        _register_implementations(rows, name)
    found = _entries(plugin, "PASSES", "all_passes", _own_passes(plugin))
    if found:
        _add_passes(found, name, ctx)
    positions = getattr(plugin, "POSITIONS", ())
    ctx.positioned += read_insertions(positions, f"plugin '{name}': POSITIONS")
    return tuple(found) if found or targets or rows or positions else None


def _rows(plugin: object, table: str, name: str) -> list[Any]:
    """A table of a plugin that is a list, empty if it has none."""
    found = getattr(plugin, table, ())
    if not isinstance(found, list | tuple):
        raise CompileError(f"plugin '{name}': {table}: expected a list, found {found!r:.80}")
    return [*cast("Sequence[Any]", found)]


def _register_implementations(rows: Sequence[Any], plugin: str) -> None:
    """Add rows, or pairs of a row and the kind after it, to the registry."""
    from snippets_mlir.targets import implementations  # start-up: only plugins need it

    for entry in rows:
        pair = cast("tuple[Any, ...]", entry if isinstance(entry, tuple) else (entry,))
        row = pair[0] if pair else None
        if len(pair) > 2 or not isinstance(row, implementations.Implementation):
            raise CompileError(
                f"plugin '{plugin}': IMPLEMENTATIONS: expected rows Implementation(...) or pairs "
                f"(row, KIND), found {entry!r:.80}"
            )
        if implementations.implementation(row.kind) is row:
            continue  # the plugin was loaded before
        try:
            implementations.register(*pair)
        except ValueError as error:
            raise CompileError(f"plugin '{plugin}': IMPLEMENTATIONS: {error}") from None


def _add_passes(
    found: dict[str, Callable[[], Any]], plugin: str, ctx: ToolContext
) -> tuple[str, ...]:
    ctx.passes.update(_new(found, set(ctx.passes), "pass", plugin))
    ctx.plugin_passes.update(found)
    return tuple(found)


def _own_dialects(plugin: object) -> Iterator[tuple[str, Any]]:
    for value in vars(plugin).values():
        if isinstance(value, Dialect):
            yield value.name, value


def _own_passes(plugin: object) -> Iterator[tuple[str, Any]]:
    for value in vars(plugin).values():
        if (
            isinstance(value, type)
            and issubclass(value, ModulePass)
            and value.__module__ == getattr(plugin, "__name__", value.__module__)
            and "name" in vars(value)
        ):
            yield value.name, value


def _entries(
    plugin: object, table: str, universe_field: str, own: Iterator[tuple[str, Any]]
) -> dict[str, Callable[[], Any]]:
    """The parts of one kind in a plugin; a table or a universe overrides parts found by search."""
    found: dict[str, Callable[[], Any]] = {}
    rows = getattr(plugin, table, None)
    if isinstance(rows, Mapping):
        for name, row in rows.items():  # pyright: ignore[reportUnknownVariableType]
            found[str(name)] = _factory(row, plugin)  # pyright: ignore[reportUnknownArgumentType]
    for value in vars(plugin).values():
        if isinstance(value, Universe):
            found.update(getattr(value, universe_field))
    return found or {name: _factory(value, plugin) for name, value in own}


def _factory(row: object, plugin: object) -> Callable[[], Any]:
    if isinstance(row, str):
        module, _, attribute = row.partition(":")
        return lambda: getattr(importlib.import_module(module) if module else plugin, attribute)
    if isinstance(row, Dialect) or isinstance(row, type) or not callable(row):
        return lambda: row
    return row


def _new(
    found: dict[str, Callable[[], Any]], taken: set[str], kind: str, plugin: str
) -> dict[str, Callable[[], Any]]:
    if not found:
        raise CompileError(f"plugin '{plugin}' has no {kind}")
    for name in found:
        if name in taken:
            raise CompileError(f"plugin '{plugin}': there is already a {kind} '{name}'")
    return found
