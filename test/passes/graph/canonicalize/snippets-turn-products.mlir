// RUN: snippets-opt %s -p snippets-turn-products --check-each --split-input-file | filecheck %s

// V^T P^T, where the result is transposed back.
// CHECK-LABEL: func.func @back(
// CHECK: %[[S:.*]] = snippets.matmul %q, %k {transpose_b}
// CHECK-NEXT: %[[P:.*]] = snippets.softmax %[[S]]
// CHECK-NEXT: %[[O:.*]] = snippets.matmul %[[P]], %v : (tensor<2x9x7xf32>, tensor<2x7x5xf32>) -> tensor<2x9x5xf32>
// CHECK-NEXT: func.return %[[O]]
func.func @back(%q: tensor<2x9x4xf32>, %k: tensor<2x7x4xf32>, %v: tensor<2x7x5xf32>) -> tensor<2x9x5xf32> {
  %s = snippets.matmul %q, %k {transpose_b} : (tensor<2x9x4xf32>, tensor<2x7x4xf32>) -> tensor<2x9x7xf32>
  %p = snippets.softmax %s {axis = 2 : i64} : tensor<2x9x7xf32>
  %o = snippets.matmul %v, %p {transpose_a, transpose_b} : (tensor<2x7x5xf32>, tensor<2x9x7xf32>) -> tensor<2x5x9xf32>
  %t = snippets.transpose %o {permutation = array<i64: 0, 2, 1>} : (tensor<2x5x9xf32>) -> tensor<2x9x5xf32>
  func.return %t : tensor<2x9x5xf32>
}

// -----

// A transpose of its own, a scale and a mask before the softmax, a select after it, sizes of the call.
// CHECK-LABEL: func.func @between(
// CHECK: %[[P:.*]] = snippets.select
// CHECK-NEXT: %[[O:.*]] = snippets.matmul %[[P]], %v {transpose_b} : (tensor<?x?xf32>, tensor<5x?xf32>) -> tensor<?x5xf32>
// CHECK-NEXT: %[[T:.*]] = snippets.transpose %[[O]] {permutation = array<i64: 1, 0>}
// CHECK-NEXT: func.return %[[T]]
func.func @between(%q: tensor<?x4xf32>, %k: tensor<?x4xf32>, %v: tensor<5x?xf32>, %m: tensor<?x?xf32>, %b: tensor<?x?xi1>) -> tensor<5x?xf32> {
  %c = snippets.scalar 0.5 : f32
  %z = snippets.scalar 0.0 : f32
  %s = snippets.matmul %q, %k {transpose_b} : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x?xf32>
  %0 = snippets.multiply %s, %c : (tensor<?x?xf32>, tensor<f32>) -> tensor<?x?xf32>
  %1 = snippets.add %0, %m : tensor<?x?xf32>
  %p = snippets.softmax %1 {axis = 1 : i64} : tensor<?x?xf32>
  %2 = snippets.select %b, %p, %z : (tensor<?x?xi1>, tensor<?x?xf32>, tensor<f32>) -> tensor<?x?xf32>
  %t = snippets.transpose %2 {permutation = array<i64: 1, 0>} : tensor<?x?xf32>
  %o = snippets.matmul %v, %t : (tensor<5x?xf32>, tensor<?x?xf32>) -> tensor<5x?xf32>
  func.return %o : tensor<5x?xf32>
}

// -----

// The result gets a dim of 1, is transposed, and loses the dim: one transpose.
// CHECK-LABEL: func.func @ones(
// CHECK: %[[O:.*]] = snippets.matmul %{{.*}}, %v {transpose_b} : (tensor<2x9x7xf32>, tensor<2x5x7xf32>) -> tensor<2x9x5xf32>
// CHECK-NEXT: %[[T:.*]] = snippets.transpose %[[O]] {permutation = array<i64: 1, 0, 2>} : (tensor<2x9x5xf32>) -> tensor<9x2x5xf32>
// CHECK-NEXT: func.return %[[T]]
func.func @ones(%q: tensor<2x9x4xf32>, %k: tensor<2x7x4xf32>, %v: tensor<2x5x7xf32>) -> tensor<9x2x5xf32> {
  %s = snippets.matmul %q, %k {transpose_b} : (tensor<2x9x4xf32>, tensor<2x7x4xf32>) -> tensor<2x9x7xf32>
  %p = snippets.softmax %s {axis = 2 : i64} : tensor<2x9x7xf32>
  %o = snippets.matmul %v, %p {transpose_b} : (tensor<2x5x7xf32>, tensor<2x9x7xf32>) -> tensor<2x5x9xf32>
  %1 = snippets.reshape %o : (tensor<2x5x9xf32>) -> tensor<2x5x1x9xf32>
  %2 = snippets.transpose %1 {permutation = array<i64: 3, 0, 2, 1>} : (tensor<2x5x1x9xf32>) -> tensor<9x2x1x5xf32>
  %3 = snippets.reshape %2 : (tensor<9x2x1x5xf32>) -> tensor<9x2x5xf32>
  func.return %3 : tensor<9x2x5xf32>
}

