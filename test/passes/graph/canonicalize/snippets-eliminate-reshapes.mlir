// RUN: snippets-opt %s -p snippets-eliminate-reshapes --verify-each | filecheck %s
// RUN: snippets-opt %s -p snippets-eliminate-reshapes,snippets-eliminate-reshapes --verify-each | filecheck %s

// Dims merge: what joins later is split like the first operand.
// CHECK-LABEL: func.func @merge(
// CHECK: %[[R:.*]] = snippets.relu %[[A:.*]] : tensor<4x6xf32>
// CHECK-NEXT: %[[B:.*]] = snippets.reshape %[[Y:.*]] : (tensor<24xf32>) -> tensor<4x6xf32>
// CHECK-NEXT: %[[S:.*]] = snippets.add %[[R]], %[[B]] : tensor<4x6xf32>
// CHECK-NEXT: %[[O:.*]] = snippets.reshape %[[S]] : (tensor<4x6xf32>) -> tensor<24xf32>
// CHECK-NEXT: snippets.yield %[[O]]
func.func @merge(%x: tensor<4x6xf32>, %y: tensor<24xf32>) -> tensor<24xf32> {
  %0 = snippets.subgraph (%a = %x, %b = %y) : (tensor<4x6xf32>, tensor<24xf32>) -> tensor<24xf32> {
    %1 = snippets.relu %a : tensor<4x6xf32>
    %2 = snippets.reshape %1 : (tensor<4x6xf32>) -> tensor<24xf32>
    %3 = snippets.add %2, %b : tensor<24xf32>
    snippets.yield %3 : tensor<24xf32>
  }
  func.return %0 : tensor<24xf32>
}

// Both sides split: 4x6 and 8x3 are 4x2x3. The reduction takes both parts of its dim, and what
// broadcasts has ones.
// CHECK-LABEL: func.func @common_factors(
// CHECK-NEXT: %[[X:.*]] = snippets.reshape %x : (tensor<4x6xf32>) -> tensor<4x2x3xf32>
// CHECK-NEXT: %[[C:.*]] = snippets.reshape %c : (tensor<4x1xf32>) -> tensor<4x1x1xf32>
// CHECK-NEXT: %[[M:.*]] = snippets.multiply %[[X]], %[[C]] : (tensor<4x2x3xf32>, tensor<4x1x1xf32>) -> tensor<4x2x3xf32>
// CHECK-NEXT: %[[S:.*]] = snippets.reduce_sum %[[M]] {axes = array<i64: 0, 1>, keep_dims} : (tensor<4x2x3xf32>) -> tensor<1x1x3xf32>
// CHECK-NEXT: %[[D:.*]] = snippets.subtract %[[M]], %[[S]] : (tensor<4x2x3xf32>, tensor<1x1x3xf32>) -> tensor<4x2x3xf32>
// CHECK-NEXT: %[[R:.*]] = snippets.reshape %[[D]] : (tensor<4x2x3xf32>) -> tensor<4x6xf32>
// CHECK-NEXT: func.return %[[R]], %[[S]] : tensor<4x6xf32>, tensor<1x1x3xf32>
func.func @common_factors(%x: tensor<4x6xf32>, %c: tensor<4x1xf32>) -> (tensor<4x6xf32>, tensor<1x1x3xf32>) {
  %0 = snippets.multiply %x, %c : (tensor<4x6xf32>, tensor<4x1xf32>) -> tensor<4x6xf32>
  %1 = snippets.reshape %0 : (tensor<4x6xf32>) -> tensor<8x3xf32>
  %2 = snippets.reduce_sum %1 {axes = array<i64: 0>} : (tensor<8x3xf32>) -> tensor<3xf32>
  %3 = snippets.subtract %1, %2 : (tensor<8x3xf32>, tensor<3xf32>) -> tensor<8x3xf32>
  %4 = snippets.reshape %3 : (tensor<8x3xf32>) -> tensor<4x6xf32>
  %5 = snippets.reshape %2 : (tensor<3xf32>) -> tensor<1x1x3xf32>
  func.return %4, %5 : tensor<4x6xf32>, tensor<1x1x3xf32>
}

