"""A compiled program as the user holds it: it is called, asked for its parts, and specialised.

What compiles is loaded by the methods that need it: a program from the cache does without.

A program whose inputs have dynamic dims is compiled for the mask of a call (which dims are 1), and
filled in for its shapes; programs that need it are compiled for each shape. The last few of both
are kept.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, cast

from snippets_mlir.codegen.locks import KEEPING
from snippets_mlir.driver.built import Built
from snippets_mlir.driver.compiling import COMPILING
from snippets_mlir.driver.kernel_entry import KernelEntry, OpaqueOp
from snippets_mlir.driver.variants import Variants
from snippets_mlir.runtime.arrays import (
    Array,
    TensorSpec,
    as_array,
    check_outputs,
    dense,
    dtype_from_name,
)
from snippets_mlir.runtime.direct import DirectCall, direct_call
from snippets_mlir.runtime.engine_call import EngineCall, engine_call
from snippets_mlir.runtime.perf_counts import PerfCount, PerfCounts
from snippets_mlir.support.errors import CompileError, depth_of

if TYPE_CHECKING:
    from snippets_mlir.driver.build import Report
    from snippets_mlir.driver.dynamic.template_cache import Templates
    from snippets_mlir.driver.interface import Front
    from snippets_mlir.driver.onnx.programs import OnnxPrograms
    from snippets_mlir.driver.settings import Settings
    from snippets_mlir.driver.sources import Source
    from snippets_mlir.passmanager.context import ToolContext

MAX_SPECIALIZATIONS = 16

Shapes = tuple[tuple[int, ...], ...]

Interface = tuple[tuple[TensorSpec, ...], tuple[TensorSpec, ...]]
"""Inputs and outputs."""


@dataclass(frozen=True)
class Kernel:
    """One kernel call of a program.

    Attributes:
        name: the symbol of its code; calls of equal subgraphs share one.
        ops: full names of the ops it computes, in order, as in `snippets.multiply`; constants are
            left out.
        entry: what else is known of it: loops, buffers, scratchpad, domain; see `KernelEntry`.
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


