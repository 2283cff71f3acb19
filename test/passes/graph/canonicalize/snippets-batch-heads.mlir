// RUN: snippets-opt %s -p snippets-batch-heads --check-each --split-input-file | filecheck %s

// As JAX writes it: 3 heads of queries share each of 2 heads of keys. What is transposed before the
// reshape of the queries is transposed once.
// CHECK-LABEL: func.func @shared(
// CHECK: %[[Q:.*]] = snippets.transpose %x {permutation = array<i64: 3, 0, 2, 1, 4>} : (tensor<2x9x2x3x4xf32>) -> tensor<3x2x2x9x4xf32>
// CHECK-NEXT: %[[K:.*]] = snippets.reshape %k : (tensor<2x2x7x4xf32>) -> tensor<1x2x2x7x4xf32>
// CHECK-NEXT: %[[S:.*]] = snippets.matmul %[[Q]], %[[K]] {transpose_b} : (tensor<3x2x2x9x4xf32>, tensor<1x2x2x7x4xf32>) -> tensor<3x2x2x9x7xf32>
// CHECK-NEXT: %[[T:.*]] = snippets.multiply %[[S]]
// CHECK-NEXT: %[[M:.*]] = snippets.add %[[T]], %m
// CHECK-NEXT: %[[P:.*]] = snippets.softmax %[[M]] {axis = 4 : i64} : tensor<3x2x2x9x7xf32>
// CHECK-NEXT: %[[V:.*]] = snippets.reshape %v : (tensor<2x2x7x5xf32>) -> tensor<1x2x2x7x5xf32>
// CHECK-NEXT: %[[O:.*]] = snippets.matmul %[[P]], %[[V]] : (tensor<3x2x2x9x7xf32>, tensor<1x2x2x7x5xf32>) -> tensor<3x2x2x9x5xf32>
// CHECK-NEXT: %[[R:.*]] = snippets.transpose %[[O]] {permutation = array<i64: 1, 2, 4, 0, 3>} : (tensor<3x2x2x9x5xf32>) -> tensor<2x2x5x3x9xf32>
// CHECK-NEXT: func.return %[[R]]
func.func @shared(%x: tensor<2x9x2x3x4xf32>, %k: tensor<2x2x7x4xf32>, %v: tensor<2x2x7x5xf32>, %m: tensor<9x7xf32>) -> tensor<2x2x5x3x9xf32> {
  %c = snippets.scalar 0.5 : f32
  %0 = snippets.transpose %x {permutation = array<i64: 0, 2, 1, 3, 4>} : (tensor<2x9x2x3x4xf32>) -> tensor<2x2x9x3x4xf32>
  %1 = snippets.reshape %0 : (tensor<2x2x9x3x4xf32>) -> tensor<2x2x27x4xf32>
  %s = snippets.matmul %1, %k {transpose_b} : (tensor<2x2x27x4xf32>, tensor<2x2x7x4xf32>) -> tensor<2x2x27x7xf32>
  %2 = snippets.multiply %s, %c : (tensor<2x2x27x7xf32>, tensor<f32>) -> tensor<2x2x27x7xf32>
  %3 = snippets.reshape %2 : (tensor<2x2x27x7xf32>) -> tensor<2x2x9x3x7xf32>
  %4 = snippets.transpose %3 {permutation = array<i64: 3, 0, 1, 2, 4>} : (tensor<2x2x9x3x7xf32>) -> tensor<3x2x2x9x7xf32>
  %5 = snippets.add %4, %m : (tensor<3x2x2x9x7xf32>, tensor<9x7xf32>) -> tensor<3x2x2x9x7xf32>
  %p = snippets.softmax %5 {axis = 4 : i64} : tensor<3x2x2x9x7xf32>
  %6 = snippets.transpose %p {permutation = array<i64: 1, 2, 4, 0, 3>} : (tensor<3x2x2x9x7xf32>) -> tensor<2x2x7x3x9xf32>
  %7 = snippets.reshape %6 : (tensor<2x2x7x3x9xf32>) -> tensor<2x2x7x27xf32>
  %o = snippets.matmul %v, %7 {transpose_a} : (tensor<2x2x7x5xf32>, tensor<2x2x7x27xf32>) -> tensor<2x2x5x27xf32>
  %8 = snippets.reshape %o : (tensor<2x2x5x27xf32>) -> tensor<2x2x5x3x9xf32>
  func.return %8 : tensor<2x2x5x3x9xf32>
}

