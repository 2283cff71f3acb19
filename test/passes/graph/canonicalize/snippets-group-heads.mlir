// RUN: snippets-opt %s -p snippets-group-heads --verify-each | filecheck %s

// Three heads of queries share each of two heads of keys: the keys are read in place.
// CHECK-LABEL: func.func @groups(
// CHECK-NEXT: %[[Q:.*]] = snippets.reshape %q : (tensor<2x6x9x4xf32>) -> tensor<2x2x3x9x4xf32>
// CHECK-NEXT: %[[X:.*]] = snippets.reshape %x : (tensor<2x2x7x4xf32>) -> tensor<1x2x2x7x4xf32>
// CHECK-NEXT: %[[K:.*]] = snippets.transpose %[[X]] {permutation = array<i64: 1, 2, 0, 4, 3>} : (tensor<1x2x2x7x4xf32>) -> tensor<2x2x1x4x7xf32>
// CHECK-NEXT: %[[S:.*]] = snippets.matmul %[[Q]], %[[K]] : (tensor<2x2x3x9x4xf32>, tensor<2x2x1x4x7xf32>) -> tensor<2x2x3x9x7xf32>
// CHECK-NEXT: snippets.reshape %[[S]] : (tensor<2x2x3x9x7xf32>) -> tensor<2x6x9x7xf32>
// CHECK-NEXT: return
func.func @groups(%q: tensor<2x6x9x4xf32>, %x: tensor<2x2x7x4xf32>) -> tensor<2x6x9x7xf32> {
  %0 = snippets.reshape %x : (tensor<2x2x7x4xf32>) -> tensor<2x2x1x7x4xf32>
  %1 = snippets.broadcast %0 : (tensor<2x2x1x7x4xf32>) -> tensor<2x2x3x7x4xf32>
  %2 = snippets.reshape %1 : (tensor<2x2x3x7x4xf32>) -> tensor<2x6x7x4xf32>
  %k = snippets.transpose %2 {permutation = array<i64: 0, 1, 3, 2>} : (tensor<2x6x7x4xf32>) -> tensor<2x6x4x7xf32>
  %s = snippets.matmul %q, %k : (tensor<2x6x9x4xf32>, tensor<2x6x4x7xf32>) -> tensor<2x6x9x7xf32>
  func.return %s : tensor<2x6x9x7xf32>
}

// Keys [batch, rows, heads, width] before they are repeated: both transposes are one.
// CHECK-LABEL: func.func @heads_last(
// CHECK: %[[X:.*]] = snippets.reshape %x : (tensor<2x7x2x4xf32>) -> tensor<1x2x7x2x4xf32>
// CHECK-NEXT: snippets.transpose %[[X]] {permutation = array<i64: 1, 3, 0, 4, 2>}
// CHECK-NEXT: snippets.matmul
// CHECK-NOT: snippets.transpose
func.func @heads_last(%q: tensor<2x6x9x4xf32>, %x: tensor<2x7x2x4xf32>) -> tensor<2x6x9x7xf32> {
  %h = snippets.transpose %x {permutation = array<i64: 0, 2, 1, 3>} : (tensor<2x7x2x4xf32>) -> tensor<2x2x7x4xf32>
  %0 = snippets.reshape %h : (tensor<2x2x7x4xf32>) -> tensor<2x2x1x7x4xf32>
  %1 = snippets.broadcast %0 : (tensor<2x2x1x7x4xf32>) -> tensor<2x2x3x7x4xf32>
  %2 = snippets.reshape %1 : (tensor<2x2x3x7x4xf32>) -> tensor<2x6x7x4xf32>
  %k = snippets.transpose %2 {permutation = array<i64: 0, 1, 3, 2>} : (tensor<2x6x7x4xf32>) -> tensor<2x6x4x7xf32>
  %s = snippets.matmul %q, %k : (tensor<2x6x9x4xf32>, tensor<2x6x4x7xf32>) -> tensor<2x6x9x7xf32>
  func.return %s : tensor<2x6x9x7xf32>
}

