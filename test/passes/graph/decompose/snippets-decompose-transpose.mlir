// RUN: snippets-opt %s -p snippets-decompose-transpose --verify-each | filecheck %s
// RUN: snippets-opt %s -p snippets-decompose-transpose,snippets-decompose-transpose --verify-each | filecheck %s

// Through an op, whose other operand broadcasts.
// CHECK-LABEL: func.func @elementwise(
// CHECK: %[[A:.*]] = snippets.transpose %[[X:.*]] {permutation = array<i64: 1, 0>} : (tensor<4x8xf32>) -> tensor<8x4xf32>
// CHECK-NEXT: %[[B:.*]] = snippets.reshape %[[Y:.*]] : (tensor<8xf32>) -> tensor<8x1xf32>
// CHECK-NEXT: %[[R:.*]] = snippets.add %[[A]], %[[B]] : (tensor<8x4xf32>, tensor<8x1xf32>) -> tensor<8x4xf32>
// CHECK-NEXT: snippets.yield %[[R]]
func.func @elementwise(%x: tensor<4x8xf32>, %y: tensor<8xf32>) -> tensor<8x4xf32> {
  %0 = snippets.subgraph (%a = %x, %b = %y) : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<8x4xf32> {
    %1 = snippets.add %a, %b : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
    %2 = snippets.transpose %1 {permutation = array<i64: 1, 0>} : (tensor<4x8xf32>) -> tensor<8x4xf32>
    snippets.yield %2 : tensor<8x4xf32>
  }
  func.return %0 : tensor<8x4xf32>
}

// Through a reduction, whose axes move, with unknown sizes; scalars stay as they are.
// CHECK-LABEL: func.func @reduction(
// CHECK-NEXT: %[[S:.*]] = snippets.scalar 2.000000e+00 : f32
// CHECK-NEXT: %[[T:.*]] = snippets.transpose %x {permutation = array<i64: 2, 0, 1>} : (tensor<?x4x?xf32>) -> tensor<?x?x4xf32>
// CHECK-NEXT: %[[M:.*]] = snippets.multiply %[[T]], %[[S]] : (tensor<?x?x4xf32>, tensor<f32>) -> tensor<?x?x4xf32>
// CHECK-NEXT: %[[R:.*]] = snippets.reduce_sum %[[M]] {axes = array<i64: 2>, keep_dims} : (tensor<?x?x4xf32>) -> tensor<?x?x1xf32>
// CHECK-NEXT: %[[D:.*]] = snippets.subtract %[[M]], %[[R]]
// CHECK-NEXT: func.return %[[D]]
func.func @reduction(%x: tensor<?x4x?xf32>) -> tensor<?x?x4xf32> {
  %s = snippets.scalar 2.0 : f32
  %0 = snippets.multiply %x, %s : (tensor<?x4x?xf32>, tensor<f32>) -> tensor<?x4x?xf32>
  %1 = snippets.reduce_sum %0 {axes = array<i64: 1>, keep_dims} : (tensor<?x4x?xf32>) -> tensor<?x1x?xf32>
  %2 = snippets.subtract %0, %1 : (tensor<?x4x?xf32>, tensor<?x1x?xf32>) -> tensor<?x4x?xf32>
  %3 = snippets.transpose %2 {permutation = array<i64: 2, 0, 1>} : (tensor<?x4x?xf32>) -> tensor<?x?x4xf32>
  func.return %3 : tensor<?x?x4xf32>
}

// Two that undo each other, an identity, and one that moves dims of size 1.
// CHECK-LABEL: func.func @vanish(
// CHECK-NEXT: %[[A:.*]] = snippets.exp %x : tensor<4x8xf32>
// CHECK-NEXT: %[[B:.*]] = snippets.reshape %y : (tensor<1x8xf32>) -> tensor<8x1xf32>
// CHECK-NEXT: func.return %[[A]], %x, %[[B]]
func.func @vanish(%x: tensor<4x8xf32>, %y: tensor<1x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<8x1xf32>) {
  %0 = snippets.transpose %x {permutation = array<i64: 1, 0>} : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %1 = snippets.exp %0 : tensor<8x4xf32>
  %2 = snippets.transpose %1 {permutation = array<i64: 1, 0>} : (tensor<8x4xf32>) -> tensor<4x8xf32>
  %3 = snippets.transpose %x {permutation = array<i64: 0, 1>} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %4 = snippets.transpose %y {permutation = array<i64: 1, 0>} : (tensor<1x8xf32>) -> tensor<8x1xf32>
  func.return %2, %3, %4 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<8x1xf32>
}

