"""Kernels whose registers are assigned, as machine code: equal bits, few registers or many."""

from __future__ import annotations

import numpy as np
import pytest

import snippets_mlir
from snippets_mlir.passes.pipelines import PIPELINES

T = "tensor<5x21xf32>"
BODIES = {
    "softmax": f"%0 = snippets.softmax %x {{axis = 1 : i64}} : {T}",
    "swish": f"%0 = snippets.swish %x : {T}",
    "erf": f"%0 = snippets.erf %x : {T}",
}


def pipeline(assign: str) -> str:
    """The whole pipeline with registers assigned by the pass `assign`."""
    passes = f"lir-init-live-ranges,{assign},lir-insert-reg-spills,lir-insert-specific-iterations"
    return PIPELINES["snippets-to-llvm"].replace("lir-insert-specific-iterations", passes)


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("assign", ["lir-assign-registers", "lir-assign-registers{vectors=3}"])
def test_bits_are_those_without_registers(name: str, assign: str) -> None:
    text = f"func.func @main(%x: {T}) -> {T} {{\n  {BODIES[name]}\n  func.return %0 : {T}\n}}\n"
    x = np.linspace(-9, 9, 105, dtype=np.float32).reshape(5, 21)
    expected = snippets_mlir.compile(text)(x)
    found = snippets_mlir.compile(text, pipeline=pipeline(assign))(x)
    assert np.array_equal(np.asarray(found).view(np.int32), np.asarray(expected).view(np.int32))