// A row statistic that loses its dim and gets it back, with unknown rows; constants and scalars.
// CHECK-LABEL: func.func @row_statistic(
// CHECK-NEXT: %[[S:.*]] = snippets.scalar 5.000000e-01 : f32
// CHECK-NEXT: %[[X:.*]] = snippets.exp %x : tensor<?x3xf32>
// CHECK-NEXT: %[[R:.*]] = snippets.reduce_sum %[[X]] {axes = array<i64: 1>, keep_dims} : (tensor<?x3xf32>) -> tensor<?x1xf32>
// CHECK-NEXT: %[[H:.*]] = snippets.multiply %[[R]], %[[S]] : (tensor<?x1xf32>, tensor<f32>) -> tensor<?x1xf32>
// CHECK-NEXT: %[[D:.*]] = snippets.divide %[[X]], %[[H]] : (tensor<?x3xf32>, tensor<?x1xf32>) -> tensor<?x3xf32>
// CHECK-NEXT: %[[K:.*]] = snippets.constant dense<[1.000000e+00, 2.000000e+00, 3.000000e+00]> : tensor<3xf32>
// CHECK-NEXT: %[[O:.*]] = snippets.add %[[D]], %[[K]] : (tensor<?x3xf32>, tensor<3xf32>) -> tensor<?x3xf32>
// CHECK-NEXT: func.return %[[O]]
func.func @row_statistic(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %s = snippets.scalar 0.5 : f32
  %k = snippets.constant dense<[[1.0, 2.0, 3.0]]> : tensor<1x3xf32>
  %0 = snippets.exp %x : tensor<?x3xf32>
  %1 = snippets.reduce_sum %0 {axes = array<i64: 1>} : (tensor<?x3xf32>) -> tensor<?xf32>
  %2 = snippets.multiply %1, %s : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  %3 = snippets.reshape %2 : (tensor<?xf32>) -> tensor<?x1xf32>
  %4 = snippets.divide %0, %3 : (tensor<?x3xf32>, tensor<?x1xf32>) -> tensor<?x3xf32>
  %5 = snippets.add %4, %k : (tensor<?x3xf32>, tensor<1x3xf32>) -> tensor<?x3xf32>
  func.return %5 : tensor<?x3xf32>
}

// A transpose before a reshape that merges its dims goes to the argument.
// CHECK-LABEL: func.func @transpose(
// CHECK-NEXT: %[[T:.*]] = snippets.transpose %x {permutation = array<i64: 1, 0>} : (tensor<4x6xf32>) -> tensor<6x4xf32>
// CHECK-NEXT: %[[R:.*]] = snippets.relu %[[T]] : tensor<6x4xf32>
// CHECK-NEXT: %[[B:.*]] = snippets.reshape %b : (tensor<24xf32>) -> tensor<6x4xf32>
// CHECK-NEXT: %[[S:.*]] = snippets.add %[[R]], %[[B]] : tensor<6x4xf32>
// CHECK-NEXT: snippets.reshape %[[S]] : (tensor<6x4xf32>) -> tensor<24xf32>
func.func @transpose(%x: tensor<4x6xf32>, %b: tensor<24xf32>) -> tensor<24xf32> {
  %0 = snippets.relu %x : tensor<4x6xf32>
  %1 = snippets.transpose %0 {permutation = array<i64: 1, 0>} : (tensor<4x6xf32>) -> tensor<6x4xf32>
  %2 = snippets.reshape %1 : (tensor<6x4xf32>) -> tensor<24xf32>
  %3 = snippets.add %2, %b : tensor<24xf32>
  func.return %3 : tensor<24xf32>
}

// A reshape of a reshape reads the argument; a squeeze and an unsqueeze are reshapes.
// CHECK-LABEL: func.func @chains(
// CHECK-NEXT: %[[A:.*]] = snippets.reshape %x : (tensor<4x6xf32>) -> tensor<2x12xf32>
// CHECK-NEXT: %[[B:.*]] = snippets.abs %[[A]] : tensor<2x12xf32>
// CHECK-NEXT: %[[C:.*]] = snippets.negative %[[B]] : tensor<2x12xf32>
// CHECK-NEXT: %[[D:.*]] = snippets.reshape %[[C]] : (tensor<2x12xf32>) -> tensor<1x2x12xf32>
// CHECK-NEXT: func.return %[[D]]
func.func @chains(%x: tensor<4x6xf32>) -> tensor<1x2x12xf32> {
  %0 = snippets.reshape %x : (tensor<4x6xf32>) -> tensor<24xf32>
  %1 = snippets.reshape %0 : (tensor<24xf32>) -> tensor<2x12xf32>
  %2 = snippets.abs %1 : tensor<2x12xf32>
  %3 = snippets.unsqueeze %2 {axes = array<i64: 0>} : (tensor<2x12xf32>) -> tensor<1x2x12xf32>
  %4 = snippets.negative %3 : tensor<1x2x12xf32>
  func.return %4 : tensor<1x2x12xf32>
}

