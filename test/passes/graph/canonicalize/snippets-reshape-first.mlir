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

// -----

// Heads of the second of three parts: 24 elements from 24 on are heads 3 to 5 of 9.
// CHECK-LABEL: func.func @sliced(
// CHECK: %[[R:.*]] = snippets.reshape %x : (tensor<5x72xf32>) -> tensor<5x9x8xf32>
// CHECK-NEXT: snippets.slice %[[R]] {starts = array<i64: 0, 3, 0>, steps = array<i64: 1, 1, 1>}
func.func @sliced(%x: tensor<5x72xf32>) -> tensor<5x3x8xf32> {
  %s = snippets.slice %x {starts = array<i64: 0, 24>, steps = array<i64: 1, 1>} : (tensor<5x72xf32>) -> tensor<5x24xf32>
  %r = snippets.reshape %s : (tensor<5x24xf32>) -> tensor<5x3x8xf32>
  func.return %r : tensor<5x3x8xf32>
}

// -----

// With any number of rows, and one row to a dim.
// CHECK-LABEL: func.func @rows(
// CHECK: %[[R:.*]] = snippets.reshape %x : (tensor<?x72xf32, #lir.sizes<?0>>) -> tensor<?x1x9x8xf32, #lir.sizes<?0>>
// CHECK-NEXT: snippets.slice %[[R]] {starts = array<i64: 0, 0, 6, 0>
func.func @rows(%x: tensor<?x72xf32>) -> tensor<?x1x3x8xf32> {
  %s = snippets.slice %x {starts = array<i64: 0, 48>, steps = array<i64: 1, 1>} : (tensor<?x72xf32>) -> tensor<?x24xf32>
  %r = snippets.reshape %s : (tensor<?x24xf32>) -> tensor<?x1x3x8xf32>
  func.return %r : tensor<?x1x3x8xf32>
}

// -----

// The slice begins inside of a head.
// CHECK-LABEL: func.func @inside(
// CHECK: snippets.slice %x
// CHECK-NEXT: snippets.reshape
func.func @inside(%x: tensor<5x72xf32>) -> tensor<5x3x8xf32> {
  %s = snippets.slice %x {starts = array<i64: 0, 20>, steps = array<i64: 1, 1>} : (tensor<5x72xf32>) -> tensor<5x24xf32>
  %r = snippets.reshape %s : (tensor<5x24xf32>) -> tensor<5x3x8xf32>
  func.return %r : tensor<5x3x8xf32>
}

// -----

// Every second element has no place in whole heads.
// CHECK-LABEL: func.func @stepped(
// CHECK: snippets.slice %x
// CHECK-NEXT: snippets.reshape
func.func @stepped(%x: tensor<5x72xf32>) -> tensor<5x3x8xf32> {
  %s = snippets.slice %x {starts = array<i64: 0, 24>, steps = array<i64: 1, 2>} : (tensor<5x72xf32>) -> tensor<5x24xf32>
  %r = snippets.reshape %s : (tensor<5x24xf32>) -> tensor<5x3x8xf32>
  func.return %r : tensor<5x3x8xf32>
}
