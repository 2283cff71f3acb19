"""Move concats after the elementwise ops that read them.

    %0 = snippets.concat %a, %b {axis = 1 : i64}        : .. -> tensor<8x64xf32>
    %1 = snippets.multiply %0, %s                       : tensor<8x64xf32>

becomes

    %s0 = snippets.slice %s {starts = array<i64: 0, 0>, ..}  : .. -> tensor<8x32xf32>
    %s1 = snippets.slice %s {starts = array<i64: 0, 32>, ..} : .. -> tensor<8x32xf32>
    %0 = snippets.multiply %a, %s0                      : tensor<8x32xf32>
    %1 = snippets.multiply %b, %s1                      : tensor<8x32xf32>
    %2 = snippets.concat %0, %1 {axis = 1 : i64}        : .. -> tensor<8x64xf32>

`snippets-tokenize-concats` then computes all of it in one kernel, and the joined value of a rotary
embedding, or of a padded image, is never in memory. The concat moves after the last of the ops if

* every op that reads the concat, or one of these ops, is elementwise with a result of its shape,
  and only the last one has other readers;
* every other operand of these ops has known parts: it is a concat of equal parts, has size 1 along
  the axis, or can be sliced where it is (an input, a constant, a result of another kernel or
  session, or an elementwise result of such values for these ops alone);
* a sliced value has no size that only the call knows, and a row of parts has `LEAST_RUN` elements
  on average: narrower ones would not fill vectors.

A reshape between elementwise ops and a concat, as in a stack, moves before the ops, to their
operands.

Each element is computed as before. Ops marked `snippets.skipped` are left. Ours.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeGuard

from xdsl.ir import Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.concatenation import ConcatOp
from snippets_mlir.dialects.snippets.shapes import DYNAMIC
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.building.graph import OpBuilder
from snippets_mlir.passes.graph.canonicalize.concat_parts import (
    Part,
    has_wide_parts,
    joins,
    ways_of,
)
from snippets_mlir.passes.graph.canonicalize.snippets_move_elementwise_up import (
    VIEWS,
    is_on_graph,
    works_element_by_element,
)
from snippets_mlir.passes.patterns import Pattern, PatternPass


@dataclass(frozen=True)
class Sinking:
    """The ops that a concat moves after, in order; other ops read the last one."""

    ops: tuple[Operation, ...]


class SinkConcat(Pattern[ConcatOp, Sinking]):
    """`f(concat(a, b), s)` is `concat(f(a, s0), f(b, s1))` for a function of single elements."""

    name = "sink-concat"
    ops = (ConcatOp,)
    conditions = (is_on_graph, has_wide_parts)

    def match(self, op: ConcatOp) -> Sinking | None:
        """The elementwise ops that follow it, if only the last one has other readers."""
        inside: set[Operation] = {op}
        found: list[Operation] = []
        following = op.next_op
        while following is not None:
            reads = any(v.owner in inside for v in following.operands)
            if reads and joins(following, op, inside):
                inside.add(following)
                found.append(following)
            following = following.next_op
        ends = [
            one for one in inside if any(u.operation not in inside for u in one.results[0].uses)
        ]
        return Sinking(tuple(found)) if found and ends == [found[-1]] else None

    def rewrite(self, op: ConcatOp, match: Sinking, rewriter: PatternRewriter) -> None:
        """Compute each part, and join the results of the last op."""
        last = match.ops[-1]
        build = OpBuilder(last, rewriter)
        ways, sources = ways_of(match.ops, op), list(op.parts)
        parts: list[SSAValue] = []
        for place, part in enumerate(sources):
            maker = Part(op, place, build, ways)
            maker.known[op.result] = part
            parts.append(maker.applied(match.ops))
        joined = ConcatOp(parts, op.axis)
        build.replace(build.add(joined))
        _erase_unused([op, *match.ops[:-1], *(value.owner for value in ways)], rewriter)
        for part in sources:
            if isinstance(part.owner, ConcatOp):
                self.match_and_rewrite(part.owner, rewriter)


def _erase_unused(ops: Sequence[Operation | Block], rewriter: PatternRewriter) -> None:
    """Erase dead ops of `ops`, including those that become dead."""
    left = dict.fromkeys(op for op in ops if isinstance(op, ConcatOp) or _computes(op))
    while unused := [op for op in left if op.results[0].first_use is None]:
        for op in unused:
            del left[op]
            rewriter.erase(op)


def _computes(op: Operation | Block) -> TypeGuard[Operation]:
    return isinstance(op, Operation) and works_element_by_element(op)


def only_a_concat_reads_it(op: Operation) -> bool:
    """Its one reader is a concat."""
    return isinstance(op.results[0].get_user_of_unique_use(), ConcatOp)


class ViewUp(Pattern[ComputeOp, ComputeOp]):
    """`reshape(f(x, y))` is `f(reshape(x), reshape(y))` if a concat reads it."""

    name = "view-up"
    ops = VIEWS
    conditions = (is_on_graph, only_a_concat_reads_it)

    def match(self, op: ComputeOp) -> ComputeOp | None:
        """The elementwise op before it, without other readers, on operands of its shape."""
        source = op.operands[0].owner
        if not isinstance(source, ComputeOp) or not works_element_by_element(source):
            return None
        shape = shape_of(source.results[0])
        same = all(
            shape_of(v) == shape or all(n == 1 for n in shape_of(v)) for v in source.operands
        )
        known = DYNAMIC not in (*shape, *shape_of(op.results[0]))
        fits = is_on_graph(source) and source.results[0].has_one_use()
        return source if known and same and fits else None

    def rewrite(self, op: ComputeOp, match: ComputeOp, rewriter: PatternRewriter) -> None:
        """Compute on the shape after the view, and continue with the views of the operands."""
        build, result = OpBuilder(op, rewriter), op.results[0]
        target, shape = shape_of(result), shape_of(match.results[0])
        operands: list[SSAValue] = []
        for value in match.operands:
            operands.append(build.reshape(value, target if shape_of(value) == shape else ()))
        moved = type(match).create(
            operands=operands,
            result_types=[result.type],
            properties=dict(match.properties),
            attributes=dict(match.attributes),
        )
        build.replace(build.add(moved))
        _erase_unused([match], rewriter)
        for value in operands:
            if isinstance(value.owner, VIEWS) and value.has_one_use():
                found = self.match(value.owner)
                if found is not None:
                    self.rewrite(value.owner, found, rewriter)


@dataclass(frozen=True)
class SnippetsSinkConcatsPass(PatternPass):
    """Move concats after the elementwise ops that read them."""

    name = "snippets-sink-concats"
    STAGES: ClassVar[Stages] = Stages(("graph",))
    MIXES_CLASSES: ClassVar[bool] = False
    PATTERNS = (ViewUp, SinkConcat)
