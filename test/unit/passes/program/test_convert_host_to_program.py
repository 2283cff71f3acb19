"""A program computes at every stage what its host function does."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from sampled import sampled

from snippets_mlir.inspect.check_each import EachChecker
from snippets_mlir.interpreter import Interpreter
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.parsing import parse_module
from snippets_mlir.support.printing import print_module

EXAMPLES = Path(__file__).parents[4] / "docs" / "examples"
# An op of onnxruntime's; millions of elements.
LEFT_OUT = ("opaque.mlir", "silu_mul.mlir")
RUNNABLE = sorted(p.name for p in EXAMPLES.glob("*.mlir") if p.name not in LEFT_OUT)
PIPELINES = {
    "topology": "convert-host-to-program",
    "fused": "canonicalize,snippets-tokenize,convert-host-to-program",
    "selected": "snippets-to-lir,convert-host-to-program",
}
# Kernels of dynamic dims are made for the mask of a call.
CASES = [
    (name, pipeline)
    for name in RUNNABLE
    for stage, pipeline in PIPELINES.items()
    if stage != "selected" or name != "dynamic.mlir"
]
# The interpreter computes a kernel's product term by term: examples with one get smaller dims.
SMALLER = {"64": "8", "256": "9", "300": "5", "512": "6", "1024": "20", "2048": "19"}
WITH_PRODUCTS = ("attention.mlir", "product.mlir")


def _source(name: str) -> str:
    text = (EXAMPLES / name).read_text(encoding="utf-8")
    if name not in WITH_PRODUCTS:
        return text
    return re.sub(r"(?<=[<x])\d+(?=x)", lambda dim: SMALLER.get(dim[0], dim[0]), text)


@pytest.mark.parametrize(("name", "pipeline"), sampled(CASES, 3))
def test_the_graph_computes_the_same(name: str, pipeline: str) -> None:
    """Special values, infinities, NaN and extremes included."""
    ctx = make_context()
    module = parse_module(_source(name), ctx)
    checker = EachChecker(seed=1)
    checker.start(module)
    run_passes(module, ctx, parse_pipeline(pipeline, ctx), verify_each=True, after=checker.after)
    text = print_module(module)
    assert "program.graph @main" in text
    assert "func.func @main" not in text
    assert print_module(parse_module(text, ctx)) == text


def test_a_graph_checks_its_inputs() -> None:
    text = """program.graph @main "topology" (%x "x:0": tensor<2xf32>) {
      program.output %x as "y" : tensor<2xf32>
    }"""
    interpreter = Interpreter(parse_module(text, make_context()))
    with pytest.raises(TypeError, match=r"input 'x:0': expected dtype float32, found float64"):
        interpreter.run("main", [np.zeros(2)])
    with pytest.raises(CompileError, match="the module has no function other"):
        interpreter.run("other", [])


def test_a_view_of_dynamic_sizes() -> None:
    """The sizes of a view come from its operand and from the number of elements."""
    text = """program.graph @main "topology" (%x: tensor<?x?xf32>) {
      %0 = program.view "t" (%x) dims [0, -1, 1] : tensor<?x?xf32> -> tensor<?x1x?xf32>
      %1 = program.view "f" (%0) : tensor<?x1x?xf32> -> tensor<?xf32>
      program.output %0 as "a", %1 as "b" : tensor<?x1x?xf32>, tensor<?xf32>
    }"""
    module = parse_module(text, make_context())
    for shape in ((2, 3), (0, 3), (1, 1)):
        x = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
        first, second = Interpreter(module).run("main", [x])
        assert first.shape == (shape[0], 1, shape[1])
        np.testing.assert_array_equal(second, x.reshape(-1))
