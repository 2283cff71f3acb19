// RUN: snippets-opt %s -p 'convert-snippets-to-lir,lir-mark-loops{vector-size=8},lir-fuse-loops,lir-insert-load-store,lir-insert-broadcast-move' --split-input-file | filecheck %s

// One move serves both readers.
// CHECK-LABEL: @fires
// CHECK: %[[L:[0-9]+]] = lir.load %b {count = 1 : i64
// CHECK: %[[M:[0-9]+]] = snippets.broadcast_move %[[L]] {{.*}} lir.ports = [#lir.port<[4, 1], sub [1]>, #lir.port<[4, 16], sub [8]>]
// CHECK: snippets.add {{.*}}, %[[M]]
// CHECK: snippets.multiply {{.*}}, %[[M]]
// CHECK-NOT: snippets.broadcast_move
func.func @fires(%x: tensor<4x16xf32>, %y: tensor<4x1xf32>) -> tensor<4x16xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<4x16xf32>, tensor<4x1xf32>) -> tensor<4x16xf32> {
    %0 = snippets.add %a, %b : (tensor<4x16xf32>, tensor<4x1xf32>) -> tensor<4x16xf32>
    %1 = snippets.multiply %0, %b : (tensor<4x16xf32>, tensor<4x1xf32>) -> tensor<4x16xf32>
    snippets.yield %1 : tensor<4x16xf32>
  }
  func.return %r : tensor<4x16xf32>
}

// -----

// Does not fire: a broadcast of an outer dim reads whole vectors, and a scalar fills its vector by itself.
// CHECK-LABEL: @twin
// CHECK: lir.kernel
// CHECK-NOT: snippets.broadcast_move
func.func @twin(%x: tensor<4x16xf32>, %y: tensor<16xf32>) -> tensor<4x16xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<4x16xf32>, tensor<16xf32>) -> tensor<4x16xf32> {
    %k = snippets.scalar 2.0 : f32
    %0 = snippets.add %a, %b : (tensor<4x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
    %1 = snippets.multiply %0, %k : (tensor<4x16xf32>, tensor<f32>) -> tensor<4x16xf32>
    snippets.yield %1 : tensor<4x16xf32>
  }
  func.return %r : tensor<4x16xf32>
}
