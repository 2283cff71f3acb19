// RUN: snippets-opt %s -p 'convert-snippets-to-lir,lir-mark-loops{vector-size=8},lir-fuse-loops,lir-insert-load-store,lir-init-loops,lir-insert-loops' --split-input-file | filecheck %s

// The outer loop begins first and ends last; scalars stay in front.
// CHECK-LABEL: @nest
// CHECK: lir.kernel @subgraph_0 "looped"
// CHECK-NEXT: snippets.scalar
// CHECK-NEXT: lir.loop_begin 0
// CHECK-NEXT: lir.loop_begin 1
// CHECK-NEXT: lir.load
// CHECK-NEXT: snippets.multiply
// CHECK-NEXT: lir.store
// CHECK-NEXT: lir.loop_end 1
// CHECK-NEXT: lir.loop_end 0
// CHECK-NEXT: lir.result
func.func @nest(%x: tensor<4x20xf32>) -> tensor<4x20xf32> {
  %r = snippets.subgraph (%a = %x) : (tensor<4x20xf32>) -> tensor<4x20xf32> {
    %k = snippets.scalar 2.0 : f32
    %0 = snippets.multiply %a, %k : (tensor<4x20xf32>, tensor<f32>) -> tensor<4x20xf32>
    snippets.yield %0 : tensor<4x20xf32>
  }
  func.return %r : tensor<4x20xf32>
}

// -----

// Two loops that were not fused follow each other.
// CHECK-LABEL: @two
// CHECK: lir.loop_begin 0
// CHECK: lir.loop_end 0
// CHECK-NEXT: lir.loop_begin 1
// CHECK: lir.loop_end 1
func.func @two(%x: tensor<16xf32>, %y: tensor<24xf32>) -> (tensor<16xf32>, tensor<24xf32>) {
  %r, %s = snippets.subgraph (%a = %x, %b = %y) : (tensor<16xf32>, tensor<24xf32>) -> (tensor<16xf32>, tensor<24xf32>) {
    %0 = snippets.relu %a : tensor<16xf32>
    %1 = snippets.abs %b : tensor<24xf32>
    snippets.yield %0, %1 : tensor<16xf32>, tensor<24xf32>
  }
  func.return %r, %s : tensor<16xf32>, tensor<24xf32>
}
