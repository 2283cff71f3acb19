// RUN: snippets-opt %s -p canonicalize | filecheck %s

// CHECK-LABEL: func.func @transposes_compose
func.func @transposes_compose(%x: tensor<2x?x?xf32>) -> (tensor<?x?x2xf32>, tensor<2x?x?xf32>) {
  // CHECK-NEXT: %[[A:.*]] = snippets.transpose %x {permutation = array<i64: 2, 1, 0>} : (tensor<2x?x?xf32>) -> tensor<?x?x2xf32>
  // CHECK-NEXT: func.return %[[A]], %x
  %0 = snippets.transpose %x {permutation = array<i64: 1, 2, 0>} : (tensor<2x?x?xf32>) -> tensor<?x?x2xf32>
  %1 = snippets.transpose %0 {permutation = array<i64: 1, 0, 2>} : tensor<?x?x2xf32>
  %2 = snippets.transpose %0 {permutation = array<i64: 2, 0, 1>} : (tensor<?x?x2xf32>) -> tensor<2x?x?xf32>
  func.return %1, %2 : tensor<?x?x2xf32>, tensor<2x?x?xf32>
}

// A transpose of merged dims, which are split again afterwards, is a transpose of the dims.
// CHECK-LABEL: func.func @merged_dims
func.func @merged_dims(%x: tensor<2x4x8x16xf32>, %y: tensor<1x3x2x5xf32>) -> (tensor<2x4x16x8xf32>, tensor<5x1x3x2xf32>) {
  // CHECK-NEXT: %[[A:.*]] = snippets.transpose %x {permutation = array<i64: 0, 1, 3, 2>} : (tensor<2x4x8x16xf32>) -> tensor<2x4x16x8xf32>
  // CHECK-NEXT: %[[B:.*]] = snippets.transpose %y {permutation = array<i64: 3, 0, 1, 2>} : (tensor<1x3x2x5xf32>) -> tensor<5x1x3x2xf32>
  // CHECK-NEXT: func.return %[[A]], %[[B]]
  %0 = snippets.reshape %x : (tensor<2x4x8x16xf32>) -> tensor<8x8x16xf32>
  %1 = snippets.transpose %0 {permutation = array<i64: 0, 2, 1>} : (tensor<8x8x16xf32>) -> tensor<8x16x8xf32>
  %2 = snippets.reshape %1 : (tensor<8x16x8xf32>) -> tensor<2x4x16x8xf32>
  %3 = snippets.reshape %y : (tensor<1x3x2x5xf32>) -> tensor<6x5xf32>
  %4 = snippets.transpose %3 {permutation = array<i64: 1, 0>} : (tensor<6x5xf32>) -> tensor<5x6xf32>
  %5 = snippets.reshape %4 : (tensor<5x6xf32>) -> tensor<5x1x3x2xf32>
  func.return %2, %5 : tensor<2x4x16x8xf32>, tensor<5x1x3x2xf32>
}

// Other splits, dims that are split first (a shuffle of channels), and dims of unknown size stay.
// CHECK-LABEL: func.func @other_dims
func.func @other_dims(%x: tensor<2x4x8xf32>, %y: tensor<6x5xf32>, %z: tensor<?x4x8xf32>) -> (tensor<8x4x2xf32>, tensor<6x5xf32>, tensor<8x?x4xf32>) {
  // CHECK-COUNT-3: snippets.transpose {{.*}} {permutation = array<i64: 1, 0
  // CHECK-NOT: snippets.transpose
  %0 = snippets.reshape %x : (tensor<2x4x8xf32>) -> tensor<8x8xf32>
  %1 = snippets.transpose %0 {permutation = array<i64: 1, 0>} : tensor<8x8xf32>
  %2 = snippets.reshape %1 : (tensor<8x8xf32>) -> tensor<8x4x2xf32>
  %3 = snippets.reshape %y : (tensor<6x5xf32>) -> tensor<2x3x5xf32>
  %4 = snippets.transpose %3 {permutation = array<i64: 1, 0, 2>} : (tensor<2x3x5xf32>) -> tensor<3x2x5xf32>
  %5 = snippets.reshape %4 : (tensor<3x2x5xf32>) -> tensor<6x5xf32>
  %6 = snippets.reshape %z : (tensor<?x4x8xf32>) -> tensor<?x8xf32>
  %7 = snippets.transpose %6 {permutation = array<i64: 1, 0>} : (tensor<?x8xf32>) -> tensor<8x?xf32>
  %8 = snippets.reshape %7 : (tensor<8x?xf32>) -> tensor<8x?x4xf32>
  func.return %2, %5, %8 : tensor<8x4x2xf32>, tensor<6x5xf32>, tensor<8x?x4xf32>
}

