// RUN: snippets-opt %s -p 'lir-allocate-buffers,lir-clean-repeated-data-pointer-shifts' --split-input-file | filecheck %s
// RUN: snippets-opt %s -p 'lir-allocate-buffers{optimized=false},lir-clean-repeated-data-pointer-shifts' --split-input-file | filecheck %s --check-prefix=APART
// RUN: not snippets-opt %s -p 'lir-insert-specific-iterations,lir-clean-repeated-data-pointer-shifts' --split-input-file 2>&1 | filecheck %s --check-prefix=STAGE

// STAGE: error: {{.*}}expected @fires at stage looped, found "expanded"

// In loop 2 the store's buffer rides on the pointer that the load moves; in loop 3 the output has its own.
// CHECK-LABEL: @fires
// CHECK: lir.loop_begin 2
// CHECK-NEXT: lir.load {{.*}}loops [0: dim 1 fixed, 2: dim 0 ptr 1 fin -21]
// CHECK: lir.store {{.*}}loops [0: dim 1 fixed, 2: dim 0 fixed]
// CHECK: lir.loop_begin 3
// CHECK-NEXT: lir.load {{.*}}loops [0: dim 1 fixed, 3: dim 0 ptr 1 fin -21]
// CHECK: lir.store {{.*}}loops [0: dim 1 ptr 21 fin -84, 3: dim 0 ptr 1 fin -21]
// Every buffer by itself has a pointer by itself.
// APART-LABEL: @fires
// APART: lir.loop_begin 2
// APART: lir.store {{.*}}loops [0: dim 1 fixed, 2: dim 0 ptr 1 fin -21]
lir.kernel @fires "looped" (%x: tensor<4x21xf32>) -> tensor<4x21xf32> loops [#lir.loop<0, work 4, inc 1, dim 1, parallel>, #lir.loop<1, work 21, inc 8, dim 0>, #lir.loop<2, work 21, inc 8, dim 0>, #lir.loop<3, work 21, inc 8, dim 0>] {
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

// -----

// Two loads of one input: the loop around both moves its pointer at the first one only.
// CHECK-LABEL: @input
// CHECK: lir.load %x {{.*}}loops [0: dim 1 ptr 21 fin -84, 1: dim 0 ptr 1 fin -21]
// CHECK: lir.load %x {{.*}}loops [0: dim 1 fixed, 2: dim 0 ptr 1 fin -21]
lir.kernel @input "looped" (%x: tensor<4x21xf32>) -> (tensor<4x21xf32>, tensor<4x21xf32>) loops [#lir.loop<0, work 4, inc 1, dim 1, parallel>, #lir.loop<1, work 21, inc 8, dim 0>, #lir.loop<2, work 21, inc 8, dim 0>] {
  lir.loop_begin 0
  lir.loop_begin 1
  %0 = lir.load %x {count = 8 : i64, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[4, 21], sub [8], loops [0: dim 1 ptr 21 fin -84, 1: dim 0 ptr 1 fin -21]>, #lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
  %1 = lir.store %0 {count = 8 : i64, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[4, 21], sub [8]>, #lir.port<[4, 21], sub [8], loops [0: dim 1 ptr 21 fin -84, 1: dim 0 ptr 1 fin -21]>]} : tensor<4x21xf32>
  lir.loop_end 1
  lir.loop_begin 2
  %2 = lir.load %x {count = 8 : i64, lir.loops = array<i64: 0, 2>, lir.ports = [#lir.port<[4, 21], sub [8], loops [0: dim 1 ptr 21 fin -84, 2: dim 0 ptr 1 fin -21]>, #lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
  %3 = lir.store %2 {count = 8 : i64, lir.loops = array<i64: 0, 2>, lir.ports = [#lir.port<[4, 21], sub [8]>, #lir.port<[4, 21], sub [8], loops [0: dim 1 ptr 21 fin -84, 2: dim 0 ptr 1 fin -21]>]} : tensor<4x21xf32>
  lir.loop_end 2
  lir.loop_end 0
  lir.result %1 {index = 0 : i64, lir.ports = [#lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
  lir.result %3 {index = 1 : i64, lir.ports = [#lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
}
