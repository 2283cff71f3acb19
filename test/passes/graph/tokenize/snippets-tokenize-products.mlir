// RUN: snippets-opt %s -p snippets-tokenize --verify-each | filecheck %s

// Which ops go into one kernel with a matrix product.

// The product and the elementwise ops after it; what computes its operand is outside.
// CHECK-LABEL: func.func @epilogue(
// CHECK-NEXT: %{{.*}} = snippets.subgraph
// CHECK-NEXT: %{{.*}} = snippets.relu
// CHECK-NEXT: snippets.yield
// CHECK-NEXT: }
// CHECK-NEXT: %{{.*}} = snippets.subgraph
// CHECK-NEXT: %{{.*}} = snippets.matmul
// CHECK-NEXT: %{{.*}} = snippets.add
// CHECK-NEXT: %{{.*}} = snippets.tanh
// CHECK-NEXT: %{{.*}} = snippets.add
// CHECK-NEXT: snippets.yield
// CHECK-NEXT: }
// CHECK-NEXT: func.return
func.func @epilogue(%x: tensor<2x12x64xf32>, %w: tensor<64x96xf32>, %b: tensor<96xf32>, %r: tensor<2x12x96xf32>) -> tensor<2x12x96xf32> {
  %0 = snippets.relu %x : tensor<2x12x64xf32>
  %1 = snippets.matmul %0, %w : (tensor<2x12x64xf32>, tensor<64x96xf32>) -> tensor<2x12x96xf32>
  %2 = snippets.add %1, %b : (tensor<2x12x96xf32>, tensor<96xf32>) -> tensor<2x12x96xf32>
  %3 = snippets.tanh %2 : tensor<2x12x96xf32>
  %4 = snippets.add %3, %r : tensor<2x12x96xf32>
  func.return %4 : tensor<2x12x96xf32>
}

// Transposes of inputs that keep rows together are views in the kernel.
// CHECK-LABEL: func.func @views(
// CHECK-NEXT: %{{.*}} = snippets.subgraph (%q_1 = %q, %k_1 = %k)
// CHECK-NEXT: %{{.*}} = snippets.transpose
// CHECK-NEXT: %{{.*}} = snippets.transpose
// CHECK-NEXT: %{{.*}} = snippets.matmul
// CHECK-NEXT: snippets.yield
// CHECK-NEXT: }
// CHECK-NEXT: func.return
func.func @views(%q: tensor<2x12x4x16xf32>, %k: tensor<2x20x4x16xf32>) -> tensor<2x4x12x20xf32> {
  %0 = snippets.transpose %q {permutation = array<i64: 0, 2, 1, 3>} : (tensor<2x12x4x16xf32>) -> tensor<2x4x12x16xf32>
  %1 = snippets.transpose %k {permutation = array<i64: 0, 2, 3, 1>} : (tensor<2x20x4x16xf32>) -> tensor<2x4x16x20xf32>
  %2 = snippets.matmul %0, %1 : (tensor<2x4x12x16xf32>, tensor<2x4x16x20xf32>) -> tensor<2x4x12x20xf32>
  func.return %2 : tensor<2x4x12x20xf32>
}

// Not so one that something else reads.
// CHECK-LABEL: func.func @apart(
// CHECK-NEXT: %{{.*}} = snippets.subgraph (%x_1 = %x)
// CHECK-NEXT: %{{.*}} = snippets.transpose
// CHECK-NEXT: snippets.yield
// CHECK-NEXT: }
// CHECK-NEXT: %{{.*}} = snippets.subgraph
// CHECK-NEXT: %{{.*}} = snippets.transpose
// CHECK-NEXT: %{{.*}} = snippets.matmul
// CHECK-NEXT: snippets.yield
// CHECK-NEXT: }
// CHECK-NEXT: func.return
func.func @apart(%x: tensor<4x5x6xf32>, %w: tensor<4x6x7xf32>) -> (tensor<4x5x7xf32>, tensor<5x4x6xf32>) {
  %0 = snippets.transpose %x {permutation = array<i64: 1, 0, 2>} : (tensor<4x5x6xf32>) -> tensor<5x4x6xf32>
  %1 = snippets.transpose %0 {permutation = array<i64: 1, 0, 2>} : (tensor<5x4x6xf32>) -> tensor<4x5x6xf32>
  %2 = snippets.matmul %1, %w : (tensor<4x5x6xf32>, tensor<4x6x7xf32>) -> tensor<4x5x7xf32>
  func.return %2, %0 : tensor<4x5x7xf32>, tensor<5x4x6xf32>
}

