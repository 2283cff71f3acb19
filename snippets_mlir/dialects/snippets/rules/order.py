"""Maximum, minimum, relu, and rounding to integral values."""

from snippets_mlir.dialects.snippets.rules.rule import FLOAT, NUMBER, Rule

_INTEGRAL = ("ceiling", "floor", "round", "trunc")

ORDER_RULES = (
    Rule("maximum_self", "maximum(x, x)", "x", NUMBER, "idempotent, also for NaN and -0.0"),
    Rule("minimum_self", "minimum(x, x)", "x", NUMBER, "idempotent, also for NaN and -0.0"),
    Rule("maximum_maximum_left", "maximum(y := maximum(x, z), x)", "y", NUMBER, "idempotent"),
    Rule("maximum_maximum_right", "maximum(y := maximum(x, z), z)", "y", NUMBER, "idempotent"),
    Rule("minimum_minimum_left", "minimum(y := minimum(x, z), x)", "y", NUMBER, "idempotent"),
    Rule("minimum_minimum_right", "minimum(y := minimum(x, z), z)", "y", NUMBER, "idempotent"),
    Rule("relu_relu", "relu(y := relu(x))", "y", NUMBER, "idempotent; -0.0 became 0.0 before"),
    Rule("maximum_zero", "maximum(x, 0)", "relu(x)", NUMBER, "maximum(-0.0, 0.0) = 0.0 = relu"),
    Rule("maximum_constant_right", "maximum(c, v)", "maximum(v, c)", NUMBER, "commutative"),
    Rule("minimum_constant_right", "minimum(c, v)", "minimum(v, c)", NUMBER, "commutative"),
    *(
        Rule(
            f"{outer}_{inner}",
            f"{outer}(y := {inner}(x))",
            "y",
            FLOAT,
            "an integral value, infinity or NaN rounds to itself",
        )
        for outer in _INTEGRAL
        for inner in _INTEGRAL
    ),
)