// Views of arguments and of results are what kernels take; a softmax ends what is looked at.
// CHECK-LABEL: func.func @does_not_fire(
// CHECK-NEXT: %[[A:.*]] = snippets.reshape %x : (tensor<4x6xf32>) -> tensor<24xf32>
// CHECK-NEXT: %[[B:.*]] = snippets.relu %[[A]] : tensor<24xf32>
// CHECK-NEXT: %[[C:.*]] = snippets.reshape %[[B]] : (tensor<24xf32>) -> tensor<6x4xf32>
// CHECK-NEXT: %[[D:.*]] = snippets.softmax %[[C]] {axis = 1 : i64} : tensor<6x4xf32>
// CHECK-NEXT: %[[E:.*]] = snippets.relu %x {snippets.skipped = "mine"} : tensor<4x6xf32>
// CHECK-NEXT: %[[F:.*]] = snippets.reshape %[[E]] : (tensor<4x6xf32>) -> tensor<6x4xf32>
// CHECK-NEXT: snippets.add %[[D]], %[[F]] : tensor<6x4xf32>
func.func @does_not_fire(%x: tensor<4x6xf32>) -> tensor<6x4xf32> {
  %0 = snippets.reshape %x : (tensor<4x6xf32>) -> tensor<24xf32>
  %1 = snippets.relu %0 : tensor<24xf32>
  %2 = snippets.reshape %1 : (tensor<24xf32>) -> tensor<6x4xf32>
  %3 = snippets.softmax %2 {axis = 1 : i64} : tensor<6x4xf32>
  %4 = snippets.relu %x {snippets.skipped = "mine"} : tensor<4x6xf32>
  %5 = snippets.reshape %4 : (tensor<4x6xf32>) -> tensor<6x4xf32>
  %6 = snippets.add %3, %5 : tensor<6x4xf32>
  func.return %6 : tensor<6x4xf32>
}

// Refused: no common factors; a dim of unknown size would be split; the dims of one value would
// stand in one place. What has nothing to do with it is rewritten.
// CHECK-LABEL: func.func @refused(
// CHECK: snippets.reshape %{{.*}} {snippets.reason = "no shapes make the reshapes around it the identity: 6x4 has no boundary with 6 elements to its right"} : (tensor<4x6xf32>) -> tensor<6x4xf32>
// CHECK: snippets.reshape %{{.*}} {snippets.reason = "{{.*}}: a reshape from ?x6 to ?x2 has no common factors"}
// CHECK: snippets.transpose %{{.*}} {{{.*}}snippets.reason = "{{.*}}: two dims of one value would have to stand in one place"}
// CHECK: %[[Y:.*]] = snippets.abs %y : tensor<4x6xf32>
// CHECK-NEXT: %[[N:.*]] = snippets.negative %[[Y]] : tensor<4x6xf32>
// CHECK-NEXT: snippets.reshape %[[N]] : (tensor<4x6xf32>) -> tensor<24xf32>
func.func @refused(%x: tensor<4x6xf32>, %b: tensor<6x4xf32>, %u: tensor<?x6xf32>, %q: tensor<4x4xf32>, %y: tensor<4x6xf32>) -> (tensor<6x4xf32>, tensor<?x2xf32>, tensor<4x4xf32>, tensor<24xf32>) {
  %0 = snippets.relu %x : tensor<4x6xf32>
  %1 = snippets.reshape %0 : (tensor<4x6xf32>) -> tensor<6x4xf32>
  %2 = snippets.add %1, %b : tensor<6x4xf32>
  %3 = snippets.relu %u : tensor<?x6xf32>
  %4 = snippets.reshape %3 : (tensor<?x6xf32>) -> tensor<?x2xf32>
  %5 = snippets.relu %4 : tensor<?x2xf32>
  %6 = snippets.relu %q : tensor<4x4xf32>
  %7 = snippets.transpose %6 {permutation = array<i64: 1, 0>} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %8 = snippets.add %6, %7 : tensor<4x4xf32>
  %9 = snippets.abs %y : tensor<4x6xf32>
  %10 = snippets.reshape %9 : (tensor<4x6xf32>) -> tensor<24xf32>
  %11 = snippets.negative %10 : tensor<24xf32>
  func.return %2, %5, %8, %11 : tensor<6x4xf32>, tensor<?x2xf32>, tensor<4x4xf32>, tensor<24xf32>
}