// -----

// Queries that are not reshaped before, keys that are columns, one batch of 1, the other part as rows.
// CHECK-LABEL: func.func @columns(
// CHECK: %[[X:.*]] = snippets.reshape %q : (tensor<1x27x4xf32>) -> tensor<1x9x3x4xf32>
// CHECK-NEXT: %[[Q:.*]] = snippets.transpose %[[X]] {permutation = array<i64: 0, 1, 2, 3>}
// CHECK: %[[K:.*]] = snippets.reshape %k : (tensor<1x4x7xf32>) -> tensor<1x1x4x7xf32>
// CHECK-NEXT: snippets.matmul %{{.*}}, %[[K]] : (tensor<1x9x3x4xf32>, tensor<1x1x4x7xf32>) -> tensor<1x9x3x7xf32>
func.func @columns(%q: tensor<1x27x4xf32>, %k: tensor<1x4x7xf32>) -> tensor<1x9x3x7xf32> {
  %s = snippets.matmul %q, %k : (tensor<1x27x4xf32>, tensor<1x4x7xf32>) -> tensor<1x27x7xf32>
  %0 = snippets.reshape %s : (tensor<1x27x7xf32>) -> tensor<1x9x3x7xf32>
  %1 = snippets.transpose %0 {permutation = array<i64: 0, 1, 2, 3>} : tensor<1x9x3x7xf32>
  %p = snippets.softmax %1 {axis = 3 : i64} : tensor<1x9x3x7xf32>
  func.return %p : tensor<1x9x3x7xf32>
}

// -----

