// RUN: snippets-opt %s -p 'lir-clean-repeated-data-pointer-shifts' --disable-verify --verify-diagnostics

// Two accesses of one input that do not agree on its rows.
lir.kernel @disagree "looped" (%x: tensor<4x21xf32>) -> (tensor<4x21xf32>, tensor<4x21xf32>) loops [#lir.loop<0, work 4, inc 1, dim 1, parallel>, #lir.loop<1, work 21, inc 8, dim 0>] {
  lir.loop_begin 0
  lir.loop_begin 1
  %0 = lir.load %x {count = 8 : i64, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[4, 21], sub [8], loops [0: dim 1 ptr 21 fin -84, 1: dim 0 ptr 1 fin -21]>, #lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
  %1 = lir.store %0 {count = 8 : i64, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[4, 21], sub [8]>, #lir.port<[4, 21], sub [8], loops [0: dim 1 ptr 21 fin -84, 1: dim 0 ptr 1 fin -21]>]} : tensor<4x21xf32>
  // expected-error@+1 {{expected the accesses of one pointer to move it alike in loop 0, found (84, -336) and (80, -320) bytes}}
  %2 = lir.load %x {count = 8 : i64, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[4, 21], sub [8], loops [0: dim 1 ptr 20 fin -80, 1: dim 0 ptr 1 fin -21]>, #lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
  %3 = lir.store %2 {count = 8 : i64, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[4, 21], sub [8]>, #lir.port<[4, 21], sub [8], loops [0: dim 1 ptr 21 fin -84, 1: dim 0 ptr 1 fin -21]>]} : tensor<4x21xf32>
  lir.loop_end 1
  lir.loop_end 0
  lir.result %1 {index = 0 : i64, lir.ports = [#lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
  lir.result %3 {index = 1 : i64, lir.ports = [#lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
}
