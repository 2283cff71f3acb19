"""Kernels at the llvm level, run through LLVM without optimization.

The interpreter itself executes every level except this last one, whose reference is LLVM's code for
the text. Each kernel is compiled at -O0 and runs as one piece and as several.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, ModuleOp, StringAttr, TensorType
from xdsl.dialects.llvm import FuncOp
from xdsl.ir import Attribute, Operation
from xdsl.utils.hints import isa

from snippets_mlir.dialects.builtin.dtypes import numpy_dtype
from snippets_mlir.dialects.lir.aligned import ALIGNED
from snippets_mlir.dialects.lir.instances import SLOTS
from snippets_mlir.dialects.lir.perf_count import named_counters, row_words
from snippets_mlir.dialects.lir.sites import RECORD_WORDS, named_sites
from snippets_mlir.interpreter.domain import THREADS, Domain, Piece, run_domain
from snippets_mlir.interpreter.machine import NativeKernel
from snippets_mlir.runtime.arguments.arrays import Array
from snippets_mlir.runtime.parallel.native import KERNEL, Args

SCRATCH_ALIGNMENT = 64


def native_kernels(module: ModuleOp) -> NativeKernel | None:
    """The handler that runs the kernels of a module for this computer; None for another target."""
    from snippets_mlir.targets.host import host_target

    target = module.attributes.get("snippets.target")
    known = isinstance(target, StringAttr) and target.data in (host_target(), "generic")
    return _Kernels(module).run if known else None


class _Kernels:
    """The kernels of a module, compiled when the first of them runs."""

    def __init__(self, module: ModuleOp) -> None:
        self._module = module
        self._object: Any = None

    def run(
        self, function: Operation, inputs: Sequence[Array], types: Sequence[Attribute]
    ) -> Sequence[Array]:
        """The outputs, of tensor `types`, of a kernel."""
        assert isinstance(function, FuncOp)
        name = function.sym_name.data
        kernel = KERNEL(self._address(name))
        facts = _number(function, "domain"), _number(function, "grain")
        domain = Domain(*facts, anywhere=ALIGNED in function.attributes)
        scratch_size = _number(function, "scratch")
        slots = _slots(function)

        def run(pieces: Sequence[Piece]) -> list[Array]:
            outputs = [
                np.empty(type_.get_shape(), numpy_dtype(type_.element_type))
                for type_ in types
                if isa(type_, TensorType)
            ]
            arrays = [np.ascontiguousarray(array) for array in inputs]
            counted = len(named_counters(function))
            counters = [np.zeros((THREADS, row_words(counted)), np.int64)] if counted else []
            records = [np.zeros((THREADS, RECORD_WORDS), np.int64)] if named_sites(function) else []
            every = (*arrays, *outputs, *counters, *records)
            data = (ctypes.c_void_p * len(every))(*(array.ctypes.data for array in every))
            scratch = np.full(scratch_size * THREADS + SCRATCH_ALIGNMENT, 0xFF, np.uint8)
            base = -(-scratch.ctypes.data // SCRATCH_ALIGNMENT) * SCRATCH_ALIGNMENT
            rt = slots.ctypes.data if slots.size else 0
            args = Args(ctypes.addressof(data), rt, base)
            for piece in pieces:
                if piece.begin < piece.end:
                    kernel(ctypes.addressof(args), piece.begin, piece.end, piece.thread)
            return outputs

        return run_domain(name, domain, run)

    def _address(self, name: str) -> int:
        if self._object is None:
            from snippets_mlir.codegen.compile import compile_object
            from snippets_mlir.codegen.host import host_cpu
            from snippets_mlir.codegen.load import LoadedObject
            from snippets_mlir.emit.llvm_text import emit_llvm

            triple, cpu, features = host_cpu()
            text = emit_llvm(self._module)
            code = compile_object(text, triple=triple, cpu=cpu, features=features, opt=0)
            self._object = LoadedObject(code)
        return self._object.address(name)


def _slots(function: FuncOp) -> Array:
    """The numbers that an instance of a dynamic kernel reads from `rt`; none of a static one."""
    attr = function.attributes.get(SLOTS)
    values = attr.get_values() if isinstance(attr, DenseArrayBase) else ()
    return np.asarray(values, np.int64)


def _number(function: FuncOp, name: str) -> int:
    attr = function.attributes[f"snippets.{name}"]
    assert isinstance(attr, IntegerAttr)
    return attr.value.data
