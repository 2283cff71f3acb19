"""Comparisons and predicates.

Deliberately absent: not(less(x, y)) = greater_equal(x, y) on floats, because both comparisons are
false for NaN.
"""

from snippets_mlir.dialects.snippets.rules.rule import ANY, BOOL, FLOAT, INTEGER, NUMBER, Rule

_MIRRORED = (
    ("less", "greater"),
    ("less_equal", "greater_equal"),
    ("greater", "less"),
    ("greater_equal", "less_equal"),
)
_INVERSE = (
    ("less", "greater_equal"),
    ("less_equal", "greater"),
    ("greater", "less_equal"),
    ("greater_equal", "less"),
)

COMPARISON_RULES = (
    Rule("less_self", "less(x, x)", "false", NUMBER, "irreflexive, also for NaN"),
    Rule("greater_self", "greater(x, x)", "false", NUMBER, "irreflexive, also for NaN"),
    Rule("less_equal_self", "less_equal(x, x)", "true", INTEGER, "reflexive; no NaN"),
    Rule("greater_equal_self", "greater_equal(x, x)", "true", INTEGER, "reflexive; no NaN"),
    Rule("equal_self", "equal(x, x)", "true", INTEGER | BOOL, "reflexive; no NaN"),
    Rule("not_equal_self", "not_equal(x, x)", "false", INTEGER | BOOL, "irreflexive; no NaN"),
    Rule("not_equal_self_is_nan", "not_equal(x, x)", "is_nan(x)", FLOAT, "only NaN differs"),
    Rule("equal_true", "equal(x, true)", "x", BOOL, "x == true is x"),
    Rule("equal_false", "equal(x, false)", "logical_not(x)", BOOL, "x == false is not x"),
    Rule("not_equal_false", "not_equal(x, false)", "x", BOOL, "x != false is x"),
    Rule("not_equal_true", "not_equal(x, true)", "logical_not(x)", BOOL, "x != true is not x"),
    Rule(
        "not_equal_of_not",
        "logical_not(equal(x, y))",
        "not_equal(x, y)",
        ANY,
        "the inverse, also for NaN",
        subject="x",
    ),
    Rule(
        "equal_of_not",
        "logical_not(not_equal(x, y))",
        "equal(x, y)",
        ANY,
        "the inverse, also for NaN",
        subject="x",
    ),
    *(
        Rule(
            f"not_{op}",
            f"logical_not({op}(x, y))",
            f"{inverse}(x, y)",
            INTEGER,
            "a total order; not for floats, where NaN is in none of the relations",
            subject="x",
        )
        for op, inverse in _INVERSE
    ),
    *(
        Rule(f"{op}_constant_right", f"{op}(c, v)", f"{mirror}(v, c)", NUMBER, "the mirror image")
        for op, mirror in _MIRRORED
    ),
    *(
        Rule(f"{op}_constant_right", f"{op}(c, v)", f"{op}(v, c)", ANY, "commutative")
        for op in ("equal", "not_equal")
    ),
    *(
        Rule(f"{op}_{sign}", f"{op}({sign}(x))", f"{op}(x)", FLOAT, "the sign has no influence")
        for op in ("is_nan", "is_inf", "is_finite")
        for sign in ("abs", "negative")
    ),
)
