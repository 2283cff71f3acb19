// RUN: snippets-opt %s -p 'lir-move-result-out-of-loop' --split-input-file | filecheck %s
// RUN: not snippets-opt %s -p 'lir-insert-buffers,lir-insert-load-store,lir-move-result-out-of-loop' --split-input-file 2>&1 | filecheck %s --check-prefix=STAGE

// STAGE: error: {{.*}}expected @fires at stage marked, found "accessed"

// The result stands between ops of loop 0: it goes after the last one, with the view that only it reads.
// CHECK-LABEL: @fires
// CHECK: %[[R:.*]] = snippets.relu
// CHECK-NEXT: %[[E:.*]] = snippets.exp
// CHECK-NEXT: %[[V:.*]] = snippets.reshape %[[R]]
// CHECK-NEXT: lir.result %[[V]] {index = 0
// CHECK-NEXT: lir.result %[[E]] {index = 1
lir.kernel @fires "marked" (%a: tensor<16xf32>) -> (tensor<4x4xf32>, tensor<16xf32>) loops [#lir.loop<0, work 16, inc 8, dim 0, parallel>] {
  %0 = snippets.relu %a {lir.loops = array<i64: 0>, lir.ports = [#lir.port<[16], sub [8]>, #lir.port<[16], sub [8]>]} : tensor<16xf32>
  %1 = snippets.reshape %0 {lir.loops = array<i64>, lir.ports = [#lir.port<[16]>, #lir.port<[4, 4]>]} : (tensor<16xf32>) -> tensor<4x4xf32>
  lir.result %1 {index = 0 : i64, lir.ports = [#lir.port<[16], sub [8]>]} : tensor<4x4xf32>
  %2 = snippets.exp %0 {lir.loops = array<i64: 0>, lir.ports = [#lir.port<[16], sub [8]>, #lir.port<[16], sub [8]>]} : tensor<16xf32>
  lir.result %2 {index = 1 : i64, lir.ports = [#lir.port<[16], sub [8]>]} : tensor<16xf32>
}

// -----

// Ops of another loop may follow: the value's loop has ended before.
// CHECK-LABEL: @stays
// CHECK: %[[R:.*]] = snippets.relu
// CHECK-NEXT: lir.result %[[R]] {index = 0
// CHECK-NEXT: snippets.exp
lir.kernel @stays "marked" (%a: tensor<16xf32>, %b: tensor<3xf32>) -> (tensor<16xf32>, tensor<3xf32>) loops [#lir.loop<0, work 16, inc 8, dim 0>, #lir.loop<1, work 3, inc 8, dim 0>] {
  %0 = snippets.relu %a {lir.loops = array<i64: 0>, lir.ports = [#lir.port<[16], sub [8]>, #lir.port<[16], sub [8]>]} : tensor<16xf32>
  lir.result %0 {index = 0 : i64, lir.ports = [#lir.port<[16], sub [8]>]} : tensor<16xf32>
  %1 = snippets.exp %b {lir.loops = array<i64: 1>, lir.ports = [#lir.port<[3], sub [8]>, #lir.port<[3], sub [8]>]} : tensor<3xf32>
  lir.result %1 {index = 1 : i64, lir.ports = [#lir.port<[3], sub [8]>]} : tensor<3xf32>
}
