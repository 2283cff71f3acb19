// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx512},lir-insert-load-store,lir-insert-broadcast-move,lir-load-move-broadcast-to-broadcast-load,lir-init-loops,lir-insert-loops,lir-jam-loops' | filecheck %s

// The table says how much: a step reads two vectors, then each row's element before its products.
// CHECK: lir.kernel {{.*}} loops [#lir.loop<0, work 5, inc 1, dim 2>, #lir.loop<1, work 48, inc 16, dim 0>,
// CHECK-SAME: unrolled of 0
// CHECK-NOT: jam
// CHECK: lir.loop_begin [[K:[0-9]+]] (%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}})
// CHECK-NEXT: %[[B0:.*]] = lir.load
// CHECK-NEXT: %[[B1:.*]] = lir.load
// CHECK-NEXT: %[[A0:.*]] = lir.broadcast_load
// CHECK-NEXT: snippets.fma %[[A0]], %[[B0]]
// CHECK-NEXT: snippets.fma %[[A0]], %[[B1]]
// CHECK-NEXT: %[[A1:.*]] = lir.broadcast_load {{.*}} offset = 7
// CHECK-NEXT: snippets.fma %[[A1]], %[[B0]]
// CHECK-NEXT: snippets.fma %[[A1]], %[[B1]]
// CHECK-NEXT: lir.loop_end [[K]]
lir.kernel @products "marked" (%x: tensor<5x7x1xf32>, %y: tensor<1x7x48xf32>) -> tensor<5x1x48xf32> loops [#lir.loop<0, work 5, inc 1, dim 2, jam 2>, #lir.loop<1, work 48, inc 16, dim 0, jam 2>, #lir.loop<2, work 7, inc 1, dim 1>] {
  %0 = lir.brgemm %x, %y {lir.loops = array<i64: 1, 0, 2>, lir.ports = [#lir.port<[5, 7, 1], sub [1]>, #lir.port<[1, 7, 48], sub [16]>, #lir.port<[5, 1, 48], sub [16]>]} : (tensor<5x7x1xf32>, tensor<1x7x48xf32>) -> tensor<5x1x48xf32>
  lir.result %0 {index = 0 : i64, lir.ports = [#lir.port<[5, 1, 48], sub [16]>]} : tensor<5x1x48xf32>
}

// Rows that the call knows: six, then three, then one at a time; the parts are those of loop 0.
// CHECK: lir.kernel @any_rows {{.*}} loops [#lir.loop<0, work ?0, inc 1, dim 2>,
// CHECK-SAME: #lir.loop<[[SIX:[0-9]+]], work ?0, inc 6, dim 2, unrolled of 0>
// CHECK-SAME: #lir.loop<[[THREE:[0-9]+]], work ?0, inc 3, dim 2, unrolled of 0>
// CHECK-SAME: #lir.loop<[[ONE:[0-9]+]], work ?0, inc 1, dim 2, main of 0>
// CHECK: lir.loop_begin [[SIX]]
// CHECK: lir.loop_end [[SIX]]
// CHECK: lir.loop_begin [[THREE]]
// CHECK-COUNT-3: lir.broadcast_load
// CHECK-NOT: lir.broadcast_load
// CHECK: lir.loop_end [[THREE]]
// CHECK: lir.loop_begin [[ONE]]
// CHECK: lir.loop_end [[ONE]]
lir.kernel @any_rows "marked" (%x: tensor<?x7x1xf32, #lir.sizes<?0>>, %y: tensor<1x7x48xf32>) -> tensor<?x1x48xf32, #lir.sizes<?0>> loops [#lir.loop<0, work ?0, inc 1, dim 2, jam 6>, #lir.loop<1, work 48, inc 16, dim 0, jam 2>, #lir.loop<2, work 7, inc 1, dim 1>] {
  %0 = lir.brgemm %x, %y {lir.loops = array<i64: 1, 0, 2>, lir.ports = [#lir.port<[?0, 7, 1], sub [1]>, #lir.port<[1, 7, 48], sub [16]>, #lir.port<[?0, 1, 48], sub [16]>]} : (tensor<?x7x1xf32, #lir.sizes<?0>>, tensor<1x7x48xf32>) -> tensor<?x1x48xf32, #lir.sizes<?0>>
  lir.result %0 {index = 0 : i64, lir.ports = [#lir.port<[?0, 1, 48], sub [16]>]} : tensor<?x1x48xf32, #lir.sizes<?0>>
}

// Twin: no divisor between one and five; what is left goes one by one.
// CHECK: lir.kernel @five {{.*}} inc 5, dim 2, unrolled of 0
// CHECK-SAME: inc 1, dim 2, main of 0
// CHECK-NOT: inc 2, dim 2
lir.kernel @five "marked" (%x: tensor<?x7x1xf32, #lir.sizes<?0>>, %y: tensor<1x7x48xf32>) -> tensor<?x1x48xf32, #lir.sizes<?0>> loops [#lir.loop<0, work ?0, inc 1, dim 2, jam 5>, #lir.loop<1, work 48, inc 16, dim 0, jam 2>, #lir.loop<2, work 7, inc 1, dim 1>] {
  %0 = lir.brgemm %x, %y {lir.loops = array<i64: 1, 0, 2>, lir.ports = [#lir.port<[?0, 7, 1], sub [1]>, #lir.port<[1, 7, 48], sub [16]>, #lir.port<[?0, 1, 48], sub [16]>]} : (tensor<?x7x1xf32, #lir.sizes<?0>>, tensor<1x7x48xf32>) -> tensor<?x1x48xf32, #lir.sizes<?0>>
  lir.result %0 {index = 0 : i64, lir.ports = [#lir.port<[?0, 1, 48], sub [16]>]} : tensor<?x1x48xf32, #lir.sizes<?0>>
}

// By four: then once by three if their number is odd, and by two. Nothing is left, for no dynamic size is 1.
// CHECK: lir.kernel @any_rows_by_four
// CHECK-SAME: #lir.loop<[[FOUR:[0-9]+]], work ?0, inc 4, dim 2, unrolled of 0>
// CHECK-SAME: #lir.loop<[[THREE:[0-9]+]], work ?0, inc 3, dim 2, unrolled of 0>
// CHECK-SAME: #lir.loop<[[TWO:[0-9]+]], work ?0, inc 2, dim 2, unrolled of 0>
// CHECK-NOT: main of 0
// CHECK: lir.loop_begin [[FOUR]]
// CHECK: lir.loop_end [[FOUR]]
// CHECK: lir.loop_begin [[THREE]]
// CHECK: lir.loop_end [[THREE]]
// CHECK: lir.loop_begin [[TWO]]
// CHECK: lir.loop_end [[TWO]]
lir.kernel @any_rows_by_four "marked" (%x: tensor<?x7x1xf32, #lir.sizes<?0>>, %y: tensor<1x7x48xf32>) -> tensor<?x1x48xf32, #lir.sizes<?0>> loops [#lir.loop<0, work ?0, inc 1, dim 2, jam 4>, #lir.loop<1, work 48, inc 16, dim 0, jam 2>, #lir.loop<2, work 7, inc 1, dim 1>] {
  %0 = lir.brgemm %x, %y {lir.loops = array<i64: 1, 0, 2>, lir.ports = [#lir.port<[?0, 7, 1], sub [1]>, #lir.port<[1, 7, 48], sub [16]>, #lir.port<[?0, 1, 48], sub [16]>]} : (tensor<?x7x1xf32, #lir.sizes<?0>>, tensor<1x7x48xf32>) -> tensor<?x1x48xf32, #lir.sizes<?0>>
  lir.result %0 {index = 0 : i64, lir.ports = [#lir.port<[?0, 1, 48], sub [16]>]} : tensor<?x1x48xf32, #lir.sizes<?0>>
}

// Twins: threads share the rows, and a range may have one of them.
// CHECK: lir.kernel @shared {{.*}} inc 4, dim 2, parallel, unrolled of 0
// CHECK-SAME: inc 2, dim 2
// CHECK-SAME: main of 0
// CHECK-NOT: inc 3, dim 2
lir.kernel @shared "marked" (%x: tensor<?x7x1xf32, #lir.sizes<?0>>, %y: tensor<1x7x48xf32>) -> tensor<?x1x48xf32, #lir.sizes<?0>> loops [#lir.loop<0, work ?0, inc 1, dim 2, parallel, jam 4>, #lir.loop<1, work 48, inc 16, dim 0, jam 2>, #lir.loop<2, work 7, inc 1, dim 1>] {
  %0 = lir.brgemm %x, %y {lir.loops = array<i64: 0, 1, 2>, lir.ports = [#lir.port<[?0, 7, 1], sub [1]>, #lir.port<[1, 7, 48], sub [16]>, #lir.port<[?0, 1, 48], sub [16]>]} : (tensor<?x7x1xf32, #lir.sizes<?0>>, tensor<1x7x48xf32>) -> tensor<?x1x48xf32, #lir.sizes<?0>>
  lir.result %0 {index = 0 : i64, lir.ports = [#lir.port<[?0, 1, 48], sub [16]>]} : tensor<?x1x48xf32, #lir.sizes<?0>>
}

// One more than any size may be 1.
// CHECK: lir.kernel @maybe_one {{.*}} inc 4, dim 2, unrolled of 0
// CHECK-SAME: inc 2, dim 2, unrolled of 0
// CHECK-SAME: main of 0
// CHECK-NOT: inc 3, dim 2
lir.kernel @maybe_one "marked" (%x: tensor<?x7x1xf32, #lir.sizes<?0+1>>, %y: tensor<1x7x48xf32>) -> tensor<?x1x48xf32, #lir.sizes<?0+1>> loops [#lir.loop<0, work ?0+1, inc 1, dim 2, jam 4>, #lir.loop<1, work 48, inc 16, dim 0, jam 2>, #lir.loop<2, work 7, inc 1, dim 1>] {
  %0 = lir.brgemm %x, %y {lir.loops = array<i64: 1, 0, 2>, lir.ports = [#lir.port<[?0+1, 7, 1], sub [1]>, #lir.port<[1, 7, 48], sub [16]>, #lir.port<[?0+1, 1, 48], sub [16]>]} : (tensor<?x7x1xf32, #lir.sizes<?0+1>>, tensor<1x7x48xf32>) -> tensor<?x1x48xf32, #lir.sizes<?0+1>>
  lir.result %0 {index = 0 : i64, lir.ports = [#lir.port<[?0+1, 1, 48], sub [16]>]} : tensor<?x1x48xf32, #lir.sizes<?0+1>>
}
