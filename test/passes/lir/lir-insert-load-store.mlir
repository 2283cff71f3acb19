// RUN: snippets-opt %s -p 'convert-snippets-to-lir,lir-mark-loops{vector-size=8},lir-fuse-loops,lir-insert-load-store' --split-input-file | filecheck %s
// RUN: not snippets-opt %s -p 'convert-snippets-to-lir,lir-insert-load-store' --split-input-file 2>&1 | filecheck %s --check-prefix=STAGE

// STAGE: error: {{.*}}expected @subgraph_0 at stage marked, found "linear"

// One load for both readers of the input, one store for each output, in the loops of their ops.
// CHECK-LABEL: @fires
// CHECK: lir.kernel @subgraph_0 "accessed"
// CHECK-NEXT: %[[L:[0-9]+]] = lir.load %a {count = 8 : i64
// CHECK-SAME: lir.loops = array<i64: 0>
// CHECK-NEXT: %[[M:[0-9]+]] = snippets.multiply %[[L]], %[[L]]
// CHECK-NEXT: %[[S:[0-9]+]] = lir.store %[[M]] {count = 8 : i64
// CHECK-NEXT: lir.result %[[S]] {index = 0 : i64
func.func @fires(%x: tensor<16xf32>) -> tensor<16xf32> {
  %r = snippets.subgraph (%a = %x) : (tensor<16xf32>) -> tensor<16xf32> {
    %0 = snippets.multiply %a, %a : tensor<16xf32>
    snippets.yield %0 : tensor<16xf32>
  }
  func.return %r : tensor<16xf32>
}

// -----

// The last dim has size 1: one element at a time. A value that is not an output is not stored.
// CHECK-LABEL: @single
// CHECK: lir.load %b {count = 1 : i64
// CHECK: lir.load %a {count = 8 : i64
// CHECK: lir.store {{.*}} {count = 8 : i64
// CHECK-NOT: lir.store
func.func @single(%x: tensor<4x16xf32>, %y: tensor<4x1xf32>) -> tensor<4x16xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<4x16xf32>, tensor<4x1xf32>) -> tensor<4x16xf32> {
    %0 = snippets.abs %b : tensor<4x1xf32>
    %1 = snippets.add %a, %0 : (tensor<4x16xf32>, tensor<4x1xf32>) -> tensor<4x16xf32>
    snippets.yield %1 : tensor<4x16xf32>
  }
  func.return %r : tensor<4x16xf32>
}

// -----

// A gather reads its index through a load, and the rows of the table at its value; no load of the
// table itself. Columns are in test/passes/lir/lir-gathers.mlir.
// CHECK-LABEL: @gathered
// CHECK: lir.kernel
// CHECK-NEXT: %[[I:.*]] = lir.load %b {count = 1 : i64
// CHECK-NEXT: %[[R:.*]] = lir.gather %a, %[[I]] {count = 8 : i64, limits = [3 : i64], steps = [16 : i64]
// CHECK-NOT: lir.load
// CHECK: lir.store
func.func @gathered(%x: tensor<4x16xf32>, %i: tensor<6xi64>) -> tensor<6x16xf32> {
  %r = snippets.subgraph (%a = %x, %b = %i) : (tensor<4x16xf32>, tensor<6xi64>) -> tensor<6x16xf32> {
    %0 = snippets.gather %a, %b {axis = 0 : i64} : (tensor<4x16xf32>, tensor<6xi64>) -> tensor<6x16xf32>
    %1 = snippets.abs %0 : tensor<6x16xf32>
    snippets.yield %1 : tensor<6x16xf32>
  }
  func.return %r : tensor<6x16xf32>
}