// Scores that stay: another op reads them; no softmax of rows; the batch becomes rows; two batch
// dims change places; the reshape breaks up rows; a mask is between; transposed queries.
// CHECK-LABEL: func.func @scores_stay(
// CHECK-COUNT-7: -> tensor<2x3x27x8xf32>
func.func @scores_stay(%q: tensor<2x3x27x4xf32>, %k: tensor<2x3x4x8xf32>, %t: tensor<2x3x4x27xf32>, %m: tensor<8xf32>) -> (tensor<2x3x27x8xf32>, tensor<3x2x3x9x8xf32>, tensor<3x2x3x9x8xf32>, tensor<9x2x3x3x8xf32>, tensor<3x3x2x9x8xf32>, tensor<6x2x3x9x4xf32>, tensor<3x2x3x9x8xf32>, tensor<3x2x3x9x8xf32>) {
  %a = snippets.matmul %q, %k : (tensor<2x3x27x4xf32>, tensor<2x3x4x8xf32>) -> tensor<2x3x27x8xf32>
  %a1 = snippets.reshape %a : (tensor<2x3x27x8xf32>) -> tensor<2x3x9x3x8xf32>
  %a2 = snippets.transpose %a1 {permutation = array<i64: 3, 0, 1, 2, 4>} : (tensor<2x3x9x3x8xf32>) -> tensor<3x2x3x9x8xf32>
  %a3 = snippets.softmax %a2 {axis = 4 : i64} : tensor<3x2x3x9x8xf32>
  %b = snippets.matmul %q, %k : (tensor<2x3x27x4xf32>, tensor<2x3x4x8xf32>) -> tensor<2x3x27x8xf32>
  %b1 = snippets.reshape %b : (tensor<2x3x27x8xf32>) -> tensor<2x3x9x3x8xf32>
  %b2 = snippets.transpose %b1 {permutation = array<i64: 3, 0, 1, 2, 4>} : (tensor<2x3x9x3x8xf32>) -> tensor<3x2x3x9x8xf32>
  %b3 = snippets.softmax %b2 {axis = 0 : i64} : tensor<3x2x3x9x8xf32>
  %c = snippets.matmul %q, %k : (tensor<2x3x27x4xf32>, tensor<2x3x4x8xf32>) -> tensor<2x3x27x8xf32>
  %c1 = snippets.reshape %c : (tensor<2x3x27x8xf32>) -> tensor<2x3x9x3x8xf32>
  %c2 = snippets.transpose %c1 {permutation = array<i64: 2, 0, 3, 1, 4>} : (tensor<2x3x9x3x8xf32>) -> tensor<9x2x3x3x8xf32>
  %c3 = snippets.softmax %c2 {axis = 4 : i64} : tensor<9x2x3x3x8xf32>
  %d = snippets.matmul %q, %k : (tensor<2x3x27x4xf32>, tensor<2x3x4x8xf32>) -> tensor<2x3x27x8xf32>
  %d1 = snippets.reshape %d : (tensor<2x3x27x8xf32>) -> tensor<2x3x9x3x8xf32>
  %d2 = snippets.transpose %d1 {permutation = array<i64: 3, 1, 0, 2, 4>} : (tensor<2x3x9x3x8xf32>) -> tensor<3x3x2x9x8xf32>
  %d3 = snippets.softmax %d2 {axis = 4 : i64} : tensor<3x3x2x9x8xf32>
  %e = snippets.matmul %q, %k : (tensor<2x3x27x4xf32>, tensor<2x3x4x8xf32>) -> tensor<2x3x27x8xf32>
  %e1 = snippets.reshape %e : (tensor<2x3x27x8xf32>) -> tensor<2x3x9x6x4xf32>
  %e2 = snippets.transpose %e1 {permutation = array<i64: 3, 0, 1, 2, 4>} : (tensor<2x3x9x6x4xf32>) -> tensor<6x2x3x9x4xf32>
  %e3 = snippets.softmax %e2 {axis = 4 : i64} : tensor<6x2x3x9x4xf32>
  %f = snippets.matmul %q, %k : (tensor<2x3x27x4xf32>, tensor<2x3x4x8xf32>) -> tensor<2x3x27x8xf32>
  %f0 = snippets.add %f, %m : (tensor<2x3x27x8xf32>, tensor<8xf32>) -> tensor<2x3x27x8xf32>
  %f1 = snippets.reshape %f0 : (tensor<2x3x27x8xf32>) -> tensor<2x3x9x3x8xf32>
  %f2 = snippets.transpose %f1 {permutation = array<i64: 3, 0, 1, 2, 4>} : (tensor<2x3x9x3x8xf32>) -> tensor<3x2x3x9x8xf32>
  %f3 = snippets.softmax %f2 {axis = 4 : i64} : tensor<3x2x3x9x8xf32>
  %g = snippets.matmul %t, %k {transpose_a} : (tensor<2x3x4x27xf32>, tensor<2x3x4x8xf32>) -> tensor<2x3x27x8xf32>
  %g1 = snippets.reshape %g : (tensor<2x3x27x8xf32>) -> tensor<2x3x9x3x8xf32>
  %g2 = snippets.transpose %g1 {permutation = array<i64: 3, 0, 1, 2, 4>} : (tensor<2x3x9x3x8xf32>) -> tensor<3x2x3x9x8xf32>
  %g3 = snippets.softmax %g2 {axis = 4 : i64} : tensor<3x2x3x9x8xf32>
  func.return %a, %a3, %b3, %c3, %d3, %e3, %f3, %g3 : tensor<2x3x27x8xf32>, tensor<3x2x3x9x8xf32>, tensor<3x2x3x9x8xf32>, tensor<9x2x3x3x8xf32>, tensor<3x3x2x9x8xf32>, tensor<6x2x3x9x4xf32>, tensor<3x2x3x9x8xf32>, tensor<3x2x3x9x8xf32>
}

// -----

