"""Programs on tensors: what static and dynamic ones have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from typing_extensions import override

from snippets_mlir.driver.built import Built
from snippets_mlir.driver.compiled import Compiled, Interface, Kernel, specs_of
from snippets_mlir.driver.compiling import COMPILING
from snippets_mlir.driver.kernel_entry import OpaqueOp
from snippets_mlir.driver.variants import Variants
from snippets_mlir.runtime.arrays import Array, TensorSpec, as_array, check_outputs, dense
from snippets_mlir.runtime.direct import DirectCall
from snippets_mlir.runtime.engine_call import EngineCall
from snippets_mlir.runtime.perf_counts import PerfCount, PerfCounts
from snippets_mlir.support.errors import CompileError, depth_of, is_debugging

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from snippets_mlir.driver.programs.origin import Origin
    from snippets_mlir.driver.sources import Source

Shapes = tuple[tuple[int, ...], ...]


class Maker(Protocol):
    """What makes builds for sizes that are symbols: `Templates`, or those of ONNX models."""

    @property
    def compilations(self) -> int:
        """How often code was generated."""
        ...

    @property
    def is_one_session(self) -> bool:
        """Whether calls of all shapes are known to run as one session."""
        ...

    @property
    def reason(self) -> str | None:
        """Why calls need code for each shape; None: none does."""
        ...

    @property
    def lines(self) -> tuple[str, ...]:
        """See `Compiled.cuts`."""
        ...

    def built(self, shapes: Shapes | None, /) -> Built | None:
        """The build for a call; None: it needs code of its own."""
        ...

    def module(self, shapes: Shapes, /) -> ModuleOp | None:
        """What was compiled for calls with inputs of `shapes`; None: the program for these."""
        ...


class TensorProgram(Compiled):
    """A program on tensors.

    Attributes:
        compilations: how often it was compiled without its maker.
        maker: what makes builds for sizes that are symbols; None: a program from the cache.
    """

    def __init__(
        self,
        interface: Interface,
        threads: int,
        origin: Callable[[], Origin],
        maker: Maker | None,
        from_cache: str | None = None,
    ) -> None:
        """`origin` is asked once, when IR is made again or something is compiled."""
        self.inputs, self.outputs = interface
        self.from_cache = from_cache
        self.compilations = 0
        self._threads = threads
        self._load_origin = origin
        self._known_origin: Origin | None = None
        self.maker = maker
        self._latest: Built | None = None
        self._direct: DirectCall | EngineCall | None = None
        self._perf = PerfCounts()
        self._variants = Variants()

    @property
    def _origin(self) -> Origin:
        if (found := self._known_origin) is None:
            with COMPILING:
                if (found := self._known_origin) is None:  # no other thread was faster
                    found = self._known_origin = self._load_origin()
        return found

    @property
    def source(self) -> Source:
        """What it was compiled from."""
        return self._origin.source

    def __call__(self, *arrays: object, out: object = None) -> Any:
        """Run on arrays in the order of `inputs`; an array for one output, else a tuple.

        Args:
            arrays: NumPy arrays (or what `numpy.asarray` makes exactly the right type of).
            out: an array, or a sequence of one for each output, that the results are written to.

        Raises:
            TypeError: a wrong number of arrays, or a wrong element type.
            ValueError: a wrong shape, or an output that is read-only or overlaps another array.
            CompileError: the program cannot be compiled for these shapes.
        """
        if (direct := self._direct) is not None:
            if (found := direct.call(arrays, out)) is not None:
                return found
            if (direct := self._direct_for(arrays)) is not None:
                if (found := direct.call(arrays, out)) is not None:
                    return found
        if len(arrays) != len(self.inputs):
            names = ", ".join(repr(s.name) for s in self.inputs) or "none"
            raise TypeError(f"expected {len(self.inputs)} input(s) ({names}), found {len(arrays)}")
        try:
            results = self.execute(arrays, out)
        except (TypeError, ValueError) as error:
            if is_debugging():
                raise
            raise error.with_traceback(None) from None
        return results[0] if len(results) == 1 else tuple(results)

    def run(self, arrays: Mapping[str, object]) -> dict[str, Array]:
        """Run on arrays by the names of `inputs`; the results by the names of `outputs`.

        Arrays by the names of `overridable` take the place of the values that a model has.
        """
        names = [spec.name for spec in self.inputs]
        for name in arrays:
            if name not in names:
                return self._overriding(arrays, names).run(arrays)
        for name in names:
            if name not in arrays:
                raise ValueError(f"input {name!r}: missing")
        found = self(*[arrays[name] for name in names])
        results = (found,) if len(self.outputs) == 1 else found
        return {spec.name: r for spec, r in zip(self.outputs, results, strict=True)}

    @abstractmethod
    def execute(self, values: Sequence[object], out: object) -> list[Array]:
        """Run on arrays in the order of `inputs`, as a call does; the results in a list."""

    @abstractmethod
    def build_for(self, given: Sequence[Array]) -> Built:
        """The build for arrays, for networks of their own."""

    def known_builds(self) -> Sequence[Built]:
        """The builds that are kept."""
        return [] if self._latest is None else [self._latest]

    def checked(
        self, values: Sequence[object], out: object
    ) -> tuple[Built, list[Array], list[Array] | None]:
        """The build for a network, its inputs (dense) and outputs; the errors are those of a call.

        Args:
            values: in the order of `inputs`.
            out: see a call.
        """
        given = self._given(values)
        built = self.build_for(given)
        return built, *self._held(built, given, out)

    def _given(self, values: Sequence[object]) -> list[Array]:
        """The arrays of a call, one for each of `inputs`; errors as those of `__call__`."""
        return [as_array("input", s, v) for s, v in zip(self.inputs, values, strict=True)]

    def _run(self, built: Built, given: Sequence[Array], out: object) -> list[Array]:
        """Run a build on the arrays of a call; `out` is checked here."""
        return built.program.run(*self._held(built, given, out))

    def _held(
        self, built: Built, given: Sequence[Array], out: object
    ) -> tuple[list[Array], list[Array] | None]:
        """The inputs of a call, dense, and its outputs, checked."""
        specs, targets = self.inputs, None
        if out is not None:
            named = [(spec.name, array) for spec, array in zip(specs, given, strict=True)]
            targets = check_outputs(specs_of(built.program.arguments("outputs")), out, named)
        held = [a if s.is_any else dense(a) for s, a in zip(specs, given, strict=True)]
        return held, targets

    def _direct_for(self, arrays: Sequence[object]) -> DirectCall | None:
        """A short way for other shapes than those of the latest call."""
        return None

    @property
    def overridable(self) -> tuple[TensorSpec, ...]:
        """The inputs of an ONNX model that have a value (initializers): `run` takes them by name.

        Empty for other programs.
        """
        return self._overridable

    @cached_property
    def _overridable(self) -> tuple[TensorSpec, ...]:
        with COMPILING:
            from snippets_mlir.driver.onnx.overriding import overridable_of

            return overridable_of(self.source)

    def _overriding(self, arrays: Mapping[str, object], names: Sequence[str]) -> Compiled:
        """The program for arrays that are not all called as one of `names`, the inputs."""
        names = [*names, *(spec.name for spec in self.overridable)]
        for name in arrays:
            if name not in names:
                with COMPILING:
                    from snippets_mlir.support.diagnostics import close_match

                known = ", ".join(map(repr, names)) or "none"
                raise ValueError(
                    f"input {name!r}: no such input{close_match(name, names)}; inputs are {known}"
                )
        given = frozenset(spec.name for spec in self.overridable if spec.name in arrays)
        return self._variants.get(given, lambda: self._freed(given))

    def _freed(self, given: frozenset[str]) -> TensorProgram:
        """The program in which `given` are inputs; the caller has the lock of compilation."""
        from snippets_mlir.driver.onnx.overriding import without_values

        origin = self._origin
        variant = without_values(origin.source, given, origin.asked, origin.ctx)
        variant.share_counters(self._perf)
        return variant

    def share_counters(self, perf: PerfCounts) -> None:
        """Count in `perf` what kernels do."""
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
        from snippets_mlir.driver.onnx.cut_remarks import lines_of

        return lines_of(self._origin.lowered, self._origin.settings)

    def built(self) -> Built:
        """The latest build; `CompileError` when a dynamic program has none yet."""
        if self._latest is None:
            raise CompileError(
                "the program has dynamic shapes and has not been built for any yet; "
                "call it, or `specialize` it, first"
            )
        return self._latest

    @property
    def kernels(self) -> tuple[Kernel, ...]:
        """The kernel calls of the program (of the latest build, when shapes are dynamic)."""
        found = self._report()[0] if self._latest is None else self._latest.kernels
        return tuple(Kernel(e.name, e.ops, e, self, i) for i, e in enumerate(found))

    @property
    def opaque(self) -> tuple[OpaqueOp, ...]:
        """`(op, name, reason)` of each op that no kernel holds."""
        return self._report()[1] if self._latest is None else self._latest.opaque

    def _report(self) -> Any:
        with COMPILING:
            return self._origin.report()

    @property
    def perf_counts(self) -> tuple[PerfCount, ...]:
        """What the counters of `perf_count=` or `lir-insert-perf-count` say, over all calls."""
        return self._perf.counted()

    def clear_perf_counts(self) -> None:
        """Let the counters begin anew."""
        self._perf.clear()

    @property
    def seconds(self) -> Mapping[str, float]:
        """Time that the latest build took, by phase."""
        return self.built().seconds

    @property
    def passes(self) -> str:
        """The textual pipeline of the latest build."""
        passes = self.built().passes
        return passes if self.from_cache is not None else self._origin.passes(passes)

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
        """The IR of kernel `index` alone; see `ir`."""
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
