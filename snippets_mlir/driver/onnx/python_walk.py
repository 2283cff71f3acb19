"""Programs that Python walks step by step, and what the plan of the cuts charges for it.

Networks run programs whose inputs are tensors of numbers (`runtime/unsized.py`). A model with an
input of strings, or with a list or a map, is fast as one session alone: beside kernels, each call
and each step takes Python's time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from xdsl.ir import Attribute

from snippets_mlir.analysis.engine_costs import EngineCosts, Estimate
from snippets_mlir.dialects.builtin.shaped import is_tensor
from snippets_mlir.dialects.onnx.types import StringType


def is_walked(types: Sequence[Attribute]) -> bool:
    """Whether Python walks a program with inputs of these types, if it has kernels."""
    return not all(is_tensor(t) and not isinstance(t.element_type, StringType) for t in types)


def with_steps(estimates: Sequence[Estimate], costs: EngineCosts) -> list[Estimate]:
    """The candidates of such a program: a kernel is a step, and so is the session that it cuts."""
    return [
        replace(
            one, kernel=one.kernel + costs.walked, cut=one.cut + (costs.walked if one.cut else 0)
        )
        for one in estimates
    ]
