// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx512 threads=2 cache=4096},snippets-tokenize,convert-snippets-to-lir,lir-optimize-domain,lir-mark-loops,lir-reduce-decomposition,lir-fuse-loops,lir-insert-buffers,lir-insert-load-store,lir-stream-stores,lir-stream-stores' --verify-each | filecheck %s
// RUN: snippets-opt %s --load-pass-plugin=%S/inputs/rows_target.py -p 'snippets-set-target{target=x86-64-rows cache=4096},snippets-tokenize,convert-snippets-to-lir,lir-optimize-domain,lir-mark-loops,lir-reduce-decomposition,lir-fuse-loops,lir-insert-buffers,lir-insert-load-store,lir-stream-stores' --verify-each | filecheck %s --check-prefix=ROWS
// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx512 streaming=always},snippets-tokenize,convert-snippets-to-lir,lir-optimize-domain,lir-mark-loops,lir-reduce-decomposition,lir-fuse-loops,lir-insert-buffers,lir-insert-load-store,lir-stream-stores' --verify-each | filecheck %s --check-prefix=ALWAYS
// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx512 cache=1 streaming=never},snippets-tokenize,convert-snippets-to-lir,lir-optimize-domain,lir-mark-loops,lir-reduce-decomposition,lir-fuse-loops,lir-insert-buffers,lir-insert-load-store,lir-stream-stores' --verify-each | filecheck %s --check-prefix=NEVER
// RUN: snippets-opt %s -p 'snippets-set-target{target=generic cache=1},snippets-tokenize,convert-snippets-to-lir,lir-optimize-domain,lir-mark-loops,lir-reduce-decomposition,lir-fuse-loops,lir-insert-buffers,lir-insert-load-store,lir-stream-stores' --verify-each | filecheck %s --check-prefix=NEVER
// NEVER-NOT: nontemporal

// 3 arrays of 2 KiB do not fit into 4 KiB of cache, and only the caller reads the result.
// CHECK-LABEL: lir.kernel @subgraph_0
// CHECK: lir.store %{{.*}} {count = 16 : i64, nontemporal, lir.loops
// ROWS-LABEL: lir.kernel @subgraph_0
// ROWS: lir.store %{{.*}} {count = 8 : i64, nontemporal, lir.loops
// ALWAYS-LABEL: lir.kernel @subgraph_0
// ALWAYS: nontemporal
func.func private @large(%x: tensor<8x64xf32>, %y: tensor<8x64xf32>) -> tensor<512xf32> {
  %0 = snippets.multiply %x, %y : tensor<8x64xf32>
  %1 = snippets.reshape %0 : (tensor<8x64xf32>) -> tensor<512xf32>
  func.return %1 : tensor<512xf32>
}

// 4 KiB fit, to the byte.
// CHECK-LABEL: lir.kernel @subgraph_1
// CHECK-NOT: nontemporal
// ALWAYS-LABEL: lir.kernel @subgraph_1
// ALWAYS: nontemporal
func.func private @small(%x: tensor<512xf32>) -> tensor<512xf32> {
  %0 = snippets.negative %x : tensor<512xf32>
  func.return %0 : tensor<512xf32>
}

// What another op reads stays in the caches, also when it is an output as well (M1).
// CHECK-LABEL: lir.kernel @subgraph_2
// CHECK-NOT: nontemporal
// ALWAYS-LABEL: lir.kernel @subgraph_2
// ALWAYS-NOT: nontemporal
func.func private @read_back(%x: tensor<2048xf32>) -> (tensor<2048xf32>, tensor<2048xf32>) {
  %0 = snippets.abs %x : tensor<2048xf32>
  %1 = "test.op"(%0) : (tensor<2048xf32>) -> tensor<2048xf32>
  func.return %0, %1 : tensor<2048xf32>, tensor<2048xf32>
}

// Rows store in bursts: of our machines none gains from going past the caches (M3).
// CHECK-LABEL: lir.kernel @subgraph_3
// CHECK-NOT: nontemporal
// ROWS-LABEL: lir.kernel @subgraph_3
// ROWS: lir.store %{{.*}} {count = 8 : i64, nontemporal, lir.loops
// ALWAYS-LABEL: lir.kernel @subgraph_3
// ALWAYS: nontemporal
func.func private @rows(%x: tensor<8x256xf32>) -> tensor<8x256xf32> {
  %0 = snippets.reduce_max %x {axes = array<i64: 1>, keep_dims} : (tensor<8x256xf32>) -> tensor<8x1xf32>
  %1 = snippets.subtract %x, %0 : (tensor<8x256xf32>, tensor<8x1xf32>) -> tensor<8x256xf32>
  func.return %1 : tensor<8x256xf32>
}

// Rows of one vector are too short for stores that overlap at the ends (M4).
// CHECK-LABEL: lir.kernel @subgraph_4
// CHECK-NOT: nontemporal
// ROWS-LABEL: lir.kernel @subgraph_4
// ROWS-NOT: nontemporal
func.func private @short(%x: tensor<512x16xf32>, %y: tensor<512x1xf32>) -> tensor<512x16xf32> {
  %0 = snippets.add %x, %y : (tensor<512x16xf32>, tensor<512x1xf32>) -> tensor<512x16xf32>
  func.return %0 : tensor<512x16xf32>
}

// Two calls share a kernel, and one of the results is read back.
// CHECK-LABEL: lir.kernel @subgraph_5
// CHECK-NOT: nontemporal
func.func private @shared(%x: tensor<2048xf32>, %y: tensor<2048xf32>) -> (tensor<2048xf32>, tensor<2048xf32>) {
  %0 = snippets.sqrt %x : tensor<2048xf32>
  %1 = snippets.sqrt %y : tensor<2048xf32>
  %2 = "test.op"(%1) : (tensor<2048xf32>) -> tensor<2048xf32>
  func.return %0, %2 : tensor<2048xf32>, tensor<2048xf32>
}
