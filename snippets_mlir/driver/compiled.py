"""The compiled program that `compile` returns, with calls, IR and facts.

`StaticProgram` and `DynamicProgram` compute on tensors of static and of dynamic sizes, with the
base class `TensorProgram`; `MemRefProgram` is a function on memrefs. Methods load the compiler on
demand: a program from the cache does not need it to run.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from snippets_mlir.driver.reports.kernel_entry import KernelEntry, OpaqueOp
from snippets_mlir.runtime.arguments.arrays import TensorSpec
from snippets_mlir.runtime.perf_counts import PerfCount

if TYPE_CHECKING:
    from snippets_mlir.driver.building.built import Built
    from snippets_mlir.driver.sources.load import Source


@dataclass(frozen=True)
class Kernel:
    """One kernel call of a program.

    Attributes:
        name: the symbol of its code; calls of equal subgraphs share one.
        ops: full names of the ops it computes, in order, as in `snippets.multiply`, without
            constants.
        entry: further facts: loops, buffers, scratchpad, domain; see `KernelEntry`.
    """

    name: str
    ops: tuple[str, ...]
    entry: KernelEntry
    _owner: Compiled
    _index: int

    def ir(self, stage: str) -> str:
        """The kernel's IR at `stage`, made again now; see `Compiled.ir`."""
        return self._owner.kernel_ir(self._index, stage)

    def __repr__(self) -> str:
        """Without the program that holds it."""
        return f"Kernel(name={self.name!r}, ops={self.ops!r})"

    def _repr_svg_(self) -> str | None:
        """Its picture at the end of the linear IR, for notebooks; None if it has none."""
        from snippets_mlir.driver.reports.notebooks import svg_of

        return svg_of(self)


