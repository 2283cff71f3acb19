// RUN: snippets-opt %s -p snippets-reshape-first --check-each --split-input-file --symbols | filecheck %s

// CHECK-LABEL: func.func @keys(
// CHECK: %[[R:.*]] = snippets.reshape %k : (tensor<6x7x4xf32>) -> tensor<1x2x3x7x4xf32>
// CHECK-NEXT: %[[T:.*]] = snippets.transpose %[[R]] {permutation = array<i64: 0, 1, 2, 4, 3>}
// CHECK-NEXT: snippets.matmul %q, %[[T]]
func.func @keys(%q: tensor<1x2x3x1x4xf32>, %k: tensor<6x7x4xf32>) -> tensor<1x2x3x1x7xf32> {
  %t = snippets.transpose %k {permutation = array<i64: 0, 2, 1>} : (tensor<6x7x4xf32>) -> tensor<6x4x7xf32>
  %r = snippets.reshape %t : (tensor<6x4x7xf32>) -> tensor<1x2x3x4x7xf32>
  %s = snippets.matmul %q, %r : (tensor<1x2x3x1x4xf32>, tensor<1x2x3x4x7xf32>) -> tensor<1x2x3x1x7xf32>
  func.return %s : tensor<1x2x3x1x7xf32>
}

// -----

// Of any number of keys.
// CHECK-LABEL: func.func @dynamic(
// CHECK: %[[R:.*]] = snippets.reshape %k : (tensor<6x?x4xf32, #lir.sizes<?0>>) -> tensor<1x6x?x4xf32, #lir.sizes<?0>>
// CHECK-NEXT: snippets.transpose %[[R]] {permutation = array<i64: 0, 1, 3, 2>}
func.func @dynamic(%q: tensor<1x6x1x4xf32>, %k: tensor<6x?x4xf32>) -> tensor<1x6x1x?xf32> {
  %t = snippets.transpose %k {permutation = array<i64: 0, 2, 1>} : (tensor<6x?x4xf32>) -> tensor<6x4x?xf32>
  %r = snippets.reshape %t : (tensor<6x4x?xf32>) -> tensor<1x6x4x?xf32>
  %s = snippets.matmul %q, %r : (tensor<1x6x1x4xf32>, tensor<1x6x4x?xf32>) -> tensor<1x6x1x?xf32>
  func.return %s : tensor<1x6x1x?xf32>
}

// -----

// The reshape puts parts of two dims of the transpose into one.
// CHECK-LABEL: func.func @mixed(
// CHECK: snippets.transpose %k
// CHECK-NEXT: snippets.reshape
func.func @mixed(%q: tensor<5x6xf32>, %k: tensor<7x3x2xf32>) -> tensor<5x7xf32> {
  %t = snippets.transpose %k {permutation = array<i64: 1, 2, 0>} : (tensor<7x3x2xf32>) -> tensor<3x2x7xf32>
  %r = snippets.reshape %t : (tensor<3x2x7xf32>) -> tensor<6x7xf32>
  %s = snippets.matmul %q, %r : (tensor<5x6xf32>, tensor<6x7xf32>) -> tensor<5x7xf32>
  func.return %s : tensor<5x7xf32>
}

// -----

// More than a product reads the reshape.
// CHECK-LABEL: func.func @read_twice(
// CHECK: snippets.transpose %k
// CHECK-NEXT: snippets.reshape
func.func @read_twice(%q: tensor<1x5x4xf32>, %k: tensor<7x4xf32>) -> (tensor<1x5x7xf32>, tensor<1x4x7xf32>) {
  %t = snippets.transpose %k {permutation = array<i64: 1, 0>} : (tensor<7x4xf32>) -> tensor<4x7xf32>
  %r = snippets.reshape %t : (tensor<4x7xf32>) -> tensor<1x4x7xf32>
  %s = snippets.matmul %q, %r : (tensor<1x5x4xf32>, tensor<1x4x7xf32>) -> tensor<1x5x7xf32>
  %e = snippets.relu %r : tensor<1x4x7xf32>
  func.return %s, %e : tensor<1x5x7xf32>, tensor<1x4x7xf32>
}

// -----

// Something else reads the transpose.
// CHECK-LABEL: func.func @transpose_read_twice(
// CHECK: snippets.transpose %k
// CHECK-NEXT: snippets.reshape
func.func @transpose_read_twice(%q: tensor<1x5x4xf32>, %k: tensor<7x4xf32>) -> (tensor<1x5x7xf32>, tensor<4x7xf32>) {
  %t = snippets.transpose %k {permutation = array<i64: 1, 0>} : (tensor<7x4xf32>) -> tensor<4x7xf32>
  %r = snippets.reshape %t : (tensor<4x7xf32>) -> tensor<1x4x7xf32>
  %s = snippets.matmul %q, %r : (tensor<1x5x4xf32>, tensor<1x4x7xf32>) -> tensor<1x5x7xf32>
  func.return %s, %t : tensor<1x5x7xf32>, tensor<4x7xf32>
}
