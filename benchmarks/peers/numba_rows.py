"""Loops for numba over rows, cubes and transposes, as one writes them by hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from steps import ROW_OPS, Workload

_ROWS = """
def kernel({arguments}, out):
    rows, columns = out.shape
    for r in prange(rows):
"""

_TOP = (
    _ROWS
    + """\
        i = 0
        {before}
        top = {x}
        for i in range(columns):
            {before}
            out[r, i] = {x}
            top = max(top, {x})
        total = zero
"""
)

SOFTMAX = (
    _TOP
    + """\
        for i in range(columns):
            e = exp(out[r, i] - top)
            out[r, i] = e
            total += e
        factor = one / total
        for i in range(columns):
            out[r, i] *= factor
"""
)

LOG_SOFTMAX = (
    _TOP
    + """\
        for i in range(columns):
            total += exp(out[r, i] - top)
        shift = top + log(total)
        for i in range(columns):
            out[r, i] -= shift
"""
)

LAYER_NORM = (
    _ROWS
    + """\
        total = zero
        for i in range(columns):
            {before}
            out[r, i] = {x}
            total += {x}
        mean = total / single(columns)
        square = zero
        for i in range(columns):
            d = out[r, i] - mean
            square += d * d
        factor = one / sqrt(square / single(columns) + epsilon)
        for i in range(columns):
            out[r, i] = (out[r, i] - mean) * factor * {1}[i] + {2}[i]
"""
)

RMS_NORM = (
    _ROWS
    + """\
        square = zero
        for i in range(columns):
            {before}
            out[r, i] = {x}
            square += {x} * {x}
        factor = one / sqrt(square / single(columns) + epsilon)
        for i in range(columns):
            out[r, i] = out[r, i] * factor * {1}[i]
"""
)

SUM_LAST = """
def kernel(x, out):
    for a in prange(x.shape[0]):
        for b in range(x.shape[1]):
            total = zero
            for c in range(x.shape[2]):
                total += x[a, b, c]
            out[a, b] = total
"""

SUM_MIDDLE = """
def kernel(x, out):
    for a in prange(x.shape[0]):
        for c in range(x.shape[2]):
            out[a, c] = zero
        for b in range(x.shape[1]):
            for c in range(x.shape[2]):
                out[a, c] += x[a, b, c]
"""

SUM_FIRST = """
def kernel(x, out):
    for b in prange(x.shape[1]):
        for c in range(x.shape[2]):
            out[b, c] = zero
        for a in range(x.shape[0]):
            for c in range(x.shape[2]):
                out[b, c] += x[a, b, c]
"""

TRANSPOSE_ADD = """
def kernel(x, y, out):
    rows, columns = out.shape
    for tile in prange((rows + 15) // 16):
        last = min(rows, tile * 16 + 16)
        for start in range(0, columns, 16):
            for r in range(tile * 16, last):
                for i in range(start, min(columns, start + 16)):
                    out[r, i] = x[i, r] + y[r, i]
"""

SOURCES: Mapping[str, str] = {
    "softmax": SOFTMAX,
    "log_softmax": LOG_SOFTMAX,
    "layer_norm": LAYER_NORM,
    "rms_norm": RMS_NORM,
    "sum_first": SUM_FIRST,
    "sum_middle": SUM_MIDDLE,
    "sum_last": SUM_LAST,
    "transpose": TRANSPOSE_ADD,
}


def row_source(
    workload: Workload,
    load: Callable[[str, str], str],
    compute: Callable[[Sequence[int]], Sequence[str]],
) -> str:
    """The text of a kernel for a workload with rows.

    Args:
        workload: its last step is on rows, or it is a sum or a transpose alone.
        load: the line that reads an argument at a position.
        compute: the lines of the steps with these numbers.
    """
    row_steps = [k for k, step in enumerate(workload.steps) if step.op in ROW_OPS]
    if not row_steps:
        return SOURCES[workload.steps[0].op]
    number = row_steps[0]
    step = workload.steps[number]
    x, *others = (str(o) for o in step.operands)
    lines = [
        load(name, "i" if workload.roles.get(name) == "row" else "r, i")
        for name in workload.arguments
        if name not in others
    ]
    before = "; ".join([*lines, *compute(range(number))])
    return SOURCES[step.op].format(
        x, *others, arguments=", ".join(workload.arguments), before=before, x=f"{x}_"
    )
