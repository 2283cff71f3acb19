// RUN: snippets-opt %s --shape x=4x8 | filecheck %s
// RUN: snippets-opt %s --shape x=4x8 -p program-to-llvm | filecheck %s --check-prefix=LLVM
// RUN: not snippets-opt %s --shape x=4x9 2>&1 | filecheck %s --check-prefix=FIT
// RUN: not snippets-opt %s --shape y=4x8 2>&1 | filecheck %s --check-prefix=NAME

program.graph @main "topology" (%x "x": tensor<?x8xf32>) {
  %0 = program.node "a" (%a = %x) : (tensor<?x8xf32>) -> tensor<?x8xf32> {
    %1 = snippets.relu %a : tensor<?x8xf32>
    program.yield %1 : tensor<?x8xf32>
  }
  program.output %0 as "y" : tensor<?x8xf32>
}

// CHECK: program.graph @main "topology" (%x "x": tensor<4x8xf32>)
// CHECK: program.node "a" {{.*}} -> tensor<4x8xf32>
// LLVM: program.graph @main "selected" (%x "x": tensor<4x8xf32>)
// LLVM: llvm.func
// FIT: shape-graph.mlir:6:1: error: --shape: 4x9 does not fit input 'x' of type tensor<?x8xf32>
// NAME: error: --shape: no input 'y'; the inputs are x
