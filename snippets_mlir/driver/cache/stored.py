"""Programs from the cache: they run without the compiler; only their IR needs it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from functools import cache
from typing import TYPE_CHECKING, Any

from snippets_mlir.codegen.cache import entry_path, read_unstamped
from snippets_mlir.codegen.stamps import is_known
from snippets_mlir.driver.arguments import OF_COMPILATION, threads_for
from snippets_mlir.driver.cache.engine_model import why_plain
from snippets_mlir.driver.cache.inside_entry import InsideEntry, read_inside
from snippets_mlir.driver.cache.program_cache import Request, program_key, program_of
from snippets_mlir.driver.cache.session_entry import SessionEntry, read_session
from snippets_mlir.driver.cache.session_programs import ModelName, SessionPrograms
from snippets_mlir.driver.cache.shared_entry import SharedEntry, optimize_shared, read_shared
from snippets_mlir.driver.cache.shared_weights import Weights
from snippets_mlir.driver.cache.stored_shared import SharedPrograms, filled_program
from snippets_mlir.driver.cache.storing import written
from snippets_mlir.driver.compiling import COMPILING
from snippets_mlir.driver.onnx.kept_session import optimize_session
from snippets_mlir.driver.onnx.weight_places import are_unchanged
from snippets_mlir.driver.programs.dynamic import DynamicProgram
from snippets_mlir.driver.programs.specs import interface_of_manifest
from snippets_mlir.driver.programs.static import StaticProgram
from snippets_mlir.driver.programs.tensors import TensorProgram
from snippets_mlir.driver.sources.key_bytes import FILE, Text, contents_in, source_bytes
from snippets_mlir.frontends.texts import TEXTS
from snippets_mlir.runtime.arguments.arrays import TensorSpec
from snippets_mlir.support.meanwhile import meanwhile
from snippets_mlir.support.outside import PARTS, PlugIn
from snippets_mlir.targets.host import host_target

if TYPE_CHECKING:
    from snippets_mlir.driver.programs.origin import Origin
    from snippets_mlir.driver.settings import Settings


LIGHT = 16 << 10
"""Bytes of an entry below which its program loads mostly in Python: a thread beside it would wait
for the interpreter's lock at each file, and takes 1 to 4 ms longer."""


def stored_session(
    source: object,
    entry: SessionEntry,
    threads: int,
    load: Callable[[], Origin],
    name: ModelName,
    inside: InsideEntry | None = None,
) -> TensorProgram:
    """A model that the cache knows to be one session, for calls of all shapes."""
    maker = SessionPrograms(source, entry, threads, load, name, inside)
    interface, session = (entry.inputs, entry.outputs), maker.built(None)
    assert session is not None
    if _is_dynamic(entry.inputs):
        program = DynamicProgram(interface, threads, load, maker, "session")
        program.start_as(session)
        return program
    return StaticProgram(interface, session, threads, load, maker, "session")


def stored_shared(
    source: object, entry: SharedEntry, threads: int, load: Callable[[], Origin], name: ModelName
) -> TensorProgram:
    """A model that kernels and onnxruntime share, for calls of all shapes."""
    files = entry.data["files"]
    maker = SharedPrograms(source, entry, threads, load, lambda: name.is_of(source, files))
    if _is_dynamic(entry.interface[0]):
        return DynamicProgram(entry.interface, threads, load, maker, "shared")
    built = filled_program(entry.built, [])
    return StaticProgram(entry.interface, built, threads, load, maker, "shared")


def _is_dynamic(inputs: Sequence[TensorSpec]) -> bool:
    return any(spec.shape is None or None in spec.shape for spec in inputs)


def filled_request(entry: str | None, options: Mapping[str, Any]) -> Request:
    """The request of the arguments of `Settings.filled`, which are `checked`."""
    target = options.get("target")
    if target in (None, "host"):
        target = host_target()
    threads = threads_for(options.get("num_threads"))
    return Request(entry, _kept({**options, "target": target}), threads, *_contents(()))


