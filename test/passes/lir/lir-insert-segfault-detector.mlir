// RUN: snippets-opt %s -p 'convert-snippets-to-lir,lir-mark-loops{vector-size=8},lir-fuse-loops,lir-insert-load-store,lir-init-loops,lir-insert-loops,lir-insert-segfault-detector' --split-input-file | filecheck %s
// RUN: snippets-opt %s -p 'convert-snippets-to-lir,lir-mark-loops{vector-size=8},lir-fuse-loops,lir-insert-load-store,lir-init-loops,lir-insert-loops,lir-insert-segfault-detector,lir-insert-specific-iterations,convert-lir-to-vector' --split-input-file | filecheck %s --check-prefix=CODE
// RUN: not snippets-opt %s -p 'convert-snippets-to-lir,lir-mark-loops{vector-size=8},lir-insert-segfault-detector' --split-input-file 2>&1 | filecheck %s --check-prefix=STAGE

// Loads and stores have a site, other ops have none.
// CHECK-LABEL: lir.kernel @subgraph_0
// CHECK: lir.load %a {{.*}}lir.site = "lir.load of %a at {{.*}}.mlir:{{[0-9]+}}:5"
// CHECK-NEXT: snippets.abs %0 {lir.loops = array<i64: 0, 1>, lir.ports = [{{[^"]*}}]} :
// CHECK-NEXT: lir.store {{.*}}lir.site = "lir.store of output 0 at {{.*}}.mlir:{{[0-9]+}}:5"
// The counter of each loop, the number of the site and the address are stored first.
// CODE-LABEL: func.func @subgraph_0(
// CODE-SAME: snippets.sites = {{\[\["lir.load of %a at .*:[0-9]+:5", "loop 0", "loop 1 \(main\)"\], \["lir.store of output 0 at .*:[0-9]+:5", "loop 0", "loop 1 \(main\)"\], \[.*"loop 1 \(last\)"\]}}
// CODE: llvm.call_intrinsic "llvm.thread.pointer.p0"() : () -> !llvm.ptr
// CODE: llvm.fence seq_cst
// CODE-NEXT: func.call @subgraph_0.body
// CODE-NEXT: llvm.fence seq_cst
// CODE-LABEL: func.func private @subgraph_0.body
// CODE: llvm.store %{{.*}}, %{{.*}} {alignment = 8
// CODE: llvm.ptrtoint
// CODE: llvm.store
// CODE-NEXT: llvm.fence seq_cst
// CODE-NEXT: llvm.load {{.*}} -> vector<8xf32>
// STAGE: error: pass 'lir-insert-segfault-detector': expected @subgraph_0 at stage looped or expanded or assigned, found "marked"; lir-insert-loops
func.func @rows(%x: tensor<3x13xf32>) -> tensor<3x13xf32> {
  %r = snippets.subgraph (%a = %x) : (tensor<3x13xf32>) -> tensor<3x13xf32> {
    %0 = snippets.abs %a : tensor<3x13xf32>
    snippets.yield %0 : tensor<3x13xf32>
  }
  func.return %r : tensor<3x13xf32>
}

// -----

// Does not fire: there is no kernel.
// CHECK-LABEL: func.func @nothing
// CHECK-NOT: lir.site
// CODE-LABEL: func.func @nothing
// CODE-NOT: llvm.fence
func.func @nothing(%x: tensor<3xf32>) -> tensor<3xf32> {
  func.return %x : tensor<3xf32>
}
