"""Softmax of rows in blocks: which blocks are made, values, accuracy and special values."""

from __future__ import annotations

import numpy as np
import pytest
from dataflow_runs import Array, after, interpreted
from sampled import alternating, sampled

import snippets_mlir
from snippets_mlir.dialects.builtin.dims import symbol
from snippets_mlir.dialects.snippets.shapes import DYNAMIC
from snippets_mlir.passes.graph.decompose.softmax_blocks import (
    Blocks,
    Demand,
    Forms,
    block_length,
    plan_blocks,
)
from snippets_mlir.targets.host import host_target

TWO = Demand(threads=2, lanes=16, row_bytes=2 << 20, min_work=32768)
BOTH = Forms(twice=True, kept=True)
COMPUTED = Forms(twice=False, kept=True)
LOG = Forms(twice=True, kept=False)
PIPELINE = "snippets-set-target{{target={target}}},snippets-online-softmax{{{options}}}"
TWICE = "threads=1 softmax-from=0 log-softmax-from=0"
KEPT = "threads=16 min-work=0 softmax-from=100000000 log-softmax-from=100000000"


@pytest.mark.parametrize(
    ("row", "lanes", "wanted", "length"),
    [
        (1 << 20, 16, 4096, 4096),
        (1 << 20, 16, 1, 512),
        (1 << 20, 8, 4096, 2048),
        # 4000 is a whole number of vectors, 6400 too many of them; 50257 is 29 * 1733.
        (32000, 16, 4096, 4000),
        (32000, 16, 700, 640),
        (50257, 16, 4096, 1733),
        (50257, 16, 800, 1733),
        # 2374 = 2 * 1187: no divisor in the range is a whole number of vectors.
        (151936, 16, 4096, 2374),
        # A prime, twice a prime, too short for two blocks, just long enough.
        (65537, 16, 4096, None),
        (2 * 32771, 16, 4096, None),
        (1022, 16, 4096, None),
        (1024, 16, 4096, 512),
        (0, 16, 4096, None),
    ],
)
def test_lengths_of_blocks(row: int, lanes: int, wanted: int, length: int | None):
    assert block_length(row, lanes, wanted) == length


@pytest.mark.parametrize(
    ("shape", "width", "forms", "plan"),
    [
        # Long rows: from 2 MiB on, whatever the number of rows.
        ((8, 1 << 19), 4, BOTH, Blocks(8, 128, 4096, False)),
        ((2, 4, 1 << 19), 4, BOTH, Blocks(8, 128, 4096, False)),
        ((8, (1 << 19) - 4096), 4, BOTH, None),
        ((8, 1 << 18), 8, BOTH, Blocks(8, 128, 2048, False)),
        ((8, 1 << 19), 4, LOG, Blocks(8, 128, 4096, False)),
        # One row for two threads: exp is kept where x is short, or would have to be stored for it.
        ((1, 1 << 19), 4, BOTH, Blocks(1, 128, 4096, False)),
        ((1 << 18,), 4, BOTH, Blocks(1, 64, 4096, True)),
        ((1 << 19,), 4, COMPUTED, Blocks(1, 128, 4096, True)),
        ((1 << 18,), 4, LOG, Blocks(1, 64, 4096, False)),
        ((32768,), 4, BOTH, Blocks(1, 8, 4096, True)),
        ((32767,), 4, BOTH, None),
        # Enough rows for the threads, of which each fits the caches or is computed.
        ((2, 1 << 18), 4, BOTH, None),
        ((8, 1 << 19), 4, COMPUTED, None),
        # No rows, empty rows, and dynamic sizes.
        ((0, 1 << 19), 4, BOTH, None),
        ((8, 0), 4, BOTH, None),
        ((DYNAMIC, 1 << 19), 4, BOTH, None),
        ((8, symbol(0)), 4, BOTH, None),
        ((symbol(0), 1 << 19), 4, BOTH, None),
        ((1, 524309), 4, BOTH, None),
    ],
)
def test_plans(shape: tuple[int, ...], width: int, forms: Forms, plan: Blocks | None):
    assert plan_blocks(shape, width, TWO, forms) == plan


