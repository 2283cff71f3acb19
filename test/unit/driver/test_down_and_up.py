"""Models that halve sizes, double them and join both, with kernels for sizes of any call."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnxruntime as ort
import pytest
from shape_models import down_and_up

import snippets_mlir


@pytest.mark.parametrize("levels", [1, 2])
def test_kernels_of_all_sizes(levels: int) -> None:
    """Sizes that fit run in kernels; others are refused as onnxruntime refuses them."""
    model = down_and_up(levels)
    session: Any = ort.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    compiled = snippets_mlir.compile(model, mark_skipped="none", num_threads=2)
    for n, h, w in ((1, 8, 12), (2, 16, 4), (3, 4, 4)):
        x = np.random.default_rng(h).standard_normal((n, 2, h, w)).astype(np.float32)
        np.testing.assert_array_equal(compiled(x), session.run(None, {"x": x})[0], strict=True)
        assert len(compiled.kernels) > 0
    assert compiled.compiled_times == 1
    with pytest.raises(ValueError, match="Concat"):
        compiled(np.ones((1, 2, 7, 8), np.float32))
    x = np.ones((1, 2, 8, 8), np.float32)
    np.testing.assert_array_equal(compiled(x), session.run(None, {"x": x})[0])
