"""Sums in kernels: |error| <= 4 * 2^-24 * sum|x| on 100 arrays of up to 2^20 float32 elements."""

from __future__ import annotations

import functools
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray
from sampled import sampled

import snippets_mlir
from snippets_mlir.driver import Compiled

Array = NDArray[np.float32]
SHAPES = {
    "rows": ((3, 1025), (1,)),
    "columns": ((4099, 3), (0,)),
    "all": ((1 << 20,), (0,)),
    "odd": ((65537,), (0,)),
    "middle": ((2, 3001, 9), (1,)),
}
SEEDS = 20


@functools.cache
def summing(form: str, threads: int) -> Compiled:
    """The compiled sum over the axes of a form."""
    shape, axes = SHAPES[form]
    source = "x".join(map(str, shape))
    result = "".join(f"{size}x" for dim, size in enumerate(shape) if dim not in axes)
    listed = ", ".join(map(str, axes))
    return snippets_mlir.compile(
        f"""func.func @main(%x: tensor<{source}xf32>) -> tensor<{result}f32> {{
          %0 = snippets.reduce_sum %x {{axes = array<i64: {listed}>}}
             : (tensor<{source}xf32>) -> tensor<{result}f32>
          func.return %0 : tensor<{result}f32>
        }}""",
        fallback="error",
        num_threads=threads,
    )


def numbers(seed: int, shape: tuple[int, ...]) -> Array:
    """Numbers that are hard to add: of one sign, of both, of very different sizes, cancelling."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(shape)
    if seed % 4 == 0:
        x = abs(x)
    elif seed % 4 == 1:
        x = x * np.exp(rng.uniform(-30, 30, shape))
    elif seed % 4 == 2:
        x = np.where(rng.random(shape) < 0.5, 1e8, -1e8) + x
    return x.astype(np.float32)


@pytest.mark.parametrize(("seed", "form"), sampled(product(range(SEEDS), SHAPES), 2))
def test_error_of_a_sum(form: str, seed: int):
    shape, axes = SHAPES[form]
    x = numbers(seed, shape)
    found = np.asarray(summing(form, 1 + seed % 2)(x), np.float64)
    wide = x.astype(np.float64)
    bound = 4 * 2.0**-24 * np.abs(wide).sum(axes)
    assert np.all(np.abs(found - wide.sum(axes)) <= bound)


@pytest.mark.parametrize("length", sampled([1, 2, 7, 8, 16, 17, 40, 5000], 2))
def test_sums_are_never_negative_zero(length: int) -> None:
    """Rows and columns of nothing but -0.0, as NumPy has it; also for dynamic sizes."""
    for shape, axis in (((2, length), 1), ((length, 3), 0)):
        kept = tuple(1 if dim == axis else size for dim, size in enumerate(shape))
        for dims, results in ((shape, kept), (("?", "?"), ("?", 1) if axis else (1, "?"))):
            source = f"tensor<{'x'.join(map(str, dims))}xf32>"
            target = f"tensor<{'x'.join(map(str, results))}xf32>"
            text = f"""func.func @main(%x: {source}) -> {target} {{
              %0 = snippets.reduce_sum %x {{axes = array<i64: {axis}>, keep_dims}} :
                ({source}) -> {target}
              func.return %0 : {target}
            }}"""
            found = snippets_mlir.compile(text, fallback="error")(np.full(shape, -0.0, np.float32))
            assert found.shape == kept
            assert not np.signbit(found).any()
