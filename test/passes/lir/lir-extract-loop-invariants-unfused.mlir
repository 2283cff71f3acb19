// RUN: snippets-opt %s -p 'convert-snippets-to-lir,lir-mark-loops{vector-size=8},lir-reduce-decomposition,lir-extract-loop-invariants' --split-input-file | filecheck %s

// Scalars, which are in no loop, stand between the ops of a loop: each op moves, in its order.
// CHECK-LABEL: @chain
// CHECK: lir.horizon
// CHECK: snippets.multiply {{.*}} {lir.loops = array<i64: 2>
// CHECK: snippets.add {{.*}} {lir.loops = array<i64: 2>
// CHECK: snippets.sqrt {{.*}} {lir.loops = array<i64: 2>
// CHECK: snippets.divide {{.*}} {lir.loops = array<i64: 2, 3>
func.func @chain(%x: tensor<3x100xf32>) -> tensor<3x100xf32> {
  %r = snippets.subgraph (%a = %x) : (tensor<3x100xf32>) -> tensor<3x100xf32> {
    %0 = snippets.reduce_sum %a {axes = array<i64: 1>, keep_dims} : (tensor<3x100xf32>) -> tensor<3x1xf32>
    %c = snippets.scalar 2.0 : f32
    %1 = snippets.multiply %0, %c : (tensor<3x1xf32>, tensor<f32>) -> tensor<3x1xf32>
    %d = snippets.scalar 3.0 : f32
    %2 = snippets.add %1, %d : (tensor<3x1xf32>, tensor<f32>) -> tensor<3x1xf32>
    %3 = snippets.sqrt %2 : tensor<3x1xf32>
    %4 = snippets.divide %a, %3 : (tensor<3x100xf32>, tensor<3x1xf32>) -> tensor<3x100xf32>
    snippets.yield %4 : tensor<3x100xf32>
  }
  func.return %r : tensor<3x100xf32>
}
