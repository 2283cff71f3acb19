// RUN: snippets-opt %s -p snippets-tokenize --verify-each | filecheck %s

// Reductions of one shape over the same dims, and what is computed with their results, is one nest
// of loops. A result may have the kept dims only.
// CHECK-LABEL: func.func @one_nest(
// CHECK-NEXT: %0, %1 = snippets.subgraph (%x_1 = %x) : (tensor<8x64xf32>) -> (tensor<8x1xf32>, tensor<8x64xf32>) {
// CHECK-NEXT: snippets.exp
// CHECK-NEXT: snippets.reduce_max
// CHECK-NEXT: snippets.subtract
// CHECK-NEXT: snippets.reduce_sum
// CHECK-NEXT: snippets.sqrt
// CHECK-NEXT: snippets.divide
// CHECK-NEXT: snippets.yield
// CHECK-NOT: snippets.subgraph
// CHECK: func.return
func.func @one_nest(%x: tensor<8x64xf32>) -> (tensor<8x1xf32>, tensor<8x64xf32>) {
  %0 = snippets.exp %x : tensor<8x64xf32>
  %1 = snippets.reduce_max %0 {axes = array<i64: 1>, keep_dims} : (tensor<8x64xf32>) -> tensor<8x1xf32>
  %2 = snippets.subtract %0, %1 : (tensor<8x64xf32>, tensor<8x1xf32>) -> tensor<8x64xf32>
  %3 = snippets.reduce_sum %2 {axes = array<i64: 1>, keep_dims} : (tensor<8x64xf32>) -> tensor<8x1xf32>
  %4 = snippets.sqrt %3 : tensor<8x1xf32>
  %5 = snippets.divide %2, %4 : (tensor<8x64xf32>, tensor<8x1xf32>) -> tensor<8x64xf32>
  func.return %4, %5 : tensor<8x1xf32>, tensor<8x64xf32>
}

// The dims are counted from the last one, and ones in front do not matter.
// CHECK-LABEL: func.func @aligned(
// CHECK-NEXT: snippets.subgraph
// CHECK-NEXT: snippets.reduce_sum
// CHECK-NEXT: snippets.add
// CHECK-NEXT: snippets.reduce_max
// CHECK-NEXT: snippets.yield
func.func @aligned(%x: tensor<8x64xf32>, %y: tensor<1x8x64xf32>) -> tensor<1x8x1xf32> {
  %0 = snippets.reduce_sum %x {axes = array<i64: 1>, keep_dims} : (tensor<8x64xf32>) -> tensor<8x1xf32>
  %1 = snippets.add %y, %0 : (tensor<1x8x64xf32>, tensor<8x1xf32>) -> tensor<1x8x64xf32>
  %2 = snippets.reduce_max %1 {axes = array<i64: 2>, keep_dims} : (tensor<1x8x64xf32>) -> tensor<1x8x1xf32>
  func.return %2 : tensor<1x8x1xf32>
}

