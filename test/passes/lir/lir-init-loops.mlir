// RUN: snippets-opt %s -p 'convert-snippets-to-lir,lir-mark-loops{vector-size=8},lir-fuse-loops,lir-insert-load-store,lir-insert-broadcast-move,lir-init-loops' | filecheck %s

// Strides of a whole array, of a row that is repeated, and of a column of which one element fills the vector.
// CHECK: lir.load %a {{.*}} loops [0: dim 1 ptr 20 fin -80, 1: dim 0 ptr 1 fin -20]
// CHECK: lir.load %b {{.*}} loops [0: dim 1 fixed, 1: dim 0 ptr 1 fin -20]
// CHECK: lir.load %c {{.*}} loops [0: dim 1 ptr 1 fin -4, 1: dim 0 fixed]
// CHECK: lir.store {{.*}} loops [0: dim 1 ptr 20 fin -80, 1: dim 0 ptr 1 fin -20]
// Ports of values in registers move nothing.
// CHECK-NOT: snippets.add {{.*}} ptr
func.func @f(%x: tensor<4x20xf32>, %y: tensor<20xf32>, %z: tensor<4x1xf32>) -> tensor<4x20xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y, %c = %z) : (tensor<4x20xf32>, tensor<20xf32>, tensor<4x1xf32>) -> tensor<4x20xf32> {
    %0 = snippets.add %a, %b : (tensor<4x20xf32>, tensor<20xf32>) -> tensor<4x20xf32>
    %1 = snippets.add %0, %c : (tensor<4x20xf32>, tensor<4x1xf32>) -> tensor<4x20xf32>
    snippets.yield %1 : tensor<4x20xf32>
  }
  func.return %r : tensor<4x20xf32>
}
