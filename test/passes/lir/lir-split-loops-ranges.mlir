// RUN: snippets-opt %s -p lir-split-loops --split-input-file | filecheck %s

// A range of up to 16384 terms: blocks of 64, and one level for these.
// CHECK-LABEL: @product
// CHECK-SAME: #lir.loop<2, work ?0, inc 64, dim 1>, #lir.loop<3, work 64, inc 1, dim 1, inner of 2>]
module attributes {snippets.size_ranges = [[#snippets.size<?0 : i64>, 0 : i64, 4097 : i64]]} {
lir.kernel @product "marked" (%x: tensor<4x?x1xf32, #lir.sizes<?0>>, %y: tensor<1x?x16xf32, #lir.sizes<?0>>) -> tensor<4x1x16xf32> loops [#lir.loop<0, work 4, inc 1, dim 2>, #lir.loop<1, work 16, inc 16, dim 0>, #lir.loop<2, work ?0, inc 1, dim 1>] {
  %0 = lir.brgemm %x, %y {lir.loops = array<i64: 0, 1, 2>, lir.ports = [#lir.port<[4, ?0, 1], sub [1]>, #lir.port<[1, ?0, 16], sub [16]>, #lir.port<[4, 1, 16], sub [16]>]} : (tensor<4x?x1xf32, #lir.sizes<?0>>, tensor<1x?x16xf32, #lir.sizes<?0>>) -> tensor<4x1x16xf32>
  lir.result %0 {index = 0 : i64, lir.ports = [#lir.port<[4, 1, 16], sub [16]>]} : tensor<4x1x16xf32>
}
}

// -----

// Blocks of 256 vectors of a sum, and one level for these.
// CHECK-LABEL: @sum
// CHECK-SAME: #lir.loop<1, work ?0, inc 4096, dim 0>, #lir.loop<2, work 4096, inc 16, dim 0, inner of 1>]
module attributes {snippets.size_ranges = [[#snippets.size<?0 : i64>, 0 : i64, 2049 : i64]]} {
lir.kernel @sum "marked" (%x: tensor<4x?xf32, #lir.sizes<?0>>) -> tensor<4x1xf32> loops [#lir.loop<0, work 4, inc 1, dim 1>, #lir.loop<1, work ?0, inc 16, dim 0>] {
  %0 = lir.fill %x {offset = 16 : i64, value = 0.0 : f32, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[4, ?0], sub [16]>, #lir.port<[4, ?0], sub [16]>]} : tensor<4x?xf32, #lir.sizes<?0>>
  %1 = lir.accumulate %0 {kind = "sum", lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[4, ?0], sub [16]>, #lir.port<[4, 16], sub [16]>]} : tensor<4x?xf32, #lir.sizes<?0>>
  %2 = lir.horizon %1 {kind = "sum", lir.loops = array<i64: 0>, lir.ports = [#lir.port<[4, 16], sub [16]>, #lir.port<[4, 1], sub [1]>]} : (tensor<4x?xf32, #lir.sizes<?0>>) -> tensor<4x1xf32>
  lir.result %2 {index = 0 : i64, lir.ports = [#lir.port<[4, 1], sub [1]>]} : tensor<4x1xf32>
}
}

// -----

// Does not fire: the range has more terms.
// CHECK-LABEL: @product
// CHECK-SAME: #lir.loop<2, work ?0, inc 16384, dim 1>, #lir.loop<3, work 64, inc 1, dim 1, inner of 4>, #lir.loop<4, work 16384, inc 64, dim 1, inner of 2>]
module attributes {snippets.size_ranges = [[#snippets.size<?0 : i64>, 2049 : i64, 16386 : i64]]} {
lir.kernel @product "marked" (%x: tensor<4x?x1xf32, #lir.sizes<?0>>, %y: tensor<1x?x16xf32, #lir.sizes<?0>>) -> tensor<4x1x16xf32> loops [#lir.loop<0, work 4, inc 1, dim 2>, #lir.loop<1, work 16, inc 16, dim 0>, #lir.loop<2, work ?0, inc 1, dim 1>] {
  %0 = lir.brgemm %x, %y {lir.loops = array<i64: 0, 1, 2>, lir.ports = [#lir.port<[4, ?0, 1], sub [1]>, #lir.port<[1, ?0, 16], sub [16]>, #lir.port<[4, 1, 16], sub [16]>]} : (tensor<4x?x1xf32, #lir.sizes<?0>>, tensor<1x?x16xf32, #lir.sizes<?0>>) -> tensor<4x1x16xf32>
  lir.result %0 {index = 0 : i64, lir.ports = [#lir.port<[4, 1, 16], sub [16]>]} : tensor<4x1x16xf32>
}
}

// -----

// Does not fire: the range has no end, or is that of another size.
// CHECK-LABEL: @sum
// CHECK-SAME: #lir.loop<1, work ?0, inc 268435456, dim 0>
module attributes {snippets.size_ranges = [[#snippets.size<?0 : i64>, 4097 : i64], [#snippets.size<?1 : i64>, 0 : i64, 32 : i64]]} {
lir.kernel @sum "marked" (%x: tensor<4x?xf32, #lir.sizes<?0>>) -> tensor<4x1xf32> loops [#lir.loop<0, work 4, inc 1, dim 1>, #lir.loop<1, work ?0, inc 16, dim 0>] {
  %0 = lir.fill %x {offset = 16 : i64, value = 0.0 : f32, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[4, ?0], sub [16]>, #lir.port<[4, ?0], sub [16]>]} : tensor<4x?xf32, #lir.sizes<?0>>
  %1 = lir.accumulate %0 {kind = "sum", lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[4, ?0], sub [16]>, #lir.port<[4, 16], sub [16]>]} : tensor<4x?xf32, #lir.sizes<?0>>
  %2 = lir.horizon %1 {kind = "sum", lir.loops = array<i64: 0>, lir.ports = [#lir.port<[4, 16], sub [16]>, #lir.port<[4, 1], sub [1]>]} : (tensor<4x?xf32, #lir.sizes<?0>>) -> tensor<4x1xf32>
  lir.result %2 {index = 0 : i64, lir.ports = [#lir.port<[4, 1], sub [1]>]} : tensor<4x1xf32>
}
}