// Results that stay: the terms are merged, too; rows are a batch; no softmax; along another dim.
// CHECK-LABEL: func.func @results_stay(
// CHECK: snippets.matmul %v, %{{.*}} : (tensor<2x5x21xf32>, tensor<2x21x9xf32>)
// CHECK: snippets.matmul %w, %{{.*}} : (tensor<9x5x7xf32>, tensor<9x7x6xf32>)
// CHECK: snippets.matmul %u, %{{.*}} : (tensor<2x5x7xf32>, tensor<2x7x27xf32>)
// CHECK: snippets.matmul %u, %{{.*}} : (tensor<2x5x7xf32>, tensor<2x7x27xf32>)
func.func @results_stay(%x: tensor<3x2x9x7xf32>, %v: tensor<2x5x21xf32>, %w: tensor<9x5x7xf32>, %u: tensor<2x5x7xf32>) -> (tensor<2x5x9xf32>, tensor<9x5x6xf32>, tensor<2x5x27xf32>, tensor<2x5x27xf32>) {
  %p = snippets.softmax %x {axis = 3 : i64} : tensor<3x2x9x7xf32>
  %a = snippets.transpose %p {permutation = array<i64: 1, 0, 3, 2>} : (tensor<3x2x9x7xf32>) -> tensor<2x3x7x9xf32>
  %a1 = snippets.reshape %a : (tensor<2x3x7x9xf32>) -> tensor<2x21x9xf32>
  %a2 = snippets.matmul %v, %a1 : (tensor<2x5x21xf32>, tensor<2x21x9xf32>) -> tensor<2x5x9xf32>
  %b = snippets.transpose %p {permutation = array<i64: 2, 3, 0, 1>} : (tensor<3x2x9x7xf32>) -> tensor<9x7x3x2xf32>
  %b1 = snippets.reshape %b : (tensor<9x7x3x2xf32>) -> tensor<9x7x6xf32>
  %b2 = snippets.matmul %w, %b1 : (tensor<9x5x7xf32>, tensor<9x7x6xf32>) -> tensor<9x5x6xf32>
  %c = snippets.transpose %x {permutation = array<i64: 1, 3, 0, 2>} : (tensor<3x2x9x7xf32>) -> tensor<2x7x3x9xf32>
  %c1 = snippets.reshape %c : (tensor<2x7x3x9xf32>) -> tensor<2x7x27xf32>
  %c2 = snippets.matmul %u, %c1 : (tensor<2x5x7xf32>, tensor<2x7x27xf32>) -> tensor<2x5x27xf32>
  %p1 = snippets.softmax %x {axis = 2 : i64} : tensor<3x2x9x7xf32>
  %d = snippets.transpose %p1 {permutation = array<i64: 1, 3, 0, 2>} : (tensor<3x2x9x7xf32>) -> tensor<2x7x3x9xf32>
  %d1 = snippets.reshape %d : (tensor<2x7x3x9xf32>) -> tensor<2x7x27xf32>
  %d2 = snippets.matmul %u, %d1 : (tensor<2x5x7xf32>, tensor<2x7x27xf32>) -> tensor<2x5x27xf32>
  func.return %a2, %b2, %c2, %d2 : tensor<2x5x9xf32>, tensor<9x5x6xf32>, tensor<2x5x27xf32>, tensor<2x5x27xf32>
}

// -----

