"""Programs on memrefs: a function of `affine`, `scf`, `memref`, `arith`, `vector` as a callable.

    m = snippets_mlir.compile('''
    func.func @saxpy(%a: f32, %x: memref<?xf32>, %y: memref<?xf32>) {
      %c0 = arith.constant 0 : index
      %n = memref.dim %x, %c0 : memref<?xf32>
      affine.for %i = 0 to %n { ... }
      func.return
    }''')
    m(2.0, x, y)               # y changes in place

Arguments are NumPy arrays and numbers; arrays are passed where they lie, with their strides, for
any sizes that the types allow, so nothing is compiled at a call. Results come by value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, cast

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    IndexType,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    StridedLayoutAttr,
    TensorType,
    UnitAttr,
    i64,
)
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass

from snippets_mlir.context import ToolContext
from snippets_mlir.diagnostics import close_match, position_of
from snippets_mlir.dialects.dtypes import numpy_dtype
from snippets_mlir.dialects.memref.layout import layout_of
from snippets_mlir.dialects.shaped import element_of, shape_of
from snippets_mlir.driver.build import Built, Stopwatch
from snippets_mlir.driver.compiled import Compiled, Kernel
from snippets_mlir.driver.memref_passes import memref_passes, refuse_debugging
from snippets_mlir.driver.report import OpaqueOp
from snippets_mlir.driver.settings import COMPILING, Settings
from snippets_mlir.driver.sources import Source
from snippets_mlir.emit.host import interface_names
from snippets_mlir.emit.llvm_text import emit_llvm
from snippets_mlir.errors import CompileError
from snippets_mlir.jit.bfloat import with_roundings
from snippets_mlir.jit.cache import cached_object
from snippets_mlir.jit.load import LoadedObject
from snippets_mlir.pipeline_spec import parse_pipeline, run_passes
from snippets_mlir.runtime.memref_specs import MemRefSpec, spec
from snippets_mlir.runtime.memrefs import MemRefFunction
from snippets_mlir.runtime.perf_counts import PerfCounts
from snippets_mlir.runtime.teams import TEAM, Team
from snippets_mlir.targets.machine import host_target, machine

C_INTERFACE = "llvm.emit_c_interface"
PREFIX = "_mlir_ciface_"
NO_ALIAS = "llvm.noalias"
READERS = frozenset(
    {
        "affine.load",
        "affine.prefetch",
        "affine.vector_load",
        "memref.dim",
        "memref.extract_strided_metadata",
        "memref.load",
        "memref.prefetch",
        "memref.rank",
        "vector.gather",
        "vector.load",
        "vector.maskedload",
        "vector.expandload",
        "vector.transfer_read",
    }
)
"""Ops that write to no memref they take."""


def works_on_memrefs(function: FuncOp) -> bool:
    """Whether a function is a program of this kind: no tensors, and something to pass."""
    types = (*function.function_type.inputs, *function.function_type.outputs)
    return bool(types) and not any(isinstance(type, TensorType) for type in types)


def may_be_written(value: SSAValue) -> bool:
    """Whether something may write to the memref `value` through it or a view of it."""
    for use in value.uses:
        op = use.operation
        if op.name == "memref.copy" and use.index == 0:
            continue
        if op.name in READERS:
            continue
        if _is_view(op) and not any(may_be_written(result) for result in op.results):
            continue
        return True
    return False


def _is_view(op: Operation) -> bool:
    return op.name.startswith("memref.") and bool(op.results) and not op.regions


def described(name: str, type: Attribute, *, written: bool = True) -> dict[str, Any]:
    """A type as JSON-able data; see `runtime.memref_specs.spec`.

    Raises `CompileError` for a type that Python cannot pass.
    """
    if isinstance(type, MemRefType):
        layout = layout_of(cast("Attribute", type))
        if layout is None:
            raise CompileError(f"'{name}': expected a strided layout, found {type}")
        strides, offset = layout
        shape = [None if n == DYNAMIC_INDEX else n for n in shape_of(cast("Attribute", type))]
        element = element_of(cast("Attribute", type))
        scalar, dense = False, not isinstance(type.layout, StridedLayoutAttr)
    else:
        dense = False
        strides, offset, shape, element, scalar = (), 0, (), type, True
        if element_of(type) != type or type.name.startswith("llvm."):
            raise CompileError(f"'{name}': expected a memref or a scalar, found {type}")
    dtype = numpy_dtype(i64 if isinstance(element, IndexType) else element)
    return {
        "name": name,
        "shape": list(shape),
        "dtype": dtype.name,
        "strides": list(strides),
        "offset": offset,
        "scalar": scalar,
        "written": written and not scalar,
        "dense": dense,
    }


def marked_alone(function: FuncOp) -> frozenset[int]:
    """The arguments that passes took as memory of their own, marked `llvm.noalias`."""
    given = function.arg_attrs.data if function.arg_attrs is not None else ()
    return frozenset(place for place, own in enumerate(given) if NO_ALIAS in own.data)


def _specs(function: FuncOp) -> tuple[tuple[MemRefSpec, ...], tuple[MemRefSpec, ...]]:
    inputs, outputs = interface_names(function)
    arguments = function.body.blocks[0].args
    return (
        tuple(
            spec(described(name, value.type, written=may_be_written(value)))
            for name, value in zip(inputs, arguments, strict=True)
        ),
        tuple(
            spec(described(name, type))
            for name, type in zip(outputs, function.function_type.outputs, strict=True)
        ),
    )


def isolate(module: ModuleOp, entry: str) -> None:
    """Erase the functions that `entry` does not call, directly or not, and export `entry`."""
    functions = {op.sym_name.data: op for op in module.ops if isinstance(op, FuncOp)}
    wanted: set[str] = set()
    queue = [entry]
    while queue:
        name = queue.pop()
        if name in wanted or name not in functions:
            continue
        wanted.add(name)
        queue += [
            op.callee.string_value() for op in functions[name].walk() if isinstance(op, CallOp)
        ]
    for name, function in functions.items():
        if name not in wanted:
            function.detach()
            function.erase()
    functions[entry].attributes[C_INTERFACE] = UnitAttr()


class MemRefProgram(Compiled):
    """A compiled function on memrefs; made by `snippets_mlir.compile`.

    Attributes:
        source: what it was compiled from.
        inputs: what it is called with, in order.
        outputs: what it returns, in order.
    """

    on_memrefs: ClassVar[bool] = True

    def __init__(self, source: Source, settings: Settings, ctx: ToolContext) -> None:
        self.source = source
        self._settings = settings
        self._ctx = ctx
        self._perf = PerfCounts()
        self._watch = Stopwatch()
        self._team: Team | None = None
        refuse_debugging(settings, source.function)
        with COMPILING:
            self._passes = memref_passes(settings, ctx)
            self.inputs, self.outputs = _specs(source.function)
            self._alone = marked_alone(source.function)
            self._code = self._compile()
            self.inputs = tuple(
                replace(given, alone=place in self._alone and not given.scalar)
                for place, given in enumerate(self.inputs)
            )
        address = self._code.address(f"{PREFIX}{source.entry}")
        self._function = MemRefFunction(
            address,
            cast("Sequence[MemRefSpec]", self.inputs),
            cast("Sequence[MemRefSpec]", self.outputs),
        )

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
        results = self._function(arrays)
        if not results:
            return None
        return results[0] if len(results) == 1 else tuple(results)

    def interpreted(self, values: Sequence[object]) -> tuple[Any, ...]:
        """What the interpreter makes of the source: its results; it writes to `values`, too."""
        from snippets_mlir.interpreter import Interpreter
        from snippets_mlir.interpreter.memrefs import run_on_memrefs

        return run_on_memrefs(Interpreter(self.source.module), self.source.entry, values)

    def run(self, arrays: Mapping[str, object]) -> dict[str, Any]:
        """Run on arrays and numbers by name; the results by name."""
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
    def dynamic(self) -> bool:
        """False: nothing is compiled at a call."""
        return False

    @property
    def kernels(self) -> tuple[Kernel, ...]:
        """None: the function is one piece of code."""
        return ()

    @property
    def opaque(self) -> tuple[OpaqueOp, ...]:
        """None: what cannot be compiled is an error."""
        return ()

    @property
    def seconds(self) -> Mapping[str, float]:
        """Time that compiling took, by phase."""
        return self._watch.seconds

    @property
    def passes(self) -> str:
        """The textual pipeline."""
        return self._passes

    def built(self) -> Built:
        """`CompileError`: there is no program with kernels behind a function on memrefs."""
        raise CompileError("a function on memrefs has no program of kernels")

    def ir(self, stage: str) -> str:
        """The IR after the pass called `stage`, or at `graph`, `llvm`, `llvm-ir` or `asm`."""
        from snippets_mlir.driver.replay import passes_until, text_of

        with COMPILING:
            module = self._module()
            pipeline = parse_pipeline(self.passes, self._ctx)
            count = passes_until(stage, [p.name for p in pipeline])
            run_passes(module, self._ctx, pipeline[:count])
        return text_of(module, stage, self._settings.target)

    def _module(self) -> ModuleOp:
        module = self.source.module.clone()
        isolate(module, self.source.entry)
        return module

    def _keep_marks(self, _: ModulePass, module: ModuleOp) -> None:
        """Note the marks of the entry while it still has the arguments of the source."""
        for op in module.ops:
            if isinstance(op, FuncOp) and op.sym_name.data == self.source.entry:
                if len(op.body.blocks[0].args) == len(self.inputs):
                    self._alone |= marked_alone(op)

    def _compile(self) -> LoadedObject:
        """The loaded code; `_team` is set where it has loops for threads."""
        m, host = machine(self._settings.target), machine(host_target())
        if m.triple != host.triple or m.lanes > host.lanes:
            raise CompileError(
                f"this computer ({host.name}) cannot run code for {m.name}; "
                "snippets-opt -t asm shows it"
            )
        module = self._module()
        passes = parse_pipeline(self.passes, self._ctx)
        run_passes(module, self._ctx, passes, after=self._keep_marks)
        self._watch.lap("passes")
        _refuse_rest(module)
        text = with_roundings(emit_llvm(module))
        self._watch.lap("llvm text")
        code = cached_object(text, triple=m.triple, cpu=m.cpu, features=m.features)
        self._watch.lap("object code")
        loaded = LoadedObject(code)
        if f"@{TEAM}" in text:
            named = module.attributes.get("snippets.threads")
            threads = named.value.data if isinstance(named, IntegerAttr) else 0
            self._team = Team(loaded, threads or self._settings.threads)
        self._watch.lap("link")
        return loaded


def _refuse_rest(module: ModuleOp) -> None:
    """`CompileError` at the first op that no pass lowered."""
    for op in module.walk():
        if op.name.split(".")[0] not in ("builtin", "llvm"):
            raise CompileError(
                f"'{op.name}' cannot be lowered to machine code on these types", **position_of(op)
            )
