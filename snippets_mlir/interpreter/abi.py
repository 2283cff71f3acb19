"""Kernels with the kernel ABI: functions on pointers, at the vector and the llvm level.

    void kernel(const Args *args, int64_t begin, int64_t end, int64_t thread);
    struct Args { void **data; const int64_t *rt; char *scratch; };

The structures are memory that contains pointers. Arrays are aligned only to their elements. The
scratchpads of the threads are contiguous and empty at the start of a run.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from xdsl.dialects import llvm
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation
from xdsl.utils.hints import isa

from snippets_mlir.dialects.builtin.dtypes import Array, numpy_dtype
from snippets_mlir.dialects.lir.aligned import ALIGNED
from snippets_mlir.dialects.lir.instances import SLOTS
from snippets_mlir.interpreter.clocks import extra_memory
from snippets_mlir.interpreter.domain import THREADS, Domain, Piece, run_domain
from snippets_mlir.interpreter.memory import Memory, Pointer, Scratchpad
from snippets_mlir.interpreter.pointers import POINTER_BYTES
from snippets_mlir.support.attribute_names import KERNEL
from snippets_mlir.support.errors import CompileError

if TYPE_CHECKING:
    from snippets_mlir.interpreter.machine import Interpreter


def _number(function: Operation, name: str) -> int:
    attr = function.attributes.get(f"snippets.{name}")
    if not isinstance(attr, IntegerAttr):
        raise CompileError(f"expected a kernel with the attribute snippets.{name}")
    return attr.value.data


def _pointers_to(name: str, targets: Sequence[Pointer]) -> Pointer:
    """An array of pointers in memory."""
    memory = Memory(name, POINTER_BYTES * len(targets), base=POINTER_BYTES, writable=False)
    memory.slots = {POINTER_BYTES * i: target for i, target in enumerate(targets)}
    return Pointer(memory)


def _slots(function: Operation) -> Pointer:
    """What `rt` points to: the numbers of an instance of a dynamic kernel, else nothing."""
    attr = function.attributes.get(SLOTS)
    if not isinstance(attr, DenseArrayBase):
        return Pointer(None)
    return Pointer(Memory.of_array("Args.rt", np.asarray(attr.get_values(), np.int64)))


def run_function(
    interpreter: Interpreter,
    function: Operation,
    name: str,
    inputs: Sequence[Array],
    types: Sequence[Attribute],
) -> Sequence[Array]:
    """The outputs, of tensor `types`, that the kernel `function` computes from `inputs`."""
    if not isinstance(function, FuncOp | llvm.FuncOp) or KERNEL not in function.attributes:
        raise CompileError(f"@{name} is no kernel")
    if isinstance(function, llvm.FuncOp) and interpreter.native is not None:
        return interpreter.native(function, inputs, types)
    block = function.body.blocks[0]
    facts = _number(function, "domain"), _number(function, "grain")
    domain = Domain(*facts, anywhere=ALIGNED in function.attributes)
    scratch_size = _number(function, "scratch")

    def run(pieces: Sequence[Piece]) -> list[Array]:
        arrays = [Memory.of_array(f"input {i}", array) for i, array in enumerate(inputs)]
        outputs: list[Memory] = []
        for i, type_ in enumerate(types):
            assert isa(type_, TensorType)
            dtype = numpy_dtype(type_.element_type)
            outputs.append(Memory.for_array(f"output {i}", dtype, type_.get_shape()))
        scratch = Scratchpad(scratch_size, THREADS)
        every = [*arrays, *outputs, *extra_memory(function, THREADS)]
        data = _pointers_to("Args.data", [Pointer(memory) for memory in every])
        args = _pointers_to("Args", [data, _slots(function), Pointer(scratch.memory)])
        for piece in pieces:
            scratch.enter(piece.thread)
            numbers = [np.asarray(n, np.int64) for n in (piece.begin, piece.end, piece.thread)]
            interpreter.run_block(block, [args, *numbers], function)
        return [
            memory.array(numpy_dtype(type_.element_type), type_.get_shape())
            for memory, type_ in zip(outputs, types, strict=True)
            if isa(type_, TensorType)
        ]

    return run_domain(name, domain, run)
