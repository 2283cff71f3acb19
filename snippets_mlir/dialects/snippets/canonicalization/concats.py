"""Canonicalization of concats and pads.

    concat(x, concat(y, z))      -> concat(x, y, z)       along one axis
    concat(x, empty)             -> concat(x)
    concat(x)                    -> x
    pad(x) by nothing            -> x

An operand without elements along the axis is removed, unless it is the only operand.
"""

from __future__ import annotations

from typing_extensions import override
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.snippets.concatenation import MAX_PARTS, ConcatOp
from snippets_mlir.dialects.snippets.padding import PadOp
from snippets_mlir.dialects.snippets.rules.match import in_linear_ir


def flat_parts(op: ConcatOp) -> list[SSAValue]:
    """The parts of `op` with those of concats that only it reads, without empty ones."""
    found: list[SSAValue] = []
    for part in op.parts:
        inner = part.owner
        if isinstance(inner, ConcatOp) and inner.axis == op.axis and part.has_one_use():
            found += flat_parts(inner)
        elif shape_of(part)[op.axis] != 0:
            found.append(part)
    return found or [op.parts[0]]


class FlattenConcat(RewritePattern):
    """Concats of concats along one axis become one, and empty parts are removed."""

    @override
    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if not isinstance(op, ConcatOp) or in_linear_ir(op):
            return
        parts = flat_parts(op)
        if len(parts) > max(MAX_PARTS, len(op.parts)):
            return
        if len(parts) == 1 and parts[0].type == op.result.type:
            rewriter.replace(op, [], [parts[0]])
            return
        if len(parts) == len(op.parts) and all(a is b for a, b in zip(parts, op.parts)):
            return
        new = ConcatOp.create(
            operands=parts,
            result_types=[op.result.type],
            properties=dict(op.properties),
            attributes=dict(op.attributes),
        )
        new.location = op.location
        rewriter.replace(op, new)


class PadNothing(RewritePattern):
    """A pad without amounts is its operand."""

    @override
    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if isinstance(op, PadOp) and not any((*op.low, *op.high)) and not in_linear_ir(op):
            if op.operand.type == op.result.type:
                rewriter.replace(op, [], [op.operand])