// -----

// (K Q^T)^T, with a mask before the softmax.
// CHECK-LABEL: func.func @scores(
// CHECK-NEXT: %[[S:.*]] = snippets.matmul %q, %k : (tensor<9x4xf32>, tensor<4x7xf32>) -> tensor<9x7xf32>
// CHECK-NEXT: snippets.add %[[S]], %m
func.func @scores(%q: tensor<9x4xf32>, %k: tensor<4x7xf32>, %m: tensor<7xf32>) -> tensor<9x7xf32> {
  %s = snippets.matmul %k, %q {transpose_a, transpose_b} : (tensor<4x7xf32>, tensor<9x4xf32>) -> tensor<7x9xf32>
  %t = snippets.transpose %s {permutation = array<i64: 1, 0>} : (tensor<7x9xf32>) -> tensor<9x7xf32>
  %0 = snippets.add %t, %m : (tensor<9x7xf32>, tensor<7xf32>) -> tensor<9x7xf32>
  %p = snippets.softmax %0 {axis = 1 : i64} : tensor<9x7xf32>
  func.return %p : tensor<9x7xf32>
}

// -----

// The sum does not run along the softmax: the right operand is not transposed, or the softmax is
// along the other dim.
// CHECK-LABEL: func.func @other_dims(
// CHECK: snippets.matmul %v, %{{.*}} : (tensor<5x7xf32>, tensor<7x7xf32>)
// CHECK: snippets.matmul %v, %{{.*}} {transpose_b}
// CHECK-NEXT: func.return
func.func @other_dims(%q: tensor<7x4xf32>, %k: tensor<7x4xf32>, %v: tensor<5x7xf32>) -> (tensor<5x7xf32>, tensor<5x7xf32>) {
  %s = snippets.matmul %q, %k {transpose_b} : (tensor<7x4xf32>, tensor<7x4xf32>) -> tensor<7x7xf32>
  %p = snippets.softmax %s {axis = 1 : i64} : tensor<7x7xf32>
  %o = snippets.matmul %v, %p : (tensor<5x7xf32>, tensor<7x7xf32>) -> tensor<5x7xf32>
  %s1 = snippets.matmul %k, %q {transpose_b} : (tensor<7x4xf32>, tensor<7x4xf32>) -> tensor<7x7xf32>
  %p1 = snippets.softmax %s1 {axis = 0 : i64} : tensor<7x7xf32>
  %o1 = snippets.matmul %v, %p1 {transpose_b} : (tensor<5x7xf32>, tensor<7x7xf32>) -> tensor<5x7xf32>
  func.return %o, %o1 : tensor<5x7xf32>, tensor<5x7xf32>
}

// -----

// The transpose of the probabilities moves the batch, too.
// CHECK-LABEL: func.func @batch_moves(
// CHECK: snippets.transpose
// CHECK-NEXT: snippets.matmul %v
func.func @batch_moves(%q: tensor<2x9x4xf32>, %k: tensor<2x7x4xf32>, %v: tensor<9x5x7xf32>) -> tensor<9x5x2xf32> {
  %s = snippets.matmul %q, %k {transpose_b} : (tensor<2x9x4xf32>, tensor<2x7x4xf32>) -> tensor<2x9x7xf32>
  %p = snippets.softmax %s {axis = 2 : i64} : tensor<2x9x7xf32>
  %t = snippets.transpose %p {permutation = array<i64: 1, 2, 0>} : (tensor<2x9x7xf32>) -> tensor<9x7x2xf32>
  %o = snippets.matmul %v, %t : (tensor<9x5x7xf32>, tensor<9x7x2xf32>) -> tensor<9x5x2xf32>
  func.return %o : tensor<9x5x2xf32>
}

