// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx2},snippets-tokenize,convert-snippets-to-lir,lir-optimize-domain' --split-input-file | filecheck %s --check-prefix=DOMAIN
// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx2 streaming=always},snippets-tokenize,convert-snippets-to-lir,lir-optimize-domain,lir-mark-loops,lir-reduce-decomposition,lir-fuse-loops,lir-insert-buffers,lir-insert-load-store,lir-stream-stores,lir-init-loops,lir-insert-loops' --verify-each --split-input-file | filecheck %s
// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx2},snippets-to-llvm' --split-input-file --verify-each -o /dev/null

// Along the vectors: prefixes of the lanes, and the last lane goes on. The dims before collapse; no
// store bypasses the caches, as its loop cannot repeat iterations.
// DOMAIN-LABEL: lir.kernel @subgraph_0
// DOMAIN: lir.scan %{{.*}} {kind = "sum", dim = 0 : i64, {{.*}}#lir.port<[24, 300]>
// CHECK-LABEL: lir.kernel @subgraph_0
// CHECK-SAME: loops [#lir.loop<0, work 24, inc 1, dim 1, parallel>, #lir.loop<1, work 300, inc 8, dim 0>]
// CHECK-NEXT: %[[Z:.*]] = snippets.scalar -0.000000e+00 : f32
// CHECK-NEXT: lir.loop_begin 0
// CHECK-NEXT: %[[I:.*]] = snippets.broadcast %[[Z]] {lir.loops = array<i64: 0>
// CHECK-NEXT: %[[C:.*]] = lir.loop_begin 1 (%[[I]])
// CHECK-NEXT: %[[L:.*]] = lir.load %x
// CHECK-NEXT: %[[P:.*]] = lir.prefix %[[L]] {kind = "sum"
// CHECK-NEXT: %[[S:.*]] = snippets.add %[[C]], %[[P]]
// CHECK-NEXT: %[[N:.*]] = lir.last_lane %[[S]] {{.*}}#lir.port<[24, 8], sub [8]>
// CHECK-NEXT: %[[R:.*]] = snippets.relu %[[S]]
// CHECK-NEXT: lir.store %[[R]] {count = 8 : i64, lir.loops
// CHECK-NEXT: lir.loop_end 1 (%[[N]])
// CHECK-NEXT: lir.loop_end 0
func.func private @rows(%x: tensor<4x6x300xf32>) -> tensor<4x6x300xf32> {
  %0 = snippets.cum_sum %x {axis = 2 : i64} : tensor<4x6x300xf32>
  %1 = snippets.relu %0 : tensor<4x6x300xf32>
  func.return %1 : tensor<4x6x300xf32>
}

// -----

// Along another dim each lane is a row of its own: the vector itself goes on. Dims after the axis
// collapse, the axis with none.
// DOMAIN-LABEL: lir.kernel @subgraph_0
// DOMAIN: lir.scan %{{.*}} {kind = "max", dim = 1 : i64, {{.*}}#lir.port<[4, 6, 300]>
// CHECK-LABEL: lir.kernel @subgraph_0
// CHECK-SAME: loops [#lir.loop<0, work 4, inc 1, dim 2, parallel>, #lir.loop<1, work 300, inc 8, dim 0>, #lir.loop<2, work 6, inc 1, dim 1>]
// CHECK-NOT: lir.prefix
// CHECK: %[[C:.*]] = lir.loop_begin 2 (
// CHECK: %[[S:.*]] = snippets.maximum %[[C]], %{{.*}}
// CHECK-NEXT: lir.store %[[S]]
// CHECK-NEXT: lir.loop_end 2 (%[[S]])
func.func private @columns(%x: tensor<4x6x10x30xf32>) -> tensor<4x6x10x30xf32> {
  %0 = snippets.cum_max %x {axis = 1 : i64} : tensor<4x6x10x30xf32>
  func.return %0 : tensor<4x6x10x30xf32>
}

// -----

// By rule F11 a sum over the same dim has a loop of its own, which may be split into blocks.
// CHECK-LABEL: lir.kernel @subgraph_0
// CHECK-SAME: loops [#lir.loop<0, work 4, inc 1, dim 1, parallel>, #lir.loop<1, work 30, inc 8, dim 0>, #lir.loop<2, work 30, inc 8, dim 0>]
// CHECK: lir.loop_begin 1 (
// CHECK: lir.loop_end 1 (
// CHECK: lir.loop_begin 2 (
// CHECK: lir.loop_end 2 (
func.func private @beside_a_sum(%x: tensor<4x30xf32>) -> (tensor<4x30xf32>, tensor<4x1xf32>) {
  %0 = snippets.cum_sum %x {axis = 1 : i64} : tensor<4x30xf32>
  %1 = snippets.reduce_sum %0 {axes = array<i64: 1>, keep_dims} : (tensor<4x30xf32>) -> tensor<4x1xf32>
  func.return %0, %1 : tensor<4x30xf32>, tensor<4x1xf32>
}

// -----

// A kernel that nothing scans in may store past the caches.
// CHECK-LABEL: lir.kernel @subgraph_0
// CHECK: lir.store %{{.*}} {count = 8 : i64, nontemporal
func.func private @no_scan(%x: tensor<4x6x300xf32>) -> tensor<4x6x300xf32> {
  %0 = snippets.relu %x : tensor<4x6x300xf32>
  func.return %0 : tensor<4x6x300xf32>
}
