// RUN: snippets-opt %s -p snippets-decompose-norms --verify-each | filecheck %s
// RUN: snippets-opt %s -p snippets-decompose-norms,snippets-decompose-norms --verify-each | filecheck %s

// Two passes: the mean, then the mean of squared differences; outer dims may be unknown.
// CHECK-LABEL: func.func @layer_norm(
// CHECK: %[[S:.*]] = snippets.reduce_sum %[[X:.*]] {axes = array<i64: 1, 2>, keep_dims} : (tensor<?x4x8xf32>) -> tensor<?x1x1xf32>
// CHECK-NEXT: %[[N:.*]] = snippets.scalar 3.200000e+01 : f32
// CHECK-NEXT: %[[M:.*]] = snippets.divide %[[S]], %[[N]]
// CHECK-NEXT: %[[D:.*]] = snippets.subtract %[[X]], %[[M]] : (tensor<?x4x8xf32>, tensor<?x1x1xf32>) -> tensor<?x4x8xf32>
// CHECK-NEXT: %[[Q:.*]] = snippets.multiply %[[D]], %[[D]]
// CHECK-NEXT: %[[S2:.*]] = snippets.reduce_sum %[[Q]] {axes = array<i64: 1, 2>, keep_dims}
// CHECK-NEXT: %[[N2:.*]] = snippets.scalar 3.200000e+01 : f32
// CHECK-NEXT: %[[V:.*]] = snippets.divide %[[S2]], %[[N2]]
// CHECK-NEXT: %[[E:.*]] = snippets.scalar 1.000000e-05 : f32
// CHECK-NEXT: %[[VE:.*]] = snippets.add %[[V]], %[[E]]
// CHECK-NEXT: %[[SD:.*]] = snippets.sqrt %[[VE]] : tensor<?x1x1xf32>
// CHECK-NEXT: %[[R:.*]] = snippets.divide %[[D]], %[[SD]]
// CHECK-NEXT: %[[RS:.*]] = snippets.multiply %[[R]], %[[W:.*]] : (tensor<?x4x8xf32>, tensor<4x8xf32>) -> tensor<?x4x8xf32>
// CHECK-NEXT: %[[RB:.*]] = snippets.add %[[RS]], %[[B:.*]] : (tensor<?x4x8xf32>, tensor<8xf32>) -> tensor<?x4x8xf32>
// CHECK-NEXT: snippets.yield %[[RB]]
func.func @layer_norm(%x: tensor<?x4x8xf32>, %s: tensor<4x8xf32>, %b: tensor<8xf32>) -> tensor<?x4x8xf32> {
  %0 = snippets.subgraph (%p = %x, %q = %s, %r = %b) : (tensor<?x4x8xf32>, tensor<4x8xf32>, tensor<8xf32>) -> tensor<?x4x8xf32> {
    %1 = snippets.layer_norm %p, %q, %r {axis = 1 : i64, epsilon = 1.0e-5 : f64} : (tensor<?x4x8xf32>, tensor<4x8xf32>, tensor<8xf32>) -> tensor<?x4x8xf32>
    snippets.yield %1 : tensor<?x4x8xf32>
  }
  func.return %0 : tensor<?x4x8xf32>
}

// No mean is subtracted, and there is no scale.
// CHECK-LABEL: func.func @rms_norm(
// CHECK-NEXT: snippets.multiply %x, %x
// CHECK-NEXT: snippets.reduce_sum
// CHECK-NEXT: snippets.scalar 8.000000e+00 : f64
// CHECK-NEXT: snippets.divide
// CHECK-NEXT: snippets.scalar 1.000000e-06 : f64
// CHECK-NEXT: snippets.add
// CHECK-NEXT: %[[SD:.*]] = snippets.sqrt
// CHECK-NEXT: %[[R:.*]] = snippets.divide %x, %[[SD]]
// CHECK-NEXT: func.return %[[R]]
func.func @rms_norm(%x: tensor<4x8xf64>) -> tensor<4x8xf64> {
  %0 = snippets.rms_norm %x {axis = 1 : i64, epsilon = 1.0e-6 : f64} : tensor<4x8xf64>
  func.return %0 : tensor<4x8xf64>
}

