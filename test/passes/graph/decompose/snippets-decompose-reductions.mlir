// RUN: snippets-opt %s -p snippets-decompose-reductions --verify-each | filecheck %s
// RUN: snippets-opt %s -p snippets-decompose-reductions,snippets-decompose-reductions --verify-each | filecheck %s

// CHECK-LABEL: func.func @mean(
// CHECK: %[[S:.*]] = snippets.reduce_sum %[[X:.*]] {axes = array<i64: 1>, keep_dims} : (tensor<?x8xf32>) -> tensor<?x1xf32>
// CHECK-NEXT: %[[N:.*]] = snippets.scalar 8.000000e+00 : f32
// CHECK-NEXT: %[[M:.*]] = snippets.divide %[[S]], %[[N]] : (tensor<?x1xf32>, tensor<f32>) -> tensor<?x1xf32>
// CHECK-NEXT: %[[R:.*]] = snippets.reshape %[[M]] : (tensor<?x1xf32>) -> tensor<?xf32>
// CHECK-NEXT: snippets.yield %[[R]]
func.func @mean(%x: tensor<?x8xf32>) -> tensor<?xf32> {
  %0 = snippets.subgraph (%a = %x) : (tensor<?x8xf32>) -> tensor<?xf32> {
    %1 = snippets.reduce_mean %a {axes = array<i64: 1>} : (tensor<?x8xf32>) -> tensor<?xf32>
    snippets.yield %1 : tensor<?xf32>
  }
  func.return %0 : tensor<?xf32>
}

// Neither the sum of an integer mean wraps, nor its count: 300 would be 44 in i8.
// CHECK-LABEL: func.func @mean_of_integers(
// CHECK-NEXT: %[[W:.*]] = snippets.convert_truncation %x : (tensor<300xi8>) -> tensor<300xi64>
// CHECK-NEXT: %[[S:.*]] = snippets.reduce_sum %[[W]] {axes = array<i64: 0>, keep_dims} : (tensor<300xi64>) -> tensor<1xi64>
// CHECK-NEXT: %[[N:.*]] = snippets.scalar 300 : i64
// CHECK-NEXT: %[[Q:.*]] = snippets.divide %[[S]], %[[N]]
// CHECK-NEXT: %[[R:.*]] = snippets.convert_truncation %[[Q]] : (tensor<1xi64>) -> tensor<1xi8>
// CHECK-NEXT: func.return %[[R]]
func.func @mean_of_integers(%x: tensor<300xi8>) -> tensor<1xi8> {
  %0 = snippets.reduce_mean %x {axes = array<i64: 0>, keep_dims} : (tensor<300xi8>) -> tensor<1xi8>
  func.return %0 : tensor<1xi8>
}

