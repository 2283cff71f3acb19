// RUN: snippets-opt %s -p snippets-share-reciprocals --verify-each | filecheck %s
// RUN: snippets-opt %s -p snippets-share-reciprocals,snippets-share-reciprocals --verify-each | filecheck %s

// Rule S3, the sum of a softmax is at least 1, so its reciprocal is a normal number.
// CHECK-LABEL: func.func @softmax(
// CHECK: %[[E:.*]] = snippets.exp
// CHECK-NEXT: %[[S:.*]] = snippets.reduce_sum %[[E]]
// CHECK-NEXT: %[[C:.*]] = snippets.scalar 1.000000e+00 : f32
// CHECK-NEXT: %[[R:.*]] = snippets.divide %[[C]], %[[S]] : (tensor<f32>, tensor<?x1xf32>) -> tensor<?x1xf32>
// CHECK-NEXT: %[[Y:.*]] = snippets.multiply %[[E]], %[[R]] : (tensor<?x8xf32>, tensor<?x1xf32>) -> tensor<?x8xf32>
// CHECK-NEXT: snippets.yield %[[Y]]
func.func @softmax(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = snippets.subgraph (%a = %x) : (tensor<?x8xf32>) -> tensor<?x8xf32> {
    %1 = snippets.reduce_max %a {axes = array<i64: 1>, keep_dims} : (tensor<?x8xf32>) -> tensor<?x1xf32>
    %2 = snippets.subtract %a, %1 : (tensor<?x8xf32>, tensor<?x1xf32>) -> tensor<?x8xf32>
    %3 = snippets.exp %2 : tensor<?x8xf32>
    %4 = snippets.reduce_sum %3 {axes = array<i64: 1>, keep_dims} : (tensor<?x8xf32>) -> tensor<?x1xf32>
    %5 = snippets.divide %3, %4 : (tensor<?x8xf32>, tensor<?x1xf32>) -> tensor<?x8xf32>
    snippets.yield %5 : tensor<?x8xf32>
  }
  func.return %0 : tensor<?x8xf32>
}

// Rules S1 and S2, one reciprocal for all who divide by it; the divisor's broadcast is not in the way.
// CHECK-LABEL: func.func @roots(
// CHECK: %[[Q:.*]] = snippets.sqrt
// CHECK: %[[A:.*]] = snippets.add %[[Q]]
// CHECK: %[[R:.*]] = snippets.divide %{{.*}}, %[[Q]] : (tensor<f64>, tensor<4x1xf64>) -> tensor<4x1xf64>
// CHECK-NEXT: %[[P:.*]] = snippets.multiply %{{.*}}, %[[R]]
// CHECK-NEXT: %[[Z:.*]] = snippets.multiply %[[P]], %[[R]]
// CHECK: %[[T:.*]] = snippets.divide %{{.*}}, %[[A]] : (tensor<f64>, tensor<4x1xf64>) -> tensor<4x1xf64>
// CHECK-NEXT: snippets.multiply %[[Z]], %[[T]]
func.func @roots(%x: tensor<4x8xf64>, %v: tensor<4x1xf64>) -> tensor<4x8xf64> {
  %0 = snippets.subgraph (%a = %x, %b = %v) : (tensor<4x8xf64>, tensor<4x1xf64>) -> tensor<4x8xf64> {
    %1 = snippets.sqrt %b : tensor<4x1xf64>
    %e = snippets.scalar 1.0e-9 : f64
    %2 = snippets.add %1, %e : (tensor<4x1xf64>, tensor<f64>) -> tensor<4x1xf64>
    %3 = snippets.divide %a, %1 : (tensor<4x8xf64>, tensor<4x1xf64>) -> tensor<4x8xf64>
    %4 = snippets.broadcast %1 {shape = array<i64: 4, 8>} : (tensor<4x1xf64>) -> tensor<4x8xf64>
    %5 = snippets.divide %3, %4 : tensor<4x8xf64>
    %6 = snippets.divide %5, %2 : (tensor<4x8xf64>, tensor<4x1xf64>) -> tensor<4x8xf64>
    snippets.yield %6 : tensor<4x8xf64>
  }
  func.return %0 : tensor<4x8xf64>
}

// Along the rows themselves a divisor that follows from a reduction stays in a register, too.
// CHECK-LABEL: func.func @first_axis(
// CHECK: snippets.divide %{{.*}}, %{{.*}} : (tensor<f32>, tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT: snippets.multiply
func.func @first_axis(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = snippets.subgraph (%a = %x) : (tensor<4x8xf32>) -> tensor<4x8xf32> {
    %1 = snippets.multiply %a, %a : tensor<4x8xf32>
    %2 = snippets.reduce_sum %1 {axes = array<i64: 0>} : (tensor<4x8xf32>) -> tensor<8xf32>
    %3 = snippets.sqrt %2 : tensor<8xf32>
    %4 = snippets.divide %a, %3 : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
    snippets.yield %4 : tensor<4x8xf32>
  }
  func.return %0 : tensor<4x8xf32>
}

