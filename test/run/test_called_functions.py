"""Functions that call others, and text of later stages, in which kernels call functions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sampled import alternating

import snippets_mlir
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.support.parsing import parse_module

HEAD = """
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 8 : index
  %z = arith.constant 0.0 : f32
"""
BODIES = {
    "scf.for": """
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %z) -> (f32) {
    %v = memref.load %x[%i] : memref<8xf32>
    %s = arith.addf %a, %v : f32
    memref.store %s, %y[%i] : memref<8xf32>
    scf.yield %s : f32
  }
""",
    "affine.for": """
  %r = affine.for %i = 0 to 8 iter_args(%a = %z) -> (f32) {
    %v = affine.load %x[%i] : memref<8xf32>
    %s = arith.addf %a, %v : f32
    affine.store %s, %y[%i] : memref<8xf32>
    affine.yield %s : f32
  }
""",
    "scf.while": """
  %r:2 = scf.while (%i = %c0, %a = %z) : (index, f32) -> (index, f32) {
    %b = arith.cmpi slt, %i, %n : index
    scf.condition(%b) %i, %a : index, f32
  } do {
  ^bb0(%i: index, %a: f32):
    %v = memref.load %x[%i] : memref<8xf32>
    %s = arith.addf %a, %v : f32
    memref.store %s, %y[%i] : memref<8xf32>
    %k = arith.addi %i, %c1 : index
    scf.yield %k, %s : index, f32
  }
""",
    "blocks": """
  cf.br ^loop(%c0, %z : index, f32)
^loop(%i: index, %a: f32):
  %v = memref.load %x[%i] : memref<8xf32>
  %s = arith.addf %a, %v : f32
  memref.store %s, %y[%i] : memref<8xf32>
  %k = arith.addi %i, %c1 : index
  %b = arith.cmpi slt, %k, %n : index
  cf.cond_br %b, ^loop(%k, %s : index, f32), ^end
^end:
""",
}


@pytest.mark.parametrize("name", BODIES)
def test_a_called_loop_whose_result_nobody_reads_stores(name: str):
    program = snippets_mlir.compile(f"""
func.func @main(%x: memref<8xf32>, %y: memref<8xf32>) {{
  func.call @sums(%x, %y) : (memref<8xf32>, memref<8xf32>) -> ()
  func.return
}}
func.func private @sums(%x: memref<8xf32>, %y: memref<8xf32>) {{
{HEAD}{BODIES[name]}  func.return
}}
""")
    x, y = np.arange(8, dtype=np.float32), np.full(8, -1, np.float32)
    program(x, y)
    np.testing.assert_array_equal(y, np.cumsum(x))


def test_the_conversion_keeps_loops_that_store():
    module = parse_module(
        f"""func.func @main(%x: memref<8xf32>, %y: memref<8xf32>, %t: tensor<4xf32>) {{
{HEAD}{BODIES["scf.for"]}  %0 = stablehlo.negate %t : tensor<4xf32>
  func.return
}}""",
        make_context(),
        "loop.mlir",
    )
    run_passes(module, ctx := make_context(), parse_pipeline("convert-stablehlo-to-snippets", ctx))
    names = [op.name for op in module.walk()]
    assert "memref.store" in names
    assert not any(name.startswith(("stablehlo.", "snippets.")) for name in names)


def test_called_functions_on_tensors_are_one_kernel():
    program = snippets_mlir.compile("""
func.func @main(%x: tensor<9xf32>) -> tensor<9xf32> {
  %0 = func.call @twice(%x) : (tensor<9xf32>) -> tensor<9xf32>
  %1 = func.call @twice(%0) : (tensor<9xf32>) -> tensor<9xf32>
  func.return %1 : tensor<9xf32>
}
func.func private @twice(%x: tensor<9xf32>) -> tensor<9xf32> {
  %0 = snippets.add %x, %x : tensor<9xf32>
  func.return %0 : tensor<9xf32>
}
""")
    x = np.linspace(-1, 1, 9, dtype=np.float32)
    np.testing.assert_array_equal(program(x), 4 * x)
    assert len(program.kernels) == 1


SOURCES = {
    "relu": """func.func @main(%x: tensor<5x40xf32>) -> tensor<5x40xf32> {
  %0 = snippets.relu %x : tensor<5x40xf32>
  func.return %0 : tensor<5x40xf32>
}""",
    "softmax": """func.func @main(%x: tensor<5x40xf32>) -> tensor<5x40xf32> {
  %0 = snippets.softmax %x {axis = 1 : i64} : tensor<5x40xf32>
  func.return %0 : tensor<5x40xf32>
}""",
}


@pytest.mark.parametrize(
    ("stage", "name"),
    alternating(["vector", "convert-scf-to-cf", "convert-arith-to-llvm", "llvm"], [*SOURCES]),
)
def test_the_text_of_a_later_stage_is_a_source(name: str, stage: str):
    program = snippets_mlir.compile(SOURCES[name])
    x: Any = np.random.default_rng(1).standard_normal((5, 40), np.float32)
    again = snippets_mlir.compile(program.ir(stage))
    np.testing.assert_array_equal(again(x), program(x))
