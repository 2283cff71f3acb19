"""Errors for programs that must consist of kernels only, but do not."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation

from snippets_mlir.analysis.graph.eligibility import why_not
from snippets_mlir.dialects.lir.call import CallOp
from snippets_mlir.dialects.program.host import Entry, host_ops
from snippets_mlir.dialects.snippets.index_checks import CheckIndicesOp
from snippets_mlir.dialects.snippets.slicing import SliceOp
from snippets_mlir.dialects.snippets.subgraph import SubgraphOp
from snippets_mlir.driver.reports.messages import opaque_op
from snippets_mlir.emit.host import is_opaque
from snippets_mlir.support.attribute_names import REASON
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError


def refuse_fallback(function: Entry) -> None:
    """`fallback="error"`: a `CompileError` that names ops that need an executor.

    A check of indices does not count, and neither does a slice that only the caller reads, a view:
    they compute nothing that a kernel could.
    """
    found = (op for op in host_ops(function) if is_opaque(op))
    refuse_ops([op for op in found if not isinstance(op, CheckIndicesOp | SliceOp)])


def refuse_ops(found: Sequence[Operation]) -> None:
    """`CompileError` that names the first ops of `found`, if there are any."""
    if not found:
        return
    shown = "; ".join(str(opaque_op(op)) for op in found[:5])
    more = f"; and {len(found) - 5} more" if len(found) > 5 else ""
    raise CompileError(
        f'fallback="error": {len(found)} op(s) cannot go into a kernel: {shown}{more}',
        **position_of(found[0]),
    )


def refuse_unlowered(function: Entry, *, asked: bool) -> None:
    """`CompileError` if the passes leave computing ops above the level of LLVM.

    With `asked`, the caller chose the pipeline: it has to produce kernels if there can be any.
    """
    ops = host_ops(function)
    left = [op for op in ops if isinstance(op, SubgraphOp)]
    if asked and not any(isinstance(op, CallOp | SubgraphOp) for op in ops):
        left = [op for op in ops if is_opaque(op) and REASON not in op.attributes]
        left = [op for op in left if why_not(op) is None]
    if left:
        raise CompileError(
            f"the pipeline does not lead to LLVM: it leaves '{left[0].name}', which kernels are "
            "made of; snippets-to-llvm has all passes",
            **position_of(left[0]),
        )
