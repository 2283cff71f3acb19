// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx2},convert-snippets-to-lir,lir-optimize-domain,lir-mark-loops,lir-reduce-decomposition,lir-fuse-loops,lir-split-loops,lir-insert-buffers,lir-insert-load-store,lir-init-loops,lir-insert-loops,lir-allocate-buffers,lir-jam-loops' --split-input-file | filecheck %s

// Six rows of a transposed array: four that read a tile together, two that gather.
func.func @turned(%x: tensor<20x6xf32>) -> tensor<6x20xf32> {
  %0 = snippets.subgraph (%a = %x) : (tensor<20x6xf32>) -> tensor<6x20xf32> {
    %t = snippets.transpose %a {permutation = array<i64: 1, 0>} : (tensor<20x6xf32>) -> tensor<6x20xf32>
    %r = snippets.abs %t : tensor<6x20xf32>
    snippets.yield %r : tensor<6x20xf32>
  }
  func.return %0 : tensor<6x20xf32>
}

// CHECK-LABEL: lir.kernel @subgraph_0 "looped"
// CHECK-SAME:    #lir.loop<0, work 6, inc 1, dim 1, parallel>, #lir.loop<1, work 20, inc 8, dim 0>, #lir.loop<2, work 4, inc 4, dim 1, parallel, unrolled of 0>, #lir.loop<3, work 2, inc 1, dim 1, parallel, main of 0>, #lir.loop<4, work 20, inc 8, dim 0>
// CHECK:         lir.loop_begin 2
// CHECK-NEXT:    lir.loop_begin 4
// CHECK-NEXT:    %[[A:.*]] = lir.load %[[T:.*]] {count = 8 : i64, lir.loops = array<i64: 2, 4>, lir.ports = [#lir.port<[6, 20], layout [1, 0], sub [8], loops [2: dim 1 ptr 1 fin 0, 4: dim 0 ptr 6 fin -120]>
// CHECK-NEXT:    lir.load %[[T]] {count = 8 : i64, offset = 1 : i64, lir.loops = array<i64: 2, 4>, lir.ports = [#lir.port<[6, 20], layout [1, 0], sub [8], loops [2: dim 1 fixed, 4: dim 0 ptr 6 fin -120]>
// CHECK-NEXT:    lir.load %[[T]] {count = 8 : i64, offset = 2 : i64
// CHECK-NEXT:    lir.load %[[T]] {count = 8 : i64, offset = 3 : i64
// CHECK-NEXT:    snippets.abs %[[A]]
// CHECK-NEXT:    %[[S:.*]] = lir.store
// CHECK-NEXT:    snippets.abs
// CHECK-NEXT:    %[[S1:.*]] = lir.store {{.*}} {count = 8 : i64, offset = 20 : i64
// CHECK:         offset = 60 : i64
// CHECK-NEXT:    lir.loop_end 4
// CHECK-NEXT:    lir.loop_end 2
// CHECK-NEXT:    lir.loop_begin 3
// CHECK-NEXT:    lir.loop_begin 1
// CHECK-NEXT:    lir.load %[[T]] {count = 8 : i64, lir.loops = array<i64: 3, 1>, lir.ports = [#lir.port<[6, 20], layout [1, 0], sub [8], loops [3: dim 1 ptr 1 fin -6, 1: dim 0 ptr 6 fin -120]>
// CHECK-NEXT:    snippets.abs
// CHECK-NEXT:    lir.store
// CHECK-NEXT:    lir.loop_end 1

// -----

// What is not transposed stays as it is.
func.func @straight(%x: tensor<6x20xf32>, %s: tensor<6x1xf32>) -> tensor<6x20xf32> {
  %0 = snippets.subgraph (%a = %x, %b = %s) : (tensor<6x20xf32>, tensor<6x1xf32>) -> tensor<6x20xf32> {
    %r = snippets.add %a, %b : (tensor<6x20xf32>, tensor<6x1xf32>) -> tensor<6x20xf32>
    snippets.yield %r : tensor<6x20xf32>
  }
  func.return %0 : tensor<6x20xf32>
}

// CHECK-LABEL: lir.kernel @subgraph_0 "looped"
// CHECK-SAME:    loops [#lir.loop<0, work 6, inc 1, dim 1, parallel>, #lir.loop<1, work 20, inc 8, dim 0>] {

// -----

