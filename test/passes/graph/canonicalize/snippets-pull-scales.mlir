// RUN: snippets-opt %s -p snippets-pull-scales --check-each --split-input-file | filecheck %s

// Both factors are scaled, as PyTorch's exports do.
// CHECK-LABEL: func.func @both(
// CHECK: %[[S:.*]] = snippets.matmul %q, %k {transpose_b}
// CHECK-NEXT: %[[C:.*]] = snippets.scalar 1.250000e-01 : f32
// CHECK-NEXT: %{{.*}} = snippets.multiply %[[S]], %[[C]]
// CHECK-NOT: snippets.multiply
func.func @both(%q: tensor<2x9x4xf32>, %k: tensor<2x7x4xf32>, %v: tensor<2x7x5xf32>, %m: tensor<9x7xf32>) -> tensor<2x9x5xf32> {
  %c = snippets.constant dense<0.25> : tensor<f32>
  %d = snippets.constant dense<0.5> : tensor<1x1xf32>
  %0 = snippets.multiply %q, %c : (tensor<2x9x4xf32>, tensor<f32>) -> tensor<2x9x4xf32>
  %1 = snippets.multiply %k, %d : (tensor<2x7x4xf32>, tensor<1x1xf32>) -> tensor<2x7x4xf32>
  %s = snippets.matmul %0, %1 {transpose_b} : (tensor<2x9x4xf32>, tensor<2x7x4xf32>) -> tensor<2x9x7xf32>
  %2 = snippets.add %s, %m : (tensor<2x9x7xf32>, tensor<9x7xf32>) -> tensor<2x9x7xf32>
  %p = snippets.softmax %2 {axis = 2 : i64} : tensor<2x9x7xf32>
  %o = snippets.matmul %p, %v : (tensor<2x9x7xf32>, tensor<2x7x5xf32>) -> tensor<2x9x5xf32>
  func.return %o : tensor<2x9x5xf32>
}

// -----

// A quotient is a scale, too; the same value may be both factors.
// CHECK-LABEL: func.func @divided(
// CHECK: %[[S:.*]] = snippets.matmul %q, %q {transpose_b}
// CHECK-NEXT: %[[C:.*]] = snippets.scalar 0.1111111111111111 : f64
// CHECK-NEXT: %{{.*}} = snippets.multiply %[[S]], %[[C]]
func.func @divided(%q: tensor<9x4xf64>) -> tensor<9x9xf64> {
  %c = snippets.constant dense<3.0> : tensor<f64>
  %0 = snippets.divide %q, %c : (tensor<9x4xf64>, tensor<f64>) -> tensor<9x4xf64>
  %s = snippets.matmul %0, %0 {transpose_b} : (tensor<9x4xf64>, tensor<9x4xf64>) -> tensor<9x9xf64>
  %p = snippets.softmax %s {axis = 1 : i64} : tensor<9x9xf64>
  func.return %p : tensor<9x9xf64>
}

// -----

// No softmax reads the product.
// CHECK-LABEL: func.func @no_softmax(
// CHECK: snippets.multiply %q
// CHECK-NEXT: snippets.matmul
// CHECK-NEXT: func.return
func.func @no_softmax(%q: tensor<9x4xf32>, %k: tensor<4x7xf32>) -> tensor<9x7xf32> {
  %c = snippets.constant dense<0.25> : tensor<f32>
  %0 = snippets.multiply %q, %c : (tensor<9x4xf32>, tensor<f32>) -> tensor<9x4xf32>
  %s = snippets.matmul %0, %k : (tensor<9x4xf32>, tensor<4x7xf32>) -> tensor<9x7xf32>
  func.return %s : tensor<9x7xf32>
}

// -----

// A number out of range, one that the graph gets, one for each column, and a factor that is also
// returned stay.
// CHECK-LABEL: func.func @others(
// CHECK-COUNT-4: snippets.multiply
// CHECK-NEXT: snippets.matmul
// CHECK-NEXT: snippets.matmul
// CHECK-NEXT: snippets.add
// CHECK-NEXT: snippets.softmax
func.func @others(%q: tensor<9x4xf32>, %k: tensor<4x7xf32>, %n: tensor<f32>) -> (tensor<9x7xf32>, tensor<9x4xf32>) {
  %c = snippets.constant dense<1.0e5> : tensor<f32>
  %d = snippets.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]> : tensor<7xf32>
  %e = snippets.constant dense<0.5> : tensor<f32>
  %0 = snippets.multiply %q, %c : (tensor<9x4xf32>, tensor<f32>) -> tensor<9x4xf32>
  %1 = snippets.multiply %k, %n : (tensor<4x7xf32>, tensor<f32>) -> tensor<4x7xf32>
  %2 = snippets.multiply %q, %e : (tensor<9x4xf32>, tensor<f32>) -> tensor<9x4xf32>
  %3 = snippets.multiply %k, %d : (tensor<4x7xf32>, tensor<7xf32>) -> tensor<4x7xf32>
  %4 = snippets.matmul %0, %1 : (tensor<9x4xf32>, tensor<4x7xf32>) -> tensor<9x7xf32>
  %5 = snippets.matmul %2, %3 : (tensor<9x4xf32>, tensor<4x7xf32>) -> tensor<9x7xf32>
  %6 = snippets.add %4, %5 : tensor<9x7xf32>
  %p = snippets.softmax %6 {axis = 1 : i64} : tensor<9x7xf32>
  func.return %p, %2 : tensor<9x7xf32>, tensor<9x4xf32>
}
