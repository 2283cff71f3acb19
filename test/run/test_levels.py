"""Every op of the dialect at the levels that kernels pass, interpreted, against its value."""

from __future__ import annotations

import numpy as np
import pytest
from op_cases import ELEMENTS, MAX_ULPS, Array, Case, cases, columns, empty_function, errors
from sampled import sampled
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Operation

from snippets_mlir.dialects.snippets.values.evaluate import evaluate
from snippets_mlir.interpreter import Interpreter
from snippets_mlir.interpreter.registry import handler_table
from snippets_mlir.passes.pipelines import PIPELINES
from snippets_mlir.passes.vector_to_llvm.convert_arith_to_llvm import ConvertArithToLLVMPass
from snippets_mlir.passes.vector_to_llvm.convert_math_to_llvm import ConvertMathToLLVMPass
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes

CHUNK = 10
LEVELS = ("convert-lir-to-vector", "convert-scf-to-cf")
ELEMENTS_EACH = 11
PIPELINE = PIPELINES["snippets-to-llvm"].replace(
    "snippets-set-target", "snippets-set-target{target=x86-64-avx2}"
)
CHUNKS = [(name, start) for name in ELEMENTS for start in range(0, len(cases(name)), CHUNK)]


def some(arrays: list[Array], rng: np.random.Generator) -> list[Array]:
    """The same places of all arrays, drawn from special and random values."""
    places = rng.permutation(arrays[0].size)[:ELEMENTS_EACH]
    return [array[places] for array in arrays]


def program(chunk: list[Case], shapes: list[tuple[int, ...]]) -> tuple[ModuleOp, list[Operation]]:
    """A function with the ops of `chunk` side by side, each with operands of its own."""
    types: list[Attribute] = [
        TensorType(e, s) for case, s in zip(chunk, shapes, strict=True) for e in case.elements
    ]
    block, region = empty_function(types)
    arguments = iter(block.args)
    ops = [
        case.build([next(arguments) for _ in case.elements], shape)
        for case, shape in zip(chunk, shapes, strict=True)
    ]
    block.add_ops([*ops, ReturnOp(*(op.results[0] for op in ops))])
    outputs = [op.results[0].type for op in ops]
    return ModuleOp([FuncOp("main", (types, outputs), region)]), ops


def wrong(case: Case, operands: list[Array], result: Array, expected: Array) -> bool:
    """Whether an op computes something else."""
    if not case.exact:
        return bool((errors(case, operands, result, expected) > MAX_ULPS).any())
    same = result.view(f"u{result.itemsize}") == expected.view(f"u{result.itemsize}")
    if result.dtype.kind == "f":
        same |= np.isnan(result) & np.isnan(expected)
    return not same.all()


@pytest.mark.parametrize(("name", "start"), sampled(CHUNKS, 8))
def test_ops_compute_their_values_at_every_level(name: str, start: int) -> None:
    chunk = cases(name)[start : start + CHUNK]
    rng = np.random.default_rng(start)
    operands = [some(columns(case.elements, rng, 100), rng) for case in chunk]
    module, ops = program(chunk, [arrays[0].shape for arrays in operands])
    expected = [evaluate(op, arrays) for op, arrays in zip(ops, operands, strict=True)]
    ctx = make_context()
    done = ""
    # The wide types tell the stages of linear IR nothing that the others do not.
    stages = ["convert-scf-to-cf"] if name in ("f64", "i64") else list(LEVELS)
    for last in stages:
        passes = PIPELINE.partition(f",{last}")[0].removeprefix(done)
        done += passes
        run_passes(module, ctx, parse_pipeline(passes.removeprefix(","), ctx))
        results = Interpreter(module).run("main", [a for arrays in operands for a in arrays])
        found = zip(chunk, operands, results, expected, strict=True)
        assert not [f"{case} before {last}" for case, x, a, b in found if wrong(case, x, a, b)]


def test_what_is_lowered_can_be_interpreted() -> None:
    passes = (ConvertArithToLLVMPass, ConvertMathToLLVMPass)
    names = {cls.name for p in passes for pattern in p.PATTERNS for cls in pattern.ops}
    assert len(names) > 50
    unknown = {name for name in names if name not in handler_table()}
    assert not unknown
