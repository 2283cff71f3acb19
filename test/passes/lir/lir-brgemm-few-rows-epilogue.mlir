// RUN: snippets-opt %s --split-input-file -p 'snippets-set-target{target=x86-64-avx2},snippets-to-lir,lir-optimize-domain,lir-mark-loops,lir-reduce-decomposition,lir-fuse-loops,lir-split-loops,lir-extract-loop-invariants,lir-brgemm-row-blocks,lir-brgemm-blocking,lir-brgemm-whole-tiles,lir-brgemm-copy-b,lir-brgemm-split-epilogue,lir-insert-buffers,lir-insert-load-store,lir-insert-broadcast-move,lir-load-move-broadcast-to-broadcast-load,lir-init-loops,lir-insert-loops,lir-allocate-buffers,lir-brgemm-few-rows' | filecheck %s

// A long epilogue has loops of its own, in blocks of 128 rows. The second nest has blocks of fewer
// rows and more columns, which the buffer between them has room for.
// CHECK: lir.kernel
// CHECK-SAME: #lir.loop<[[MANY:[0-9]+]], work 1024, inc 24, dim 0, parallel, for ?0 from 4>
// CHECK-SAME: #lir.loop<[[FEW:[0-9]+]], work 1024, inc 64, dim 0, parallel, for ?0 below 4>
// CHECK-SAME: #lir.loop<[[ROWS:[0-9]+]], work ?0, inc 4, dim 2>, #lir.loop<[[ROW:[0-9]+]], work 4, inc 1, dim 2, inner of [[ROWS]]>
// CHECK: lir.loop_begin [[FEW]]
// CHECK-NEXT: lir.loop_begin [[ROWS]]
// CHECK-NEXT: lir.loop_begin [[ROW]]
// CHECK: lir.store {{.*}} #lir.port<[4, 1, 64], sub [8], loops {{.*}}: dim 2 ptr 64 fin -256, {{.*}}: dim 0 ptr 1 fin -64]>
// CHECK: lir.buffer {{.*}}size = 1024 : i64{{.*}}#lir.port<[4, 1, 64], sub [8]>
// CHECK: lir.load {{.*}}#lir.port<[4, 1, 64], sub [8], loops
// CHECK: lir.loop_end [[FEW]]
// CHECK: lir.loop_begin [[MANY]]
// CHECK: lir.buffer {{.*}}size = 12288 : i64
module attributes {snippets.may_be_one} {
func.func @main(%x: tensor<?x96xf32, #lir.sizes<?0>>, %w: tensor<96x1024xf32>) -> tensor<?x1024xf32, #lir.sizes<?0>> {
  %0 = snippets.matmul %x, %w : (tensor<?x96xf32, #lir.sizes<?0>>, tensor<96x1024xf32>) -> tensor<?x1024xf32, #lir.sizes<?0>>
  %1 = snippets.tanh %0 : tensor<?x1024xf32, #lir.sizes<?0>>
  func.return %1 : tensor<?x1024xf32, #lir.sizes<?0>>
}
}

// -----

// Twin: the operand of few columns is not copied.
// CHECK: lir.kernel
// CHECK-NOT: below
module attributes {snippets.may_be_one} {
func.func @main(%x: tensor<?x96xf32, #lir.sizes<?0>>, %w: tensor<96x20xf32>) -> tensor<?x20xf32, #lir.sizes<?0>> {
  %0 = snippets.matmul %x, %w : (tensor<?x96xf32, #lir.sizes<?0>>, tensor<96x20xf32>) -> tensor<?x20xf32, #lir.sizes<?0>>
  %1 = snippets.tanh %0 : tensor<?x20xf32, #lir.sizes<?0>>
  func.return %1 : tensor<?x20xf32, #lir.sizes<?0>>
}
}
