// RUN: snippets-opt %s -p 'convert-snippets-to-lir,lir-mark-loops{vector-size=4},lir-reduce-decomposition,lir-fuse-loops,lir-move-result-out-of-loop,lir-insert-buffers,lir-insert-load-store,lir-insert-broadcast-move,lir-init-loops,lir-insert-loops,lir-insert-specific-iterations,lir-cleanup-loop-offsets' --split-input-file | filecheck %s
// RUN: snippets-opt %s -p 'convert-snippets-to-lir,lir-mark-loops{vector-size=4},lir-reduce-decomposition,lir-fuse-loops,lir-move-result-out-of-loop,lir-insert-buffers,lir-insert-load-store,lir-insert-broadcast-move,lir-init-loops,lir-insert-loops,lir-insert-specific-iterations,lir-cleanup-loop-offsets{report=true}' --split-input-file 2>&1 | filecheck %s --check-prefix REPORT

// Fires: a row's way back and the way to the next row are one motion, which is none; and after the rows
// nothing reads on, so that loop 0 takes nothing back, either.
// CHECK-LABEL: @rows
// CHECK: lir.loop_begin 0
// CHECK: lir.load %a {count = 4 : i64
// CHECK-SAME: loops [0: dim 1 fixed, 2: dim 0 ptr 1 fin 0]
// CHECK: lir.load %a {count = 3 : i64
// CHECK-SAME: loops [0: dim 1 fixed, 3: dim 0 ptr 1 fin 0]
func.func @rows(%x: tensor<3x7xf32>) -> tensor<1x1xf32> {
  %r = snippets.subgraph (%a = %x) : (tensor<3x7xf32>) -> tensor<1x1xf32> {
    %0 = snippets.reduce_sum %a {axes = array<i64: 0, 1>, keep_dims} : (tensor<3x7xf32>) -> tensor<1x1xf32>
    snippets.yield %0 : tensor<1x1xf32>
  }
  func.return %r : tensor<1x1xf32>
}

// -----

// Does not fire for the first two loops: the next one reads the array again, from its beginning. Fires for the last one.
// CHECK-LABEL: @again
// CHECK: lir.load %a {{.*}}loops [0: dim 0 ptr 1 fin -8]
// CHECK: lir.load %a {{.*}}loops [1: dim 0 ptr 1 fin 0]
// CHECK: lir.store {{.*}}loops [1: dim 0 ptr 1 fin 0]
// REPORT: remark: in @subgraph_0 loop 0 takes the pointer of lir.load back: lir.load in loop 1 goes on from there
func.func @again(%x: tensor<8xf32>) -> tensor<8xf32> {
  %r = snippets.subgraph (%a = %x) : (tensor<8xf32>) -> tensor<8xf32> {
    %0 = snippets.reduce_max %a {axes = array<i64: 0>, keep_dims} : (tensor<8xf32>) -> tensor<1xf32>
    %1 = snippets.subtract %a, %0 : (tensor<8xf32>, tensor<1xf32>) -> tensor<8xf32>
    snippets.yield %1 : tensor<8xf32>
  }
  func.return %r : tensor<8xf32>
}

// -----

// Does not fire inside of a parallel loop: threads find a row by its number, whatever was done to others before.
// CHECK-LABEL: @parallel
// CHECK: #lir.loop<0, work 3, inc 1, dim 1, parallel>
// CHECK: lir.load %a {{.*}}loops [0: dim 1 ptr 8 fin 0, 1: dim 0 ptr 1 fin -8]
// REPORT: loop 1 takes the pointer of lir.load back: the units of the parallel loop 0 find the pointer by their counter
func.func @parallel(%x: tensor<3x8xf32>) -> tensor<3x1xf32> {
  %r = snippets.subgraph (%a = %x) : (tensor<3x8xf32>) -> tensor<3x1xf32> {
    %0 = snippets.reduce_sum %a {axes = array<i64: 1>, keep_dims} : (tensor<3x8xf32>) -> tensor<3x1xf32>
    snippets.yield %0 : tensor<3x1xf32>
  }
  func.return %r : tensor<3x1xf32>
}
