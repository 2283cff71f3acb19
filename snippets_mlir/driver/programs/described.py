"""The description of a program on tensors: kernels, times, pipelines, and IR at any stage."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from typing_extensions import override

from snippets_mlir.driver.building.built import Built, of_call
from snippets_mlir.driver.compiled import Compiled, Kernel
from snippets_mlir.driver.compiling import COMPILING
from snippets_mlir.driver.programs.maker import Maker
from snippets_mlir.driver.programs.specs import Interface
from snippets_mlir.driver.reports.kernel_entry import OpaqueOp
from snippets_mlir.runtime.perf_counts import PerfCount, PerfCounts
from snippets_mlir.support.errors import CompileError, depth_of

if TYPE_CHECKING:
    from snippets_mlir.driver.programs.origin import Origin
    from snippets_mlir.driver.sources.load import Source


class DescribedProgram(Compiled):
    """A program on tensors, as a caller may look at it.

    Attributes:
        compilations: how often it was compiled without its maker.
        maker: makes builds for symbolic sizes; None: a program from the cache.
        from_entry: whether a cache entry has the whole program.
    """

    def __init__(
        self,
        interface: Interface,
        threads: int,
        origin: Callable[[], Origin],
        maker: Maker | None,
        from_cache: str | None = None,
    ) -> None:
        """`origin` is called once, when IR is made again or something is compiled."""
        self.inputs, self.outputs = interface
        self.from_cache = from_cache
        self.from_entry = from_cache is not None
        self.compilations = 0
        self._threads = threads
        self._load_origin = origin
        self._known_origin: Origin | None = None
        self.maker = maker
        self._latest: Built | None = None
        self._perf = PerfCounts()

    @property
    def _origin(self) -> Origin:
        if (found := self._known_origin) is None:
            with COMPILING:
                if (found := self._known_origin) is None:  # no other thread was faster
                    found = self._known_origin = self._load_origin()
        return found

    @property
    @override
    def source(self) -> Source:
        return self._origin.source

    def share_counters(self, perf: PerfCounts) -> None:
        """Let kernels count in `perf`."""
        self._perf = perf
        if self._latest is not None:
            self._latest.program.perf = perf

    @property
    def compiled_times(self) -> int:
        """How often code was generated: once for a static program, else once for each mask."""
        return self.compilations + (0 if self.maker is None else self.maker.compilations)

    @property
    @override
    def cuts(self) -> tuple[str, ...]:
        if self.maker is not None:
            return self.maker.lines
        from snippets_mlir.driver.onnx.cuts.remarks import lines_of

        return lines_of(self._origin.lowered, self._origin.settings)

    def _current(self) -> Built | None:
        """The build of the latest call, or of a program built before calls; None: neither."""
        return self._latest

    def built(self) -> Built:
        """The latest build; `CompileError` if a dynamic program has none yet."""
        if (latest := self._current()) is None:
            raise CompileError(
                "the program has dynamic shapes and has not been built for any yet; "
                "call it, or `specialize` it, first"
            )
        return latest

    @property
    def kernels(self) -> tuple[Kernel, ...]:
        """The kernel calls of the program (of the latest build, when shapes are dynamic)."""
        latest = self._current()
        found = self._report()[0] if latest is None else of_call(latest)
        return tuple(Kernel(e.name, e.ops, e, self, i) for i, e in enumerate(found))

    @property
    def opaque(self) -> tuple[OpaqueOp, ...]:
        """`(op, name, reason)` of each op that is in no kernel."""
        latest = self._current()
        return self._report()[1] if latest is None else latest.opaque

    def _report(self) -> Any:
        with COMPILING:
            return self._origin.report()

    @property
    def perf_counts(self) -> tuple[PerfCount, ...]:
        """The counters of `perf_count=` or `lir-insert-perf-count`, over all calls."""
        return self._perf.counted()

    @override
    def clear_perf_counts(self) -> None:
        self._perf.clear()

    @property
    def seconds(self) -> Mapping[str, float]:
        """Time that the latest build took, by phase."""
        return self.built().seconds

    @property
    def passes(self) -> str:
        """The textual pipeline of the latest build."""
        passes = self.built().passes
        return passes if self.from_entry else self._origin.passes(passes)

    def pass_names(self) -> list[str]:
        """The passes of the latest build, in order; named pipelines are spelled out."""
        with COMPILING:
            from snippets_mlir.passmanager.pipeline import parse_pipeline

            return [p.name for p in parse_pipeline(self.passes, self._origin.ctx)]

    @property
    def num_threads(self) -> int:
        """How many threads a kernel uses."""
        return self._threads

    @override
    def ir(self, stage: str) -> str:
        with COMPILING, depth_of("the program"):
            from snippets_mlir.driver.replay import text_of

            return text_of(self.replayed(stage), stage, self._origin.settings.target)

    def kernel_ir(self, index: int, stage: str) -> str:
        """The IR of only kernel `index`; see `ir`."""
        with COMPILING, depth_of("the program"):
            from snippets_mlir.driver.replay import kernel_part, text_of

            module = self.replayed(stage)
            kernel = self.built().kernels[index]
            place = index if kernel.place is None else kernel.place
            part = kernel_part(module, self.source.entry, kernel.name, place)
            return text_of(part, stage, self._origin.settings.target)

    @override
    def reference(self) -> tuple[Source, str | None]:
        passes = "" if self.dynamic else self.passes
        with COMPILING:
            return self._origin.reference((self.inputs, self.outputs), passes)

    @abstractmethod
    def replayed(self, stage: str) -> Any:
        """The module at `stage`, made again now; the caller has the lock of compilation."""
