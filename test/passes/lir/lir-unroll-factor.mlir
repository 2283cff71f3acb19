// RUN: not snippets-opt %s -p 'snippets-set-target,lir-unroll{factor=3}' 2>&1 | filecheck %s
// RUN: not snippets-opt %s -p 'snippets-set-target,lir-unroll{factor=32}' 2>&1 | filecheck %s

// CHECK: expected a factor of 0 (chosen), 1, 2, 4, 8 or 16, found 3
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  func.return %x : tensor<4xf32>
}
