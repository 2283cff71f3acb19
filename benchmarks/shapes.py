"""The shapes of the values of a workload, and its steps without attentions."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from steps import SUMS, Shape, Step, Workload, steps

MATRICES_TURNED = (0, 1, 3, 2)
"""The permutation of four dims that transposes the matrices of the last two."""


def plain(program: tuple[Step, ...]) -> tuple[Step, ...]:
    """The steps, with each attention replaced by its own steps: softmax(q k^T * scale + mask) v.

    `attention` has the operands q, k, v, mask and scale. Packages with such a function use the
    original step.
    """
    found: list[Step] = []
    for step in program:
        if step.op != "attention":
            found.append(step)
            continue
        q, k, v, mask, scale = step.operands
        turned, scores, scaled, masked, weights = (f"{step.result}_{n}" for n in range(5))
        found += steps(
            (turned, "permute", k, MATRICES_TURNED),
            (scores, "matmul", q, turned),
            (scaled, "multiply", scores, scale),
            (masked, "add", scaled, mask),
            (weights, "softmax", masked),
            (step.result, "matmul", weights, v),
        )
    return (*found,)


def _shape(step: Step, known: Mapping[str, Shape]) -> Shape:
    """The shape of the result of a step that is not an attention."""
    shapes = [known[o] for o in step.operands if isinstance(o, str)]
    last = step.operands[-1]
    if step.op == "matmul":
        a, b = shapes
        return (*np.broadcast_shapes(a[:-2], b[:-2]), a[-2], b[-1])
    if step.op == "reshape" and isinstance(last, tuple):
        return last
    if step.op == "permute" and isinstance(last, tuple):
        return tuple(shapes[0][dim] for dim in last)
    if step.op == "transpose":
        return shapes[0][::-1]
    if step.op in SUMS:
        axis = SUMS[step.op]
        return (*shapes[0][:axis], *shapes[0][axis + 1 :])
    return np.broadcast_shapes(*shapes)


def shapes_of(arguments: Mapping[str, Shape], program: tuple[Step, ...]) -> dict[str, Shape]:
    """The shapes of the arguments and of the results of the steps, without attentions."""
    known = dict(arguments)
    for step in program:
        known[step.result] = _shape(step, known)
    return known


def argument_shapes(workload: Workload, size: str) -> dict[str, Shape]:
    """The shapes of the arguments by name."""
    return {name: workload.argument_shape(name, size) for name in workload.arguments}


def multiplications(known: Mapping[str, Shape], program: tuple[Step, ...]) -> int:
    """The multiplications of the matrix products among the steps."""
    products = [step for step in program if step.op == "matmul"]
    return sum(math.prod(known[s.result]) * known[str(s.operands[0])][-1] for s in products)
