// RUN: snippets-opt %s -p convert-snippets-to-lir --split-input-file | filecheck %s

// A subgraph becomes a kernel and a call; ports are padded to the kernel's rank.
// CHECK-LABEL: func.func @fires
// CHECK: %r = lir.call @subgraph_0(%x, %y) : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
// CHECK: lir.kernel @subgraph_0 "linear" (%a: tensor<4x8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
// CHECK-NEXT: snippets.add %a, %b {lir.loops = array<i64>, lir.ports = [#lir.port<[4, 8]>, #lir.port<[1, 8]>, #lir.port<[4, 8]>]}
// CHECK-NEXT: lir.result {{.*}} {index = 0 : i64, lir.ports = [#lir.port<[4, 8]>]} : tensor<4x8xf32>
func.func @fires(%x: tensor<4x8xf32>, %y: tensor<8xf32>) -> tensor<4x8xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32> {
    %0 = snippets.add %a, %b : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
    snippets.yield %0 : tensor<4x8xf32>
  }
  func.return %r : tensor<4x8xf32>
}

// -----

// Subgraphs of equal structure share a kernel; a name is taken over.
// CHECK-LABEL: func.func @shared
// CHECK: lir.call @twice(
// CHECK: lir.call @twice(
// CHECK: lir.kernel @twice
// CHECK-NOT: lir.kernel
func.func @shared(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = snippets.subgraph (%a = %x) : (tensor<8xf32>) -> tensor<8xf32> attributes {sym_name = "twice"} {
    %1 = snippets.add %a, %a : tensor<8xf32>
    snippets.yield %1 : tensor<8xf32>
  }
  %2 = snippets.subgraph (%b = %0) : (tensor<8xf32>) -> tensor<8xf32> {
    %3 = snippets.add %b, %b : tensor<8xf32>
    snippets.yield %3 : tensor<8xf32>
  }
  func.return %2 : tensor<8xf32>
}

// -----

// Attributes are part of the structure: these two do not share.
// CHECK-LABEL: func.func @not_shared
// CHECK: lir.kernel @subgraph_0
// CHECK: lir.kernel @subgraph_1
func.func @not_shared(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = snippets.subgraph (%a = %x) : (tensor<8xf32>) -> tensor<8xf32> {
    %1 = snippets.elu %a {alpha = 1.0 : f32} : tensor<8xf32>
    snippets.yield %1 : tensor<8xf32>
  }
  %2 = snippets.subgraph (%b = %0) : (tensor<8xf32>) -> tensor<8xf32> {
    %3 = snippets.elu %b {alpha = 2.0 : f32} : tensor<8xf32>
    snippets.yield %3 : tensor<8xf32>
  }
  func.return %2 : tensor<8xf32>
}

// -----

// 0.0 and -0.0 are different constants: these two do not share.
// CHECK-LABEL: func.func @zeros
// CHECK: lir.call @subgraph_0(
// CHECK: lir.call @subgraph_1(
// CHECK: snippets.scalar 0.0
// CHECK: snippets.scalar -0.0
func.func @zeros(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = snippets.subgraph (%a = %x) : (tensor<8xf32>) -> tensor<8xf32> {
    %k = snippets.scalar 0.0 : f32
    %1 = snippets.maximum %a, %k : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
    snippets.yield %1 : tensor<8xf32>
  }
  %2 = snippets.subgraph (%b = %x) : (tensor<8xf32>) -> tensor<8xf32> {
    %k = snippets.scalar -0.0 : f32
    %3 = snippets.maximum %b, %k : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
    snippets.yield %3 : tensor<8xf32>
  }
  func.return %0, %2 : tensor<8xf32>, tensor<8xf32>
}

// -----

// Subgraphs that say different things about one op share a kernel, too.
// CHECK-LABEL: func.func @other_reason
// CHECK: lir.call @subgraph_0(
// CHECK: lir.call @subgraph_0(
// CHECK: lir.kernel @subgraph_0
// CHECK-NOT: lir.kernel
func.func @other_reason(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = snippets.subgraph (%a = %x) : (tensor<8xf32>) -> tensor<8xf32> {
    %1 = snippets.relu %a {snippets.reason = "alone"} : tensor<8xf32>
    snippets.yield %1 : tensor<8xf32>
  }
  %2 = snippets.subgraph (%b = %0) : (tensor<8xf32>) -> tensor<8xf32> {
    %3 = snippets.relu %b : tensor<8xf32>
    snippets.yield %3 : tensor<8xf32>
  }
  func.return %2 : tensor<8xf32>
}

