"""The constants of onnxruntime follow from the vectors of the target."""

from __future__ import annotations

import pytest

from snippets_mlir.analysis.engine.costs import EngineCosts
from snippets_mlir.dialects.snippets.registry import records
from snippets_mlir.targets.engine import NARROW, engine_of
from snippets_mlir.targets.machine import TARGETS, machine

WIDE, NARROWER = engine_of("x86-64-avx512"), engine_of("x86-64-avx2")


@pytest.mark.parametrize("target", TARGETS)
def test_each_target_has_constants(target: str) -> None:
    assert engine_of(target) is (WIDE if machine(target).lanes >= 16 else NARROWER)


def test_a_tune_may_have_constants_of_its_own() -> None:
    """Those of products; elementwise nodes take as long. `WIDE` was measured on family 26."""
    tuned = engine_of("x86-64-avx512", "sapphirerapids")
    assert tuned.product > WIDE.product
    assert tuned.kernel_product < tuned.product < tuned.sized_product
    assert tuned.rates == WIDE.rates
    assert engine_of("x86-64-avx512", "znver5") is WIDE


def test_the_engine_is_slower_without_avx512() -> None:
    def slower(narrower: EngineCosts, wide: EngineCosts) -> bool:
        return narrower.product > 2 * wide.product and narrower.arithmetic > wide.arithmetic

    assert slower(NARROWER, WIDE)
    assert not slower(WIDE, NARROWER)


def test_rates_are_those_of_the_record_or_follow_from_the_others() -> None:
    known = {r.onnx.key: r.onnx for r in records() if r.onnx is not None}
    own = {name for name, onnx in known.items() if onnx.avx2_rate}
    assert own
    for name, rate in NARROWER.rates.items():
        if name in own:
            assert rate == known[name].avx2_rate
        elif name in known:
            assert rate == pytest.approx(NARROW * WIDE.rates[name])
    assert WIDE.rates.keys() <= NARROWER.rates.keys()
