"""`vector.print`, on the standard output, as the machine code writes it."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Attribute, Operation

from snippets_mlir.dialects.dtypes import Array
from snippets_mlir.dialects.integers import integers_of
from snippets_mlir.dialects.vector.printing import PrintOp
from snippets_mlir.interpreter.arithmetic import unsigned
from snippets_mlir.interpreter.poison import defined
from snippets_mlir.interpreter.registry import Handler
from snippets_mlir.interpreter.scalars import element_type

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
        texts = _texts(values, element_type(op.source.type))
    for part in op.parts():
        sys.stdout.write(texts[part] if isinstance(part, int) else part)
    sys.stdout.flush()
    return ()


HANDLERS: Mapping[str, Handler] = {PrintOp.name: _print}
