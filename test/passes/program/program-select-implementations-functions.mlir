// RUN: snippets-opt %s -p program-select-implementations --explain=program-select-implementations 2>&1 | filecheck %s
// RUN: snippets-opt %s -p 'program-select-implementations,program-select-implementations' | filecheck %s --check-prefix=MARKS
// RUN: snippets-opt %s -p 'program-select-implementations{claims=false}' | filecheck %s --check-prefix=NONE
// RUN: snippets-opt %s -p 'program-select-implementations{force="activated:snippets|free:reference"}' | filecheck %s --check-prefix=FORCE
// RUN: not snippets-opt %s -p 'program-select-implementations{force="free:cuda"}' 2>&1 | filecheck %s --check-prefix=KIND
// RUN: snippets-opt %s -p 'program-select-implementations,snippets-tokenize' | filecheck %s --check-prefix=TOKENS
// RUN: snippets-run %s --verify --report --seed 3 | filecheck %s --check-prefix=OUT
// RUN: snippets-run %s --verify --report --seed 3 --force-impl activated:snippets | filecheck %s --check-prefix=IN

// In a function, which has no nodes yet, rows claim the ops that they compute as a part of others.

// CHECK: program-select-implementations: @main
// CHECK-NEXT: snippets.relu %activated: onnxruntime fuses it into Conv (conv-activation: ConvActivationFusion)
// CHECK-NEXT: program-select-implementations: @twin
// CHECK-NEXT: the engine fuses nothing

// MARKS-LABEL: func.func @main
// MARKS: snippets.relu{{.*}}snippets.skipped = "onnxruntime fuses it into Conv
// MARKS: snippets.exp %{{[a-z]*}} :
// MARKS-LABEL: func.func private @twin
// MARKS-NOT: snippets.skipped
// NONE-NOT: snippets.skipped
// FORCE: snippets.relu %{{[0-9a-z]*}} :
// FORCE: snippets.exp{{.*}}snippets.skipped = "reference is forced"
// KIND: error: pass 'program-select-implementations': force: expected one of snippets, onnxruntime, reference, inside, found 'cuda'
// TOKENS: snippets.relu{{.*}}snippets.reason = "onnxruntime fuses it into Conv
// TOKENS: snippets.subgraph
// TOKENS-NEXT: snippets.exp

// OUT: max_abs={{.*}} ok
// OUT: kernel subgraph_0: snippets.exp
// OUT: opaque snippets.relu
// IN: max_abs={{.*}} ok
// IN: kernel free: snippets.relu, snippets.exp
func.func @main(%x: tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32> {
  %w = snippets.constant dense<0.5> : tensor<2x2x1x1xf32>
  %0 = onnx.node "Conv"(%x, %w) {domain = "", version = 13 : i64} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %activated = snippets.relu %0 : tensor<1x2x4x4xf32>
  %free = snippets.exp %activated : tensor<1x2x4x4xf32>
  func.return %free : tensor<1x2x4x4xf32>
}

// The convolution is read twice: relu is no part of it.
func.func private @twin(%x: tensor<1x2x4x4xf32>) -> (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) {
  %w = snippets.constant dense<0.5> : tensor<2x2x1x1xf32>
  %0 = onnx.node "Conv"(%x, %w) {domain = "", version = 13 : i64} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %activated = snippets.relu %0 : tensor<1x2x4x4xf32>
  func.return %0, %activated : tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>
}
