"""Clocks in kernels with counters: they stand still, so that a run gives the same each time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from xdsl.dialects import llvm
from xdsl.dialects.builtin import ArrayAttr
from xdsl.ir import Operation

from snippets_mlir.dialects.lir.perf_count import COUNTERS, row_words
from snippets_mlir.errors import CompileError
from snippets_mlir.interpreter.memory import Memory, Pointer
from snippets_mlir.interpreter.registry import Handler

if TYPE_CHECKING:
    from snippets_mlir.interpreter.machine import Interpreter

_WORD = 8


def counter_memory(function: Operation, threads: int) -> list[Memory]:
    """The array that a kernel with counters takes behind its outputs: zeros; none for others."""
    attr = function.attributes.get(COUNTERS)
    if not isinstance(attr, ArrayAttr):
        return []
    words = row_words(len(attr))
    memory = Memory("the counters", _WORD * words * threads, base=_WORD)
    memory.data[:] = 0
    memory.written[:] = True
    return [memory]


def _call_intrinsic(
    interpreter: Interpreter, op: Operation, operands: Sequence[Any]
) -> Sequence[Any]:
    assert isinstance(op, llvm.CallIntrinsicOp)
    if op.intrin.data != "llvm.readcyclecounter":
        raise CompileError(f"the interpreter does not know the intrinsic {op.intrin.data}")
    return [np.asarray(0, np.int64)]


def _clock_gettime(operands: Sequence[Any]) -> Sequence[Any]:
    pointer = operands[1]
    assert isinstance(pointer, Pointer)
    memory = pointer.target(_WORD)
    memory.store(pointer.offset + _WORD * np.arange(2), np.zeros(2, np.int64))
    return [np.asarray(0, np.int32)]


EXTERNAL: Mapping[str, Callable[[Sequence[Any]], Sequence[Any]]] = {"clock_gettime": _clock_gettime}
"""Functions of the C library that kernels call."""

HANDLERS: Mapping[str, Handler] = {llvm.CallIntrinsicOp.name: _call_intrinsic}
