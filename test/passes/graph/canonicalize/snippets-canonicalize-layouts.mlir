// RUN: snippets-opt %s -p snippets-canonicalize-layouts --verify-each | filecheck %s
// RUN: snippets-opt %s -p snippets-canonicalize-layouts,snippets-canonicalize-layouts --verify-each | filecheck %s

// The blocked input has the blocked shape, the planar one dims of size 1, the result follows;
// constants are rearranged and padded.
// CHECK-LABEL: func.func @blocked(
// CHECK-SAME: %x: tensor<2x2x?x7x4xf32>, %y: tensor<?x7xf32>) -> tensor<2x2x?x7x4xf32> {
// CHECK-NOT: snippets.layouts
// CHECK: snippets.reshape %b : (tensor<?x7xf32>) -> tensor<1x1x?x7x1xf32>
// CHECK-NEXT: snippets.add %a, %{{.*}} : (tensor<2x2x?x7x4xf32>, tensor<1x1x?x7x1xf32>) -> tensor<2x2x?x7x4xf32>
// CHECK-NEXT: snippets.scalar
// CHECK-NEXT: snippets.multiply %{{.*}} : (tensor<2x2x?x7x4xf32>, tensor<f32>) -> tensor<2x2x?x7x4xf32>
// CHECK-NEXT: snippets.constant dense<{{.*}}1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00{{.*}}5.000000e+00, 6.000000e+00, 0.000000e+00, 0.000000e+00{{.*}}> : tensor<1x2x1x1x4xf32>
// CHECK-NEXT: snippets.subtract
func.func @blocked(%x: tensor<2x6x?x7xf32>, %y: tensor<?x7xf32>) -> tensor<2x6x?x7xf32> {
  %0 = snippets.subgraph (%a = %x, %b = %y) : (tensor<2x6x?x7xf32>, tensor<?x7xf32>) -> tensor<2x6x?x7xf32> attributes {snippets.layouts = ["NCHW4c", "HW"]} {
    %1 = snippets.add %a, %b : (tensor<2x6x?x7xf32>, tensor<?x7xf32>) -> tensor<2x6x?x7xf32>
    %s = snippets.scalar 2.0 : f32
    %2 = snippets.multiply %1, %s : (tensor<2x6x?x7xf32>, tensor<f32>) -> tensor<2x6x?x7xf32>
    %c = snippets.constant dense<[[[1.0]], [[2.0]], [[3.0]], [[4.0]], [[5.0]], [[6.0]]]> : tensor<6x1x1xf32>
    %3 = snippets.subtract %2, %c : (tensor<2x6x?x7xf32>, tensor<6x1x1xf32>) -> tensor<2x6x?x7xf32>
    snippets.yield %3 : tensor<2x6x?x7xf32>
  }
  func.return %0 : tensor<2x6x?x7xf32>
}

// Values between other ops are rearranged outside.
// CHECK-LABEL: func.func @inside(
// CHECK: %[[R:.*]] = snippets.reshape %{{.*}} : (tensor<2x8x3xf32>) -> tensor<2x2x4x3xf32>
// CHECK-NEXT: snippets.transpose %[[R]] {permutation = array<i64: 0, 1, 3, 2>} : (tensor<2x2x4x3xf32>) -> tensor<2x2x3x4xf32>
// CHECK: snippets.abs %a : tensor<2x2x3x4xf32>
// CHECK: snippets.transpose %{{.*}} {permutation = array<i64: 0, 1, 3, 2>} : (tensor<2x2x3x4xf32>) -> tensor<2x2x4x3xf32>
// CHECK-NEXT: snippets.reshape %{{.*}} : (tensor<2x2x4x3xf32>) -> tensor<2x8x3xf32>
// CHECK-NEXT: snippets.log
func.func @inside(%x: tensor<2x8x3xf32>) -> tensor<2x8x3xf32> {
  %e = snippets.exp %x : tensor<2x8x3xf32>
  %0 = snippets.subgraph (%a = %e) : (tensor<2x8x3xf32>) -> tensor<2x8x3xf32> attributes {snippets.layouts = ["NCW4c"]} {
    %1 = snippets.abs %a : tensor<2x8x3xf32>
    snippets.yield %1 : tensor<2x8x3xf32>
  }
  %l = snippets.log %0 : tensor<2x8x3xf32>
  func.return %l : tensor<2x8x3xf32>
}

// Without blocks only ranks change, and the results keep their own; also with several `?`.
// CHECK-LABEL: func.func @ranks(
// CHECK-SAME: %x: tensor<2x?x?xf32>, %y: tensor<?x?xf32>) -> (tensor<2x?x?xf32>, tensor<?x?xf32>) {
// CHECK: snippets.unsqueeze %b {axes = array<i64: 0>} : (tensor<?x?xf32>) -> tensor<1x?x?xf32>
// CHECK-NEXT: snippets.exp %{{.*}} : tensor<1x?x?xf32>
// CHECK-NEXT: snippets.add
// CHECK-NEXT: snippets.squeeze %{{.*}} {axes = array<i64: 0>} : (tensor<1x?x?xf32>) -> tensor<?x?xf32>
func.func @ranks(%x: tensor<2x?x?xf32>, %y: tensor<?x?xf32>) -> (tensor<2x?x?xf32>, tensor<?x?xf32>) {
  %0, %1 = snippets.subgraph (%a = %x, %b = %y) : (tensor<2x?x?xf32>, tensor<?x?xf32>) -> (tensor<2x?x?xf32>, tensor<?x?xf32>) attributes {snippets.layouts = ["CHW", "-"]} {
    %2 = snippets.exp %b : tensor<?x?xf32>
    %3 = snippets.add %a, %2 : (tensor<2x?x?xf32>, tensor<?x?xf32>) -> tensor<2x?x?xf32>
    snippets.yield %3, %2 : tensor<2x?x?xf32>, tensor<?x?xf32>
  }
  func.return %0, %1 : tensor<2x?x?xf32>, tensor<?x?xf32>
}

// No layouts; a body that counts dims, with planar layouts.
// CHECK-LABEL: func.func @does_not_fire(
// CHECK-NOT: snippets.reshape
// CHECK: snippets.yield
// CHECK-NOT: snippets.reshape
// CHECK: snippets.yield
func.func @does_not_fire(%x: tensor<2x3xf32>, %y: tensor<3xf32>) -> (tensor<2x3xf32>, tensor<2xf32>) {
  %0 = snippets.subgraph (%a = %x, %b = %y) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32> {
    %1 = snippets.add %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    snippets.yield %1 : tensor<2x3xf32>
  }
  %2 = snippets.subgraph (%a = %x, %b = %y) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2xf32> attributes {snippets.layouts = ["HW", "W"]} {
    %3 = snippets.add %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    %4 = snippets.reduce_max %3 {axes = array<i64: 1>} : (tensor<2x3xf32>) -> tensor<2xf32>
    snippets.yield %4 : tensor<2xf32>
  }
  func.return %0, %2 : tensor<2x3xf32>, tensor<2xf32>
}
