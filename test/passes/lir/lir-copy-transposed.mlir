// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx512 threads=1},convert-snippets-to-lir,lir-optimize-domain,lir-mark-loops,lir-reduce-decomposition,lir-fuse-loops,lir-copy-transposed' --split-input-file | filecheck %s
// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx512 threads=1},convert-snippets-to-lir,lir-optimize-domain,lir-mark-loops,lir-reduce-decomposition,lir-fuse-loops,lir-copy-transposed' --split-input-file --explain=lir-copy-transposed -o /dev/null 2>&1 | filecheck %s --check-prefix=PLAN
// RUN: not snippets-opt %s -p 'snippets-set-target{target=x86-64-avx512},convert-snippets-to-lir,lir-copy-transposed' --split-input-file 2>&1 | filecheck %s --check-prefix=STAGE

// STAGE: error: {{.*}}expected @{{.*}} at stage marked, found "linear"

// A long op: blocks of a cache line of rows, and of as many columns as the first-level cache holds.
// CHECK-LABEL: lir.kernel @subgraph_0
// CHECK-SAME:    #lir.loop<0, work 512, inc 16, dim 1, parallel>, #lir.loop<1, work 1600, inc 128, dim 0>, #lir.loop<2, work 16, inc 1, dim 1, inner of 0, jam 16>, #lir.loop<3, work 128, inc 16, dim 0, inner of 1>, #lir.loop<4, work 16, inc 1, dim 1, inner of 0>, #lir.loop<5, work 128, inc 16, dim 0, inner of 1>]
// CHECK:         %[[T:.*]] = snippets.transpose
// CHECK-NEXT:    %[[C:.*]] = snippets.broadcast %[[T]] {lir.loops = array<i64: 0, 1, 2, 3>, lir.ports = [#lir.port<[512, 1600], layout [1, 0], sub [16]>, #lir.port<[512, 1600], sub [16]>]}
// CHECK-NEXT:    snippets.tanh %[[C]] {lir.loops = array<i64: 0, 1, 4, 5>
// PLAN: loop 0: blocks of 16 rows of 128 elements for op 1, snippets.tanh
func.func @long(%x: tensor<1600x512xf32>) -> tensor<512x1600xf32> {
  %0 = snippets.subgraph (%a = %x) : (tensor<1600x512xf32>) -> tensor<512x1600xf32> {
    %t = snippets.transpose %a {permutation = array<i64: 1, 0>} : (tensor<1600x512xf32>) -> tensor<512x1600xf32>
    %r = snippets.tanh %t : tensor<512x1600xf32>
    snippets.yield %r : tensor<512x1600xf32>
  }
  func.return %0 : tensor<512x1600xf32>
}

// -----

// Does not fire: lir-jam-loops takes 16 rows of a short op together.
// CHECK-LABEL: lir.kernel @subgraph_0
// CHECK-SAME:    loops [#lir.loop<0, work 512, inc 1, dim 1, parallel>, #lir.loop<1, work 1600, inc 16, dim 0>]
// CHECK-NOT:     snippets.broadcast
// PLAN: nothing is copied
func.func @short(%x: tensor<1600x512xf32>) -> tensor<512x1600xf32> {
  %0 = snippets.subgraph (%a = %x) : (tensor<1600x512xf32>) -> tensor<512x1600xf32> {
    %t = snippets.transpose %a {permutation = array<i64: 1, 0>} : (tensor<1600x512xf32>) -> tensor<512x1600xf32>
    %r = snippets.relu %t : tensor<512x1600xf32>
    snippets.yield %r : tensor<512x1600xf32>
  }
  func.return %0 : tensor<512x1600xf32>
}

// -----

