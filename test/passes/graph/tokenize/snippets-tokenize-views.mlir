// RUN: snippets-opt %s -p snippets-tokenize --verify-each | filecheck %s

// A transpose goes in as a reader of an input; what computes its operand does not.
// CHECK-LABEL: func.func @transpose(
// CHECK: snippets.exp
// CHECK-NEXT: snippets.yield
// CHECK: snippets.transpose
// CHECK-NEXT: snippets.relu
// CHECK-NEXT: snippets.add
// CHECK-NEXT: snippets.yield
func.func @transpose(%x: tensor<8x64xf32>, %y: tensor<64x8xf32>) -> tensor<64x8xf32> {
  %0 = snippets.exp %x : tensor<8x64xf32>
  %1 = snippets.transpose %0 {permutation = array<i64: 1, 0>} : (tensor<8x64xf32>) -> tensor<64x8xf32>
  %2 = snippets.relu %1 : tensor<64x8xf32>
  %3 = snippets.add %2, %y : tensor<64x8xf32>
  func.return %3 : tensor<64x8xf32>
}

// A transpose with nothing beside it is a kernel of its own.
// CHECK-LABEL: func.func @transpose_alone(
// CHECK-NEXT: snippets.subgraph
// CHECK-NEXT: snippets.transpose
// CHECK-NEXT: snippets.yield
func.func @transpose_alone(%x: tensor<8x64xf32>) -> tensor<64x8xf32> {
  %0 = snippets.transpose %x {permutation = array<i64: 1, 0>} : (tensor<8x64xf32>) -> tensor<64x8xf32>
  func.return %0 : tensor<64x8xf32>
}

