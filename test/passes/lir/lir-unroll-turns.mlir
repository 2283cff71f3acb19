// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx2},convert-snippets-to-lir,lir-optimize-domain,lir-mark-loops,lir-reduce-decomposition,lir-fuse-loops,lir-split-loops,lir-insert-load-store,lir-init-loops,lir-insert-loops,lir-clean-repeated-data-pointer-shifts,lir-unroll' --split-input-file --explain=lir-unroll 2> %t.plan | filecheck %s
// RUN: filecheck %s --check-prefix=WHY --input-file=%t.plan
// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx2},convert-snippets-to-lir,lir-optimize-domain,lir-mark-loops,lir-reduce-decomposition,lir-fuse-loops,lir-split-loops,lir-insert-load-store,lir-init-loops,lir-insert-loops,lir-clean-repeated-data-pointer-shifts,lir-unroll{max-turn-ops=64}' --split-input-file | filecheck %s --check-prefix=FEW
// RUN: not snippets-opt %s -p 'snippets-set-target,lir-unroll{max-turn-ops=-1}' --split-input-file 2>&1 | filecheck %s --check-prefix=ERROR

// ERROR: expected max-turn-ops of 0 or more, found -1

// One chain of 24 products: four iterations, each op of all of them before the next op.
func.func @chain(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %0 = snippets.subgraph (%a = %x) : (tensor<1024xf32>) -> tensor<1024xf32> {
    %m0 = snippets.multiply %a, %a : tensor<1024xf32>
    %m1 = snippets.multiply %m0, %a : tensor<1024xf32>
    %m2 = snippets.multiply %m1, %a : tensor<1024xf32>
    %m3 = snippets.multiply %m2, %a : tensor<1024xf32>
    %m4 = snippets.multiply %m3, %a : tensor<1024xf32>
    %m5 = snippets.multiply %m4, %a : tensor<1024xf32>
    %m6 = snippets.multiply %m5, %a : tensor<1024xf32>
    %m7 = snippets.multiply %m6, %a : tensor<1024xf32>
    %m8 = snippets.multiply %m7, %a : tensor<1024xf32>
    %m9 = snippets.multiply %m8, %a : tensor<1024xf32>
    %m10 = snippets.multiply %m9, %a : tensor<1024xf32>
    %m11 = snippets.multiply %m10, %a : tensor<1024xf32>
    %m12 = snippets.multiply %m11, %a : tensor<1024xf32>
    %m13 = snippets.multiply %m12, %a : tensor<1024xf32>
    %m14 = snippets.multiply %m13, %a : tensor<1024xf32>
    %m15 = snippets.multiply %m14, %a : tensor<1024xf32>
    %m16 = snippets.multiply %m15, %a : tensor<1024xf32>
    %m17 = snippets.multiply %m16, %a : tensor<1024xf32>
    %m18 = snippets.multiply %m17, %a : tensor<1024xf32>
    %m19 = snippets.multiply %m18, %a : tensor<1024xf32>
    %m20 = snippets.multiply %m19, %a : tensor<1024xf32>
    %m21 = snippets.multiply %m20, %a : tensor<1024xf32>
    %m22 = snippets.multiply %m21, %a : tensor<1024xf32>
    %m23 = snippets.multiply %m22, %a : tensor<1024xf32>
    snippets.yield %m23 : tensor<1024xf32>
  }
  func.return %0 : tensor<1024xf32>
}

// WHY: loop 0: 4 iterations at a time, their ops in turn, {{[0-9]+}} cycles each in place of {{[0-9]+}}
// CHECK-LABEL: lir.kernel @subgraph_0 "looped"
// CHECK-SAME:    #lir.loop<1, work 1024, inc 32, dim 0, parallel, unrolled of 0>
// CHECK:         lir.loop_begin 1
// CHECK-NEXT:    %[[A:.*]] = lir.load %a {count = 8 : i64, lir.loops
// CHECK-NEXT:    %[[B:.*]] = lir.load %a {count = 8 : i64, offset = 8 : i64
// CHECK-NEXT:    %[[C:.*]] = lir.load %a {count = 8 : i64, offset = 16 : i64
// CHECK-NEXT:    %[[D:.*]] = lir.load %a {count = 8 : i64, offset = 24 : i64
// CHECK-NEXT:    %[[M:.*]] = snippets.multiply %[[A]], %[[A]]
// CHECK-NEXT:    %[[N:.*]] = snippets.multiply %[[B]], %[[B]]
// CHECK-NEXT:    %[[O:.*]] = snippets.multiply %[[C]], %[[C]]
// CHECK-NEXT:    %[[P:.*]] = snippets.multiply %[[D]], %[[D]]
// CHECK-NEXT:    snippets.multiply %[[M]], %[[A]]
// CHECK-NEXT:    snippets.multiply %[[N]], %[[B]]
// CHECK:         lir.store {{.*}} {count = 8 : i64, lir.loops
// CHECK-NEXT:    lir.store {{.*}} {count = 8 : i64, offset = 8 : i64
// CHECK-NEXT:    lir.store {{.*}} {count = 8 : i64, offset = 16 : i64
// CHECK-NEXT:    lir.store {{.*}} {count = 8 : i64, offset = 24 : i64
// CHECK-NEXT:    lir.loop_end 1

