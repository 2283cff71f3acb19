"""Operators of ONNX that draw a new random value on each call."""

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
