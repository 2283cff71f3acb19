// RUN: not snippets-opt %s -p snippets-mul-add-to-fma 2>&1 | filecheck %s

// The pass has to know whether the target has the instruction.
// CHECK: error: pass 'snippets-mul-add-to-fma': expected the module to have a string attribute `snippets.target`; run snippets-set-target before this pass
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  func.return %x : tensor<4xf32>
}