class Compiled:
    """A compiled program; made by `snippets_mlir.compile`.

    It may be called from several Python threads at once.

    Attributes:
        source: what it was compiled from.
        inputs: what it is called with, in order: the arguments of the lowered program.
        outputs: what it returns, in order.
        on_memrefs: whether it writes to its arguments, being a function on memrefs.
    """

    on_memrefs: ClassVar[bool] = False
    inputs: tuple[TensorSpec, ...]
    outputs: tuple[TensorSpec, ...]
    _front: Front | None = None

    def __init__(
        self, source: Source, settings: Settings, ctx: ToolContext, key: str | None = None
    ) -> None:
        """`key` is the name of the program in the cache, None when it is not kept there."""
        from snippets_mlir.driver.cache.program_cache import keep_program
        from snippets_mlir.driver.interface import interface_of_source

        self._set_origin(source, settings, ctx)
        if source.is_dynamic:
            self._set_front()
        lowered = self._lowered
        self._begin(*interface_of_source(lowered), dynamic=lowered.is_dynamic)
        from snippets_mlir.driver.onnx.programs import shares_with_engine

        shares = shares_with_engine(lowered, self._settings)
        if not shares and source.has_external_data:
            key = None  # other files may change while the source does not
        self._templates = self._made_templates(key, shares)
        if not self._dynamic:
            built = self._built(None)
            if not built.any_shape:
                self.inputs, self.outputs = _interface(built.program.manifest)
            if key is not None and self._front is None and not shares:
                keep_program(key, built)

    def _made_templates(self, key: str | None, shares: bool) -> Templates | OnnxPrograms:
        """What compiles for sizes that are symbols; `OnnxPrograms` keep themselves in the cache."""
        from snippets_mlir.driver.dynamic.template_cache import Templates
        from snippets_mlir.driver.onnx.programs import OnnxPrograms

        origin = self._lowered, self.inputs
        if shares:
            return OnnxPrograms(*origin, self.outputs, self._settings, self._ctx, key)
        return Templates(*origin, self._settings, self._ctx, key)

    def _set_origin(self, source: Source, settings: Settings, ctx: ToolContext) -> None:
        """What it is compiled from, how, and with what."""
        self.source = source
        self._settings = self._asked = settings
        self._ctx = ctx

    def _set_front(self) -> None:
        """Of a dynamic program: run the passes that give it its interface; see `Front`."""
        from snippets_mlir.driver.interface import dynamic_front

        if not self._settings.is_default:
            self._front = dynamic_front(self.source, self._settings, self._ctx)
        if self._front is not None:
            self._settings = replace(self._settings, pipeline=self._front.rest, insert_passes=())

    @property
    def _lowered(self) -> Source:
        """What is compiled: the source, or what passes made of a dynamic one before any call."""
        return self.source if self._front is None else self._front.source

    def _begin(
        self, inputs: tuple[TensorSpec, ...], outputs: tuple[TensorSpec, ...], *, dynamic: bool
    ) -> None:
        """Be a program that nothing is built of yet."""
        self.inputs, self.outputs = inputs, outputs
        self._dynamic = dynamic
        self._builds: OrderedDict[Shapes | None, Built] = OrderedDict()
        self.compilations = 0
        self._latest: Built | None = None
        self._perf = PerfCounts()
        self._directs: dict[Shapes | None, DirectCall | None] = {}
        self._direct: DirectCall | EngineCall | None = None
        self._one: Built | None = None  # runs calls of all shapes
        self._variants = Variants()

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
            if self._dynamic and (direct := self._direct_for(arrays)) is not None:
                if (found := direct.call(arrays, out)) is not None:
                    return found
        if len(arrays) != len(self.inputs):
            names = ", ".join(repr(s.name) for s in self.inputs) or "none"
            raise TypeError(f"expected {len(self.inputs)} input(s) ({names}), found {len(arrays)}")
        return self._unpacked(self._execute(arrays, out))

    def _unpacked(self, results: list[Array]) -> Array | tuple[Array, ...]:
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

    @cached_property
    def overridable(self) -> tuple[TensorSpec, ...]:
        """The inputs of an ONNX model that have a value (initializers): `run` takes them by name.

        Empty for other programs.
        """
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

    def _freed(self, given: frozenset[str]) -> Compiled:
        """The program in which `given` are inputs; the caller has the lock of compilation."""
        from snippets_mlir.driver.onnx.overriding import without_values

        variant = without_values(self.source, given, self._asked, self._ctx)
        variant.share_counters(self._perf)
        return variant

    def share_counters(self, perf: PerfCounts) -> None:
        """Count in `perf` what kernels do."""
        self._perf = perf
        for built in self._builds.values():
            built.program.perf = perf

    def execute(self, values: Sequence[object], out: object) -> list[Array]:
        """Run on arrays in the order of `inputs`, as a call does; the results in a list."""
        return self._execute(values, out)

    def _execute(self, values: Sequence[object], out: object) -> list[Array]:
        specs = self.inputs
        given = [as_array("input", s, v) for s, v in zip(specs, values, strict=True)]
        shapes = tuple(map(_shape, given)) if self._dynamic else None
        known = shapes in self._builds
        built = self._built(shapes)
        if known and shapes not in self._directs:
            self._add_direct(shapes, built)
        targets = None
        if out is not None:
            named = [(spec.name, array) for spec, array in zip(specs, given, strict=True)]
            targets = check_outputs(specs_of(built.program.manifest["outputs"]), out, named)
        held = [a if s.is_any else dense(a) for s, a in zip(specs, given, strict=True)]
        return built.program.run(held, targets)

    def _add_direct(self, shapes: Shapes | None, built: Built) -> None:
        """Make the short way of a build that is used, by a dynamic program a second time."""
        inputs, outputs = self.inputs, self.outputs
        if self._dynamic:
            manifest = built.program.manifest
            inputs, outputs = _interface(manifest)
        direct = direct_call(built.program, inputs, outputs, built.code)
        with KEEPING:
            if self._builds.get(shapes) is built:
                self._directs[shapes] = direct
                if self._latest is built:
                    self._direct = direct

    def _direct_for(self, arrays: Sequence[object]) -> DirectCall | None:
        """The short way of the build for the shapes of arrays, which is then the latest one."""
        try:
            shapes = tuple([cast("Array", array).shape for array in arrays])
            direct = self._directs.get(shapes)
        except (AttributeError, TypeError):  # not arrays: a list, or what only looks like one
            return None
        if direct is not None:
            self._built(shapes)
        return direct

    def _built(self, shapes: Shapes | None) -> Built:
        """The build for the shapes of a call, None for a program that is not dynamic."""
        if (found := self._one or self._found(shapes)) is not None:
            return found
        with depth_of("the program"):
            filled = self._templates.built(shapes)
        if filled is not None:
            if self._templates.is_one_session:
                return self._settled(filled)
            return self._added(shapes, filled)
        with COMPILING, depth_of("the program"):
            from snippets_mlir.driver.build import build

            if (found := self._found(shapes)) is not None:  # another thread was faster
                return found
            module = self._lowered.module_for(self._named(shapes))
            built = build(module, self.source.entry, self._settings, self._ctx)
            self.compilations += 1
            return self._added(shapes, built)

    def _found(self, shapes: Shapes | None) -> Built | None:
        """The build for the shapes of a call, which is then the latest one, if it is there."""
        with KEEPING:
            if (found := self._builds.get(shapes)) is not None:
                self._builds.move_to_end(shapes)
                self._latest, self._direct = found, self._directs.get(shapes)
            return found

    def _settled(self, built: Built) -> Built:
        """Be a program that runs calls of all shapes as one session."""
        built.program.perf = self._perf
        with KEEPING:
            self._one = self._latest = built
            self._direct = engine_call(built.program, self.inputs)
        return built

    def _added(self, shapes: Shapes | None, built: Built) -> Built:
        """Keep a new build.

        `CompileError` when passes made another program of it than callers were told.
        """
        from snippets_mlir.driver.interface import check_interface

        if not built.any_shape:
            check_interface(built.program.manifest, (self.inputs, self.outputs), shapes)
        self._add(shapes, built)
        return built

    def _add(self, shapes: Shapes | None, built: Built) -> None:
        """Keep a build for the shapes of a call; it is the latest one."""
        built.program.perf = self._perf
        dropped: list[object] = []  # outside of the lock
        with KEEPING:
            dropped += [self._builds.pop(shapes, None), self._directs.pop(shapes, None)]
            self._builds[shapes] = self._latest = built
            self._direct = None
            if len(self._builds) > MAX_SPECIALIZATIONS:
                oldest, other = self._builds.popitem(last=False)
                dropped += [other, self._directs.pop(oldest, None)]

    def _named(self, shapes: Shapes | None) -> dict[str, tuple[int, ...]] | None:
        if shapes is None:
            return None
        return {s.name: shape for s, shape in zip(self.inputs, shapes, strict=True)}

    @property
    def dynamic(self) -> bool:
        """Whether some size is known to a call only."""
        return self._dynamic

    @property
    def compiled_times(self) -> int:
        """How often code was generated: once for a static program, else once for each mask."""
        return self.compilations + self._templates.compilations

    @property
    def cuts(self) -> tuple[str, ...]:
        """Each candidate for a kernel beside what onnxruntime runs, as `kernel` or `engine`: what a
        kernel saves, and what its cut costs.

        Of an ONNX model those of the plan, for the sizes of the first call; empty before it. Of a
        program in MLIR a dim `?` counts as 64. Empty for programs of which onnxruntime runs
        nothing, and where the caller decides (`fallback`, `pipeline`, `partitioner`).
        """
        from snippets_mlir.driver.onnx.cut_remarks import lines_of
        from snippets_mlir.driver.onnx.programs import OnnxPrograms

        templates = getattr(self, "_templates", None)  # programs on memrefs have none
        if isinstance(templates, OnnxPrograms):
            return templates.lines
        return () if templates is None else lines_of(self._lowered, self._settings)

    @property
    def per_shape(self) -> str | None:
        """Why a dynamic program needs code for each shape, or None when it does not."""
        return self._templates.reason

    def specialize(self, shapes: Mapping[str, Sequence[int]]) -> None:
        """Build a dynamic program for input shapes before the first call with them."""
        if self._dynamic:
            self._built(tuple(tuple(shapes[spec.name]) for spec in self.inputs))

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
        if self._latest is not None:
            found = self._latest.kernels
        else:
            found = self._graph_report()[0]
        return tuple(Kernel(e.name, e.ops, e, self, i) for i, e in enumerate(found))

    @property
    def opaque(self) -> tuple[OpaqueOp, ...]:
        """`(op, name, reason)` of each op that no kernel holds."""
        return self._latest.opaque if self._latest is not None else self._graph_report()[1]

    def _graph_report(self) -> Report:
        with COMPILING:
            from snippets_mlir.driver.build import held_by_graph

            module = self._lowered.module_for(None)
            return held_by_graph(module, self.source.entry, self._settings, self._ctx)

    @property
    def manifest(self) -> Mapping[str, Any]:
        """The program as JSON-able data; see `snippets_mlir.emit.manifest`."""
        return self.built().program.manifest

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
        return passes if self._front is None else f"{self._front.passes},{passes}"

    @property
    def num_threads(self) -> int:
        """How many threads a kernel uses."""
        return self._settings.threads

    def ir(self, stage: str) -> str:
        """The whole program's IR at `stage`, made again now.

        `stage` is `graph`, `subgraph`, `lir`, `vector`, `llvm`, `llvm-ir`, `asm` or the name of a
        pass (after it ran). Raises `ValueError` for any other.
        """
        with COMPILING, depth_of("the program"):
            from snippets_mlir.driver.replay import text_of

            return text_of(self._replayed(stage), stage, self._settings.target)

    def kernel_ir(self, index: int, stage: str) -> str:
        """The IR of kernel `index` alone; see `ir`."""
        with COMPILING, depth_of("the program"):
            from snippets_mlir.driver.replay import kernel_part, text_of

            module = self._replayed(stage)
            symbol = self.built().kernels[index].name
            part = kernel_part(module, self.source.entry, symbol, index)
            return text_of(part, stage, self._settings.target)

    def reference(self) -> tuple[Source, str | None]:
        """The program that results are compared with, and the pass that gave it its interface.

        It is the source and None, unless a pass gave the arguments or results other types. What the
        last such pass left is the reference then: it is called with the same arrays.
        """
        if self._front is not None:
            return self._front.source, self._front.last
        if self._dynamic:
            return self.source, None
        with COMPILING:
            from snippets_mlir.driver.interface import reference_source

            interface = self.inputs, self.outputs
            return reference_source(self.source, self.passes, interface, self._ctx)

    def replayed(self, stage: str) -> Any:
        """The module at `stage`, made again now; the caller has the lock of compilation."""
        return self._replayed(stage)

    def _replayed(self, stage: str) -> Any:
        """The module at `stage`; the caller has the lock of compilation."""
        from snippets_mlir.driver.replay import replay

        built = self.built()
        if self._front is not None and self._front.has(stage):
            return self._front.replayed(self.source, stage, self._ctx)
        with KEEPING:
            shapes = next((key for key, value in self._builds.items() if value is built), None)
        module = None if shapes is None else self._templates.module(shapes)
        if module is None:
            module = self._lowered.module_for(self._named(shapes))
        return replay(module, self.source.entry, self._ctx, built.passes, stage)


def specs_of(described_values: Sequence[Mapping[str, Any]]) -> tuple[TensorSpec, ...]:
    """The interface that a manifest describes."""
    return tuple(
        TensorSpec(
            v["name"],
            None if v["shape"] is None else tuple(v["shape"]),
            dtype_from_name(v["dtype"]),
        )
        for v in described_values
    )


def _shape(value: Array) -> tuple[int, ...]:
    """The shape of what a program is called with; a list of onnxruntime's has none."""
    return getattr(value, "shape", ())


def _interface(manifest: Mapping[str, Any]) -> Interface:
    return specs_of(manifest["inputs"]), specs_of(manifest["outputs"])
