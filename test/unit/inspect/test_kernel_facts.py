"""What the report says of a kernel: loops in their nesting, buffers, scratchpad, domain."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

import snippets_mlir
from snippets_mlir.targets.host import host_target
from snippets_mlir.targets.machine import machine

LANES = machine(host_target()).lanes

ROWS = """func.func @main(%x: tensor<{shape}xf32>) -> tensor<{shape}xf32> {{
  %0 = snippets.reduce_max %x {{axes = array<i64: 1>, keep_dims}}
      : (tensor<{shape}xf32>) -> tensor<{kept}xf32>
  %1 = snippets.subtract %x, %0 : (tensor<{shape}xf32>, tensor<{kept}xf32>) -> tensor<{shape}xf32>
  func.return %1 : tensor<{shape}xf32>
}}"""

SOFTMAX = """func.func @main(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = snippets.softmax %x {axis = 1 : i64} : tensor<?x?xf32>
  func.return %0 : tensor<?x?xf32>
}"""


def entry(program: Any) -> Any:
    (kernel,) = program.kernels
    return kernel.entry


def test_loops_beside_each_other() -> None:
    found = entry(snippets_mlir.compile(ROWS.format(shape="8x64", kept="8x1")))
    assert found.lines() == [
        "kernel subgraph_0: snippets.reduce_max, snippets.subtract",
        "  3 loops 8(64, 64), 0 buffers, 0 bytes of scratchpad a thread, domain 8",
    ]
    assert found.as_json() == {
        "name": "subgraph_0",
        "ops": ["snippets.reduce_max", "snippets.subtract"],
        "loops": 3,
        "nest": "8(64, 64)",
        "buffers": 0,
        "scratch": 0,
        "domain": 8,
        "reason": None,
    }


def test_a_kernel_without_loops_over_more_than_one_element() -> None:
    text = """func.func @main(%x: tensor<f32>) -> tensor<f32> {
      %0 = snippets.exp %x : tensor<f32>
      func.return %0 : tensor<f32>
    }"""
    found = entry(snippets_mlir.compile(text, fallback="error"))
    assert found.facts is not None
    assert found.lines()[1].startswith(f"  {found.facts.loops} loop")


def test_sizes_that_a_call_brings_have_names() -> None:
    program = snippets_mlir.compile(SOFTMAX, fallback="error")
    program(np.ones((3, 50), np.float32))
    found = entry(program)
    counts, memory = found.lines()[1].split(", 1 buffer, ")
    block = 256 * LANES
    wanted = f"?1 by 2^{16 + block.bit_length() - 1} by 2^{8 + block.bit_length() - 1} by {block}"
    assert counts == f"  7 loops ?0(?1, {wanted}, ?1)"
    assert memory == "256 bytes of scratchpad a thread, domain ?0"
    shown = json.loads(json.dumps(found.as_json()))
    assert (shown["scratch"], shown["domain"]) == (256, "?0")


def test_blocks_of_a_long_sum() -> None:
    text = """func.func @main(%x: tensor<3x9000xf32>) -> tensor<3xf32> {
      %0 = snippets.reduce_sum %x {axes = array<i64: 1>} : (tensor<3x9000xf32>) -> tensor<3xf32>
      func.return %0 : tensor<3xf32>
    }"""
    found = entry(snippets_mlir.compile(text, num_threads=1, fallback="error"))
    assert found.lines()[1].startswith(f"  3 loops 3(9000 by {256 * LANES}), ")


def test_before_the_first_call_a_dynamic_program_has_ops_only() -> None:
    found = entry(snippets_mlir.compile(SOFTMAX, fallback="error"))
    assert "snippets.exp" in found.ops
    assert found.facts is None
    assert found.lines() == [f"kernel subgraph_0: {', '.join(found.ops)}"]
    assert found.as_json()["loops"] is None
