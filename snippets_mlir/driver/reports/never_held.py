"""`fallback="error"` for dynamic programs: ops that are in no kernel for any sizes.

Other ops may go into kernels for the sizes of a call, and nodes that compute with shapes then
become constants. So the call refuses the remaining ops (`driver/reports/refusals.py`).
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation

from snippets_mlir.dialects.onnx.counting import counts_elements
from snippets_mlir.dialects.program.host import find_entry, host_ops
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.constants import ConstantOp, ScalarOp
from snippets_mlir.driver.reports.refusals import refuse_ops
from snippets_mlir.driver.sources.load import Source
from snippets_mlir.emit.host import is_opaque
from snippets_mlir.support.attribute_names import REASON


def refuse_never_held(source: Source) -> None:
    """Refuse a dynamic program with an op of another dialect, or an operator that is not compiled.

    Raises:
        CompileError: at the first such op; it names up to five.
    """
    ops = host_ops(find_entry(source.module, source.entry))
    of_model = source.model is not None
    sizes = _arithmetic_of_shapes(ops)
    hopeless = (op for op in ops if is_opaque(op) and _is_never_held(op, of_model=of_model))
    refuse_ops([op for op in hopeless if op not in sizes])


def _arithmetic_of_shapes(ops: Sequence[Operation]) -> set[Operation]:
    """The nodes that compute only from shapes and constants: they become constants when sizes are
    known.
    """
    found: set[Operation] = set()
    for op in ops:
        if counts_elements(op):
            found.add(op)
        elif op.operands and all(
            v.owner in found or isinstance(v.owner, ConstantOp | ScalarOp) for v in op.operands
        ):
            found.add(op)
    return found


def _is_never_held(op: Operation, *, of_model: bool) -> bool:
    """Whether sizes make no difference; in an ONNX model they may change the meaning of a node."""
    if isinstance(op, ComputeOp):
        return False
    reason = op.attributes.get(REASON)
    by_operator = isinstance(reason, StringAttr) and reason.data.startswith("the operator ")
    return by_operator or not of_model