// Nor one that takes rows apart.
// CHECK-LABEL: func.func @strided(
// CHECK-NEXT: %{{.*}} = snippets.subgraph (%x_1 = %x)
// CHECK-NEXT: %{{.*}} = snippets.transpose
// CHECK-NEXT: snippets.yield
// CHECK-NEXT: }
// CHECK-NEXT: %{{.*}} = snippets.subgraph
// CHECK-NEXT: %{{.*}} = snippets.matmul
// CHECK-NEXT: snippets.yield
// CHECK-NEXT: }
// CHECK-NEXT: func.return
func.func @strided(%x: tensor<6x4x5xf32>, %w: tensor<5x6x7xf32>) -> tensor<5x4x7xf32> {
  %0 = snippets.transpose %x {permutation = array<i64: 2, 1, 0>} : (tensor<6x4x5xf32>) -> tensor<5x4x6xf32>
  %1 = snippets.matmul %0, %w : (tensor<5x4x6xf32>, tensor<5x6x7xf32>) -> tensor<5x4x7xf32>
  func.return %1 : tensor<5x4x7xf32>
}

// One product in a kernel; no reduction, and nothing that is larger than the product.
// CHECK-LABEL: func.func @two(
// CHECK-NEXT: %{{.*}} = snippets.constant
// CHECK-NEXT: %{{.*}} = snippets.subgraph
// CHECK-NEXT: %{{.*}} = snippets.matmul
// CHECK-NEXT: snippets.yield
// CHECK-NEXT: }
// CHECK-NEXT: %{{.*}} = snippets.subgraph
// CHECK-NEXT: %{{.*}} = snippets.matmul
// CHECK-NEXT: %{{.*}} = snippets.multiply
// CHECK-NEXT: snippets.yield
// CHECK-NEXT: }
// CHECK-NEXT: %{{.*}} = snippets.subgraph
// CHECK-NEXT: %{{.*}} = snippets.reduce_sum
// CHECK-NEXT: snippets.yield
// CHECK-NEXT: }
// CHECK-NEXT: %{{.*}} = snippets.subgraph
// CHECK-NEXT: %{{.*}} = snippets.multiply
// CHECK-NEXT: snippets.yield
// CHECK-NEXT: }
// CHECK-NEXT: func.return
func.func @two(%a: tensor<4x5xf32>, %b: tensor<5x6xf32>, %c: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x1xf32>, tensor<3x4x6xf32>) {
  %z = snippets.constant dense<2.0> : tensor<3x1x1xf32>
  %0 = snippets.matmul %a, %b : (tensor<4x5xf32>, tensor<5x6xf32>) -> tensor<4x6xf32>
  %1 = snippets.matmul %a, %b : (tensor<4x5xf32>, tensor<5x6xf32>) -> tensor<4x6xf32>
  %2 = snippets.multiply %0, %1 : tensor<4x6xf32>
  %3 = snippets.reduce_sum %2 {axes = array<i64: 1>, keep_dims} : (tensor<4x6xf32>) -> tensor<4x1xf32>
  %4 = snippets.multiply %2, %z : (tensor<4x6xf32>, tensor<3x1x1xf32>) -> tensor<3x4x6xf32>
  func.return %2, %3, %4 : tensor<4x6xf32>, tensor<4x1xf32>, tensor<3x4x6xf32>
}

// A product of integers has no kernel.
// CHECK-LABEL: func.func @integers(
// CHECK-NEXT: %{{.*}} = snippets.matmul %a, %b {snippets.reason = "P1: no kernel holds a matrix product of i32"}
// CHECK-NEXT: %{{.*}} = snippets.subgraph
// CHECK-NEXT: %{{.*}} = snippets.add
// CHECK-NEXT: snippets.yield
// CHECK-NEXT: }
// CHECK-NEXT: func.return
func.func @integers(%a: tensor<4x5xi32>, %b: tensor<5x6xi32>, %c: tensor<4x6xi32>) -> tensor<4x6xi32> {
  %0 = snippets.matmul %a, %b : (tensor<4x5xi32>, tensor<5x6xi32>) -> tensor<4x6xi32>
  %1 = snippets.add %0, %c : tensor<4x6xi32>
  func.return %1 : tensor<4x6xi32>
}
