// RUN: snippets-opt %s -p 'snippets-align-element-types{inputs=f16 outputs=f16},cse' --check-each | filecheck %s
// RUN: snippets-opt %s -p 'snippets-canonicalize-layouts{layouts=NCW4c},cse' --check-each | filecheck %s --check-prefix=BLOCKED

// The interface changes, so nothing can be compared with what was before; the pass after it can be.
// CHECK: func.func @main(%x: tensor<1x6x3xf16>) -> tensor<1x6x3xf16>
// CHECK: snippets.exp
// CHECK-NOT: snippets.exp
// BLOCKED: func.func @main(%x: tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
// BLOCKED: snippets.exp
// BLOCKED-NOT: snippets.exp
func.func @main(%x: tensor<1x6x3xf32>) -> tensor<1x6x3xf32> {
  %0 = snippets.subgraph (%a = %x) : (tensor<1x6x3xf32>) -> tensor<1x6x3xf32> {
    %1 = snippets.exp %a : tensor<1x6x3xf32>
    %2 = snippets.exp %a : tensor<1x6x3xf32>
    %3 = snippets.add %1, %2 : tensor<1x6x3xf32>
    snippets.yield %3 : tensor<1x6x3xf32>
  }
  func.return %0 : tensor<1x6x3xf32>
}
