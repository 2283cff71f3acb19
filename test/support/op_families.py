"""The ops of the package by what tests ask of them, from the records."""

from __future__ import annotations

from typing import cast

from snippets_mlir.dialects.snippets import (
    arg_reduction,
    channel_norms,
    internal,
    layout,
    normalization,
    reduction,
)
from snippets_mlir.dialects.snippets.arg_reduction import ArgReduceOp
from snippets_mlir.dialects.snippets.base import BinaryOp, UnaryOp
from snippets_mlir.dialects.snippets.conversion import ReshapeOp
from snippets_mlir.dialects.snippets.record import Expansion, FastExpansion, OpRecord
from snippets_mlir.dialects.snippets.records import BUILT_IN
from snippets_mlir.dialects.snippets.reduction import ReduceOp
from snippets_mlir.dialects.snippets.whole_tensor import WholeTensorOp

ARG_OPS = tuple(cast("type[ArgReduceOp]", r.op) for r in arg_reduction.RECORDS)
REDUCTION_OPS = tuple(cast("type[ReduceOp]", r.op) for r in reduction.RECORDS)
NORMALIZATION_OPS = tuple(r.op for r in normalization.RECORDS)
CHANNEL_NORM_OPS = tuple(r.op for r in channel_norms.RECORDS)
LAYOUT_OPS = tuple(r.op for r in layout.RECORDS)
OWN_TYPE = frozenset(r.name for r in BUILT_IN if r.own_type)
INTERNAL = frozenset(r.name for r in internal.RECORDS)

ELEMENTWISE: tuple[OpRecord, ...] = tuple(
    r for r in BUILT_IN if not issubclass(r.op, (WholeTensorOp, ReshapeOp))
)


def needs_attributes(record: OpRecord) -> bool:
    return bool(record.op.get_irdl_definition().properties)


PLAIN: tuple[type[UnaryOp | BinaryOp], ...] = tuple(
    r.op for r in ELEMENTWISE if issubclass(r.op, (UnaryOp, BinaryOp)) and not needs_attributes(r)
)
"""Ops of one or two operands without attributes, those that only passes make included."""

APPROXIMATE = frozenset(r.name for r in ELEMENTWISE if r.floats is not None and not r.floats.exact)
"""Ops of floats that are not rounded once in every type."""

EXPANSIONS: dict[str, Expansion] = {r.word: r.floats for r in BUILT_IN if r.floats is not None}
INTEGER_EXPANSIONS: dict[str, Expansion] = {
    r.word: r.integers for r in BUILT_IN if r.integers is not None
}
FAST: dict[str, FastExpansion] = {r.word: r.fast for r in BUILT_IN if r.fast is not None}