// CHECK-LABEL: func.func @identity
func.func @identity(%x: tensor<2x?xi1>, %s: tensor<f64>) -> (tensor<2x?xi1>, tensor<f64>, tensor<2x?xi1>) {
  // CHECK-NEXT: func.return %x, %s, %x
  %0 = snippets.transpose %x {permutation = array<i64: 0, 1>} : tensor<2x?xi1>
  %1 = snippets.transpose %s {permutation = array<i64>} : tensor<f64>
  %2 = snippets.squeeze %x {axes = array<i64>} : tensor<2x?xi1>
  %3 = snippets.unsqueeze %2 {axes = array<i64>} : tensor<2x?xi1>
  func.return %0, %1, %3 : tensor<2x?xi1>, tensor<f64>, tensor<2x?xi1>
}

// CHECK-LABEL: func.func @identity_of_another_type_stays
func.func @identity_of_another_type_stays(%x: tensor<2x?xf32>) -> tensor<2x3xf32> {
  // CHECK-NEXT: snippets.reshape %x : (tensor<2x?xf32>) -> tensor<2x3xf32>
  %0 = snippets.transpose %x {permutation = array<i64: 0, 1>} : (tensor<2x?xf32>) -> tensor<2x3xf32>
  func.return %0 : tensor<2x3xf32>
}

// No element moves where only dims of size 1 do.
// CHECK-LABEL: func.func @transposes_of_ones
func.func @transposes_of_ones(%x: tensor<1x4x1x?xf32>, %y: tensor<4x2xf32>) -> (tensor<4x?x1x1xf32>, tensor<2x4xf32>) {
  // CHECK-NEXT: %[[A:.*]] = snippets.reshape %x {keep} : (tensor<1x4x1x?xf32>) -> tensor<4x?x1x1xf32>
  // CHECK-NEXT: %[[B:.*]] = snippets.transpose %y
  // CHECK-NEXT: func.return %[[A]], %[[B]]
  %0 = snippets.transpose %x {permutation = array<i64: 1, 3, 0, 2>, keep} : (tensor<1x4x1x?xf32>) -> tensor<4x?x1x1xf32>
  %1 = snippets.transpose %y {permutation = array<i64: 1, 0>} : (tensor<4x2xf32>) -> tensor<2x4xf32>
  func.return %0, %1 : tensor<4x?x1x1xf32>, tensor<2x4xf32>
}

// The type of a reshape has to tell the shape.
// CHECK-LABEL: func.func @types_that_do_not_tell
func.func @types_that_do_not_tell(%x: tensor<1x?x?xf32>, %y: tensor<1x?x0xf32>) -> (tensor<?x1x?xf32>, tensor<?x0xf32>, tensor<?x?xf32>) {
  // CHECK-NEXT: snippets.transpose
  %0 = snippets.transpose %x {permutation = array<i64: 1, 0, 2>} : (tensor<1x?x?xf32>) -> tensor<?x1x?xf32>
  // CHECK-NEXT: snippets.squeeze
  %1 = snippets.squeeze %y {axes = array<i64: 0>} : (tensor<1x?x0xf32>) -> tensor<?x0xf32>
  // CHECK-NEXT: snippets.reduce_max
  %2 = snippets.reduce_max %x {axes = array<i64: 0>} : (tensor<1x?x?xf32>) -> tensor<?x?xf32>
  func.return %0, %1, %2 : tensor<?x1x?xf32>, tensor<?x0xf32>, tensor<?x?xf32>
}

