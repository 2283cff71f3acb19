// RUN: snippets-opt %s -p convert-stablehlo-to-snippets --verify-each | filecheck %s

// A `vmap` in JAX transposes x and its maxima.
// CHECK-LABEL: func.func @transposed
// CHECK: %[[T:.*]] = snippets.transpose %x {permutation = array<i64: 2, 0, 1, 3>}
// CHECK: %[[P:.*]] = snippets.softmax %[[T]] {axis = 3 : i64}
// CHECK-NEXT: func.return %[[P]]
func.func @transposed(%x: tensor<2x4x3x8xf32>) -> tensor<3x2x4x8xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [3] : (tensor<2x4x3x8xf32>, tensor<f32>) -> tensor<2x4x3xf32>
  %0 = stablehlo.transpose %m, dims = [2, 0, 1] : (tensor<2x4x3xf32>) -> tensor<3x2x4xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1, 2] : (tensor<3x2x4xf32>) -> tensor<3x2x4x1xf32>
  %t = stablehlo.transpose %x, dims = [2, 0, 1, 3] : (tensor<2x4x3x8xf32>) -> tensor<3x2x4x8xf32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2, 3] : (tensor<3x2x4x1xf32>) -> tensor<3x2x4x8xf32>
  %d = stablehlo.subtract %t, %2 : tensor<3x2x4x8xf32>
  %e = stablehlo.exponential %d : tensor<3x2x4x8xf32>
  %s = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [3] : (tensor<3x2x4x8xf32>, tensor<f32>) -> tensor<3x2x4xf32>
  %3 = stablehlo.broadcast_in_dim %s, dims = [0, 1, 2] : (tensor<3x2x4xf32>) -> tensor<3x2x4x1xf32>
  %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2, 3] : (tensor<3x2x4x1xf32>) -> tensor<3x2x4x8xf32>
  %p = stablehlo.divide %e, %4 : tensor<3x2x4x8xf32>
  func.return %p : tensor<3x2x4x8xf32>
}

// Not a softmax: the maxima are those of other rows (cubes have the same shape in each order).
// CHECK-LABEL: func.func @other_rows
// CHECK-NOT: snippets.softmax
// CHECK: func.return
func.func @other_rows(%x: tensor<4x4x4x8xf32>) -> tensor<4x4x4x8xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [3] : (tensor<4x4x4x8xf32>, tensor<f32>) -> tensor<4x4x4xf32>
  %0 = stablehlo.transpose %m, dims = [1, 0, 2] : (tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1, 2] : (tensor<4x4x4xf32>) -> tensor<4x4x4x1xf32>
  %t = stablehlo.transpose %x, dims = [2, 0, 1, 3] : (tensor<4x4x4x8xf32>) -> tensor<4x4x4x8xf32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2, 3] : (tensor<4x4x4x1xf32>) -> tensor<4x4x4x8xf32>
  %d = stablehlo.subtract %t, %2 : tensor<4x4x4x8xf32>
  %e = stablehlo.exponential %d : tensor<4x4x4x8xf32>
  %s = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [3] : (tensor<4x4x4x8xf32>, tensor<f32>) -> tensor<4x4x4xf32>
  %3 = stablehlo.broadcast_in_dim %s, dims = [0, 1, 2] : (tensor<4x4x4xf32>) -> tensor<4x4x4x1xf32>
  %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2, 3] : (tensor<4x4x4x1xf32>) -> tensor<4x4x4x8xf32>
  %p = stablehlo.divide %e, %4 : tensor<4x4x4x8xf32>
  func.return %p : tensor<4x4x4x8xf32>
}

