// RUN: snippets-opt %s -p 'lir-allocate-buffers,lir-validate-buffers' --split-input-file | filecheck %s
// RUN: snippets-opt %s -p 'lir-allocate-buffers{optimized=false},lir-validate-buffers' --split-input-file | filecheck %s --check-prefix=APART
// RUN: not snippets-opt %s -p 'lir-insert-specific-iterations,lir-allocate-buffers' --split-input-file 2>&1 | filecheck %s --check-prefix=STAGE

// STAGE: error: {{.*}}expected @fires at stage looped, found "expanded"

// %c over %b, %d over %c: one cluster of 84 bytes and one pointer for three buffers.
// CHECK-LABEL: @fires
// CHECK-SAME: lir.scratch = 128 : i64, lir.scratch_bound = 128 : i64
// CHECK: %b = lir.buffer {{.*}} {size = 84 : i64, reg_group = 0 : i64, cluster = 0 : i64, offset = 0 : i64,
// CHECK: %c = lir.buffer {{.*}} {size = 84 : i64, reg_group = 0 : i64, cluster = 0 : i64, offset = 0 : i64,
// CHECK: %d = lir.buffer {{.*}} {size = 84 : i64, reg_group = 0 : i64, cluster = 0 : i64, offset = 0 : i64,
// APART-LABEL: @fires
// APART-SAME: lir.scratch = 384 : i64
// APART-NOT: lir.scratch_bound
// APART: %b = lir.buffer {{.*}} {size = 84 : i64, reg_group = 0 : i64, cluster = 0 : i64, offset = 0 : i64,
// APART: %c = lir.buffer {{.*}} {size = 84 : i64, reg_group = 1 : i64, cluster = 1 : i64, offset = 128 : i64,
// APART: %d = lir.buffer {{.*}} {size = 84 : i64, reg_group = 2 : i64, cluster = 2 : i64, offset = 256 : i64,
lir.kernel @fires "looped" (%x: tensor<4x21xf32>) -> tensor<4x21xf32> loops [#lir.loop<0, work 4, inc 1, dim 1, parallel>, #lir.loop<1, work 21, inc 8, dim 0>, #lir.loop<2, work 21, inc 8, dim 0>, #lir.loop<3, work 21, inc 8, dim 0>, #lir.loop<4, work 21, inc 8, dim 0>] {
  lir.loop_begin 0
  lir.loop_begin 1
  %0 = lir.load %x {count = 8 : i64, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[4, 21], sub [8], loops [0: dim 1 ptr 21 fin -84, 1: dim 0 ptr 1 fin -21]>, #lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
  %1 = snippets.exp %0 {lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[4, 21], sub [8]>, #lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
  %2 = lir.store %1 {count = 8 : i64, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[4, 21], sub [8]>, #lir.port<[1, 21], sub [8], loops [0: dim 1 fixed, 1: dim 0 ptr 1 fin -21]>]} : tensor<4x21xf32>
  lir.loop_end 1
  %b = lir.buffer %2 {lir.loops = array<i64: 0>, lir.ports = [#lir.port<[1, 21], sub [8]>, #lir.port<[1, 21], sub [8]>]} : tensor<4x21xf32>
  lir.loop_begin 2
  %3 = lir.load %b {count = 8 : i64, lir.loops = array<i64: 0, 2>, lir.ports = [#lir.port<[1, 21], sub [8], loops [0: dim 1 fixed, 2: dim 0 ptr 1 fin -21]>, #lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
  %4 = snippets.abs %3 {lir.loops = array<i64: 0, 2>, lir.ports = [#lir.port<[4, 21], sub [8]>, #lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
  %5 = lir.store %4 {count = 8 : i64, lir.loops = array<i64: 0, 2>, lir.ports = [#lir.port<[4, 21], sub [8]>, #lir.port<[1, 21], sub [8], loops [0: dim 1 fixed, 2: dim 0 ptr 1 fin -21]>]} : tensor<4x21xf32>
  lir.loop_end 2
  %c = lir.buffer %5 {lir.loops = array<i64: 0>, lir.ports = [#lir.port<[1, 21], sub [8]>, #lir.port<[1, 21], sub [8]>]} : tensor<4x21xf32>
  lir.loop_begin 3
  %6 = lir.load %c {count = 8 : i64, lir.loops = array<i64: 0, 3>, lir.ports = [#lir.port<[1, 21], sub [8], loops [0: dim 1 fixed, 3: dim 0 ptr 1 fin -21]>, #lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
  %7 = snippets.abs %6 {lir.loops = array<i64: 0, 3>, lir.ports = [#lir.port<[4, 21], sub [8]>, #lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
  %8 = lir.store %7 {count = 8 : i64, lir.loops = array<i64: 0, 3>, lir.ports = [#lir.port<[4, 21], sub [8]>, #lir.port<[1, 21], sub [8], loops [0: dim 1 fixed, 3: dim 0 ptr 1 fin -21]>]} : tensor<4x21xf32>
  lir.loop_end 3
  %d = lir.buffer %8 {lir.loops = array<i64: 0>, lir.ports = [#lir.port<[1, 21], sub [8]>, #lir.port<[1, 21], sub [8]>]} : tensor<4x21xf32>
  lir.loop_begin 4
  %9 = lir.load %d {count = 8 : i64, lir.loops = array<i64: 0, 4>, lir.ports = [#lir.port<[1, 21], sub [8], loops [0: dim 1 fixed, 4: dim 0 ptr 1 fin -21]>, #lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
  %10 = snippets.negative %9 {lir.loops = array<i64: 0, 4>, lir.ports = [#lir.port<[4, 21], sub [8]>, #lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
  %11 = lir.store %10 {count = 8 : i64, lir.loops = array<i64: 0, 4>, lir.ports = [#lir.port<[4, 21], sub [8]>, #lir.port<[4, 21], sub [8], loops [0: dim 1 ptr 21 fin -84, 4: dim 0 ptr 1 fin -21]>]} : tensor<4x21xf32>
  lir.loop_end 4
  lir.loop_end 0
  lir.result %11 {index = 0 : i64, lir.ports = [#lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
}

// -----

// %b is read once more after %c is filled, so both are kept.
// CHECK-LABEL: @read_later
// CHECK-SAME: lir.scratch = 256 : i64, lir.scratch_bound = 256 : i64
// CHECK: %c = lir.buffer {{.*}}cluster = 1 : i64, offset = 128 : i64,
lir.kernel @read_later "looped" (%x: tensor<4x21xf32>) -> tensor<4x21xf32> loops [#lir.loop<0, work 4, inc 1, dim 1, parallel>, #lir.loop<1, work 21, inc 8, dim 0>, #lir.loop<2, work 21, inc 8, dim 0>, #lir.loop<3, work 21, inc 8, dim 0>] {
  lir.loop_begin 0
  lir.loop_begin 1
  %0 = lir.load %x {count = 8 : i64, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[4, 21], sub [8], loops [0: dim 1 ptr 21 fin -84, 1: dim 0 ptr 1 fin -21]>, #lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
  %1 = snippets.exp %0 {lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[4, 21], sub [8]>, #lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
  %2 = lir.store %1 {count = 8 : i64, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[4, 21], sub [8]>, #lir.port<[1, 21], sub [8], loops [0: dim 1 fixed, 1: dim 0 ptr 1 fin -21]>]} : tensor<4x21xf32>
  lir.loop_end 1
  %b = lir.buffer %2 {lir.loops = array<i64: 0>, lir.ports = [#lir.port<[1, 21], sub [8]>, #lir.port<[1, 21], sub [8]>]} : tensor<4x21xf32>
  lir.loop_begin 2
  %3 = lir.load %b {count = 8 : i64, lir.loops = array<i64: 0, 2>, lir.ports = [#lir.port<[1, 21], sub [8], loops [0: dim 1 fixed, 2: dim 0 ptr 1 fin -21]>, #lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
  %4 = snippets.abs %3 {lir.loops = array<i64: 0, 2>, lir.ports = [#lir.port<[4, 21], sub [8]>, #lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
  %5 = lir.store %4 {count = 8 : i64, lir.loops = array<i64: 0, 2>, lir.ports = [#lir.port<[4, 21], sub [8]>, #lir.port<[1, 21], sub [8], loops [0: dim 1 fixed, 2: dim 0 ptr 1 fin -21]>]} : tensor<4x21xf32>
  lir.loop_end 2
  %c = lir.buffer %5 {lir.loops = array<i64: 0>, lir.ports = [#lir.port<[1, 21], sub [8]>, #lir.port<[1, 21], sub [8]>]} : tensor<4x21xf32>
  lir.loop_begin 3
  %6 = lir.load %c {count = 8 : i64, lir.loops = array<i64: 0, 3>, lir.ports = [#lir.port<[1, 21], sub [8], loops [0: dim 1 fixed, 3: dim 0 ptr 1 fin -21]>, #lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
  %9 = lir.load %b {count = 8 : i64, lir.loops = array<i64: 0, 3>, lir.ports = [#lir.port<[1, 21], sub [8], loops [0: dim 1 fixed, 3: dim 0 ptr 1 fin -21]>, #lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
  %7 = snippets.add %6, %9 {lir.loops = array<i64: 0, 3>, lir.ports = [#lir.port<[4, 21], sub [8]>, #lir.port<[4, 21], sub [8]>, #lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
  %8 = lir.store %7 {count = 8 : i64, lir.loops = array<i64: 0, 3>, lir.ports = [#lir.port<[4, 21], sub [8]>, #lir.port<[4, 21], sub [8], loops [0: dim 1 ptr 21 fin -84, 3: dim 0 ptr 1 fin -21]>]} : tensor<4x21xf32>
  lir.loop_end 3
  lir.loop_end 0
  lir.result %8 {index = 0 : i64, lir.ports = [#lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
}

// -----

// No buffers, no scratchpad.
// CHECK-LABEL: @empty
// CHECK-NOT: lir.scratch
// APART-LABEL: @empty
// APART-NOT: lir.scratch
lir.kernel @empty "looped" (%x: tensor<4x21xf32>) -> tensor<4x21xf32> loops [#lir.loop<0, work 4, inc 1, dim 1, parallel>, #lir.loop<1, work 21, inc 8, dim 0>] {
  lir.loop_begin 0
  lir.loop_begin 1
  %0 = lir.load %x {count = 8 : i64, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[4, 21], sub [8], loops [0: dim 1 ptr 21 fin -84, 1: dim 0 ptr 1 fin -21]>, #lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
  %1 = lir.store %0 {count = 8 : i64, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[4, 21], sub [8]>, #lir.port<[4, 21], sub [8], loops [0: dim 1 ptr 21 fin -84, 1: dim 0 ptr 1 fin -21]>]} : tensor<4x21xf32>
  lir.loop_end 1
  lir.loop_end 0
  lir.result %1 {index = 0 : i64, lir.ports = [#lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
}