// -----

// Bodies are equal, but one matrix is a constant that nothing else reads, which can be packed: these
// two do not share.
// CHECK-LABEL: func.func @constant_matrix
// CHECK: lir.call @subgraph_0(
// CHECK: lir.call @subgraph_1(
// CHECK: lir.kernel @subgraph_0
// CHECK: snippets.reduce_sum
// CHECK: lir.kernel @subgraph_1
// CHECK: lir.brgemm
func.func @constant_matrix(%x: tensor<1x16xf32>, %w: tensor<8x16xf32>) -> (tensor<1x8xf32>, tensor<1x8xf32>) {
  %c = snippets.constant dense<0.5> : tensor<8x16xf32>
  %0 = snippets.subgraph (%a = %x, %b = %w) : (tensor<1x16xf32>, tensor<8x16xf32>) -> tensor<1x8xf32> {
    %1 = snippets.matmul %a, %b {transpose_b} : (tensor<1x16xf32>, tensor<8x16xf32>) -> tensor<1x8xf32>
    snippets.yield %1 : tensor<1x8xf32>
  }
  %2 = snippets.subgraph (%d = %x, %e = %c) : (tensor<1x16xf32>, tensor<8x16xf32>) -> tensor<1x8xf32> {
    %3 = snippets.matmul %d, %e {transpose_b} : (tensor<1x16xf32>, tensor<8x16xf32>) -> tensor<1x8xf32>
    snippets.yield %3 : tensor<1x8xf32>
  }
  func.return %0, %2 : tensor<1x8xf32>, tensor<1x8xf32>
}

// -----

// What is yielded without being computed is copied by an op of the kernel.
// CHECK-LABEL: func.func @copied
// CHECK: lir.kernel @subgraph_0
// CHECK: snippets.broadcast %a
// CHECK: snippets.broadcast %k
// CHECK: index = 0
// CHECK: index = 1
func.func @copied(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<f32>) {
  %0, %1 = snippets.subgraph (%a = %x) : (tensor<8xf32>) -> (tensor<8xf32>, tensor<f32>) {
    %k = snippets.scalar 1.0 : f32
    snippets.yield %a, %k : tensor<8xf32>, tensor<f32>
  }
  func.return %0, %1 : tensor<8xf32>, tensor<f32>
}

// -----

// A reshape of a transposed input that is yielded: the copy stands between them.
// CHECK-LABEL: lir.kernel @reshaped_transpose
// CHECK-NEXT: %[[T:.*]] = snippets.transpose %a
// CHECK-NEXT: %[[N:.*]] = snippets.negative %[[T]]
// CHECK-NEXT: %[[C:.*]] = snippets.broadcast %[[T]] {{.*}}#lir.port<[5, 4, 3], layout [1, 0, 2]>, #lir.port<[5, 4, 3]>]
// CHECK-NEXT: %[[R:.*]] = snippets.reshape %[[C]]
// CHECK-NEXT: lir.result %[[R]]
func.func @copies(%x: tensor<4x5x3xf64>) -> (tensor<20x3xf64>, tensor<5x4x3xf64>) {
  %0, %1 = snippets.subgraph (%a = %x) : (tensor<4x5x3xf64>) -> (tensor<20x3xf64>, tensor<5x4x3xf64>) attributes {sym_name = "reshaped_transpose"} {
    %2 = snippets.transpose %a {permutation = array<i64: 1, 0, 2>} : (tensor<4x5x3xf64>) -> tensor<5x4x3xf64>
    %3 = snippets.reshape %2 : (tensor<5x4x3xf64>) -> tensor<20x3xf64>
    %4 = snippets.negative %2 : tensor<5x4x3xf64>
    snippets.yield %3, %4 : tensor<20x3xf64>, tensor<5x4x3xf64>
  }
  func.return %0, %1 : tensor<20x3xf64>, tensor<5x4x3xf64>
}

// -----

// Ops outside of subgraphs are left alone.
// CHECK-LABEL: func.func @does_not_fire
// CHECK: snippets.add
// CHECK-NOT: lir.
func.func @does_not_fire(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = snippets.add %x, %x : tensor<8xf32>
  func.return %0 : tensor<8xf32>
}

