// RUN: snippets-opt %s -p snippets-turn-products --verify-each --split-input-file | filecheck %s

// Three heads of one row share keys: they are rows, and the mask for all heads stays.
// CHECK-LABEL: func.func @rows(
// CHECK-NEXT: %[[Q:.*]] = snippets.transpose %q {permutation = array<i64: 2, 1, 0, 3>} : (tensor<3x2x1x4xf32>) -> tensor<1x2x3x4xf32>
// CHECK-NEXT: %[[S:.*]] = snippets.matmul %[[Q]], %k {transpose_b} {{.*}} -> tensor<1x2x3x?xf32, #lir.sizes<?0>>
// CHECK-NEXT: %[[A:.*]] = snippets.add %[[S]], %m
// CHECK-NEXT: %[[P:.*]] = snippets.softmax %[[A]] {axis = 3 : i64} : tensor<1x2x3x?xf32
// CHECK-NEXT: %[[O:.*]] = snippets.matmul %[[P]], %v {{.*}} -> tensor<1x2x3x5xf32>
// CHECK-NEXT: %[[T:.*]] = snippets.transpose %[[O]] {permutation = array<i64: 2, 1, 0, 3>} : (tensor<1x2x3x5xf32>) -> tensor<3x2x1x5xf32>
// CHECK-NEXT: return %[[T]]
func.func @rows(%q: tensor<3x2x1x4xf32>, %k: tensor<2x?x4xf32, #lir.sizes<?0>>, %v: tensor<1x2x?x5xf32, #lir.sizes<?0>>, %m: tensor<2x1x?xf32, #lir.sizes<?0>>) -> tensor<3x2x1x5xf32> {
  %0 = snippets.matmul %q, %k {transpose_b} : (tensor<3x2x1x4xf32>, tensor<2x?x4xf32, #lir.sizes<?0>>) -> tensor<3x2x1x?xf32, #lir.sizes<?0>>
  %1 = snippets.add %0, %m : (tensor<3x2x1x?xf32, #lir.sizes<?0>>, tensor<2x1x?xf32, #lir.sizes<?0>>) -> tensor<3x2x1x?xf32, #lir.sizes<?0>>
  %2 = snippets.softmax %1 {axis = 3 : i64} : tensor<3x2x1x?xf32, #lir.sizes<?0>>
  %3 = snippets.matmul %2, %v : (tensor<3x2x1x?xf32, #lir.sizes<?0>>, tensor<1x2x?x5xf32, #lir.sizes<?0>>) -> tensor<3x2x1x5xf32>
  func.return %3 : tensor<3x2x1x5xf32>
}

// -----

// Twins: two heads; two rows; values of their own for each head.
// CHECK-LABEL: func.func @others(
// CHECK-NOT: snippets.transpose
func.func @others(%a: tensor<2x2x1x4xf32>, %b: tensor<3x2x2x4xf32>, %c: tensor<3x2x1x4xf32>, %k: tensor<1x2x7x4xf32>, %v: tensor<1x2x7x5xf32>, %w: tensor<3x2x7x5xf32>) -> (tensor<2x2x1x5xf32>, tensor<3x2x2x5xf32>, tensor<3x2x1x5xf32>) {
  %0 = snippets.matmul %a, %k {transpose_b} : (tensor<2x2x1x4xf32>, tensor<1x2x7x4xf32>) -> tensor<2x2x1x7xf32>
  %1 = snippets.softmax %0 {axis = 3 : i64} : tensor<2x2x1x7xf32>
  %2 = snippets.matmul %1, %v : (tensor<2x2x1x7xf32>, tensor<1x2x7x5xf32>) -> tensor<2x2x1x5xf32>
  %3 = snippets.matmul %b, %k {transpose_b} : (tensor<3x2x2x4xf32>, tensor<1x2x7x4xf32>) -> tensor<3x2x2x7xf32>
  %4 = snippets.softmax %3 {axis = 3 : i64} : tensor<3x2x2x7xf32>
  %5 = snippets.matmul %4, %v : (tensor<3x2x2x7xf32>, tensor<1x2x7x5xf32>) -> tensor<3x2x2x5xf32>
  %6 = snippets.matmul %c, %k {transpose_b} : (tensor<3x2x1x4xf32>, tensor<1x2x7x4xf32>) -> tensor<3x2x1x7xf32>
  %7 = snippets.softmax %6 {axis = 3 : i64} : tensor<3x2x1x7xf32>
  %8 = snippets.matmul %7, %w : (tensor<3x2x1x7xf32>, tensor<3x2x7x5xf32>) -> tensor<3x2x1x5xf32>
  func.return %2, %5, %8 : tensor<2x2x1x5xf32>, tensor<3x2x2x5xf32>, tensor<3x2x1x5xf32>
}

// -----

// Twins: a mask for each head; scores that are a result; a softmax along the heads.
// CHECK-LABEL: func.func @between(
// CHECK-NOT: snippets.transpose
func.func @between(%q: tensor<3x2x1x4xf32>, %k: tensor<1x2x7x4xf32>, %v: tensor<1x2x7x5xf32>, %m: tensor<3x1x1x7xf32>) -> (tensor<3x2x1x5xf32>, tensor<3x2x1x5xf32>, tensor<3x2x1x7xf32>, tensor<3x2x1x5xf32>) {
  %0 = snippets.matmul %q, %k {transpose_b} : (tensor<3x2x1x4xf32>, tensor<1x2x7x4xf32>) -> tensor<3x2x1x7xf32>
  %1 = snippets.add %0, %m : (tensor<3x2x1x7xf32>, tensor<3x1x1x7xf32>) -> tensor<3x2x1x7xf32>
  %2 = snippets.softmax %1 {axis = 3 : i64} : tensor<3x2x1x7xf32>
  %3 = snippets.matmul %2, %v : (tensor<3x2x1x7xf32>, tensor<1x2x7x5xf32>) -> tensor<3x2x1x5xf32>
  %4 = snippets.matmul %q, %k {transpose_b} : (tensor<3x2x1x4xf32>, tensor<1x2x7x4xf32>) -> tensor<3x2x1x7xf32>
  %5 = snippets.softmax %4 {axis = 3 : i64} : tensor<3x2x1x7xf32>
  %6 = snippets.matmul %5, %v : (tensor<3x2x1x7xf32>, tensor<1x2x7x5xf32>) -> tensor<3x2x1x5xf32>
  %7 = snippets.matmul %q, %k {transpose_b} : (tensor<3x2x1x4xf32>, tensor<1x2x7x4xf32>) -> tensor<3x2x1x7xf32>
  %8 = snippets.softmax %7 {axis = 0 : i64} : tensor<3x2x1x7xf32>
  %9 = snippets.matmul %8, %v : (tensor<3x2x1x7xf32>, tensor<1x2x7x5xf32>) -> tensor<3x2x1x5xf32>
  func.return %3, %6, %5, %9 : tensor<3x2x1x5xf32>, tensor<3x2x1x5xf32>, tensor<3x2x1x7xf32>, tensor<3x2x1x5xf32>
}

// -----

// The diagonal of one row is not that of a row for each head.
// CHECK-LABEL: func.func @diagonal(
// CHECK: snippets.matmul %{{.*}}, %k {transpose_b} : (tensor<1x3x4xf32>, tensor<1x7x4xf32>) -> tensor<1x3x7xf32>
func.func @diagonal(%q: tensor<3x1x4xf32>, %k: tensor<1x7x4xf32>, %v: tensor<1x7x5xf32>) -> tensor<3x1x5xf32> {
  %s = snippets.matmul %q, %k {transpose_b, snippets.diagonal = 0 : i64} : (tensor<3x1x4xf32>, tensor<1x7x4xf32>) -> tensor<3x1x7xf32>
  %p = snippets.softmax %s {axis = 2 : i64} : tensor<3x1x7xf32>
  %o = snippets.matmul %p, %v : (tensor<3x1x7xf32>, tensor<1x7x5xf32>) -> tensor<3x1x5xf32>
  func.return %o : tensor<3x1x5xf32>
}
