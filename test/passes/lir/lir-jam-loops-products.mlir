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
