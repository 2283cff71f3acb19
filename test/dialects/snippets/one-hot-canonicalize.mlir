// RUN: snippets-opt %s -p canonicalize | filecheck %s

// The product of one-hot rows with a constant reads rows of the constant; the matrix is gone.
// CHECK-LABEL: @rows
// CHECK-NOT: snippets.equal
// CHECK-DAG: %[[I:.*]] = snippets.reshape %x : (tensor<5x1xi32>) -> tensor<5xi32>
// CHECK: %[[G:.*]] = snippets.gather %{{.*}}, %[[I]] {axis = 0 : i64} : (tensor<3x2xf32>, tensor<5xi32>) -> tensor<5x2xf32>
// CHECK-DAG: %[[A:.*]] = snippets.greater_equal %x
// CHECK-DAG: %[[B:.*]] = snippets.less_equal %x
// CHECK: %[[C:.*]] = snippets.logical_and %[[A]], %[[B]]
// CHECK: %[[R:.*]] = snippets.select %[[C]], %[[G]]
// CHECK-NOT: snippets.matmul
// CHECK: func.return %[[R]]
func.func @rows(%x: tensor<5x1xi32>) -> tensor<5x2xf32> {
  %k = snippets.constant dense<[0, 1, 2]> : tensor<3xi32>
  %w = snippets.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %0 = snippets.equal %x, %k : (tensor<5x1xi32>, tensor<3xi32>) -> tensor<5x3xi1>
  %1 = snippets.convert_truncation %0 : (tensor<5x3xi1>) -> tensor<5x3xf32>
  %2 = snippets.matmul %1, %w : (tensor<5x3xf32>, tensor<3x2xf32>) -> tensor<5x2xf32>
  func.return %2 : tensor<5x2xf32>
}

// The other order, a broadcast before, and sizes of the call.
// CHECK-LABEL: @broadcast_before
// CHECK: snippets.gather
// CHECK-NOT: snippets.matmul
func.func @broadcast_before(%x: tensor<?x4x1xi64, #lir.sizes<?0>>) -> tensor<?x4x2xf64, #lir.sizes<?0>> {
  %k = snippets.constant dense<[[[0, 1, 2]]]> : tensor<1x1x3xi64>
  %w = snippets.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf64>
  %b = snippets.broadcast %x : (tensor<?x4x1xi64, #lir.sizes<?0>>) -> tensor<?x4x3xi64, #lir.sizes<?0>>
  %0 = snippets.equal %k, %b : (tensor<1x1x3xi64>, tensor<?x4x3xi64, #lir.sizes<?0>>) -> tensor<?x4x3xi1, #lir.sizes<?0>>
  %1 = snippets.convert_truncation %0 : (tensor<?x4x3xi1, #lir.sizes<?0>>) -> tensor<?x4x3xf64, #lir.sizes<?0>>
  %2 = snippets.matmul %1, %w : (tensor<?x4x3xf64, #lir.sizes<?0>>, tensor<3x2xf64>) -> tensor<?x4x2xf64, #lir.sizes<?0>>
  func.return %2 : tensor<?x4x2xf64, #lir.sizes<?0>>
}

// Zero times an infinity is NaN in every row.
// CHECK-LABEL: @infinite
// CHECK: snippets.matmul
func.func @infinite(%x: tensor<5x1xi32>) -> tensor<5x2xf32> {
  %k = snippets.constant dense<[0, 1, 2]> : tensor<3xi32>
  %w = snippets.constant dense<[[1.0, 2.0], [3.0, 0x7F800000], [5.0, 6.0]]> : tensor<3x2xf32>
  %0 = snippets.equal %x, %k : (tensor<5x1xi32>, tensor<3xi32>) -> tensor<5x3xi1>
  %1 = snippets.convert_truncation %0 : (tensor<5x3xi1>) -> tensor<5x3xf32>
  %2 = snippets.matmul %1, %w : (tensor<5x3xf32>, tensor<3x2xf32>) -> tensor<5x2xf32>
  func.return %2 : tensor<5x2xf32>
}

// A sum with 0.0 in it is never -0.0.
// CHECK-LABEL: @negative_zero
// CHECK: snippets.matmul
func.func @negative_zero(%x: tensor<5x1xi32>) -> tensor<5x2xf32> {
  %k = snippets.constant dense<[0, 1, 2]> : tensor<3xi32>
  %w = snippets.constant dense<[[1.0, 2.0], [3.0, -0.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %0 = snippets.equal %x, %k : (tensor<5x1xi32>, tensor<3xi32>) -> tensor<5x3xi1>
  %1 = snippets.convert_truncation %0 : (tensor<5x3xi1>) -> tensor<5x3xf32>
  %2 = snippets.matmul %1, %w : (tensor<5x3xf32>, tensor<3x2xf32>) -> tensor<5x2xf32>
  func.return %2 : tensor<5x2xf32>
}

// Places that are no 0, 1, 2, ...
// CHECK-LABEL: @other_places
// CHECK: snippets.matmul
func.func @other_places(%x: tensor<5x1xi32>) -> tensor<5x2xf32> {
  %k = snippets.constant dense<[0, 1, 1]> : tensor<3xi32>
  %w = snippets.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %0 = snippets.equal %x, %k : (tensor<5x1xi32>, tensor<3xi32>) -> tensor<5x3xi1>
  %1 = snippets.convert_truncation %0 : (tensor<5x3xi1>) -> tensor<5x3xf32>
  %2 = snippets.matmul %1, %w : (tensor<5x3xf32>, tensor<3x2xf32>) -> tensor<5x2xf32>
  func.return %2 : tensor<5x2xf32>
}

// Numbers that differ within a row, floats, and a weight that only the call knows.
// CHECK-LABEL: @no_rows
// CHECK-COUNT-3: snippets.matmul
func.func @no_rows(%x: tensor<5x3xi32>, %y: tensor<5x1xf32>, %z: tensor<5x1xi32>, %v: tensor<3x2xf32>) -> (tensor<5x2xf32>, tensor<5x2xf32>, tensor<5x2xf32>) {
  %k = snippets.constant dense<[0, 1, 2]> : tensor<3xi32>
  %f = snippets.constant dense<[0.0, 1.0, 2.0]> : tensor<3xf32>
  %w = snippets.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %0 = snippets.equal %x, %k : (tensor<5x3xi32>, tensor<3xi32>) -> tensor<5x3xi1>
  %1 = snippets.convert_truncation %0 : (tensor<5x3xi1>) -> tensor<5x3xf32>
  %2 = snippets.matmul %1, %w : (tensor<5x3xf32>, tensor<3x2xf32>) -> tensor<5x2xf32>
  %3 = snippets.equal %y, %f : (tensor<5x1xf32>, tensor<3xf32>) -> tensor<5x3xi1>
  %4 = snippets.convert_truncation %3 : (tensor<5x3xi1>) -> tensor<5x3xf32>
  %5 = snippets.matmul %4, %w : (tensor<5x3xf32>, tensor<3x2xf32>) -> tensor<5x2xf32>
  %6 = snippets.equal %z, %k : (tensor<5x1xi32>, tensor<3xi32>) -> tensor<5x3xi1>
  %7 = snippets.convert_truncation %6 : (tensor<5x3xi1>) -> tensor<5x3xf32>
  %8 = snippets.matmul %7, %v : (tensor<5x3xf32>, tensor<3x2xf32>) -> tensor<5x2xf32>
  func.return %2, %5, %8 : tensor<5x2xf32>, tensor<5x2xf32>, tensor<5x2xf32>
}