def request_of(entry: str | None, settings: Settings) -> Request:
    """The request for settings; `context` is the contents of their plug-ins."""
    options = {name: value for name, value in vars(settings).items() if name != "context"}
    plugins = () if settings.context is None else settings.context.plugins
    return Request(entry, _kept(options), settings.threads, *_contents(plugins))


def _kept(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that a program depends on."""
    return {name: value for name, value in options.items() if name not in OF_COMPILATION}


def _contents(plugins: Sequence[PlugIn]) -> tuple[tuple[str, ...], str | None]:
    """`plugin_contents`, which is loaded when the process has plug-ins."""
    if not plugins and not PARTS:
        return (), None
    from snippets_mlir.driver.cache.plugin_contents import plugin_contents

    return plugin_contents(plugins)


def find_stored(
    source: object, request: Request, settings: Callable[[], Settings]
) -> tuple[str | None, TensorProgram | None]:
    """The name of a program in the cache, None if it is not kept there, and the program.

    A thread reads the dates of this package's files while the program is loaded, unless the entry
    is light. A program that other files wrote does not count.

    Args:
        source: of the program.
        request: for it.
        settings: makes the settings of the request, for recreating IR.
    """
    key = program_key(source, request)
    if key is None:
        return None, None
    written()
    path = entry_path("programs", key)
    found = None if path is None else read_unstamped(path)
    if found is None:
        return key, None
    raw, is_ours = found
    alone = is_known() or len(raw) < LIGHT
    with nullcontext(is_ours) if alone else meanwhile(is_ours) as is_valid:
        try:
            program = _loaded(source, raw, ModelName(key, request), settings)
        except Exception:
            if is_valid():
                raise
            return key, None
        return key, program if is_valid() else None


def _loaded(
    source: object, raw: bytes, name: ModelName, settings: Callable[[], Settings]
) -> TensorProgram | None:
    """The program of the entry `raw`; None if it cannot be used. See `find_stored`."""
    request, known = name.request, source_bytes(source)

    @cache
    def load() -> Origin:
        with COMPILING:
            from snippets_mlir.driver.programs.origin import Origin
            from snippets_mlir.driver.settings import default_context
            from snippets_mlir.driver.sources.load import load_source

            asked = settings()
            ctx = asked.context or default_context()
            return Origin(load_source(_same(source, known), request.entry, ctx), asked, ctx)

    threads = request.threads
    if (found := program_of(raw, threads, entry_path("programs", name.key))) is not None:
        built = found[0]
        interface = interface_of_manifest(built.program.manifest)
        program = StaticProgram(interface, built, threads, load, from_cache="program")
        return _plain(program, why_plain(found[1].get("executors", ())))
    if (session := read_session(raw)) is not None and are_unchanged(session.files, source):
        optimize_session(name.key, session, source)
        return _plain(stored_session(source, session, threads, load, name), session.data["plain"])
    if (inside := read_inside(raw)) is not None and are_unchanged(inside.session.files, source):
        return stored_session(source, inside.session, threads, load, name, inside)
    contents = None if known is None else contents_in(source, known)
    if contents is not None and (shared := read_shared(raw, contents, threads)) is not None:
        weights, path = Weights({}, contents, known), entry_path("programs", name.key)
        optimize_shared(path, raw, shared.data, weights)
        made = stored_shared(source, shared, threads, load, name)
        return _plain(made, why_plain(shared.data["regions"]))
    return None


def _plain(program: TensorProgram, reason: str | None) -> TensorProgram:
    """A program whose sessions the cache has as they were, for this reason."""
    program.unoptimized_reason = reason
    return program


def _same(source: object, known: tuple[str, bytes] | None) -> object:
    """The original `source`: a small file that has changed is replaced by its old contents."""
    if known is None or known[0] == FILE or source_bytes(source) == known:
        return source
    kind, data = known
    return Text(kind, data.decode()) if kind in TEXTS else data