// -----

// No product makes the scores.
// CHECK-LABEL: func.func @no_product(
// CHECK: snippets.matmul %v, %{{.*}} {transpose_b}
func.func @no_product(%s: tensor<9x7xf32>, %v: tensor<5x7xf32>) -> tensor<5x9xf32> {
  %p = snippets.softmax %s {axis = 1 : i64} : tensor<9x7xf32>
  %o = snippets.matmul %v, %p {transpose_b} : (tensor<5x7xf32>, tensor<9x7xf32>) -> tensor<5x9xf32>
  func.return %o : tensor<5x9xf32>
}

// -----

// The probabilities are returned, too.
// CHECK-LABEL: func.func @probabilities(
// CHECK: snippets.matmul %v, %{{.*}} {transpose_b}
func.func @probabilities(%q: tensor<9x4xf32>, %k: tensor<7x4xf32>, %v: tensor<5x7xf32>) -> (tensor<5x9xf32>, tensor<9x7xf32>) {
  %s = snippets.matmul %q, %k {transpose_b} : (tensor<9x4xf32>, tensor<7x4xf32>) -> tensor<9x7xf32>
  %p = snippets.softmax %s {axis = 1 : i64} : tensor<9x7xf32>
  %o = snippets.matmul %v, %p {transpose_b} : (tensor<5x7xf32>, tensor<9x7xf32>) -> tensor<5x9xf32>
  func.return %o, %p : tensor<5x9xf32>, tensor<9x7xf32>
}

// -----

// The left operand is made by a softmax: an attention already. Columns alone have no transpose; a
// skipped product stays.
// CHECK-LABEL: func.func @left(
// CHECK: snippets.matmul %{{.*}}, %{{.*}} {transpose_b} : (tensor<9x7xf32>, tensor<9x7xf32>) -> tensor<9x9xf32>
// CHECK: snippets.matmul %w, %{{.*}} : (tensor<7xf32>, tensor<7x9xf32>) -> tensor<9xf32>
// CHECK: snippets.matmul %v, %{{.*}} {transpose_b, snippets.skipped}
func.func @left(%q: tensor<9x4xf32>, %k: tensor<7x4xf32>, %w: tensor<7xf32>, %v: tensor<5x7xf32>) -> (tensor<9x9xf32>, tensor<9xf32>, tensor<5x9xf32>) {
  %s = snippets.matmul %q, %k {transpose_b} : (tensor<9x4xf32>, tensor<7x4xf32>) -> tensor<9x7xf32>
  %p = snippets.softmax %s {axis = 1 : i64} : tensor<9x7xf32>
  %o = snippets.matmul %p, %p {transpose_b} : (tensor<9x7xf32>, tensor<9x7xf32>) -> tensor<9x9xf32>
  %s1 = snippets.matmul %q, %k {transpose_b} : (tensor<9x4xf32>, tensor<7x4xf32>) -> tensor<9x7xf32>
  %p1 = snippets.softmax %s1 {axis = 1 : i64} : tensor<9x7xf32>
  %t = snippets.transpose %p1 {permutation = array<i64: 1, 0>} : (tensor<9x7xf32>) -> tensor<7x9xf32>
  %o1 = snippets.matmul %w, %t : (tensor<7xf32>, tensor<7x9xf32>) -> tensor<9xf32>
  %s2 = snippets.matmul %q, %k {transpose_b} : (tensor<9x4xf32>, tensor<7x4xf32>) -> tensor<9x7xf32>
  %p2 = snippets.softmax %s2 {axis = 1 : i64} : tensor<9x7xf32>
  %o2 = snippets.matmul %v, %p2 {transpose_b, snippets.skipped} : (tensor<5x7xf32>, tensor<9x7xf32>) -> tensor<5x9xf32>
  func.return %o, %o1, %o2 : tensor<9x9xf32>, tensor<9xf32>, tensor<5x9xf32>
}

// -----

