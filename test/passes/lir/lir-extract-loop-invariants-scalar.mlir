// RUN: snippets-opt %s -p lir-extract-loop-invariants | filecheck %s

// An op stays in its loop when it reads a scalar that is defined after the loop's first op.
// CHECK: snippets.exp {{.*}} {lir.loops = array<i64: 0, 1>
// CHECK-NEXT: snippets.scalar
// CHECK-NEXT: snippets.add {{.*}} {lir.loops = array<i64: 0, 1>
// CHECK-NEXT: snippets.divide {{.*}} {lir.loops = array<i64: 0, 1>
lir.kernel @late "marked" (%a: tensor<3x100xf32>, %b: tensor<3x1xf32>) -> tensor<3x100xf32> loops [#lir.loop<0, work 3, inc 1, dim 1, parallel>, #lir.loop<1, work 100, inc 8, dim 0>] {
  %0 = snippets.exp %a {lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[3, 100], sub [8]>, #lir.port<[3, 100], sub [8]>]} : tensor<3x100xf32>
  %1 = snippets.scalar 3.000000e+00 : f32 {lir.loops = array<i64>, lir.ports = [#lir.port<[1, 1], sub [1]>]}
  %2 = snippets.add %b, %1 {lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[3, 1], sub [1]>, #lir.port<[1, 1], sub [1]>, #lir.port<[3, 1], sub [1]>]} : (tensor<3x1xf32>, tensor<f32>) -> tensor<3x1xf32>
  %3 = snippets.divide %0, %2 {lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[3, 100], sub [8]>, #lir.port<[3, 1], sub [1]>, #lir.port<[3, 100], sub [8]>]} : (tensor<3x100xf32>, tensor<3x1xf32>) -> tensor<3x100xf32>
  lir.result %3 {index = 0 : i64, lir.ports = [#lir.port<[3, 100], sub [8]>]} : tensor<3x100xf32>
}
