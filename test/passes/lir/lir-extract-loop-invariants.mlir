// RUN: snippets-opt %s -p 'convert-snippets-to-lir,lir-mark-loops{vector-size=8},lir-reduce-decomposition,lir-fuse-loops,lir-extract-loop-invariants' --split-input-file | filecheck %s

// The square root of a sum is fused into the loop that divides by it, and moves out again.
// CHECK-LABEL: @row
// CHECK: loops [#lir.loop<0, work 3, inc 1, dim 1, parallel>, #lir.loop<1, work 100, inc 8, dim 0>, #lir.loop<2, work 100, inc 8, dim 0>]
// CHECK: lir.accumulate {{.*}} lir.loops = array<i64: 0, 1>
// CHECK: snippets.sqrt {{.*}} {lir.loops = array<i64: 0>
// CHECK: snippets.divide {{.*}} {lir.loops = array<i64: 0, 2>
func.func @row(%x: tensor<3x100xf32>) -> tensor<3x100xf32> {
  %r = snippets.subgraph (%a = %x) : (tensor<3x100xf32>) -> tensor<3x100xf32> {
    %0 = snippets.reduce_sum %a {axes = array<i64: 1>, keep_dims} : (tensor<3x100xf32>) -> tensor<3x1xf32>
    %1 = snippets.sqrt %0 : tensor<3x1xf32>
    %2 = snippets.divide %a, %1 : (tensor<3x100xf32>, tensor<3x1xf32>) -> tensor<3x100xf32>
    snippets.yield %2 : tensor<3x100xf32>
  }
  func.return %r : tensor<3x100xf32>
}

// -----

// A chain moves as a whole, in its order, and a loop of which nothing is left vanishes.
// CHECK-LABEL: @chain
// CHECK: loops [#lir.loop<0, work 3, inc 1, dim 1, parallel>, #lir.loop<1, work 100, inc 8, dim 0>]
// CHECK: lir.horizon
// CHECK-NEXT: snippets.sqrt {{.*}} {lir.loops = array<i64: 0>
// CHECK-NEXT: snippets.exp {{.*}} {lir.loops = array<i64: 0>
// CHECK-NEXT: lir.result
func.func @chain(%x: tensor<3x100xf32>) -> tensor<3x1xf32> {
  %r = snippets.subgraph (%a = %x) : (tensor<3x100xf32>) -> tensor<3x1xf32> {
    %0 = snippets.reduce_sum %a {axes = array<i64: 1>, keep_dims} : (tensor<3x100xf32>) -> tensor<3x1xf32>
    %1 = snippets.sqrt %0 : tensor<3x1xf32>
    %2 = snippets.exp %1 : tensor<3x1xf32>
    snippets.yield %2 : tensor<3x1xf32>
  }
  func.return %r : tensor<3x1xf32>
}

// -----

// Does not fire: %b changes along the inner loop, and the outer loop is parallel.
// CHECK-LABEL: @twin
// CHECK: snippets.exp %b {lir.loops = array<i64: 0, 1>
func.func @twin(%x: tensor<4x300xf32>, %y: tensor<1x300xf32>) -> tensor<4x300xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<4x300xf32>, tensor<1x300xf32>) -> tensor<4x300xf32> {
    %0 = snippets.exp %b : tensor<1x300xf32>
    %1 = snippets.add %a, %0 : (tensor<4x300xf32>, tensor<1x300xf32>) -> tensor<4x300xf32>
    snippets.yield %1 : tensor<4x300xf32>
  }
  func.return %r : tensor<4x300xf32>
}