// -----

// A product has the dim of its sum before the last one, and what stands beside it gets that dim.
// CHECK-LABEL: @product
// CHECK: lir.kernel @subgraph_0 "linear"
// CHECK-NEXT: %[[A:.*]] = snippets.reshape {{.*}} : (tensor<4x6xf32>) -> tensor<4x6x1xf32>
// CHECK-NEXT: %[[R:.*]] = snippets.reshape {{.*}} : (tensor<5x6xf32>) -> tensor<5x1x6xf32>
// CHECK-NEXT: %[[B:.*]] = snippets.transpose %[[R]] {permutation = array<i64: 1, 2, 0>{{.*}} -> tensor<1x6x5xf32>
// CHECK-NEXT: %[[C:.*]] = lir.brgemm %[[A]], %[[B]] {lir.loops = array<i64>, lir.ports = [#lir.port<[4, 6, 1]>, #lir.port<[1, 6, 5], layout [2, 0, 1]>, #lir.port<[4, 1, 5]>]}
// CHECK-NEXT: %[[S:.*]] = snippets.add %[[C]], {{.*}} : (tensor<4x1x5xf32>, tensor<5xf32>) -> tensor<4x1x5xf32>
// CHECK-NEXT: snippets.reshape %[[S]] {{.*}} : (tensor<4x1x5xf32>) -> tensor<4x5xf32>
func.func @product(%x: tensor<4x6xf32>, %y: tensor<5x6xf32>, %z: tensor<5xf32>) -> tensor<4x5xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y, %c = %z) : (tensor<4x6xf32>, tensor<5x6xf32>, tensor<5xf32>) -> tensor<4x5xf32> {
    %0 = snippets.matmul %a, %b {transpose_b} : (tensor<4x6xf32>, tensor<5x6xf32>) -> tensor<4x5xf32>
    %1 = snippets.add %0, %c : (tensor<4x5xf32>, tensor<5xf32>) -> tensor<4x5xf32>
    snippets.yield %1 : tensor<4x5xf32>
  }
  func.return %r : tensor<4x5xf32>
}

// -----

// A product of one column is a sum along the vectors.
// CHECK-LABEL: @column
// CHECK: lir.kernel
// CHECK-NOT: lir.brgemm
// CHECK: snippets.multiply {{.*}} -> tensor<4x1x6xf32>
// CHECK-NEXT: snippets.reduce_sum {{.*}} -> tensor<4x1x1xf32>
func.func @column(%x: tensor<4x6xf32>, %y: tensor<6xf32>) -> tensor<4xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<4x6xf32>, tensor<6xf32>) -> tensor<4xf32> {
    %0 = snippets.matmul %a, %b : (tensor<4x6xf32>, tensor<6xf32>) -> tensor<4xf32>
    snippets.yield %0 : tensor<4xf32>
  }
  func.return %r : tensor<4xf32>
}

// -----

// So is one row and a transposed operand: terms lie side by side in both. The bias has the sum's dim last.
// CHECK-LABEL: @row
// CHECK: lir.kernel
// CHECK-NOT: lir.brgemm
// CHECK: snippets.multiply {{.*}} -> tensor<1x5x6xf32>
// CHECK-NEXT: %[[S:.*]] = snippets.reduce_sum {{.*}} -> tensor<1x5x1xf32>
// CHECK-NEXT: snippets.reshape {{.*}} : (tensor<5xf32>) -> tensor<5x1xf32>
// CHECK-NEXT: snippets.add %[[S]], {{.*}} : (tensor<1x5x1xf32>, tensor<5x1xf32>) -> tensor<1x5x1xf32>
func.func @row(%x: tensor<1x6xf32>, %y: tensor<5x6xf32>, %z: tensor<5xf32>) -> tensor<1x5xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y, %c = %z) : (tensor<1x6xf32>, tensor<5x6xf32>, tensor<5xf32>) -> tensor<1x5xf32> {
    %0 = snippets.matmul %a, %b {transpose_b} : (tensor<1x6xf32>, tensor<5x6xf32>) -> tensor<1x5xf32>
    %1 = snippets.add %0, %c : (tensor<1x5xf32>, tensor<5xf32>) -> tensor<1x5xf32>
    snippets.yield %1 : tensor<1x5xf32>
  }
  func.return %r : tensor<1x5xf32>
}