// Transposed scores that stay: also returned; no softmax, or one along the other dim; the batch
// moves, too.
// CHECK-LABEL: func.func @scores_stay(
// CHECK-COUNT-4: snippets.matmul %k, %q
func.func @scores_stay(%q: tensor<2x7x4xf32>, %k: tensor<2x7x4xf32>) -> (tensor<2x7x7xf32>, tensor<2x7x7xf32>, tensor<2x7x7xf32>, tensor<2x7x7xf32>, tensor<7x7x2xf32>) {
  %s = snippets.matmul %k, %q {transpose_b} : (tensor<2x7x4xf32>, tensor<2x7x4xf32>) -> tensor<2x7x7xf32>
  %t = snippets.transpose %s {permutation = array<i64: 0, 2, 1>} : tensor<2x7x7xf32>
  %p = snippets.softmax %t {axis = 2 : i64} : tensor<2x7x7xf32>
  %s1 = snippets.matmul %k, %q {transpose_b} : (tensor<2x7x4xf32>, tensor<2x7x4xf32>) -> tensor<2x7x7xf32>
  %t1 = snippets.transpose %s1 {permutation = array<i64: 0, 2, 1>} : tensor<2x7x7xf32>
  %s2 = snippets.matmul %k, %q {transpose_b} : (tensor<2x7x4xf32>, tensor<2x7x4xf32>) -> tensor<2x7x7xf32>
  %t2 = snippets.transpose %s2 {permutation = array<i64: 0, 2, 1>} : tensor<2x7x7xf32>
  %p2 = snippets.softmax %t2 {axis = 1 : i64} : tensor<2x7x7xf32>
  %s3 = snippets.matmul %k, %q {transpose_b} : (tensor<2x7x4xf32>, tensor<2x7x4xf32>) -> tensor<2x7x7xf32>
  %t3 = snippets.transpose %s3 {permutation = array<i64: 2, 1, 0>} : (tensor<2x7x7xf32>) -> tensor<7x7x2xf32>
  %p3 = snippets.softmax %t3 {axis = 2 : i64} : tensor<7x7x2xf32>
  func.return %s, %p, %t1, %p2, %p3 : tensor<2x7x7xf32>, tensor<2x7x7xf32>, tensor<2x7x7xf32>, tensor<2x7x7xf32>, tensor<7x7x2xf32>
}

// -----

// Two transposes of a result stay: another op reads the first one, or no product makes it. A
// reshape stays that no transpose reads and that drops nothing.
// CHECK-LABEL: func.func @results_stay(
// CHECK-COUNT-2: snippets.transpose %{{.*}} {permutation = array<i64: 1, 0>} : (tensor<9x5xf32>) -> tensor<5x9xf32>
// CHECK-NEXT: %{{.*}} = snippets.reshape
// CHECK-COUNT-2: snippets.transpose %{{.*}} {permutation = array<i64: 1, 0>} : (tensor<5x9xf32>) -> tensor<9x5xf32>
// CHECK-NEXT: %{{.*}} = snippets.transpose %{{.*}} {permutation = array<i64: 1, 0>} : (tensor<9x5xf32>) -> tensor<5x9xf32>
// CHECK-NEXT: func.return
func.func @results_stay(%q: tensor<9x4xf32>, %k: tensor<4x5xf32>, %x: tensor<5x9xf32>) -> (tensor<5x9xf32>, tensor<9x5xf32>, tensor<5x9xf32>, tensor<5x3x3xf32>) {
  %a = snippets.matmul %q, %k : (tensor<9x4xf32>, tensor<4x5xf32>) -> tensor<9x5xf32>
  %a1 = snippets.transpose %a {permutation = array<i64: 1, 0>} : (tensor<9x5xf32>) -> tensor<5x9xf32>
  %b = snippets.matmul %q, %k : (tensor<9x4xf32>, tensor<4x5xf32>) -> tensor<9x5xf32>
  %b1 = snippets.transpose %b {permutation = array<i64: 1, 0>} : (tensor<9x5xf32>) -> tensor<5x9xf32>
  %b2 = snippets.reshape %b1 : (tensor<5x9xf32>) -> tensor<5x3x3xf32>
  %a2 = snippets.transpose %a1 {permutation = array<i64: 1, 0>} : (tensor<5x9xf32>) -> tensor<9x5xf32>
  %c = snippets.transpose %x {permutation = array<i64: 1, 0>} : (tensor<5x9xf32>) -> tensor<9x5xf32>
  %c1 = snippets.transpose %c {permutation = array<i64: 1, 0>} : (tensor<9x5xf32>) -> tensor<5x9xf32>
  func.return %a1, %a2, %c1, %b2 : tensor<5x9xf32>, tensor<9x5xf32>, tensor<5x9xf32>, tensor<5x3x3xf32>
}
