// RUN: snippets-opt %s -p snippets-constants-to-scalars --verify-each | filecheck %s
// RUN: snippets-opt %s -p snippets-constants-to-scalars,snippets-constants-to-scalars --verify-each | filecheck %s

// CHECK-LABEL: func.func @fires(
// CHECK: snippets.scalar 2.000000e+00 : f32
// CHECK-NEXT: snippets.add {{.*}} : (tensor<2x4xf32>, tensor<f32>) -> tensor<2x4xf32>
// CHECK-NEXT: snippets.scalar -0.000000e+00 : f32
// CHECK-NEXT: snippets.multiply {{.*}} : (tensor<2x4xf32>, tensor<f32>) -> tensor<2x4xf32>
// CHECK-NEXT: snippets.yield
func.func @fires(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %0 = snippets.subgraph (%a = %x) : (tensor<2x4xf32>) -> tensor<2x4xf32> {
    %c = snippets.constant dense<2.0> : tensor<1x1xf32>
    %1 = snippets.add %a, %c : (tensor<2x4xf32>, tensor<1x1xf32>) -> tensor<2x4xf32>
    %z = snippets.constant dense<-0.0> : tensor<f32>
    %2 = snippets.multiply %1, %z : (tensor<2x4xf32>, tensor<f32>) -> tensor<2x4xf32>
    snippets.yield %2 : tensor<2x4xf32>
  }
  func.return %0 : tensor<2x4xf32>
}

// Other elements, and numbers that decimals cannot say.
// CHECK-LABEL: func.func @elements(
// CHECK: snippets.scalar 9223372036854775807 : i64
// CHECK: snippets.scalar true
// CHECK: snippets.scalar 0x7f800000 : f32
// CHECK: snippets.scalar 0x7fc00000 : f32
func.func @elements(%x: tensor<4xi64>, %b: tensor<4xi1>, %f: tensor<4xf32>) -> (tensor<4xi64>, tensor<4xi1>, tensor<4xf32>) {
  %0, %1, %2 = snippets.subgraph (%p = %x, %q = %b, %r = %f) : (tensor<4xi64>, tensor<4xi1>, tensor<4xf32>) -> (tensor<4xi64>, tensor<4xi1>, tensor<4xf32>) {
    %c = snippets.constant dense<9223372036854775807> : tensor<1xi64>
    %3 = snippets.add %p, %c : (tensor<4xi64>, tensor<1xi64>) -> tensor<4xi64>
    %t = snippets.constant dense<true> : tensor<1xi1>
    %4 = snippets.logical_and %q, %t : (tensor<4xi1>, tensor<1xi1>) -> tensor<4xi1>
    %i = snippets.constant dense<0x7F800000> : tensor<1xf32>
    %5 = snippets.minimum %r, %i : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
    %n = snippets.constant dense<0x7FC00000> : tensor<1xf32>
    %6 = snippets.add %5, %n : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
    snippets.yield %3, %4, %6 : tensor<4xi64>, tensor<4xi1>, tensor<4xf32>
  }
  func.return %0, %1, %2 : tensor<4xi64>, tensor<4xi1>, tensor<4xf32>
}

// Where the rank of the constant makes the rank of the result, a broadcast gives it back.
// CHECK-LABEL: func.func @rank_of_the_result(
// CHECK: %[[S:.*]] = snippets.scalar 2.000000e+00 : f32
// CHECK-NEXT: %[[B:.*]] = snippets.broadcast %[[S]] : (tensor<f32>) -> tensor<1x1xf32>
// CHECK-NEXT: snippets.add {{.*}}, %[[B]] : (tensor<4xf32>, tensor<1x1xf32>) -> tensor<1x4xf32>
func.func @rank_of_the_result(%x: tensor<4xf32>) -> tensor<1x4xf32> {
  %0 = snippets.subgraph (%a = %x) : (tensor<4xf32>) -> tensor<1x4xf32> {
    %c = snippets.constant dense<2.0> : tensor<1x1xf32>
    %1 = snippets.add %a, %c : (tensor<4xf32>, tensor<1x1xf32>) -> tensor<1x4xf32>
    snippets.yield %1 : tensor<1x4xf32>
  }
  func.return %0 : tensor<1x4xf32>
}

// The same where it is yielded, and for all users where one needs it.
// CHECK-LABEL: func.func @yielded(
// CHECK: %[[S:.*]] = snippets.scalar 2.000000e+00 : f32
// CHECK-NEXT: %[[B:.*]] = snippets.broadcast %[[S]] : (tensor<f32>) -> tensor<1xf32>
// CHECK-NEXT: snippets.add {{.*}}, %[[B]] :
// CHECK-NEXT: snippets.yield {{.*}}, %[[B]] :
func.func @yielded(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<1xf32>) {
  %0, %1 = snippets.subgraph (%a = %x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<1xf32>) {
    %c = snippets.constant dense<2.0> : tensor<1xf32>
    %2 = snippets.add %a, %c : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
    snippets.yield %2, %c : tensor<4xf32>, tensor<1xf32>
  }
  func.return %0, %1 : tensor<4xf32>, tensor<1xf32>
}

// More elements than one, though all are equal; an empty one; and a constant outside.
// CHECK-LABEL: func.func @does_not_fire(
// CHECK-NOT: snippets.scalar
// CHECK: func.return
func.func @does_not_fire(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<0xf32>, tensor<1xf32>) {
  %k = snippets.constant dense<2.0> : tensor<1xf32>
  %0, %1 = snippets.subgraph (%a = %x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<0xf32>) {
    %c = snippets.constant dense<2.0> : tensor<4xf32>
    %2 = snippets.add %a, %c : tensor<4xf32>
    %e = snippets.constant dense<> : tensor<0xf32>
    %3 = snippets.abs %e : tensor<0xf32>
    snippets.yield %2, %3 : tensor<4xf32>, tensor<0xf32>
  }
  func.return %0, %1, %k : tensor<4xf32>, tensor<0xf32>, tensor<1xf32>
}