// On the graph a reshape that does not fit stays, and those around it go; a body keeps all.
// CHECK-LABEL: func.func @in_parts(
// CHECK-NEXT: %[[A:.*]] = snippets.reshape %x : (tensor<24xf32>) -> tensor<4x6xf32>
// CHECK-NEXT: %[[B:.*]] = snippets.relu %[[A]] : tensor<4x6xf32>
// CHECK-NEXT: %[[C:.*]] = snippets.add %[[B]], %a : tensor<4x6xf32>
// CHECK-NEXT: %[[D:.*]] = snippets.reshape %[[C]] {{.*}} : (tensor<4x6xf32>) -> tensor<6x4xf32>
// CHECK-NEXT: %[[E:.*]] = snippets.add %[[D]], %b : tensor<6x4xf32>
// CHECK-NEXT: %[[F:.*]] = snippets.abs %[[E]] : tensor<6x4xf32>
// CHECK-NEXT: snippets.reshape %[[F]] : (tensor<6x4xf32>) -> tensor<24xf32>
// CHECK: snippets.reshape %{{.*}} {{{.*}}} : (tensor<24xf32>) -> tensor<4x6xf32>
// CHECK: snippets.reshape %{{.*}} : (tensor<4x6xf32>) -> tensor<6x4xf32>
func.func @in_parts(%x: tensor<24xf32>, %a: tensor<4x6xf32>, %b: tensor<6x4xf32>) -> (tensor<24xf32>, tensor<6x4xf32>) {
  %0 = snippets.relu %x : tensor<24xf32>
  %1 = snippets.reshape %0 : (tensor<24xf32>) -> tensor<4x6xf32>
  %2 = snippets.add %1, %a : tensor<4x6xf32>
  %3 = snippets.reshape %2 : (tensor<4x6xf32>) -> tensor<6x4xf32>
  %4 = snippets.add %3, %b : tensor<6x4xf32>
  %5 = snippets.reshape %4 : (tensor<6x4xf32>) -> tensor<24xf32>
  %6 = snippets.abs %5 : tensor<24xf32>
  %r = snippets.subgraph (%p = %x, %q = %a, %s = %b) : (tensor<24xf32>, tensor<4x6xf32>, tensor<6x4xf32>) -> tensor<6x4xf32> {
    %7 = snippets.relu %p : tensor<24xf32>
    %8 = snippets.reshape %7 : (tensor<24xf32>) -> tensor<4x6xf32>
    %9 = snippets.add %8, %q : tensor<4x6xf32>
    %10 = snippets.reshape %9 : (tensor<4x6xf32>) -> tensor<6x4xf32>
    %11 = snippets.add %10, %s : tensor<6x4xf32>
    snippets.yield %11 : tensor<6x4xf32>
  }
  func.return %6, %r : tensor<24xf32>, tensor<6x4xf32>
}

// A concat has no dims that can be regrouped: its parts keep the reshapes before it.
// CHECK-LABEL: func.func @joined(
// CHECK: snippets.unsqueeze %{{.*}} {axes = array<i64: 0>, snippets.reason = "no shapes make the reshapes around it the identity: the dims of snippets.concat are not regrouped"} : (tensor<7x3xf32>) -> tensor<1x7x3xf32>
// CHECK: snippets.concat %{{.*}} : (tensor<1x7x3xf32>, tensor<1x7x3xf32>) -> tensor<2x7x3xf32>
func.func @joined(%x: tensor<7x3xf32>) -> tensor<2x7x3xf32> {
  %0 = snippets.subgraph (%a = %x) : (tensor<7x3xf32>) -> tensor<2x7x3xf32> {
    %1 = snippets.abs %a : tensor<7x3xf32>
    %2 = snippets.unsqueeze %1 {axes = array<i64: 0>} : (tensor<7x3xf32>) -> tensor<1x7x3xf32>
    %3 = snippets.unsqueeze %a {axes = array<i64: 0>} : (tensor<7x3xf32>) -> tensor<1x7x3xf32>
    %4 = snippets.concat %2, %3 {axis = 0 : i64} : (tensor<1x7x3xf32>, tensor<1x7x3xf32>) -> tensor<2x7x3xf32>
    snippets.yield %4 : tensor<2x7x3xf32>
  }
  func.return %0 : tensor<2x7x3xf32>
}

// What is added to the same value has: the reshape before it goes.
// CHECK-LABEL: func.func @added(
// CHECK-NOT: snippets.reason
// CHECK: snippets.add %{{.*}}, %{{.*}} : tensor<7x3xf32>
func.func @added(%x: tensor<7x3xf32>) -> tensor<1x7x3xf32> {
  %0 = snippets.subgraph (%a = %x) : (tensor<7x3xf32>) -> tensor<1x7x3xf32> {
    %1 = snippets.abs %a : tensor<7x3xf32>
    %2 = snippets.unsqueeze %1 {axes = array<i64: 0>} : (tensor<7x3xf32>) -> tensor<1x7x3xf32>
    %3 = snippets.unsqueeze %a {axes = array<i64: 0>} : (tensor<7x3xf32>) -> tensor<1x7x3xf32>
    %4 = snippets.add %2, %3 : tensor<1x7x3xf32>
    snippets.yield %4 : tensor<1x7x3xf32>
  }
  func.return %0 : tensor<1x7x3xf32>
}