def test_no_machine_number_and_more_threads():
    never = Demand(threads=16, lanes=16, row_bytes=None, min_work=32768)
    assert plan_blocks((9, 1 << 20), 4, never, BOTH) is None
    assert plan_blocks((8, 1 << 20), 4, never, BOTH) == Blocks(8, 256, 4096, True)
    # Four blocks for each thread.
    assert plan_blocks((1, 1 << 16), 4, never, BOTH) == Blocks(1, 64, 1024, True)


def text_of(op: str, shape: tuple[int, ...], axis: int, element: str = "f32") -> str:
    x = f"tensor<{'x'.join(map(str, shape))}x{element}>"
    return (
        f"func.func @main(%x: {x}) -> {x} {{\n"
        f"  %y = snippets.{op} %x {{axis = {axis} : i64}} : {x}\n"
        f"  func.return %y : {x}\n}}"
    )


def exact(op: str, x: Array) -> tuple[Array, Array]:
    """The op along the last dim in higher precision, and how far it may be off in blocks.

    x - max is rounded, in one step or in two of one sign, and exp magnifies that; the sum has the
    mean of these errors. Beside them, eight units for two exps and their sum, products and a
    quotient, and the smallest subnormal.
    """
    wide, info = x.astype(np.longdouble), np.finfo(x.dtype)
    with np.errstate(all="ignore"):
        distance = wide - wide.max(-1, keepdims=True)
        exponential = np.exp(distance)
        total = exponential.sum(-1, keepdims=True)
        finite = np.where(np.isfinite(distance), -distance, 0)
        mean = (exponential * finite).sum(-1, keepdims=True) / total
        shift = info.eps / 2 * (finite + mean) + 8 * info.eps
        if op == "log_softmax":
            value = distance - np.log(total)
            return value, shift + 2 * info.eps * np.where(np.isfinite(value), np.abs(value), 0)
        value = exponential / total
        return value, value * shift + info.smallest_subnormal


def check(op: str, x: Array, found: Array) -> None:
    """NaN, inf and zeros are where they have to be, and the rest is near enough."""
    assert (found.dtype, found.shape) == (x.dtype, x.shape)
    value, bound = exact(op, x)
    assert np.array_equal(np.isnan(found), np.isnan(value))
    with np.errstate(over="ignore"):
        rounded = value.astype(x.dtype)
    infinite, rest = np.isinf(rounded), np.isfinite(rounded)
    assert np.array_equal(found[infinite], rounded[infinite])
    assert (np.abs(found[rest] - value[rest]) <= bound[rest]).all()


def results(op: str, options: str, target: str, x: Array) -> list[Array]:
    """The results of `op` in blocks, interpreted and compiled."""
    element = "f64" if x.dtype == np.float64 else "f32"
    text = text_of(op, x.shape, x.ndim - 1, element)
    module = after(text, PIPELINE.format(target=target, options=options))
    exps = sum(o.name == "snippets.exp" for o in module.walk())
    assert exps == (3 if op == "softmax" and options == TWICE else 2)
    program = snippets_mlir.compile(str(module), target=target, num_threads=2, fallback="error")
    return [*interpreted(module, [x]), program(x)]


@pytest.mark.parametrize(
    ("target", "dtype", "shape", "options", "op"),
    sampled(
        [
            (*case, options, op)
            for case in (
                ("generic", "float32", (1, 256)),
                ("generic", "float64", (3, 2, 1026)),
                (host_target(), "float32", (2, 509 * 4)),
                (host_target(), "float64", (509 * 12,)),
            )
            for options in (TWICE, KEPT)
            for op in ("softmax", "log_softmax")
        ],
        2,
    ),
)
def test_values(op: str, options: str, target: str, dtype: str, shape: tuple[int, ...]):
    rng = np.random.default_rng(shape[-1])
    x: Array = (rng.standard_normal(shape) * 8).astype(dtype)
    for found in results(op, options, target, x):
        check(op, x, found)


