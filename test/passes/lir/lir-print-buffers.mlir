// RUN: snippets-opt %s -p 'lir-print-buffers,lir-allocate-buffers,lir-print-buffers' | filecheck %s
// RUN: snippets-opt %s -p 'lir-place-buffers-in-outputs{least=0},lir-allocate-buffers,lir-print-buffers' | filecheck %s --check-prefix=PLACED

// PLACED: kernel @row: 4 loops, 2 buffers, 0 bytes of scratchpad a thread
// PLACED: buffer 0: 84 bytes in output 0, in loops 0, alive 1 to 11
// PLACED-NEXT: buffer 1: 84 bytes in output 0, in loops 0, alive 7 to 17

// Nothing is decided yet.
// CHECK: kernel @row: 4 loops, 2 buffers, 0 bytes of scratchpad a thread
// CHECK-NEXT: loop 0: work 4 step 1 dim 1 parallel
// CHECK-NEXT: loop 1: work 21 step 8 dim 0, in 0
// CHECK-NEXT: loop 2: work 21 step 8 dim 0, in 0
// CHECK-NEXT: loop 3: work 21 step 8 dim 0, in 0
// CHECK-NEXT: buffer 0: ? bytes at ?, cluster ?, register group ?, in loops 0, alive 1 to 11
// CHECK-NEXT: buffer 1: ? bytes at ?, cluster ?, register group ?, in loops 0, alive 7 to 17
// Then it is.
// CHECK-NEXT: kernel @row: 4 loops, 2 buffers, 128 bytes of scratchpad a thread, 128 at least
// CHECK: buffer 0: 84 bytes at 0, cluster 0, register group 0, in loops 0, alive 1 to 11
// CHECK-NEXT: buffer 1: 84 bytes at 0, cluster 0, register group 0, in loops 0, alive 7 to 17
// CHECK-NEXT: builtin.module
lir.kernel @row "looped" (%x: tensor<4x21xf32>) -> tensor<4x21xf32> loops [#lir.loop<0, work 4, inc 1, dim 1, parallel>, #lir.loop<1, work 21, inc 8, dim 0>, #lir.loop<2, work 21, inc 8, dim 0>, #lir.loop<3, work 21, inc 8, dim 0>] {
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
  %7 = snippets.negative %6 {lir.loops = array<i64: 0, 3>, lir.ports = [#lir.port<[4, 21], sub [8]>, #lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
  %8 = lir.store %7 {count = 8 : i64, lir.loops = array<i64: 0, 3>, lir.ports = [#lir.port<[4, 21], sub [8]>, #lir.port<[4, 21], sub [8], loops [0: dim 1 ptr 21 fin -84, 3: dim 0 ptr 1 fin -21]>]} : tensor<4x21xf32>
  lir.loop_end 3
  lir.loop_end 0
  lir.result %8 {index = 0 : i64, lir.ports = [#lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
}
