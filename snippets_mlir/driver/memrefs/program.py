"""Programs on memrefs: a function of `affine`, `scf`, `memref`, `arith`, `vector` as a callable.

    m = snippets_mlir.compile('''
    func.func @saxpy(%a: f32, %x: memref<?xf32>, %y: memref<?xf32>) {
      %c0 = arith.constant 0 : index
      %n = memref.dim %x, %c0 : memref<?xf32>
      affine.for %i = 0 to %n { ... }
      func.return
    }''')
    m(2.0, x, y)               # y changes in place

Arguments are NumPy arrays and numbers. Arrays are passed in place, with their strides, for any
sizes that the types allow, so nothing is compiled at a call. Results are returned by value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

from typing_extensions import override
from xdsl.dialects.builtin import IntegerAttr, ModuleOp
from xdsl.passes import ModulePass

from snippets_mlir.analysis.loops.access_bounds import accesses_of
from snippets_mlir.codegen.cache import cached
from snippets_mlir.codegen.load import LoadedObject
from snippets_mlir.dialects.program.host import find_host_function
from snippets_mlir.driver.building.build import Built
from snippets_mlir.driver.building.stopwatch import Stopwatch
from snippets_mlir.driver.compiled import Compiled, Kernel
from snippets_mlir.driver.compiling import COMPILING
from snippets_mlir.driver.memrefs.functions import isolate, refuse_rest
from snippets_mlir.driver.memrefs.interface import MemRefInterface, Specs
from snippets_mlir.driver.memrefs.passes import memref_passes, refuse_debugging
from snippets_mlir.driver.reports.messages import OpaqueOp
from snippets_mlir.driver.settings import Settings
from snippets_mlir.driver.sources.load import Source
from snippets_mlir.emit.llvm_text import emit_llvm
from snippets_mlir.passmanager.context import ToolContext
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.runtime.arguments.arrays import check_named
from snippets_mlir.runtime.memref_calls.memrefs import MemRefFunction
from snippets_mlir.runtime.parallel.teams import TEAM, Team
from snippets_mlir.runtime.perf_counts import PerfCount
from snippets_mlir.support.attribute_names import C_INTERFACE_PREFIX
from snippets_mlir.support.diagnostics import close_match
from snippets_mlir.support.errors import CompileError, is_debugging
from snippets_mlir.targets.host import host_target
from snippets_mlir.targets.machine import machine


class MemRefProgram(Compiled):
    """A compiled function on memrefs; made by `snippets_mlir.compile`.

    Attributes:
        source: its source.
        inputs: its inputs, in order.
        outputs: its outputs, in order.
    """

    on_memrefs: ClassVar[bool] = True

    def __init__(self, source: Source, settings: Settings, ctx: ToolContext) -> None:
        self._source = source
        self._settings = settings
        self._ctx = ctx
        self._watch = Stopwatch()
        self._team: Team | None = None
        function = find_host_function(source.graph, source.entry)
        refuse_debugging(settings, function)
        with COMPILING:
            self._passes = memref_passes(settings, ctx)
            interface = MemRefInterface(function)
            self._code, inputs, outputs = self._compile(interface)
        self._retyping = interface.passes
        self.inputs, self.outputs = inputs, outputs
        address = self._code.address(f"{C_INTERFACE_PREFIX}{source.entry}")
        checks = settings.bounds == "check" and not interface.passes
        accesses = accesses_of(function) if checks else ()
        self._function = MemRefFunction(address, inputs, outputs, accesses)

    def __call__(self, *arrays: object, out: object = None) -> Any:
        """Run on arrays and numbers in the order of `inputs`.

        Returns None for a function without results, the result for one, else a tuple. Memrefs are
        written in place, so there is no `out`.

        Raises:
            TypeError: a wrong number of arguments, or a wrong element type.
            ValueError: a wrong shape or stride, or a read-only array that may be written.
        """
        if out is not None:
            raise TypeError("expected no out: a function on memrefs writes to its arguments")
        if len(arrays) != len(self.inputs):
            names = ", ".join(repr(s.name) for s in self.inputs) or "none"
            raise TypeError(f"expected {len(self.inputs)} input(s) ({names}), found {len(arrays)}")
        try:
            results = self._function(arrays)
        except (TypeError, ValueError) as error:
            if is_debugging():
                raise
            raise error.with_traceback(None) from None
        if not results:
            return None
        return results[0] if len(results) == 1 else tuple(results)

    def interpreted(self, values: Sequence[object]) -> tuple[Any, ...]:
        """The interpreter's results for `reference`; it also writes to `values`."""
        from snippets_mlir.interpreter import Interpreter
        from snippets_mlir.interpreter.memrefs import run_on_memrefs

        source, _ = self.reference()
        return run_on_memrefs(Interpreter(source.module), source.entry, values)

    @override
    def reference(self) -> tuple[Source, str | None]:
        if not self._retyping:
            return self._source, None
        with COMPILING:
            passes = parse_pipeline(self.passes, self._ctx)[: self._retyping]
            return replace(self._source, given=self._after(passes)), passes[-1].name

    def run(self, arrays: Mapping[str, object]) -> dict[str, Any]:
        """Run on arrays and numbers by name; the results by name."""
        check_named("inputs", arrays)
        names = [given.name for given in self.inputs]
        for name in arrays:
            if name not in names:
                raise ValueError(f"input {name!r}: no such input{close_match(name, names)}")
        for name in names:
            if name not in arrays:
                raise ValueError(f"input {name!r}: missing")
        results = self._function([arrays[name] for name in names])
        return {out.name: r for out, r in zip(self.outputs, results, strict=True)}

    @property
    @override
    def source(self) -> Source:
        return self._source

    @property
    def num_threads(self) -> int:
        """How many threads share a parallel loop."""
        return self._settings.threads

    @property
    def perf_counts(self) -> tuple[PerfCount, ...]:
        """None: counters belong to kernels."""
        return ()

    def clear_perf_counts(self) -> None:
        """There are none."""

    @property
    def kernels(self) -> tuple[Kernel, ...]:
        """None: the function is one piece of code."""
        return ()

    @property
    def opaque(self) -> tuple[OpaqueOp, ...]:
        """Empty: ops that cannot be compiled are an error."""
        return ()

    @property
    def seconds(self) -> Mapping[str, float]:
        """Time that compiling took, by phase."""
        return self._watch.seconds

    @property
    def passes(self) -> str:
        """The pipeline that compiled the program, as text."""
        return self._passes

    def built(self) -> Built:
        """Raise `CompileError`: a function on memrefs has no program with kernels."""
        raise CompileError("a function on memrefs has no program of kernels")

    def ir(self, stage: str) -> str:
        """The IR after the pass called `stage`, or at `graph`, `llvm`, `llvm-ir` or `asm`."""
        with COMPILING:
            from snippets_mlir.driver.replay import passes_until, text_of

            pipeline = parse_pipeline(self.passes, self._ctx)
            module = self._after(pipeline[: passes_until(stage, [p.name for p in pipeline])])
            return text_of(module, stage, self._settings.target)

    def kernel_ir(self, index: int, stage: str) -> str:
        """`IndexError`: there are no kernels."""
        raise IndexError(f"a function on memrefs has no kernel {index}")

    def _module(self) -> ModuleOp:
        module = self._source.module.clone()
        isolate(module, self._source.entry)
        return module

    def _after(self, passes: Sequence[ModulePass]) -> ModuleOp:
        module = self._module()
        run_passes(module, self._ctx, passes)
        return module

    def _compile(self, interface: MemRefInterface) -> tuple[LoadedObject, Specs, Specs]:
        """The loaded code, and its inputs and outputs; `_team` is set if threads share loops."""
        m, host = machine(self._settings.target), machine(host_target())
        if m.triple != host.triple or m.lanes > host.lanes:
            raise CompileError(
                f"this computer ({host.name}) cannot run code for {m.name}; "
                "snippets-opt -t asm shows it"
            )
        module = self._module()
        passes = parse_pipeline(self.passes, self._ctx)
        run_passes(module, self._ctx, passes, after=interface.after)
        self._watch.lap("passes")
        refuse_rest(module)
        inputs, outputs = interface.finished(module)
        text = emit_llvm(module)
        self._watch.lap("llvm text")
        symbols = [
            f"{C_INTERFACE_PREFIX}{self._source.entry}",
            *([TEAM] if f"@{TEAM}" in text else []),
        ]
        load = partial(LoadedObject, symbols=symbols)
        loaded = cached(text, load, triple=m.triple, cpu=m.cpu, features=m.features)
        self._watch.lap("object code")
        if TEAM in symbols:
            named = module.attributes.get("snippets.threads")
            threads = named.value.data if isinstance(named, IntegerAttr) else 0
            self._team = Team(loaded, threads or self._settings.threads)
        self._watch.lap("link")
        return loaded, inputs, outputs
