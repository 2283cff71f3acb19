// RUN: snippets-opt %s -p 'convert-snippets-to-lir,lir-mark-loops{vector-size=8},lir-fuse-loops,lir-insert-load-store,lir-insert-broadcast-move,lir-load-move-broadcast-to-broadcast-load' --split-input-file | filecheck %s

// CHECK-LABEL: @fires
// CHECK: %[[B:[0-9]+]] = lir.broadcast_load %b {count = 1 : i64
// CHECK: snippets.add {{.*}}, %[[B]]
// CHECK-NOT: snippets.broadcast_move
func.func @fires(%x: tensor<4x16xf32>, %y: tensor<4x1xf32>) -> tensor<4x16xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<4x16xf32>, tensor<4x1xf32>) -> tensor<4x16xf32> {
    %0 = snippets.add %a, %b : (tensor<4x16xf32>, tensor<4x1xf32>) -> tensor<4x16xf32>
    snippets.yield %0 : tensor<4x16xf32>
  }
  func.return %r : tensor<4x16xf32>
}

// -----

// Does not fire: the single element is also needed by itself.
// CHECK-LABEL: @twin
// CHECK: lir.load %b {count = 1 : i64
// CHECK: snippets.broadcast_move
// CHECK-NOT: lir.broadcast_load
func.func @twin(%x: tensor<4x16xf32>, %y: tensor<4x1xf32>) -> tensor<4x16xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<4x16xf32>, tensor<4x1xf32>) -> tensor<4x16xf32> {
    %0 = snippets.add %a, %b : (tensor<4x16xf32>, tensor<4x1xf32>) -> tensor<4x16xf32>
    %1 = snippets.abs %b : tensor<4x1xf32>
    %2 = snippets.multiply %0, %1 : (tensor<4x16xf32>, tensor<4x1xf32>) -> tensor<4x16xf32>
    snippets.yield %2 : tensor<4x16xf32>
  }
  func.return %r : tensor<4x16xf32>
}
