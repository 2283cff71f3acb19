// RUN: snippets-opt %s -p 'lir-validate-shapes,lir-validate-unified-loops' --split-input-file | filecheck %s
// RUN: snippets-opt %s --split-input-file | filecheck %s

// A transposed input, one element of a row, an immediate: all fit; nothing changes.
// CHECK-LABEL: @right
// CHECK: lir.load %t {{.*}}layout [1, 0]
// CHECK: snippets.broadcast_move
// CHECK: snippets.multiply
// CHECK: lir.result
lir.kernel @right "accessed" (%x: tensor<16x4xf32>, %y: tensor<4x1xf32>) -> tensor<4x16xf32> loops [#lir.loop<0, work 4, inc 1, dim 1, parallel>, #lir.loop<1, work 16, inc 8, dim 0>] {
  %c = snippets.scalar 2.0 : f32 {lir.loops = array<i64>, lir.ports = [#lir.port<[1, 1], sub [1]>]}
  %t = snippets.transpose %x {permutation = array<i64: 1, 0>, lir.loops = array<i64>, lir.ports = [#lir.port<[16, 4]>, #lir.port<[4, 16]>]} : (tensor<16x4xf32>) -> tensor<4x16xf32>
  %0 = lir.load %t {count = 8 : i64, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[4, 16], layout [1, 0], sub [8]>, #lir.port<[4, 16], sub [8]>]} : tensor<4x16xf32>
  %1 = lir.load %y {count = 1 : i64, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[4, 1], sub [1]>, #lir.port<[4, 1], sub [1]>]} : tensor<4x1xf32>
  %2 = snippets.broadcast_move %1 {lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[4, 1], sub [1]>, #lir.port<[4, 16], sub [8]>]} : (tensor<4x1xf32>) -> tensor<4x16xf32>
  %3 = snippets.add %0, %2 {lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[4, 16], sub [8]>, #lir.port<[4, 16], sub [8]>, #lir.port<[4, 16], sub [8]>]} : tensor<4x16xf32>
  %4 = snippets.multiply %3, %c {lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[4, 16], sub [8]>, #lir.port<[1, 1], sub [1]>, #lir.port<[4, 16], sub [8]>]} : (tensor<4x16xf32>, tensor<f32>) -> tensor<4x16xf32>
  %5 = lir.store %4 {count = 8 : i64, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[4, 16], sub [8]>, #lir.port<[4, 16], sub [8]>]} : tensor<4x16xf32>
  lir.result %5 {index = 0 : i64, lir.ports = [#lir.port<[4, 16], sub [8]>]} : tensor<4x16xf32>
}
