"""Conversions of f16 on every target: all f16, and numbers beside all roundings."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from runnable import RUNNABLE

import snippets_mlir

TEXT = """func.func @f(%x: tensor<{n}x{source}>) -> tensor<{n}x{target}> {{
  %0 = snippets.convert_saturation %x : (tensor<{n}x{source}>) -> tensor<{n}x{target}>
  func.return %0 : tensor<{n}x{target}>
}}"""
HALVES = np.arange(1 << 16).astype(np.uint16)


def converted(x: Any, source: str, result: str, target: str) -> Any:
    text = TEXT.format(n=len(x), source=source, target=result)
    program = snippets_mlir.compile(text, target=target)
    assert len(program.kernels) == 1
    assert not program.opaque
    return program(x)


def numbers(dtype: Any) -> Any:
    """All f16, the halves between two of them, their neighbours, and random bits."""
    halves = HALVES[:0x7C01].view(np.float16).astype(dtype)
    halves[-1] = 65536
    between = (halves[1:] + halves[:-1]) / 2
    beside = (np.nextafter(between, dtype(end)) for end in (0, np.inf))
    others = np.array([1e-45, 1e-40, 3e38, np.inf], dtype)
    found = np.concatenate([halves, between, *beside, others])
    bits = np.random.default_rng(0).integers(0, 1 << 32, 1 << 17, np.uint32)
    with np.errstate(invalid="ignore"):
        return np.concatenate([found, -found, bits.view(np.float32).astype(dtype)])


@pytest.mark.parametrize("target", RUNNABLE)
def test_every_f16_is_exact_and_nans_become_quiet(target: str) -> None:
    found = converted(HALVES.view(np.float16), "f16", "f32", target).view(np.uint32)
    size = HALVES.astype(np.uint32) & 0x7FFF
    sign = (HALVES.astype(np.uint32) & 0x8000) << 16
    wanted = HALVES.view(np.float16).astype(np.float32).view(np.uint32)
    quiet = sign | 0x7FC00000 | (size << 13)
    np.testing.assert_array_equal(found, np.where(size > 0x7C00, quiet, wanted))


@pytest.mark.parametrize("target", RUNNABLE)
@pytest.mark.parametrize(("source", "dtype"), [("f32", np.float32), ("f64", np.float64)])
def test_f16_is_rounded_to_nearest_even(source: str, dtype: Any, target: str) -> None:
    x = numbers(dtype)
    with np.errstate(all="ignore"):
        wanted = x.astype(np.float16).view(np.uint16)
        bits = x.astype(np.float32).view(np.uint32)
    found: Any = converted(x, source, "f16", target).view(np.uint16)
    quiet = ((bits >> 16 & 0x8000) | 0x7E00 | (bits >> 13 & 0x3FF)).astype(np.uint16)
    wanted[np.isnan(x)] = quiet[np.isnan(x)]
    np.testing.assert_array_equal(found, wanted)