// CHECK-LABEL: func.func @axes_of_ones
func.func @axes_of_ones(%x: tensor<1x4x1xf32>, %y: tensor<?x?xf32>) -> (tensor<4xf32>, tensor<1x4x1xf32>, tensor<?x?xf32>) {
  // CHECK-NEXT: %[[A:.*]] = snippets.reshape %x : (tensor<1x4x1xf32>) -> tensor<4xf32>
  // CHECK-NEXT: func.return %[[A]], %x, %y
  %0 = snippets.squeeze %x {axes = array<i64: 0, 2>} : (tensor<1x4x1xf32>) -> tensor<4xf32>
  %1 = snippets.unsqueeze %0 {axes = array<i64: 0, 2>} : (tensor<4xf32>) -> tensor<1x4x1xf32>
  %2 = snippets.unsqueeze %y {axes = array<i64: 1>} : (tensor<?x?xf32>) -> tensor<?x1x?xf32>
  %3 = snippets.squeeze %2 {axes = array<i64: 1>} : (tensor<?x1x?xf32>) -> tensor<?x?xf32>
  func.return %0, %1, %3 : tensor<4xf32>, tensor<1x4x1xf32>, tensor<?x?xf32>
}

// A size that is not known might not be 1; other axes are other values.
// CHECK-LABEL: func.func @other_axes_stay
func.func @other_axes_stay(%y: tensor<?x?xf32>, %z: tensor<1x?xf32>) -> (tensor<?x1xf32>, tensor<1xf32>) {
  // CHECK-NEXT: snippets.unsqueeze %y
  // CHECK-NEXT: snippets.squeeze
  %0 = snippets.unsqueeze %y {axes = array<i64: 2>} : (tensor<?x?xf32>) -> tensor<?x?x1xf32>
  %1 = snippets.squeeze %0 {axes = array<i64: 1>} : (tensor<?x?x1xf32>) -> tensor<?x1xf32>
  // CHECK-NEXT: snippets.squeeze
  %2 = snippets.squeeze %z {axes = array<i64: 1>} : (tensor<1x?xf32>) -> tensor<1xf32>
  func.return %1, %2 : tensor<?x1xf32>, tensor<1xf32>
}

// CHECK-LABEL: func.func @reductions_of_one_element
func.func @reductions_of_one_element(%x: tensor<4x1x?xf32>, %i: tensor<1x3xi32>)
    -> (tensor<4x1x?xf32>, tensor<4x?xf32>, tensor<4x1x?xf32>, tensor<3xi32>, tensor<1x3xi32>) {
  // CHECK-NEXT: %[[A:.*]] = snippets.reshape %x {keep} : (tensor<4x1x?xf32>) -> tensor<4x?xf32>
  // CHECK-NEXT: %[[B:.*]] = snippets.reshape %i : (tensor<1x3xi32>) -> tensor<3xi32>
  // CHECK-NEXT: func.return %x, %[[A]], %x, %[[B]], %i
  %0 = snippets.reduce_max %x {axes = array<i64: 1>, keep_dims} : tensor<4x1x?xf32>
  %1 = snippets.reduce_min %x {axes = array<i64: 1>, keep} : (tensor<4x1x?xf32>) -> tensor<4x?xf32>
  %2 = snippets.reduce_prod %x {axes = array<i64>} : tensor<4x1x?xf32>
  %3 = snippets.reduce_mean %i {axes = array<i64: 0>} : (tensor<1x3xi32>) -> tensor<3xi32>
  %4 = snippets.reduce_sum %i {axes = array<i64: 0>, keep_dims} : tensor<1x3xi32>
  func.return %0, %1, %2, %3, %4 : tensor<4x1x?xf32>, tensor<4x?xf32>, tensor<4x1x?xf32>, tensor<3xi32>, tensor<1x3xi32>
}

