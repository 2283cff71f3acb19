"""How many register tiles the kernel of a product has code for."""

from __future__ import annotations

import random
from itertools import product

import pytest
from sampled import sampled
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from snippets_mlir.analysis.kernels.register_tiles import (
    MOST_VARIANTS,
    MUCH_CODE,
    SAME,
    Product,
    Tile,
    best_tile,
    cost,
    variants,
)
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.markers import LoopBeginOp, LoopEndOp
from snippets_mlir.passes.lir.tail_rows import tiles_left
from snippets_mlir.passes.pipelines import PIPELINES
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.support.parsing import parse_module


def tensor(rows: object, columns: object, element: str) -> str:
    return f"tensor<{rows}x{columns}x{element}>"


def tiles(rows: int, terms: int, columns: int, element: str, target: str) -> set[int]:
    """The accumulators of each loop over the sum, whatever it is unrolled by."""
    a, b = tensor(rows, terms, element), tensor(terms, columns, element)
    c = tensor(rows, columns, element)
    text = (
        f"func.func @main(%a: {a}, %b: {b}) -> {c} {{\n"
        f"  %0 = snippets.matmul %a, %b : ({a}, {b}) -> {c}\n"
        f"  func.return %0 : {c}\n}}\n"
    )
    ctx = make_context()
    return set(all_sums(parse_module(text, ctx), ctx, target))


def all_sums(module: ModuleOp, ctx: Context, target: str) -> list[int]:
    """The accumulators of each loop over a sum of the kernels of a module."""
    names = PIPELINES["snippets-to-llvm"].replace(
        "snippets-set-target", f"snippets-set-target{{target={target} threads=2}}", 1
    )
    passes = parse_pipeline(names, ctx)
    stop = [p.name for p in passes].index("lir-insert-specific-iterations")
    run_passes(module, ctx, passes[: stop + 1], verify_each=False)
    return [found for op in module.walk() if isinstance(op, KernelOp) for found in sums(op)]


def sums(kernel: KernelOp) -> list[int]:
    found: list[int] = []
    around: list[tuple[int, int]] = []
    for op in kernel.block.ops:
        if isinstance(op, LoopBeginOp):
            around.append((op.id, 0))
        elif isinstance(op, LoopEndOp):
            loop, products = around.pop()
            if products:
                found.append(products // kernel.loop_table[loop].increment)
        elif op.name == "snippets.fma" or "lir.in_order" in op.attributes:
            loop, products = around.pop()
            around.append((loop, products + 1))
    return found


COMMON = [
    *((512, 512, 512), (1024, 1024, 1024), (128, 768, 3072), (512, 3072, 768), (4096, 64, 64)),
    *((384, 768, 768), (197, 768, 768), (100, 100, 100), (256, 256, 256), (3, 1024, 1024)),
    *((7, 3000, 500), (50, 65, 1000), (32, 384, 1536)),
]


@pytest.mark.parametrize(
    ("target", "sizes"), sampled(product(["x86-64-avx512", "x86-64-avx2"], COMMON), 2)
)
def test_common_products_have_three_tiles_at_most(sizes: tuple[int, int, int], target: str):
    assert 1 <= len(tiles(*sizes, "f32", target)) <= 3


@pytest.mark.parametrize("registers", [16, 32])
def test_four_tiles_take_much_less_time_than_three(registers: int):
    """Such as 13 x 50 x 70 with AVX-512."""
    rng, four = random.Random(0), 0
    for _ in range(300):
        product = Product(rng.randint(2, 70), rng.randint(1, 20), 1, 200, 2)
        tile = best_tile(product, registers)
        if variants(product, tile) <= MOST_VARIANTS:
            continue
        four += 1
        least = cost(product, tile, 1) * (1 + MUCH_CODE) / (1 + SAME)
        for other in (Tile(rows, vectors) for rows in range(1, 71) for vectors in range(1, 9)):
            fits = other.vectors * (other.rows + 1) < registers
            if fits and other.rows <= product.rows and variants(product, other) <= MOST_VARIANTS:
                assert cost(product, other, 1) > least
    assert four


def test_no_product_has_more_than_four_tiles():
    """Whole ones, what is left of rows, of columns, and of both."""
    rng = random.Random(0)
    counts = [
        len(
            tiles(
                rng.randint(2, 300),
                rng.randint(2, 200),
                rng.randint(2, 600),
                rng.choice(["f32", "f64"]),
                rng.choice(["x86-64-avx512", "x86-64-avx2"]),
            )
        )
        for _ in range(20)
    ]
    assert max(counts) <= 4
    assert sum(counts) / len(counts) < 3


ANY_ROWS = "#lir.sizes<?0>"


def sums_of_any_rows(columns: int, target: str) -> list[int]:
    """Those of rows that may be one, times a constant that is packed."""
    a, c = f"tensor<?x96xf32, {ANY_ROWS}>", f"tensor<?x{columns}xf32, {ANY_ROWS}>"
    b = tensor(96, columns, "f32")
    text = (
        "module attributes {snippets.may_be_one} {\n"
        f"func.func @main(%a: {a}) -> {c} {{\n"
        f"  %b = snippets.constant dense<1.0> : {b}\n"
        f"  %0 = snippets.matmul %a, %b : ({a}, {b}) -> {c}\n"
        f"  func.return %0 : {c}\n}}\n}}\n"
    )
    ctx = make_context()
    return all_sums(parse_module(text, ctx), ctx, target)


@pytest.mark.parametrize("target", ["generic", "x86-64-avx2", "aarch64-neon", "x86-64-avx512"])
def test_any_rows_have_few_tiles_beside_many_panels(target: str):
    """Three without a tail; with one the tail of a few panels has three more, of 64 panels one."""
    several, few, many = (sums_of_any_rows(n, target) for n in (960, 200, 20 * 480 + 8))
    assert 1 <= len(several) <= 3
    assert 1 <= len(few) <= 6
    assert 1 <= len(many) <= 4


def test_the_tail_does_without_high_tiles_if_that_takes_few_passes_more():
    assert tiles_left([4, 2, 1], 19) == 0
    assert tiles_left([4, 2, 1], 20) == 1
    assert tiles_left([4, 2, 1], 59) == 1
    assert tiles_left([4, 2, 1], 60) == 2
    assert tiles_left([1], 1000) == 0