// Norms count as the reductions that they consist of; a scale or bias may be computed inside.
// CHECK-LABEL: func.func @norms(
// CHECK-NEXT: snippets.subgraph
// CHECK-NEXT: snippets.add
// CHECK-NEXT: snippets.exp
// CHECK-NEXT: snippets.layer_norm
// CHECK-NEXT: snippets.softmax
// CHECK-NEXT: snippets.relu
// CHECK-NEXT: snippets.yield
func.func @norms(%x: tensor<8x64xf32>, %r: tensor<8x64xf32>, %s: tensor<64xf32>, %b: tensor<64xf32>) -> tensor<8x64xf32> {
  %0 = snippets.add %x, %r : tensor<8x64xf32>
  %1 = snippets.exp %s : tensor<64xf32>
  %2 = snippets.layer_norm %0, %1, %b {axis = 1 : i64, epsilon = 1.0e-05 : f32} : (tensor<8x64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<8x64xf32>
  %3 = snippets.softmax %2 {axis = 1 : i64} : tensor<8x64xf32>
  %4 = snippets.relu %3 : tensor<8x64xf32>
  func.return %4 : tensor<8x64xf32>
}

// A reduction without axes is element by element, whatever it is called.
// CHECK-LABEL: func.func @no_axes(
// CHECK-NEXT: snippets.subgraph
// CHECK-NEXT: snippets.reduce_sum
// CHECK-NEXT: snippets.reduce_max
// CHECK-NEXT: snippets.yield
func.func @no_axes(%x: tensor<8x64xf32>) -> tensor<8x1xf32> {
  %0 = snippets.reduce_sum %x {axes = array<i64>} : (tensor<8x64xf32>) -> tensor<8x64xf32>
  %1 = snippets.reduce_max %0 {axes = array<i64: 1>, keep_dims} : (tensor<8x64xf32>) -> tensor<8x1xf32>
  func.return %1 : tensor<8x1xf32>
}

// Unknown sizes: programs are specialised to the shapes of a call.
// CHECK-LABEL: func.func @dynamic(
// CHECK-NEXT: snippets.subgraph
// CHECK-NEXT: snippets.softmax
// CHECK-NEXT: snippets.reduce_sum
// CHECK-NEXT: snippets.yield
func.func @dynamic(%x: tensor<?x?xf32>) -> tensor<?x1xf32> {
  %0 = snippets.softmax %x {axis = 1 : i64} : tensor<?x?xf32>
  %1 = snippets.reduce_sum %0 {axes = array<i64: 1>, keep_dims} : (tensor<?x?xf32>) -> tensor<?x1xf32>
  func.return %1 : tensor<?x1xf32>
}

// By T5, other dims are other loops.
// CHECK-LABEL: func.func @other_dims(
// CHECK: snippets.reduce_sum
// CHECK-NEXT: snippets.yield
// CHECK: snippets.reduce_max
// CHECK-NEXT: snippets.yield
func.func @other_dims(%x: tensor<8x64xf32>) -> tensor<1x1xf32> {
  %0 = snippets.reduce_sum %x {axes = array<i64: 1>, keep_dims} : (tensor<8x64xf32>) -> tensor<8x1xf32>
  %1 = snippets.reduce_max %0 {axes = array<i64: 0>, keep_dims} : (tensor<8x1xf32>) -> tensor<1x1xf32>
  func.return %1 : tensor<1x1xf32>
}

// By T5, the sum would be computed three times.
// CHECK-LABEL: func.func @computed_once(
// CHECK: snippets.reduce_sum
// CHECK-NEXT: snippets.yield
// CHECK: snippets.add
// CHECK-NEXT: snippets.yield
func.func @computed_once(%x: tensor<8x64xf32>, %y: tensor<3x8x64xf32>) -> tensor<3x8x64xf32> {
  %0 = snippets.reduce_sum %x {axes = array<i64: 1>, keep_dims} : (tensor<8x64xf32>) -> tensor<8x1xf32>
  %1 = snippets.add %y, %0 : (tensor<3x8x64xf32>, tensor<8x1xf32>) -> tensor<3x8x64xf32>
  func.return %1 : tensor<3x8x64xf32>
}

// By T5, the second sum reads less than the loops of the first one walk.
// CHECK-LABEL: func.func @other_shape(
// CHECK: snippets.reduce_sum
// CHECK-NEXT: snippets.yield
// CHECK: snippets.reduce_max
// CHECK-NEXT: snippets.yield
func.func @other_shape(%x: tensor<8x64xf32>) -> tensor<8x1xf32> {
  %0 = snippets.reduce_sum %x {axes = array<i64: 1>, keep_dims} : (tensor<8x64xf32>) -> tensor<8x1xf32>
  %1 = snippets.reduce_max %0 {axes = array<i64: 1>, keep_dims} : (tensor<8x1xf32>) -> tensor<8x1xf32>
  func.return %1 : tensor<8x1xf32>
}

// By T2, the loops of a reduction walk its operand: 64 and 32 are two nests.
// CHECK-LABEL: func.func @two_lengths(
// CHECK: snippets.reduce_sum
// CHECK-NEXT: snippets.yield
// CHECK: snippets.multiply
// CHECK-NEXT: snippets.yield
func.func @two_lengths(%x: tensor<8x64xf32>, %y: tensor<8x32xf32>) -> tensor<8x32xf32> {
  %0 = snippets.reduce_sum %x {axes = array<i64: 1>, keep_dims} : (tensor<8x64xf32>) -> tensor<8x1xf32>
  %1 = snippets.multiply %y, %0 : (tensor<8x32xf32>, tensor<8x1xf32>) -> tensor<8x32xf32>
  func.return %1 : tensor<8x32xf32>
}
