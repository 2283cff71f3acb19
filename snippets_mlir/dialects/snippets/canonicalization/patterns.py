"""Canonicalization of the `snippets` dialect: the named rules that build ops, and chains.

    %1 = snippets.negative %y : tensor<4xf32>
    %2 = snippets.add %x, %1 : tensor<4xf32>            -> snippets.subtract %x, %y

Every rewrite is exact for every value (`docs/rewrite-rules.md`). The equations are in the tables in
`dialects/snippets/rules` and in the records. Rewrites that depend on types or attributes are in
`chains.py`, `layouts.py` and `reductions.py`, and a record names the patterns of its op. The new op
keeps the discardable attributes and the location of the replaced op. Ops of the linear IR are
refused, because their ports name their operands.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from snippets_mlir.dialects.builtin.shaped import tensor_of
from snippets_mlir.dialects.snippets.constants import ScalarOp
from snippets_mlir.dialects.snippets.registry import derived, record_of
from snippets_mlir.dialects.snippets.rules.match import Match, literal_attr, plan, rules_for
from snippets_mlir.dialects.snippets.rules.rule import Apply, Literal, Rule, Variable
from snippets_mlir.support.lazy import named


def _class_of(name: str) -> type[Operation]:
    record = record_of(name)
    assert record is not None, f"a rule builds {name}, which has no record"
    return record.op


def _apply(match: Match, rewriter: PatternRewriter) -> None:
    root = match.root
    right = cast(Apply, match.rule.result)
    element = tensor_of(root.joined_operands[0]).element_type
    operands: list[SSAValue] = []
    new_ops: list[Operation] = []
    for argument in right.arguments:
        if isinstance(argument, Literal):
            new_ops.append(ScalarOp(literal_attr(argument, element)))
            operands.append(new_ops[-1].results[0])
        else:
            operands.append(match.values[cast(Variable, argument).name])
    result = _class_of(right.op).create(
        operands=operands, result_types=[root.results[0].type], attributes=dict(root.attributes)
    )
    new_ops.append(result)
    for op in new_ops:
        op.location = root.location
    rewriter.replace(root, new_ops)


@dataclass(frozen=True)
class RulePattern(RewritePattern):
    """One named rule as a rewrite from left to right."""

    rule: Rule

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        """Replace `op` if the rule applies to it."""
        if (match := plan(self.rule, op)) is not None:
            _apply(match, rewriter)


@derived
def patterns_for(op_name: str) -> tuple[RewritePattern, ...]:
    """The exact rewrites whose root is `op_name`."""
    rules = tuple(RulePattern(rule) for rule in rules_for(op_name, folds=False))
    record = record_of(op_name)
    others = () if record is None else record.patterns
    return rules + tuple(named(f"{__package__}.{pattern}")() for pattern in others)
