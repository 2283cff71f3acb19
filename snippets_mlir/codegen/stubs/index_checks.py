"""`snippets_outside_i64` and its like: whether an index of an array is outside of a dim.

    int64_t snippets_outside_i64(const int64_t *indices, int64_t *result, int64_t count,
                                 int64_t size, int64_t from_end) {
      int64_t below = from_end ? size : 0, outside = 0;
      memcpy(result, indices, count * sizeof(int64_t));
      for (i = 0; i != count; i++)
        outside |= (uint64_t)(indices[i] + below) >= (uint64_t)(size + below);
      return outside;
    }

It is the step of a `snippets.check_indices` (`call_steps.py`), whose result is the indices. There
is one function for each integer type; unsigned types never count from the end. One unsigned
comparison covers both bounds, so LLVM vectorizes the loop.
"""

from __future__ import annotations

from typing import NamedTuple

from xdsl.dialects.builtin import IntegerType

from snippets_mlir.codegen.stubs.builder import Module
from snippets_mlir.codegen.stubs.expressions import I64, POINTER
from snippets_mlir.codegen.stubs.objects import INDEX_TYPES, OUTSIDE


class _Integers(NamedTuple):
    """A type of indices."""

    bits: int
    signed: bool


def index_checks_module() -> Module:
    """A module with the function of each type."""
    module = Module()
    module.declare("memcpy", [POINTER, POINTER, I64], POINTER)
    for name in INDEX_TYPES:
        _add_check(module, f"{OUTSIDE}{name}", _Integers(int(name[1:]), name[0] == "i"))
    return module


def _add_check(module: Module, name: str, kind: _Integers) -> None:
    body = module.function(name, [POINTER, POINTER, I64, I64, I64], I64)
    indices, result, count, size, from_end = body.arguments
    below, type = body.integer(0), IntegerType(kind.bits)
    if kind.signed:
        below = body.select(body.compare("ne", from_end, 0), size, below)
    range = body.add(size, below)
    body.call_for(POINTER, "memcpy", result, indices, body.multiply(count, kind.bits // 8))
    with body.loop(count, body.integer(0)) as loop:
        index = body.item(indices, type, loop.index)
        if kind.bits < I64.width.data:
            index = body.widen(index, signed=kind.signed)
        is_outside = body.compare("uge", body.add(index, below), range)
        loop.next = [body.either(loop.values[0], body.widen(is_outside))]
    body.end(loop.values[0])
