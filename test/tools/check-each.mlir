// The program is run before and after each pass. What a pass leaves is held to what the pass says.
// RUN: snippets-opt %s --check-each -p snippets-to-llvm | filecheck %s
// RUN: snippets-opt %s --check-each --load-pass-plugin=%S/inputs/plugin_check_each.py -p right-exact,right-contracts,canonicalize | filecheck %s --check-prefix=RIGHT

// A pass that declares nothing is exact, to the bit; the first wrong one is named, with the worst element.
// RUN: not snippets-opt %s --check-each --load-pass-plugin=%S/inputs/plugin_check_each.py -p canonicalize,right-exact,wrong-exact,wrong-zero 2>&1 | filecheck %s --check-prefix=EXACT
// RUN: not snippets-opt %s --check-each --load-pass-plugin=%S/inputs/plugin_check_each.py -p wrong-zero 2>&1 | filecheck %s --check-prefix=ZERO

// The others have a bound for floats, and none for integers.
// RUN: not snippets-opt %s --check-each --check-seed=7 --load-pass-plugin=%S/inputs/plugin_check_each.py -p wrong-contracts 2>&1 | filecheck %s --check-prefix=CONTRACTS
// RUN: not snippets-opt %s --check-each --load-pass-plugin=%S/inputs/plugin_check_each.py -p wrong-reassociates 2>&1 | filecheck %s --check-prefix=REASSOCIATES
// RUN: not snippets-opt %s --check-each --load-pass-plugin=%S/inputs/plugin_check_each.py -p wrong-approximates 2>&1 | filecheck %s --check-prefix=APPROXIMATES

// A kernel that cannot run as it is left is the pass's fault, too; without the option nothing is checked.
// RUN: not snippets-opt %s --check-each --verify-each=false --load-pass-plugin=%S/inputs/plugin_check_each.py -p 'snippets-set-target{target=x86-64-avx512},snippets-tokenize,convert-snippets-to-lir,lir-optimize-domain,lir-mark-loops,lir-fuse-loops,lir-insert-load-store,lir-init-loops,lir-insert-loops,lir-insert-specific-iterations,wrong-access' 2>&1 | filecheck %s --check-prefix=ACCESS
// RUN: snippets-opt %s --load-pass-plugin=%S/inputs/plugin_check_each.py -p wrong-exact | filecheck %s --check-prefix=UNCHECKED

// CHECK: llvm.func
// RIGHT: snippets.multiply
// EXACT: check-each.mlir: error: --check-each: pass 'wrong-exact' (exact) changes what @main computes: output 0, element [{{[0-9]+}}] is {{.*}}, was {{.*}}; {{[0-9]+}} of 19 differ (random inputs, --check-seed=0)
// ZERO: pass 'wrong-zero' (exact) changes what @main computes: output 0, element [{{[0-9]+}}] is {{.*}}0.0{{.*}}, was {{.*}}-0.0{{.*}}(special inputs
// CONTRACTS: pass 'wrong-contracts' (contracts) changes what @main computes: output 0, element {{.*}}; a relative error of {{.*}}e-05, the bound is 7.63e-06 (random inputs, --check-seed=7)
// REASSOCIATES: pass 'wrong-reassociates' (reassociates) changes what @main computes: output 1, element {{.*}} is 0, was {{[-0-9]+}}; {{[0-9]+}} of 19 differ
// APPROXIMATES: pass 'wrong-approximates' (approximates) changes what @main computes: output 0, element {{.*}} is {{.*}}nan{{.*}}; a relative error of inf, the bound is 3.05e-05
// ACCESS: check-each.mlir:{{[0-9]+}}:{{[0-9]+}}: error: --check-each cannot run what pass 'wrong-access' left: in @subgraph_{{[0-9]}}: lir.load: accesses elements 16 to 31 of an array of 19 (loop {{.*}} does 3)
// UNCHECKED: snippets.multiply
func.func @main(%x: tensor<19xf32>, %n: tensor<19xi32>) -> (tensor<19xf32>, tensor<19xi32>) {
  %0 = snippets.floor %x : tensor<19xf32>
  %1 = snippets.add %0, %x : tensor<19xf32>
  %2 = snippets.add %n, %n : tensor<19xi32>
  func.return %1, %2 : tensor<19xf32>, tensor<19xi32>
}
