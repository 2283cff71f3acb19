// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx2},convert-snippets-to-lir,lir-optimize-domain,lir-mark-loops,lir-reduce-decomposition,lir-fuse-loops,lir-split-loops,lir-insert-load-store,lir-init-loops,lir-insert-loops,lir-clean-repeated-data-pointer-shifts,lir-unroll' --split-input-file | filecheck %s

// A sum of 13 vectors: three times four with an accumulator each, then one, after which they are combined.
func.func @sum(%x: tensor<3x104xf32>) -> tensor<3x1xf32> {
  %0 = snippets.subgraph (%a = %x) : (tensor<3x104xf32>) -> tensor<3x1xf32> {
    %s = snippets.reduce_sum %a {axes = array<i64: 1>, keep_dims} : (tensor<3x104xf32>) -> tensor<3x1xf32>
    snippets.yield %s : tensor<3x1xf32>
  }
  func.return %0 : tensor<3x1xf32>
}

// CHECK-LABEL: lir.kernel @subgraph_0 "looped"
// CHECK-SAME:    #lir.loop<1, work 104, inc 8, dim 0>, #lir.loop<2, work 96, inc 32, dim 0, unrolled of 1>, #lir.loop<3, work 8, inc 8, dim 0, main of 1>
// CHECK:         %[[A:.*]], %[[B:.*]], %[[C:.*]], %[[D:.*]] = lir.loop_begin 2 (
// CHECK-NEXT:    lir.load %a {count = 8 : i64, lir.loops = array<i64: 0, 2>, lir.ports = [#lir.port<[3, 104], sub [8], loops [0: dim 1 ptr 104 fin -312, 2: dim 0 ptr 1 fin 0]>
// CHECK:         snippets.add %[[A]],
// CHECK-NEXT:    lir.load %a {count = 8 : i64, offset = 8 : i64, lir.loops = array<i64: 0, 2>, lir.ports = [#lir.port<[3, 104], sub [8], loops [0: dim 1 ptr 104 fin -312, 2: dim 0 fixed]>
// CHECK:         snippets.add %[[B]],
// CHECK-NEXT:    lir.load %a {count = 8 : i64, offset = 16 : i64
// CHECK:         snippets.add %[[C]],
// CHECK-NEXT:    lir.load %a {count = 8 : i64, offset = 24 : i64
// CHECK:         snippets.add %[[D]],
// CHECK-NEXT:    %[[SA:.*]], %[[SB:.*]], %[[SC:.*]], %[[SD:.*]] = lir.loop_end 2
// CHECK-NEXT:    lir.loop_begin 3 (%[[SA]])
// CHECK-NEXT:    lir.load %a {count = 8 : i64, lir.loops = array<i64: 0, 3>, lir.ports = [#lir.port<[3, 104], sub [8], loops [0: dim 1 ptr 104 fin -312, 3: dim 0 ptr 1 fin -104]>
// CHECK:         %[[R:.*]] = lir.loop_end 3
// CHECK-NEXT:    %[[AB:.*]] = snippets.add %[[R]], %[[SB]]
// CHECK-NEXT:    %[[CD:.*]] = snippets.add %[[SC]], %[[SD]]
// CHECK-NEXT:    %[[ALL:.*]] = snippets.add %[[AB]], %[[CD]]
// CHECK-NEXT:    lir.horizon %[[ALL]]

// -----

// What each iteration computes alike is not repeated, and nothing is left over.
func.func @shared(%x: tensor<64xf32>, %c: tensor<1xf32>) -> tensor<64xf32> {
  %0 = snippets.subgraph (%a = %x, %b = %c) : (tensor<64xf32>, tensor<1xf32>) -> tensor<64xf32> {
    %1 = snippets.add %a, %b : (tensor<64xf32>, tensor<1xf32>) -> tensor<64xf32>
    snippets.yield %1 : tensor<64xf32>
  }
  func.return %0 : tensor<64xf32>
}

// CHECK-LABEL: lir.kernel @subgraph_0 "looped"
// CHECK-SAME:    loops [#lir.loop<0, work 64, inc 8, dim 0, parallel>, #lir.loop<1, work 64, inc 32, dim 0, parallel, unrolled of 0>] {
// CHECK:         lir.loop_begin 1
// CHECK:         lir.load %b
// CHECK-NOT:     lir.load %b
// CHECK:         lir.store {{.*}} {count = 8 : i64, offset = 24 : i64
// CHECK-NEXT:    lir.loop_end 1
// CHECK-NEXT:    lir.result %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {index = 0 : i64

// -----

// Too short for two vectors.
func.func @short(%x: tensor<15xf32>) -> tensor<15xf32> {
  %0 = snippets.subgraph (%a = %x) : (tensor<15xf32>) -> tensor<15xf32> {
    %1 = snippets.abs %a : tensor<15xf32>
    snippets.yield %1 : tensor<15xf32>
  }
  func.return %0 : tensor<15xf32>
}

// CHECK-LABEL: lir.kernel @subgraph_0 "looped"
// CHECK-SAME:    loops [#lir.loop<0, work 15, inc 8, dim 0, parallel>] {

// -----

// 17 ops would be 34, more than 32.
func.func @long(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = snippets.subgraph (%a = %x) : (tensor<64xf32>) -> tensor<64xf32> {
    %1 = snippets.abs %a : tensor<64xf32>
    %2 = snippets.sqrt %1 : tensor<64xf32>
    %3 = snippets.abs %2 : tensor<64xf32>
    %4 = snippets.sqrt %3 : tensor<64xf32>
    %5 = snippets.abs %4 : tensor<64xf32>
    %6 = snippets.sqrt %5 : tensor<64xf32>
    %7 = snippets.abs %6 : tensor<64xf32>
    %8 = snippets.sqrt %7 : tensor<64xf32>
    %9 = snippets.abs %8 : tensor<64xf32>
    %10 = snippets.sqrt %9 : tensor<64xf32>
    %11 = snippets.abs %10 : tensor<64xf32>
    %12 = snippets.sqrt %11 : tensor<64xf32>
    %13 = snippets.abs %12 : tensor<64xf32>
    %14 = snippets.sqrt %13 : tensor<64xf32>
    %15 = snippets.abs %14 : tensor<64xf32>
    snippets.yield %15 : tensor<64xf32>
  }
  func.return %0 : tensor<64xf32>
}

// CHECK-LABEL: lir.kernel @subgraph_0 "looped"
// CHECK-NOT:     unrolled
