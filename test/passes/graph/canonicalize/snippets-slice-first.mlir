// RUN: snippets-opt %s -p snippets-slice-first --verify-each | filecheck %s

// Queries and keys are parts of a transpose: each part is transposed instead, once.
// CHECK-LABEL: func.func @parts(
// CHECK-NEXT: %[[A:.*]] = snippets.slice %x {starts = array<i64: 0, 0, 0, 0, 0>, steps = array<i64: 1, 1, 1, 1, 1>, drops = array<i64: 2>} : (tensor<2x9x3x4x8xf32>) -> tensor<2x9x4x8xf32>
// CHECK-NEXT: %[[Q:.*]] = snippets.transpose %[[A]] {permutation = array<i64: 0, 2, 1, 3>}
// CHECK-NEXT: %[[B:.*]] = snippets.slice %x {starts = array<i64: 0, 0, 1, 0, 0>, {{.*}}, drops = array<i64: 2>}
// CHECK-NEXT: %[[K:.*]] = snippets.transpose %[[B]] {permutation = array<i64: 0, 2, 3, 1>} : (tensor<2x9x4x8xf32>) -> tensor<2x4x8x9xf32>
// CHECK-NEXT: snippets.matmul %[[Q]], %[[K]]
func.func @parts(%x: tensor<2x9x3x4x8xf32>) -> tensor<2x4x9x9xf32> {
  %0 = snippets.transpose %x {permutation = array<i64: 2, 0, 3, 1, 4>} : (tensor<2x9x3x4x8xf32>) -> tensor<3x2x4x9x8xf32>
  %q = snippets.slice %0 {drops = array<i64: 0>, starts = array<i64: 0, 0, 0, 0, 0>, steps = array<i64: 1, 1, 1, 1, 1>} : (tensor<3x2x4x9x8xf32>) -> tensor<2x4x9x8xf32>
  %k = snippets.slice %0 {drops = array<i64: 0>, starts = array<i64: 1, 0, 0, 0, 0>, steps = array<i64: 1, 1, 1, 1, 1>} : (tensor<3x2x4x9x8xf32>) -> tensor<2x4x9x8xf32>
  %1 = snippets.transpose %k {permutation = array<i64: 0, 1, 3, 2>} : (tensor<2x4x9x8xf32>) -> tensor<2x4x8x9xf32>
  %s = snippets.matmul %q, %1 : (tensor<2x4x9x8xf32>, tensor<2x4x8x9xf32>) -> tensor<2x4x9x9xf32>
  func.return %s : tensor<2x4x9x9xf32>
}

// A reshape drops the sliced dim; parts of the last dim.
// CHECK-LABEL: func.func @squeezed(
// CHECK-NEXT: %[[A:.*]] = snippets.slice %x {starts = array<i64: 0, 0, 0>, {{.*}}, drops = array<i64: 1>}
// CHECK-NEXT: %[[B:.*]] = snippets.slice %y {starts = array<i64: 0, 0, 4>, steps = array<i64: 1, 1, 1>} : (tensor<9x2x8xf32>) -> tensor<9x2x4xf32>
// CHECK-NEXT: %[[K:.*]] = snippets.transpose %[[B]] {permutation = array<i64: 1, 0, 2>}
// CHECK-NEXT: snippets.matmul %[[A]], %[[K]]
func.func @squeezed(%x: tensor<9x3x4xf32>, %y: tensor<9x2x8xf32>) -> tensor<2x9x9xf32> {
  %0 = snippets.transpose %x {permutation = array<i64: 1, 0, 2>} : (tensor<9x3x4xf32>) -> tensor<3x9x4xf32>
  %1 = snippets.slice %0 {starts = array<i64: 0, 0, 0>, steps = array<i64: 1, 1, 1>} : (tensor<3x9x4xf32>) -> tensor<1x9x4xf32>
  %q = snippets.reshape %1 : (tensor<1x9x4xf32>) -> tensor<9x4xf32>
  %2 = snippets.transpose %y {permutation = array<i64: 1, 0, 2>} : (tensor<9x2x8xf32>) -> tensor<2x9x8xf32>
  %k = snippets.slice %2 {starts = array<i64: 0, 0, 4>, steps = array<i64: 1, 1, 1>} : (tensor<2x9x8xf32>) -> tensor<2x9x4xf32>
  %s = snippets.matmul %q, %k {transpose_b} : (tensor<9x4xf32>, tensor<2x9x4xf32>) -> tensor<2x9x9xf32>
  func.return %s : tensor<2x9x9xf32>
}