def special_rows(row: int) -> Array:
    """Rows of blocks that are hard."""
    block, inf, info = row // 4, np.inf, np.finfo(np.float32)
    x = np.random.default_rng(1).standard_normal((16, row)).astype(np.float32)
    x[0] = -inf
    x[1, block : 2 * block] = -inf
    x[2, :-1] = -inf
    x[3, -1] = inf
    x[4] = inf
    x[5, 3] = np.nan
    x[6, block:] = np.nan
    x[7, -1], x[7, 0] = np.nan, inf
    x[8, ::2], x[8, 1::2] = 0.0, -0.0
    x[9, -1] = info.max
    x[10] = -info.max
    x[11, :block], x[11, block:] = -info.max, info.max
    x[12, -1] = 200
    x[13, :block] = -100
    x[14, : 3 * block], x[14, 3 * block :] = -inf, -info.max
    x[15, -1] = 88.5
    return x


@pytest.mark.parametrize(("op", "options"), alternating(["softmax", "log_softmax"], [TWICE, KEPT]))
def test_special_values(op: str, options: str):
    x = special_rows(2048)
    assert not np.isnan(exact(op, x)[0][[1, 2, 8, 9, 10, 11, 12, 13, 14, 15]]).any()
    for found in results(op, options.replace("threads=16", "threads=32"), "generic", x):
        check(op, x, found)


@pytest.mark.parametrize("seed", sampled(range(6), 2))
def test_random_rows(seed: int):
    """Rows of every size of number, some -inf, in the default pipeline with two threads."""
    rng = np.random.default_rng(seed)
    rows, row = 1 + seed % 2, int(rng.choice([32768, 50257, 131072, 65537, 1 << 19, 120000]))
    x = rng.standard_normal((rows, row)) * 10.0 ** rng.integers(-3, 4)
    x = np.where(rng.random(x.shape) < 0.1, -np.inf, x).astype(np.float32)
    op = ["softmax", "log_softmax"][seed // 3]
    program = snippets_mlir.compile(text_of(op, x.shape, 1), num_threads=2, fallback="error")
    check(op, x, program(x))


def kernels(text: str, threads: int = 2) -> int:
    """How many kernels the default pipeline makes for AVX-512."""
    module = after(
        text,
        f"snippets-set-target{{target=x86-64-avx512 threads={threads}}},"
        "snippets-online-softmax,snippets-tokenize",
    )
    return sum(op.name == "snippets.subgraph" for op in module.walk())


@pytest.mark.parametrize(
    ("op", "rows", "row", "number"),
    [
        ("softmax", 3, 1 << 19, 3),
        ("softmax", 3, (1 << 19) - 512, 1),
        ("softmax", 2, (1 << 19) - 512, 3),
        ("softmax", 1, 1 << 15, 3),
        ("softmax", 1, (1 << 15) - 512, 1),
        ("log_softmax", 3, 1 << 17, 3),
        ("log_softmax", 3, (1 << 17) - 512, 1),
        ("log_softmax", 2, 131101, 1),
    ],
)
def test_thresholds(op: str, rows: int, row: int, number: int):
    """However many threads there are."""
    for threads in (1, 2, 16):
        assert kernels(text_of(op, (rows, row), 1), threads) == number


COMPUTED_TEXT = """func.func @main(%x: tensor<{0}xf32>, %b: tensor<{0}xf32>) -> tensor<{0}xf32> {{
  %0 = snippets.multiply %x, %b : tensor<{0}xf32>
  %1 = snippets.softmax %0 {{axis = 1 : i64}} : tensor<{0}xf32>
  %2 = snippets.add %1, %b : tensor<{0}xf32>
  func.return %2 : tensor<{0}xf32>
}}"""


def test_what_is_computed_joins_the_kernels():
    """Many rows stay one kernel; with one row, the three take what is before and after."""
    assert kernels(COMPUTED_TEXT.format("8x524288")) == 1
    assert kernels(COMPUTED_TEXT.format("1x65536")) == 3
    rng = np.random.default_rng(5)
    x, b = rng.standard_normal((2, 1, 65536)).astype(np.float32)
    program = snippets_mlir.compile(COMPUTED_TEXT.format("1x65536"), num_threads=2)
    value, bound = exact("softmax", x * b)
    assert (np.abs(program(x, b) - (value + b)) <= bound + 2.0**-23 * np.abs(value + b)).all()
