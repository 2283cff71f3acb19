"""`vector.print` on standard output, in the format of the machine code, and its callees."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from xdsl.dialects.builtin import IndexType, f64, i64
from xdsl.ir import Attribute, Operation

from snippets_mlir.dialects.builtin.dtypes import Array
from snippets_mlir.dialects.builtin.integers import integers_of
from snippets_mlir.dialects.vector.elements import element_of
from snippets_mlir.dialects.vector.printing import PrintOp
from snippets_mlir.interpreter.arithmetic import unsigned
from snippets_mlir.interpreter.memory import Pointer
from snippets_mlir.interpreter.poison import defined
from snippets_mlir.interpreter.registry import Handler
from snippets_mlir.support.errors import CompileError

if TYPE_CHECKING:
    from snippets_mlir.interpreter.machine import Interpreter


def _texts(values: Array, element: Attribute) -> list[str]:
    """The elements row by row: floats as C's `%g`, which shows the sign of NaN."""
    flat = values.reshape(-1)
    integers = integers_of(element)
    if isinstance(element, IndexType) or (integers is not None and integers.unsigned):
        flat = unsigned(flat)
    if integers is not None or isinstance(element, IndexType):
        return [str(int(x)) for x in flat]
    wide = flat.astype(np.float64)
    negative = np.signbit(wide) & np.isnan(wide)
    return [f"{'-' if sign else ''}{float(x):g}" for x, sign in zip(wide, negative, strict=True)]


def _print(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
    assert isinstance(op, PrintOp)
    texts: list[str] = []
    if op.source is not None:
        values = np.asarray(defined(operands[0], "a printed value"))
        texts = _texts(values, element_of(op.source.type))
    for part in op.parts():
        sys.stdout.write(texts[part] if isinstance(part, int) else part)
    sys.stdout.flush()
    return ()


def _bytes_at(pointer: Any) -> bytes:
    """All bytes from a pointer to the end of its memory."""
    where = cast(Pointer, pointer)
    if where.memory is None:
        raise CompileError("reads a text through a null pointer")
    return where.memory.data[where.offset :].tobytes()


def _printf(operands: Sequence[Any]) -> Sequence[Any]:
    """`printf` with the conversions that `vector.print` becomes."""
    format = _bytes_at(operands[0]).split(b"\0")[0].decode()
    arguments: Iterator[Any] = iter(operands[1:])

    def converted(match: re.Match[str]) -> str:
        if match[0] == "%%":
            return "%"
        value = np.asarray(defined(next(arguments), "a printed value"))
        element = {"%llu": IndexType(), "%lld": i64, "%g": f64}[match[0]]
        return _texts(value, element)[0]

    text = re.sub(r"%%|%llu|%lld|%g", converted, format)
    sys.stdout.write(text)
    return (np.asarray(len(text.encode()), np.int32),)


def _fflush(operands: Sequence[Any]) -> Sequence[Any]:
    sys.stdout.flush()
    return (np.asarray(0, np.int32),)


def _write(operands: Sequence[Any]) -> Sequence[Any]:
    """`write` to the standard error, where failed assertions write."""
    size = int(defined(operands[2], "a number of bytes"))
    sys.stderr.write(_bytes_at(operands[1])[:size].decode())
    return (np.asarray(size, np.int64),)


def _abort(operands: Sequence[Any]) -> Sequence[Any]:
    raise CompileError("the program aborts")


LIBC: Mapping[str, Callable[[Sequence[Any]], Sequence[Any]]] = {
    "abort": _abort,
    "fflush": _fflush,
    "printf": _printf,
    "write": _write,
}
"""The functions that the machine code of prints and assertions calls, by name."""

HANDLERS: Mapping[str, Handler] = {PrintOp.name: _print}
