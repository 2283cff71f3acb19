// RUN: snippets-opt %s -p convert-snippets-to-lir --split-input-file | filecheck %s

// An attention of one row: the scores are sums along the vectors, in the dims of the second product.
// CHECK-LABEL: @attention
// CHECK: lir.kernel
// CHECK: snippets.multiply {{.*}} -> tensor<2x1x7x4xf32>
// CHECK-NEXT: %[[S:.*]] = snippets.reduce_sum {{.*}} -> tensor<2x1x7x1xf32>
// CHECK-NEXT: %[[T:.*]] = snippets.transpose %[[S]] {permutation = array<i64: 0, 1, 3, 2>{{.*}} -> tensor<2x1x1x7xf32>
// CHECK: snippets.exp %[[T]] {{.*}} tensor<2x1x1x7xf32>
// CHECK: lir.brgemm {{.*}} -> tensor<2x1x1x5xf32>
// CHECK-NOT: lir.brgemm
func.func @attention(%q: tensor<2x1x4xf32>, %k: tensor<2x7x4xf32>, %v: tensor<2x7x5xf32>) -> tensor<2x1x5xf32> {
  %r = snippets.subgraph (%a = %q, %b = %k, %c = %v) : (tensor<2x1x4xf32>, tensor<2x7x4xf32>, tensor<2x7x5xf32>) -> tensor<2x1x5xf32> {
    %s = snippets.matmul %a, %b {transpose_b} : (tensor<2x1x4xf32>, tensor<2x7x4xf32>) -> tensor<2x1x7xf32>
    %e = snippets.exp %s : tensor<2x1x7xf32>
    %n = snippets.reduce_sum %e {axes = array<i64: 2>, keep_dims} : (tensor<2x1x7xf32>) -> tensor<2x1x1xf32>
    %p = snippets.divide %e, %n : (tensor<2x1x7xf32>, tensor<2x1x1xf32>) -> tensor<2x1x7xf32>
    %o = snippets.matmul %p, %c : (tensor<2x1x7xf32>, tensor<2x7x5xf32>) -> tensor<2x1x5xf32>
    snippets.yield %o : tensor<2x1x5xf32>
  }
  func.return %r : tensor<2x1x5xf32>
}

// -----

// Twin: the terms of the keys are not adjacent.
// CHECK-LABEL: @terms_first
// CHECK: lir.brgemm {{.*}} -> tensor<2x1x1x7xf32>
// CHECK: lir.brgemm {{.*}} -> tensor<2x1x1x5xf32>
func.func @terms_first(%q: tensor<2x1x4xf32>, %k: tensor<2x4x7xf32>, %v: tensor<2x7x5xf32>) -> tensor<2x1x5xf32> {
  %r = snippets.subgraph (%a = %q, %b = %k, %c = %v) : (tensor<2x1x4xf32>, tensor<2x4x7xf32>, tensor<2x7x5xf32>) -> tensor<2x1x5xf32> {
    %s = snippets.matmul %a, %b : (tensor<2x1x4xf32>, tensor<2x4x7xf32>) -> tensor<2x1x7xf32>
    %m = snippets.reduce_max %s {axes = array<i64: 2>, keep_dims} : (tensor<2x1x7xf32>) -> tensor<2x1x1xf32>
    %p = snippets.subtract %s, %m : (tensor<2x1x7xf32>, tensor<2x1x1xf32>) -> tensor<2x1x7xf32>
    %o = snippets.matmul %p, %c : (tensor<2x1x7xf32>, tensor<2x7x5xf32>) -> tensor<2x1x5xf32>
    snippets.yield %o : tensor<2x1x5xf32>
  }
  func.return %r : tensor<2x1x5xf32>
}

// -----

// Twin: products of one row side by side keep the dims of a sum along the vectors.
// CHECK-LABEL: @side_by_side
// CHECK: lir.kernel
// CHECK-NOT: lir.brgemm
// CHECK-NOT: snippets.transpose
func.func @side_by_side(%x: tensor<1x6xf32>, %y: tensor<5x6xf32>, %z: tensor<5x6xf32>) -> tensor<1x5xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y, %c = %z) : (tensor<1x6xf32>, tensor<5x6xf32>, tensor<5x6xf32>) -> tensor<1x5xf32> {
    %0 = snippets.matmul %a, %b {transpose_b} : (tensor<1x6xf32>, tensor<5x6xf32>) -> tensor<1x5xf32>
    %1 = snippets.matmul %a, %c {transpose_b} : (tensor<1x6xf32>, tensor<5x6xf32>) -> tensor<1x5xf32>
    %2 = snippets.multiply %0, %1 : tensor<1x5xf32>
    snippets.yield %2 : tensor<1x5xf32>
  }
  func.return %r : tensor<1x5xf32>
}
