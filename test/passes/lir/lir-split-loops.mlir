// RUN: snippets-opt %s -p 'convert-snippets-to-lir,lir-mark-loops{vector-size=8},lir-reduce-decomposition,lir-fuse-loops,lir-split-loops{max-terms=4}' --split-input-file | filecheck %s

// 100 elements are 13 vectors: blocks of 4 vectors, each folded into the accumulator of the outer loop.
// CHECK-LABEL: @sum
// CHECK: loops [#lir.loop<0, work 3, inc 1, dim 1, parallel>, #lir.loop<1, work 100, inc 32, dim 0>, #lir.loop<2, work 32, inc 8, dim 0, inner of 1>]
// CHECK: snippets.exp %a {lir.loops = array<i64: 0, 1, 2>
// CHECK: %[[A:[a-z0-9]+]] = lir.accumulate {{.*}} {kind = "sum", lir.loops = array<i64: 0, 1, 2>
// CHECK-NEXT: %[[B:[a-z0-9]+]] = lir.accumulate %[[A]] {kind = "sum", lir.loops = array<i64: 0, 1>
// CHECK-NEXT: lir.horizon %[[B]] {kind = "sum", lir.loops = array<i64: 0>
func.func @sum(%x: tensor<3x100xf32>) -> tensor<3x1xf32> {
  %r = snippets.subgraph (%a = %x) : (tensor<3x100xf32>) -> tensor<3x1xf32> {
    %0 = snippets.exp %a : tensor<3x100xf32>
    %1 = snippets.reduce_sum %0 {axes = array<i64: 1>, keep_dims} : (tensor<3x100xf32>) -> tensor<3x1xf32>
    snippets.yield %1 : tensor<3x1xf32>
  }
  func.return %r : tensor<3x1xf32>
}

// -----

// Long enough for three levels: no loop has more than 4 iterations.
// CHECK-LABEL: @levels
// CHECK: loops [#lir.loop<0, work 300, inc 128, dim 0>, #lir.loop<1, work 32, inc 8, dim 0, inner of 2>, #lir.loop<2, work 128, inc 32, dim 0, inner of 0>]
// CHECK: lir.accumulate {{.*}} lir.loops = array<i64: 0, 2, 1>
// CHECK-NEXT: lir.accumulate {{.*}} lir.loops = array<i64: 0, 2>
// CHECK-NEXT: lir.accumulate {{.*}} lir.loops = array<i64: 0>
func.func @levels(%x: tensor<300xf32>) -> tensor<1xf32> {
  %r = snippets.subgraph (%a = %x) : (tensor<300xf32>) -> tensor<1xf32> {
    %1 = snippets.reduce_sum %a {axes = array<i64: 0>, keep_dims} : (tensor<300xf32>) -> tensor<1xf32>
    snippets.yield %1 : tensor<1xf32>
  }
  func.return %r : tensor<1xf32>
}

// -----

// Does not fire: a maximum has no rounding errors, nor has a sum of integers; 32 elements are 4 terms.
// CHECK-LABEL: @twins
// CHECK-NOT: inner of
func.func @twins(%x: tensor<3x100xf32>, %y: tensor<3x100xi32>, %z: tensor<3x32xf32>) -> (tensor<3x1xf32>, tensor<3x1xi32>, tensor<3x1xf32>) {
  %r:3 = snippets.subgraph (%a = %x, %b = %y, %c = %z) : (tensor<3x100xf32>, tensor<3x100xi32>, tensor<3x32xf32>) -> (tensor<3x1xf32>, tensor<3x1xi32>, tensor<3x1xf32>) {
    %0 = snippets.reduce_max %a {axes = array<i64: 1>, keep_dims} : (tensor<3x100xf32>) -> tensor<3x1xf32>
    %1 = snippets.reduce_sum %b {axes = array<i64: 1>, keep_dims} : (tensor<3x100xi32>) -> tensor<3x1xi32>
    %2 = snippets.reduce_sum %c {axes = array<i64: 1>, keep_dims} : (tensor<3x32xf32>) -> tensor<3x1xf32>
    snippets.yield %0, %1, %2 : tensor<3x1xf32>, tensor<3x1xi32>, tensor<3x1xf32>
  }
  func.return %r#0, %r#1, %r#2 : tensor<3x1xf32>, tensor<3x1xi32>, tensor<3x1xf32>
}
