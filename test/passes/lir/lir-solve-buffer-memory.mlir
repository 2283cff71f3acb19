// RUN: snippets-opt %s -p 'lir-solve-buffer-memory' --split-input-file | filecheck %s

// Clusters 0 and 2 are never alive together; 84 bytes are rounded up to 128, and two are alive at a time.
// CHECK-LABEL: @fires
// CHECK-SAME: lir.scratch = 256 : i64, lir.scratch_bound = 256 : i64
// CHECK: %b = lir.buffer {{.*}}offset = 0
// CHECK: %c = lir.buffer {{.*}}offset = 128
// CHECK: %d = lir.buffer {{.*}}offset = 0
lir.kernel @fires "looped" (%x: tensor<4x21xf32>) -> tensor<4x21xf32> loops [#lir.loop<0, work 4, inc 1, dim 1, parallel>, #lir.loop<1, work 21, inc 8, dim 0>, #lir.loop<2, work 21, inc 8, dim 0>, #lir.loop<3, work 21, inc 8, dim 0>, #lir.loop<4, work 21, inc 8, dim 0>] {
  lir.loop_begin 0
  lir.loop_begin 1
  %0 = lir.load %x {count = 8 : i64, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[4, 21], sub [8], loops [0: dim 1 ptr 21 fin -84, 1: dim 0 ptr 1 fin -21]>, #lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
  %1 = snippets.exp %0 {lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[4, 21], sub [8]>, #lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
  %2 = lir.store %1 {count = 8 : i64, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[4, 21], sub [8]>, #lir.port<[1, 21], sub [8], loops [0: dim 1 fixed, 1: dim 0 ptr 1 fin -21]>]} : tensor<4x21xf32>
  lir.loop_end 1
  %b = lir.buffer %2 {size = 84 : i64, reg_group = 0 : i64, cluster = 0 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[1, 21], sub [8]>, #lir.port<[1, 21], sub [8]>]} : tensor<4x21xf32>
  lir.loop_begin 2
  %3 = lir.load %b {count = 8 : i64, lir.loops = array<i64: 0, 2>, lir.ports = [#lir.port<[1, 21], sub [8], loops [0: dim 1 fixed, 2: dim 0 ptr 1 fin -21]>, #lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
  %4 = snippets.abs %3 {lir.loops = array<i64: 0, 2>, lir.ports = [#lir.port<[4, 21], sub [8]>, #lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
  %5 = lir.store %4 {count = 8 : i64, lir.loops = array<i64: 0, 2>, lir.ports = [#lir.port<[4, 21], sub [8]>, #lir.port<[1, 21], sub [8], loops [0: dim 1 fixed, 2: dim 0 ptr 1 fin -21]>]} : tensor<4x21xf32>
  lir.loop_end 2
  %c = lir.buffer %5 {size = 84 : i64, reg_group = 0 : i64, cluster = 1 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[1, 21], sub [8]>, #lir.port<[1, 21], sub [8]>]} : tensor<4x21xf32>
  lir.loop_begin 3
  %6 = lir.load %c {count = 8 : i64, lir.loops = array<i64: 0, 3>, lir.ports = [#lir.port<[1, 21], sub [8], loops [0: dim 1 fixed, 3: dim 0 ptr 1 fin -21]>, #lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
  %7 = snippets.abs %6 {lir.loops = array<i64: 0, 3>, lir.ports = [#lir.port<[4, 21], sub [8]>, #lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
  %8 = lir.store %7 {count = 8 : i64, lir.loops = array<i64: 0, 3>, lir.ports = [#lir.port<[4, 21], sub [8]>, #lir.port<[1, 21], sub [8], loops [0: dim 1 fixed, 3: dim 0 ptr 1 fin -21]>]} : tensor<4x21xf32>
  lir.loop_end 3
  %d = lir.buffer %8 {size = 84 : i64, reg_group = 0 : i64, cluster = 2 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[1, 21], sub [8]>, #lir.port<[1, 21], sub [8]>]} : tensor<4x21xf32>
  lir.loop_begin 4
  %9 = lir.load %d {count = 8 : i64, lir.loops = array<i64: 0, 4>, lir.ports = [#lir.port<[1, 21], sub [8], loops [0: dim 1 fixed, 4: dim 0 ptr 1 fin -21]>, #lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
  %10 = snippets.negative %9 {lir.loops = array<i64: 0, 4>, lir.ports = [#lir.port<[4, 21], sub [8]>, #lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
  %11 = lir.store %10 {count = 8 : i64, lir.loops = array<i64: 0, 4>, lir.ports = [#lir.port<[4, 21], sub [8]>, #lir.port<[4, 21], sub [8], loops [0: dim 1 ptr 21 fin -84, 4: dim 0 ptr 1 fin -21]>]} : tensor<4x21xf32>
  lir.loop_end 4
  lir.loop_end 0
  lir.result %11 {index = 0 : i64, lir.ports = [#lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
}

// -----

// Buffers of one cluster get one offset.
// CHECK-LABEL: @cluster
// CHECK-SAME: lir.scratch = 128 : i64
// CHECK: %b = lir.buffer {{.*}}offset = 0
// CHECK: %c = lir.buffer {{.*}}offset = 0
lir.kernel @cluster "looped" (%x: tensor<4x21xf32>) -> tensor<4x21xf32> loops [#lir.loop<0, work 4, inc 1, dim 1, parallel>, #lir.loop<1, work 21, inc 8, dim 0>, #lir.loop<2, work 21, inc 8, dim 0>, #lir.loop<3, work 21, inc 8, dim 0>] {
  lir.loop_begin 0
  lir.loop_begin 1
  %0 = lir.load %x {count = 8 : i64, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[4, 21], sub [8], loops [0: dim 1 ptr 21 fin -84, 1: dim 0 ptr 1 fin -21]>, #lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
  %1 = snippets.exp %0 {lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[4, 21], sub [8]>, #lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
  %2 = lir.store %1 {count = 8 : i64, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[4, 21], sub [8]>, #lir.port<[1, 21], sub [8], loops [0: dim 1 fixed, 1: dim 0 ptr 1 fin -21]>]} : tensor<4x21xf32>
  lir.loop_end 1
  %b = lir.buffer %2 {size = 84 : i64, reg_group = 0 : i64, cluster = 0 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[1, 21], sub [8]>, #lir.port<[1, 21], sub [8]>]} : tensor<4x21xf32>
  lir.loop_begin 2
  %3 = lir.load %b {count = 8 : i64, lir.loops = array<i64: 0, 2>, lir.ports = [#lir.port<[1, 21], sub [8], loops [0: dim 1 fixed, 2: dim 0 ptr 1 fin -21]>, #lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
  %4 = snippets.abs %3 {lir.loops = array<i64: 0, 2>, lir.ports = [#lir.port<[4, 21], sub [8]>, #lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
  %5 = lir.store %4 {count = 8 : i64, lir.loops = array<i64: 0, 2>, lir.ports = [#lir.port<[4, 21], sub [8]>, #lir.port<[1, 21], sub [8], loops [0: dim 1 fixed, 2: dim 0 ptr 1 fin -21]>]} : tensor<4x21xf32>
  lir.loop_end 2
  %c = lir.buffer %5 {size = 84 : i64, reg_group = 0 : i64, cluster = 0 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[1, 21], sub [8]>, #lir.port<[1, 21], sub [8]>]} : tensor<4x21xf32>
  lir.loop_begin 3
  %6 = lir.load %c {count = 8 : i64, lir.loops = array<i64: 0, 3>, lir.ports = [#lir.port<[1, 21], sub [8], loops [0: dim 1 fixed, 3: dim 0 ptr 1 fin -21]>, #lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
  %7 = snippets.negative %6 {lir.loops = array<i64: 0, 3>, lir.ports = [#lir.port<[4, 21], sub [8]>, #lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
  %8 = lir.store %7 {count = 8 : i64, lir.loops = array<i64: 0, 3>, lir.ports = [#lir.port<[4, 21], sub [8]>, #lir.port<[4, 21], sub [8], loops [0: dim 1 ptr 21 fin -84, 3: dim 0 ptr 1 fin -21]>]} : tensor<4x21xf32>
  lir.loop_end 3
  lir.loop_end 0
  lir.result %8 {index = 0 : i64, lir.ports = [#lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
}

// -----

// Nothing to place.
// CHECK-LABEL: @empty
// CHECK-NOT: lir.scratch
lir.kernel @empty "looped" (%x: tensor<4x21xf32>) -> tensor<4x21xf32> loops [#lir.loop<0, work 4, inc 1, dim 1, parallel>, #lir.loop<1, work 21, inc 8, dim 0>] {
  lir.loop_begin 0
  lir.loop_begin 1
  %0 = lir.load %x {count = 8 : i64, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[4, 21], sub [8], loops [0: dim 1 ptr 21 fin -84, 1: dim 0 ptr 1 fin -21]>, #lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
  %1 = lir.store %0 {count = 8 : i64, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[4, 21], sub [8]>, #lir.port<[4, 21], sub [8], loops [0: dim 1 ptr 21 fin -84, 1: dim 0 ptr 1 fin -21]>]} : tensor<4x21xf32>
  lir.loop_end 1
  lir.loop_end 0
  lir.result %1 {index = 0 : i64, lir.ports = [#lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
}
