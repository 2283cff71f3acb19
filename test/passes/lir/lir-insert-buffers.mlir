// RUN: snippets-opt %s -p 'lir-insert-buffers' --split-input-file | filecheck %s
// RUN: snippets-opt %s -p 'lir-insert-buffers,lir-insert-load-store,lir-init-loops,lir-insert-loops' --split-input-file | filecheck %s --check-prefix=LOOPS

// (B1, B3, B4) the reader is in another inner loop: the buffer holds one row and stands after loop 1.
// CHECK-LABEL: @fires
// CHECK: %[[E:.*]] = snippets.exp
// CHECK-NEXT: %[[S:.*]] = lir.store %[[E]] {count = 8 : i64, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[4, 21], sub [8]>, #lir.port<[1, 21], sub [8]>]}
// CHECK-NEXT: snippets.relu
// CHECK-NEXT: %[[B:.*]] = lir.buffer %[[S]] {lir.loops = array<i64: 0>, lir.ports = [#lir.port<[1, 21], sub [8]>, #lir.port<[1, 21], sub [8]>]}
// CHECK-NEXT: %[[L:.*]] = lir.load %[[B]] {count = 8 : i64, lir.loops = array<i64: 0, 2>, lir.ports = [#lir.port<[1, 21], sub [8]>, #lir.port<[4, 21], sub [8]>]}
// CHECK-NEXT: snippets.abs %[[L]]
// The buffer's own loop does not move its pointer.
// LOOPS-LABEL: @fires
// LOOPS: lir.store {{.*}} #lir.port<[1, 21], sub [8], loops [0: dim 1 fixed, 1: dim 0 ptr 1 fin -21]>
// LOOPS: lir.loop_end 1
// LOOPS: lir.buffer
// LOOPS-NEXT: lir.loop_begin 2
// LOOPS-NEXT: lir.load {{.*}}#lir.port<[1, 21], sub [8], loops [0: dim 1 fixed, 2: dim 0 ptr 1 fin -21]>
lir.kernel @fires "marked" (%a: tensor<4x21xf32>) -> (tensor<4x21xf32>, tensor<4x21xf32>) loops [#lir.loop<0, work 4, inc 1, dim 1, parallel>, #lir.loop<1, work 21, inc 8, dim 0>, #lir.loop<2, work 21, inc 8, dim 0>] {
  %0 = snippets.exp %a {lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[4, 21], sub [8]>, #lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
  %1 = snippets.relu %a {lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[4, 21], sub [8]>, #lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
  %2 = snippets.abs %0 {lir.loops = array<i64: 0, 2>, lir.ports = [#lir.port<[4, 21], sub [8]>, #lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
  lir.result %1 {index = 0 : i64, lir.ports = [#lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
  lir.result %2 {index = 1 : i64, lir.ports = [#lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
}

// -----

// (B2) two readers in two loops share a buffer, and two in one loop a load; the result does not go through it.
// CHECK-LABEL: @shared
// CHECK: %[[E:.*]] = snippets.exp
// CHECK-NEXT: lir.store %[[E]]
// CHECK-NEXT: %[[B:.*]] = lir.buffer
// CHECK-NEXT: %[[L:.*]] = lir.load %[[B]] {{.*}}array<i64: 1>
// CHECK-NEXT: snippets.multiply %[[L]], %[[L]]
// CHECK-NEXT: %[[M:.*]] = lir.load %[[B]] {{.*}}array<i64: 2>
// CHECK-NEXT: snippets.relu %[[M]]
// CHECK-NOT: lir.buffer
// CHECK: lir.result %[[E]]
lir.kernel @shared "marked" (%a: tensor<21xf32>) -> (tensor<21xf32>, tensor<21xf32>, tensor<21xf32>) loops [#lir.loop<0, work 21, inc 8, dim 0>, #lir.loop<1, work 21, inc 8, dim 0>, #lir.loop<2, work 21, inc 8, dim 0>] {
  %0 = snippets.exp %a {lir.loops = array<i64: 0>, lir.ports = [#lir.port<[21], sub [8]>, #lir.port<[21], sub [8]>]} : tensor<21xf32>
  %1 = snippets.multiply %0, %0 {lir.loops = array<i64: 1>, lir.ports = [#lir.port<[21], sub [8]>, #lir.port<[21], sub [8]>, #lir.port<[21], sub [8]>]} : tensor<21xf32>
  %2 = snippets.relu %0 {lir.loops = array<i64: 2>, lir.ports = [#lir.port<[21], sub [8]>, #lir.port<[21], sub [8]>]} : tensor<21xf32>
  lir.result %0 {index = 0 : i64, lir.ports = [#lir.port<[21], sub [8]>]} : tensor<21xf32>
  lir.result %1 {index = 1 : i64, lir.ports = [#lir.port<[21], sub [8]>]} : tensor<21xf32>
  lir.result %2 {index = 2 : i64, lir.ports = [#lir.port<[21], sub [8]>]} : tensor<21xf32>
}

// -----

// The loop over vectors is a common one: the buffer holds a vector for each of the 4 rows.
// CHECK-LABEL: @columns
// CHECK: lir.buffer {{.*}}lir.loops = array<i64: 0>, lir.ports = [#lir.port<[4, 8], sub [8]>, #lir.port<[4, 8], sub [8]>]
// CHECK: lir.load {{.*}}#lir.port<[4, 8], sub [8]>, #lir.port<[4, 21], sub [8]>
// LOOPS-LABEL: @columns
// LOOPS: lir.store {{.*}} #lir.port<[4, 8], sub [8], loops [0: dim 0 fixed, 1: dim 1 ptr 8 fin -32]>
lir.kernel @columns "marked" (%a: tensor<4x21xf32>) -> tensor<4x21xf32> loops [#lir.loop<0, work 21, inc 8, dim 0, parallel>, #lir.loop<1, work 4, inc 1, dim 1>, #lir.loop<2, work 4, inc 1, dim 1>] {
  %0 = snippets.exp %a {lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[4, 21], sub [8]>, #lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
  %1 = snippets.abs %0 {lir.loops = array<i64: 0, 2>, lir.ports = [#lir.port<[4, 21], sub [8]>, #lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
  lir.result %1 {index = 0 : i64, lir.ports = [#lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
}

// -----

// An accumulator's value is there after its loop, in loop 0: a reader in another loop of loop 0 needs no
// buffer, one outside of it does.
// CHECK-LABEL: @accumulated
// CHECK: %[[A:.*]] = lir.accumulate
// CHECK-NEXT: %[[H:.*]] = lir.horizon %[[A]]
// CHECK-NEXT: %[[S:.*]] = lir.store %[[H]] {count = 1 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[4, 1], sub [1]>, #lir.port<[4, 1], sub [1]>]}
// CHECK-NEXT: snippets.subtract %a, %[[H]]
// CHECK-NEXT: %[[B:.*]] = lir.buffer %[[S]] {lir.loops = array<i64>
// CHECK-NEXT: %[[L:.*]] = lir.load %[[B]] {count = 1 : i64, lir.loops = array<i64: 3>
// CHECK-NEXT: snippets.abs %[[L]]
lir.kernel @accumulated "marked" (%a: tensor<4x21xf32>) -> (tensor<4x21xf32>, tensor<4x1xf32>) loops [#lir.loop<0, work 4, inc 1, dim 1>, #lir.loop<1, work 21, inc 8, dim 0>, #lir.loop<2, work 21, inc 8, dim 0>, #lir.loop<3, work 4, inc 1, dim 1>] {
  %0 = lir.fill %a {offset = 8 : i64, value = 0.0 : f32, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[4, 21], sub [8]>, #lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
  %1 = lir.accumulate %0 {kind = "sum", lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[4, 21], sub [8]>, #lir.port<[4, 8], sub [8]>]} : tensor<4x21xf32>
  %2 = lir.horizon %1 {kind = "sum", lir.loops = array<i64: 0>, lir.ports = [#lir.port<[4, 8], sub [8]>, #lir.port<[4, 1], sub [1]>]} : (tensor<4x21xf32>) -> tensor<4x1xf32>
  %3 = snippets.subtract %a, %2 {lir.loops = array<i64: 0, 2>, lir.ports = [#lir.port<[4, 21], sub [8]>, #lir.port<[4, 1], sub [1]>, #lir.port<[4, 21], sub [8]>]} : (tensor<4x21xf32>, tensor<4x1xf32>) -> tensor<4x21xf32>
  %4 = snippets.abs %2 {lir.loops = array<i64: 3>, lir.ports = [#lir.port<[4, 1], sub [1]>, #lir.port<[4, 1], sub [1]>]} : tensor<4x1xf32>
  lir.result %3 {index = 0 : i64, lir.ports = [#lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
  lir.result %4 {index = 1 : i64, lir.ports = [#lir.port<[4, 1], sub [1]>]} : tensor<4x1xf32>
}

// -----

// What is read through a view: the view is one of the buffer, and the load knows the order in memory.
// CHECK-LABEL: @view
// CHECK: %[[B:.*]] = lir.buffer {{.*}}#lir.port<[4, 16], sub [8]>]
// CHECK-NEXT: %[[T:.*]] = snippets.transpose %[[B]]
// CHECK-NEXT: %[[L:.*]] = lir.load %[[T]] {{.*}}#lir.port<[16, 4], layout [1, 0], sub [1]>, #lir.port<[16, 4], sub [1]>
// CHECK-NEXT: snippets.abs %[[L]]
lir.kernel @view "marked" (%a: tensor<4x16xf32>) -> tensor<16x4xf32> loops [#lir.loop<0, work 4, inc 1, dim 1>, #lir.loop<1, work 16, inc 8, dim 0>, #lir.loop<2, work 16, inc 1, dim 1>, #lir.loop<3, work 4, inc 1, dim 0>] {
  %0 = snippets.exp %a {lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[4, 16], sub [8]>, #lir.port<[4, 16], sub [8]>]} : tensor<4x16xf32>
  %1 = snippets.transpose %0 {permutation = array<i64: 1, 0>, lir.loops = array<i64>, lir.ports = [#lir.port<[4, 16]>, #lir.port<[16, 4]>]} : (tensor<4x16xf32>) -> tensor<16x4xf32>
  %2 = snippets.abs %1 {lir.loops = array<i64: 2, 3>, lir.ports = [#lir.port<[16, 4], layout [1, 0], sub [1]>, #lir.port<[16, 4], sub [1]>]} : tensor<16x4xf32>
  lir.result %2 {index = 0 : i64, lir.ports = [#lir.port<[16, 4], sub [1]>]} : tensor<16x4xf32>
}

// -----

// Readers in the value's own loops, or in loops inside of them, get it in a register.
// CHECK-LABEL: @register
// CHECK-NOT: lir.buffer
lir.kernel @register "marked" (%a: tensor<4x1xf32>, %b: tensor<4x16xf32>) -> tensor<4x16xf32> loops [#lir.loop<0, work 4, inc 1, dim 1, parallel>, #lir.loop<1, work 16, inc 8, dim 0>] {
  %0 = snippets.exp %a {lir.loops = array<i64: 0>, lir.ports = [#lir.port<[4, 1], sub [1]>, #lir.port<[4, 1], sub [1]>]} : tensor<4x1xf32>
  %1 = snippets.add %b, %0 {lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[4, 16], sub [8]>, #lir.port<[4, 1], sub [1]>, #lir.port<[4, 16], sub [8]>]} : (tensor<4x16xf32>, tensor<4x1xf32>) -> tensor<4x16xf32>
  %2 = snippets.abs %1 {lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[4, 16], sub [8]>, #lir.port<[4, 16], sub [8]>]} : tensor<4x16xf32>
  lir.result %2 {index = 0 : i64, lir.ports = [#lir.port<[4, 16], sub [8]>]} : tensor<4x16xf32>
}

// -----

// (B2, B3) a row that loop 0 does not walk: one reader is in loop 0, the other after it. Each has a
// buffer of its own; one buffer after loop 0 would be read before it is made.
// CHECK-LABEL: @inside_and_after
// CHECK: %[[E:.*]] = snippets.exp
// CHECK-NEXT: %[[OUTER:.*]] = lir.store %[[E]]
// CHECK-NEXT: %[[INNER:.*]] = lir.store %[[E]]
// CHECK-NEXT: %[[IN:.*]] = lir.buffer %[[INNER]] {lir.loops = array<i64: 0>
// CHECK-NEXT: lir.load %[[IN]] {{.*}}array<i64: 0, 2>
// CHECK-NEXT: snippets.add
// CHECK-NEXT: %[[OUT:.*]] = lir.buffer %[[OUTER]] {lir.loops = array<i64>
// CHECK-NEXT: lir.load %[[OUT]] {{.*}}array<i64: 3, 4>
// CHECK-NEXT: snippets.abs
lir.kernel @inside_and_after "marked" (%a: tensor<21xf32>, %c: tensor<4x21xf32>) -> (tensor<4x21xf32>, tensor<21xf32>) loops [#lir.loop<0, work 4, inc 1, dim 1>, #lir.loop<1, work 21, inc 8, dim 0>, #lir.loop<2, work 21, inc 8, dim 0>, #lir.loop<3, work 1, inc 1, dim 1>, #lir.loop<4, work 21, inc 8, dim 0>] {
  %0 = snippets.exp %a {lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[1, 21], sub [8]>, #lir.port<[1, 21], sub [8]>]} : tensor<21xf32>
  %1 = snippets.add %0, %c {lir.loops = array<i64: 0, 2>, lir.ports = [#lir.port<[1, 21], sub [8]>, #lir.port<[4, 21], sub [8]>, #lir.port<[4, 21], sub [8]>]} : (tensor<21xf32>, tensor<4x21xf32>) -> tensor<4x21xf32>
  %2 = snippets.abs %0 {lir.loops = array<i64: 3, 4>, lir.ports = [#lir.port<[1, 21], sub [8]>, #lir.port<[1, 21], sub [8]>]} : tensor<21xf32>
  lir.result %1 {index = 0 : i64, lir.ports = [#lir.port<[4, 21], sub [8]>]} : tensor<4x21xf32>
  lir.result %2 {index = 1 : i64, lir.ports = [#lir.port<[1, 21], sub [8]>]} : tensor<21xf32>
}
