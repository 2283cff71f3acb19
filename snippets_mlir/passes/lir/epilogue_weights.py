"""The epilogue of a matrix product in its loops, and whether it is long."""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.ir import Operation

from snippets_mlir.dialects.lir.access import loop_ids
from snippets_mlir.dialects.lir.brgemm import BrgemmOp
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.loops import LoopInfo
from snippets_mlir.dialects.snippets.conversion import BroadcastLikeOp
from snippets_mlir.dialects.snippets.registry import record_of
from snippets_mlir.passes.lir.panels import around_sum

EXPANDED = 16
"""The approximate number of vector instructions of an op that lir-expand-math expands."""

LONG = 8
"""The most vector instructions of a short epilogue."""


def weight_of(op: Operation) -> float:
    """The approximate vector instructions of an op; `EXPANDED` for one that is expanded later."""
    record = record_of(op.name)
    if record is None:
        return 0
    direct = record.code is not None or record.cheap or isinstance(op, BroadcastLikeOp)
    return record.weight if direct else EXPANDED


def epilogue_of(
    product: BrgemmOp, kernel: KernelOp, table: dict[int, LoopInfo]
) -> tuple[Operation, ...]:
    """The other ops in the loops around the sum of a product."""
    scope = tuple(loop.id for loop in around_sum(product, table)[0])
    return tuple(op for op in kernel.block.ops if loop_ids(op) == scope)


def is_long(ops: Iterable[Operation], most: float = LONG) -> bool:
    """Whether ops are more than `most` vector instructions together."""
    return sum(map(weight_of, ops)) > most
