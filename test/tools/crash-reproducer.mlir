// RUN: not snippets-opt %s --load-pass-plugin=%S/inputs/plugin_failing.py -p 'cse,fail-here{why="a b"},canonicalize' --mlir-pass-pipeline-crash-reproducer=%t.mlir -o %t.out 2>&1 | filecheck %s --check-prefix ERROR
// RUN: filecheck %s --check-prefix FILE < %t.mlir
// RUN: not snippets-opt %t.mlir --load-pass-plugin=%S/inputs/plugin_failing.py --run-reproducer 2>&1 | filecheck %s --check-prefix AGAIN
// RUN: not snippets-opt %s --run-reproducer 2>&1 | filecheck %s --check-prefix NOT-ONE
// RUN: snippets-opt %s -p cse --mlir-pass-pipeline-crash-reproducer=%t.unused -o %t.out && not test -e %t.unused

func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = snippets.exp %x : tensor<4xf32>
  %1 = snippets.exp %x : tensor<4xf32>
  %2 = snippets.add %0, %1 : tensor<4xf32>
  func.return %2 : tensor<4xf32>
}

// ERROR:       crash-reproducer.mlir:1:1: error: pass 'fail-here' failed: a b

// The module as the failing pass got it: cse has run and is not in the rest of the pipeline.
// FILE:        // {{RUN}}: snippets-opt %s --load-pass-plugin={{.*}}plugin_failing.py -p 'fail-here{why="a b"},canonicalize'
// FILE-NEXT:   // {{.*}}pass 'fail-here' failed: a b
// FILE:        snippets.add %0, %0

// AGAIN:       error: pass 'fail-here' failed: a b

// NOT-ONE:     error: not a reproducer; the first line has to be
