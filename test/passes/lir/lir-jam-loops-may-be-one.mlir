// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx512},lir-insert-load-store,lir-insert-broadcast-move,lir-load-move-broadcast-to-broadcast-load,lir-init-loops,lir-insert-loops,lir-jam-loops' | filecheck %s

// Rows of an ONNX model, which may be one: six, then two, then one.
module attributes {snippets.may_be_one} {
// CHECK: lir.kernel @rows_of_onnx
// CHECK-SAME: inc 6, dim 2, unrolled of 0>
// CHECK-SAME: #lir.loop<[[TWO:[0-9]+]], work ?0, inc 2, dim 2, unrolled of 0>
// CHECK-SAME: #lir.loop<[[ONE:[0-9]+]], work ?0, inc 1, dim 2, main of 0>
// CHECK: lir.loop_begin [[TWO]]
// CHECK-COUNT-2: lir.broadcast_load
// CHECK-NOT: lir.broadcast_load
// CHECK: lir.loop_end [[TWO]]
// CHECK: lir.loop_begin [[ONE]]
lir.kernel @rows_of_onnx "marked" (%x: tensor<?x7x1xf32, #lir.sizes<?0>>, %y: tensor<1x7x48xf32>) -> tensor<?x1x48xf32, #lir.sizes<?0>> loops [#lir.loop<0, work ?0, inc 1, dim 2, jam 6>, #lir.loop<1, work 48, inc 16, dim 0, jam 2>, #lir.loop<2, work 7, inc 1, dim 1>] {
  %0 = lir.brgemm %x, %y {lir.loops = array<i64: 1, 0, 2>, lir.ports = [#lir.port<[?0, 7, 1], sub [1]>, #lir.port<[1, 7, 48], sub [16]>, #lir.port<[?0, 1, 48], sub [16]>]} : (tensor<?x7x1xf32, #lir.sizes<?0>>, tensor<1x7x48xf32>) -> tensor<?x1x48xf32, #lir.sizes<?0>>
  lir.result %0 {index = 0 : i64, lir.ports = [#lir.port<[?0, 1, 48], sub [16]>]} : tensor<?x1x48xf32, #lir.sizes<?0>>
}

// Twin: a tile of two leaves one row.
// CHECK: lir.kernel @two {{.*}} inc 2, dim 2, unrolled of 0>, #lir.loop<{{[0-9]+}}, work ?0, inc 1, dim 2, main of 0
lir.kernel @two "marked" (%x: tensor<?x7x1xf32, #lir.sizes<?0>>, %y: tensor<1x7x48xf32>) -> tensor<?x1x48xf32, #lir.sizes<?0>> loops [#lir.loop<0, work ?0, inc 1, dim 2, jam 2>, #lir.loop<1, work 48, inc 16, dim 0, jam 2>, #lir.loop<2, work 7, inc 1, dim 1>] {
  %0 = lir.brgemm %x, %y {lir.loops = array<i64: 1, 0, 2>, lir.ports = [#lir.port<[?0, 7, 1], sub [1]>, #lir.port<[1, 7, 48], sub [16]>, #lir.port<[?0, 1, 48], sub [16]>]} : (tensor<?x7x1xf32, #lir.sizes<?0>>, tensor<1x7x48xf32>) -> tensor<?x1x48xf32, #lir.sizes<?0>>
  lir.result %0 {index = 0 : i64, lir.ports = [#lir.port<[?0, 1, 48], sub [16]>]} : tensor<?x1x48xf32, #lir.sizes<?0>>
}

// Twin: an odd tile has no part of two.
// CHECK: lir.kernel @odd_tile {{.*}} inc 5, dim 2, unrolled of 0
// CHECK-SAME: inc 1, dim 2, main of 0
// CHECK-NOT: inc 2, dim 2
lir.kernel @odd_tile "marked" (%x: tensor<?x7x1xf32, #lir.sizes<?0>>, %y: tensor<1x7x48xf32>) -> tensor<?x1x48xf32, #lir.sizes<?0>> loops [#lir.loop<0, work ?0, inc 1, dim 2, jam 5>, #lir.loop<1, work 48, inc 16, dim 0, jam 2>, #lir.loop<2, work 7, inc 1, dim 1>] {
  %0 = lir.brgemm %x, %y {lir.loops = array<i64: 1, 0, 2>, lir.ports = [#lir.port<[?0, 7, 1], sub [1]>, #lir.port<[1, 7, 48], sub [16]>, #lir.port<[?0, 1, 48], sub [16]>]} : (tensor<?x7x1xf32, #lir.sizes<?0>>, tensor<1x7x48xf32>) -> tensor<?x1x48xf32, #lir.sizes<?0>>
  lir.result %0 {index = 0 : i64, lir.ports = [#lir.port<[?0, 1, 48], sub [16]>]} : tensor<?x1x48xf32, #lir.sizes<?0>>
}
}