// One query of each head: a group is a matrix. The number of keys may be a symbol's.
// CHECK-LABEL: func.func @one_row(
// CHECK-NEXT: %[[Q:.*]] = snippets.reshape %q : (tensor<2x6x1x4xf32>) -> tensor<2x2x3x4xf32>
// CHECK-NEXT: %[[S:.*]] = snippets.matmul %[[Q]], %x {transpose_b} : (tensor<2x2x3x4xf32>, tensor<2x2x?x4xf32, #lir.sizes<?0>>) -> tensor<2x2x3x?xf32, #lir.sizes<?0>>
// CHECK-NEXT: snippets.reshape %[[S]]
// CHECK-NEXT: return
func.func @one_row(%q: tensor<2x6x1x4xf32>, %x: tensor<2x2x?x4xf32, #lir.sizes<?0>>) -> tensor<2x6x1x?xf32, #lir.sizes<?0>> {
  %0 = snippets.reshape %x : (tensor<2x2x?x4xf32, #lir.sizes<?0>>) -> tensor<2x2x1x?x4xf32, #lir.sizes<?0>>
  %1 = snippets.broadcast %0 : (tensor<2x2x1x?x4xf32, #lir.sizes<?0>>) -> tensor<2x2x3x?x4xf32, #lir.sizes<?0>>
  %2 = snippets.reshape %1 : (tensor<2x2x3x?x4xf32, #lir.sizes<?0>>) -> tensor<2x6x?x4xf32, #lir.sizes<?0>>
  %s = snippets.matmul %q, %2 {transpose_b} : (tensor<2x6x1x4xf32>, tensor<2x6x?x4xf32, #lir.sizes<?0>>) -> tensor<2x6x1x?xf32, #lir.sizes<?0>>
  func.return %s : tensor<2x6x1x?xf32, #lir.sizes<?0>>
}

// The transpose of a result whose groups are merged.
// CHECK-LABEL: func.func @merged(
// CHECK: %[[R:.*]] = snippets.matmul
// CHECK-NEXT: %[[T:.*]] = snippets.transpose %[[R]] {permutation = array<i64: 0, 3, 1, 2, 4>} : (tensor<2x2x3x9x7xf32>) -> tensor<2x9x2x3x7xf32>
// CHECK-NEXT: snippets.reshape %[[T]] : (tensor<2x9x2x3x7xf32>) -> tensor<2x9x6x7xf32>
func.func @merged(%q: tensor<2x2x3x9x4xf32>, %k: tensor<2x2x1x4x7xf32>) -> tensor<2x9x6x7xf32> {
  %r = snippets.matmul %q, %k : (tensor<2x2x3x9x4xf32>, tensor<2x2x1x4x7xf32>) -> tensor<2x2x3x9x7xf32>
  %0 = snippets.reshape %r : (tensor<2x2x3x9x7xf32>) -> tensor<2x6x9x7xf32>
  %1 = snippets.transpose %0 {permutation = array<i64: 0, 2, 1, 3>} : (tensor<2x6x9x7xf32>) -> tensor<2x9x6x7xf32>
  func.return %1 : tensor<2x9x6x7xf32>
}

// Stays: the heads are repeated as a whole, the terms are, the keys broadcast along the batch, too.
// CHECK-LABEL: func.func @others(
// CHECK-COUNT-3: snippets.broadcast
// CHECK-NOT: tensor<2x2x3x9x7xf32>
func.func @others(%q: tensor<2x6x9x4xf32>, %r: tensor<2x9x12xf32>, %x: tensor<2x2x7x4xf32>, %y: tensor<2x7x4xf32>, %z: tensor<1x2x7x4xf32>) -> (tensor<2x6x9x7xf32>, tensor<2x9x7xf32>, tensor<2x6x9x7xf32>) {
  %0 = snippets.reshape %x : (tensor<2x2x7x4xf32>) -> tensor<2x1x2x7x4xf32>
  %1 = snippets.broadcast %0 : (tensor<2x1x2x7x4xf32>) -> tensor<2x3x2x7x4xf32>
  %2 = snippets.reshape %1 : (tensor<2x3x2x7x4xf32>) -> tensor<2x6x7x4xf32>
  %s = snippets.matmul %q, %2 {transpose_b} : (tensor<2x6x9x4xf32>, tensor<2x6x7x4xf32>) -> tensor<2x6x9x7xf32>
  %3 = snippets.reshape %y : (tensor<2x7x4xf32>) -> tensor<2x7x4x1xf32>
  %4 = snippets.broadcast %3 : (tensor<2x7x4x1xf32>) -> tensor<2x7x4x3xf32>
  %5 = snippets.reshape %4 : (tensor<2x7x4x3xf32>) -> tensor<2x7x12xf32>
  %t = snippets.matmul %r, %5 {transpose_b} : (tensor<2x9x12xf32>, tensor<2x7x12xf32>) -> tensor<2x9x7xf32>
  %6 = snippets.reshape %z : (tensor<1x2x7x4xf32>) -> tensor<1x2x1x7x4xf32>
  %7 = snippets.broadcast %6 : (tensor<1x2x1x7x4xf32>) -> tensor<2x2x3x7x4xf32>
  %8 = snippets.reshape %7 : (tensor<2x2x3x7x4xf32>) -> tensor<2x6x7x4xf32>
  %u = snippets.matmul %q, %8 {transpose_b} : (tensor<2x6x9x4xf32>, tensor<2x6x7x4xf32>) -> tensor<2x6x9x7xf32>
  func.return %s, %t, %u : tensor<2x6x9x7xf32>, tensor<2x9x7xf32>, tensor<2x6x9x7xf32>
}

// Stays: the transpose moves the last dim, or reads heads that others read merged.
// CHECK-LABEL: func.func @columns(
// CHECK: snippets.reshape
// CHECK-NEXT: snippets.transpose
// CHECK: snippets.reshape
// CHECK-NEXT: snippets.transpose
// CHECK-NEXT: return
func.func @columns(%q: tensor<2x2x3x9x4xf32>, %k: tensor<2x2x1x4x7xf32>) -> (tensor<2x6x7x9xf32>, tensor<2x9x6x7xf32>, tensor<2x6x9x7xf32>) {
  %r = snippets.matmul %q, %k : (tensor<2x2x3x9x4xf32>, tensor<2x2x1x4x7xf32>) -> tensor<2x2x3x9x7xf32>
  %0 = snippets.reshape %r : (tensor<2x2x3x9x7xf32>) -> tensor<2x6x9x7xf32>
  %1 = snippets.transpose %0 {permutation = array<i64: 0, 1, 3, 2>} : (tensor<2x6x9x7xf32>) -> tensor<2x6x7x9xf32>
  %2 = snippets.reshape %r : (tensor<2x2x3x9x7xf32>) -> tensor<2x6x9x7xf32>
  %3 = snippets.transpose %2 {permutation = array<i64: 0, 2, 1, 3>} : (tensor<2x6x9x7xf32>) -> tensor<2x9x6x7xf32>
  func.return %1, %3, %2 : tensor<2x6x7x9xf32>, tensor<2x9x6x7xf32>, tensor<2x6x9x7xf32>
}

// Both products of an attention are of groups.
// CHECK-LABEL: func.func @attention(
// CHECK: snippets.matmul {{.*}} : (tensor<2x3x9x4xf32>, tensor<2x1x7x4xf32>) -> tensor<2x3x9x7xf32>
// CHECK: snippets.matmul {{.*}} : (tensor<2x3x9x7xf32>, tensor<2x1x7x5xf32>) -> tensor<2x3x9x5xf32>
func.func @attention(%q: tensor<6x9x4xf32>, %x: tensor<2x7x4xf32>, %y: tensor<2x7x5xf32>) -> tensor<6x9x5xf32> {
  %0 = snippets.reshape %x : (tensor<2x7x4xf32>) -> tensor<2x1x7x4xf32>
  %1 = snippets.broadcast %0 : (tensor<2x1x7x4xf32>) -> tensor<2x3x7x4xf32>
  %k = snippets.reshape %1 : (tensor<2x3x7x4xf32>) -> tensor<6x7x4xf32>
  %2 = snippets.reshape %y : (tensor<2x7x5xf32>) -> tensor<2x1x7x5xf32>
  %3 = snippets.broadcast %2 : (tensor<2x1x7x5xf32>) -> tensor<2x3x7x5xf32>
  %v = snippets.reshape %3 : (tensor<2x3x7x5xf32>) -> tensor<6x7x5xf32>
  %s = snippets.matmul %q, %k {transpose_b} : (tensor<6x9x4xf32>, tensor<6x7x4xf32>) -> tensor<6x9x7xf32>
  %p = snippets.softmax %s {axis = 2 : i64} : tensor<6x9x7xf32>
  %o = snippets.matmul %p, %v : (tensor<6x9x7xf32>, tensor<6x7x5xf32>) -> tensor<6x9x5xf32>
  func.return %o : tensor<6x9x5xf32>
}

// Only the values are repeated: none of the two products is of groups, so the attention stays one kernel.
// CHECK-LABEL: func.func @one_product_alone(
// CHECK: snippets.matmul {{.*}} : (tensor<6x9x4xf32>, tensor<6x7x4xf32>) -> tensor<6x9x7xf32>
// CHECK: snippets.matmul {{.*}} : (tensor<6x9x7xf32>, tensor<6x7x5xf32>) -> tensor<6x9x5xf32>
func.func @one_product_alone(%q: tensor<6x9x4xf32>, %k: tensor<6x7x4xf32>, %y: tensor<2x7x5xf32>) -> tensor<6x9x5xf32> {
  %2 = snippets.reshape %y : (tensor<2x7x5xf32>) -> tensor<2x1x7x5xf32>
  %3 = snippets.broadcast %2 : (tensor<2x1x7x5xf32>) -> tensor<2x3x7x5xf32>
  %v = snippets.reshape %3 : (tensor<2x3x7x5xf32>) -> tensor<6x7x5xf32>
  %s = snippets.matmul %q, %k {transpose_b} : (tensor<6x9x4xf32>, tensor<6x7x4xf32>) -> tensor<6x9x7xf32>
  %p = snippets.softmax %s {axis = 2 : i64} : tensor<6x9x7xf32>
  %o = snippets.matmul %p, %v : (tensor<6x9x7xf32>, tensor<6x7x5xf32>) -> tensor<6x9x5xf32>
  func.return %o : tensor<6x9x5xf32>
}

// No heads at all: nothing is of groups.
// CHECK-LABEL: func.func @no_heads(
// CHECK: snippets.matmul {{.*}} : (tensor<2x0x9x4xf32>, tensor<2x0x7x4xf32>) -> tensor<2x0x9x7xf32>
func.func @no_heads(%q: tensor<2x0x9x4xf32>, %x: tensor<2x2x1x7x4xf32>) -> tensor<2x0x9x7xf32> {
  %0 = snippets.broadcast %x : (tensor<2x2x1x7x4xf32>) -> tensor<2x2x0x7x4xf32>
  %k = snippets.reshape %0 : (tensor<2x2x0x7x4xf32>) -> tensor<2x0x7x4xf32>
  %s = snippets.matmul %q, %k {transpose_b} : (tensor<2x0x9x4xf32>, tensor<2x0x7x4xf32>) -> tensor<2x0x9x7xf32>
  func.return %s : tensor<2x0x9x7xf32>
}

// PyTorch's exports scale both factors, the keys after reshapes of ones and a transpose: the scales are of the groups.
// CHECK-LABEL: func.func @scaled(
// CHECK: %[[Q:.*]] = snippets.reshape %q : (tensor<1x6x9x4xf32>) -> tensor<1x2x3x9x4xf32>
// CHECK-NEXT: %[[A:.*]] = snippets.multiply %[[Q]], %c : (tensor<1x2x3x9x4xf32>, tensor<f32>) -> tensor<1x2x3x9x4xf32>
// CHECK-NEXT: %[[X:.*]] = snippets.reshape %x : (tensor<1x2x7x4xf32>) -> tensor<1x1x2x7x4xf32>
// CHECK-NEXT: %[[K:.*]] = snippets.transpose %[[X]] {permutation = array<i64: 0, 2, 1, 4, 3>} : (tensor<1x1x2x7x4xf32>) -> tensor<1x2x1x4x7xf32>
// CHECK-NEXT: %[[B:.*]] = snippets.multiply %[[K]], %c : (tensor<1x2x1x4x7xf32>, tensor<f32>) -> tensor<1x2x1x4x7xf32>
// CHECK-NEXT: %[[S:.*]] = snippets.matmul %[[A]], %[[B]]
// CHECK-NEXT: snippets.reshape %[[S]] : (tensor<1x2x3x9x7xf32>) -> tensor<1x6x9x7xf32>
// CHECK-NEXT: return
func.func @scaled(%q: tensor<1x6x9x4xf32>, %x: tensor<1x2x7x4xf32>) -> tensor<1x6x9x7xf32> {
  %c = snippets.constant dense<0.3> : tensor<f32>
  %0 = snippets.reshape %x : (tensor<1x2x7x4xf32>) -> tensor<1x2x1x7x4xf32>
  %1 = snippets.broadcast %0 : (tensor<1x2x1x7x4xf32>) -> tensor<1x2x3x7x4xf32>
  %2 = snippets.reshape %1 : (tensor<1x2x3x7x4xf32>) -> tensor<1x6x7x4xf32>
  %3 = snippets.reshape %2 : (tensor<1x6x7x4xf32>) -> tensor<6x7x4xf32>
  %4 = snippets.transpose %3 {permutation = array<i64: 0, 2, 1>} : (tensor<6x7x4xf32>) -> tensor<6x4x7xf32>
  %5 = snippets.reshape %4 : (tensor<6x4x7xf32>) -> tensor<1x6x4x7xf32>
  %a = snippets.multiply %q, %c : (tensor<1x6x9x4xf32>, tensor<f32>) -> tensor<1x6x9x4xf32>
  %k = snippets.multiply %5, %c : (tensor<1x6x4x7xf32>, tensor<f32>) -> tensor<1x6x4x7xf32>
  %s = snippets.matmul %a, %k : (tensor<1x6x9x4xf32>, tensor<1x6x4x7xf32>) -> tensor<1x6x9x7xf32>
  func.return %s : tensor<1x6x9x7xf32>
}

// Batches and heads are merged for the transpose, and split after it.
// CHECK-LABEL: func.func @merged_batches(
// CHECK: %[[X:.*]] = snippets.reshape %x : (tensor<5x2x7x4xf32>) -> tensor<1x5x2x7x4xf32>
// CHECK-NEXT: snippets.transpose %[[X]] {permutation = array<i64: 1, 2, 0, 4, 3>} : (tensor<1x5x2x7x4xf32>) -> tensor<5x2x1x4x7xf32>
// CHECK-NEXT: snippets.matmul {{.*}} -> tensor<5x2x3x9x7xf32>
func.func @merged_batches(%q: tensor<5x6x9x4xf32>, %x: tensor<5x2x7x4xf32>) -> tensor<5x6x9x7xf32> {
  %0 = snippets.reshape %x : (tensor<5x2x7x4xf32>) -> tensor<5x2x1x7x4xf32>
  %1 = snippets.broadcast %0 : (tensor<5x2x1x7x4xf32>) -> tensor<5x2x3x7x4xf32>
  %2 = snippets.reshape %1 : (tensor<5x2x3x7x4xf32>) -> tensor<30x7x4xf32>
  %3 = snippets.transpose %2 {permutation = array<i64: 0, 2, 1>} : (tensor<30x7x4xf32>) -> tensor<30x4x7xf32>
  %k = snippets.reshape %3 : (tensor<30x4x7xf32>) -> tensor<5x6x4x7xf32>
  %s = snippets.matmul %q, %k : (tensor<5x6x9x4xf32>, tensor<5x6x4x7xf32>) -> tensor<5x6x9x7xf32>
  func.return %s : tensor<5x6x9x7xf32>
}

// Stays: batches and heads are split in another way than they were merged.
// CHECK-LABEL: func.func @other_batches(
// CHECK: snippets.broadcast
// CHECK: snippets.matmul {{.*}} : (tensor<10x3x9x4xf32>, tensor<10x3x4x7xf32>)
func.func @other_batches(%q: tensor<10x3x9x4xf32>, %x: tensor<5x2x7x4xf32>) -> tensor<10x3x9x7xf32> {
  %0 = snippets.reshape %x : (tensor<5x2x7x4xf32>) -> tensor<5x2x1x7x4xf32>
  %1 = snippets.broadcast %0 : (tensor<5x2x1x7x4xf32>) -> tensor<5x2x3x7x4xf32>
  %2 = snippets.reshape %1 : (tensor<5x2x3x7x4xf32>) -> tensor<30x7x4xf32>
  %3 = snippets.transpose %2 {permutation = array<i64: 0, 2, 1>} : (tensor<30x7x4xf32>) -> tensor<30x4x7xf32>
  %k = snippets.reshape %3 : (tensor<30x4x7xf32>) -> tensor<10x3x4x7xf32>
  %s = snippets.matmul %q, %k : (tensor<10x3x9x4xf32>, tensor<10x3x4x7xf32>) -> tensor<10x3x9x7xf32>
  func.return %s : tensor<10x3x9x7xf32>
}

// One query: the groups are matrices, also if ones are dropped and a quotient is between.
// CHECK-LABEL: func.func @scaled_row(
// CHECK: %[[Q:.*]] = snippets.reshape %q : (tensor<6x1x4xf32>) -> tensor<2x3x4xf32>
// CHECK-NEXT: %[[X:.*]] = snippets.reshape %x : (tensor<1x2x7x4xf32>) -> tensor<2x7x4xf32>
// CHECK-NEXT: %[[K:.*]] = snippets.transpose %[[X]] {permutation = array<i64: 0, 2, 1>} : (tensor<2x7x4xf32>) -> tensor<2x4x7xf32>
// CHECK-NEXT: %[[B:.*]] = snippets.divide %[[K]], %c : (tensor<2x4x7xf32>, tensor<1xf32>) -> tensor<2x4x7xf32>
// CHECK-NEXT: snippets.matmul %[[Q]], %[[B]] : (tensor<2x3x4xf32>, tensor<2x4x7xf32>) -> tensor<2x3x7xf32>
func.func @scaled_row(%q: tensor<6x1x4xf32>, %x: tensor<1x2x7x4xf32>) -> tensor<6x1x7xf32> {
  %c = snippets.constant dense<3.0> : tensor<1xf32>
  %0 = snippets.reshape %x : (tensor<1x2x7x4xf32>) -> tensor<1x2x1x7x4xf32>
  %1 = snippets.broadcast %0 : (tensor<1x2x1x7x4xf32>) -> tensor<1x2x3x7x4xf32>
  %2 = snippets.reshape %1 : (tensor<1x2x3x7x4xf32>) -> tensor<6x7x4xf32>
  %3 = snippets.divide %2, %c : (tensor<6x7x4xf32>, tensor<1xf32>) -> tensor<6x7x4xf32>
  %k = snippets.transpose %3 {permutation = array<i64: 0, 2, 1>} : (tensor<6x7x4xf32>) -> tensor<6x4x7xf32>
  %s = snippets.matmul %q, %k : (tensor<6x1x4xf32>, tensor<6x4x7xf32>) -> tensor<6x1x7xf32>
  func.return %s : tensor<6x1x7xf32>
}

// Stays: a scale for each column, scaled keys that are also a result, a reshape that mixes heads and keys.
// CHECK-LABEL: func.func @other_scales(
// CHECK-COUNT-3: snippets.broadcast
// CHECK-NOT: tensor<2x3x9x7xf32>
func.func @other_scales(%q: tensor<6x9x4xf32>, %x: tensor<2x1x7x4xf32>, %d: tensor<4xf32>, %r: tensor<6x9x28xf32>) -> (tensor<6x9x7xf32>, tensor<6x9x7xf32>, tensor<6x7x4xf32>, tensor<6x9x1xf32>) {
  %c = snippets.constant dense<0.3> : tensor<f32>
  %0 = snippets.broadcast %x : (tensor<2x1x7x4xf32>) -> tensor<2x3x7x4xf32>
  %1 = snippets.reshape %0 : (tensor<2x3x7x4xf32>) -> tensor<6x7x4xf32>
  %2 = snippets.multiply %1, %d : (tensor<6x7x4xf32>, tensor<4xf32>) -> tensor<6x7x4xf32>
  %s = snippets.matmul %q, %2 {transpose_b} : (tensor<6x9x4xf32>, tensor<6x7x4xf32>) -> tensor<6x9x7xf32>
  %3 = snippets.broadcast %x : (tensor<2x1x7x4xf32>) -> tensor<2x3x7x4xf32>
  %4 = snippets.reshape %3 : (tensor<2x3x7x4xf32>) -> tensor<6x7x4xf32>
  %5 = snippets.multiply %4, %c : (tensor<6x7x4xf32>, tensor<f32>) -> tensor<6x7x4xf32>
  %t = snippets.matmul %q, %5 {transpose_b} : (tensor<6x9x4xf32>, tensor<6x7x4xf32>) -> tensor<6x9x7xf32>
  %6 = snippets.broadcast %x : (tensor<2x1x7x4xf32>) -> tensor<2x3x7x4xf32>
  %7 = snippets.reshape %6 : (tensor<2x3x7x4xf32>) -> tensor<6x28x1xf32>
  %u = snippets.matmul %r, %7 : (tensor<6x9x28xf32>, tensor<6x28x1xf32>) -> tensor<6x9x1xf32>
  func.return %s, %t, %5, %u : tensor<6x9x7xf32>, tensor<6x9x7xf32>, tensor<6x7x4xf32>, tensor<6x9x1xf32>
}

// Two heads are no matrix: the keys are read in place, for each head.
// CHECK-LABEL: func.func @two_heads(
// CHECK-NOT: snippets.broadcast
// CHECK: snippets.matmul {{.*}} : (tensor<2x2x1x4xf32>, tensor<2x1x7x4xf32>) -> tensor<2x2x1x7xf32>
func.func @two_heads(%q: tensor<4x1x4xf32>, %x: tensor<2x1x7x4xf32>) -> tensor<4x1x7xf32> {
  %0 = snippets.broadcast %x : (tensor<2x1x7x4xf32>) -> tensor<2x2x7x4xf32>
  %k = snippets.reshape %0 : (tensor<2x2x7x4xf32>) -> tensor<4x7x4xf32>
  %s = snippets.matmul %q, %k {transpose_b} : (tensor<4x1x4xf32>, tensor<4x7x4xf32>) -> tensor<4x1x7xf32>
  func.return %s : tensor<4x1x7xf32>
}
