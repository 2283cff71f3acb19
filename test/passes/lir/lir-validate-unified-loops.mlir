// RUN: snippets-opt %s -p 'lir-validate-unified-loops' --split-input-file | filecheck %s
// RUN: snippets-opt %s --split-input-file | filecheck %s

// A block of 16 at a time, in steps of 8; a store for each row after it.
// CHECK-LABEL: @blocks
// CHECK: lir.load %x {count = 8 : i64, lir.loops = array<i64: 0, 1>
// CHECK: lir.result
lir.kernel @blocks "accessed" (%x: tensor<21xf32>) -> tensor<21xf32> loops [#lir.loop<0, work 21, inc 16, dim 0>, #lir.loop<1, work 16, inc 8, dim 0, inner of 0>] {
  %0 = lir.load %x {count = 8 : i64, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[21], sub [8]>, #lir.port<[21], sub [8]>]} : tensor<21xf32>
  %1 = snippets.relu %0 {lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[21], sub [8]>, #lir.port<[21], sub [8]>]} : tensor<21xf32>
  %2 = lir.store %1 {count = 8 : i64, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[21], sub [8]>, #lir.port<[21], sub [8]>]} : tensor<21xf32>
  lir.result %2 {index = 0 : i64, lir.ports = [#lir.port<[21], sub [8]>]} : tensor<21xf32>
}

// -----

// The loop that a buffer lives in does not count: the buffer has size 1 there.
// CHECK-LABEL: @buffer
// CHECK: lir.buffer
// CHECK: lir.load
// CHECK: lir.result
lir.kernel @buffer "accessed" (%x: tensor<4x16xf32>) -> tensor<4x16xf32> loops [#lir.loop<0, work 4, inc 1, dim 1, parallel>, #lir.loop<1, work 16, inc 8, dim 0>, #lir.loop<2, work 16, inc 8, dim 0>] {
  %0 = lir.load %x {count = 8 : i64, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[4, 16], sub [8]>, #lir.port<[4, 16], sub [8]>]} : tensor<4x16xf32>
  %1 = lir.store %0 {count = 8 : i64, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[4, 16], sub [8]>, #lir.port<[1, 16], sub [8]>]} : tensor<4x16xf32>
  %b = lir.buffer %1 {lir.loops = array<i64: 0>, lir.ports = [#lir.port<[1, 16], sub [8]>, #lir.port<[1, 16], sub [8]>]} : tensor<4x16xf32>
  %2 = lir.load %b {count = 8 : i64, lir.loops = array<i64: 0, 2>, lir.ports = [#lir.port<[1, 16], sub [8]>, #lir.port<[4, 16], sub [8]>]} : tensor<4x16xf32>
  %3 = lir.store %2 {count = 8 : i64, lir.loops = array<i64: 0, 2>, lir.ports = [#lir.port<[4, 16], sub [8]>, #lir.port<[4, 16], sub [8]>]} : tensor<4x16xf32>
  lir.result %3 {index = 0 : i64, lir.ports = [#lir.port<[4, 16], sub [8]>]} : tensor<4x16xf32>
}
