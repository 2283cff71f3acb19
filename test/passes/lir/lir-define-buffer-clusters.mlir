// RUN: snippets-opt %s -p 'lir-define-buffer-clusters' --split-input-file | filecheck %s
// RUN: not snippets-opt %s -p 'lir-insert-specific-iterations,lir-define-buffer-clusters' --split-input-file 2>&1 | filecheck %s --check-prefix=STAGE

// STAGE: error: {{.*}}expected @fires at stage looped, found "expanded"

// Loop 2 reads %b for the last time and stores %c element by element after it.
// CHECK-LABEL: @fires
// CHECK: %b = lir.buffer {{.*}}cluster = 0
// CHECK: %c = lir.buffer {{.*}}cluster = 0
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

// (C2) %b is read again in loop 3. This is what the guide's version overwrites.
// CHECK-LABEL: @read_later
// CHECK: %b = lir.buffer {{.*}}cluster = 0
// CHECK: %c = lir.buffer {{.*}}cluster = 1
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

// (C3) the doubles of %c run ahead of the floats of %b.
// CHECK-LABEL: @growing
// CHECK: %b = lir.buffer {{.*}}cluster = 0
// CHECK: %c = lir.buffer {{.*}}cluster = 1
lir.kernel @growing "looped" (%x: tensor<4x21xf32>) -> tensor<4x21xf64> loops [#lir.loop<0, work 4, inc 1, dim 1, parallel>, #lir.loop<1, work 21, inc 8, dim 0>, #lir.loop<2, work 21, inc 8, dim 0>, #lir.loop<3, work 21, inc 8, dim 0>] {
  lir.loop_begin 0
  lir.loop_begin 1
  %0 = lir.load %x {count = 8 : i64, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[4, 21], sub [8], loops [0: dim 1 ptr 21 fin -84, 1: dim 0 ptr 1 fin -21]>, #lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
  %1 = snippets.exp %0 {lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[4, 21], sub [8]>, #lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
  %2 = lir.store %1 {count = 8 : i64, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[4, 21], sub [8]>, #lir.port<[1, 21], sub [8], loops [0: dim 1 fixed, 1: dim 0 ptr 1 fin -21]>]} : tensor<4x21xf32>
  lir.loop_end 1
  %b = lir.buffer %2 {lir.loops = array<i64: 0>, lir.ports = [#lir.port<[1, 21], sub [8]>, #lir.port<[1, 21], sub [8]>]} : tensor<4x21xf32>
  lir.loop_begin 2
  %3 = lir.load %b {count = 8 : i64, lir.loops = array<i64: 0, 2>, lir.ports = [#lir.port<[1, 21], sub [8], loops [0: dim 1 fixed, 2: dim 0 ptr 1 fin -21]>, #lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
  %4 = snippets.convert_truncation %3 {lir.loops = array<i64: 0, 2>, lir.ports = [#lir.port<[4, 21], sub [8]>, #lir.port<[4, 21], sub [8]>]} : (tensor<4x21xf32>) -> tensor<4x21xf64>
  %5 = lir.store %4 {count = 8 : i64, lir.loops = array<i64: 0, 2>, lir.ports = [#lir.port<[4, 21], sub [8]>, #lir.port<[1, 21], sub [8], loops [0: dim 1 fixed, 2: dim 0 ptr 1 fin -21]>]} : tensor<4x21xf64>
  lir.loop_end 2
  %c = lir.buffer %5 {lir.loops = array<i64: 0>, lir.ports = [#lir.port<[1, 21], sub [8]>, #lir.port<[1, 21], sub [8]>]} : tensor<4x21xf64>
  lir.loop_begin 3
  %6 = lir.load %c {count = 8 : i64, lir.loops = array<i64: 0, 3>, lir.ports = [#lir.port<[1, 21], sub [8], loops [0: dim 1 fixed, 3: dim 0 ptr 1 fin -21]>, #lir.port<[4, 21], sub [8]>]} : tensor<4x21xf64>
  %7 = snippets.negative %6 {lir.loops = array<i64: 0, 3>, lir.ports = [#lir.port<[4, 21], sub [8]>, #lir.port<[4, 21], sub [8]>]} : tensor<4x21xf64>
  %8 = lir.store %7 {count = 8 : i64, lir.loops = array<i64: 0, 3>, lir.ports = [#lir.port<[4, 21], sub [8]>, #lir.port<[4, 21], sub [8], loops [0: dim 1 ptr 21 fin -84, 3: dim 0 ptr 1 fin -21]>]} : tensor<4x21xf64>
  lir.loop_end 3
  lir.loop_end 0
  lir.result %8 {index = 0 : i64, lir.ports = [#lir.port<[4, 21], sub [8]>]} : tensor<4x21xf64>
}
