"""Every op of the dialect, compiled, against its value on special and random numbers."""

from __future__ import annotations

import numpy as np
import pytest
from op_cases import (
    ELEMENTS,
    MAX_ULPS,
    Array,
    Case,
    cases,
    columns,
    empty_function,
    errors,
    run_all,
)
from sampled import sampled
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Operation

import snippets_mlir
from snippets_mlir.dialects.snippets import Snippets
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.values.evaluate import evaluate
from snippets_mlir.dialects.snippets.whole_tensor import WholeTensorOp

RANDOM = 500
CHUNK = 8


def program(chunk: list[Case], shapes: list[tuple[int, ...]]) -> tuple[ModuleOp, list[Operation]]:
    """A function with the ops of `chunk` side by side, each with operands of its own."""
    types = [TensorType(e, s) for case, s in zip(chunk, shapes, strict=True) for e in case.elements]
    block, region = empty_function(list(types))
    arguments = iter(block.args)
    ops = [
        case.build([next(arguments) for _ in case.elements], shape)
        for case, shape in zip(chunk, shapes, strict=True)
    ]
    results = [op.results[0] for op in ops]
    block.add_ops([*ops, ReturnOp(*results)])
    return ModuleOp([FuncOp("main", (types, [r.type for r in results]), region)]), ops


def first_wrong(case: Case, operands: list[Array], result: Array, expected: Array) -> str | None:
    """What is wrong with a result, with the operands of the worst element; None if nothing is."""
    if case.exact:
        same_bits = result.view(f"u{result.itemsize}") == expected.view(f"u{result.itemsize}")
        if result.dtype.kind == "f":
            same_bits |= np.isnan(result) & np.isnan(expected)
        error, limit = np.where(same_bits, 0.0, np.inf), 0.0
    else:
        error, limit = errors(case, operands, result, expected), float(MAX_ULPS)
    worst = int(error.argmax())
    if error[worst] <= limit:
        return None
    inputs = ", ".join(repr(a[worst]) for a in operands)
    return f"{case}: f({inputs}) = {result[worst]!r}, expected {expected[worst]!r}"


CHUNKS = [(name, start) for name in ELEMENTS for start in range(0, len(cases(name)), CHUNK)]


CHOSEN = [
    chunk
    for name in ELEMENTS
    for chunk in sampled((c for c in CHUNKS if c[0] == name), 2 if name in ("f32", "i32") else 4)
]
"""Half of two types, and a quarter of the others, whose ops are the same."""


@pytest.mark.parametrize(("name", "start"), CHOSEN)
def test_ops_compute_their_values(name: str, start: int):
    chunk = cases(name)[start : start + CHUNK]
    rng = np.random.default_rng(start)
    operands = [columns(case.elements, rng, RANDOM) for case in chunk]
    module, ops = program(chunk, [arrays[0].shape for arrays in operands])
    compiled = snippets_mlir.compile(module, fallback="error")
    assert not compiled.opaque
    results = run_all(compiled, [array for arrays in operands for array in arrays])
    wrong = [
        first_wrong(case, arrays, result, evaluate(op, arrays))
        for case, arrays, result, op in zip(chunk, operands, results, ops, strict=True)
    ]
    assert not [message for message in wrong if message]


def test_every_op_has_a_case():
    tried = {case.op.name for name in ELEMENTS for case in cases(name)}
    known = {
        op.name
        for op in Snippets.operations
        if issubclass(op, ComputeOp) and not issubclass(op, WholeTensorOp)
    }
    assert known - tried == {"snippets.broadcast", "snippets.broadcast_move"}


def test_a_wrong_result_is_noticed():
    case = next(c for c in cases("f32") if c.op.name == "snippets.exp")
    x = np.array([0.0, 1.0], np.float32)
    expected = np.exp(x)
    close = np.nextafter(expected, np.float32(9))
    assert first_wrong(case, [x], close, expected) is None
    assert "f(np.float32(1.0)) = " in str(
        first_wrong(case, [x], expected + np.array([0, 1e-5], np.float32), expected)
    )
    exact = next(c for c in cases("f32") if c.op.name == "snippets.negative")
    zero = np.zeros(1, np.float32)
    assert first_wrong(exact, [zero], zero, -zero) is not None
