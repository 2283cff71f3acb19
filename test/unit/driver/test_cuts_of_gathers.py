"""What a kernel and onnxruntime take for rows at ids does not depend on the table they are of."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from cut_plans import both
from onnx import helper
from onnx_models import model, value

from snippets_mlir.analysis.engine.costs import Estimate

ROWS, HIDDEN, HEADS = 256, 1024, 16


def turned(rows_of_caches: int) -> onnx.ModelProto:
    """Two rotary embeddings of an input, whose caches are inputs, too."""
    nodes = [
        helper.make_node("RotaryEmbedding", [x, "c", "s", "i"], [y], num_heads=HEADS)
        for x, y in (("x", "h"), ("h", "y"))
    ]
    caches = [value(n, (rows_of_caches, HIDDEN // HEADS // 2)) for n in ("c", "s")]
    others = [value("x", (1, ROWS, HIDDEN)), value("i", (1, ROWS), np.int64)]
    return model(nodes, [*others, *caches], [value("y", (1, ROWS, HIDDEN))], opset=23)


def estimates(rows_of_caches: int) -> tuple[Estimate, ...]:
    """The candidates of the plan: both nodes read the rows of two gathers."""
    may_pay, cuts = both(turned(rows_of_caches), ())
    assert may_pay or not cuts.kernels
    assert [one.ops for one in cuts.candidates].count(("snippets.gather",)) == 2
    return cuts.candidates


def test_a_longer_table_costs_the_same():
    short, long = estimates(ROWS), estimates(1 << 16)
    assert [one.ops for one in short] == [one.ops for one in long]
    for one, other in zip(short, long, strict=True):
        assert other.kernel == pytest.approx(one.kernel)
        assert other.engine == pytest.approx(one.engine)
