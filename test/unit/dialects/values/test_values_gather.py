"""`stablehlo.gather` of random dimension numbers, slice by slice as the specification says."""

from __future__ import annotations

import numpy as np
import pytest
from random_gathers import random_gather

from snippets_mlir.dialects.stablehlo.gathers import GatherOp
from snippets_mlir.dialects.stablehlo.values import evaluate
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.support.parsing import parse_module


@pytest.mark.parametrize("seed", range(24))
def test_slices_one_by_one(seed: int) -> None:
    gather = random_gather(seed)
    module = parse_module(gather.text, make_context(), "gather")
    op = next(op for op in module.walk() if isinstance(op, GatherOp))
    (found,) = evaluate(op, [gather.x, gather.indices])
    np.testing.assert_array_equal(found, gather.wanted)