// Stays: the transpose is also a result; an elementwise op reads the part.
// CHECK-LABEL: func.func @others(
// CHECK: snippets.transpose
// CHECK-NEXT: snippets.slice
// CHECK-NEXT: snippets.matmul
// CHECK-NEXT: snippets.transpose
// CHECK-NEXT: snippets.slice
// CHECK-NEXT: snippets.exp
func.func @others(%x: tensor<9x3x4xf32>, %y: tensor<9x3x4xf32>, %w: tensor<4x5xf32>) -> (tensor<3x9x4xf32>, tensor<9x5xf32>, tensor<9x4xf32>) {
  %0 = snippets.transpose %x {permutation = array<i64: 1, 0, 2>} : (tensor<9x3x4xf32>) -> tensor<3x9x4xf32>
  %1 = snippets.slice %0 {drops = array<i64: 0>, starts = array<i64: 1, 0, 0>, steps = array<i64: 1, 1, 1>} : (tensor<3x9x4xf32>) -> tensor<9x4xf32>
  %2 = snippets.matmul %1, %w : (tensor<9x4xf32>, tensor<4x5xf32>) -> tensor<9x5xf32>
  %3 = snippets.transpose %y {permutation = array<i64: 1, 0, 2>} : (tensor<9x3x4xf32>) -> tensor<3x9x4xf32>
  %4 = snippets.slice %3 {drops = array<i64: 0>, starts = array<i64: 1, 0, 0>, steps = array<i64: 1, 1, 1>} : (tensor<3x9x4xf32>) -> tensor<9x4xf32>
  %5 = snippets.exp %4 : tensor<9x4xf32>
  func.return %0, %2, %5 : tensor<3x9x4xf32>, tensor<9x5xf32>, tensor<9x4xf32>
}

// One head: a transpose, or a reshape, that moves dims of 1 is a reshape of the whole.
// CHECK-LABEL: func.func @one_head(
// CHECK: %[[A:.*]] = snippets.reshape %x : (tensor<9x3x1x8xf32>) -> tensor<1x9x3x8xf32>
// CHECK-NEXT: %[[Q:.*]] = snippets.slice %[[A]] {starts = array<i64: 0, 0, 0, 0>, steps = array<i64: 1, 1, 1, 1>, drops = array<i64: 2>} : (tensor<1x9x3x8xf32>) -> tensor<1x9x8xf32>
// CHECK: %[[B:.*]] = snippets.reshape %x : (tensor<9x3x1x8xf32>) -> tensor<1x9x3x8xf32>
// CHECK-NEXT: %[[K:.*]] = snippets.slice %[[B]] {starts = array<i64: 0, 0, 1, 0>, steps = array<i64: 1, 1, 1, 1>, drops = array<i64: 2>} : (tensor<1x9x3x8xf32>) -> tensor<1x9x8xf32>
// CHECK: snippets.matmul %[[Q]], %[[K]]
func.func @one_head(%x: tensor<9x3x1x8xf32>) -> tensor<1x9x9xf32> {
  %0 = snippets.slice %x {drops = array<i64: 1>, starts = array<i64: 0, 0, 0, 0>, steps = array<i64: 1, 1, 1, 1>} : (tensor<9x3x1x8xf32>) -> tensor<9x1x8xf32>
  %q = snippets.transpose %0 {permutation = array<i64: 1, 0, 2>} : (tensor<9x1x8xf32>) -> tensor<1x9x8xf32>
  %1 = snippets.slice %x {drops = array<i64: 1>, starts = array<i64: 0, 1, 0, 0>, steps = array<i64: 1, 1, 1, 1>} : (tensor<9x3x1x8xf32>) -> tensor<9x1x8xf32>
  %k = snippets.reshape %1 : (tensor<9x1x8xf32>) -> tensor<1x9x8xf32>
  %s = snippets.matmul %q, %k {transpose_b} : (tensor<1x9x8xf32>, tensor<1x9x8xf32>) -> tensor<1x9x9xf32>
  func.return %s : tensor<1x9x9xf32>
}

// Twin: a reshape that splits rows, and a part that an elementwise op reads.
// CHECK-LABEL: func.func @two_heads(
// CHECK: %[[C:.*]] = snippets.slice %x
// CHECK-NEXT: snippets.reshape %[[C]]
// CHECK: %[[D:.*]] = snippets.slice %x
// CHECK-NEXT: snippets.reshape %[[D]]
func.func @two_heads(%x: tensor<9x3x1x8xf32>, %w: tensor<4x5xf32>) -> (tensor<9x2x5xf32>, tensor<1x9x8xf32>) {
  %0 = snippets.slice %x {drops = array<i64: 1>, starts = array<i64: 0, 0, 0, 0>, steps = array<i64: 1, 1, 1, 1>} : (tensor<9x3x1x8xf32>) -> tensor<9x1x8xf32>
  %1 = snippets.reshape %0 : (tensor<9x1x8xf32>) -> tensor<9x2x4xf32>
  %2 = snippets.matmul %1, %w : (tensor<9x2x4xf32>, tensor<4x5xf32>) -> tensor<9x2x5xf32>
  %3 = snippets.slice %x {drops = array<i64: 1>, starts = array<i64: 0, 1, 0, 0>, steps = array<i64: 1, 1, 1, 1>} : (tensor<9x3x1x8xf32>) -> tensor<9x1x8xf32>
  %4 = snippets.reshape %3 : (tensor<9x1x8xf32>) -> tensor<1x9x8xf32>
  %5 = snippets.exp %4 : tensor<1x9x8xf32>
  func.return %2, %5 : tensor<9x2x5xf32>, tensor<1x9x8xf32>
}
