// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx512},snippets-tokenize{max-ops=2}' --explain=snippets-tokenize 2> %t.ops | filecheck %s
// RUN: filecheck %s --check-prefix=OPS --input-file=%t.ops
// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx512},snippets-tokenize{max-ios=3}' --explain=snippets-tokenize 2> %t.ios | filecheck %s
// RUN: filecheck %s --check-prefix=IOS --input-file=%t.ios

// The limits count the ops, inputs and outputs of one kernel for all.
// OPS: snippets.layer_norm apart from snippets.matmul %m: T3: more than 2 ops
// IOS: snippets.layer_norm apart from snippets.matmul %m: T4: more than 3 inputs and outputs
// CHECK-LABEL: func.func @norm(
// CHECK-COUNT-2: snippets.subgraph
func.func @norm(%x: tensor<2048x768xf32>, %g: tensor<768xf32>) -> tensor<2048x256xf32> {
  %w = snippets.constant dense<0.5> : tensor<768x256xf32>
  %0 = snippets.layer_norm %x, %g {axis = 1 : i64, epsilon = 1.0e-05 : f64} : (tensor<2048x768xf32>, tensor<768xf32>) -> tensor<2048x768xf32>
  %m = snippets.matmul %0, %w : (tensor<2048x768xf32>, tensor<768x256xf32>) -> tensor<2048x256xf32>
  %y = snippets.relu %m : tensor<2048x256xf32>
  func.return %y : tensor<2048x256xf32>
}
