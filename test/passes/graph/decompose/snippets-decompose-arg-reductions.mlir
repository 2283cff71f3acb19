// RUN: snippets-opt %s -p snippets-decompose-arg-reductions --verify-each | filecheck %s
// RUN: snippets-opt %s -p snippets-decompose-arg-reductions,snippets-decompose-arg-reductions | filecheck %s

// CHECK-LABEL: func.func @floats
// CHECK-NEXT: %[[M:.*]] = snippets.reduce_max %x {axes = array<i64: 1>, keep_dims} : (tensor<?x8xf32>) -> tensor<?x1xf32>
// CHECK-NEXT: %[[E:.*]] = snippets.equal %x, %[[M]]
// CHECK-NEXT: %[[N:.*]] = snippets.is_nan %x
// CHECK-NEXT: %[[F:.*]] = snippets.logical_or %[[E]], %[[N]]
// CHECK-NEXT: %[[I:.*]] = snippets.iota {dim = 1 : i64} : tensor<1x8xi32>
// CHECK-NEXT: %[[S:.*]] = snippets.scalar 8 : i32
// CHECK-NEXT: %[[C:.*]] = snippets.select %[[F]], %[[I]], %[[S]]
// CHECK-NEXT: %[[P:.*]] = snippets.reduce_min %[[C]] {axes = array<i64: 1>, keep_dims} : (tensor<?x8xi32>) -> tensor<?x1xi32>
// CHECK-NEXT: %[[W:.*]] = snippets.convert_truncation %[[P]] : (tensor<?x1xi32>) -> tensor<?x1xi64>
// CHECK-NEXT: %[[R:.*]] = snippets.squeeze %[[W]] {axes = array<i64: 1>}
// CHECK-NEXT: func.return %[[R]]
func.func @floats(%x: tensor<?x8xf32>) -> tensor<?xi64> {
  %0 = snippets.arg_max %x {axis = 1 : i64} : (tensor<?x8xf32>) -> tensor<?xi64>
  func.return %0 : tensor<?xi64>
}

// Integers are no NaN, and truth values are compared as integers. The result keeps its type.
// CHECK-LABEL: func.func @truth
// CHECK-NEXT: %[[X:.*]] = snippets.convert_truncation %x : (tensor<3x4xi1>) -> tensor<3x4xi32>
// CHECK-NEXT: %[[M:.*]] = snippets.reduce_min %[[X]] {axes = array<i64: 0>, keep_dims}
// CHECK-NEXT: %[[E:.*]] = snippets.equal %[[X]], %[[M]]
// CHECK-NEXT: %[[I:.*]] = snippets.iota {dim = 0 : i64} : tensor<3x1xi32>
// CHECK-NEXT: %[[S:.*]] = snippets.scalar 3 : i32
// CHECK-NEXT: %[[C:.*]] = snippets.select %[[E]], %[[I]], %[[S]]
// CHECK-NEXT: %[[P:.*]] = snippets.reduce_min %[[C]] {axes = array<i64: 0>, keep_dims}
// CHECK-NEXT: func.return %[[P]] : tensor<1x4xi32>
func.func @truth(%x: tensor<3x4xi1>) -> tensor<1x4xi32> {
  %0 = snippets.arg_min %x {axis = 0 : i64, keep_dims} : (tensor<3x4xi1>) -> tensor<1x4xi32>
  func.return %0 : tensor<1x4xi32>
}

// Places that are no constant, elements without kernels, and what the user keeps stay.
// CHECK-LABEL: func.func @left
// CHECK-NEXT: snippets.arg_max %x {axis = 0 : i64, snippets.reason = "the size of axis 0 of ?x8 is not known; compile it for the shapes of a call"}
// CHECK-NEXT: snippets.arg_max %long {axis = 0 : i64, snippets.reason = "axis 0 of 65537 is longer than 65536"}
// CHECK-NEXT: snippets.arg_max %h {axis = 0 : i64} : (tensor<8xf16>)
// CHECK-NEXT: snippets.arg_max %k {axis = 0 : i64, snippets.skipped}
// CHECK-NEXT: func.return
func.func @left(%x: tensor<?x8xf32>, %long: tensor<65537xi32>, %h: tensor<8xf16>, %k: tensor<8xf32>) {
  %0 = snippets.arg_max %x {axis = 0 : i64} : (tensor<?x8xf32>) -> tensor<8xi64>
  %1 = snippets.arg_max %long {axis = 0 : i64} : (tensor<65537xi32>) -> tensor<i64>
  %2 = snippets.arg_max %h {axis = 0 : i64} : (tensor<8xf16>) -> tensor<i64>
  %3 = snippets.arg_max %k {axis = 0 : i64, snippets.skipped} : (tensor<8xf32>) -> tensor<i64>
  func.return
}
