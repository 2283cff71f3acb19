"""Programs from the cache: they run without the compiler, which is loaded for their IR."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from snippets_mlir.codegen.cache import entry_path, read_entry
from snippets_mlir.driver.arguments import threads_for
from snippets_mlir.driver.built import Built
from snippets_mlir.driver.cache.program_cache import Request, program_key, program_of
from snippets_mlir.driver.cache.session_entry import SessionEntry, read_session
from snippets_mlir.driver.cache.shared_entry import SharedEntry, read_shared
from snippets_mlir.driver.cache.stored_shared import SharedPrograms, filled_program
from snippets_mlir.driver.compiled import Compiled, specs_of
from snippets_mlir.driver.compiling import COMPILING
from snippets_mlir.driver.onnx.weight_places import are_unchanged
from snippets_mlir.driver.onnx.whole_model import whole_program
from snippets_mlir.driver.source_bytes import FILE, contents_in, source_bytes
from snippets_mlir.targets.host import host_target

if TYPE_CHECKING:
    from snippets_mlir.driver.compiled import Shapes
    from snippets_mlir.driver.settings import Settings
    from snippets_mlir.driver.sources import Source
    from snippets_mlir.passmanager.context import ToolContext

    Origin = tuple[Source, Settings, ToolContext]


class StoredProgram(Compiled):
    """A compiled program that was found in the cache; all its shapes are static.

    `source`, and what IR is made of, are loaded by their first use.
    """

    def __init__(self, built: Built, threads: int, load: Callable[[], Origin]) -> None:
        self._load = load
        self._threads = threads
        manifest = built.program.manifest
        self._begin(specs_of(manifest["inputs"]), specs_of(manifest["outputs"]), dynamic=False)
        self._add(None, built)

    def __getattr__(self, name: str) -> Any:
        if name not in ("source", "_settings", "_asked", "_ctx", "_templates"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        with COMPILING:
            if name not in vars(self):  # another thread was faster
                origin = self._load()
                self._set_origin(*origin)
                if "_templates" not in vars(self):
                    from snippets_mlir.driver.dynamic.template_cache import Templates

                    self._templates = Templates(origin[0], self.inputs, *origin[1:])
        return vars(self)[name]

    @property
    def num_threads(self) -> int:
        """How many threads a kernel uses."""
        return self._threads


class StoredSession(StoredProgram):
    """A model that the cache knows to be one session, for calls of all shapes."""

    def __init__(
        self, source: object, entry: SessionEntry, threads: int, load: Callable[[], Origin]
    ) -> None:
        """`source` is the model that the entry's key names."""
        self._load = load
        self._threads = threads
        open_dims = any(spec.shape is None or None in spec.shape for spec in entry.inputs)
        self._begin(entry.inputs, entry.outputs, dynamic=open_dims)
        interface = entry.inputs, entry.outputs
        self._cuts, self._entry = entry.cuts, entry
        self._settled(whole_program(source, entry.entry, threads, *interface, entry.opaque))

    @property
    def cuts(self) -> tuple[str, ...]:
        """As `Compiled.cuts`, for the sizes that the entry was made for."""
        if not self._cuts and (shapes := self._entry.decided_for) is not None:
            from snippets_mlir.driver.onnx.programs import OnnxPrograms

            source, settings, ctx = self._load()
            interface = self._entry.inputs, self._entry.outputs
            self._cuts = OnnxPrograms(source, *interface, settings, ctx).lines_for(shapes)
        return self._cuts


class StoredShared(StoredProgram):
    """A model that kernels and onnxruntime share, for calls of all shapes."""

    def __init__(
        self, source: object, entry: SharedEntry, threads: int, load: Callable[[], Origin]
    ) -> None:
        """`source` is the model that the entry's key names."""
        self._load = load
        self._threads = threads
        inputs, outputs = entry.interface
        open_dims = any(spec.shape is None or None in spec.shape for spec in inputs)
        self._begin(inputs, outputs, dynamic=open_dims)
        self._templates = SharedPrograms(source, entry, threads, lambda: self.source)
        if not open_dims:
            built = filled_program(entry.built, [])
            self.inputs = specs_of(built.program.manifest["inputs"])
            self.outputs = specs_of(built.program.manifest["outputs"])
            self._add(None, built)

    @property
    def cuts(self) -> tuple[str, ...]:
        """As `Compiled.cuts`, for the sizes that the entry was made for."""
        return self._templates.lines

    def _added(self, shapes: Shapes | None, built: Built) -> Built:
        self._add(shapes, built)  # its passes have run, and its interface was checked then
        return built


def filled_request(entry: str | None, options: Mapping[str, Any]) -> Request:
    """The request of the arguments of `Settings.filled`, which are `checked`."""
    target = options.get("target")
    if target in (None, "host"):
        target = host_target()
    return Request(entry, {**options, "target": target}, threads_for(options.get("num_threads")))


def request_of(entry: str | None, settings: Settings) -> Request | None:
    """The request of settings; None with plugins and their targets, whose code is in no name."""
    from snippets_mlir.targets.machine import is_built_in

    if settings.context is not None or not is_built_in(settings.target):
        return None
    return Request(entry, vars(settings), settings.threads)


def find_stored(
    source: object, request: Request | None, settings: Callable[[], Settings]
) -> tuple[str | None, Compiled | None]:
    """The name of a program in the cache, None when it is not kept there; and the program.

    `settings` makes the settings of the request, for IR that is made again.
    """
    key = None if request is None else program_key(source, request)
    if request is None or key is None:
        return None, None
    path = entry_path("programs", key)
    raw = None if path is None else read_entry(path)
    if raw is None:
        return key, None
    known = source_bytes(source)

    def load() -> Origin:
        with COMPILING:
            from snippets_mlir.driver.settings import default_context
            from snippets_mlir.driver.sources import load_source

            ctx = default_context()
            return load_source(_same(source, known), request.entry, ctx), settings(), ctx

    threads = request.threads
    if (found := program_of(raw, threads)) is not None:
        return key, StoredProgram(found[0], threads, load)
    if (session := read_session(raw)) is not None and are_unchanged(session.files, source):
        return key, StoredSession(source, session, threads, load)
    contents = None if known is None else contents_in(source, known)
    if contents is not None and (shared := read_shared(raw, contents, threads)) is not None:
        return key, StoredShared(source, shared, threads, load)
    return key, None


def _same(source: object, known: tuple[str, bytes] | None) -> object:
    """`source` as it was: a small file that has changed since is replaced by what was in it."""
    if known is None or known[0] == FILE or source_bytes(source) == known:
        return source
    kind, data = known
    return data.decode() if kind == "mlir" else data
