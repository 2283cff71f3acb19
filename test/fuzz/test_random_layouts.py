"""Random bodies of reshapes, transposes and reductions: same values, and kernels hold them."""

from __future__ import annotations

import os
from itertools import product

import pytest
from dataflow_runs import after, interpreted, same_bits
from random_layouts import Body
from sampled import ALL, sampled
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

import snippets_mlir
from snippets_mlir.analysis.graph.lowerable import why_not_lowerable
from snippets_mlir.dialects.snippets.subgraph import SubgraphOp
from snippets_mlir.support.attribute_names import REASON
from snippets_mlir.testing.thread_counts import drawn_threads, small_kernels_shared

PASSES = (
    "snippets-decompose-reductions",
    "snippets-decompose-transpose",
    "snippets-eliminate-reshapes",
)
PIPELINES = (*PASSES, ",".join(PASSES), ",".join((*PASSES[::-1], *PASSES)))
CHUNK = 20
CHUNKS = 5 if "SNIPPETS_FUZZ_SECONDS" in os.environ else 1


def explained(module: ModuleOp) -> bool:
    """Whether the bodies are in the form that kernels take, or an op says why they are not."""
    subgraphs: list[Operation] = [op for op in module.walk() if isinstance(op, SubgraphOp)]
    return all(
        why_not_lowerable(op) is None or any(REASON in inner.attributes for inner in op.walk())
        for op in subgraphs
        if isinstance(op, SubgraphOp)
    )


@pytest.mark.parametrize(
    ("pipeline", "start"), sampled(product(PIPELINES, range(0, CHUNKS * CHUNK, CHUNK)), 2)
)
def test_same_values(start: int, pipeline: str) -> None:
    for seed in range(start, start + CHUNK):
        body = Body(seed, in_subgraph=seed % 2 == 0)
        expected = interpreted(body.text, body.arrays)
        module = after(body.text, pipeline)
        found = interpreted(module, body.arrays)
        assert all(same_bits(f, e) for f, e in zip(found, expected, strict=True)), body.text
        assert pipeline.count(",") != len(PASSES) - 1 or explained(module), body.text


def test_most_bodies_fit_into_kernels() -> None:
    """Three of four at least: the rest have no common factors, as the reasons say."""
    modules = [after(Body(seed, in_subgraph=True).text, ",".join(PASSES)) for seed in range(40)]
    fitting = sum(
        why_not_lowerable(op) is None
        for module in modules
        for op in module.walk()
        if isinstance(op, SubgraphOp)
    )
    assert fitting >= 30


@pytest.mark.parametrize("start", range(0, 6 * CHUNKS, 6))
def test_compiled(start: int) -> None:
    """Kernels of what the passes make, before or after the tokenizer, compute the same."""
    for seed in range(start, start + (6 if ALL else 3)):
        threads = drawn_threads(seed)
        split = f"snippets-split-reductions{{threads={threads} min-work=64}}"
        graph = ",".join((split, *PASSES))
        body = Body(seed)
        expected = interpreted(body.text, body.arrays)
        for module in (after(body.text, graph), after(body.text, "cse")):
            with small_kernels_shared():
                program = snippets_mlir.compile(module, num_threads=threads)
                named = zip((spec.name for spec in program.inputs), body.arrays, strict=True)
                found = program.run(dict(named))
            assert all(same_bits(f, e) for f, e in zip(found.values(), expected, strict=True)), (
                f"{threads} threads: {body.text}"
            )
