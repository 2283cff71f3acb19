"""numexpr: one expression text, evaluated by blocks on its threads."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from steps import SUMS, Array, Workload

from peers.base import Call, Inputs, Unsupported, Way

FORMS = {
    "add": "({0} + {1})",
    "subtract": "({0} - {1})",
    "multiply": "({0} * {1})",
    "maximum": "where({0} > {1}, {0}, {1})",
    "minimum": "where({0} < {1}, {0}, {1})",
    "relu": "where({0} > zero, {0}, zero)",
    "sigmoid": "(one / (one + exp(-{0})))",
    "greater": "({0} > {1})",
    "select": "where({0}, {1}, {2})",
    "bitwise_and": "({0} & {1})",
    "bitwise_or": "({0} | {1})",
    "bitwise_xor": "({0} ^ {1})",
    "shift_left": "({0} << {1})",
    "shift_right": "({0} >> {1})",
}


class NumExpr:
    """numexpr.evaluate."""

    name = "numexpr"

    def __init__(self, threads: int) -> None:
        """Import it and set its threads."""
        self.package: Any = import_module("numexpr")
        self.package.set_num_threads(threads)

    def version(self) -> str:
        """The version of the package, for the report."""
        return str(self.package.__version__)

    def prepare(self, workload: Workload, inputs: Inputs, size: str) -> tuple[Way, ...]:
        """The steps as one text; constants are variables of the element type."""
        dtype = np.dtype(workload.dtype)
        names: dict[str, Any] = {"zero": dtype.type(0), "one": dtype.type(1)}
        turned: list[str] = []
        texts = {name: name for name in inputs}
        for k, step in enumerate(workload.steps):
            if step.op in SUMS:
                texts[step.result] = f"sum({texts[str(step.operands[0])]}, axis={SUMS[step.op]})"
                continue
            if step.op == "transpose":
                name = str(step.operands[0])
                turned.append(name)
                texts[step.result] = f"{name}_turned"
                continue
            if step.op not in FORMS:
                raise Unsupported(f"numexpr has no {step.op}")
            operands: list[str] = []
            for j, operand in enumerate(step.operands):
                if isinstance(operand, str):
                    operands.append(texts[operand])
                else:
                    names[f"k{k}_{j}"] = dtype.type(operand)
                    operands.append(f"k{k}_{j}")
            texts[step.result] = FORMS[step.op].format(*operands)
        text = texts[workload.result]
        # `where` repeats its operands, so a long chain of them would double with each one, which is
        # not a fair text.
        if len(text) > 2000:
            raise Unsupported("numexpr has no maximum; as nested where the text explodes")
        evaluate = self.package.evaluate

        def values(inputs: Inputs) -> dict[str, Any]:
            views = {f"{name}_turned": np.transpose(inputs[name]) for name in turned}
            return {**names, **inputs, **views}

        def given(inputs: Inputs, out: Array) -> Call:
            known = values(inputs)
            return lambda: evaluate(text, known, out=out)

        def fresh(inputs: Inputs, _: Array) -> Call:
            known = values(inputs)
            return lambda: evaluate(text, known)

        return Way("out=", True, given), Way("", False, fresh)
