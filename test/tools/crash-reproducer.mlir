// RUN: not snippets-opt %s --load-pass-plugin=%S/inputs/plugin_failing.py -p 'cse,fail-here{why="a b"},canonicalize' --mlir-pass-pipeline-crash-reproducer=%t.mlir -o %t.out 2>&1 | filecheck %s --check-prefix ERROR
// RUN: filecheck %s --check-prefix FILE < %t.mlir
// RUN: not snippets-opt %t.mlir --load-pass-plugin=%S/inputs/plugin_failing.py --run-reproducer 2>&1 | filecheck %s --check-prefix AGAIN
// RUN: not snippets-opt %s --run-reproducer 2>&1 | filecheck %s --check-prefix NOT-ONE
// RUN: snippets-opt %s -p cse --mlir-pass-pipeline-crash-reproducer=%t.unused -o %t.out && not test -e %t.unused
// RUN: not snippets-opt %s --load-pass-plugin=%S/inputs/plugin_check_each.py --check-each --check-seed=3 -p cse,wrong-exact --mlir-pass-pipeline-crash-reproducer=%t.wrong.mlir 2>&1 | filecheck %s --check-prefix WRONG
// RUN: filecheck %s --check-prefix KEPT < %t.wrong.mlir
// RUN: not snippets-opt %t.wrong.mlir --run-reproducer 2>&1 | filecheck %s --check-prefix WRONG
// RUN: not snippets-opt --run-reproducer 2>&1 | filecheck %s --check-prefix NO-FILE

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

// --check-each: the file has the module before the wrong pass, the pass, the option, its seed and the plug-in.
// WRONG:       error: --check-each: pass 'wrong-exact' (exact) changes what @f computes
// WRONG-SAME:  --check-seed=3
// KEPT:        // {{RUN}}: snippets-opt %s --check-each --check-seed=3 --load-pass-plugin={{/.*}}plugin_check_each.py -p wrong-exact
// KEPT:        snippets.add %0, %0

// NO-FILE:     error: --run-reproducer: expected a file that is there
