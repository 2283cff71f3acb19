"""Folding and common subexpressions inside subgraphs keep every bit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from dataflow_runs import after, compiled, interpreted, same_bits

TEST = Path(__file__).parents[3] / "passes" / "graph" / "canonicalize-and-cse-of-bodies.mlir"


def function(name: str) -> str:
    """One function of the lit test, as `main` and of a static shape."""
    text = TEST.read_text(encoding="utf-8")
    body = text[text.index(f"\nfunc.func @{name}(") :].partition("\n}\n")[0] + "\n}\n"
    return body.replace(f"@{name}", "@main").replace("?", "5")


@pytest.mark.parametrize("pipeline", ["cse", "canonicalize", "canonicalize,cse"])
def test_values_stay(pipeline: str):
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.5, -1.5, 3e38, 1e-45, 7.0, -7.0, 0.5]
    for name, shape in (("fires", (5, 3)), ("does_not_fire", (4,))):
        for roll in (0, 4, 7):
            x = np.resize(np.roll(np.array(special, np.float32), roll), shape)
            text = function(name)
            expected = interpreted(text, [x])
            module = after(text, pipeline)
            for a, b in zip(interpreted(module, [x]), expected, strict=True):
                assert same_bits(a, b)
    if pipeline == "canonicalize,cse":
        found = compiled(after(function("does_not_fire"), pipeline), [x])
        assert all(same_bits(a, b) for a, b in zip(found, expected, strict=True))
