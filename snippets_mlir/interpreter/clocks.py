"""Functions that instrumented kernels call: clocks, and the number of their thread.

Clocks do not advance, and there is one thread, so that runs are reproducible.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from xdsl.dialects import llvm
from xdsl.ir import Operation

from snippets_mlir.dialects.lir.perf_count import named_counters, row_words
from snippets_mlir.dialects.lir.sites import RECORD_WORDS, SITES
from snippets_mlir.interpreter.memory import Memory, Pointer
from snippets_mlir.interpreter.poison import data_of
from snippets_mlir.interpreter.registry import Handler
from snippets_mlir.interpreter.vectors import moved
from snippets_mlir.support.errors import CompileError

if TYPE_CHECKING:
    from snippets_mlir.interpreter.machine import Interpreter

_WORD = 8


def extra_memory(function: Operation, threads: int) -> list[Memory]:
    """The additional arrays that a kernel takes after its outputs: zeros for its counters and
    records.
    """
    found: list[Memory] = []
    if counters := named_counters(function):
        found.append(_zeros("the counters", row_words(len(counters)) * threads))
    if SITES in function.attributes:
        found.append(_zeros("the records", RECORD_WORDS * threads))
    return found


def _zeros(name: str, words: int) -> Memory:
    memory = Memory(name, _WORD * words, base=_WORD)
    memory.data[:] = 0
    memory.written[:] = True
    return memory


def _call_intrinsic(
    interpreter: Interpreter, op: Operation, operands: Sequence[Any]
) -> Sequence[Any]:
    assert isinstance(op, llvm.CallIntrinsicOp)
    match op.intrin.data:
        case "llvm.readcyclecounter":
            return [np.asarray(0, np.int64)]
        case "llvm.thread.pointer.p0":
            return [Pointer(None)]
        case "llvm.x86.avx512.vpermi2var.ps.512":
            first, index, second = operands
            both = np.concatenate([data_of(first), data_of(second)])
            return [moved(lambda lanes: both[lanes % both.size], index)]
        case "llvm.prefetch.p0":
            return []
        case name:
            raise CompileError(f"the interpreter does not know the intrinsic {name}")


def _clock_gettime(operands: Sequence[Any]) -> Sequence[Any]:
    pointer = operands[1]
    assert isinstance(pointer, Pointer)
    memory = pointer.target(_WORD)
    memory.store(pointer.offset + _WORD * np.arange(2), np.zeros(2, np.int64))
    return [np.asarray(0, np.int32)]


EXTERNAL: Mapping[str, Callable[[Sequence[Any]], Sequence[Any]]] = {"clock_gettime": _clock_gettime}
"""Functions of the C library that kernels call."""

HANDLERS: Mapping[str, Handler] = {llvm.CallIntrinsicOp.name: _call_intrinsic}
