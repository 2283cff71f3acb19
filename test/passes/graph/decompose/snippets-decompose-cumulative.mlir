// RUN: snippets-opt %s -p snippets-decompose-cumulative --verify-each | filecheck %s
// RUN: snippets-opt %s -p snippets-decompose-cumulative,snippets-decompose-cumulative | filecheck %s

// CHECK-LABEL: @both
// CHECK-NEXT: %[[P:.*]] = snippets.slice %x {starts = array<i64: 0, 7>, steps = array<i64: 1, -1>} : (tensor<3x8xf32>) -> tensor<3x7xf32>
// CHECK-NEXT: %[[C:.*]] = snippets.cum_sum %[[P]] {axis = 1 : i64} : tensor<3x7xf32>
// CHECK-NEXT: %[[N:.*]] = snippets.scalar 0.000000e+00 : f32
// CHECK-NEXT: %[[B:.*]] = snippets.broadcast %[[N]] : (tensor<f32>) -> tensor<3x1xf32>
// CHECK-NEXT: %[[J:.*]] = snippets.concat %[[B]], %[[C]] {axis = 1 : i64}
// CHECK-NEXT: %[[R:.*]] = snippets.slice %[[J]] {starts = array<i64: 0, 7>, steps = array<i64: 1, -1>} : tensor<3x8xf32>
// CHECK-NEXT: func.return %[[R]]
func.func @both(%x: tensor<3x8xf32>) -> tensor<3x8xf32> {
  %0 = snippets.cum_sum %x {axis = 1 : i64, exclusive, reverse} : tensor<3x8xf32>
  func.return %0 : tensor<3x8xf32>
}

// CHECK-LABEL: @exclusive
// CHECK-NEXT: snippets.slice %x {starts = array<i64: 0>, steps = array<i64: 1>} : (tensor<8xi32>) -> tensor<7xi32>
// CHECK-NEXT: snippets.cum_max %{{.*}} {axis = 0 : i64} : tensor<7xi32>
// CHECK-NEXT: snippets.scalar -2147483648 : i32
// CHECK-NEXT: snippets.broadcast
// CHECK-NEXT: snippets.concat
// CHECK-NEXT: func.return
func.func @exclusive(%x: tensor<8xi32>) -> tensor<8xi32> {
  %0 = snippets.cum_max %x {axis = 0 : i64, exclusive} : tensor<8xi32>
  func.return %0 : tensor<8xi32>
}

// The sizes of other dims are those of a call.
// CHECK-LABEL: @reverse
// CHECK-NEXT: snippets.slice %x {starts = array<i64: 0, 7>, steps = array<i64: 1, -1>} : tensor<?x8xf32>
// CHECK-NEXT: snippets.cum_prod %{{.*}} {axis = 1 : i64} : tensor<?x8xf32>
// CHECK-NEXT: snippets.slice
// CHECK-NEXT: func.return
func.func @reverse(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = snippets.cum_prod %x {axis = 1 : i64, reverse} : tensor<?x8xf32>
  func.return %0 : tensor<?x8xf32>
}

// Nothing is left of one element, and nothing changes of none.
// CHECK-LABEL: @few
// CHECK: %[[O:.*]] = snippets.broadcast %{{.*}} : (tensor<f32>) -> tensor<1xf32>
// CHECK-NEXT: snippets.cum_sum %y {axis = 0 : i64}
// CHECK-NEXT: func.return %[[O]]
func.func @few(%x: tensor<1xf32>, %y: tensor<0xf32>) -> (tensor<1xf32>, tensor<0xf32>) {
  %0 = snippets.cum_sum %x {axis = 0 : i64, exclusive} : tensor<1xf32>
  %1 = snippets.cum_sum %y {axis = 0 : i64, exclusive} : tensor<0xf32>
  func.return %0, %1 : tensor<1xf32>, tensor<0xf32>
}

// What stays: forward and inclusive, marked, of elements without kernels, of an axis whose size is
// not known, and what is in a subgraph.
// CHECK-LABEL: @stays
// CHECK-NEXT: snippets.cum_sum %x {axis = 0 : i64} : tensor<?xf32>
// CHECK-NEXT: snippets.cum_sum %x {axis = 0 : i64, reverse, snippets.skipped = "mine"} : tensor<?xf32>
// CHECK-NEXT: snippets.cum_sum %u {axis = 0 : i64, reverse} : tensor<8xui64>
// CHECK-NEXT: snippets.cum_sum %x {axis = 0 : i64, exclusive, snippets.reason = "the size of axis 0 of ? is not known; compile it for the shapes of a call"} : tensor<?xf32>
// CHECK-NEXT: snippets.subgraph
// CHECK-NEXT: snippets.cum_sum %{{.*}} {axis = 0 : i64, reverse} : tensor<8xf32>
func.func @stays(%x: tensor<?xf32>, %u: tensor<8xui64>, %y: tensor<8xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<8xui64>, tensor<?xf32>, tensor<8xf32>) {
  %0 = snippets.cum_sum %x {axis = 0 : i64} : tensor<?xf32>
  %1 = snippets.cum_sum %x {axis = 0 : i64, reverse, snippets.skipped = "mine"} : tensor<?xf32>
  %2 = snippets.cum_sum %u {axis = 0 : i64, reverse} : tensor<8xui64>
  %3 = snippets.cum_sum %x {axis = 0 : i64, exclusive} : tensor<?xf32>
  %4 = snippets.subgraph (%a = %y) : (tensor<8xf32>) -> tensor<8xf32> {
    %5 = snippets.cum_sum %a {axis = 0 : i64, reverse} : tensor<8xf32>
    snippets.yield %5 : tensor<8xf32>
  }
  func.return %0, %1, %2, %3, %4 : tensor<?xf32>, tensor<?xf32>, tensor<8xui64>, tensor<?xf32>, tensor<8xf32>
}