// A sum of floats starts at 0.0: the sum of -0.0 is 0.0.
// CHECK-LABEL: func.func @sums_of_one_float
func.func @sums_of_one_float(%x: tensor<4x1x?xf32>, %s: tensor<f64>) -> (tensor<4x?xf32>, tensor<f64>) {
  // CHECK-NEXT: %[[ZERO:.*]] = snippets.scalar 0.000000e+00 : f32
  // CHECK-NEXT: %[[SUM:.*]] = snippets.add %x, %[[ZERO]] : (tensor<4x1x?xf32>, tensor<f32>) -> tensor<4x1x?xf32>
  // CHECK-NEXT: snippets.reshape %[[SUM]] : (tensor<4x1x?xf32>) -> tensor<4x?xf32>
  // CHECK-NEXT: snippets.scalar 0.000000e+00 : f64
  // CHECK-NEXT: snippets.add %s
  %0 = snippets.reduce_sum %x {axes = array<i64: 1>} : (tensor<4x1x?xf32>) -> tensor<4x?xf32>
  %1 = snippets.reduce_mean %s {axes = array<i64>} : tensor<f64>
  func.return %0, %1 : tensor<4x?xf32>, tensor<f64>
}

// CHECK-LABEL: func.func @axes_of_size_1_drop_out
func.func @axes_of_size_1_drop_out(%x: tensor<4x1x8xf32>) -> (tensor<4x1x1xf32>, tensor<4xf32>) {
  // CHECK-NEXT: snippets.reduce_sum %x {axes = array<i64: 2>, keep_dims}
  %0 = snippets.reduce_sum %x {axes = array<i64: 1, 2>, keep_dims} : (tensor<4x1x8xf32>) -> tensor<4x1x1xf32>
  // CHECK-NEXT: snippets.reduce_sum %x {axes = array<i64: 1, 2>}
  %1 = snippets.reduce_sum %x {axes = array<i64: 1, 2>} : (tensor<4x1x8xf32>) -> tensor<4xf32>
  func.return %0, %1 : tensor<4x1x1xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @reductions_of_nothing
func.func @reductions_of_nothing(%x: tensor<2x0x?xf32>, %i: tensor<0x3xi32>, %y: tensor<2x0x?xf32>, %z: tensor<0x0xf32>)
    -> (tensor<2xf32>, tensor<2xf32>, tensor<1x3xi32>, tensor<3xi32>, tensor<f32>, tensor<2x0xf32>, tensor<0xf32>) {
  // CHECK-DAG: %[[A:.*]] = snippets.constant dense<0.000000e+00> : tensor<2xf32>
  // CHECK-DAG: %[[B:.*]] = snippets.constant dense<0xff800000> : tensor<2xf32>
  // CHECK-DAG: %[[C:.*]] = snippets.constant dense<2147483647> : tensor<1x3xi32>
  // CHECK-DAG: %[[D:.*]] = snippets.constant dense<0> : tensor<3xi32>
  // CHECK-DAG: %[[E:.*]] = snippets.constant dense<0x{{[7f]}}fc00000> : tensor<f32>
  // CHECK-DAG: %[[F:.*]] = snippets.reduce_prod
  // CHECK-DAG: %[[G:.*]] = snippets.constant dense<> : tensor<0xf32>
  // CHECK: func.return %[[A]], %[[B]], %[[C]], %[[D]], %[[E]], %[[F]], %[[G]]
  %0 = snippets.reduce_sum %x {axes = array<i64: 1, 2>} : (tensor<2x0x?xf32>) -> tensor<2xf32>
  %1 = snippets.reduce_max %x {axes = array<i64: 1, 2>} : (tensor<2x0x?xf32>) -> tensor<2xf32>
  %2 = snippets.reduce_min %i {axes = array<i64: 0>, keep_dims} : (tensor<0x3xi32>) -> tensor<1x3xi32>
  %3 = snippets.reduce_mean %i {axes = array<i64: 0>} : (tensor<0x3xi32>) -> tensor<3xi32>
  %4 = snippets.reduce_mean %x {axes = array<i64: 0, 1, 2>} : (tensor<2x0x?xf32>) -> tensor<f32>
  %5 = snippets.reduce_prod %y {axes = array<i64: 2>} : (tensor<2x0x?xf32>) -> tensor<2x0xf32>
  %6 = snippets.reduce_prod %z {axes = array<i64: 0>} : (tensor<0x0xf32>) -> tensor<0xf32>
  func.return %0, %1, %2, %3, %4, %5, %6 : tensor<2xf32>, tensor<2xf32>, tensor<1x3xi32>, tensor<3xi32>, tensor<f32>, tensor<2x0xf32>, tensor<0xf32>
}

// CHECK-LABEL: func.func @constants
func.func @constants() -> (tensor<2xi32>, tensor<2x1xi32>, tensor<2x2xf32>) {
  // CHECK-DAG: %[[A:.*]] = snippets.constant dense<[3, 7]> : tensor<2xi32>
  // CHECK-DAG: %[[B:.*]] = snippets.constant dense<{{\[\[}}2], [4]]> : tensor<2x1xi32>
  // CHECK-DAG: %[[C:.*]] = snippets.constant dense<5.000000e-01> : tensor<2x2xf32>
  // CHECK: func.return %[[A]], %[[B]], %[[C]]
  %0 = snippets.constant dense<[[1, 3], [2, 4]]> : tensor<2x2xi32>
  %1 = snippets.transpose %0 {permutation = array<i64: 1, 0>} : tensor<2x2xi32>
  %2 = snippets.reduce_sum %1 {axes = array<i64: 1>} : (tensor<2x2xi32>) -> tensor<2xi32>
  %3 = snippets.reduce_max %1 {axes = array<i64: 1>, keep_dims} : (tensor<2x2xi32>) -> tensor<2x1xi32>
  %4 = snippets.constant dense<1.0> : tensor<2x2xf32>
  %5 = snippets.softmax %4 {axis = 0 : i64} : tensor<2x2xf32>
  func.return %2, %3, %5 : tensor<2xi32>, tensor<2x1xi32>, tensor<2x2xf32>
}

// An iota is a constant of its numbers, repeated. One of too many stays. Integers wrap.
// CHECK-LABEL: func.func @iotas
func.func @iotas() -> (tensor<2x3xf32>, tensor<2x70000xi32>, tensor<0xi32>, tensor<258xui8>) {
  // CHECK-DAG: %[[B:.*]] = snippets.constant dense<{{.*}} 1.0{{.*}} 2.0{{.*}} 1.0{{.*}} 2.0{{.*}}> : tensor<2x3xf32>
  // CHECK-DAG: %[[C:.*]] = snippets.iota {dim = 1 : i64} : tensor<1x70000xi32>
  // CHECK-DAG: %[[D:.*]] = snippets.broadcast %[[C]] : (tensor<1x70000xi32>) -> tensor<2x70000xi32>
  // CHECK-DAG: %[[E:.*]] = snippets.constant dense<> : tensor<0xi32>
  // CHECK-DAG: %[[F:.*]] = snippets.constant dense<"0x000102{{.*}}FEFF0001"> : tensor<258xui8>
  // CHECK: func.return %[[B]], %[[D]], %[[E]], %[[F]]
  %0 = snippets.iota {dim = 1 : i64} : tensor<2x3xf32>
  %1 = snippets.iota {dim = 1 : i64} : tensor<2x70000xi32>
  %2 = snippets.iota {dim = 0 : i64} : tensor<0xi32>
  %3 = snippets.iota {dim = 0 : i64} : tensor<258xui8>
  func.return %0, %1, %2, %3 : tensor<2x3xf32>, tensor<2x70000xi32>, tensor<0xi32>, tensor<258xui8>
}
