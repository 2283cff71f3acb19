// RUN: not snippets-opt %s -p 'snippets-set-target{target=x86-64-avx2},convert-snippets-to-lir,lir-mark-loops,lir-fuse-loops,lir-insert-load-store,lir-init-loops,lir-insert-loops,lir-insert-specific-iterations,convert-lir-to-vector' 2>&1 | filecheck %s
// RUN: not snippets-opt %s -p 'snippets-set-target{target=x86-64-avx2},convert-snippets-to-lir,convert-lir-to-vector' 2>&1 | filecheck %s --check-prefix=STAGE

// CHECK: error: snippets.exp has no emitter on target x86-64-avx2; run lir-expand-math before convert-lir-to-vector
// STAGE: error: {{.*}}expected @subgraph_0 at stage expanded, found "linear"
func.func @f(%x: tensor<13xf32>) -> tensor<13xf32> {
  %r = snippets.subgraph (%a = %x) : (tensor<13xf32>) -> tensor<13xf32> {
    %0 = snippets.exp %a : tensor<13xf32>
    snippets.yield %0 : tensor<13xf32>
  }
  func.return %r : tensor<13xf32>
}
