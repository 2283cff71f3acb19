// RUN: not snippets-opt %s -p 'convert-snippets-to-lir,lir-mark-loops{vector-size=8},lir-insert-load-store,lir-insert-loops' 2>&1 | filecheck %s

// Without lir-fuse-loops the ops of a loop may stand apart.
// CHECK: error: {{.*}}run lir-fuse-loops
func.func @apart(%x: tensor<16xf32>) -> tensor<16xf32> {
  %r = snippets.subgraph (%a = %x) : (tensor<16xf32>) -> tensor<16xf32> {
    %0 = snippets.relu %a : tensor<16xf32>
    %1 = snippets.abs %a : tensor<16xf32>
    %2 = snippets.add %0, %1 : tensor<16xf32>
    snippets.yield %2 : tensor<16xf32>
  }
  func.return %r : tensor<16xf32>
}
