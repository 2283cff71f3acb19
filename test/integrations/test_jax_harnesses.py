"""JAX's own samples (test harnesses) of its primitives, beside `jax.jit`.

A sample of each primitive, chosen with a seed: most are kernels, JAX runs the others. At the
end both numbers are printed.
"""

from __future__ import annotations

import random
import warnings
from dataclasses import dataclass
from importlib import import_module
from itertools import groupby
from typing import Any

import numpy as np
import pytest

pytest.importorskip("jax", reason="needs jax: make test-integrations")
pytest.importorskip("absl", reason="needs absl-py: make test-integrations")

jax: Any = import_module("jax")
ours: Any = import_module("snippets_mlir.jax")

BY_JAX = (
    "approx_top_k bessel_i1e cholesky complex conj conv_general_dilated custom_linear_solve "
    "device_put eig eigh fft igamma igammac imag lu qr real regularized_incomplete_beta "
    "rng_bit_generator select_and_gather_add select_and_scatter_add sort svd top_k "
    "triangular_solve tridiagonal_solve"
).split()
"""Primitives that are not compiled."""

OPEN = ("convert_element_type", "digamma", "lgamma")
"""Primitives whose values StableHLO leaves open, or with poles."""

SAMPLES = 1
"""Samples of a primitive: a first call takes a quarter of a second."""


@dataclass
class Counts:
    kernels: int = 0
    jax: int = 0


COUNTS = Counts()


def samples() -> list[Any]:
    """Harnesses of each primitive with values that this compiler has."""
    module: Any = import_module("jax._src.internal_test_util.test_harnesses")
    known = [
        h
        for h in module.all_harnesses
        if h.group_name not in (*BY_JAX, *OPEN)
        and h.filter("cpu")
        and np.dtype(h.dtype).kind != "c"
        and "complex" not in h.fullname
    ]
    known.sort(key=lambda h: (h.group_name, h.fullname))
    chosen = random.Random(0)
    groups = [list(group) for _, group in groupby(known, lambda h: h.group_name)]
    return [h for g in groups for h in chosen.sample(g, min(SAMPLES, len(g)))]


@pytest.mark.parametrize("harness", samples(), ids=lambda h: h.fullname[:80])
def test_sample(harness: Any) -> None:
    arguments = harness.dyn_args_maker(np.random.RandomState(0))
    wanted = jax.tree.leaves(jax.jit(harness.dyn_fun)(*arguments))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", RuntimeWarning)
        found = jax.tree.leaves(ours.jit(harness.dyn_fun)(*arguments))
    by_jax = any("JAX runs the function" in str(w.message) for w in caught)
    COUNTS.kernels, COUNTS.jax = COUNTS.kernels + (not by_jax), COUNTS.jax + by_jax
    for a, b in zip(found, wanted, strict=True):
        assert (a.shape, a.dtype, a.weak_type) == (b.shape, b.dtype, b.weak_type)
        if not jax.numpy.issubdtype(b.dtype, jax.numpy.floating):
            np.testing.assert_array_equal(a, b)
            continue
        x, y = (np.asarray(v, np.float64) for v in (a, b))
        loose = 32 * float(jax.numpy.finfo(b.dtype).eps)
        largest = np.abs(y, where=np.isfinite(y), out=np.zeros_like(y)).max(initial=0)
        np.testing.assert_allclose(x, y, loose, loose * min(largest, 1))
        np.testing.assert_array_equal(np.signbit(x[y == 0]), np.signbit(y[y == 0]))


def test_most_samples_are_kernels() -> None:
    if not COUNTS.kernels + COUNTS.jax:
        pytest.skip("no sample ran")
    print(f"\nHarnesses: {COUNTS.kernels} samples by kernels, {COUNTS.jax} by JAX")
    assert COUNTS.kernels > 3 * COUNTS.jax