// Dynamic sizes ?0 and ?1: the mean divides by the product of all sizes, dynamic and static.
// CHECK-LABEL: func.func @mean_of_symbols(
// CHECK-NEXT: %[[S:.*]] = snippets.reduce_sum %x
// CHECK-NEXT: %[[N:.*]] = snippets.scalar #snippets.size<?0*?1*3 : f32>
// CHECK-NEXT: snippets.divide %[[S]], %[[N]]
func.func @mean_of_symbols(%x: tensor<?x3x?xf32, #lir.sizes<?0, ?1>>) -> tensor<1x1x1xf32> {
  %0 = snippets.reduce_mean %x {axes = array<i64: 0, 1, 2>, keep_dims} : (tensor<?x3x?xf32, #lir.sizes<?0, ?1>>) -> tensor<1x1x1xf32>
  func.return %0 : tensor<1x1x1xf32>
}

// Two sizes that are not known need a squeeze.
// CHECK-LABEL: func.func @dropped_dims(
// CHECK-NEXT: %[[A:.*]] = snippets.reduce_max %x {axes = array<i64: 0, 2>, keep_dims} : (tensor<2x3x4x5xi32>) -> tensor<1x3x1x5xi32>
// CHECK-NEXT: snippets.reshape %[[A]] : (tensor<1x3x1x5xi32>) -> tensor<3x5xi32>
// CHECK-NEXT: %[[B:.*]] = snippets.reduce_prod %y {axes = array<i64: 1>, keep_dims} : (tensor<?x3x?xf32>) -> tensor<?x1x?xf32>
// CHECK-NEXT: snippets.squeeze %[[B]] {axes = array<i64: 1>} : (tensor<?x1x?xf32>) -> tensor<?x?xf32>
// CHECK-NEXT: %[[C:.*]] = snippets.reduce_min %z {axes = array<i64: 0>, keep_dims} : (tensor<4xf64>) -> tensor<1xf64>
// CHECK-NEXT: snippets.reshape %[[C]] : (tensor<1xf64>) -> tensor<f64>
func.func @dropped_dims(%x: tensor<2x3x4x5xi32>, %y: tensor<?x3x?xf32>, %z: tensor<4xf64>) -> (tensor<3x5xi32>, tensor<?x?xf32>, tensor<f64>) {
  %0 = snippets.reduce_max %x {axes = array<i64: 0, 2>} : (tensor<2x3x4x5xi32>) -> tensor<3x5xi32>
  %1 = snippets.reduce_prod %y {axes = array<i64: 1>} : (tensor<?x3x?xf32>) -> tensor<?x?xf32>
  %2 = snippets.reduce_min %z {axes = array<i64: 0>} : (tensor<4xf64>) -> tensor<f64>
  func.return %0, %1, %2 : tensor<3x5xi32>, tensor<?x?xf32>, tensor<f64>
}

// Nothing is reduced: the neutral value.
// CHECK-LABEL: func.func @empty(
// CHECK-NEXT: %[[A:.*]] = snippets.scalar 0.000000e+00 : f32
// CHECK-NEXT: snippets.broadcast %[[A]] : (tensor<f32>) -> tensor<4xf32>
// CHECK-NEXT: %[[B:.*]] = snippets.scalar 0xff800000 : f32
// CHECK-NEXT: snippets.broadcast %[[B]] : (tensor<f32>) -> tensor<4x1xf32>
// CHECK-NEXT: %[[C:.*]] = snippets.scalar 0x7f800000 : f32
// CHECK-NEXT: %[[D:.*]] = snippets.scalar 0x7fc00000 : f32
// CHECK-NEXT: %[[E:.*]] = snippets.scalar -128 : i8
// CHECK-NEXT: %[[F:.*]] = snippets.scalar 18446744073709551615 : ui64
// CHECK-NEXT: %[[G:.*]] = snippets.scalar 1 : i8
// CHECK-NEXT: func.return %{{.*}}, %{{.*}}, %[[C]], %[[D]], %[[E]], %[[F]], %[[G]] :
func.func @empty(%x: tensor<4x0xf32>, %i: tensor<0xi8>, %u: tensor<0xui64>) -> (tensor<4xf32>, tensor<4x1xf32>, tensor<f32>, tensor<f32>, tensor<i8>, tensor<ui64>, tensor<i8>) {
  %0 = snippets.reduce_sum %x {axes = array<i64: 1>} : (tensor<4x0xf32>) -> tensor<4xf32>
  %1 = snippets.reduce_max %x {axes = array<i64: 1>, keep_dims} : (tensor<4x0xf32>) -> tensor<4x1xf32>
  %2 = snippets.reduce_min %x {axes = array<i64: 0, 1>} : (tensor<4x0xf32>) -> tensor<f32>
  %3 = snippets.reduce_mean %x {axes = array<i64: 0, 1>} : (tensor<4x0xf32>) -> tensor<f32>
  %4 = snippets.reduce_max %i {axes = array<i64: 0>} : (tensor<0xi8>) -> tensor<i8>
  %5 = snippets.reduce_min %u {axes = array<i64: 0>} : (tensor<0xui64>) -> tensor<ui64>
  %6 = snippets.reduce_prod %i {axes = array<i64: 0>} : (tensor<0xi8>) -> tensor<i8>
  func.return %0, %1, %2, %3, %4, %5, %6 : tensor<4xf32>, tensor<4x1xf32>, tensor<f32>, tensor<f32>, tensor<i8>, tensor<ui64>, tensor<i8>
}

// A mean of nothing is NaN, and 0 where the op says so; of something it is the mean.
// CHECK-LABEL: func.func @mean_or_zero(
// CHECK-NEXT: %[[A:.*]] = snippets.scalar 0.000000e+00 : f32
// CHECK-NEXT: %[[B:.*]] = snippets.scalar 0x7fc00000 : f32
// CHECK-NEXT: %[[C:.*]] = snippets.reduce_sum %y {axes = array<i64: 0>, keep_dims} : (tensor<4xf32>) -> tensor<1xf32>
// CHECK: snippets.divide %[[C]],
// CHECK: func.return %[[A]], %[[B]], %{{.*}} :
func.func @mean_or_zero(%x: tensor<0xf32>, %y: tensor<4xf32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %0 = snippets.reduce_mean %x {axes = array<i64: 0>, or_zero} : (tensor<0xf32>) -> tensor<f32>
  %1 = snippets.reduce_mean %x {axes = array<i64: 0>} : (tensor<0xf32>) -> tensor<f32>
  %2 = snippets.reduce_mean %y {axes = array<i64: 0>, or_zero} : (tensor<4xf32>) -> tensor<f32>
  func.return %0, %1, %2 : tensor<f32>, tensor<f32>, tensor<f32>
}

// Each result is one element; a sum of floats is never -0.0.
// CHECK-LABEL: func.func @single_elements(
// CHECK-NEXT: %[[A:.*]] = snippets.reshape %x : (tensor<4x1xf32>) -> tensor<4xf32>
// CHECK-NEXT: %[[Z:.*]] = snippets.scalar 0.000000e+00 : f32
// CHECK-NEXT: %[[B:.*]] = snippets.add %x, %[[Z]] : (tensor<4x1xf32>, tensor<f32>) -> tensor<4x1xf32>
// CHECK-NEXT: func.return %[[A]], %[[B]], %i :
func.func @single_elements(%x: tensor<4x1xf32>, %i: tensor<4xi32>) -> (tensor<4xf32>, tensor<4x1xf32>, tensor<4xi32>) {
  %0 = snippets.reduce_max %x {axes = array<i64: 1>} : (tensor<4x1xf32>) -> tensor<4xf32>
  %1 = snippets.reduce_mean %x {axes = array<i64: 1>, keep_dims} : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %2 = snippets.reduce_sum %i {axes = array<i64>} : (tensor<4xi32>) -> tensor<4xi32>
  func.return %0, %1, %2 : tensor<4xf32>, tensor<4x1xf32>, tensor<4xi32>
}

// CHECK-LABEL: func.func @squeeze(
// CHECK-NEXT: snippets.reshape %x : (tensor<1x4x1xf32>) -> tensor<4xf32>
// CHECK-NEXT: snippets.reshape %{{.*}} : (tensor<4xf32>) -> tensor<4x1xf32>
// CHECK-NEXT: snippets.unsqueeze %y {axes = array<i64: 0>} : (tensor<?x?xf32>) -> tensor<1x?x?xf32>
func.func @squeeze(%x: tensor<1x4x1xf32>, %y: tensor<?x?xf32>) -> (tensor<4x1xf32>, tensor<1x?x?xf32>) {
  %0 = snippets.squeeze %x {axes = array<i64: 0, 2>} : (tensor<1x4x1xf32>) -> tensor<4xf32>
  %1 = snippets.unsqueeze %0 {axes = array<i64: 1>} : (tensor<4xf32>) -> tensor<4x1xf32>
  %2 = snippets.unsqueeze %y {axes = array<i64: 0>} : (tensor<?x?xf32>) -> tensor<1x?x?xf32>
  func.return %1, %2 : tensor<4x1xf32>, tensor<1x?x?xf32>
}

// The form that kernels have; a mean of an unknown number of elements is refused; skipped ops stay.
// CHECK-LABEL: func.func @does_not_fire(
// CHECK-NEXT: snippets.reduce_sum %x {axes = array<i64: 0>, keep_dims} : (tensor<4x?xf32>) -> tensor<1x?xf32>
// CHECK-NEXT: snippets.reduce_mean %x {{.*}}snippets.reason = "the number of elements in dims 0, 1 of 4x? is not known; compile it for the shapes of a call"
// CHECK-NEXT: snippets.reduce_max %x {{.*}}snippets.skipped
// CHECK-NEXT: snippets.reduce_sum %z {axes = array<i64: 0>, keep_dims} : (tensor<0x?xf32>) -> tensor<1x?xf32>
// CHECK-NEXT: func.return
func.func @does_not_fire(%x: tensor<4x?xf32>, %z: tensor<0x?xf32>) {
  %0 = snippets.reduce_sum %x {axes = array<i64: 0>, keep_dims} : (tensor<4x?xf32>) -> tensor<1x?xf32>
  %1 = snippets.reduce_mean %x {axes = array<i64: 0, 1>} : (tensor<4x?xf32>) -> tensor<f32>
  %2 = snippets.reduce_max %x {axes = array<i64: 1>, snippets.skipped = "mine"} : (tensor<4x?xf32>) -> tensor<4xf32>
  %3 = snippets.reduce_sum %z {axes = array<i64: 0>, keep_dims} : (tensor<0x?xf32>) -> tensor<1x?xf32>
  func.return
}
