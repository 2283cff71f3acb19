"""Algebra of the `snippets` dialect as tables of named rules, one file per topic.

Folding applies the rules of `ALL_RULES` whose right side is an existing value or a constant;
canonicalization applies the others. Every rule is exact: for every value of its operands both sides
have the same bits, with all NaNs counted as one value. `docs/rewrite-rules.md` says how to write
one.
"""

from snippets_mlir.dialects.snippets.rules.arithmetic import ARITHMETIC_RULES
from snippets_mlir.dialects.snippets.rules.comparison import COMPARISON_RULES
from snippets_mlir.dialects.snippets.rules.logic import LOGIC_RULES
from snippets_mlir.dialects.snippets.rules.order import ORDER_RULES
from snippets_mlir.dialects.snippets.rules.rule import Rule

ALL_RULES: tuple[Rule, ...] = (
    *ARITHMETIC_RULES,
    *COMPARISON_RULES,
    *LOGIC_RULES,
    *ORDER_RULES,
)

__all__ = ["ALL_RULES", "Rule"]
