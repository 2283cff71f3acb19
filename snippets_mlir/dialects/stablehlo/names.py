"""The `snippets` op that computes the same as an elementwise StableHLO op, from the records."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.ir import Attribute, Operation

from snippets_mlir.dialects.builtin.shaped import tensor_of
from snippets_mlir.dialects.snippets.base import kind_of
from snippets_mlir.dialects.snippets.record import OpRecord
from snippets_mlir.dialects.snippets.registry import DerivedTable, records
from snippets_mlir.dialects.stablehlo.elementwise import CompareOp
from snippets_mlir.dialects.stablehlo.reduction import ReduceOp, combiner_of
from snippets_mlir.dialects.stablehlo.region_ops import ReduceWindowOp


def _by_name() -> dict[str, tuple[OpRecord, ...]]:
    table: dict[str, tuple[OpRecord, ...]] = {}
    for record in records():
        if name := record.names.get("stablehlo"):
            table[name] = (*table.get(name, ()), record)
    return table


NAMED: Mapping[str, tuple[OpRecord, ...]] = DerivedTable(_by_name)
"""Name in StableHLO -> the records that have it: `stablehlo.and` is an op of i1 or of integers.

The name of a comparison includes its direction, the name of a reduction the op of its region:
`stablehlo.compare LT`, `stablehlo.reduce stablehlo.add`; also for cumulative windows.
"""


def record_for(op: Operation) -> OpRecord | None:
    """The record for `op` on elements of its last operand's type, or None."""
    name = op.name
    if isinstance(op, CompareOp):
        if op.total_order:
            return None
        name = f"{name} {op.direction.data}"
    if isinstance(op, ReduceOp | ReduceWindowOp):
        if (combiner := combiner_of(op.body.block)) is None:
            return None
        name = f"{name} {combiner.name}"
    return record_named(name, tensor_of(op.operands[-1]).element_type)


def record_named(name: str, element: Attribute) -> OpRecord | None:
    """The record with a name in StableHLO, on elements of this type."""
    found = NAMED.get(name, ())
    kind = kind_of(element) if found else None
    return next((record for record in found if kind in record.op.ELEMENT_KINDS), None)
