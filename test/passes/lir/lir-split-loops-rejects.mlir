// RUN: not snippets-opt %s -p 'lir-split-loops{max-terms=1}' 2>&1 | filecheck %s
// RUN: not snippets-opt %s -p 'lir-split-loops{max-lane-terms=0}' 2>&1 | filecheck %s

// CHECK: expected max-terms and max-lane-terms of 2 or more, and so max-product-terms, or 0
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  func.return %x : tensor<4xf32>
}
