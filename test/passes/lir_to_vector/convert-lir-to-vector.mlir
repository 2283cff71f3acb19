// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx2},convert-snippets-to-lir,lir-optimize-domain,lir-mark-loops,lir-fuse-loops,lir-insert-load-store,lir-insert-broadcast-move,lir-load-move-broadcast-to-broadcast-load,lir-init-loops,lir-insert-loops,lir-insert-specific-iterations,convert-lir-to-vector' --split-input-file | filecheck %s

// A flat loop runs the range it is called with; its tail runs when the range reaches the end.
// CHECK-LABEL: func.func @subgraph_0(%args: !llvm.ptr, %begin: i64, %end: i64, %thread: i64)
// CHECK-SAME: snippets.kernel, snippets.domain = 13 : i64, snippets.grain = 8 : i64, snippets.scratch = 0 : i64
// CHECK: func.call @subgraph_0.body(
// CHECK-LABEL: func.func private @subgraph_0.body(%a: !llvm.ptr {llvm.noalias}, %out0: !llvm.ptr {llvm.noalias}, %begin: i64, %end: i64)
// CHECK: arith.minsi %end
// CHECK: scf.for %{{.*}} = %begin to %{{.*}} iter_args(
// CHECK: llvm.load {{.*}} {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
// CHECK: arith.addf {{.*}} : vector<8xf32>
// CHECK: llvm.store {{.*}} {alignment = 4 : i64} : vector<8xf32>, !llvm.ptr
// CHECK: llvm.getelementptr {{.*}}[8]
// CHECK: arith.cmpi sgt, %end
// CHECK: scf.if
// CHECK: llvm.intr.masked.load
// CHECK: llvm.intr.masked.store
func.func @flat(%x: tensor<13xf32>) -> tensor<13xf32> {
  %r = snippets.subgraph (%a = %x) : (tensor<13xf32>) -> tensor<13xf32> {
    %0 = snippets.add %a, %a : tensor<13xf32>
    snippets.yield %0 : tensor<13xf32>
  }
  func.return %r : tensor<13xf32>
}

// -----

// Two parallel loops are one over their product, whose counter is taken apart.
// CHECK-LABEL: func.func @subgraph_0
// CHECK-SAME: snippets.domain = 15 : i64, snippets.grain = 1 : i64
// CHECK-LABEL: func.func private @subgraph_0.body
// CHECK: scf.for
// CHECK: arith.remui
// CHECK: arith.divui
// CHECK: scf.for
func.func @collapsed(%x: tensor<3x5x16xf32>, %y: tensor<5x1xf32>, %z: tensor<3x1x1xf32>) -> tensor<3x5x16xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y, %c = %z) : (tensor<3x5x16xf32>, tensor<5x1xf32>, tensor<3x1x1xf32>) -> tensor<3x5x16xf32> {
    %0 = snippets.add %a, %b : (tensor<3x5x16xf32>, tensor<5x1xf32>) -> tensor<3x5x16xf32>
    %1 = snippets.add %0, %c : (tensor<3x5x16xf32>, tensor<3x1x1xf32>) -> tensor<3x5x16xf32>
    snippets.yield %1 : tensor<3x5x16xf32>
  }
  func.return %r : tensor<3x5x16xf32>
}

// -----

// i1 takes a byte in memory; integer division is guarded.
// CHECK-LABEL: func.func private @subgraph_0.body
// CHECK: arith.fptosi
// CHECK: llvm.load {{.*}} {alignment = 1 : i64} : !llvm.ptr -> vector<8xi8>
// CHECK: arith.cmpi ne, {{.*}} : vector<8xi8>
// CHECK: arith.select {{.*}} : vector<8xi1>, vector<8xi32>
func.func @types(%x: tensor<8xi1>, %y: tensor<8xi32>) -> tensor<8xi32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<8xi1>, tensor<8xi32>) -> tensor<8xi32> {
    %0 = snippets.divide %b, %b : tensor<8xi32>
    %1 = snippets.select %a, %b, %0 : (tensor<8xi1>, tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
    snippets.yield %1 : tensor<8xi32>
  }
  func.return %r : tensor<8xi32>
}