// With room for 64 ops, two iterations.
// FEW-LABEL: lir.kernel @subgraph_0 "looped"
// FEW-SAME:    #lir.loop<1, work 1024, inc 16, dim 0, parallel, unrolled of 0>

// -----

// The twin: as many ops in four chains, which one iteration keeps a core busy with.
func.func @wide(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %0 = snippets.subgraph (%a = %x) : (tensor<1024xf32>) -> tensor<1024xf32> {
    %w00 = snippets.multiply %a, %a : tensor<1024xf32>
    %w01 = snippets.multiply %w00, %a : tensor<1024xf32>
    %w02 = snippets.multiply %w01, %a : tensor<1024xf32>
    %w03 = snippets.multiply %w02, %a : tensor<1024xf32>
    %w04 = snippets.multiply %w03, %a : tensor<1024xf32>
    %w05 = snippets.multiply %w04, %a : tensor<1024xf32>
    %w10 = snippets.multiply %a, %w00 : tensor<1024xf32>
    %w11 = snippets.multiply %w10, %a : tensor<1024xf32>
    %w12 = snippets.multiply %w11, %a : tensor<1024xf32>
    %w13 = snippets.multiply %w12, %a : tensor<1024xf32>
    %w14 = snippets.multiply %w13, %a : tensor<1024xf32>
    %w15 = snippets.multiply %w14, %a : tensor<1024xf32>
    %w20 = snippets.multiply %a, %w10 : tensor<1024xf32>
    %w21 = snippets.multiply %w20, %a : tensor<1024xf32>
    %w22 = snippets.multiply %w21, %a : tensor<1024xf32>
    %w23 = snippets.multiply %w22, %a : tensor<1024xf32>
    %w24 = snippets.multiply %w23, %a : tensor<1024xf32>
    %w25 = snippets.multiply %w24, %a : tensor<1024xf32>
    %w30 = snippets.multiply %a, %w20 : tensor<1024xf32>
    %w31 = snippets.multiply %w30, %a : tensor<1024xf32>
    %w32 = snippets.multiply %w31, %a : tensor<1024xf32>
    %w33 = snippets.multiply %w32, %a : tensor<1024xf32>
    %w34 = snippets.multiply %w33, %a : tensor<1024xf32>
    %w35 = snippets.multiply %w34, %a : tensor<1024xf32>
    %s0 = snippets.add %w05, %w15 : tensor<1024xf32>
    %s1 = snippets.add %w25, %w35 : tensor<1024xf32>
    %s = snippets.add %s0, %s1 : tensor<1024xf32>
    snippets.yield %s : tensor<1024xf32>
  }
  func.return %0 : tensor<1024xf32>
}

// WHY: no loop is unrolled
// CHECK-LABEL: lir.kernel @subgraph_0 "looped"
// CHECK-NOT:     unrolled

// -----

// Another: a scan goes from one iteration to the next, so these stay one after the other.
func.func @scan(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %0 = snippets.subgraph (%a = %x) : (tensor<1024xf32>) -> tensor<1024xf32> {
    %m0 = snippets.multiply %a, %a : tensor<1024xf32>
    %m1 = snippets.multiply %m0, %a : tensor<1024xf32>
    %m2 = snippets.multiply %m1, %a : tensor<1024xf32>
    %m3 = snippets.multiply %m2, %a : tensor<1024xf32>
    %m4 = snippets.multiply %m3, %a : tensor<1024xf32>
    %m5 = snippets.multiply %m4, %a : tensor<1024xf32>
    %m6 = snippets.multiply %m5, %a : tensor<1024xf32>
    %m7 = snippets.multiply %m6, %a : tensor<1024xf32>
    %m8 = snippets.multiply %m7, %a : tensor<1024xf32>
    %m9 = snippets.multiply %m8, %a : tensor<1024xf32>
    %m10 = snippets.multiply %m9, %a : tensor<1024xf32>
    %m11 = snippets.multiply %m10, %a : tensor<1024xf32>
    %m12 = snippets.multiply %m11, %a : tensor<1024xf32>
    %m13 = snippets.multiply %m12, %a : tensor<1024xf32>
    %m14 = snippets.multiply %m13, %a : tensor<1024xf32>
    %m15 = snippets.multiply %m14, %a : tensor<1024xf32>
    %m16 = snippets.multiply %m15, %a : tensor<1024xf32>
    %m17 = snippets.multiply %m16, %a : tensor<1024xf32>
    %m18 = snippets.multiply %m17, %a : tensor<1024xf32>
    %m19 = snippets.multiply %m18, %a : tensor<1024xf32>
    %m20 = snippets.multiply %m19, %a : tensor<1024xf32>
    %m21 = snippets.multiply %m20, %a : tensor<1024xf32>
    %m22 = snippets.multiply %m21, %a : tensor<1024xf32>
    %m23 = snippets.multiply %m22, %a : tensor<1024xf32>
    %c = snippets.cum_sum %m23 {axis = 0 : i64} : tensor<1024xf32>
    snippets.yield %c : tensor<1024xf32>
  }
  func.return %0 : tensor<1024xf32>
}

// WHY: loop 0: 2 iterations at a time{{$}}
// CHECK-LABEL: lir.kernel @subgraph_0 "looped"
// CHECK:         snippets.multiply %m22
// CHECK:         lir.store
// CHECK-NEXT:    lir.load %a {count = 8 : i64, offset = 8 : i64