// The same op where a call says how far apart its rows are: lir-jam-loops leaves it alone.
// CHECK-LABEL: lir.kernel @subgraph_0
// CHECK:         snippets.broadcast {{.*}} {lir.loops = array<i64: 0, 1, 2, 3>
// CHECK-NEXT:    snippets.relu {{.*}} {lir.loops = array<i64: 0, 1, 4, 5>
// PLAN: loop 0: blocks of 16 rows of 128 elements for op 1, snippets.relu
func.func @dynamic(%x: tensor<?x512xf32, #lir.sizes<?0>>) -> tensor<512x?xf32, #lir.sizes<?0>> {
  %0 = snippets.subgraph (%a = %x) : (tensor<?x512xf32, #lir.sizes<?0>>) -> tensor<512x?xf32, #lir.sizes<?0>> {
    %t = snippets.transpose %a {permutation = array<i64: 1, 0>} : (tensor<?x512xf32, #lir.sizes<?0>>) -> tensor<512x?xf32, #lir.sizes<?0>>
    %r = snippets.relu %t : tensor<512x?xf32, #lir.sizes<?0>>
    snippets.yield %r : tensor<512x?xf32, #lir.sizes<?0>>
  }
  func.return %0 : tensor<512x?xf32, #lir.sizes<?0>>
}

// -----

// A softmax reads its rows several times, in loops of their own: the blocks have whole rows, which are copied once. Of a
// single row no tile can be read: it is left alone.
// CHECK-LABEL: lir.kernel @subgraph_0
// CHECK:         #lir.loop<0, work 64, inc 8, dim 1, parallel>
// CHECK:         %[[C:.*]] = snippets.broadcast
// CHECK-NOT:     snippets.broadcast
// CHECK:         snippets.exp %[[C]]
// CHECK:         snippets.exp %[[C]]
// CHECK-LABEL: lir.kernel @subgraph_1
// CHECK-NOT:     snippets.broadcast
// PLAN: loop 0: blocks of 8 rows of whole rows
// PLAN: nothing is copied
func.func @rows(%x: tensor<300x64xf64>, %y: tensor<300x1xf64>) -> (tensor<64x300xf64>, tensor<1x300xf64>) {
  %0 = snippets.subgraph (%a = %x) : (tensor<300x64xf64>) -> tensor<64x300xf64> {
    %t = snippets.transpose %a {permutation = array<i64: 1, 0>} : (tensor<300x64xf64>) -> tensor<64x300xf64>
    %e = snippets.exp %t : tensor<64x300xf64>
    %s = snippets.reduce_sum %e {axes = array<i64: 1>, keep_dims} : (tensor<64x300xf64>) -> tensor<64x1xf64>
    %f = snippets.exp %t : tensor<64x300xf64>
    %r = snippets.divide %f, %s : (tensor<64x300xf64>, tensor<64x1xf64>) -> tensor<64x300xf64>
    snippets.yield %r : tensor<64x300xf64>
  }
  %1 = snippets.subgraph (%a = %y) : (tensor<300x1xf64>) -> tensor<1x300xf64> {
    %t = snippets.transpose %a {permutation = array<i64: 1, 0>} : (tensor<300x1xf64>) -> tensor<1x300xf64>
    %r = snippets.exp %t : tensor<1x300xf64>
    snippets.yield %r : tensor<1x300xf64>
  }
  func.return %0, %1 : tensor<64x300xf64>, tensor<1x300xf64>
}

// -----

// Do not fire: the rows are summed, or scanned, so the loop over them is inside of that over the columns and runs in order.
// CHECK-LABEL: func.func @in_order
// CHECK-NOT:     snippets.broadcast
// PLAN: nothing is copied
// PLAN: nothing is copied
func.func @in_order(%x: tensor<300x64xf32>) -> (tensor<1x300xf32>, tensor<64x300xf32>) {
  %0 = snippets.subgraph (%a = %x) : (tensor<300x64xf32>) -> tensor<1x300xf32> {
    %t = snippets.transpose %a {permutation = array<i64: 1, 0>} : (tensor<300x64xf32>) -> tensor<64x300xf32>
    %e = snippets.tanh %t : tensor<64x300xf32>
    %s = snippets.reduce_sum %e {axes = array<i64: 0>, keep_dims} : (tensor<64x300xf32>) -> tensor<1x300xf32>
    snippets.yield %s : tensor<1x300xf32>
  }
  %1 = snippets.subgraph (%a = %x) : (tensor<300x64xf32>) -> tensor<64x300xf32> {
    %t = snippets.transpose %a {permutation = array<i64: 1, 0>} : (tensor<300x64xf32>) -> tensor<64x300xf32>
    %e = snippets.tanh %t : tensor<64x300xf32>
    %s = snippets.cum_sum %e {axis = 0 : i64} : tensor<64x300xf32>
    snippets.yield %s : tensor<64x300xf32>
  }
  func.return %0, %1 : tensor<1x300xf32>, tensor<64x300xf32>
}
