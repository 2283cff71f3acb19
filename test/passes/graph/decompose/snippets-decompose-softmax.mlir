// RUN: snippets-opt %s -p snippets-decompose-softmax --verify-each | filecheck %s
// RUN: snippets-opt %s -p snippets-decompose-softmax,snippets-decompose-softmax --verify-each | filecheck %s

// Along the last dim, in a body.
// CHECK-LABEL: func.func @softmax(
// CHECK: %[[M:.*]] = snippets.reduce_max %[[X:.*]] {axes = array<i64: 1>, keep_dims} : (tensor<4x8xf32>) -> tensor<4x1xf32>
// CHECK-NEXT: %[[D:.*]] = snippets.subtract %[[X]], %[[M]] : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
// CHECK-NEXT: %[[E:.*]] = snippets.exp %[[D]] : tensor<4x8xf32>
// CHECK-NEXT: %[[S:.*]] = snippets.reduce_sum %[[E]] {axes = array<i64: 1>, keep_dims} : (tensor<4x8xf32>) -> tensor<4x1xf32>
// CHECK-NEXT: %[[R:.*]] = snippets.divide %[[E]], %[[S]] : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
// CHECK-NEXT: snippets.yield %[[R]]
func.func @softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = snippets.subgraph (%a = %x) : (tensor<4x8xf32>) -> tensor<4x8xf32> {
    %1 = snippets.softmax %a {axis = 1 : i64} : tensor<4x8xf32>
    snippets.yield %1 : tensor<4x8xf32>
  }
  func.return %0 : tensor<4x8xf32>
}

// Along another dim, of unknown size, on the graph; the distance from the maximum is used twice.
// CHECK-LABEL: func.func @log_softmax(
// CHECK: %[[M:.*]] = snippets.reduce_max %x {axes = array<i64: 0>, keep_dims} : (tensor<?x8x?xf64>) -> tensor<1x8x?xf64>
// CHECK-NEXT: %[[D:.*]] = snippets.subtract %x, %[[M]] : (tensor<?x8x?xf64>, tensor<1x8x?xf64>) -> tensor<?x8x?xf64>
// CHECK-NEXT: %[[E:.*]] = snippets.exp %[[D]]
// CHECK-NEXT: %[[S:.*]] = snippets.reduce_sum %[[E]] {axes = array<i64: 0>, keep_dims}
// CHECK-NEXT: %[[L:.*]] = snippets.log %[[S]] : tensor<1x8x?xf64>
// CHECK-NEXT: %[[R:.*]] = snippets.subtract %[[D]], %[[L]] : (tensor<?x8x?xf64>, tensor<1x8x?xf64>) -> tensor<?x8x?xf64>
// CHECK-NEXT: func.return %[[R]]
func.func @log_softmax(%x: tensor<?x8x?xf64>) -> tensor<?x8x?xf64> {
  %0 = snippets.log_softmax %x {axis = 0 : i64} : tensor<?x8x?xf64>
  func.return %0 : tensor<?x8x?xf64>
}

// What the user keeps away from the compiler stays; so do normalizations.
// CHECK-LABEL: func.func @does_not_fire(
// CHECK-NEXT: snippets.softmax %x {axis = 1 : i64, snippets.skipped = "mine"} : tensor<4x8xf32>
// CHECK-NEXT: snippets.rms_norm
// CHECK-NEXT: func.return
func.func @does_not_fire(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = snippets.softmax %x {axis = 1 : i64, snippets.skipped = "mine"} : tensor<4x8xf32>
  %1 = snippets.rms_norm %0 {axis = 1 : i64, epsilon = 1.0e-5 : f64} : tensor<4x8xf32>
  func.return %1 : tensor<4x8xf32>
}
