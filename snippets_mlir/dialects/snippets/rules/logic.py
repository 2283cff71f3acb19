"""Boolean algebra, bits, shifts and select."""

from snippets_mlir.dialects.snippets.rules.rule import ANY, BOOL, INTEGER, Rule

_COMMUTATIVE = (
    ("logical_and", BOOL),
    ("logical_or", BOOL),
    ("logical_xor", BOOL),
    ("bitwise_and", INTEGER),
    ("bitwise_or", INTEGER),
    ("bitwise_xor", INTEGER),
)

LOGIC_RULES = (
    Rule("not_not", "logical_not(logical_not(x))", "x", BOOL, "involution"),
    Rule("and_self", "logical_and(x, x)", "x", BOOL, "idempotent"),
    Rule("and_true", "logical_and(x, true)", "x", BOOL, "true is neutral"),
    Rule("and_false", "logical_and(x, false)", "false", BOOL, "false absorbs"),
    Rule("and_not_self", "logical_and(x, logical_not(x))", "false", BOOL, "contradiction"),
    Rule("or_self", "logical_or(x, x)", "x", BOOL, "idempotent"),
    Rule("or_false", "logical_or(x, false)", "x", BOOL, "false is neutral"),
    Rule("or_true", "logical_or(x, true)", "true", BOOL, "true absorbs"),
    Rule("or_not_self", "logical_or(x, logical_not(x))", "true", BOOL, "excluded middle"),
    Rule("xor_self", "logical_xor(x, x)", "false", BOOL, "x xor x = false"),
    Rule("xor_false", "logical_xor(x, false)", "x", BOOL, "false is neutral"),
    Rule("xor_true", "logical_xor(x, true)", "logical_not(x)", BOOL, "x xor true = not x"),
    Rule("bit_not_not", "bitwise_not(bitwise_not(x))", "x", INTEGER, "involution"),
    Rule("bit_and_self", "bitwise_and(x, x)", "x", INTEGER, "idempotent"),
    Rule("bit_and_ones", "bitwise_and(x, ones)", "x", INTEGER, "all bits set is neutral"),
    Rule("bit_and_zero", "bitwise_and(x, 0)", "0", INTEGER, "0 absorbs"),
    Rule("bit_or_self", "bitwise_or(x, x)", "x", INTEGER, "idempotent"),
    Rule("bit_or_zero", "bitwise_or(x, 0)", "x", INTEGER, "0 is neutral"),
    Rule("bit_or_ones", "bitwise_or(x, ones)", "ones", INTEGER, "all bits set absorbs"),
    Rule("bit_xor_self", "bitwise_xor(x, x)", "0", INTEGER, "x xor x = 0"),
    Rule("bit_xor_zero", "bitwise_xor(x, 0)", "x", INTEGER, "0 is neutral"),
    Rule("bit_xor_ones", "bitwise_xor(x, ones)", "bitwise_not(x)", INTEGER, "x xor ones = ~x"),
    Rule("left_shift_zero", "bitwise_left_shift(x, 0)", "x", INTEGER, "no bit moves"),
    Rule("right_shift_zero", "bitwise_right_shift(x, 0)", "x", INTEGER, "no bit moves"),
    Rule("left_shift_of_zero", "bitwise_left_shift(0, x)", "0", INTEGER, "no bit is set"),
    Rule("right_shift_of_zero", "bitwise_right_shift(0, x)", "0", INTEGER, "no bit is set"),
    Rule("select_same", "select(x, y, y)", "y", ANY, "both branches are one value"),
    Rule("select_true", "select(true, x, y)", "x", ANY, "the other branch has no influence"),
    Rule("select_false", "select(false, x, y)", "y", ANY, "the other branch has no influence"),
    Rule("select_not", "select(logical_not(x), y, z)", "select(x, z, y)", ANY, "the branches swap"),
    Rule("select_true_false", "select(x, true, false)", "x", BOOL, "the condition itself"),
    Rule("select_false_true", "select(x, false, true)", "logical_not(x)", BOOL, "its negation"),
    Rule(
        "select_nested_true",
        "select(x, select(x, y, z), w)",
        "select(x, y, w)",
        ANY,
        "where x holds, the inner select takes y",
    ),
    Rule(
        "select_nested_false",
        "select(x, y, select(x, z, w))",
        "select(x, y, w)",
        ANY,
        "where x does not hold, the inner select takes w",
    ),
    *(
        Rule(f"{op}_constant_right", f"{op}(c, v)", f"{op}(v, c)", kinds, "commutative")
        for op, kinds in _COMMUTATIVE
    ),
)
