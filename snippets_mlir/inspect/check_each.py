"""`snippets-opt --check-each`: compares the program's results before and after every pass.

The entry, a function or a graph, runs in the interpreter at the module's level, on random, special
and extreme inputs; kernels at the llvm level run through LLVM at -O0. After a pass that is declared
exact (`passes/effects.py`) every bit has to be the same, but NaNs may be any NaN. After other
passes integers and bools have to be equal, and floats within the declared bound, on random and
special inputs. If a pass violates this, an error names the pass, the seed, and the worst element.
For a program with symbols (`--symbols`), three instances run, one for each set of
inputs: short sizes, whole vectors, long sizes with tails.

If a program refuses a set of inputs, for example because an index of a gather is out of bounds, it
runs again with only the last bits of all integers: 0 and 1.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from xdsl.dialects.builtin import MemRefType, ModuleOp, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.dialects.llvm import LLVMStructType
from xdsl.ir import Attribute, Operation
from xdsl.passes import ModulePass

from snippets_mlir.dialects.builtin.dtypes import is_bfloat16, is_float
from snippets_mlir.dialects.lir.instances import instance_of, sample_dims, symbols_in
from snippets_mlir.dialects.program.graph import GraphOp, find_graph
from snippets_mlir.emit.host import find_entry
from snippets_mlir.inspect.check_inputs import Inputs, inputs_for, is_testable, with_last_bits
from snippets_mlir.inspect.compare import relative_errors
from snippets_mlir.inspect.engine_nodes import run_node
from snippets_mlir.inspect.native_kernels import native_kernels
from snippets_mlir.interpreter import Interpreter, OpaqueHandler
from snippets_mlir.interpreter.memrefs import run_on_memrefs
from snippets_mlir.interpreter.poison import data_of
from snippets_mlir.passes.effects import Effect, effect_of
from snippets_mlir.passmanager.unchanged import parts_of, same_parts
from snippets_mlir.runtime.arguments.arrays import Array
from snippets_mlir.support.attribute_names import MANIFEST
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.printing import print_module

Results = list[tuple[Array, ...]]
"""For each set of inputs, the outputs."""


def _interface(
    module: ModuleOp, name: str | None
) -> tuple[FuncOp | GraphOp, tuple[Attribute, ...], tuple[Attribute, ...]]:
    """The entry of a module, a graph or a function, with its input and output types."""
    if (graph := find_graph(module, name)) is not None:
        outputs = tuple(value.type for value in graph.output.values)
        return graph, tuple(graph.block.arg_types), outputs
    entry = find_entry(module, name)
    return entry, tuple(entry.function_type.inputs), tuple(entry.function_type.outputs)


@dataclass
class EachChecker:
    """Follows a module through its passes.

    Attributes:
        seed: of the random inputs.
        entry: the function that is run: `main`, else the only public one of the first module; empty
            when there is none any more.
    """

    seed: int
    entry: str = ""
    _text: str = ""
    _parts: list[object] = field(default_factory=list[object])
    _types: tuple[Attribute, ...] = ()
    _on_memrefs: bool = False
    _inputs: list[Inputs] = field(default_factory=list[Inputs])
    _dims: list[list[int]] = field(default_factory=list[list[int]])
    _results: Results = field(default_factory=list[tuple[Array, ...]])

    def start(self, module: ModuleOp) -> None:
        """Run the module before the first pass; CompileError if it cannot be run."""
        entry, types, results = _interface(module, self.entry or None)
        self.entry = entry.sym_name.data
        for type_ in types:
            if not is_testable(type_):
                raise CompileError(
                    "--check-each: expected arguments that are tensors, memrefs or numbers, "
                    f"found {type_}",
                    **position_of(entry),
                )
        self._types = types
        known = types or results
        self._on_memrefs = not (known and all(isinstance(type_, TensorType) for type_ in known))
        self._dims = sample_dims(symbols_in(module))
        self._inputs = [
            list(inputs_for(_interface(called, self.entry)[1], self.seed))[i]
            for i, called in enumerate(self._called(module))
        ]
        self._text, self._parts = print_module(module), parts_of(module)
        failure = "--check-each cannot run the module"
        try:
            self._results = self._run(module, failure)
        except CompileError as refused:
            self._inputs = [with_last_bits(inputs) for inputs in self._inputs]
            try:
                self._results = self._run(module, failure)
            except CompileError:
                raise refused from None

    def after(self, p: ModulePass, module: ModuleOp) -> None:
        """Run the module after the pass; CompileError if it computes something else.

        A pass that changed nothing in the module or its text is correct: the text contains
        everything. After a pass that changes the types of arguments or results, the comparison
        restarts.
        """
        if same_parts(self._parts, parts := parts_of(module)):
            return
        self._parts = parts
        effect, text = effect_of(p), print_module(module)
        if text == self._text or self._is_over(p, module):
            return
        self._text = text
        if effect.kind == "retypes":
            self.start(module)
            return
        results = self._run(module, f"--check-each cannot run what pass '{p.name}' left")
        for inputs, before, now in zip(self._inputs, self._results, results, strict=True):
            if inputs.name == "extreme" and effect.kind != "exact":
                continue
            for index, (a, b) in enumerate(zip(now, before, strict=True)):
                if (wrong := difference(a, b, effect)) is not None:
                    raise CompileError(
                        f"--check-each: pass '{p.name}' ({effect.kind}) changes what "
                        f"@{self.entry} computes: output {index}{wrong} "
                        f"({inputs.name} inputs, --check-seed={self.seed})"
                    )
        self._results = results

    def _is_over(self, p: ModulePass, module: ModuleOp) -> bool:
        """Whether the entry or its memrefs are lowered: from then on, only machine code can run."""
        if self.entry and MANIFEST in module.attributes:
            print(f"remark: --check-each ends before pass '{p.name}'", file=sys.stderr)
            self.entry = ""
            return True
        if not self._on_memrefs or not self.entry:
            return not self.entry
        functions = {op.sym_name.data: op for op in module.ops if isinstance(op, FuncOp)}
        entry = functions.get(self.entry)
        kept = entry is not None and entry.function_type.inputs.data == self._types
        lowered = any(
            isinstance(result.type, LLVMStructType) for op in module.walk() for result in op.results
        )
        if kept and not lowered:
            return False
        what = "takes memrefs apart" if lowered or entry else f"lowers @{self.entry} to llvm"
        print(f"remark: --check-each ends before pass '{p.name}', which {what}", file=sys.stderr)
        self.entry = ""
        return True

    def _outputs(self, machine: Interpreter, arrays: Sequence[Array]) -> tuple[Array, ...]:
        """The results of the entry; for a function on memrefs, also their final contents."""
        if not self._on_memrefs:
            return machine.run(self.entry, arrays)
        own = [array.copy() for array in arrays]
        results = run_on_memrefs(machine, self.entry, own)
        left = [
            array
            for array, type_ in zip(own, self._types, strict=True)
            if isinstance(type_, MemRefType)
        ]
        return (*(np.asarray(data_of(value)) for value in results), *left)

    def _called(self, module: ModuleOp) -> list[ModuleOp]:
        """The module that is run for each set of inputs: an instance, if it has symbols."""
        return [instance_of(module, dims) if dims else module for dims in self._dims]

    def _run(self, module: ModuleOp, failure: str) -> Results:
        try:
            results: Results = []
            known: dict[ModuleOp, Interpreter] = {}
            for called, inputs in zip(self._called(module), self._inputs, strict=True):
                if called not in known:
                    known[called] = Interpreter(called, _handlers(), native_kernels(called))
                results.append(self._outputs(known[called], inputs.arrays))
            return results
        except CompileError as error:
            raise CompileError(
                f"{failure}: {error.message}",
                file=error.file,
                line=error.line,
                column=error.column,
            ) from error


def _handlers() -> Mapping[str, OpaqueHandler]:
    """The handlers of ops of other dialects: onnxruntime, for nodes of ONNX models."""

    def run(op: Operation, operands: Sequence[Array]) -> Sequence[Array]:
        try:
            return run_node(op, operands, 1)
        except CompileError:
            raise
        except ValueError as error:  # onnxruntime refuses the operands
            raise CompileError(str(error), **position_of(op)) from error

    return {"onnx.node": run}


def _epsilon(array: Array) -> float:
    return 2.0**-7 if is_bfloat16(array.dtype) else float(np.finfo(array.dtype).eps)


def difference(now: Array, before: Array, effect: Effect) -> str | None:
    """The error of an output, with the worst element; None if it is correct."""
    if now.shape != before.shape or now.dtype != before.dtype:
        return f" is {now.dtype}{list(now.shape)}, was {before.dtype}{list(before.shape)}"
    if effect.kind == "exact" or not is_float(now.dtype):
        wrong = _bits_differ(now, before)
        errors, limit = wrong.astype(np.float64), 0.0
    else:
        errors = relative_errors(now, before)
        limit = effect.epsilons * _epsilon(now)
    if not errors.size or errors.max() <= limit:
        return None
    worst = int(errors.argmax())
    where = [int(i) for i in np.unravel_index(worst, now.shape)]
    text = f", element {where} is {now.flat[worst]!s}, was {before.flat[worst]!s}"
    if effect.kind == "exact" or not is_float(now.dtype):
        return f"{text}; {int(errors.sum())} of {errors.size} differ"
    return f"{text}; a relative error of {errors[worst]:.3g}, the bound is {limit:.3g}"


def _bits_differ(now: Array, before: Array) -> Array:
    """Where two arrays of one dtype differ in any bit, apart from the bits of a NaN."""
    kind = f"u{now.dtype.itemsize}"
    a, b = (np.ascontiguousarray(x).reshape(-1) for x in (now, before))
    differ = a.view(kind) != b.view(kind)
    if is_float(now.dtype):
        differ &= ~(np.isnan(a) & np.isnan(b))
    return differ