// Not a softmax: the maxima are those of another value.
// CHECK-LABEL: func.func @other_value
// CHECK-NOT: snippets.softmax
// CHECK: func.return
func.func @other_value(%y: tensor<4x4x4x8xf32>, %x: tensor<4x4x4x8xf32>) -> tensor<4x4x4x8xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.reduce(%y init: %low) applies stablehlo.maximum across dimensions = [3] : (tensor<4x4x4x8xf32>, tensor<f32>) -> tensor<4x4x4xf32>
  %0 = stablehlo.transpose %m, dims = [2, 0, 1] : (tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1, 2] : (tensor<4x4x4xf32>) -> tensor<4x4x4x1xf32>
  %t = stablehlo.transpose %x, dims = [2, 0, 1, 3] : (tensor<4x4x4x8xf32>) -> tensor<4x4x4x8xf32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2, 3] : (tensor<4x4x4x1xf32>) -> tensor<4x4x4x8xf32>
  %d = stablehlo.subtract %t, %2 : tensor<4x4x4x8xf32>
  %e = stablehlo.exponential %d : tensor<4x4x4x8xf32>
  %s = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [3] : (tensor<4x4x4x8xf32>, tensor<f32>) -> tensor<4x4x4xf32>
  %3 = stablehlo.broadcast_in_dim %s, dims = [0, 1, 2] : (tensor<4x4x4xf32>) -> tensor<4x4x4x1xf32>
  %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2, 3] : (tensor<4x4x4x1xf32>) -> tensor<4x4x4x8xf32>
  %p = stablehlo.divide %e, %4 : tensor<4x4x4x8xf32>
  func.return %p : tensor<4x4x4x8xf32>
}

// Not a softmax: the sums are along another dim than the maxima.
// CHECK-LABEL: func.func @other_dim
// CHECK-NOT: snippets.softmax
// CHECK: func.return
func.func @other_dim(%x: tensor<4x4x4x4xf32>) -> tensor<4x4x4x4xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [3] : (tensor<4x4x4x4xf32>, tensor<f32>) -> tensor<4x4x4xf32>
  %0 = stablehlo.transpose %m, dims = [2, 0, 1] : (tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1, 2] : (tensor<4x4x4xf32>) -> tensor<4x4x4x1xf32>
  %t = stablehlo.transpose %x, dims = [2, 0, 1, 3] : (tensor<4x4x4x4xf32>) -> tensor<4x4x4x4xf32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2, 3] : (tensor<4x4x4x1xf32>) -> tensor<4x4x4x4xf32>
  %d = stablehlo.subtract %t, %2 : tensor<4x4x4x4xf32>
  %e = stablehlo.exponential %d : tensor<4x4x4x4xf32>
  %s = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<4x4x4x4xf32>, tensor<f32>) -> tensor<4x4x4xf32>
  %3 = stablehlo.broadcast_in_dim %s, dims = [0, 1, 3] : (tensor<4x4x4xf32>) -> tensor<4x4x1x4xf32>
  %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2, 3] : (tensor<4x4x1x4xf32>) -> tensor<4x4x4x4xf32>
  %p = stablehlo.divide %e, %4 : tensor<4x4x4x4xf32>
  func.return %p : tensor<4x4x4x4xf32>
}

// Truth values that are all true, through views: the other operand.
// CHECK-LABEL: func.func @all_true
// CHECK-NOT: snippets.logical_and
// CHECK: func.return %x, %x
func.func @all_true(%x: tensor<1x4x8xi1>) -> (tensor<1x4x8xi1>, tensor<1x4x8xi1>) {
  %c = stablehlo.constant dense<true> : tensor<i1>
  %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i1>) -> tensor<4x8xi1>
  %1 = stablehlo.broadcast_in_dim %0, dims = [1, 2] : (tensor<4x8xi1>) -> tensor<1x4x8xi1>
  %2 = stablehlo.and %1, %x : tensor<1x4x8xi1>
  %d = stablehlo.constant dense<true> : tensor<1x4x8xi1>
  %3 = stablehlo.and %x, %d : tensor<1x4x8xi1>
  func.return %2, %3 : tensor<1x4x8xi1>, tensor<1x4x8xi1>
}

// Those stay: all false, not all true, numbers.
// CHECK-LABEL: func.func @not_all_true
// CHECK-COUNT-2: snippets.logical_and
// CHECK: snippets.bitwise_and
func.func @not_all_true(%x: tensor<4xi1>, %n: tensor<4xi8>) -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi8>) {
  %c = stablehlo.constant dense<false> : tensor<4xi1>
  %0 = stablehlo.and %x, %c : tensor<4xi1>
  %d = stablehlo.constant dense<[true, true, false, true]> : tensor<4xi1>
  %1 = stablehlo.and %x, %d : tensor<4xi1>
  %e = stablehlo.constant dense<1> : tensor<4xi8>
  %2 = stablehlo.and %n, %e : tensor<4xi8>
  func.return %0, %1, %2 : tensor<4xi1>, tensor<4xi1>, tensor<4xi8>
}
