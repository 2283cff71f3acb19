"""Compiled kernels compute the bits of the expansions as evaluated on NumPy arrays.

So the accuracy that `test_math_expansions.py` measures is that of the kernels: nothing between the
table and the machine code may contract, reassociate or flush.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from math_accuracy import CASES, Case, evaluate
from math_samples import samples
from sampled import sampled

import snippets_mlir
from snippets_mlir.targets.host import host_target
from snippets_mlir.targets.machine import machine

TYPES = {"f32": np.float32, "f64": np.float64}
CHUNK = 8
CHUNKS = [CASES[k : k + CHUNK] for k in range(0, len(CASES), CHUNK)]


def _attributes(case: Case) -> str:
    if not case.attrs:
        return ""
    texts = [
        f'{name} = "{value}"' if isinstance(value, str) else f"{name} = {value:.17e} : f64"
        for name, value in case.attrs.items()
    ]
    return "<{" + ", ".join(texts) + "}>"


def _program(cases: tuple[Case, ...], inputs: list[list[Any]], element: str) -> str:
    """One function with every op of the chunk, in generic syntax."""
    arguments: list[str] = []
    lines: list[str] = []
    types = [f"tensor<{xs[0].size}x{element}>" for xs in inputs]
    for k, (case, type_) in enumerate(zip(cases, types, strict=True)):
        names = [f"%x{k}", f"%y{k}"][: len(inputs[k])]
        arguments += [f"{name}: {type_}" for name in names]
        operands = ", ".join(names)
        signature = f"({', '.join([type_] * len(names))}) -> {type_}"
        lines.append(
            f'  %r{k} = "snippets.{case.op}"({operands}) {_attributes(case)} : {signature}'
        )
    results = ", ".join(f"%r{k}" for k in range(len(cases)))
    return "\n".join(
        [
            f"func.func @main({', '.join(arguments)}) -> ({', '.join(types)}) {{",
            *lines,
            f"  return {results} : {', '.join(types)}",
            "}",
        ]
    )


PROGRAMS = [(c, element, t) for c in CHUNKS for element in TYPES for t in ("host", "generic")]


@pytest.mark.parametrize(("chunk", "element", "target"), sampled(PROGRAMS, 4))
def test_kernels_compute_the_bits_of_the_expansions(
    chunk: tuple[Case, ...], element: str, target: str
) -> None:
    dtype: Any = TYPES[element]
    inputs = [[*samples(case.name, dtype, 3_000, seed=31)] for case in chunk]
    program = _program(chunk, inputs, element)
    compiled = snippets_mlir.compile(program, target=target, fallback="error", num_threads=1)
    facts = machine(host_target() if target == "host" else target)
    results = compiled(*(x for xs in inputs for x in xs))
    for case, xs, got in zip(chunk, inputs, results, strict=True):
        expected = evaluate(case, xs, fma=facts.fma, permutes=facts.permutes)
        bits = np.int32 if element == "f32" else np.int64
        same = (got.view(bits) == expected.view(bits)) | (np.isnan(got) & np.isnan(expected))
        worst = int(np.argmin(same))
        assert same.all(), (case.name, [x[worst] for x in xs], got[worst], expected[worst])
