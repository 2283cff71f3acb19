// RUN: snippets-opt %s -p 'lir-place-buffers-in-outputs{least=0}' --split-input-file | filecheck %s
// RUN: snippets-opt %s -p 'lir-place-buffers-in-outputs{least=100000}' --split-input-file | filecheck %s --check-prefix=SMALL
// RUN: snippets-opt %s --load-pass-plugin=%S/inputs/rows_target.py -p 'snippets-set-target{target=x86-64-rows cache=600},lir-place-buffers-in-outputs' --split-input-file | filecheck %s
// RUN: sed '/^\/\/ -----/,$d' %s | snippets-opt - --load-pass-plugin=%S/inputs/rows_target.py -p 'snippets-set-target{target=x86-64-rows},lir-place-buffers-in-outputs' | filecheck %s --check-prefix=SMALL
// RUN: sed '/^\/\/ -----/,$d' %s | snippets-opt - -p 'snippets-set-target{target=x86-64-avx2 cache=600},lir-place-buffers-in-outputs' | filecheck %s --check-prefix=SMALL
// RUN: sed '/^\/\/ -----/,$d' %s | snippets-opt - -p 'snippets-set-target{target=x86-64-avx512 cache=600},lir-place-buffers-in-outputs' | filecheck %s --check-prefix=SMALL
// RUN: sed '/^\/\/ -----/,$d' %s | snippets-opt - -p 'snippets-set-target{target=generic cache=600},lir-place-buffers-in-outputs' | filecheck %s --check-prefix=SMALL
// RUN: not snippets-opt %s -p 'lir-place-buffers-in-outputs{least=-2}' --split-input-file 2>&1 | filecheck %s --check-prefix=NEGATIVE
// RUN: not snippets-opt %s -p 'lir-insert-specific-iterations,lir-place-buffers-in-outputs{least=0}' --split-input-file 2>&1 | filecheck %s --check-prefix=STAGE

// NEGATIVE: error: {{.*}}expected bytes, or -1 for the target's, found least=-2
// STAGE: error: {{.*}}expected @chain at stage looped, found "expanded"
// SMALL-NOT: output = 0

