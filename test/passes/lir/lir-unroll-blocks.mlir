// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx2},lir-unroll{factor=4}' --split-input-file | filecheck %s

// Blocks of 128 of 1376 elements have 128 or 96: iterations of 4 leave nothing.
// CHECK-LABEL: @none_left
// CHECK-SAME: #lir.loop<2, work 128, inc 4, dim 1, inner of 0, unrolled of 1>]
// CHECK: lir.loop_end 2
// CHECK-NEXT: lir.loop_end 0
lir.kernel @none_left "looped" (%a: tensor<1376x1xf32>) -> tensor<1376x1xf32> loops [#lir.loop<0, work 1376, inc 128, dim 1>, #lir.loop<1, work 128, inc 1, dim 1, inner of 0>] {
  lir.loop_begin 0
  lir.loop_begin 1
  %0 = lir.load %a {count = 1 : i64, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[1376, 1], sub [1], loops [0: dim 1 ptr 1 fin -1376, 1: dim 1 ptr 1 fin -128]>, #lir.port<[1376, 1], sub [1]>]} : tensor<1376x1xf32>
  %1 = snippets.abs %0 {lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[1376, 1], sub [1]>, #lir.port<[1376, 1], sub [1]>]} : tensor<1376x1xf32>
  %2 = lir.store %1 {count = 1 : i64, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[1376, 1], sub [1]>, #lir.port<[1376, 1], sub [1], loops [0: dim 1 ptr 1 fin -1376, 1: dim 1 ptr 1 fin -128]>]} : tensor<1376x1xf32>
  lir.loop_end 1
  lir.loop_end 0
  lir.result %2 {index = 0 : i64, lir.ports = [#lir.port<[1376, 1], sub [1]>]} : tensor<1376x1xf32>
}

// -----

// Does not fire: the last block of 1378 has 98, which leaves 2.
// CHECK-LABEL: @some_left
// CHECK-SAME: #lir.loop<2, work 128, inc 4, dim 1, inner of 0, unrolled of 1>, #lir.loop<3, work 0, inc 1, dim 1, inner of 0, main of 1>]
// CHECK: lir.loop_end 2
// CHECK-NEXT: lir.loop_begin 3
lir.kernel @some_left "looped" (%a: tensor<1378x1xf32>) -> tensor<1378x1xf32> loops [#lir.loop<0, work 1378, inc 128, dim 1>, #lir.loop<1, work 128, inc 1, dim 1, inner of 0>] {
  lir.loop_begin 0
  lir.loop_begin 1
  %0 = lir.load %a {count = 1 : i64, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[1378, 1], sub [1], loops [0: dim 1 ptr 1 fin -1378, 1: dim 1 ptr 1 fin -128]>, #lir.port<[1378, 1], sub [1]>]} : tensor<1378x1xf32>
  %1 = snippets.abs %0 {lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[1378, 1], sub [1]>, #lir.port<[1378, 1], sub [1]>]} : tensor<1378x1xf32>
  %2 = lir.store %1 {count = 1 : i64, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[1378, 1], sub [1]>, #lir.port<[1378, 1], sub [1], loops [0: dim 1 ptr 1 fin -1378, 1: dim 1 ptr 1 fin -128]>]} : tensor<1378x1xf32>
  lir.loop_end 1
  lir.loop_end 0
  lir.result %2 {index = 0 : i64, lir.ports = [#lir.port<[1378, 1], sub [1]>]} : tensor<1378x1xf32>
}
