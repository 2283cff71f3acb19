"""Law L17 of a `lir.kernel`: a buffer's output exists and has the buffer's element type.

`checkers/linear_buffers.py` states and checks the other claims about such a buffer.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation

from snippets_mlir.dialects.lir.buffer import BufferOp
from snippets_mlir.dialects.lir.kernel import KernelOp

if TYPE_CHECKING:
    from snippets_mlir.dialects.lir.laws import Fail


def check_placed(kernel: KernelOp, ops: Iterable[Operation], fail: Fail) -> None:
    """Check the law; `fail` is called with it and a message."""
    outputs = kernel.function_type.outputs.data
    for op in ops:
        if not isinstance(op, BufferOp) or (number := op.decided("output")) is None:
            continue
        known = outputs[number] if 0 <= number < len(outputs) else None
        element = op.result.type.get_element_type()
        if not isinstance(known, TensorType) or known.get_element_type() != element:
            found = f"output {number}{'' if known is None else f' of {known}'}"
            fail("L17", f"expected a buffer of {element} in an output of that type, found {found}")
