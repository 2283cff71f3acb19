// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx512},lir-insert-load-store,lir-insert-broadcast-move,lir-load-move-broadcast-to-broadcast-load,lir-init-loops,lir-insert-loops,lir-jam-loops' --split-input-file | filecheck %s

// Three rows at a time leave two, three vectors leave one and 14 columns: each rest is one iteration.
// CHECK-LABEL: lir.kernel @both
// CHECK-SAME: #lir.loop<[[WIDE:[0-9]+]], work 48, inc 48, dim 0, unrolled of 1>
// CHECK-SAME: #lir.loop<[[NARROW:[0-9]+]], work 30, inc 30, dim 0, last of 1>
// CHECK-SAME: work 3, inc 3, dim 2, unrolled of {{[0-9]+}}>
// CHECK-SAME: work 2, inc 2, dim 2, last of {{[0-9]+}}>
// CHECK-NOT: main of
// CHECK: lir.loop_begin [[WIDE]]
// CHECK: lir.loop_end [[WIDE]]
// CHECK: lir.loop_begin [[NARROW]]
// CHECK: lir.load {{.*}} {count = 16
// CHECK-NEXT: lir.load {{.*}} {count = 14 : i64, offset = 16
// CHECK-NEXT: lir.broadcast_load
// CHECK: lir.store {{.*}} {count = 16
// CHECK: lir.store {{.*}} {count = 14 : i64, offset = 16
// CHECK: lir.loop_end [[NARROW]]
lir.kernel @both "marked" (%x: tensor<5x7x1xf32>, %y: tensor<1x7x78xf32>) -> tensor<5x1x78xf32> loops [#lir.loop<0, work 5, inc 1, dim 2, jam 3>, #lir.loop<1, work 78, inc 16, dim 0, jam 3>, #lir.loop<2, work 7, inc 1, dim 1>] {
  %0 = lir.brgemm %x, %y {lir.loops = array<i64: 1, 0, 2>, lir.ports = [#lir.port<[5, 7, 1], sub [1]>, #lir.port<[1, 7, 78], sub [16]>, #lir.port<[5, 1, 78], sub [16]>]} : (tensor<5x7x1xf32>, tensor<1x7x78xf32>) -> tensor<5x1x78xf32>
  lir.result %0 {index = 0 : i64, lir.ports = [#lir.port<[5, 1, 78], sub [16]>]} : tensor<5x1x78xf32>
}

// -----

// Fewer columns than one tile: the last part is all there is.
// CHECK-LABEL: lir.kernel @narrow
// CHECK-SAME: work 30, inc 30, dim 0, last of 1>
// CHECK-NOT: unrolled of 1
lir.kernel @narrow "marked" (%x: tensor<6x7x1xf32>, %y: tensor<1x7x30xf32>) -> tensor<6x1x30xf32> loops [#lir.loop<0, work 6, inc 1, dim 2, jam 3>, #lir.loop<1, work 30, inc 16, dim 0, jam 3>, #lir.loop<2, work 7, inc 1, dim 1>] {
  %0 = lir.brgemm %x, %y {lir.loops = array<i64: 1, 0, 2>, lir.ports = [#lir.port<[6, 7, 1], sub [1]>, #lir.port<[1, 7, 30], sub [16]>, #lir.port<[6, 1, 30], sub [16]>]} : (tensor<6x7x1xf32>, tensor<1x7x30xf32>) -> tensor<6x1x30xf32>
  lir.result %0 {index = 0 : i64, lir.ports = [#lir.port<[6, 1, 30], sub [16]>]} : tensor<6x1x30xf32>
}

// -----

// Twins: one row and a part of one vector are left, which need no other iterations beside them.
// CHECK-LABEL: lir.kernel @one
// CHECK-SAME: work 14, inc 16, dim 0, main of 1>
// CHECK-SAME: work 1, inc 1, dim 2, main of
// CHECK-NOT: last of
lir.kernel @one "marked" (%x: tensor<7x7x1xf32>, %y: tensor<1x7x46xf32>) -> tensor<7x1x46xf32> loops [#lir.loop<0, work 7, inc 1, dim 2, jam 3>, #lir.loop<1, work 46, inc 16, dim 0, jam 2>, #lir.loop<2, work 7, inc 1, dim 1>] {
  %0 = lir.brgemm %x, %y {lir.loops = array<i64: 1, 0, 2>, lir.ports = [#lir.port<[7, 7, 1], sub [1]>, #lir.port<[1, 7, 46], sub [16]>, #lir.port<[7, 1, 46], sub [16]>]} : (tensor<7x7x1xf32>, tensor<1x7x46xf32>) -> tensor<7x1x46xf32>
  lir.result %0 {index = 0 : i64, lir.ports = [#lir.port<[7, 1, 46], sub [16]>]} : tensor<7x1x46xf32>
}

// -----

// Twin: threads share the rows, and there is no whole iteration whose units they would be.
// CHECK-LABEL: lir.kernel @shared
// CHECK-NOT: last of 0
lir.kernel @shared "marked" (%x: tensor<2x7x1xf32>, %y: tensor<1x7x16xf32>) -> tensor<2x1x16xf32> loops [#lir.loop<0, work 2, inc 1, dim 2, parallel, jam 3>, #lir.loop<1, work 16, inc 16, dim 0>, #lir.loop<2, work 7, inc 1, dim 1>] {
  %0 = lir.brgemm %x, %y {lir.loops = array<i64: 0, 1, 2>, lir.ports = [#lir.port<[2, 7, 1], sub [1]>, #lir.port<[1, 7, 16], sub [16]>, #lir.port<[2, 1, 16], sub [16]>]} : (tensor<2x7x1xf32>, tensor<1x7x16xf32>) -> tensor<2x1x16xf32>
  lir.result %0 {index = 0 : i64, lir.ports = [#lir.port<[2, 1, 16], sub [16]>]} : tensor<2x1x16xf32>
}