// A maximum on its way through other shapes, and one that meets other rows: of those the sum may be 0.
// CHECK-LABEL: func.func @shapes(
// CHECK: snippets.divide %{{.*}}, %{{.*}} : (tensor<f32>, tensor<4x1xf32>) -> tensor<4x1xf32>
// CHECK-NEXT: snippets.multiply
// CHECK: %[[T:.*]] = snippets.reduce_sum
// CHECK-NEXT: snippets.divide %{{.*}}, %[[T]] : (tensor<4x4xf32>, tensor<4x1xf32>) -> tensor<4x4xf32>
func.func @shapes(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %0, %r = snippets.subgraph (%a = %x) : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
    %1 = snippets.reduce_max %a {axes = array<i64: 1>} : (tensor<4x4xf32>) -> tensor<4xf32>
    %2 = snippets.reshape %1 : (tensor<4xf32>) -> tensor<4x1xf32>
    %3 = snippets.broadcast %2 : (tensor<4x1xf32>) -> tensor<4x4xf32>
    %4 = snippets.subtract %a, %3 : tensor<4x4xf32>
    %5 = snippets.exp %4 : tensor<4x4xf32>
    %6 = snippets.reduce_sum %5 {axes = array<i64: 1>, keep_dims} : (tensor<4x4xf32>) -> tensor<4x1xf32>
    %7 = snippets.divide %5, %6 : (tensor<4x4xf32>, tensor<4x1xf32>) -> tensor<4x4xf32>
    %8 = snippets.subtract %a, %1 : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
    %9 = snippets.exp %8 : tensor<4x4xf32>
    %10 = snippets.reduce_sum %9 {axes = array<i64: 1>, keep_dims} : (tensor<4x4xf32>) -> tensor<4x1xf32>
    %11 = snippets.divide %9, %10 : (tensor<4x4xf32>, tensor<4x1xf32>) -> tensor<4x4xf32>
    snippets.yield %7, %11 : tensor<4x4xf32>, tensor<4x4xf32>
  }
  func.return %0, %r : tensor<4x4xf32>, tensor<4x4xf32>
}

// A plain sum may be so small that its reciprocal is infinite; a maximum along another axis does not
// bound the sum from below; a root for each element; a root along the row that nothing reduces; a
// scalar that moves the root out of its range; 16-bit floats; a division outside of subgraphs.
// CHECK-LABEL: func.func @does_not_fire(
// CHECK-NOT: snippets.scalar 1.000000e+00
// CHECK: func.return
func.func @does_not_fire(%x: tensor<4x4xf32>, %v: tensor<4xf32>, %h: tensor<4x4xf16>) -> (tensor<4x4xf32>, tensor<4x4xf16>, tensor<4x4xf32>) {
  %o = snippets.sqrt %v : tensor<4xf32>
  %p = snippets.divide %x, %o : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
  %0, %q = snippets.subgraph (%a = %x, %b = %v, %c = %h) : (tensor<4x4xf32>, tensor<4xf32>, tensor<4x4xf16>) -> (tensor<4x4xf32>, tensor<4x4xf16>) {
    %1 = snippets.reduce_sum %a {axes = array<i64: 1>, keep_dims} : (tensor<4x4xf32>) -> tensor<4x1xf32>
    %2 = snippets.divide %a, %1 : (tensor<4x4xf32>, tensor<4x1xf32>) -> tensor<4x4xf32>
    %3 = snippets.reduce_max %2 {axes = array<i64: 0>, keep_dims} : (tensor<4x4xf32>) -> tensor<1x4xf32>
    %4 = snippets.subtract %2, %3 : (tensor<4x4xf32>, tensor<1x4xf32>) -> tensor<4x4xf32>
    %5 = snippets.exp %4 : tensor<4x4xf32>
    %6 = snippets.reduce_sum %5 {axes = array<i64: 1>, keep_dims} : (tensor<4x4xf32>) -> tensor<4x1xf32>
    %7 = snippets.divide %5, %6 : (tensor<4x4xf32>, tensor<4x1xf32>) -> tensor<4x4xf32>
    %8 = snippets.sqrt %a : tensor<4x4xf32>
    %9 = snippets.divide %7, %8 : tensor<4x4xf32>
    %10 = snippets.sqrt %b : tensor<4xf32>
    %11 = snippets.divide %9, %10 : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
    %e = snippets.scalar -1.0 : f32
    %12 = snippets.sqrt %1 : tensor<4x1xf32>
    %13 = snippets.add %12, %e : (tensor<4x1xf32>, tensor<f32>) -> tensor<4x1xf32>
    %14 = snippets.divide %11, %13 : (tensor<4x4xf32>, tensor<4x1xf32>) -> tensor<4x4xf32>
    %15 = snippets.reduce_max %c {axes = array<i64: 1>, keep_dims} : (tensor<4x4xf16>) -> tensor<4x1xf16>
    %16 = snippets.sqrt %15 : tensor<4x1xf16>
    %17 = snippets.divide %c, %16 : (tensor<4x4xf16>, tensor<4x1xf16>) -> tensor<4x4xf16>
    snippets.yield %14, %17 : tensor<4x4xf32>, tensor<4x4xf16>
  }
  func.return %0, %q, %p : tensor<4x4xf32>, tensor<4x4xf16>, tensor<4x4xf32>
}
