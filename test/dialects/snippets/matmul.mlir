// RUN: %roundtrip
// RUN: %generic-roundtrip

// Products of every rank, transposed and not, with dynamic sizes; both forms parse back.

// CHECK-LABEL: func.func @ranks
func.func @ranks(%v: tensor<8xf32>, %m: tensor<4x8xf32>, %n: tensor<8x5xf32>, %b: tensor<7x1x4x8xf32>, %c: tensor<3x8x5xf32>) {
  // CHECK-NEXT: %{{.*}} = snippets.matmul %v, %v : (tensor<8xf32>, tensor<8xf32>) -> tensor<f32>
  %0 = snippets.matmul %v, %v : (tensor<8xf32>, tensor<8xf32>) -> tensor<f32>
  // CHECK-NEXT: %{{.*}} = snippets.matmul %v, %n : (tensor<8xf32>, tensor<8x5xf32>) -> tensor<5xf32>
  %1 = snippets.matmul %v, %n : (tensor<8xf32>, tensor<8x5xf32>) -> tensor<5xf32>
  // CHECK-NEXT: %{{.*}} = snippets.matmul %m, %v : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4xf32>
  %2 = snippets.matmul %m, %v : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4xf32>
  // CHECK-NEXT: %{{.*}} = snippets.matmul %m, %n : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<4x5xf32>
  %3 = snippets.matmul %m, %n : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<4x5xf32>
  // CHECK-NEXT: %{{.*}} = snippets.matmul %b, %c : (tensor<7x1x4x8xf32>, tensor<3x8x5xf32>) -> tensor<7x3x4x5xf32>
  %4 = snippets.matmul %b, %c : (tensor<7x1x4x8xf32>, tensor<3x8x5xf32>) -> tensor<7x3x4x5xf32>
  // CHECK-NEXT: %{{.*}} = snippets.matmul %v, %c : (tensor<8xf32>, tensor<3x8x5xf32>) -> tensor<3x5xf32>
  %5 = snippets.matmul %v, %c : (tensor<8xf32>, tensor<3x8x5xf32>) -> tensor<3x5xf32>
  func.return
}

// CHECK-LABEL: func.func @transposed
func.func @transposed(%a: tensor<8x4xf64>, %b: tensor<5x8xf64>, %i: tensor<8x4xi32>) {
  // CHECK-NEXT: %{{.*}} = snippets.matmul %a, %b {transpose_a, transpose_b} : (tensor<8x4xf64>, tensor<5x8xf64>) -> tensor<4x5xf64>
  %0 = snippets.matmul %a, %b {transpose_a, transpose_b} : (tensor<8x4xf64>, tensor<5x8xf64>) -> tensor<4x5xf64>
  // CHECK-NEXT: %{{.*}} = snippets.matmul %i, %i {transpose_a} : (tensor<8x4xi32>, tensor<8x4xi32>) -> tensor<4x4xi32>
  %1 = snippets.matmul %i, %i {transpose_a} : (tensor<8x4xi32>, tensor<8x4xi32>) -> tensor<4x4xi32>
  // CHECK-NEXT: %{{.*}} = snippets.matmul %i, %i {transpose_b} : (tensor<8x4xi32>, tensor<8x4xi32>) -> tensor<8x8xi32>
  %2 = snippets.matmul %i, %i {transpose_b} : (tensor<8x4xi32>, tensor<8x4xi32>) -> tensor<8x8xi32>
  func.return
}

// CHECK-LABEL: func.func @unknown
func.func @unknown(%a: tensor<?x?x?xf32>, %b: tensor<5x?x6xf32>, %e: tensor<3x0xf32>, %f: tensor<0x2xf32>) {
  // CHECK-NEXT: %{{.*}} = snippets.matmul %a, %b : (tensor<?x?x?xf32>, tensor<5x?x6xf32>) -> tensor<5x?x6xf32>
  %0 = snippets.matmul %a, %b : (tensor<?x?x?xf32>, tensor<5x?x6xf32>) -> tensor<5x?x6xf32>
  // CHECK-NEXT: %{{.*}} = snippets.matmul %e, %f : (tensor<3x0xf32>, tensor<0x2xf32>) -> tensor<3x2xf32>
  %1 = snippets.matmul %e, %f : (tensor<3x0xf32>, tensor<0x2xf32>) -> tensor<3x2xf32>
  func.return
}
