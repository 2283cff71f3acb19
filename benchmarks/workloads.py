"""The workloads of the benchmark by name, each a list of steps."""

from __future__ import annotations

from typing import Any

from chains import Chain
from steps import SUMS, Shape, Step, Workload, steps


def _chain(length: int) -> tuple[Step, ...]:
    """`length` cheap operations, each on the result of the previous one."""
    cycle: tuple[tuple[Any, ...], ...] = (
        ("multiply", 1.25),
        ("add", "y"),
        ("maximum", -3.0),
        ("subtract", "x"),
        ("minimum", 3.0),
    )
    steps: list[Step] = []
    last = "x"
    for k in range(length):
        op, operand = cycle[k % len(cycle)]
        steps.append(Step(f"t{k}", op, (last, operand)))
        last = f"t{k}"
    return tuple(steps)


_AFFINE = steps(
    ("a", "multiply", "x", 1.5),
    ("b", "add", "a", "y"),
    ("c", "relu", "b"),
    ("d", "multiply", "c", 0.5),
    ("z", "subtract", "d", "x"),
)
_SILU = steps(("s", "sigmoid", "x"), ("g", "multiply", "x", "s"), ("z", "multiply", "g", "y"))


def product(
    name: str,
    shape: Shape,
    summed: int,
    *after: tuple[Any, ...],
    constants: tuple[str, ...] = (),
    bar: float | None = None,
) -> Workload:
    """A matrix product of x and w, whose result p has `shape`, and the steps after it."""
    bias = ("b",) if "b" in constants else ()
    sizes = " x ".join(map(str, (*shape[:-1], summed, shape[-1])))
    return Workload(
        name,
        f"{'gelu(x @ w + b)' if bias else 'x @ w'}, {sizes}",
        "float32",
        ("x", "w", *bias),
        steps(("p", "matmul", "x", "w"), *after),
        "product",
        {"x": "left", "w": "right", "b": "row"},
        shape,
        summed,
        constants,
        bar=bar,
    )


WORKLOADS: tuple[Workload, ...] = (
    Workload("affine_relu", "relu(1.5x + y) * 0.5 - x", "float32", ("x", "y"), _AFFINE),
    Workload("silu_mul", "silu(x) * y", "float32", ("x", "y"), _SILU),
    Workload("gelu", "gelu(x), by erf", "float32", ("x",), steps(("z", "gelu", "x"))),
    Workload(
        "bias_gelu_nchw",
        "gelu(x + b[c]) on NCHW",
        "float32",
        ("x", "b"),
        steps(("a", "add", "x", "b"), ("z", "gelu", "a")),
        "nchw",
        {"b": "channel"},
    ),
    Workload("chain20", "20 cheap ops on x and y", "float32", ("x", "y"), _chain(20)),
    Workload(
        "select",
        "x > y ? x * 0.5 : y - 0.25",
        "float32",
        ("x", "y"),
        steps(
            ("m", "greater", "x", "y"),
            ("a", "multiply", "x", 0.5),
            ("b", "subtract", "y", 0.25),
            ("z", "select", "m", "a", "b"),
        ),
    ),
    Workload("affine_relu_f64", "relu(1.5x + y) * 0.5 - x", "float64", ("x", "y"), _AFFINE),
    Workload("silu_mul_f64", "silu(x) * y", "float64", ("x", "y"), _SILU),
    Workload(
        "affine_relu_i32",
        "relu(3x + y) * 5 - x",
        "int32",
        ("x", "y"),
        steps(
            ("a", "multiply", "x", 3),
            ("b", "add", "a", "y"),
            ("c", "relu", "b"),
            ("d", "multiply", "c", 5),
            ("z", "subtract", "d", "x"),
        ),
    ),
    Workload(
        "bits_i32",
        "((x ^ y) & 0x0f0f0f0f) | ((x << 3) ^ (y >> 5))",
        "int32",
        ("x", "y"),
        steps(
            ("a", "bitwise_xor", "x", "y"),
            ("b", "bitwise_and", "a", 0x0F0F0F0F),
            ("c", "shift_left", "x", 3),
            ("d", "shift_right", "y", 5),
            ("e", "bitwise_xor", "c", "d"),
            ("z", "bitwise_or", "b", "e"),
        ),
    ),
    Workload(
        "softmax",
        "softmax(x / 8 + mask)",
        "float32",
        ("x", "mask"),
        steps(("a", "multiply", "x", 0.125), ("b", "add", "a", "mask"), ("z", "softmax", "b")),
        "rows",
        {"mask": "row"},
    ),
    Workload(
        "log_softmax",
        "log_softmax(x)",
        "float32",
        ("x",),
        steps(("z", "log_softmax", "x")),
        "rows",
    ),
    Workload(
        "layer_norm",
        "layer_norm(x + y) * g + b",
        "float32",
        ("x", "y", "g", "b"),
        steps(("a", "add", "x", "y"), ("z", "layer_norm", "a", "g", "b")),
        "rows",
        {"g": "row", "b": "row"},
    ),
    Workload(
        "rms_norm",
        "rms_norm(x) * g",
        "float32",
        ("x", "g"),
        steps(("z", "rms_norm", "x", "g")),
        "rows",
        {"g": "row"},
    ),
    *(
        Workload(
            op,
            f"sum of a cube over its {op[4:]} axis",
            "float32",
            ("x",),
            steps(("z", op, "x")),
            "cube",
        )
        for op in SUMS
    ),
    Workload(
        "transpose_add",
        "transpose(x) + y",
        "float32",
        ("x", "y"),
        steps(("a", "transpose", "x"), ("z", "add", "a", "y")),
        "rows",
        {"x": "turned"},
    ),
    *(
        product(name, *shape, bar=bar)
        for name, shape, bar in (
            ("matmul_512", ((512, 512), 512), 0.97),
            ("matmul_1024", ((1024, 1024), 1024), 1.0),
            ("matmul_2048", ((2048, 2048), 2048), 1.03),
            ("matmul_tall", ((4096, 64), 64), 0.95),
            ("matmul_heads", ((12, 128, 128), 64), 0.90),
        )
    ),
    *(
        product(name, *shape, constants=("w",), bar=bar)
        for name, shape, bar in (
            ("matmul_row", ((1, 2048), 2048), 0.85),
            ("matmul_row_memory", ((1, 4096), 4096), 1.05),
            ("matmul_128x768x3072", ((128, 3072), 768), 0.95),
            ("matmul_512x768x3072", ((512, 3072), 768), 1.0),
        )
    ),
    product(
        "matmul_bias_gelu",
        (512, 3072),
        768,
        ("a", "add", "p", "b"),
        ("z", "gelu", "a"),
        constants=("w", "b"),
    ),
)

_BY_NAME = {workload.name: workload for workload in WORKLOADS}

CHAINS: tuple[Chain, ...] = tuple(
    Chain(_BY_NAME[first], _BY_NAME[second])
    for first, second in (
        ("affine_relu", "silu_mul"),
        ("gelu", "affine_relu"),
        ("bias_gelu_nchw", "bias_gelu_nchw"),
        ("layer_norm", "softmax"),
        ("softmax", "rms_norm"),
    )
)
"""Two programs of which the second reads what the first has written."""
