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

// What drops its dims closes: only the outside reads it.
// CHECK-LABEL: func.func @dropped_dims(
// CHECK: snippets.exp
// CHECK-NEXT: snippets.reduce_sum
// CHECK-NEXT: snippets.yield
// CHECK: snippets.relu
// CHECK-NEXT: snippets.yield
func.func @dropped_dims(%x: tensor<8x8xf32>) -> tensor<8xf32> {
  %0 = snippets.exp %x : tensor<8x8xf32>
  %1 = snippets.reduce_sum %0 {axes = array<i64: 1>} : (tensor<8x8xf32>) -> tensor<8xf32>
  %2 = snippets.relu %1 : tensor<8xf32>
  func.return %2 : tensor<8xf32>
}

// Also where the shapes would allow it (the sum of row i would stand in column i).
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

// Reshapes, squeezes and unsqueezes are views beside the kernels.
// CHECK-LABEL: func.func @views(
// CHECK: snippets.relu
// CHECK-NEXT: snippets.yield
// CHECK: snippets.unsqueeze %{{.*}} {axes = array<i64: 0>, snippets.reason = "an unsqueeze moves no data: it is a view beside the kernels"}
// CHECK: snippets.exp
// CHECK-NEXT: snippets.yield
// CHECK: snippets.squeeze
// CHECK-SAME: snippets.reason = "a squeeze moves no data
func.func @views(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = snippets.relu %x : tensor<8xf32>
  %1 = snippets.unsqueeze %0 {axes = array<i64: 0>} : (tensor<8xf32>) -> tensor<1x8xf32>
  %2 = snippets.exp %1 : tensor<1x8xf32>
  %3 = snippets.squeeze %2 {axes = array<i64: 0>} : (tensor<1x8xf32>) -> tensor<8xf32>
  func.return %3 : tensor<8xf32>
}

// Norms over channels: the operand may be computed inside, the parameters not.
// CHECK-LABEL: func.func @channels(
// CHECK: snippets.exp
// CHECK-NEXT: snippets.yield
// CHECK: snippets.relu
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

// The groups of a group_norm are dims that nothing else has.
// CHECK-LABEL: func.func @groups(
// CHECK: snippets.relu
// CHECK-NEXT: snippets.yield
// CHECK: snippets.group_norm
// CHECK-NEXT: snippets.yield
// CHECK: snippets.tanh
// CHECK-NEXT: snippets.yield
func.func @groups(%x: tensor<2x4x9xf32>, %s: tensor<4xf32>) -> tensor<2x4x9xf32> {
  %0 = snippets.relu %x : tensor<2x4x9xf32>
  %1 = snippets.group_norm %0, %s, %s {num_groups = 2 : i64, epsilon = 1.0e-05 : f32} : (tensor<2x4x9xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x9xf32>
  %2 = snippets.tanh %1 : tensor<2x4x9xf32>
  func.return %2 : tensor<2x4x9xf32>
}