// -----

// Not if the operand is a matrix of constants, which become panels; but if its constants have two readers.
// CHECK-LABEL: @constant_row
// CHECK: lir.kernel
// CHECK: lir.brgemm {{.*}} -> tensor<1x1x5xf32>
// CHECK-NOT: snippets.reduce_sum
// CHECK: lir.kernel
// CHECK-NOT: lir.brgemm
// CHECK: snippets.reduce_sum {{.*}} -> tensor<1x4x1xf32>
func.func @constant_row(%x: tensor<1x6xf32>) -> (tensor<1x5xf32>, tensor<1x4xf32>, tensor<4x6xf32>) {
  %y = snippets.constant dense<2.0> : tensor<5x6xf32>
  %z = snippets.constant dense<3.0> : tensor<4x6xf32>
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<1x6xf32>, tensor<5x6xf32>) -> tensor<1x5xf32> {
    %0 = snippets.matmul %a, %b {transpose_b} : (tensor<1x6xf32>, tensor<5x6xf32>) -> tensor<1x5xf32>
    snippets.yield %0 : tensor<1x5xf32>
  }
  %s = snippets.subgraph (%a = %x, %b = %z) : (tensor<1x6xf32>, tensor<4x6xf32>) -> tensor<1x4xf32> {
    %0 = snippets.matmul %a, %b {transpose_b} : (tensor<1x6xf32>, tensor<4x6xf32>) -> tensor<1x4xf32>
    snippets.yield %0 : tensor<1x4xf32>
  }
  func.return %r, %s, %z : tensor<1x5xf32>, tensor<1x4xf32>, tensor<4x6xf32>
}

// -----

// A product reads parts of an array in place: the ports have its strides, in the order of the transpose.
// CHECK-LABEL: @parts
// CHECK: lir.kernel
// CHECK: %[[A:.*]] = snippets.reshape %a {{.*}} -> tensor<20x6x8x1xf32>
// CHECK-NEXT: %[[L:.*]] = snippets.slice %[[A]] {{.*}}starts = array<i64: 0, 0, 0, 0>{{.*}} -> tensor<20x3x8x1xf32>
// CHECK-NEXT: %[[Q:.*]] = snippets.transpose %[[L]] {{.*}} -> tensor<3x20x8x1xf32>
// CHECK: %[[R:.*]] = snippets.slice {{.*}}starts = array<i64: 0, 3, 0, 0>
// CHECK-NEXT: %[[K:.*]] = snippets.transpose %[[R]] {{.*}} -> tensor<3x1x8x20xf32>
// CHECK-NEXT: lir.brgemm %[[Q]], %[[K]] {{.*}}#lir.port<[3, 20, 8, 1], strides [8, 48, 1, 1]>, #lir.port<[3, 1, 8, 20], strides [8, {{[0-9]+}}, 1, 48]>
func.func @parts(%x: tensor<20x6x8xf32>) -> tensor<3x20x20xf32> {
  %r = snippets.subgraph (%a = %x) : (tensor<20x6x8xf32>) -> tensor<3x20x20xf32> {
    %0 = snippets.slice %a {starts = array<i64: 0, 0, 0>, steps = array<i64: 1, 1, 1>} : (tensor<20x6x8xf32>) -> tensor<20x3x8xf32>
    %1 = snippets.transpose %0 {permutation = array<i64: 1, 0, 2>} : (tensor<20x3x8xf32>) -> tensor<3x20x8xf32>
    %2 = snippets.slice %a {starts = array<i64: 0, 3, 0>, steps = array<i64: 1, 1, 1>} : (tensor<20x6x8xf32>) -> tensor<20x3x8xf32>
    %3 = snippets.transpose %2 {permutation = array<i64: 1, 0, 2>} : (tensor<20x3x8xf32>) -> tensor<3x20x8xf32>
    %4 = snippets.matmul %1, %3 {transpose_b} : (tensor<3x20x8xf32>, tensor<3x20x8xf32>) -> tensor<3x20x20xf32>
    snippets.yield %4 : tensor<3x20x20xf32>
  }
  func.return %r : tensor<3x20x20xf32>
}
