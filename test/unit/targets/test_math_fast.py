"""The cheaper expansions of `math=fast`: bounds, what they keep, where they are not used."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from math_accuracy import ulp
from math_numpy_builder import Array, NumpyMathBuilder
from math_oracles import FLOAT64
from math_samples import samples
from op_families import EXPANSIONS, FAST

import snippets_mlir
from snippets_mlir.dialects.snippets.expansions.table import fast_function
from snippets_mlir.dialects.snippets.registry import record_of
from snippets_mlir.targets.host import host_target
from snippets_mlir.targets.machine import machine

FORMS: dict[str, dict[str, float | str]] = {
    "exp": {},
    "sigmoid": {},
    "swish": {},
    "gelu": {},
    "gelu_tanh": {"approximation": "tanh"},
}


def _fast(name: str, x: Array, counts: dict[str, int] | None = None) -> Array:
    builder = NumpyMathBuilder("f32", counts, fma_is_fast=True)
    with np.errstate(all="ignore"):
        return FAST[name.removesuffix("_tanh")].function(builder, [x], FORMS[name])


@pytest.mark.parametrize("name", FORMS)
def test_fast_forms_are_within_their_bounds(name: str) -> None:
    (x,) = samples(name, np.float32, 120_000, seed=21)
    x = x[np.isfinite(x)]
    bound = FAST[name.removesuffix("_tanh")]
    with np.errstate(all="ignore"):
        exact = FLOAT64[name](x.astype(np.float64))
        rounded = exact.astype(np.float32)
    got = _fast(name, x)
    unit = ulp(np.maximum(np.abs(exact), bound.least), np.float32)
    # An infinity is one step after the largest finite float.
    wide = np.where(np.isinf(got), np.ldexp(1.0, 128), got.astype(np.float64))
    error = np.zeros(x.shape)
    other = got != rounded
    error[other] = np.abs(wide - exact)[other] / unit[other]
    worst = int(np.argmax(error))
    assert error[worst] <= bound.bound, (x[worst], got[worst], exact[worst])


@pytest.mark.parametrize("name", FORMS)
def test_nan_stays_and_ends_are_limits(name: str) -> None:
    x = np.array([np.nan, np.inf, -np.inf, 0.0], np.float32)
    nan, top, bottom, zero = _fast(name, x)
    assert np.isnan(nan)
    assert top == (1 if name == "sigmoid" else np.inf)
    assert abs(bottom) < (1e-8 if "gelu" in name else 1e-30)
    assert zero == {"exp": 1.0, "sigmoid": 0.5}.get(name, 0.0)


@pytest.mark.parametrize("name", FORMS)
def test_fast_forms_have_fewer_operations(name: str) -> None:
    fast: dict[str, int] = {}
    accurate: dict[str, int] = {}
    x = np.ones(1, np.float32)
    _fast(name, x, fast)
    builder = NumpyMathBuilder("f32", accurate, fma_is_fast=True)
    EXPANSIONS[name.removesuffix("_tanh")].function(builder, [x], FORMS[name])
    assert sum(fast.values()) < sum(accurate.values())


def test_other_betas_have_no_fast_form() -> None:
    swish, tanh = record_of("snippets.swish"), record_of("snippets.tanh")
    assert fast_function(swish, {"beta": 1.0}) is FAST["swish"].function
    assert fast_function(swish, {"beta": 1.7}) is None
    assert fast_function(tanh, {}) is None


PROGRAM = """
func.func @main(%x: tensor<64xTYPE>) -> tensor<64xTYPE> {
  %y = snippets.gelu %x : tensor<64xTYPE>
  func.return %y : tensor<64xTYPE>
}
"""


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_compile_takes_the_fast_form_for_f32_only(dtype: Any) -> None:
    text = PROGRAM.replace("TYPE", "f32" if dtype == np.float32 else "f64")
    x: Array = (np.arange(64) / 4 - 8).astype(dtype)
    accurate = snippets_mlir.compile(text, num_threads=1)
    fast = snippets_mlir.compile(text, num_threads=1, math="fast")
    one, other = np.asarray(accurate(x)), np.asarray(fast(x))
    np.testing.assert_allclose(one, other, rtol=0, atol=1e-6)
    cheaper = dtype == np.float32 and machine(host_target()).fma
    assert (one.tobytes() != other.tobytes()) == cheaper


def test_an_unknown_word_is_refused() -> None:
    with pytest.raises(ValueError, match="math: expected one of"):
        snippets_mlir.compile(PROGRAM.replace("TYPE", "f32"), math="quick")  # pyright: ignore[reportArgumentType]
