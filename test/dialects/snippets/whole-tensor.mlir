// RUN: snippets-opt %s | snippets-opt - | filecheck %s
// RUN: snippets-opt --mlir-print-op-generic %s | snippets-opt - | filecheck %s

// The ops that read more than one place of an operand, in their custom form; both forms parse back.

// CHECK-LABEL: func.func @reductions
func.func @reductions(%x: tensor<4x8xf32>, %i: tensor<2x3x4xi32>, %d: tensor<?x8x?xf64>, %s: tensor<f32>) {
  // CHECK-NEXT: %{{.*}} = snippets.reduce_sum %x {axes = array<i64: 1>} : (tensor<4x8xf32>) -> tensor<4xf32>
  %0 = snippets.reduce_sum %x {axes = array<i64: 1>} : (tensor<4x8xf32>) -> tensor<4xf32>
  // CHECK-NEXT: %{{.*}} = snippets.reduce_max %x {axes = array<i64: 0, 1>, keep_dims} : (tensor<4x8xf32>) -> tensor<1x1xf32>
  %1 = snippets.reduce_max %x {axes = array<i64: 0, 1>, keep_dims} : (tensor<4x8xf32>) -> tensor<1x1xf32>
  // CHECK-NEXT: %{{.*}} = snippets.reduce_min %i {axes = array<i64: 0, 2>} : (tensor<2x3x4xi32>) -> tensor<3xi32>
  %2 = snippets.reduce_min %i {axes = array<i64: 0, 2>} : (tensor<2x3x4xi32>) -> tensor<3xi32>
  // CHECK-NEXT: %{{.*}} = snippets.reduce_prod %i {axes = array<i64: 0, 1, 2>} : (tensor<2x3x4xi32>) -> tensor<i32>
  %3 = snippets.reduce_prod %i {axes = array<i64: 0, 1, 2>} : (tensor<2x3x4xi32>) -> tensor<i32>
  // CHECK-NEXT: %{{.*}} = snippets.reduce_mean %d {axes = array<i64: 1>, keep_dims} : (tensor<?x8x?xf64>) -> tensor<?x1x?xf64>
  %4 = snippets.reduce_mean %d {axes = array<i64: 1>, keep_dims} : (tensor<?x8x?xf64>) -> tensor<?x1x?xf64>
  // CHECK-NEXT: %{{.*}} = snippets.reduce_mean %d {axes = array<i64: 1>, keep_dims, or_zero} : (tensor<?x8x?xf64>) -> tensor<?x1x?xf64>
  %9 = snippets.reduce_mean %d {axes = array<i64: 1>, keep_dims, or_zero} : (tensor<?x8x?xf64>) -> tensor<?x1x?xf64>
  // CHECK-NEXT: %{{.*}} = snippets.reduce_sum %d {axes = array<i64: 0>} : (tensor<?x8x?xf64>) -> tensor<8x5xf64>
  %5 = snippets.reduce_sum %d {axes = array<i64: 0>} : (tensor<?x8x?xf64>) -> tensor<8x5xf64>
  // CHECK-NEXT: %{{.*}} = snippets.reduce_sum %s {axes = array<i64>} : tensor<f32>
  %6 = snippets.reduce_sum %s {axes = array<i64>} : tensor<f32>
  func.return
}

