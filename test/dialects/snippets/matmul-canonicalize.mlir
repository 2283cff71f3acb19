// RUN: snippets-opt %s -p canonicalize --verify-each | filecheck %s
// RUN: snippets-opt %s -p canonicalize,snippets-tokenize | filecheck %s --check-prefix=ONE

// Transposes of operands become the attributes of the product, where rows stay in one piece.

// CHECK-LABEL: func.func @flags(
// CHECK-NEXT: %{{.*}} = snippets.matmul %a, %b {transpose_a, transpose_b} : (tensor<8x4xf32>, tensor<5x8xf32>) -> tensor<4x5xf32>
// CHECK-NEXT: func.return
func.func @flags(%a: tensor<8x4xf32>, %b: tensor<5x8xf32>) -> tensor<4x5xf32> {
  %0 = snippets.transpose %a {permutation = array<i64: 1, 0>} : (tensor<8x4xf32>) -> tensor<4x8xf32>
  %1 = snippets.transpose %b {permutation = array<i64: 1, 0>} : (tensor<5x8xf32>) -> tensor<8x5xf32>
  %2 = snippets.matmul %0, %1 : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<4x5xf32>
  func.return %2 : tensor<4x5xf32>
}

// Two swaps are none; the attributes and the other operand stay.

// CHECK-LABEL: func.func @undone(
// CHECK-NEXT: %{{.*}} = snippets.matmul %a, %b {transpose_b, tag} : (tensor<4x8xf32>, tensor<5x8xf32>) -> tensor<4x5xf32>
// CHECK-NEXT: func.return
func.func @undone(%a: tensor<4x8xf32>, %b: tensor<5x8xf32>) -> tensor<4x5xf32> {
  %0 = snippets.transpose %a {permutation = array<i64: 1, 0>} : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %1 = snippets.matmul %0, %b {transpose_a, transpose_b, tag} : (tensor<8x4xf32>, tensor<5x8xf32>) -> tensor<4x5xf32>
  func.return %1 : tensor<4x5xf32>
}

// Keys of heads: the heads go before the rows, and the swap into the product.

// CHECK-LABEL: func.func @heads(
// CHECK-NEXT: %[[K:.*]] = snippets.transpose %k {permutation = array<i64: 0, 2, 1, 3>} : (tensor<?x20x4x16xf32>) -> tensor<?x4x20x16xf32>
// CHECK-NEXT: %{{.*}} = snippets.matmul %q, %[[K]] {transpose_b} : (tensor<2x4x12x16xf32>, tensor<?x4x20x16xf32>) -> tensor<2x4x12x20xf32>
// CHECK-NEXT: func.return
func.func @heads(%q: tensor<2x4x12x16xf32>, %k: tensor<?x20x4x16xf32>) -> tensor<2x4x12x20xf32> {
  %0 = snippets.transpose %k {permutation = array<i64: 0, 2, 3, 1>} : (tensor<?x20x4x16xf32>) -> tensor<?x4x16x20xf32>
  %1 = snippets.matmul %q, %0 : (tensor<2x4x12x16xf32>, tensor<?x4x16x20xf32>) -> tensor<2x4x12x20xf32>
  func.return %1 : tensor<2x4x12x20xf32>
}

// What only the product reads after that is in its kernel.

// ONE-LABEL: func.func @both(
// ONE-NEXT: %{{.*}} = snippets.subgraph
// ONE-NEXT: %{{.*}} = snippets.transpose
// ONE-NEXT: %{{.*}} = snippets.transpose
// ONE-NEXT: %{{.*}} = snippets.matmul
// ONE-NEXT: snippets.yield
func.func @both(%q: tensor<1x12x6x64xf32>, %k: tensor<1x12x6x64xf32>) -> tensor<1x6x12x12xf32> {
  %0 = snippets.transpose %q {permutation = array<i64: 0, 2, 1, 3>} : (tensor<1x12x6x64xf32>) -> tensor<1x6x12x64xf32>
  %1 = snippets.transpose %k {permutation = array<i64: 0, 2, 3, 1>} : (tensor<1x12x6x64xf32>) -> tensor<1x6x64x12xf32>
  %2 = snippets.matmul %0, %1 : (tensor<1x6x12x64xf32>, tensor<1x6x64x12xf32>) -> tensor<1x6x12x12xf32>
  func.return %2 : tensor<1x6x12x12xf32>
}

// Left alone: rows that stay rows, and rows that are taken apart.

// CHECK-LABEL: func.func @left(
// CHECK-NEXT: %[[X:.*]] = snippets.transpose %x {permutation = array<i64: 1, 0, 2>}
// CHECK-NEXT: %[[Y:.*]] = snippets.transpose %y {permutation = array<i64: 2, 0, 1>}
// CHECK-NEXT: %{{.*}} = snippets.matmul %[[X]], %[[Y]] : (tensor<5x4x6xf32>, tensor<5x6x7xf32>) -> tensor<5x4x7xf32>
func.func @left(%x: tensor<4x5x6xf32>, %y: tensor<6x7x5xf32>) -> tensor<5x4x7xf32> {
  %0 = snippets.transpose %x {permutation = array<i64: 1, 0, 2>} : (tensor<4x5x6xf32>) -> tensor<5x4x6xf32>
  %1 = snippets.transpose %y {permutation = array<i64: 2, 0, 1>} : (tensor<6x7x5xf32>) -> tensor<5x6x7xf32>
  %2 = snippets.matmul %0, %1 : (tensor<5x4x6xf32>, tensor<5x6x7xf32>) -> tensor<5x4x7xf32>
  func.return %2 : tensor<5x4x7xf32>
}