// Three rows are less than a tile.
func.func @few(%x: tensor<20x3xf32>) -> tensor<3x20xf32> {
  %0 = snippets.subgraph (%a = %x) : (tensor<20x3xf32>) -> tensor<3x20xf32> {
    %t = snippets.transpose %a {permutation = array<i64: 1, 0>} : (tensor<20x3xf32>) -> tensor<3x20xf32>
    %r = snippets.abs %t : tensor<3x20xf32>
    snippets.yield %r : tensor<3x20xf32>
  }
  func.return %0 : tensor<3x20xf32>
}

// CHECK-LABEL: lir.kernel @subgraph_0 "looped"
// CHECK-SAME:    loops [#lir.loop<0, work 3, inc 1, dim 1, parallel>, #lir.loop<1, work 20, inc 8, dim 0>] {

// -----

// Elements of one byte: a tile has as many rows as a vector has lanes, here 8.
func.func @small(%x: tensor<20x8xi1>) -> tensor<8x20xi1> {
  %0 = snippets.subgraph (%a = %x) : (tensor<20x8xi1>) -> tensor<8x20xi1> {
    %t = snippets.transpose %a {permutation = array<i64: 1, 0>} : (tensor<20x8xi1>) -> tensor<8x20xi1>
    %r = snippets.logical_not %t : tensor<8x20xi1>
    snippets.yield %r : tensor<8x20xi1>
  }
  func.return %0 : tensor<8x20xi1>
}

// CHECK-LABEL: lir.kernel @subgraph_0 "looped"
// CHECK-SAME:    loops [#lir.loop<0, work 8, inc 1, dim 1, parallel>, #lir.loop<1, work 20, inc 8, dim 0>, #lir.loop<2, work 8, inc 8, dim 1, parallel, unrolled of 0>] {

// -----

// A sum of columns: two vectors of a row at a time, with an accumulator each, and one that is left.
func.func @columns(%x: tensor<2x9x24xf32>) -> tensor<2x1x24xf32> {
  %0 = snippets.subgraph (%a = %x) : (tensor<2x9x24xf32>) -> tensor<2x1x24xf32> {
    %s = snippets.reduce_sum %a {axes = array<i64: 1>, keep_dims} : (tensor<2x9x24xf32>) -> tensor<2x1x24xf32>
    snippets.yield %s : tensor<2x1x24xf32>
  }
  func.return %0 : tensor<2x1x24xf32>
}

// CHECK-LABEL: lir.kernel @subgraph_0 "looped"
// CHECK-SAME:    #lir.loop<3, work 16, inc 16, dim 0, unrolled of 1>, #lir.loop<4, work 8, inc 8, dim 0, main of 1>, #lir.loop<5, work 9, inc 1, dim 1>
// CHECK:         lir.loop_begin 3
// CHECK-NEXT:    %[[I:.*]] = snippets.broadcast
// CHECK-NEXT:    %[[J:.*]] = snippets.broadcast
// CHECK-NEXT:    %[[A:.*]], %[[B:.*]] = lir.loop_begin 5 (%[[I]], %[[J]])
// CHECK-NEXT:    %[[X:.*]] = lir.load %a {count = 8 : i64, lir.loops
// CHECK-NEXT:    %[[C:.*]] = snippets.add %[[A]], %[[X]]
// CHECK-NEXT:    %[[Y:.*]] = lir.load %a {count = 8 : i64, offset = 8 : i64
// CHECK-NEXT:    %[[D:.*]] = snippets.add %[[B]], %[[Y]]
// CHECK-NEXT:    lir.loop_end 5 (%[[C]], %[[D]])
// CHECK:         lir.store {{.*}} {count = 8 : i64, lir.loops
// CHECK:         lir.store {{.*}} {count = 8 : i64, offset = 8 : i64
// CHECK-NEXT:    lir.loop_end 3
// CHECK-NEXT:    lir.loop_begin 4
// CHECK:         lir.loop_begin 2

// -----

// Each iteration would need a buffer of its own.
func.func @buffer(%x: tensor<9x24xf32>) -> tensor<9x24xf32> {
  %0 = snippets.subgraph (%a = %x) : (tensor<9x24xf32>) -> tensor<9x24xf32> {
    %e = snippets.exp %a : tensor<9x24xf32>
    %s = snippets.reduce_sum %e {axes = array<i64: 0>, keep_dims} : (tensor<9x24xf32>) -> tensor<1x24xf32>
    %q = snippets.divide %e, %s : (tensor<9x24xf32>, tensor<1x24xf32>) -> tensor<9x24xf32>
    snippets.yield %q : tensor<9x24xf32>
  }
  func.return %0 : tensor<9x24xf32>
}

// CHECK-LABEL: lir.kernel @subgraph_0 "looped"
// CHECK-NOT:     unrolled
