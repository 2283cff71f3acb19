// RUN: snippets-opt %s -p 'lir-rematerialize{later=2 least=0}' --split-input-file | filecheck %s

// Does not fire (T3): the reader sees the value in another shape.
// CHECK-LABEL: @view
// CHECK: snippets.abs
// CHECK-NOT: snippets.abs
lir.kernel @view "marked" (%a: tensor<4x16xf32>) -> tensor<4x16xf32> loops [#lir.loop<0, work 4, inc 1, dim 1>, #lir.loop<1, work 16, inc 8, dim 0>, #lir.loop<2, work 16, inc 8, dim 0>] {
  %0 = snippets.abs %a {lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[4, 16], sub [8]>, #lir.port<[4, 16], sub [8]>]} : tensor<4x16xf32>
  %1 = snippets.reshape %0 {lir.loops = array<i64>, lir.ports = [#lir.port<[4, 16]>, #lir.port<[4, 16]>]} : tensor<4x16xf32>
  %2 = snippets.exp %1 {lir.loops = array<i64: 0, 2>, lir.ports = [#lir.port<[4, 16], sub [8]>, #lir.port<[4, 16], sub [8]>]} : tensor<4x16xf32>
  lir.result %2 {index = 0 : i64, lir.ports = [#lir.port<[4, 16], sub [8]>]} : tensor<4x16xf32>
}

// -----

// Does not fire (T4): the reader is in another parallel loop, which lir-insert-buffers refuses.
// CHECK-LABEL: @parallel
// CHECK: snippets.abs
// CHECK-NOT: snippets.abs
lir.kernel @parallel "marked" (%a: tensor<21xf32>) -> tensor<21xf32> loops [#lir.loop<0, work 21, inc 8, dim 0, parallel>, #lir.loop<1, work 21, inc 8, dim 0, parallel>] {
  %0 = snippets.abs %a {lir.loops = array<i64: 0>, lir.ports = [#lir.port<[21], sub [8]>, #lir.port<[21], sub [8]>]} : tensor<21xf32>
  %1 = snippets.exp %0 {lir.loops = array<i64: 1>, lir.ports = [#lir.port<[21], sub [8]>, #lir.port<[21], sub [8]>]} : tensor<21xf32>
  lir.result %1 {index = 0 : i64, lir.ports = [#lir.port<[21], sub [8]>]} : tensor<21xf32>
}

// -----

// Its twin with loops of one thread: what nothing reads any more is gone, and so is its loop.
// CHECK-LABEL: @sequential
// CHECK-SAME: loops [#lir.loop<1, work 21, inc 8, dim 0>]
// CHECK-NEXT: %[[A:.*]] = snippets.abs %a {lir.loops = array<i64: 1>
// CHECK-NEXT: snippets.exp %[[A]] {lir.loops = array<i64: 1>
lir.kernel @sequential "marked" (%a: tensor<21xf32>) -> tensor<21xf32> loops [#lir.loop<0, work 21, inc 8, dim 0>, #lir.loop<1, work 21, inc 8, dim 0>] {
  %0 = snippets.abs %a {lir.loops = array<i64: 0>, lir.ports = [#lir.port<[21], sub [8]>, #lir.port<[21], sub [8]>]} : tensor<21xf32>
  %1 = snippets.exp %0 {lir.loops = array<i64: 1>, lir.ports = [#lir.port<[21], sub [8]>, #lir.port<[21], sub [8]>]} : tensor<21xf32>
  lir.result %1 {index = 0 : i64, lir.ports = [#lir.port<[21], sub [8]>]} : tensor<21xf32>
}

// -----

// Does not fire (T5): the columns of an array are not neighbours.
// CHECK-LABEL: @columns
// CHECK: snippets.abs
// CHECK-NOT: snippets.abs
lir.kernel @columns "marked" (%a: tensor<40x16xf32>) -> tensor<40x16xf32> loops [#lir.loop<0, work 16, inc 8, dim 0>, #lir.loop<1, work 40, inc 1, dim 1>, #lir.loop<2, work 40, inc 1, dim 1>] {
  %0 = snippets.abs %a {lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[40, 16], sub [8]>, #lir.port<[40, 16], sub [8]>]} : tensor<40x16xf32>
  %1 = snippets.exp %0 {lir.loops = array<i64: 0, 2>, lir.ports = [#lir.port<[40, 16], sub [8]>, #lir.port<[40, 16], sub [8]>]} : tensor<40x16xf32>
  lir.result %1 {index = 0 : i64, lir.ports = [#lir.port<[40, 16], sub [8]>]} : tensor<40x16xf32>
}

// -----

// Does not fire (T5): a row of 160 KB. Its twin of 120 KB is read again.
// CHECK-LABEL: @long
// CHECK: snippets.abs
// CHECK-NOT: snippets.abs
lir.kernel @long "marked" (%a: tensor<2x40000xf32>) -> tensor<2x40000xf32> loops [#lir.loop<0, work 2, inc 1, dim 1>, #lir.loop<1, work 40000, inc 8, dim 0>, #lir.loop<2, work 40000, inc 8, dim 0>] {
  %0 = snippets.abs %a {lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[2, 40000], sub [8]>, #lir.port<[2, 40000], sub [8]>]} : tensor<2x40000xf32>
  %1 = snippets.exp %0 {lir.loops = array<i64: 0, 2>, lir.ports = [#lir.port<[2, 40000], sub [8]>, #lir.port<[2, 40000], sub [8]>]} : tensor<2x40000xf32>
  lir.result %1 {index = 0 : i64, lir.ports = [#lir.port<[2, 40000], sub [8]>]} : tensor<2x40000xf32>
}

// -----

// CHECK-LABEL: @twin
// CHECK-SAME: #lir.loop<2,
// CHECK-NOT: lir.loops = array<i64: 0, 1>
// CHECK: snippets.abs %a {lir.loops = array<i64: 0, 2>
lir.kernel @twin "marked" (%a: tensor<2x30000xf32>) -> tensor<2x30000xf32> loops [#lir.loop<0, work 2, inc 1, dim 1>, #lir.loop<1, work 30000, inc 8, dim 0>, #lir.loop<2, work 30000, inc 8, dim 0>] {
  %0 = snippets.abs %a {lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[2, 30000], sub [8]>, #lir.port<[2, 30000], sub [8]>]} : tensor<2x30000xf32>
  %1 = snippets.exp %0 {lir.loops = array<i64: 0, 2>, lir.ports = [#lir.port<[2, 30000], sub [8]>, #lir.port<[2, 30000], sub [8]>]} : tensor<2x30000xf32>
  lir.result %1 {index = 0 : i64, lir.ports = [#lir.port<[2, 30000], sub [8]>]} : tensor<2x30000xf32>
}

// -----

// Does not fire (T2): a column of the transposed array would be gathered again.
// CHECK-LABEL: @transposed
// CHECK: snippets.abs
// CHECK-NOT: snippets.abs
lir.kernel @transposed "marked" (%a: tensor<32x32xf32>) -> tensor<32x32xf32> loops [#lir.loop<0, work 32, inc 1, dim 1>, #lir.loop<1, work 32, inc 8, dim 0>, #lir.loop<2, work 32, inc 8, dim 0>] {
  %0 = snippets.abs %a {lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[32, 32], layout [1, 0], sub [8]>, #lir.port<[32, 32], sub [8]>]} : tensor<32x32xf32>
  %1 = snippets.exp %0 {lir.loops = array<i64: 0, 2>, lir.ports = [#lir.port<[32, 32], sub [8]>, #lir.port<[32, 32], sub [8]>]} : tensor<32x32xf32>
  lir.result %1 {index = 0 : i64, lir.ports = [#lir.port<[32, 32], sub [8]>]} : tensor<32x32xf32>
}
