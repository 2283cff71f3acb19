// RUN: snippets-opt %s -p 'convert-snippets-to-lir,lir-mark-loops{vector-size=8},lir-reduce-decomposition,lir-fuse-loops,lir-insert-load-store,lir-insert-broadcast-move,lir-init-loops,lir-insert-loops,lir-insert-specific-iterations{tail=count}' --split-input-file | filecheck %s
// RUN: snippets-opt %s -p 'convert-snippets-to-lir,lir-mark-loops{vector-size=8},lir-reduce-decomposition,lir-fuse-loops,lir-insert-load-store,lir-insert-broadcast-move,lir-init-loops,lir-insert-loops,lir-insert-specific-iterations{tail=count},convert-lir-to-vector' --split-input-file | filecheck %s --check-prefix VECTOR

// Fires: the tail's vectors have 5 lanes; nothing is masked.
// CHECK-LABEL: @tail
// CHECK: lir.load %a {count = 8 : i64, {{.*}}#lir.port<[13], sub [8]>]}
// CHECK: lir.load %a {count = 5 : i64, {{.*}}#lir.port<[13], sub [5]>]}
// CHECK: snippets.abs {{.*}}#lir.port<[13], sub [5]>, #lir.port<[13], sub [5]>]}
// VECTOR-LABEL: @tail
// VECTOR: llvm.load {{.*}} -> vector<8xf32>
// VECTOR: llvm.load {{.*}} -> vector<5xf32>
// VECTOR-NOT: masked
func.func @tail(%x: tensor<13xf32>) -> tensor<13xf32> {
  %r = snippets.subgraph (%a = %x) : (tensor<13xf32>) -> tensor<13xf32> {
    %0 = snippets.abs %a : tensor<13xf32>
    snippets.yield %0 : tensor<13xf32>
  }
  func.return %r : tensor<13xf32>
}

// -----

// Does not fire: the loop carries an accumulator, which has all lanes; the tail is masked.
// CHECK-LABEL: @sum
// CHECK: lir.load %a {count = 5 : i64, {{.*}}#lir.port<[13], sub [8]>]}
// CHECK: lir.fill {{.*}}offset = 5 : i64
// VECTOR-LABEL: @sum
// VECTOR: llvm.intr.masked.load
func.func @sum(%x: tensor<13xf32>) -> tensor<1xf32> {
  %r = snippets.subgraph (%a = %x) : (tensor<13xf32>) -> tensor<1xf32> {
    %0 = snippets.reduce_sum %a {axes = array<i64: 0>, keep_dims} : (tensor<13xf32>) -> tensor<1xf32>
    snippets.yield %0 : tensor<1xf32>
  }
  func.return %r : tensor<1xf32>
}
