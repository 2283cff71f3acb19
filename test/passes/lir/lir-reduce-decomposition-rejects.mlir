// RUN: snippets-opt %s -p lir-reduce-decomposition --split-input-file --verify-diagnostics

// The kept dim is walked inside of the reduced one.
lir.kernel @order "marked" (%x: tensor<4x30xf32>) -> tensor<1x30xf32> loops [#lir.loop<0, work 4, inc 1, dim 1>, #lir.loop<1, work 30, inc 8, dim 0>] {
  // expected-error @+1 {{expected the loops over the reduced dims of snippets.reduce_sum innermost, found loops [0, 1]; run lir-mark-loops before lir-reduce-decomposition}}
  %0 = snippets.reduce_sum %x {axes = array<i64: 0>, keep_dims, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[4, 30], sub [8]>, #lir.port<[1, 30], sub [8]>]} : (tensor<4x30xf32>) -> tensor<1x30xf32>
  lir.result %0 {index = 0 : i64, lir.ports = [#lir.port<[1, 30], sub [8]>]} : tensor<1x30xf32>
}

// -----

// expected-error @+1 {{expected @early at stage marked, found "linear"}}
lir.kernel @early "linear" (%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = snippets.exp %x {lir.loops = array<i64>, lir.ports = [#lir.port<[4]>, #lir.port<[4]>]} : tensor<4xf32>
  lir.result %0 {index = 0 : i64, lir.ports = [#lir.port<[4]>]} : tensor<4xf32>
}
