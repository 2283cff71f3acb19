// RUN: snippets-opt %s -p 'convert-snippets-to-lir,lir-mark-loops{vector-size=8},lir-reduce-decomposition,lir-fuse-loops,lir-split-loops{max-terms=64 max-lane-terms=4}' --split-input-file | filecheck %s

// Each lane is a column of its own: blocks of 4 rows.
// CHECK-LABEL: @columns
// CHECK: work 6, inc 4, dim 1>
// CHECK-SAME: work 4, inc 1, dim 1, inner of
func.func @columns(%x: tensor<6x16xf32>) -> tensor<1x16xf32> {
  %r = snippets.subgraph (%a = %x) : (tensor<6x16xf32>) -> tensor<1x16xf32> {
    %0 = snippets.reduce_sum %a {axes = array<i64: 0>, keep_dims} : (tensor<6x16xf32>) -> tensor<1x16xf32>
    snippets.yield %0 : tensor<1x16xf32>
  }
  func.return %r : tensor<1x16xf32>
}

// -----

// Does not fire: the lanes of rows become one number; 4 rows are one block.
// CHECK-LABEL: @twins
// CHECK-NOT: inner of
func.func @twins(%x: tensor<3x128xf32>, %y: tensor<4x16xf32>) -> (tensor<3x1xf32>, tensor<1x16xf32>) {
  %r = snippets.subgraph (%a = %x) : (tensor<3x128xf32>) -> tensor<3x1xf32> {
    %0 = snippets.reduce_sum %a {axes = array<i64: 1>, keep_dims} : (tensor<3x128xf32>) -> tensor<3x1xf32>
    snippets.yield %0 : tensor<3x1xf32>
  }
  %s = snippets.subgraph (%b = %y) : (tensor<4x16xf32>) -> tensor<1x16xf32> {
    %1 = snippets.reduce_sum %b {axes = array<i64: 0>, keep_dims} : (tensor<4x16xf32>) -> tensor<1x16xf32>
    snippets.yield %1 : tensor<1x16xf32>
  }
  func.return %r, %s : tensor<3x1xf32>, tensor<1x16xf32>
}
