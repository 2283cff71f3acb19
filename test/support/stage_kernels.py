"""Small programs, each for something a kernel can have, for tests of every level."""

from __future__ import annotations

KERNELS: dict[str, str] = {
    # A broadcast in each direction, and a last dim one longer than a vector.
    "broadcasts": """
func.func @main(%x: tensor<2x3x17xf32>, %b: tensor<3x1xf32>, %s: tensor<17xf32>)
    -> tensor<2x3x17xf32> {
  %0 = snippets.add %x, %b : (tensor<2x3x17xf32>, tensor<3x1xf32>) -> tensor<2x3x17xf32>
  %1 = snippets.multiply %0, %s : (tensor<2x3x17xf32>, tensor<17xf32>) -> tensor<2x3x17xf32>
  %2 = snippets.relu %1 : tensor<2x3x17xf32>
  func.return %2 : tensor<2x3x17xf32>
}""",
    "one_below_a_vector": """
func.func @main(%x: tensor<15xf32>) -> tensor<15xf32> {
  %0 = snippets.negative %x : tensor<15xf32>
  func.return %0 : tensor<15xf32>
}""",
    "bools": """
func.func @main(%x: tensor<4x19xf64>, %m: tensor<19xi1>) -> (tensor<4x19xf64>, tensor<4x19xi1>) {
  %0 = snippets.is_finite %x : (tensor<4x19xf64>) -> tensor<4x19xi1>
  %1 = snippets.logical_and %0, %m : (tensor<4x19xi1>, tensor<19xi1>) -> tensor<4x19xi1>
  %2 = snippets.abs %x : tensor<4x19xf64>
  %3 = snippets.select %1, %x, %2
      : (tensor<4x19xi1>, tensor<4x19xf64>, tensor<4x19xf64>) -> tensor<4x19xf64>
  func.return %3, %1 : tensor<4x19xf64>, tensor<4x19xi1>
}""",
    "integers": """
func.func @main(%x: tensor<37xi32>, %y: tensor<37xi32>) -> (tensor<37xi32>, tensor<37xi64>) {
  %0 = snippets.divide %x, %y : tensor<37xi32>
  %1 = snippets.floor_mod %0, %y : tensor<37xi32>
  %2 = snippets.convert_truncation %x : (tensor<37xi32>) -> tensor<37xi64>
  %3 = snippets.multiply %2, %2 : tensor<37xi64>
  func.return %1, %3 : tensor<37xi32>, tensor<37xi64>
}""",
    "mathematics": """
func.func @main(%x: tensor<3x18xf32>) -> tensor<3x18xf32> {
  %0 = snippets.exp %x : tensor<3x18xf32>
  %1 = snippets.tanh %0 : tensor<3x18xf32>
  %2 = snippets.mod %x, %1 : tensor<3x18xf32>
  func.return %2 : tensor<3x18xf32>
}""",
    "rank_0": """
func.func @main(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
  %0 = snippets.add %x, %y : tensor<f32>
  %1 = snippets.multiply %0, %x : tensor<f32>
  func.return %1 : tensor<f32>
}""",
    "nothing": """
func.func @main(%x: tensor<0x5xf32>) -> tensor<0x5xf32> {
  %0 = snippets.add %x, %x : tensor<0x5xf32>
  %1 = snippets.relu %0 : tensor<0x5xf32>
  func.return %1 : tensor<0x5xf32>
}""",
    "rows": """
func.func @main(%x: tensor<4x37xf32>) -> tensor<4x1xf32> {
  %0 = snippets.multiply %x, %x : tensor<4x37xf32>
  %1 = snippets.reduce_sum %0 {axes = array<i64: 1>, keep_dims}
      : (tensor<4x37xf32>) -> tensor<4x1xf32>
  func.return %1 : tensor<4x1xf32>
}""",
    "columns": """
func.func @main(%x: tensor<7x19xf32>) -> tensor<19xf32> {
  %0 = snippets.relu %x : tensor<7x19xf32>
  %1 = snippets.reduce_max %0 {axes = array<i64: 0>} : (tensor<7x19xf32>) -> tensor<19xf32>
  func.return %1 : tensor<19xf32>
}""",
    # Longer than 256 vectors: the loop of the sum is split, and its last block is short.
    "long_sum": """
func.func @main(%x: tensor<1x4136xf32>) -> tensor<1x1xf32> {
  %0 = snippets.reduce_sum %x {axes = array<i64: 1>, keep_dims}
      : (tensor<1x4136xf32>) -> tensor<1x1xf32>
  %1 = snippets.sqrt %0 : tensor<1x1xf32>
  func.return %1 : tensor<1x1xf32>
}""",
    "integer_reductions": """
func.func @main(%x: tensor<4x5x6xi32>) -> (tensor<4x1x1xi32>, tensor<4x5x1xi32>) {
  %0 = snippets.reduce_sum %x {axes = array<i64: 1, 2>, keep_dims}
      : (tensor<4x5x6xi32>) -> tensor<4x1x1xi32>
  %1 = snippets.reduce_min %x {axes = array<i64: 2>, keep_dims}
      : (tensor<4x5x6xi32>) -> tensor<4x5x1xi32>
  func.return %0, %1 : tensor<4x1x1xi32>, tensor<4x5x1xi32>
}""",
    "softmax": """
func.func @main(%x: tensor<3x37xf32>, %b: tensor<37xf32>) -> tensor<3x37xf32> {
  %0 = snippets.add %x, %b : (tensor<3x37xf32>, tensor<37xf32>) -> tensor<3x37xf32>
  %1 = snippets.softmax %0 {axis = 1 : i64} : tensor<3x37xf32>
  func.return %1 : tensor<3x37xf32>
}""",
    "log_softmax_of_columns": """
func.func @main(%x: tensor<3x17xf64>) -> tensor<3x17xf64> {
  %0 = snippets.log_softmax %x {axis = 0 : i64} : tensor<3x17xf64>
  func.return %0 : tensor<3x17xf64>
}""",
    "layer_norm": """
func.func @main(%x: tensor<3x33xf32>, %r: tensor<3x33xf32>, %s: tensor<33xf32>, %b: tensor<33xf32>)
    -> tensor<3x33xf32> {
  %0 = snippets.add %x, %r : tensor<3x33xf32>
  %1 = snippets.layer_norm %0, %s, %b {axis = 1 : i64, epsilon = 1.0e-5 : f32}
      : (tensor<3x33xf32>, tensor<33xf32>, tensor<33xf32>) -> tensor<3x33xf32>
  func.return %1 : tensor<3x33xf32>
}""",
    # What crosses the end of the first loop goes through the scratchpad.
    "two_buffers": """
func.func @main(%x: tensor<3x21xf32>) -> tensor<3x21xf32> {
  %a = snippets.multiply %x, %x : tensor<3x21xf32>
  %b = snippets.add %x, %x : tensor<3x21xf32>
  %c = snippets.multiply %a, %b : tensor<3x21xf32>
  %s = snippets.reduce_sum %c {axes = array<i64: 1>, keep_dims}
      : (tensor<3x21xf32>) -> tensor<3x1xf32>
  %d = snippets.divide %a, %s : (tensor<3x21xf32>, tensor<3x1xf32>) -> tensor<3x21xf32>
  %e = snippets.add %d, %b : tensor<3x21xf32>
  func.return %e : tensor<3x21xf32>
}""",
    "transpose": """
func.func @main(%x: tensor<5x18xf32>, %y: tensor<18x5xf32>) -> tensor<18x5xf32> {
  %0 = snippets.transpose %x {permutation = array<i64: 1, 0>}
      : (tensor<5x18xf32>) -> tensor<18x5xf32>
  %1 = snippets.add %0, %y : tensor<18x5xf32>
  %2 = snippets.multiply %1, %1 : tensor<18x5xf32>
  func.return %2 : tensor<18x5xf32>
}""",
}
