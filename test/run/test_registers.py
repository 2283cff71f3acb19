"""Kernels whose registers are assigned, as machine code: equal bits, few registers or many."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from sampled import sampled

import snippets_mlir
from snippets_mlir.passes.pipelines import PIPELINES

T = "tensor<5x21xf32>"
BODIES = {
    "softmax": f"%0 = snippets.softmax %x {{axis = 1 : i64}} : {T}",
    "swish": f"%0 = snippets.swish %x : {T}",
    "erf": f"%0 = snippets.erf %x : {T}",
}


WITHOUT = ",".join(
    name
    for name in PIPELINES["snippets-to-llvm"].split(",")
    if name not in ("lir-init-live-ranges", "lir-assign-registers", "lir-insert-reg-spills")
)
"""The whole pipeline but for registers."""


def pipeline(assign: str) -> str:
    """The whole pipeline with registers assigned by the pass `assign`."""
    return PIPELINES["snippets-to-llvm"].replace("lir-assign-registers", assign)


def test_registers_are_in_the_default_pipeline() -> None:
    text = (
        f"func.func @main(%x: {T}) -> {T} {{\n  {BODIES['softmax']}\n  func.return %0 : {T}\n}}\n"
    )
    (kernel,) = snippets_mlir.compile(text, target="x86-64-avx2").kernels
    assert 'reg "vec0"' in kernel.ir("lir-assign-registers")
    assert '"assigned"' in kernel.ir("lir-insert-reg-spills")


@pytest.mark.parametrize(
    ("name", "assign"),
    sampled(product(BODIES, ["lir-assign-registers", "lir-assign-registers{vectors=3}"]), 2),
)
def test_bits_are_those_without_registers(name: str, assign: str) -> None:
    text = f"func.func @main(%x: {T}) -> {T} {{\n  {BODIES[name]}\n  func.return %0 : {T}\n}}\n"
    x = np.linspace(-9, 9, 105, dtype=np.float32).reshape(5, 21)
    expected = snippets_mlir.compile(text, pipeline=WITHOUT)(x)
    found = snippets_mlir.compile(text, pipeline=pipeline(assign))(x)
    assert np.array_equal(np.asarray(found).view(np.int32), np.asarray(expected).view(np.int32))
