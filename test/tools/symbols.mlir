// RUN: snippets-opt %s --symbols -p 'snippets-set-target{target=generic},snippets-to-lir,lir-to-vector' --check-each | filecheck %s
// RUN: not snippets-opt %s -p snippets-to-llvm 2>&1 | filecheck %s --check-prefix WITHOUT
// RUN: not snippets-opt %s --symbols --load-pass-plugin=%S/inputs/plugin_check_each.py -p 'snippets-set-target{target=generic},snippets-to-lir,lir-to-vector' --insert-pass=after:lir-insert-specific-iterations:wrong-access --verify-each=false --check-each 2>&1 | filecheck %s --check-prefix WRONG

// A program with dynamic dims, as `compile` makes it for calls in which no dim is 0 or 1; it computes the same after every pass,
// for short sizes, whole vectors and tails.
// CHECK: func.func @subgraph_0{{.*}}snippets.domain = #snippets.size<?0 : i64>
// WITHOUT: error: K2: snippets.add has dynamic dims (tensor<?x?xf32>)
// WRONG: error: --check-each cannot run what pass 'wrong-access' left: 'lir.kernel' op L19: in @subgraph_0
func.func @main(%x: tensor<?x?xf32>, %b: tensor<?xf32>) -> tensor<?x?xf32> {
  %0 = snippets.add %x, %b : (tensor<?x?xf32>, tensor<?xf32>) -> tensor<?x?xf32>
  func.return %0 : tensor<?x?xf32>
}
