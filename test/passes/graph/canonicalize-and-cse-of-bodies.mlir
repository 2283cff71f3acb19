// RUN: snippets-opt %s -p canonicalize,cse --verify-each | filecheck %s
// RUN: snippets-opt %s -p cse --verify-each | filecheck %s --check-prefix=CSE

// What is known at compile time becomes a constant, tensors included; what is computed twice is
// computed once; what nobody reads goes.
// CHECK-LABEL: func.func @fires(
// CHECK: %[[C:.*]] = snippets.constant dense<[3.000000e+00, -0.000000e+00, 0x7f800000]> : tensor<3xf32>
// CHECK-NEXT: %[[S:.*]] = snippets.add %a, %[[C]]
// CHECK-NEXT: %[[E:.*]] = snippets.exp %[[S]]
// CHECK-NEXT: %[[M:.*]] = snippets.multiply %[[E]], %[[E]]
// CHECK-NEXT: snippets.yield %[[M]], %[[E]]
func.func @fires(%x: tensor<?x3xf32>) -> (tensor<?x3xf32>, tensor<?x3xf32>) {
  %0, %1 = snippets.subgraph (%a = %x) : (tensor<?x3xf32>) -> (tensor<?x3xf32>, tensor<?x3xf32>) {
    %c = snippets.constant dense<[1.5, -0.0, 0x7F800000]> : tensor<3xf32>
    %two = snippets.scalar 2.0 : f32
    %k = snippets.multiply %c, %two : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    %2 = snippets.add %a, %k : (tensor<?x3xf32>, tensor<3xf32>) -> tensor<?x3xf32>
    %3 = snippets.exp %2 : tensor<?x3xf32>
    %l = snippets.multiply %c, %two : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    %4 = snippets.add %a, %l : (tensor<?x3xf32>, tensor<3xf32>) -> tensor<?x3xf32>
    %5 = snippets.exp %4 : tensor<?x3xf32>
    %6 = snippets.multiply %3, %5 : tensor<?x3xf32>
    %dead = snippets.log %6 : tensor<?x3xf32>
    snippets.yield %6, %5 : tensor<?x3xf32>, tensor<?x3xf32>
  }
  func.return %0, %1 : tensor<?x3xf32>, tensor<?x3xf32>
}

// Zeros of two signs are two constants; bounds that differ in a sign make two ops; equal ops of
// two subgraphs stay in both.
// CSE-LABEL: func.func @does_not_fire(
// CSE: snippets.scalar 0.000000e+00 : f32
// CSE-NEXT: snippets.scalar -0.000000e+00 : f32
// CSE-NEXT: snippets.divide
// CSE-NEXT: snippets.divide
// CSE-NEXT: snippets.clamp
// CSE-NEXT: snippets.clamp
// CSE-NEXT: snippets.add
// CSE-NEXT: snippets.add
// CSE-NEXT: snippets.yield
// CSE: snippets.scalar 0.000000e+00 : f32
// CSE-NEXT: snippets.divide
func.func @does_not_fire(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0, %1 = snippets.subgraph (%a = %x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %p = snippets.scalar 0.0 : f32
    %n = snippets.scalar -0.0 : f32
    %2 = snippets.divide %a, %p : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %3 = snippets.divide %a, %n : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %4 = snippets.clamp %a {min = 0.0 : f32, max = 6.0 : f32} : tensor<4xf32>
    %5 = snippets.clamp %a {min = -0.0 : f32, max = 6.0 : f32} : tensor<4xf32>
    %6 = snippets.add %2, %4 : tensor<4xf32>
    %7 = snippets.add %3, %5 : tensor<4xf32>
    snippets.yield %6, %7 : tensor<4xf32>, tensor<4xf32>
  }
  %8 = snippets.subgraph (%b = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %p = snippets.scalar 0.0 : f32
    %9 = snippets.divide %b, %p : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    snippets.yield %9 : tensor<4xf32>
  }
  func.return %0, %1, %8 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// Bodies that differ in a type of an inner result alone are two.
// CHECK-LABEL: func.func @types_of_results(
// CHECK: -> tensor<8xi32>
// CHECK: -> tensor<8xi8>
// CHECK: func.return %0, %{{[1-9]}} :
func.func @types_of_results(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = snippets.subgraph (%a = %x) : (tensor<8xf32>) -> tensor<8xf32> {
    %1 = snippets.convert_truncation %a : (tensor<8xf32>) -> tensor<8xi32>
    %2 = snippets.convert_truncation %1 : (tensor<8xi32>) -> tensor<8xf32>
    snippets.yield %2 : tensor<8xf32>
  }
  %3 = snippets.subgraph (%a = %x) : (tensor<8xf32>) -> tensor<8xf32> {
    %1 = snippets.convert_truncation %a : (tensor<8xf32>) -> tensor<8xi8>
    %2 = snippets.convert_truncation %1 : (tensor<8xi8>) -> tensor<8xf32>
    snippets.yield %2 : tensor<8xf32>
  }
  func.return %0, %3 : tensor<8xf32>, tensor<8xf32>
}
