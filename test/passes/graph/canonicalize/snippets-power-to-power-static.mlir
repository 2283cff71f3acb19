// RUN: snippets-opt %s -p snippets-power-to-power-static --verify-each | filecheck %s
// RUN: snippets-opt %s -p snippets-power-to-power-static,snippets-power-to-power-static --verify-each | filecheck %s

// Exponents that need no logarithm, from scalars and from constants of equal elements.
// CHECK-LABEL: func.func @fires(
// CHECK-NOT: snippets.scalar
// CHECK-NOT: snippets.constant
// CHECK: %[[A:.*]] = snippets.power_static %{{.*}} {exponent = 3.000000e+00 : f32} : tensor<?x8xf32>
// CHECK-NEXT: %[[B:.*]] = snippets.power_static %[[A]] {exponent = -5.000000e-01 : f32} : tensor<?x8xf32>
// CHECK-NEXT: snippets.yield %[[B]]
func.func @fires(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = snippets.subgraph (%a = %x) : (tensor<?x8xf32>) -> tensor<?x8xf32> {
    %c = snippets.scalar 3.0 : f32
    %1 = snippets.power %a, %c : (tensor<?x8xf32>, tensor<f32>) -> tensor<?x8xf32>
    %d = snippets.constant dense<-0.5> : tensor<1x8xf32>
    %2 = snippets.power %1, %d : (tensor<?x8xf32>, tensor<1x8xf32>) -> tensor<?x8xf32>
    snippets.yield %2 : tensor<?x8xf32>
  }
  func.return %0 : tensor<?x8xf32>
}

// Integers take any exponent from 0 to 127; a constant with other users stays.
// CHECK-LABEL: func.func @integers(
// CHECK: snippets.scalar 7 : i32
// CHECK-NEXT: snippets.power_static %{{.*}} {exponent = 7 : i32} : tensor<4xi32>
// CHECK-NEXT: snippets.add
func.func @integers(%x: tensor<4xi32>) -> tensor<4xi32> {
  %0 = snippets.subgraph (%a = %x) : (tensor<4xi32>) -> tensor<4xi32> {
    %c = snippets.scalar 7 : i32
    %1 = snippets.power %a, %c : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
    %2 = snippets.add %1, %c : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
    snippets.yield %2 : tensor<4xi32>
  }
  func.return %0 : tensor<4xi32>
}

// An exponent whose products would round too often; a negative one of integers; two exponents;
// one that gives the result its shape; one that is no constant; a power outside of subgraphs.
// CHECK-LABEL: func.func @does_not_fire(
// CHECK-NOT: snippets.power_static
// CHECK: func.return
func.func @does_not_fire(%x: tensor<2xf32>, %n: tensor<2xi32>) -> (tensor<2xf32>, tensor<2xi32>, tensor<2xf32>, tensor<1x2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %o = snippets.scalar 3.0 : f32
  %p = snippets.power %x, %o : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %0, %1, %2, %3, %4 = snippets.subgraph (%a = %x, %b = %n) : (tensor<2xf32>, tensor<2xi32>) -> (tensor<2xf32>, tensor<2xi32>, tensor<2xf32>, tensor<1x2xf32>, tensor<2xf32>) {
    %c5 = snippets.scalar 5.0 : f32
    %5 = snippets.power %a, %c5 : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
    %cm = snippets.scalar -1 : i32
    %6 = snippets.power %b, %cm : (tensor<2xi32>, tensor<i32>) -> tensor<2xi32>
    %c23 = snippets.constant dense<[2.0, 3.0]> : tensor<2xf32>
    %7 = snippets.power %a, %c23 : tensor<2xf32>
    %c11 = snippets.constant dense<3.0> : tensor<1x1xf32>
    %8 = snippets.power %a, %c11 : (tensor<2xf32>, tensor<1x1xf32>) -> tensor<1x2xf32>
    %9 = snippets.power %a, %a : tensor<2xf32>
    snippets.yield %5, %6, %7, %8, %9 : tensor<2xf32>, tensor<2xi32>, tensor<2xf32>, tensor<1x2xf32>, tensor<2xf32>
  }
  func.return %0, %1, %2, %3, %4, %p : tensor<2xf32>, tensor<2xi32>, tensor<2xf32>, tensor<1x2xf32>, tensor<2xf32>, tensor<2xf32>
}
