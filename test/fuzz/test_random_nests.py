"""Random affine nests, scalar against vectorized; `docs/dev/fuzz_nests.py` runs thousands.

`make fuzz SEED=n` runs them for a minute.
"""

from __future__ import annotations

import os
import time
from types import ModuleType

import pytest
from loop_oracle_values import Wrong
from nest_checks import check_kernel, check_nest, check_passes
from random_nests import random_nest
from random_siblings import random_siblings
from sampled import ALL, sampled

from snippets_mlir.analysis.loops import loop_bodies, loop_fusion
from snippets_mlir.passes.loops.affine import loop_matching, nest_plan, transfer_plan
from snippets_mlir.passes.loops.affine.affine_loop_fusion import AffineLoopFusionPass
from snippets_mlir.passes.loops.affine.affine_loop_peeling import AffineLoopPeelingPass
from snippets_mlir.passes.loops.affine.affine_scalrep import AffineScalrepPass
from snippets_mlir.passes.loops.affine.affine_super_vectorize import AffineSuperVectorizePass

SECONDS = float(os.environ.get("SNIPPETS_FUZZ_SECONDS", "0"))
SEED = int(os.environ.get("SNIPPETS_FUZZ_SEED", "0"))


def test_vectorized_nests_equal_scalar_ones() -> None:
    vectorized = sum(check_nest(random_nest(seed)) for seed in range(40 if ALL else 20))
    assert vectorized >= (10 if ALL else 5)


def test_peeled_nests_equal_whole_ones() -> None:
    peeled = 0
    for seed in range(20 if ALL else 10):
        nest = random_nest(seed)
        size = nest.options["virtual_vector_size"][-1]
        vectorize = AffineSuperVectorizePass(**nest.options)
        text = check_passes(nest, [AffineLoopPeelingPass(size=size), vectorize])
        peeled += text.count("affine.for") > nest.text.count("affine.for")
    assert peeled >= (5 if ALL else 3)


@pytest.mark.parametrize("first", sampled(range(0, 12, 4), 2))
def test_machine_code_of_vectorized_nests_equals_scalar_ones(first: int) -> None:
    for seed in range(first, first + 4):
        check_kernel(random_nest(seed))


def test_more_nests_for_as_long_as_asked() -> None:
    """One nest at least; with `SNIPPETS_FUZZ_SECONDS` set, as many as fit."""
    seed, end = 1_000_000 * (SEED + 1), time.monotonic() + SECONDS
    check_nest(random_nest(seed))
    while time.monotonic() < end:
        seed += 1
        check_nest(random_nest(seed))
    print(f"last seed: {seed}")


def nothing(*_: object) -> None:
    """A check that finds nothing."""


def yes(*_: object) -> bool:
    """A check that is always content."""
    return True


@pytest.mark.parametrize(
    ("where", "wrong", "seed"),
    [
        ((transfer_plan, "_ends_with"), yes, 8),
        ((loop_bodies, "_is_contiguous"), yes, 18),
        ((nest_plan, "is_whole"), yes, 7),
        ((loop_bodies, "carried_dependence"), nothing, 209),
        ((loop_matching, "step_refusal"), nothing, 413),
        ((nest_plan, "TRAPPING"), frozenset[str](), 17),
    ],
)
def test_a_vectorizer_without_one_check_is_caught(
    monkeypatch: pytest.MonkeyPatch, where: tuple[ModuleType, str], wrong: object, seed: int
) -> None:
    """The fuzzer sees what each check prevents."""
    monkeypatch.setattr(*where, wrong)
    with pytest.raises((AssertionError, Wrong)):
        check_nest(random_nest(seed))


def fused(seed: int) -> bool:
    """Check successive loops, fused; whether any were."""
    nest = random_siblings(seed)
    passes = [AffineLoopFusionPass(maximal=seed % 3 == 0), AffineScalrepPass()]
    vectorize = [AffineSuperVectorizePass((3,))] if seed % 2 else []
    text = check_passes(nest, [*passes, *vectorize])
    return text.count("affine.for") < nest.text.count("affine.for")


def test_fused_loops_equal_single_ones() -> None:
    assert sum(map(fused, range(12 if ALL else 6))) >= (6 if ALL else 3)


def only_same(*arguments: object) -> bool:
    """Accesses that meet in one iteration; never in another one."""
    return arguments[-1] == "same"


def test_fusion_without_dependences_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop_fusion, "_meet", only_same)
    with pytest.raises(AssertionError):
        fused(4)