// Square: the shapes agree, and still the operand comes from outside, on every path.
// CHECK-LABEL: func.func @square(
// CHECK: snippets.exp
// CHECK-NEXT: snippets.yield
// CHECK: snippets.transpose
// CHECK-NEXT: snippets.add
// CHECK-NEXT: snippets.yield
func.func @square(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = snippets.exp %x : tensor<8x8xf32>
  %1 = snippets.transpose %0 {permutation = array<i64: 1, 0>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = snippets.add %0, %1 : tensor<8x8xf32>
  func.return %2 : tensor<8x8xf32>
}

// An input may be read both ways.
// CHECK-LABEL: func.func @both_ways(
// CHECK-NEXT: snippets.subgraph (%x_1 = %x)
// CHECK-NEXT: snippets.transpose %x_1
// CHECK-NEXT: snippets.add %x_1
// CHECK-NEXT: snippets.yield
func.func @both_ways(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = snippets.transpose %x {permutation = array<i64: 1, 0>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = snippets.add %x, %0 : tensor<8x8xf32>
  func.return %1 : tensor<8x8xf32>
}

// A constant of one element that is read through a view is an input, beside the copy inside.
// CHECK-LABEL: func.func @constant(
// CHECK-NEXT: %c = snippets.constant
// CHECK-NEXT: snippets.subgraph (%c_1 = %c)
// CHECK-NEXT: snippets.transpose %c_1
// CHECK-NEXT: snippets.constant
// CHECK-NEXT: snippets.add
func.func @constant() -> tensor<1x1xf32> {
  %c = snippets.constant dense<2.0> : tensor<1x1xf32>
  %0 = snippets.transpose %c {permutation = array<i64: 1, 0>} : (tensor<1x1xf32>) -> tensor<1x1xf32>
  %1 = snippets.add %0, %c : tensor<1x1xf32>
  func.return %1 : tensor<1x1xf32>
}

// What drops its dims is read under other dims: the sum stays at its place, in 8x1.
// CHECK-LABEL: func.func @dropped_dims(
// CHECK-NEXT: snippets.subgraph
// CHECK-NEXT: snippets.exp
// CHECK-NEXT: snippets.reduce_sum
// CHECK-NEXT: snippets.relu
// CHECK-NEXT: snippets.yield
func.func @dropped_dims(%x: tensor<8x8xf32>) -> tensor<8xf32> {
  %0 = snippets.exp %x : tensor<8x8xf32>
  %1 = snippets.reduce_sum %0 {axes = array<i64: 1>} : (tensor<8x8xf32>) -> tensor<8xf32>
  %2 = snippets.relu %1 : tensor<8xf32>
  func.return %2 : tensor<8xf32>
}

// The shapes broadcast, but the sum of row i would stand in column i: no loops do that.
// CHECK-LABEL: func.func @dropped_dims_square(
// CHECK: snippets.reduce_sum
// CHECK-NEXT: snippets.yield
// CHECK: snippets.add
// CHECK-NEXT: snippets.yield
func.func @dropped_dims_square(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = snippets.exp %x : tensor<8x8xf32>
  %1 = snippets.reduce_sum %0 {axes = array<i64: 1>} : (tensor<8x8xf32>) -> tensor<8xf32>
  %2 = snippets.add %0, %1 : (tensor<8x8xf32>, tensor<8xf32>) -> tensor<8x8xf32>
  func.return %2 : tensor<8x8xf32>
}

// Reshapes, squeezes and unsqueezes between ops go in; at the border they are views beside kernels.
// CHECK-LABEL: func.func @views(
// CHECK-NEXT: snippets.unsqueeze %x {{.*}}snippets.reason = "an unsqueeze moves no data: it is a view beside the kernels"
// CHECK-NEXT: snippets.subgraph
// CHECK-NEXT: snippets.relu
// CHECK-NEXT: snippets.reshape %{{[^ ]*}} :
// CHECK-NEXT: snippets.exp
// CHECK-NEXT: snippets.squeeze %{{[^ ]*}} {axes = array<i64: 0>} :
// CHECK-NEXT: snippets.abs
// CHECK-NEXT: snippets.yield
// CHECK-NEXT: }
// CHECK-NEXT: snippets.reshape %{{[^ ]*}} {snippets.reason = "a reshape moves no data
func.func @views(%x: tensor<8xf32>) -> tensor<2x4xf32> {
  %0 = snippets.unsqueeze %x {axes = array<i64: 0>} : (tensor<8xf32>) -> tensor<1x8xf32>
  %1 = snippets.relu %0 : tensor<1x8xf32>
  %2 = snippets.reshape %1 : (tensor<1x8xf32>) -> tensor<1x2x4xf32>
  %3 = snippets.exp %2 : tensor<1x2x4xf32>
  %4 = snippets.squeeze %3 {axes = array<i64: 0>} : (tensor<1x2x4xf32>) -> tensor<2x4xf32>
  %5 = snippets.abs %4 : tensor<2x4xf32>
  %6 = snippets.reshape %5 : (tensor<2x4xf32>) -> tensor<2x4xf32>
  func.return %6 : tensor<2x4xf32>
}

// A sum over blocks of a reshaped value; a reshape of a reshape.
// CHECK-LABEL: func.func @blocks(
// CHECK-NEXT: snippets.subgraph
// CHECK-NEXT: snippets.multiply
// CHECK-NEXT: snippets.reshape
// CHECK-NEXT: snippets.reshape
// CHECK-NEXT: snippets.reduce_sum
// CHECK-NEXT: snippets.yield
func.func @blocks(%x: tensor<24xf32>) -> tensor<4x1xf32> {
  %0 = snippets.multiply %x, %x : tensor<24xf32>
  %1 = snippets.reshape %0 : (tensor<24xf32>) -> tensor<2x12xf32>
  %2 = snippets.reshape %1 : (tensor<2x12xf32>) -> tensor<4x6xf32>
  %3 = snippets.reduce_sum %2 {axes = array<i64: 1>, keep_dims} : (tensor<4x6xf32>) -> tensor<4x1xf32>
  func.return %3 : tensor<4x1xf32>
}

// No shapes make this reshape the identity: 6x4 and 4x6 have no common factors.
// CHECK-LABEL: func.func @no_common_factors(
// CHECK: snippets.relu
// CHECK-NEXT: snippets.yield
// CHECK: snippets.reshape {{.*}}snippets.reason
// CHECK: snippets.exp
// CHECK-NEXT: snippets.yield
func.func @no_common_factors(%x: tensor<6x4xf32>) -> tensor<4x6xf32> {
  %0 = snippets.relu %x : tensor<6x4xf32>
  %1 = snippets.reshape %0 : (tensor<6x4xf32>) -> tensor<4x6xf32>
  %2 = snippets.exp %1 : tensor<4x6xf32>
  func.return %2 : tensor<4x6xf32>
}

// By T5 in the refined shapes, the maximum is over 3 and 4, the sum over 4 alone.
// CHECK-LABEL: func.func @other_dims(
// CHECK: snippets.reduce_max
// CHECK-NEXT: snippets.subtract
// CHECK-NEXT: snippets.yield
// CHECK: snippets.reduce_sum
// CHECK-NEXT: snippets.yield
func.func @other_dims(%x: tensor<2x12xf32>) -> tensor<2x3x1xf32> {
  %0 = snippets.reduce_max %x {axes = array<i64: 1>, keep_dims} : (tensor<2x12xf32>) -> tensor<2x1xf32>
  %1 = snippets.subtract %x, %0 : (tensor<2x12xf32>, tensor<2x1xf32>) -> tensor<2x12xf32>
  %2 = snippets.reshape %1 : (tensor<2x12xf32>) -> tensor<2x3x4xf32>
  %3 = snippets.reduce_sum %2 {axes = array<i64: 2>, keep_dims} : (tensor<2x3x4xf32>) -> tensor<2x3x1xf32>
  func.return %3 : tensor<2x3x1xf32>
}

// A view that something outside reads too: it is an output, and goes inside all the same.
// CHECK-LABEL: func.func @read_outside(
// CHECK-NEXT: %0, %1 = snippets.subgraph
// CHECK-NEXT: snippets.relu
// CHECK-NEXT: snippets.reshape
// CHECK-NEXT: snippets.exp
// CHECK-NEXT: snippets.yield
// CHECK: func.return
func.func @read_outside(%x: tensor<8xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
  %0 = snippets.relu %x : tensor<8xf32>
  %1 = snippets.reshape %0 : (tensor<8xf32>) -> tensor<2x4xf32>
  %2 = snippets.exp %1 : tensor<2x4xf32>
  func.return %1, %2 : tensor<2x4xf32>, tensor<2x4xf32>
}

// A view with a mark of the user stays outside.
// CHECK-LABEL: func.func @skipped(
// CHECK: snippets.relu
// CHECK-NEXT: snippets.yield
// CHECK: snippets.reshape
// CHECK: snippets.exp
// CHECK-NEXT: snippets.yield
func.func @skipped(%x: tensor<8xf32>) -> tensor<2x4xf32> {
  %0 = snippets.relu %x : tensor<8xf32>
  %1 = snippets.reshape %0 {snippets.skipped} : (tensor<8xf32>) -> tensor<2x4xf32>
  %2 = snippets.exp %1 : tensor<2x4xf32>
  func.return %2 : tensor<2x4xf32>
}

// Norms over channels, their parameters [C] included; groups cut the channels.
// CHECK-LABEL: func.func @channels(
// CHECK-NEXT: snippets.subgraph
// CHECK-NEXT: snippets.exp
// CHECK-NEXT: snippets.relu
// CHECK-NEXT: snippets.instance_norm
// CHECK-NEXT: snippets.batch_norm
// CHECK-NEXT: snippets.tanh
// CHECK-NEXT: snippets.yield
func.func @channels(%x: tensor<2x4x9xf32>, %s: tensor<4xf32>) -> tensor<2x4x9xf32> {
  %0 = snippets.exp %s : tensor<4xf32>
  %1 = snippets.relu %x : tensor<2x4x9xf32>
  %2 = snippets.instance_norm %1, %0, %s {epsilon = 1.0e-05 : f32} : (tensor<2x4x9xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x9xf32>
  %3 = snippets.batch_norm %2, %s, %s, %s, %s {epsilon = 1.0e-05 : f32} : (tensor<2x4x9xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x9xf32>
  %4 = snippets.tanh %3 : tensor<2x4x9xf32>
  func.return %4 : tensor<2x4x9xf32>
}

// CHECK-LABEL: func.func @groups(
// CHECK-NEXT: snippets.subgraph
// CHECK-NEXT: snippets.relu
// CHECK-NEXT: snippets.group_norm
// CHECK-NEXT: snippets.tanh
// CHECK-NEXT: snippets.yield
func.func @groups(%x: tensor<2x4x9xf32>, %s: tensor<4xf32>) -> tensor<2x4x9xf32> {
  %0 = snippets.relu %x : tensor<2x4x9xf32>
  %1 = snippets.group_norm %0, %s, %s {num_groups = 2 : i64, epsilon = 1.0e-05 : f32} : (tensor<2x4x9xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x9xf32>
  %2 = snippets.tanh %1 : tensor<2x4x9xf32>
  func.return %2 : tensor<2x4x9xf32>
}

// By T5, the norm of groups and the one of channels sum over other dims.
// CHECK-LABEL: func.func @groups_and_channels(
// CHECK: snippets.group_norm
// CHECK-NEXT: snippets.yield
// CHECK: snippets.instance_norm
// CHECK-NEXT: snippets.yield
func.func @groups_and_channels(%x: tensor<2x4x9xf32>, %s: tensor<4xf32>) -> tensor<2x4x9xf32> {
  %0 = snippets.group_norm %x, %s, %s {num_groups = 2 : i64, epsilon = 1.0e-05 : f32} : (tensor<2x4x9xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x9xf32>
  %1 = snippets.instance_norm %0, %s, %s {epsilon = 1.0e-05 : f32} : (tensor<2x4x9xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x9xf32>
  func.return %1 : tensor<2x4x9xf32>
}
