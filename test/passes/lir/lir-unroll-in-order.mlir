// RUN: snippets-opt %s -p 'snippets-set-target{target=generic threads=1},convert-snippets-to-lir,lir-optimize-domain,lir-mark-loops,lir-reduce-decomposition,lir-fuse-loops,lir-split-loops,lir-extract-loop-invariants,lir-brgemm-blocking,lir-insert-load-store,lir-init-loops,lir-insert-loops,lir-clean-repeated-data-pointer-shifts,lir-unroll{factor=4}' --split-input-file | filecheck %s
// RUN: snippets-opt %s -p 'snippets-set-target{target=generic threads=1},convert-snippets-to-lir,lir-optimize-domain,lir-mark-loops,lir-reduce-decomposition,lir-fuse-loops,lir-split-loops,lir-extract-loop-invariants,lir-brgemm-blocking,lir-insert-load-store,lir-init-loops,lir-insert-loops,lir-clean-repeated-data-pointer-shifts,lir-unroll' --split-input-file | filecheck %s --check-prefix=STAYS

// The terms of a product are added one after the other, also where the target has no fused multiply-add.
func.func @product(%x: tensor<1x16xf32>, %y: tensor<16x4xf32>) -> tensor<1x4xf32> {
  %0 = snippets.subgraph (%a = %x, %b = %y) : (tensor<1x16xf32>, tensor<16x4xf32>) -> tensor<1x4xf32> {
    %p = snippets.matmul %a, %b : (tensor<1x16xf32>, tensor<16x4xf32>) -> tensor<1x4xf32>
    snippets.yield %p : tensor<1x4xf32>
  }
  func.return %0 : tensor<1x4xf32>
}

// A core computes the ops of a term while it waits for the sum before: more in one iteration gain nothing.
// STAYS-LABEL: lir.kernel @subgraph_0 "looped"
// STAYS-SAME:    loops [{{.*}}#lir.loop<1, work 16, inc 1, dim 1>]

// CHECK-LABEL: lir.kernel @subgraph_0 "looped"
// CHECK-SAME:    #lir.loop<2, work 16, inc 4, dim 1, unrolled of 1>
// CHECK:         %[[C:[^,]*]] = lir.loop_begin 2 (
// CHECK:         %[[S:.*]] = snippets.add %[[C]], {{.*}}lir.in_order
// CHECK:         %[[T:.*]] = snippets.add %[[S]], {{.*}}lir.in_order
// CHECK:         %[[U:.*]] = snippets.add %[[T]], {{.*}}lir.in_order
// CHECK:         %[[V:.*]] = snippets.add %[[U]], {{.*}}lir.in_order
// CHECK-NEXT:    lir.loop_end 2 (%[[V]])
// CHECK-NOT:     snippets.add

// -----

// The twin: a sum of products along a dim has accumulators of its own.
func.func @sum(%x: tensor<16x1xf32>, %y: tensor<16x4xf32>) -> tensor<1x4xf32> {
  %0 = snippets.subgraph (%a = %x, %b = %y) : (tensor<16x1xf32>, tensor<16x4xf32>) -> tensor<1x4xf32> {
    %m = snippets.multiply %a, %b : (tensor<16x1xf32>, tensor<16x4xf32>) -> tensor<16x4xf32>
    %s = snippets.reduce_sum %m {axes = array<i64: 0>, keep_dims} : (tensor<16x4xf32>) -> tensor<1x4xf32>
    snippets.yield %s : tensor<1x4xf32>
  }
  func.return %0 : tensor<1x4xf32>
}

// STAYS-LABEL: lir.kernel @subgraph_0 "looped"
// STAYS-SAME:    #lir.loop<2, work 16, inc 4, dim 1, unrolled of 1>
// CHECK-LABEL: lir.kernel @subgraph_0 "looped"
// CHECK-SAME:    #lir.loop<2, work 16, inc 4, dim 1, unrolled of 1>
// CHECK:         %[[C:.*]], %[[D:.*]], %[[E:.*]], %[[F:.*]] = lir.loop_begin 2 (
// CHECK:         snippets.add %[[C]],
// CHECK:         snippets.add %[[D]],
// CHECK:         lir.loop_end 2
// CHECK-COUNT-3: snippets.add
// CHECK-NOT:     lir.in_order
