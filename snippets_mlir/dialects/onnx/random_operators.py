"""Operators of ONNX whose value is drawn anew each time."""

from __future__ import annotations

RANDOM_OPERATORS = frozenset(
    {
        "Bernoulli",
        "Dropout",
        "Multinomial",
        "RandomNormal",
        "RandomNormalLike",
        "RandomUniform",
        "RandomUniformLike",
    }
)