// %b is written over by %c, and %c by the output, element by element.
// CHECK-LABEL: @chain
// CHECK: %[[B:.*]] = lir.store %{{.*}}#lir.port<[4, 21], sub [8], loops [0: dim 1 ptr 21 fin -84, 1: dim 0 ptr 1 fin -21]>]
// CHECK: %b = lir.buffer %[[B]] {output = 0 : i64, {{.*}}lir.ports = [#lir.port<[1, 21], sub [8]>, #lir.port<[1, 21], sub [8]>]
// CHECK: lir.load %b {{.*}}#lir.port<[4, 21], sub [8], loops [0: dim 1 ptr 21 fin -84, 2: dim 0 ptr 1 fin -21]>,
// CHECK: %c = lir.buffer {{.*}}output = 0
// CHECK: lir.load %c {{.*}}#lir.port<[4, 21], sub [8], loops [0: dim 1 ptr 21 fin -84, 3: dim 0 ptr 1 fin -21]>,
lir.kernel @chain "looped" (%x: tensor<4x21xf32>) -> tensor<4x21xf32> loops [#lir.loop<0, work 4, inc 1, dim 1, parallel>, #lir.loop<1, work 21, inc 8, dim 0>, #lir.loop<2, work 21, inc 8, dim 0>, #lir.loop<3, work 21, inc 8, dim 0>] {
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

// (O4) Both buffers are read in the last loop: one of them keeps its scratchpad.
// CHECK-LABEL: @together
// CHECK: %b = lir.buffer %{{[0-9]+}} {lir.loops
// CHECK: %c = lir.buffer {{.*}}output = 0
lir.kernel @together "looped" (%x: tensor<4x21xf32>) -> tensor<4x21xf32> loops [#lir.loop<0, work 4, inc 1, dim 1, parallel>, #lir.loop<1, work 21, inc 8, dim 0>, #lir.loop<2, work 21, inc 8, dim 0>, #lir.loop<3, work 21, inc 8, dim 0>] {
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

// With two outputs each has one.
// CHECK-LABEL: @two_outputs
// CHECK: %b = lir.buffer {{.*}}output = 1
// CHECK: %c = lir.buffer {{.*}}output = 0
lir.kernel @two_outputs "looped" (%x: tensor<4x21xf32>) -> (tensor<4x21xf32>, tensor<4x21xf32>) loops [#lir.loop<0, work 4, inc 1, dim 1, parallel>, #lir.loop<1, work 21, inc 8, dim 0>, #lir.loop<2, work 21, inc 8, dim 0>, #lir.loop<3, work 21, inc 8, dim 0>] {
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
  %10 = snippets.subtract %6, %9 {lir.loops = array<i64: 0, 3>, lir.ports = [#lir.port<[4, 21], sub [8]>, #lir.port<[4, 21], sub [8]>, #lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
  %11 = lir.store %10 {count = 8 : i64, lir.loops = array<i64: 0, 3>, lir.ports = [#lir.port<[4, 21], sub [8]>, #lir.port<[4, 21], sub [8], loops [0: dim 1 ptr 21 fin -84, 3: dim 0 ptr 1 fin -21]>]} : tensor<4x21xf32>
  lir.loop_end 3
  lir.loop_end 0
  lir.result %8 {index = 0 : i64, lir.ports = [#lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
  lir.result %11 {index = 1 : i64, lir.ports = [#lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
}

// -----

// (O5) The store goes past the caches.
// CHECK-LABEL: @streamed
// CHECK-NOT: output = 0
lir.kernel @streamed "looped" (%x: tensor<4x21xf32>) -> tensor<4x21xf32> loops [#lir.loop<0, work 4, inc 1, dim 1, parallel>, #lir.loop<1, work 21, inc 8, dim 0>, #lir.loop<2, work 21, inc 8, dim 0>, #lir.loop<3, work 21, inc 8, dim 0>] {
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
  %8 = lir.store %7 {count = 8 : i64, nontemporal, lir.loops = array<i64: 0, 3>, lir.ports = [#lir.port<[4, 21], sub [8]>, #lir.port<[4, 21], sub [8], loops [0: dim 1 ptr 21 fin -84, 3: dim 0 ptr 1 fin -21]>]} : tensor<4x21xf32>
  lir.loop_end 3
  lir.loop_end 0
  lir.result %8 {index = 0 : i64, lir.ports = [#lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
}

// -----

// (O1) The output has other elements.
// CHECK-LABEL: @other_type
// CHECK-NOT: output = 0
lir.kernel @other_type "looped" (%x: tensor<4x21xf32>) -> tensor<4x21xi32> loops [#lir.loop<0, work 4, inc 1, dim 1, parallel>, #lir.loop<1, work 21, inc 8, dim 0>, #lir.loop<2, work 21, inc 8, dim 0>] {
  lir.loop_begin 0
  lir.loop_begin 1
  %0 = lir.load %x {count = 8 : i64, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[4, 21], sub [8], loops [0: dim 1 ptr 21 fin -84, 1: dim 0 ptr 1 fin -21]>, #lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
  %1 = snippets.exp %0 {lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[4, 21], sub [8]>, #lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
  %2 = lir.store %1 {count = 8 : i64, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[4, 21], sub [8]>, #lir.port<[1, 21], sub [8], loops [0: dim 1 fixed, 1: dim 0 ptr 1 fin -21]>]} : tensor<4x21xf32>
  lir.loop_end 1
  %b = lir.buffer %2 {lir.loops = array<i64: 0>, lir.ports = [#lir.port<[1, 21], sub [8]>, #lir.port<[1, 21], sub [8]>]} : tensor<4x21xf32>
  lir.loop_begin 2
  %3 = lir.load %b {count = 8 : i64, lir.loops = array<i64: 0, 2>, lir.ports = [#lir.port<[1, 21], sub [8], loops [0: dim 1 fixed, 2: dim 0 ptr 1 fin -21]>, #lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
  %4 = snippets.convert_truncation %3 {lir.loops = array<i64: 0, 2>, lir.ports = [#lir.port<[4, 21], sub [8]>, #lir.port<[4, 21], sub [8]>]} : (tensor<4x21xf32>) -> tensor<4x21xi32>
  %5 = lir.store %4 {count = 8 : i64, lir.loops = array<i64: 0, 2>, lir.ports = [#lir.port<[4, 21], sub [8]>, #lir.port<[4, 21], sub [8], loops [0: dim 1 ptr 21 fin -84, 2: dim 0 ptr 1 fin -21]>]} : tensor<4x21xi32>
  lir.loop_end 2
  lir.loop_end 0
  lir.result %5 {index = 0 : i64, lir.ports = [#lir.port<[4, 21], sub [8]>]} : tensor<4x21xi32>
}

// -----

// (O3) Output 0 is stored before %b is read for the last time; output 1 after it.
// CHECK-LABEL: @read_behind
// CHECK: %b = lir.buffer {{.*}}output = 1
lir.kernel @read_behind "looped" (%x: tensor<4x21xf32>) -> (tensor<4x21xf32>, tensor<4x21xf32>) loops [#lir.loop<0, work 4, inc 1, dim 1, parallel>, #lir.loop<1, work 21, inc 8, dim 0>, #lir.loop<2, work 21, inc 8, dim 0>] {
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
  %5 = lir.store %4 {count = 8 : i64, lir.loops = array<i64: 0, 2>, lir.ports = [#lir.port<[4, 21], sub [8]>, #lir.port<[4, 21], sub [8], loops [0: dim 1 ptr 21 fin -84, 2: dim 0 ptr 1 fin -21]>]} : tensor<4x21xf32>
  %6 = lir.load %b {count = 8 : i64, lir.loops = array<i64: 0, 2>, lir.ports = [#lir.port<[1, 21], sub [8], loops [0: dim 1 fixed, 2: dim 0 ptr 1 fin -21]>, #lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
  %7 = snippets.add %4, %6 {lir.loops = array<i64: 0, 2>, lir.ports = [#lir.port<[4, 21], sub [8]>, #lir.port<[4, 21], sub [8]>, #lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
  %8 = lir.store %7 {count = 8 : i64, lir.loops = array<i64: 0, 2>, lir.ports = [#lir.port<[4, 21], sub [8]>, #lir.port<[4, 21], sub [8], loops [0: dim 1 ptr 21 fin -84, 2: dim 0 ptr 1 fin -21]>]} : tensor<4x21xf32>
  lir.loop_end 2
  lir.loop_end 0
  lir.result %5 {index = 0 : i64, lir.ports = [#lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
  lir.result %8 {index = 1 : i64, lir.ports = [#lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
}

// -----

// (O3) Output 0 is stored while %b is alive.
// CHECK-LABEL: @stored_early
// CHECK: %b = lir.buffer {{.*}}output = 1
lir.kernel @stored_early "looped" (%x: tensor<4x21xf32>) -> (tensor<4x21xf32>, tensor<4x21xf32>) loops [#lir.loop<0, work 4, inc 1, dim 1, parallel>, #lir.loop<1, work 21, inc 8, dim 0>, #lir.loop<2, work 21, inc 8, dim 0>] {
  lir.loop_begin 0
  lir.loop_begin 1
  %0 = lir.load %x {count = 8 : i64, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[4, 21], sub [8], loops [0: dim 1 ptr 21 fin -84, 1: dim 0 ptr 1 fin -21]>, #lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
  %1 = snippets.exp %0 {lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[4, 21], sub [8]>, #lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
  %2 = lir.store %1 {count = 8 : i64, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[4, 21], sub [8]>, #lir.port<[1, 21], sub [8], loops [0: dim 1 fixed, 1: dim 0 ptr 1 fin -21]>]} : tensor<4x21xf32>
  %3 = snippets.abs %0 {lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[4, 21], sub [8]>, #lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
  %4 = lir.store %3 {count = 8 : i64, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[4, 21], sub [8]>, #lir.port<[4, 21], sub [8], loops [0: dim 1 ptr 21 fin -84, 1: dim 0 ptr 1 fin -21]>]} : tensor<4x21xf32>
  lir.loop_end 1
  %b = lir.buffer %2 {lir.loops = array<i64: 0>, lir.ports = [#lir.port<[1, 21], sub [8]>, #lir.port<[1, 21], sub [8]>]} : tensor<4x21xf32>
  lir.loop_begin 2
  %5 = lir.load %b {count = 8 : i64, lir.loops = array<i64: 0, 2>, lir.ports = [#lir.port<[1, 21], sub [8], loops [0: dim 1 fixed, 2: dim 0 ptr 1 fin -21]>, #lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
  %6 = snippets.negative %5 {lir.loops = array<i64: 0, 2>, lir.ports = [#lir.port<[4, 21], sub [8]>, #lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
  %7 = lir.store %6 {count = 8 : i64, lir.loops = array<i64: 0, 2>, lir.ports = [#lir.port<[4, 21], sub [8]>, #lir.port<[4, 21], sub [8], loops [0: dim 1 ptr 21 fin -84, 2: dim 0 ptr 1 fin -21]>]} : tensor<4x21xf32>
  lir.loop_end 2
  lir.loop_end 0
  lir.result %4 {index = 0 : i64, lir.ports = [#lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
  lir.result %7 {index = 1 : i64, lir.ports = [#lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
}

// -----

// (O2) The output is one row, which all iterations of loop 0 write.
// CHECK-LABEL: @one_row
// CHECK-NOT: output = 0
lir.kernel @one_row "looped" (%x: tensor<1x21xf32>) -> tensor<1x21xf32> loops [#lir.loop<0, work 4, inc 1, dim 1, parallel>, #lir.loop<1, work 21, inc 8, dim 0>, #lir.loop<2, work 21, inc 8, dim 0>] {
  lir.loop_begin 0
  lir.loop_begin 1
  %0 = lir.load %x {count = 8 : i64, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[1, 21], sub [8], loops [0: dim 1 fixed, 1: dim 0 ptr 1 fin -21]>, #lir.port<[1, 21], sub [8]>]} : tensor<1x21xf32>
  %1 = snippets.exp %0 {lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[1, 21], sub [8]>, #lir.port<[1, 21], sub [8]>]} : tensor<1x21xf32>
  %2 = lir.store %1 {count = 8 : i64, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[1, 21], sub [8]>, #lir.port<[1, 21], sub [8], loops [0: dim 1 fixed, 1: dim 0 ptr 1 fin -21]>]} : tensor<1x21xf32>
  lir.loop_end 1
  %b = lir.buffer %2 {lir.loops = array<i64: 0>, lir.ports = [#lir.port<[1, 21], sub [8]>, #lir.port<[1, 21], sub [8]>]} : tensor<1x21xf32>
  lir.loop_begin 2
  %3 = lir.load %b {count = 8 : i64, lir.loops = array<i64: 0, 2>, lir.ports = [#lir.port<[1, 21], sub [8], loops [0: dim 1 fixed, 2: dim 0 ptr 1 fin -21]>, #lir.port<[1, 21], sub [8]>]} : tensor<1x21xf32>
  %4 = snippets.abs %3 {lir.loops = array<i64: 0, 2>, lir.ports = [#lir.port<[1, 21], sub [8]>, #lir.port<[1, 21], sub [8]>]} : tensor<1x21xf32>
  %5 = lir.store %4 {count = 8 : i64, lir.loops = array<i64: 0, 2>, lir.ports = [#lir.port<[1, 21], sub [8]>, #lir.port<[1, 21], sub [8], loops [0: dim 1 fixed, 2: dim 0 ptr 1 fin -21]>]} : tensor<1x21xf32>
  lir.loop_end 2
  lir.loop_end 0
  lir.result %5 {index = 0 : i64, lir.ports = [#lir.port<[1, 21], sub [8]>]} : tensor<1x21xf32>
}
