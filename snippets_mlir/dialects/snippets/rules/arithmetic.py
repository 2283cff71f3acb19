"""Neutral elements, signs, powers and products.

Deliberately absent, because they change a value: x + 0.0 (-0.0 becomes 0.0), x * 0.0 and x - x
(NaN, infinity), power(x, 0.5) = sqrt(x) (-0.0, -inf), any reassociation of floats.
"""

from snippets_mlir.dialects.snippets.rules.rule import FLOAT, INTEGER, NUMBER, SIGNED, Rule

ARITHMETIC_RULES = (
    # Neutral elements.
    Rule("add_negative_zero", "add(x, -0.0)", "x", FLOAT, "-0.0 is the neutral element of +"),
    Rule("add_zero", "add(x, 0)", "x", INTEGER, "0 is the neutral element of +"),
    Rule("subtract_zero", "subtract(x, 0)", "x", NUMBER, "x - 0.0 keeps -0.0"),
    Rule("multiply_one", "multiply(x, 1)", "x", NUMBER, "1 is the neutral element of *"),
    Rule("divide_one", "divide(x, 1)", "x", NUMBER, "1 is the right neutral element of /"),
    Rule("power_one", "power(x, 1)", "x", NUMBER, "x ^ 1 = x, also for NaN"),
    # Absorbing elements.
    Rule("multiply_zero", "multiply(x, 0)", "0", INTEGER, "0 absorbs; integers have no NaN"),
    Rule("divide_of_zero", "divide(0, x)", "0", INTEGER, "0 / x = 0, also for x = 0"),
    Rule("mod_of_zero", "mod(0, x)", "0", INTEGER, "0 mod x = 0, also for x = 0"),
    Rule("floor_mod_of_zero", "floor_mod(0, x)", "0", INTEGER, "0 mod x = 0, also for x = 0"),
    Rule("mod_one", "mod(x, 1)", "0", INTEGER, "every integer is a multiple of 1"),
    Rule("floor_mod_one", "floor_mod(x, 1)", "0", INTEGER, "every integer is a multiple of 1"),
    Rule("mod_self", "mod(x, x)", "0", INTEGER, "x mod x = 0, also for x = 0"),
    Rule("floor_mod_self", "floor_mod(x, x)", "0", INTEGER, "x mod x = 0, also for x = 0"),
    Rule("subtract_self", "subtract(x, x)", "0", INTEGER, "integers have no NaN and no infinity"),
    Rule("squared_difference_self", "squared_difference(x, x)", "0", INTEGER, "(x - x)^2 = 0"),
    Rule("power_zero", "power(x, 0)", "1", NUMBER, "x ^ 0 = 1, also for 0 and NaN"),
    Rule("power_of_one", "power(1, x)", "1", NUMBER, "1 ^ x = 1, also for NaN"),
    # Signs.
    Rule("negative_negative", "negative(negative(x))", "x", NUMBER, "the sign flips twice"),
    Rule("multiply_minus_one", "multiply(x, -1)", "negative(x)", FLOAT | SIGNED, "exact"),
    Rule("divide_minus_one", "divide(x, -1)", "negative(x)", FLOAT | SIGNED, "INT_MIN / -1 wraps"),
    Rule("negative_zero_subtract", "subtract(-0.0, x)", "negative(x)", FLOAT, "-0.0 - 0.0 = -0.0"),
    Rule("zero_subtract", "subtract(0, x)", "negative(x)", INTEGER, "both wrap"),
    Rule("subtract_negative", "subtract(x, negative(y))", "add(x, y)", NUMBER, "IEEE 754's x - y"),
    Rule("add_negative", "add(x, negative(y))", "subtract(x, y)", NUMBER, "IEEE 754's x - y"),
    Rule("negative_add", "add(negative(x), y)", "subtract(y, x)", NUMBER, "+ is commutative"),
    Rule(
        "multiply_negatives",
        "multiply(negative(x), negative(y))",
        "multiply(x, y)",
        NUMBER,
        "the signs cancel; integers wrap alike",
    ),
    Rule(
        "divide_negatives",
        "divide(negative(x), negative(y))",
        "divide(x, y)",
        FLOAT,
        "the signs cancel; not for integers, where -INT_MIN wraps",
    ),
    Rule("abs_abs", "abs(y := abs(x))", "y", NUMBER, "idempotent"),
    Rule("abs_negative", "abs(negative(x))", "abs(x)", FLOAT | SIGNED, "the sign is cleared"),
    Rule("sign_sign", "sign(y := sign(x))", "y", NUMBER, "-1, 0, 1 and NaN are their own signs"),
    Rule("cos_negative", "cos(negative(x))", "cos(x)", FLOAT, "cosine is even"),
    Rule("cos_abs", "cos(abs(x))", "cos(x)", FLOAT, "cosine is even"),
    Rule("cosh_negative", "cosh(negative(x))", "cosh(x)", FLOAT, "cosh is even"),
    Rule("cosh_abs", "cosh(abs(x))", "cosh(x)", FLOAT, "cosh is even"),
    # Powers and products.
    Rule("power_two", "power(x, 2)", "multiply(x, x)", NUMBER, "the exact square, rounded once"),
    Rule("power_minus_one", "power(x, -1)", "divide(1, x)", FLOAT, "rounded once; +-0 gives +-inf"),
    Rule("square_of_abs", "multiply(y := abs(x), y)", "multiply(x, x)", NUMBER, "the signs cancel"),
    Rule(
        "squared_difference_zero",
        "squared_difference(x, 0)",
        "multiply(x, x)",
        NUMBER,
        "x - 0 is x, and the square of either zero is 0.0",
    ),
    Rule("fma_one", "fma(x, 1, z)", "add(x, z)", FLOAT, "the product is exact"),
    Rule("fma_negative_zero", "fma(x, y, -0.0)", "multiply(x, y)", FLOAT, "-0.0 is neutral"),
    # Constants to the right.
    Rule("fma_constant_right", "fma(c, v, z)", "fma(v, c, z)", FLOAT, "the product is commutative"),
    *(
        Rule(f"{op}_constant_right", f"{op}(c, v)", f"{op}(v, c)", NUMBER, "commutative")
        for op in ("add", "multiply", "squared_difference")
    ),
)
