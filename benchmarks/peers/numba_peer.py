"""numba: an explicit loop, compiled with `fastmath` on its parallel threads or on one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import numpy as np
from reference import EPSILON
from steps import Array, Step, Workload

from peers.base import Call, Inputs, Unsupported, Way
from peers.numba_rows import row_source

FORMS = {
    "add": "{0} + {1}",
    "subtract": "{0} - {1}",
    "multiply": "{0} * {1}",
    "maximum": "max({0}, {1})",
    "minimum": "min({0}, {1})",
    "relu": "max({0}, zero)",
    "sigmoid": "one / (one + exp(-{0}))",
    "gelu": "half * {0} * (one + erf({0} * root))",
    "greater": "{0} > {1}",
    "select": "{1} if {0} else {2}",
    "bitwise_and": "{0} & {1}",
    "bitwise_or": "{0} | {1}",
    "bitwise_xor": "{0} ^ {1}",
    "shift_left": "{0} << {1}",
    "shift_right": "{0} >> {1}",
}


def source(workload: Workload) -> tuple[str, dict[str, Any]]:
    """A Python function over flat arrays, or over rows, and the constants it names."""
    dtype = np.dtype(workload.dtype)
    scope: dict[str, Any] = {
        "zero": dtype.type(0),
        "one": dtype.type(1),
        "half": dtype.type(0.5),
        "root": dtype.type(0.5**0.5),
        "epsilon": dtype.type(EPSILON),
        "single": dtype.type,
    }
    integers = dtype.kind == "i"

    def load(name: str, where: str) -> str:
        return f"{name}_ = {name}[{where}]"

    def compute(numbers: Sequence[int]) -> list[str]:
        return [line(k, workload.steps[k]) for k in numbers]

    def line(k: int, step: Step) -> str:
        operands: list[str] = []
        for j, operand in enumerate(step.operands):
            if isinstance(operand, str):
                operands.append(f"{operand}_")
            else:
                scope[f"k{k}_{j}"] = dtype.type(operand)
                operands.append(f"k{k}_{j}")
        form = FORMS[step.op].format(*operands)
        # numba widens integers to 64 bits.
        return f"{step.result}_ = {f'int32({form})' if integers else form}"

    if not workload.elementwise:
        return row_source(workload, load, compute), scope
    lines = [
        load(name, "p % c" if workload.roles.get(name) == "channel" else "i")
        for name in workload.arguments
    ]
    lines += [*compute(range(len(workload.steps))), f"out[i] = {workload.result}_"]
    head = f"def kernel({', '.join(workload.arguments)}, c, plane, out):"
    if workload.form == "nchw":
        loops = [
            "    for p in prange(out.size // plane):",
            "        for i in range(p * plane, (p + 1) * plane):",
        ]
        return "\n".join([head, *loops, *(f"            {line}" for line in lines)]), scope
    return "\n".join(
        [head, "    for i in prange(out.size):", *(f"        {line}" for line in lines)]
    ), scope


class Numba:
    """numba.njit."""

    name = "numba"

    def __init__(self, threads: int) -> None:
        """Import it; `NUMBA_NUM_THREADS` is set before by whoever starts the process."""
        self.package: Any = import_module("numba")
        self.package.set_num_threads(threads)
        self.threads = threads

    def version(self) -> str:
        """The version of the package, for the report."""
        return str(self.package.__version__)

    def prepare(self, workload: Workload, inputs: Inputs, size: str) -> tuple[Way, ...]:
        """Parallel and serial code; the first call compiles."""
        if workload.form in ("product", "network"):
            raise Unsupported("numba calls the BLAS of SciPy for products")
        text, scope = source(workload)
        scope |= {"prange": self.package.prange, "int32": self.package.int32}
        math: Any = import_module("math")
        scope |= {name: getattr(math, name) for name in ("exp", "erf", "log", "sqrt")}
        exec(text, scope)
        shape = workload.shape(size)
        nchw = workload.form == "nchw"
        sizes = (shape[1], shape[2] * shape[3]) if nchw else (1, 1)
        more = sizes if workload.elementwise else ()

        def flat(array: Array) -> Array:
            return array.reshape(-1) if workload.elementwise else array

        def ways(label: str, parallel: bool) -> tuple[Way, ...]:
            jit = self.package.njit(fastmath=True, parallel=parallel, error_model="numpy")
            kernel: Callable[..., None] = jit(scope["kernel"])

            def given(inputs: Inputs, out: Array) -> Call:
                arguments = (*map(flat, inputs.values()), *more, flat(out))
                return lambda: kernel(*arguments)

            def fresh(inputs: Inputs, _: Array) -> Call:
                arguments = (*map(flat, inputs.values()), *more)

                def call() -> object:
                    new = np.empty(shape, workload.dtype)
                    kernel(*arguments, flat(new))
                    return new

                return call

            given(inputs, np.empty(shape, workload.dtype))()
            return Way(label, True, given), Way(label, False, fresh)

        serial = ways("serial", False)
        return serial if self.threads == 1 else (*serial, *ways("parallel", True))
