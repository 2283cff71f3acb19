"""Random models and sizes: what is inferred against what onnxruntime finds."""

from __future__ import annotations

from collections import defaultdict
from random import Random
from typing import Any

import numpy as np
import onnx
from mutated_models import mutated
from onnx import checker
from shape_models import PATTERNS, feeds_of, parsed
from shape_truth import mistakes

from snippets_mlir.frontends.onnx.shapes import infer_shapes

SIZES = (0, 1, 1, 2, 3, 4, 5, 8, 9, 16)
MOST = 1 << 16


def check_random_model(seed: int) -> int:
    """Infer a model with up to three mistakes, and compare it where onnxruntime can run it.

    How often that was: 0 to 2 times, with assumptions and without.
    """
    random = Random(seed)
    model = mutated(parsed(random.choice(list(PATTERNS.values()))), random, random.randint(0, 3))
    infer_shapes(model)  # it ends, whatever the mistakes
    try:
        checker.check_model(model)  # pyright: ignore[reportUnknownMemberType]
        feeds = _feeds(model, random)
    except (checker.ValidationError, KeyError, TypeError, ValueError):
        return 0
    for output in model.graph.output:  # what is declared may be a mistake
        output.type.tensor_type.ClearField("shape")
    compared = 0
    for assume in (True, False):
        try:
            wrong = mistakes(model, feeds, infer_shapes(model, assume=assume))
        except Exception as error:
            if type(error).__module__.startswith("onnxruntime"):
                break
            raise
        assert not wrong, f"seed {seed}: {wrong}"
        compared += wrong is not None
    return compared


def _feeds(model: onnx.ModelProto, random: Random) -> dict[str, Any]:
    """Inputs of random sizes; ValueError for large ones."""
    sizes: defaultdict[str, int] = defaultdict(lambda: random.choice(SIZES))
    dims = [d.dim_value for i in model.graph.input for d in i.type.tensor_type.shape.dim]
    if any(not 0 <= d <= MOST for d in dims) or np.prod([max(d, 1) for d in dims]) > MOST:
        raise ValueError("an input is too large")
    return feeds_of(model, sizes)
