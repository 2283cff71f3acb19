// RUN: snippets-opt %s -p lir-split-loops --split-input-file | filecheck %s

// Any number of terms of a product: blocks of 64, and of 256 of these; no level more.
// CHECK-LABEL: @product
// CHECK-SAME: loops [#lir.loop<0, work 4, inc 1, dim 2>, #lir.loop<1, work 16, inc 16, dim 0>, #lir.loop<2, work ?0, inc 16384, dim 1>, #lir.loop<3, work 64, inc 1, dim 1, inner of 4>, #lir.loop<4, work 16384, inc 64, dim 1, inner of 2>]
lir.kernel @product "marked" (%x: tensor<4x?x1xf32, #lir.sizes<?0>>, %y: tensor<1x?x16xf32, #lir.sizes<?0>>) -> tensor<4x1x16xf32> loops [#lir.loop<0, work 4, inc 1, dim 2>, #lir.loop<1, work 16, inc 16, dim 0>, #lir.loop<2, work ?0, inc 1, dim 1>] {
  %0 = lir.brgemm %x, %y {lir.loops = array<i64: 0, 1, 2>, lir.ports = [#lir.port<[4, ?0, 1], sub [1]>, #lir.port<[1, ?0, 16], sub [16]>, #lir.port<[4, 1, 16], sub [16]>]} : (tensor<4x?x1xf32, #lir.sizes<?0>>, tensor<1x?x16xf32, #lir.sizes<?0>>) -> tensor<4x1x16xf32>
  lir.result %0 {index = 0 : i64, lir.ports = [#lir.port<[4, 1, 16], sub [16]>]} : tensor<4x1x16xf32>
}

// -----

// Does not fire: a sum of any length has a level more.
// CHECK-LABEL: @sum
// CHECK-SAME: loops [#lir.loop<0, work 4, inc 1, dim 1>, #lir.loop<1, work ?0, inc 268435456, dim 0>, #lir.loop<2, {{.*}}inc 16, dim 0, {{.*}}inc 4096, dim 0, {{.*}}inc 1048576, dim 0,
lir.kernel @sum "marked" (%x: tensor<4x?xf32, #lir.sizes<?0>>) -> tensor<4x1xf32> loops [#lir.loop<0, work 4, inc 1, dim 1>, #lir.loop<1, work ?0, inc 16, dim 0>] {
  %0 = lir.fill %x {offset = 16 : i64, value = 0.0 : f32, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[4, ?0], sub [16]>, #lir.port<[4, ?0], sub [16]>]} : tensor<4x?xf32, #lir.sizes<?0>>
  %1 = lir.accumulate %0 {kind = "sum", lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[4, ?0], sub [16]>, #lir.port<[4, 16], sub [16]>]} : tensor<4x?xf32, #lir.sizes<?0>>
  %2 = lir.horizon %1 {kind = "sum", lir.loops = array<i64: 0>, lir.ports = [#lir.port<[4, 16], sub [16]>, #lir.port<[4, 1], sub [1]>]} : (tensor<4x?xf32, #lir.sizes<?0>>) -> tensor<4x1xf32>
  lir.result %2 {index = 0 : i64, lir.ports = [#lir.port<[4, 1], sub [1]>]} : tensor<4x1xf32>
}
