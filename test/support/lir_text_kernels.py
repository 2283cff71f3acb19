"""Small programs with products, scans, gathers and slices, beside those of `stage_kernels`."""

from __future__ import annotations

MORE: dict[str, str] = {
    "product": """
func.func @main(%a: tensor<5x9xf32>, %b: tensor<9x21xf32>, %c: tensor<21xf32>)
    -> tensor<5x21xf32> {
  %0 = snippets.matmul %a, %b : (tensor<5x9xf32>, tensor<9x21xf32>) -> tensor<5x21xf32>
  %1 = snippets.add %0, %c : (tensor<5x21xf32>, tensor<21xf32>) -> tensor<5x21xf32>
  %2 = snippets.relu %1 : tensor<5x21xf32>
  func.return %2 : tensor<5x21xf32>
}""",
    "transposed_product": """
func.func @main(%a: tensor<2x3x70xf32>, %b: tensor<2x19x70xf32>) -> tensor<2x3x19xf32> {
  %0 = snippets.matmul %a, %b {transpose_b}
      : (tensor<2x3x70xf32>, tensor<2x19x70xf32>) -> tensor<2x3x19xf32>
  func.return %0 : tensor<2x3x19xf32>
}""",
    "attention": """
func.func @main(%q: tensor<2x5x8xf32>, %k: tensor<2x9x8xf32>, %v: tensor<2x9x8xf32>)
    -> tensor<2x5x8xf32> {
  %0 = snippets.matmul %q, %k {transpose_b}
      : (tensor<2x5x8xf32>, tensor<2x9x8xf32>) -> tensor<2x5x9xf32>
  %1 = snippets.softmax %0 {axis = 2 : i64} : tensor<2x5x9xf32>
  %2 = snippets.matmul %1, %v : (tensor<2x5x9xf32>, tensor<2x9x8xf32>) -> tensor<2x5x8xf32>
  func.return %2 : tensor<2x5x8xf32>
}""",
    "slice": """
func.func @main(%x: tensor<6x20xf32>, %y: tensor<3x9xf32>) -> tensor<3x9xf32> {
  %0 = snippets.slice %x {starts = array<i64: 1, 2>, steps = array<i64: 2, 2>}
      : (tensor<6x20xf32>) -> tensor<3x9xf32>
  %1 = snippets.add %0, %y : tensor<3x9xf32>
  func.return %1 : tensor<3x9xf32>
}""",
    "concat": """
func.func @main(%x: tensor<3x9xf32>, %y: tensor<3x5xf32>) -> tensor<3x14xf32> {
  %0 = snippets.relu %x : tensor<3x9xf32>
  %1 = snippets.multiply %y, %y : tensor<3x5xf32>
  %2 = snippets.concat %0, %1 {axis = 1 : i64}
      : (tensor<3x9xf32>, tensor<3x5xf32>) -> tensor<3x14xf32>
  func.return %2 : tensor<3x14xf32>
}""",
    "running_sum": """
func.func @main(%x: tensor<3x19xf32>) -> tensor<3x19xf32> {
  %0 = snippets.cum_sum %x {axis = 1 : i64} : tensor<3x19xf32>
  func.return %0 : tensor<3x19xf32>
}""",
    "gather": """
func.func @main(%x: tensor<7x19xf32>, %i: tensor<4xi32>) -> tensor<4x19xf32> {
  %0 = snippets.gather %x, %i {axis = 0 : i64}
      : (tensor<7x19xf32>, tensor<4xi32>) -> tensor<4x19xf32>
  %1 = snippets.relu %0 : tensor<4x19xf32>
  func.return %1 : tensor<4x19xf32>
}""",
}
