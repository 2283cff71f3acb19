"""Programs whose calls partly run in Python, and the cost of this in the plan of the cuts.

Networks run programs whose inputs are tensors of numbers (`runtime/memory/unsized.py`). A model
with an input of strings, or with a list or a map, is fast only as one session: beside kernels, each
call and each step takes Python's time. If the data determine the sizes of outputs, machine code
walks the network, but Python passes these outputs to the caller.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from xdsl.ir import Attribute, Block

from snippets_mlir.analysis.engine.costs import EngineCosts, Estimate
from snippets_mlir.dialects.builtin.shaped import is_tensor, shape_of
from snippets_mlir.dialects.onnx.types import StringType
from snippets_mlir.dialects.snippets.shapes import is_static


def is_walked(types: Sequence[Attribute]) -> bool:
    """Whether Python walks a program with inputs of these types, if it has kernels."""
    return not all(is_tensor(t) and not isinstance(t.element_type, StringType) for t in types)


def of_any_kernel(block: Block, costs: EngineCosts, *, sized: bool) -> float:
    """The additional nanoseconds of a call because the program is not one session.

    Args:
        block: the body of the function.
        costs: the machine's costs.
        sized: whether its types have the sizes known in a call.
    """
    if is_walked(block.arg_types):
        return costs.walking
    results = () if block.last_op is None else block.last_op.operands
    unsized = any(not is_tensor(r.type) or not is_static(shape_of(r)) for r in results)
    return costs.unsized if sized and unsized else 0.0


def with_steps(estimates: Sequence[Estimate], costs: EngineCosts) -> list[Estimate]:
    """The candidates of such a program: a kernel is a step, and so is the session that it cuts."""
    return [
        replace(
            one, kernel=one.kernel + costs.walked, cut=one.cut + (costs.walked if one.cut else 0)
        )
        for one in estimates
    ]
