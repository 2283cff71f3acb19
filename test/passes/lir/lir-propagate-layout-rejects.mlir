// RUN: snippets-opt %s -p 'lir-propagate-layout' --split-input-file --verify-diagnostics

// The elements of a transposed array are not in order, so no layout of the new dims says where they are.
lir.kernel @reshaped "linear" (%x: tensor<4x6xf32>) -> tensor<24xf32> {
  %t = snippets.transpose %x {permutation = array<i64: 1, 0>, lir.loops = array<i64>, lir.ports = [#lir.port<[4, 6]>, #lir.port<[6, 4]>]} : (tensor<4x6xf32>) -> tensor<6x4xf32>
  // expected-error@+1 {{expected snippets.reshape of an array in its usual order, found one with layout [1, 0]}}
  %r = snippets.reshape %t {lir.loops = array<i64>, lir.ports = [#lir.port<[6, 4]>, #lir.port<[24]>]} : (tensor<6x4xf32>) -> tensor<24xf32>
  %0 = snippets.relu %r {lir.loops = array<i64>, lir.ports = [#lir.port<[24]>, #lir.port<[24]>]} : tensor<24xf32>
  lir.result %0 {index = 0 : i64, lir.ports = [#lir.port<[24]>]} : tensor<24xf32>
}

// -----

// expected-error@+1 {{expected @late at stage linear, found "marked"}}
lir.kernel @late "marked" () -> () {
}