// CHECK-LABEL: func.func @normalizations
func.func @normalizations(%x: tensor<2x4x?x6xf32>, %s: tensor<6xf32>, %c: tensor<4xf32>, %u: tensor<?xf32>) {
  // CHECK-NEXT: %{{.*}} = snippets.softmax %x {axis = 1 : i64} : tensor<2x4x?x6xf32>
  %0 = snippets.softmax %x {axis = 1 : i64} : tensor<2x4x?x6xf32>
  // CHECK-NEXT: %{{.*}} = snippets.log_softmax %x {axis = 3 : i64} : tensor<2x4x?x6xf32>
  %1 = snippets.log_softmax %x {axis = 3 : i64} : tensor<2x4x?x6xf32>
  // CHECK-NEXT: %{{.*}} = snippets.layer_norm %x {axis = 2 : i64, epsilon = 1.000000e-05 : f32} : tensor<2x4x?x6xf32>
  %2 = snippets.layer_norm %x {axis = 2 : i64, epsilon = 1.0e-5 : f32} : tensor<2x4x?x6xf32>
  // CHECK-NEXT: %{{.*}} = snippets.layer_norm %x, %s {axis = 3 : i64, epsilon = 1.000000e-05 : f32} : (tensor<2x4x?x6xf32>, tensor<6xf32>) -> tensor<2x4x?x6xf32>
  %3 = snippets.layer_norm %x, %s {axis = 3 : i64, epsilon = 1.0e-5 : f32} : (tensor<2x4x?x6xf32>, tensor<6xf32>) -> tensor<2x4x?x6xf32>
  // CHECK-NEXT: %{{.*}} = snippets.layer_norm %x, %s, %u {axis = 3 : i64, epsilon = 1.000000e-05 : f32} : (tensor<2x4x?x6xf32>, tensor<6xf32>, tensor<?xf32>) -> tensor<2x4x?x6xf32>
  %4 = snippets.layer_norm %x, %s, %u {axis = 3 : i64, epsilon = 1.0e-5 : f32} : (tensor<2x4x?x6xf32>, tensor<6xf32>, tensor<?xf32>) -> tensor<2x4x?x6xf32>
  // CHECK-NEXT: %{{.*}} = snippets.rms_norm %x, %s {axis = 3 : i64, epsilon = 1.000000e-05 : f32} : (tensor<2x4x?x6xf32>, tensor<6xf32>) -> tensor<2x4x?x6xf32>
  %5 = snippets.rms_norm %x, %s {axis = 3 : i64, epsilon = 1.0e-5 : f32} : (tensor<2x4x?x6xf32>, tensor<6xf32>) -> tensor<2x4x?x6xf32>
  // CHECK-NEXT: %{{.*}} = snippets.group_norm %x, %c, %u {num_groups = 2 : i64, epsilon = 1.000000e-05 : f32} : (tensor<2x4x?x6xf32>, tensor<4xf32>, tensor<?xf32>) -> tensor<2x4x?x6xf32>
  %6 = snippets.group_norm %x, %c, %u {num_groups = 2 : i64, epsilon = 1.0e-5 : f32} : (tensor<2x4x?x6xf32>, tensor<4xf32>, tensor<?xf32>) -> tensor<2x4x?x6xf32>
  // CHECK-NEXT: %{{.*}} = snippets.instance_norm %x, %c, %c {epsilon = 1.000000e-05 : f32} : (tensor<2x4x?x6xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x?x6xf32>
  %7 = snippets.instance_norm %x, %c, %c {epsilon = 1.0e-5 : f32} : (tensor<2x4x?x6xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x?x6xf32>
  // CHECK-NEXT: %{{.*}} = snippets.batch_norm %x, %c, %c, %c, %c {epsilon = 1.000000e-05 : f32} : (tensor<2x4x?x6xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x?x6xf32>
  %8 = snippets.batch_norm %x, %c, %c, %c, %c {epsilon = 1.0e-5 : f32} : (tensor<2x4x?x6xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x?x6xf32>
  // CHECK-NEXT: %{{.*}} = snippets.mvn %x {axes = array<i64: 2, 3>, epsilon = 1.000000e-09 : f64, eps_mode = "outside_sqrt", normalize_variance} : tensor<2x4x?x6xf32>
  %9 = snippets.mvn %x {axes = array<i64: 2, 3>, epsilon = 1.0e-9 : f64, eps_mode = "outside_sqrt", normalize_variance} : tensor<2x4x?x6xf32>
  // CHECK-NEXT: %{{.*}} = snippets.mvn %x {axes = array<i64: 1>, epsilon = 0.000000e+00 : f32} : tensor<2x4x?x6xf32>
  %10 = snippets.mvn %x {axes = array<i64: 1>, epsilon = 0.0 : f32} : tensor<2x4x?x6xf32>
  func.return
}

// CHECK-LABEL: func.func @layouts
func.func @layouts(%x: tensor<2x?x4xi1>, %y: tensor<1x?x4xf16>, %s: tensor<i32>) {
  // CHECK-NEXT: %{{.*}} = snippets.transpose %x {permutation = array<i64: 2, 0, 1>} : (tensor<2x?x4xi1>) -> tensor<4x2x?xi1>
  %0 = snippets.transpose %x {permutation = array<i64: 2, 0, 1>} : (tensor<2x?x4xi1>) -> tensor<4x2x?xi1>
  // CHECK-NEXT: %{{.*}} = snippets.transpose %s {permutation = array<i64>} : tensor<i32>
  %1 = snippets.transpose %s {permutation = array<i64>} : tensor<i32>
  // CHECK-NEXT: %{{.*}} = snippets.squeeze %y {axes = array<i64: 0, 1>} : (tensor<1x?x4xf16>) -> tensor<4xf16>
  %2 = snippets.squeeze %y {axes = array<i64: 0, 1>} : (tensor<1x?x4xf16>) -> tensor<4xf16>
  // CHECK-NEXT: %{{.*}} = snippets.unsqueeze %x {axes = array<i64: 0, 4>} : (tensor<2x?x4xi1>) -> tensor<1x2x?x4x1xi1>
  %3 = snippets.unsqueeze %x {axes = array<i64: 0, 4>} : (tensor<2x?x4xi1>) -> tensor<1x2x?x4x1xi1>
  // CHECK-NEXT: %{{.*}} = snippets.unsqueeze %s {axes = array<i64: 0>} : (tensor<i32>) -> tensor<1xi32>
  %4 = snippets.unsqueeze %s {axes = array<i64: 0>} : (tensor<i32>) -> tensor<1xi32>
  func.return
}

// CHECK-LABEL: func.func @places
func.func @places(%x: tensor<4x8xf32>, %d: tensor<?x?xi1>, %b: tensor<3xbf16>) {
  // CHECK-NEXT: %{{.*}} = snippets.arg_max %x {axis = 1 : i64} : (tensor<4x8xf32>) -> tensor<4xi64>
  %0 = snippets.arg_max %x {axis = 1 : i64} : (tensor<4x8xf32>) -> tensor<4xi64>
  // CHECK-NEXT: %{{.*}} = snippets.arg_min %d {axis = 0 : i64, keep_dims} : (tensor<?x?xi1>) -> tensor<1x?xi32>
  %1 = snippets.arg_min %d {axis = 0 : i64, keep_dims} : (tensor<?x?xi1>) -> tensor<1x?xi32>
  // CHECK-NEXT: %{{.*}} = snippets.arg_max %b {axis = 0 : i64} : (tensor<3xbf16>) -> tensor<ui8>
  %2 = snippets.arg_max %b {axis = 0 : i64} : (tensor<3xbf16>) -> tensor<ui8>
  // CHECK-NEXT: %{{.*}} = snippets.iota {dim = 1 : i64} : tensor<4x8xi32>
  %3 = snippets.iota {dim = 1 : i64} : tensor<4x8xi32>
  // CHECK-NEXT: %{{.*}} = snippets.iota {dim = 0 : i64} : tensor<0xf16>
  %4 = snippets.iota {dim = 0 : i64} : tensor<0xf16>
  func.return
}

// CHECK-LABEL: func.func @cumulative_sums
func.func @cumulative_sums(%x: tensor<4x?xf32>, %i: tensor<3xui8>) {
  // CHECK-NEXT: %{{.*}} = snippets.cum_sum %x {axis = 1 : i64} : tensor<4x?xf32>
  %0 = snippets.cum_sum %x {axis = 1 : i64} : tensor<4x?xf32>
  // CHECK-NEXT: %{{.*}} = snippets.cum_sum %i {axis = 0 : i64, exclusive, reverse} : tensor<3xui8>
  %1 = snippets.cum_sum %i {axis = 0 : i64, exclusive, reverse} : tensor<3xui8>
  // CHECK-NEXT: %{{.*}} = snippets.cum_prod %i {axis = 0 : i64, exclusive} : tensor<3xui8>
  %2 = snippets.cum_prod %i {axis = 0 : i64, exclusive} : tensor<3xui8>
  // CHECK-NEXT: %{{.*}} = snippets.cum_max %x {axis = 0 : i64, reverse} : tensor<4x?xf32>
  %3 = snippets.cum_max %x {axis = 0 : i64, reverse} : tensor<4x?xf32>
  // CHECK-NEXT: %{{.*}} = snippets.cum_min %x {axis = 1 : i64} : tensor<4x?xf32>
  %4 = snippets.cum_min %x {axis = 1 : i64} : tensor<4x?xf32>
  func.return
}