// A dim of unknown size; products that are skipped.
// CHECK-LABEL: func.func @unknown(
// CHECK: snippets.matmul %q, %k : (tensor<2x27x?xf32>
// CHECK: snippets.matmul %{{.*}} : (tensor<2x27x4xf32>, tensor<2x4x?xf32>) -> tensor<2x27x?xf32>
// CHECK: snippets.transpose %{{.*}} {permutation = array<i64: 2, 0, 1, 3>, snippets.skipped}
func.func @unknown(%q: tensor<2x27x?xf32>, %k: tensor<2x?x7xf32>, %x: tensor<2x27x4xf32>, %y: tensor<2x4x?xf32>, %z: tensor<2x4x7xf32>) -> (tensor<3x2x9x7xf32>, tensor<3x2x9x?xf32>, tensor<3x2x9x7xf32>) {
  %a = snippets.matmul %q, %k : (tensor<2x27x?xf32>, tensor<2x?x7xf32>) -> tensor<2x27x7xf32>
  %a1 = snippets.reshape %a : (tensor<2x27x7xf32>) -> tensor<2x9x3x7xf32>
  %a2 = snippets.transpose %a1 {permutation = array<i64: 2, 0, 1, 3>} : (tensor<2x9x3x7xf32>) -> tensor<3x2x9x7xf32>
  %a3 = snippets.softmax %a2 {axis = 3 : i64} : tensor<3x2x9x7xf32>
  %b = snippets.matmul %x, %y : (tensor<2x27x4xf32>, tensor<2x4x?xf32>) -> tensor<2x27x?xf32>
  %b1 = snippets.reshape %b : (tensor<2x27x?xf32>) -> tensor<2x9x3x?xf32>
  %b2 = snippets.transpose %b1 {permutation = array<i64: 2, 0, 1, 3>} : (tensor<2x9x3x?xf32>) -> tensor<3x2x9x?xf32>
  %b3 = snippets.softmax %b2 {axis = 3 : i64} : tensor<3x2x9x?xf32>
  %c = snippets.matmul %x, %z : (tensor<2x27x4xf32>, tensor<2x4x7xf32>) -> tensor<2x27x7xf32>
  %c1 = snippets.reshape %c : (tensor<2x27x7xf32>) -> tensor<2x9x3x7xf32>
  %c2 = snippets.transpose %c1 {permutation = array<i64: 2, 0, 1, 3>, snippets.skipped} : (tensor<2x9x3x7xf32>) -> tensor<3x2x9x7xf32>
  %c3 = snippets.softmax %c2 {axis = 3 : i64} : tensor<3x2x9x7xf32>
  func.return %a3, %b3, %c3 : tensor<3x2x9x7xf32>, tensor<3x2x9x?xf32>, tensor<3x2x9x7xf32>
}

// -----

// A row has no rows that are batches; the product is skipped, or its scale.
// CHECK-LABEL: func.func @others(
// CHECK: snippets.matmul %v, %m : (tensor<4xf32>, tensor<4x7xf32>) -> tensor<7xf32>
// CHECK-COUNT-2: snippets.matmul %x, %z {{.*}}-> tensor<2x27x7xf32>
func.func @others(%v: tensor<4xf32>, %m: tensor<4x7xf32>, %x: tensor<2x27x4xf32>, %z: tensor<2x4x7xf32>) -> (tensor<1x1x1x7xf32>, tensor<3x2x9x7xf32>, tensor<3x2x9x7xf32>) {
  %c = snippets.scalar 0.5 : f32
  %a = snippets.matmul %v, %m : (tensor<4xf32>, tensor<4x7xf32>) -> tensor<7xf32>
  %a1 = snippets.reshape %a : (tensor<7xf32>) -> tensor<1x1x1x7xf32>
  %a2 = snippets.transpose %a1 {permutation = array<i64: 2, 0, 1, 3>} : tensor<1x1x1x7xf32>
  %a3 = snippets.softmax %a2 {axis = 3 : i64} : tensor<1x1x1x7xf32>
  %b = snippets.matmul %x, %z {snippets.skipped} : (tensor<2x27x4xf32>, tensor<2x4x7xf32>) -> tensor<2x27x7xf32>
  %b1 = snippets.reshape %b : (tensor<2x27x7xf32>) -> tensor<2x9x3x7xf32>
  %b2 = snippets.transpose %b1 {permutation = array<i64: 2, 0, 1, 3>} : (tensor<2x9x3x7xf32>) -> tensor<3x2x9x7xf32>
  %b3 = snippets.softmax %b2 {axis = 3 : i64} : tensor<3x2x9x7xf32>
  %d = snippets.matmul %x, %z : (tensor<2x27x4xf32>, tensor<2x4x7xf32>) -> tensor<2x27x7xf32>
  %d0 = snippets.multiply %d, %c {snippets.skipped} : (tensor<2x27x7xf32>, tensor<f32>) -> tensor<2x27x7xf32>
  %d1 = snippets.reshape %d0 : (tensor<2x27x7xf32>) -> tensor<2x9x3x7xf32>
  %d2 = snippets.transpose %d1 {permutation = array<i64: 2, 0, 1, 3>} : (tensor<2x9x3x7xf32>) -> tensor<3x2x9x7xf32>
  %d3 = snippets.softmax %d2 {axis = 3 : i64} : tensor<3x2x9x7xf32>
  func.return %a3, %b3, %d3 : tensor<1x1x1x7xf32>, tensor<3x2x9x7xf32>, tensor<3x2x9x7xf32>
}