class Compiled(ABC):
    """A compiled program; made by `snippets_mlir.compile`.

    It may be called from several Python threads at once.

    Attributes:
        inputs: its inputs, in order: the arguments of the lowered program.
        outputs: its outputs, in order.
        on_memrefs: whether it is a function on memrefs, which writes to its arguments.
        from_cache: the kind of cache entry that it was found in; None: it was compiled. Of MLIR
            with dynamic dims: "template" if calls came, and their code was in the cache.
        unoptimized_reason: why onnxruntime optimizes sessions of it at each load from the cache;
            None if there are none, or if the program is not from the cache.
        ask_uncached: computes `uncached_reason`, if there may be one.
        compiled_from: the function that compiles it again, and its arguments; None for objects in
            memory.
    """

    on_memrefs: ClassVar[bool] = False
    inputs: tuple[TensorSpec, ...]
    outputs: tuple[TensorSpec, ...]
    from_cache: str | None = None
    unoptimized_reason: str | None = None
    ask_uncached: Callable[[], str | None] | None = None
    compiled_from: tuple[Callable[..., Compiled], tuple[Any, ...]] | None = None

    @property
    def uncached_reason(self) -> str | None:
        """Why plug-ins or changed files of this package keep it out of the cache, or None."""
        return None if self.ask_uncached is None else self.ask_uncached()

    def __reduce__(self) -> tuple[Any, ...]:
        """The pickled form: the text or the path of the file, and the arguments of `compile`.

        Unpickling compiles it again, or finds it in the cache.

        Raises:
            TypeError: it was compiled from an object in memory, or with plug-ins.
        """
        if self.compiled_from is None:
            raise TypeError(
                "a program is pickled if it was compiled from text or a file, without plug-ins; "
                "pickle what it was compiled from"
            )
        return self.compiled_from

    @abstractmethod
    def __call__(self, *arrays: object, out: object = None) -> Any:
        """Run on arrays in the order of `inputs`."""

    @abstractmethod
    def run(self, arrays: Mapping[str, object]) -> dict[str, Any]:
        """Run on arrays by the names of `inputs`; the results by the names of `outputs`."""

    @property
    @abstractmethod
    def source(self) -> Source:
        """The source of the program."""

    @abstractmethod
    def built(self) -> Built:
        """The latest build; CompileError if there is none."""

    @abstractmethod
    def ir(self, stage: str) -> str:
        """The whole program's IR at `stage`, made again now.

        `stage` is `graph`, `subgraph`, `lir`, `vector`, `llvm`, `program`, `llvm-ir`, `asm` or the
        name of a pass (after it ran). Raises `ValueError` for any other.
        """

    @abstractmethod
    def kernel_ir(self, index: int, stage: str) -> str:
        """The IR of only kernel `index`; see `ir`."""

    @abstractmethod
    def reference(self) -> tuple[Source, str | None]:
        """The program that results are compared with, and the pass that gave it its interface.

        It is the source and None, unless a pass changed the types of arguments or results. The
        reference is then the result of the last such pass: it is called with the same arrays.
        """

    @property
    @abstractmethod
    def kernels(self) -> tuple[Kernel, ...]:
        """The kernel calls of the program (of the latest build, when shapes are dynamic)."""

    @property
    @abstractmethod
    def opaque(self) -> tuple[OpaqueOp, ...]:
        """`(op, name, reason)` of each op that is in no kernel."""

    @property
    @abstractmethod
    def passes(self) -> str:
        """The textual pipeline of the latest build."""

    @property
    @abstractmethod
    def num_threads(self) -> int:
        """How many threads a kernel uses."""

    @property
    @abstractmethod
    def seconds(self) -> Mapping[str, float]:
        """Time that the latest build took, by phase."""

    @property
    @abstractmethod
    def perf_counts(self) -> tuple[PerfCount, ...]:
        """The counters of `perf_count=` or `lir-insert-perf-count`, over all calls."""

    @abstractmethod
    def clear_perf_counts(self) -> None:
        """Let the counters begin anew."""

    @property
    def dynamic(self) -> bool:
        """Whether some size is known only when it is called."""
        return False

    @property
    def overridable(self) -> tuple[TensorSpec, ...]:
        """The inputs of an ONNX model that have a value (initializers): `run` accepts them by name.

        Empty for other programs.
        """
        return ()

    @property
    def cuts(self) -> tuple[str, ...]:
        """Each candidate for a kernel in a program that onnxruntime shares, as `kernel` or
        `engine`: the savings of a kernel, and the cost of its cut.

        For an ONNX model they are the candidates of the plan, for the sizes of the first call;
        empty before it. For a program in MLIR a dim `?` counts as 64. Empty for programs without
        onnxruntime, and if the caller decides (`fallback`, `pipeline`, `partitioner`).
        """
        return ()

    @property
    def compiled_times(self) -> int:
        """How often code was generated: once for a static program, else once for each mask."""
        return 1

    @property
    def per_shape(self) -> str | None:
        """Why a dynamic program needs code for each shape, or None when it does not."""
        return None

    @property
    def compile_count(self) -> int:
        """`compiled_times`, which is a number."""
        return self.compiled_times

    @property
    def per_shape_reason(self) -> str | None:
        """`per_shape`, which is a text."""
        return self.per_shape

    def __repr__(self) -> str:
        """The kind of program, and its inputs."""
        inputs, outputs = (", ".join(map(str, specs)) for specs in (self.inputs, self.outputs))
        return f"<{type(self).__name__} ({inputs}) -> ({outputs})>"

    def __dir__(self) -> list[str]:
        """The names of this class; names of subclasses are implementation details."""
        hidden = {"ask_uncached", "built", "compiled_from"}
        names = {*vars(Compiled), *Compiled.__annotations__} - hidden
        return sorted(name for name in names if name.startswith("__") or name[0] != "_")

    def _repr_html_(self) -> str:
        from snippets_mlir.driver.reports.notebooks import html_of

        return html_of(self)

    def specialize(self, shapes: Mapping[str, Sequence[int]]) -> None:
        """Build a dynamic program for input shapes, by name, before the first call with them."""

    @property
    def manifest(self) -> Mapping[str, Any]:
        """The program as JSON-able data; see `snippets_mlir.emit.manifest`."""
        return self.built().program.manifest