// Through broadcasts, select, and a reshape that only adds a dim of size 1.
// CHECK-LABEL: func.func @others(
// CHECK-NEXT: %[[B:.*]] = snippets.reshape %y : (tensor<8xf32>) -> tensor<8x1x1xf32>
// CHECK-NEXT: %[[BC:.*]] = snippets.broadcast %[[B]] : (tensor<8x1x1xf32>) -> tensor<8x1x4xf32>
// CHECK-NEXT: %[[C1:.*]] = snippets.reshape %c : (tensor<4x8xi1>) -> tensor<1x4x8xi1>
// CHECK-NEXT: %[[C:.*]] = snippets.transpose %[[C1]] {permutation = array<i64: 2, 0, 1>} : (tensor<1x4x8xi1>) -> tensor<8x1x4xi1>
// CHECK-NEXT: %[[X1:.*]] = snippets.reshape %x : (tensor<4x8xf32>) -> tensor<1x4x8xf32>
// CHECK-NEXT: %[[X:.*]] = snippets.transpose %[[X1]] {permutation = array<i64: 2, 0, 1>} : (tensor<1x4x8xf32>) -> tensor<8x1x4xf32>
// CHECK-NEXT: %[[S:.*]] = snippets.select %[[C]], %[[X]], %[[BC]]
// CHECK-NEXT: func.return %[[S]]
func.func @others(%x: tensor<4x8xf32>, %y: tensor<8xf32>, %c: tensor<4x8xi1>) -> tensor<8x1x4xf32> {
  %0 = snippets.broadcast %y : (tensor<8xf32>) -> tensor<4x8xf32>
  %1 = snippets.select %c, %x, %0 : (tensor<4x8xi1>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = snippets.reshape %1 : (tensor<4x8xf32>) -> tensor<4x1x8xf32>
  %3 = snippets.transpose %2 {permutation = array<i64: 2, 1, 0>} : (tensor<4x1x8xf32>) -> tensor<8x1x4xf32>
  func.return %3 : tensor<8x1x4xf32>
}

// In a body, what is also read untransposed is computed twice.
// CHECK-LABEL: func.func @both(
// CHECK: %[[T:.*]] = snippets.transpose %[[X:.*]] {permutation
// CHECK-NEXT: %[[B:.*]] = snippets.relu %[[T]]
// CHECK-NEXT: %[[A:.*]] = snippets.relu %[[X]]
// CHECK-NEXT: snippets.add %[[A]], %[[B]]
func.func @both(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %r = snippets.subgraph (%a = %x) : (tensor<4x4xf32>) -> tensor<4x4xf32> {
    %0 = snippets.relu %a : tensor<4x4xf32>
    %1 = snippets.transpose %0 {permutation = array<i64: 1, 0>} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %2 = snippets.add %0, %1 : tensor<4x4xf32>
    snippets.yield %2 : tensor<4x4xf32>
  }
  func.return %r : tensor<4x4xf32>
}

// On the graph it is not; two transposes that agree move together.
// CHECK-LABEL: func.func @both_on_the_graph(
// CHECK-NEXT: %[[A:.*]] = snippets.relu %x
// CHECK-NEXT: %[[T:.*]] = snippets.transpose %[[A]] {permutation = array<i64: 1, 0>, snippets.reason = "what it reads is also read in another order"}
// CHECK-NEXT: snippets.add %[[A]], %[[T]]
// CHECK-NEXT: %[[Y:.*]] = snippets.transpose %y
// CHECK-NEXT: %[[Z:.*]] = snippets.exp %[[Y]]
// CHECK-NEXT: snippets.abs %[[Z]]
// CHECK-NEXT: snippets.relu %[[Z]]
func.func @both_on_the_graph(%x: tensor<4x4xf32>, %y: tensor<4x8xf32>) -> (tensor<4x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) {
  %0 = snippets.relu %x : tensor<4x4xf32>
  %1 = snippets.transpose %0 {permutation = array<i64: 1, 0>} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = snippets.add %0, %1 : tensor<4x4xf32>
  %3 = snippets.exp %y : tensor<4x8xf32>
  %4 = snippets.transpose %3 {permutation = array<i64: 1, 0>} : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %5 = snippets.abs %4 : tensor<8x4xf32>
  %6 = snippets.relu %3 : tensor<4x8xf32>
  %7 = snippets.transpose %6 {permutation = array<i64: 1, 0>} : (tensor<4x8xf32>) -> tensor<8x4xf32>
  func.return %2, %5, %7 : tensor<4x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>
}

// Those on arguments, on reshapes of arguments and on results of other ops stay.
// CHECK-LABEL: func.func @does_not_fire(
// CHECK-NEXT: snippets.transpose %x {permutation = array<i64: 1, 0>} : (tensor<4x8xf32>) -> tensor<8x4xf32>
// CHECK-NEXT: %[[R:.*]] = snippets.reshape %x : (tensor<4x8xf32>) -> tensor<2x16xf32>
// CHECK-NEXT: snippets.transpose %[[R]] {permutation = array<i64: 1, 0>} : (tensor<2x16xf32>) -> tensor<16x2xf32>
// CHECK-NEXT: %[[O:.*]] = onnx.node
// CHECK-NEXT: snippets.transpose %[[O]] {permutation = array<i64: 1, 0>} : (tensor<4x8xf32>) -> tensor<8x4xf32>
// CHECK-NEXT: %[[S:.*]] = snippets.relu %x {snippets.skipped = "mine"}
// CHECK-NEXT: snippets.transpose %[[S]] {permutation = array<i64: 1, 0>} : (tensor<4x8xf32>) -> tensor<8x4xf32>
func.func @does_not_fire(%x: tensor<4x8xf32>) -> (tensor<8x4xf32>, tensor<16x2xf32>, tensor<8x4xf32>, tensor<8x4xf32>) {
  %0 = snippets.transpose %x {permutation = array<i64: 1, 0>} : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %1 = snippets.reshape %x : (tensor<4x8xf32>) -> tensor<2x16xf32>
  %2 = snippets.transpose %1 {permutation = array<i64: 1, 0>} : (tensor<2x16xf32>) -> tensor<16x2xf32>
  %3 = onnx.node "Relu"(%x) {domain = "", version = 14 : i64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %4 = snippets.transpose %3 {permutation = array<i64: 1, 0>} : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %5 = snippets.relu %x {snippets.skipped = "mine"} : tensor<4x8xf32>
  %6 = snippets.transpose %5 {permutation = array<i64: 1, 0>} : (tensor<4x8xf32>) -> tensor<8x4xf32>
  func.return %0, %2, %4, %6 : tensor<8x4xf32>, tensor<16x2xf32>, tensor<8x4xf32>, tensor<8x4xf32>
}

// A reshape that splits dims, a softmax and dropped dims stop it.
// CHECK-LABEL: func.func @refused(
// CHECK: snippets.transpose %{{.*}} {permutation = array<i64: 1, 0>, snippets.reason = "a transpose cannot move before snippets.reshape"} : (tensor<2x16xf32>) -> tensor<16x2xf32>
// CHECK: snippets.transpose {{.*}}"a transpose cannot move before snippets.softmax"
// CHECK: snippets.transpose {{.*}}"a transpose cannot move before snippets.reduce_sum"
func.func @refused(%x: tensor<4x8xf32>, %z: tensor<3x4x8xf32>) -> (tensor<16x2xf32>, tensor<8x4xf32>, tensor<8x4xf32>) {
  %0 = snippets.relu %x : tensor<4x8xf32>
  %1 = snippets.reshape %0 : (tensor<4x8xf32>) -> tensor<2x16xf32>
  %2 = snippets.transpose %1 {permutation = array<i64: 1, 0>} : (tensor<2x16xf32>) -> tensor<16x2xf32>
  %3 = snippets.softmax %x {axis = 1 : i64} : tensor<4x8xf32>
  %4 = snippets.transpose %3 {permutation = array<i64: 1, 0>} : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %5 = snippets.reduce_sum %z {axes = array<i64: 0>} : (tensor<3x4x8xf32>) -> tensor<4x8xf32>
  %6 = snippets.transpose %5 {permutation = array<i64: 1, 0>} : (tensor<4x8xf32>) -> tensor<8x4xf32>
  func.return %2, %4, %6 : tensor<16x2xf32>, tensor<8x4xf32>, tensor<8x4xf32>
}
