// RUN: snippets-opt %s -p 'lir-insert-buffers' --split-input-file --verify-diagnostics

// Threads share no scratchpad.
lir.kernel @parallel "marked" (%a: tensor<21xf32>) -> tensor<21xf32> loops [#lir.loop<0, work 21, inc 8, dim 0, parallel>, #lir.loop<1, work 21, inc 8, dim 0, parallel>] {
  // expected-error@+1 {{expected the value of snippets.exp to be read inside of parallel loop 0, found a reader after it}}
  %0 = snippets.exp %a {lir.loops = array<i64: 0>, lir.ports = [#lir.port<[21], sub [8]>, #lir.port<[21], sub [8]>]} : tensor<21xf32>
  %1 = snippets.abs %0 {lir.loops = array<i64: 1>, lir.ports = [#lir.port<[21], sub [8]>, #lir.port<[21], sub [8]>]} : tensor<21xf32>
  lir.result %1 {index = 0 : i64, lir.ports = [#lir.port<[21], sub [8]>]} : tensor<21xf32>
}

// -----

// A row of the transposed array is not a row of the array.
lir.kernel @view "marked" (%a: tensor<16x16xf32>) -> tensor<16x16xf32> loops [#lir.loop<0, work 16, inc 1, dim 1>, #lir.loop<1, work 16, inc 8, dim 0>, #lir.loop<2, work 16, inc 8, dim 0>] {
  %0 = snippets.exp %a {lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[16, 16], sub [8]>, #lir.port<[16, 16], sub [8]>]} : tensor<16x16xf32>
  %1 = snippets.transpose %0 {permutation = array<i64: 1, 0>, lir.loops = array<i64>, lir.ports = [#lir.port<[16, 16]>, #lir.port<[16, 16]>]} : (tensor<16x16xf32>) -> tensor<16x16xf32>
  // expected-error@+1 {{expected snippets.abs to read through views what one iteration of loops [0] makes, found elements of other iterations}}
  %2 = snippets.abs %1 {lir.loops = array<i64: 0, 2>, lir.ports = [#lir.port<[16, 16], layout [1, 0], sub [8]>, #lir.port<[16, 16], sub [8]>]} : tensor<16x16xf32>
  lir.result %2 {index = 0 : i64, lir.ports = [#lir.port<[16, 16], sub [8]>]} : tensor<16x16xf32>
}

// -----

// expected-error@+1 {{expected @stage at stage marked, found "linear"}}
lir.kernel @stage "linear" () -> () {
}
