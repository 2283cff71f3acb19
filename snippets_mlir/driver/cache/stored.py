"""Programs from the cache: they run without the compiler, which is loaded for their IR."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from snippets_mlir.codegen.cache import entry_path, read_entry
from snippets_mlir.driver.arguments import OF_COMPILATION, threads_for
from snippets_mlir.driver.built import Built
from snippets_mlir.driver.cache.inside_entry import InsideEntry, read_inside
from snippets_mlir.driver.cache.program_cache import Request, program_key, program_of
from snippets_mlir.driver.cache.session_entry import SessionEntry, read_session
from snippets_mlir.driver.cache.shared_entry import SharedEntry, read_shared
from snippets_mlir.driver.cache.stored_shared import SharedPrograms, filled_program
from snippets_mlir.driver.cache.storing import finish
from snippets_mlir.driver.compiling import COMPILING
from snippets_mlir.driver.onnx.weight_places import are_unchanged
from snippets_mlir.driver.onnx.whole_model import whole_program
from snippets_mlir.driver.programs.dynamic import DynamicProgram
from snippets_mlir.driver.programs.maker import Shapes
from snippets_mlir.driver.programs.static import StaticProgram
from snippets_mlir.driver.programs.tensors import TensorProgram
from snippets_mlir.driver.source_bytes import FILE, Text, contents_in, source_bytes
from snippets_mlir.driver.specs import interface_of_manifest
from snippets_mlir.frontends.texts import TEXTS
from snippets_mlir.runtime.arrays import TensorSpec
from snippets_mlir.runtime.inside import inside_session
from snippets_mlir.runtime.program import Program
from snippets_mlir.support.outside import PARTS, PlugIn
from snippets_mlir.targets.host import host_target

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from snippets_mlir.driver.programs.origin import Origin
    from snippets_mlir.driver.settings import Settings


class SessionPrograms:
    """The builds of a model that the cache knows to be one session; the interface is `Maker`."""

    compilations = 0
    is_one_session = True
    reason = None

    def __init__(
        self,
        source: object,
        entry: SessionEntry,
        threads: int,
        load: Callable[[], Origin],
        inside: InsideEntry | None = None,
    ) -> None:
        """`source` is the model that the entry's key names; `inside` has the kernels inside."""
        self._entry, self._load, self._inside = entry, load, inside
        interface = entry.inputs, entry.outputs
        session = kernels = None
        if inside is not None:
            kernels = inside.kernels
            session = inside_session(inside.model, inside.operators, kernels.code, threads)
        self._built = whole_program(
            source, entry.entry, threads, *interface, entry.opaque, session, kernels
        )
        self._lines = entry.cuts

    def built(self, shapes: Shapes | None) -> Built:
        """The build of the session, which is the same for all shapes."""
        return self._built

    def template(self, shapes: Shapes) -> tuple[Program, list[int]] | None:
        """None: a session has no symbols."""
        return None

    def module(self, shapes: Shapes) -> ModuleOp | None:
        """What the kernels inside were compiled from; None where there are none."""
        if self._inside is None:
            return None
        from snippets_mlir.driver.onnx.inside.kernels import module_of

        return module_of(self._inside.chains)

    @property
    def lines(self) -> tuple[str, ...]:
        """As `Compiled.cuts`, for the sizes that the entry was made for."""
        if not self._lines and (shapes := self._entry.decided_for) is not None:
            from snippets_mlir.driver.onnx.programs import OnnxPrograms

            origin, interface = self._load(), (self._entry.inputs, self._entry.outputs)
            made = OnnxPrograms(origin.source, *interface, origin.asked, origin.ctx)
            self._lines = made.lines_for(shapes)
        return (*self._lines, *(() if self._inside is None else self._inside.lines))


def stored_session(
    source: object,
    entry: SessionEntry,
    threads: int,
    load: Callable[[], Origin],
    inside: InsideEntry | None = None,
) -> TensorProgram:
    """A model that the cache knows to be one session, for calls of all shapes."""
    maker = SessionPrograms(source, entry, threads, load, inside)
    interface = entry.inputs, entry.outputs
    if _is_dynamic(entry.inputs):
        return DynamicProgram(interface, threads, load, maker, "session")
    return StaticProgram(interface, maker.built(None), threads, load, maker, "session")


def stored_shared(
    source: object, entry: SharedEntry, threads: int, load: Callable[[], Origin]
) -> TensorProgram:
    """A model that kernels and onnxruntime share, for calls of all shapes."""
    maker = SharedPrograms(source, entry, threads, lambda: load().source)
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
    """The request of settings; their context is what its plug-ins contain."""
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
    """The name of a program in the cache, None when it is not kept there; and the program.

    `settings` makes the settings of the request, for IR that is made again.
    """
    key = program_key(source, request)
    if key is None:
        return None, None
    finish()
    path = entry_path("programs", key)
    raw = None if path is None else read_entry(path)
    if raw is None:
        return key, None
    known = source_bytes(source)

    @cache
    def load() -> Origin:
        with COMPILING:
            from snippets_mlir.driver.programs.origin import Origin
            from snippets_mlir.driver.settings import default_context
            from snippets_mlir.driver.sources import load_source

            asked = settings()
            ctx = asked.context or default_context()
            return Origin(load_source(_same(source, known), request.entry, ctx), asked, ctx)

    threads = request.threads
    if (found := program_of(raw, threads)) is not None:
        built = found[0]
        interface = interface_of_manifest(built.program.manifest)
        return key, StaticProgram(interface, built, threads, load, from_cache="program")
    if (session := read_session(raw)) is not None and are_unchanged(session.files, source):
        return key, stored_session(source, session, threads, load)
    if (inside := read_inside(raw)) is not None and are_unchanged(inside.session.files, source):
        return key, stored_session(source, inside.session, threads, load, inside)
    contents = None if known is None else contents_in(source, known)
    if contents is not None and (shared := read_shared(raw, contents, threads)) is not None:
        return key, stored_shared(source, shared, threads, load)
    return key, None


def _same(source: object, known: tuple[str, bytes] | None) -> object:
    """`source` as it was: a small file that has changed since is replaced by what was in it."""
    if known is None or known[0] == FILE or source_bytes(source) == known:
        return source
    kind, data = known
    return Text(kind, data.decode()) if kind in TEXTS else data