// Groups are a dim of their own in between.
// CHECK-LABEL: func.func @group_norm(
// CHECK-NEXT: %[[W:.*]] = snippets.reshape %s : (tensor<6xf32>) -> tensor<3x2x1xf32>
// CHECK-NEXT: %[[B:.*]] = snippets.reshape %b : (tensor<6xf32>) -> tensor<3x2x1xf32>
// CHECK-NEXT: %[[X:.*]] = snippets.reshape %x : (tensor<?x6x5xf32>) -> tensor<?x3x2x5xf32>
// CHECK-NEXT: snippets.reduce_sum %[[X]] {axes = array<i64: 2, 3>, keep_dims} : (tensor<?x3x2x5xf32>) -> tensor<?x3x1x1xf32>
// CHECK-NEXT: snippets.scalar 1.000000e+01 : f32
// CHECK: %[[R:.*]] = snippets.add %{{.*}}, %[[B]] : (tensor<?x3x2x5xf32>, tensor<3x2x1xf32>) -> tensor<?x3x2x5xf32>
// CHECK-NEXT: snippets.reshape %[[R]] : (tensor<?x3x2x5xf32>) -> tensor<?x6x5xf32>
func.func @group_norm(%x: tensor<?x6x5xf32>, %s: tensor<6xf32>, %b: tensor<6xf32>) -> tensor<?x6x5xf32> {
  %0 = snippets.group_norm %x, %s, %b {num_groups = 3 : i64, epsilon = 1.0e-5 : f64} : (tensor<?x6x5xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<?x6x5xf32>
  func.return %0 : tensor<?x6x5xf32>
}

// One group, or one channel a group: the operand keeps its shape.
// CHECK-LABEL: func.func @trivial_groups(
// CHECK-NOT: snippets.reshape %x
// CHECK: snippets.reduce_sum %x {axes = array<i64: 1, 2>, keep_dims} : (tensor<2x6x5xf32>) -> tensor<2x1x1xf32>
// CHECK: snippets.reduce_sum %[[Y:.*]] {axes = array<i64: 2>, keep_dims} : (tensor<2x6x5xf32>) -> tensor<2x6x1xf32>
// CHECK-NOT: snippets.reshape %[[Y]]
// CHECK: func.return
func.func @trivial_groups(%x: tensor<2x6x5xf32>, %s: tensor<6xf32>) -> tensor<2x6x5xf32> {
  %0 = snippets.group_norm %x, %s, %s {num_groups = 1 : i64, epsilon = 1.0e-5 : f64} : (tensor<2x6x5xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<2x6x5xf32>
  %1 = snippets.group_norm %0, %s, %s {num_groups = 6 : i64, epsilon = 1.0e-5 : f64} : (tensor<2x6x5xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<2x6x5xf32>
  func.return %1 : tensor<2x6x5xf32>
}

// CHECK-LABEL: func.func @instance_norm(
// CHECK-NEXT: %[[W:.*]] = snippets.reshape %s : (tensor<6xf32>) -> tensor<6x1x1xf32>
// CHECK: snippets.reduce_sum %x {axes = array<i64: 2, 3>, keep_dims} : (tensor<2x6x4x5xf32>) -> tensor<2x6x1x1xf32>
// CHECK: snippets.multiply %{{.*}}, %[[W]] : (tensor<2x6x4x5xf32>, tensor<6x1x1xf32>) -> tensor<2x6x4x5xf32>
func.func @instance_norm(%x: tensor<2x6x4x5xf32>, %s: tensor<6xf32>, %b: tensor<6xf32>) -> tensor<2x6x4x5xf32> {
  %0 = snippets.instance_norm %x, %s, %b {epsilon = 1.0e-5 : f64} : (tensor<2x6x4x5xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<2x6x4x5xf32>
  func.return %0 : tensor<2x6x4x5xf32>
}

// Nothing is summed: all sizes may be unknown.
// CHECK-LABEL: func.func @batch_norm(
// CHECK-NOT: snippets.reduce_
// CHECK: %[[V:.*]] = snippets.reshape %v : (tensor<?xf32>) -> tensor<?x1xf32>
// CHECK: snippets.add %[[V]]
// CHECK-NEXT: %[[SD:.*]] = snippets.sqrt
// CHECK-NEXT: snippets.subtract %x
// CHECK-NEXT: snippets.divide %{{.*}}, %[[SD]]
// CHECK-NEXT: snippets.multiply
// CHECK-NEXT: snippets.add
// CHECK-NEXT: func.return
func.func @batch_norm(%x: tensor<?x?x?xf32>, %s: tensor<?xf32>, %b: tensor<?xf32>, %m: tensor<?xf32>, %v: tensor<?xf32>) -> tensor<?x?x?xf32> {
  %0 = snippets.batch_norm %x, %s, %b, %m, %v {epsilon = 1.0e-5 : f64} : (tensor<?x?x?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) -> tensor<?x?x?xf32>
  func.return %0 : tensor<?x?x?xf32>
}

// Epsilon outside of the root; and no division at all.
// CHECK-LABEL: func.func @mvn(
// CHECK: %[[SD:.*]] = snippets.sqrt
// CHECK-NEXT: %[[E:.*]] = snippets.scalar 1.000000e-09 : f32
// CHECK-NEXT: %[[SDE:.*]] = snippets.add %[[SD]], %[[E]]
// CHECK-NEXT: %[[R:.*]] = snippets.divide %{{.*}}, %[[SDE]]
// CHECK-NEXT: snippets.reduce_sum %[[R]]
// CHECK-NEXT: snippets.scalar
// CHECK-NEXT: snippets.divide
// CHECK-NEXT: snippets.subtract %[[R]]
// CHECK-NEXT: func.return
func.func @mvn(%x: tensor<2x3x8xf32>) -> tensor<2x3x8xf32> {
  %0 = snippets.mvn %x {axes = array<i64: 0, 2>, epsilon = 1.0e-9 : f64, eps_mode = "outside_sqrt", normalize_variance} : tensor<2x3x8xf32>
  %1 = snippets.mvn %0 {axes = array<i64: 1>, epsilon = 1.0e-9 : f64} : tensor<2x3x8xf32>
  func.return %1 : tensor<2x3x8xf32>
}

// 16-bit floats are computed in f32.
// CHECK-LABEL: func.func @half(
// CHECK-NEXT: %[[W:.*]] = snippets.convert_truncation %s : (tensor<8xf16>) -> tensor<8xf32>
// CHECK-NEXT: %[[X:.*]] = snippets.convert_truncation %x : (tensor<4x8xf16>) -> tensor<4x8xf32>
// CHECK-NEXT: snippets.multiply %[[X]], %[[X]]
// CHECK: %[[R:.*]] = snippets.multiply %{{.*}}, %[[W]]
// CHECK-NEXT: snippets.convert_truncation %[[R]] : (tensor<4x8xf32>) -> tensor<4x8xf16>
func.func @half(%x: tensor<4x8xf16>, %s: tensor<8xf16>) -> tensor<4x8xf16> {
  %0 = snippets.rms_norm %x, %s {axis = 1 : i64, epsilon = 1.0e-5 : f64} : (tensor<4x8xf16>, tensor<8xf16>) -> tensor<4x8xf16>
  func.return %0 : tensor<4x8xf16>
}

// Refused: the count of the elements, or of the channels, is not known. Skipped ops stay.
// CHECK-LABEL: func.func @does_not_fire(
// CHECK-NEXT: snippets.layer_norm {{.*}}snippets.reason = "the number of elements in dims 1 of 4x? is not known; compile it for the shapes of a call"
// CHECK-NEXT: snippets.group_norm {{.*}}snippets.reason = "the number of channels is not known; compile it for the shapes of a call"
// CHECK-NEXT: snippets.layer_norm {{.*}}snippets.skipped
// CHECK-NEXT: func.return
func.func @does_not_fire(%x: tensor<4x?xf32>, %g: tensor<2x?x5xf32>, %s: tensor<?xf32>, %y: tensor<4x8xf32>) {
  %0 = snippets.layer_norm %x {axis = 1 : i64, epsilon = 1.0e-5 : f64} : tensor<4x?xf32>
  %1 = snippets.group_norm %g, %s, %s {num_groups = 2 : i64, epsilon = 1.0e-5 : f64} : (tensor<2x?x5xf32>, tensor<?xf32>, tensor<?xf32>) -> tensor<2x?x5xf32>
  %3 = snippets.layer_norm %y {axis = 1 : i64, epsilon = 1.0e-5 : f64, snippets.skipped = "mine"} : tensor<4x8xf32>
  func.return
}
