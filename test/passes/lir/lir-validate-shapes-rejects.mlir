// RUN: snippets-opt %s -p 'lir-validate-shapes' --disable-verify --split-input-file --verify-diagnostics

// (S1) 15 elements do not broadcast to 16.
lir.kernel @broadcast "accessed" (%x: tensor<16xf32>) -> tensor<16xf32> loops [#lir.loop<0, work 16, inc 8, dim 0, parallel>] {
  %0 = lir.load %x {count = 8 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[16], sub [8]>, #lir.port<[16], sub [8]>]} : tensor<16xf32>
  // expected-error@+1 {{S1: expected operand 0 of snippets.relu to broadcast to [16], found [15]; run convert-snippets-to-lir again}}
  %1 = snippets.relu %0 {lir.loops = array<i64: 0>, lir.ports = [#lir.port<[15], sub [8]>, #lir.port<[16], sub [8]>]} : tensor<16xf32>
  %2 = lir.store %1 {count = 8 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[16], sub [8]>, #lir.port<[16], sub [8]>]} : tensor<16xf32>
  lir.result %2 {index = 0 : i64, lir.ports = [#lir.port<[16], sub [8]>]} : tensor<16xf32>
}

// -----

// (S2) one lane where eight are computed.
lir.kernel @lanes "accessed" (%x: tensor<16xf32>) -> tensor<16xf32> loops [#lir.loop<0, work 16, inc 8, dim 0, parallel>] {
  %0 = lir.load %x {count = 8 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[16], sub [8]>, #lir.port<[16], sub [8]>]} : tensor<16xf32>
  // expected-error@+1 {{S2: expected operand 0 of snippets.relu with 8 lanes, found 1; run lir-insert-broadcast-move}}
  %1 = snippets.relu %0 {lir.loops = array<i64: 0>, lir.ports = [#lir.port<[1], sub [1]>, #lir.port<[16], sub [8]>]} : tensor<16xf32>
  %2 = lir.store %1 {count = 8 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[16], sub [8]>, #lir.port<[16], sub [8]>]} : tensor<16xf32>
  lir.result %2 {index = 0 : i64, lir.ports = [#lir.port<[16], sub [8]>]} : tensor<16xf32>
}

// -----

// (S3) more in memory than in the value.
lir.kernel @moved "accessed" (%x: tensor<16xf32>) -> tensor<16xf32> loops [#lir.loop<0, work 16, inc 8, dim 0, parallel>] {
  // expected-error@+1 {{S3: expected lir.load to move [8], found [16] in memory; run lir-insert-load-store again}}
  %0 = lir.load %x {count = 8 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[16], sub [8]>, #lir.port<[8], sub [8]>]} : tensor<16xf32>
  %1 = snippets.relu %0 {lir.loops = array<i64: 0>, lir.ports = [#lir.port<[16], sub [8]>, #lir.port<[16], sub [8]>]} : tensor<16xf32>
  %2 = lir.store %1 {count = 8 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[16], sub [8]>, #lir.port<[16], sub [8]>]} : tensor<16xf32>
  lir.result %2 {index = 0 : i64, lir.ports = [#lir.port<[16], sub [8]>]} : tensor<16xf32>
}

// -----

// (S4) a part of the input only.
lir.kernel @elements "accessed" (%x: tensor<16xf32>) -> tensor<16xf32> loops [#lir.loop<0, work 16, inc 8, dim 0, parallel>] {
  // expected-error@+1 {{S4: expected a port with the 16 elements of the input, found [1]; run lir-optimize-domain again}}
  %0 = lir.load %x {count = 8 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[1], sub [8]>, #lir.port<[16], sub [8]>]} : tensor<16xf32>
  %1 = snippets.relu %0 {lir.loops = array<i64: 0>, lir.ports = [#lir.port<[16], sub [8]>, #lir.port<[16], sub [8]>]} : tensor<16xf32>
  %2 = lir.store %1 {count = 8 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[16], sub [8]>, #lir.port<[16], sub [8]>]} : tensor<16xf32>
  lir.result %2 {index = 0 : i64, lir.ports = [#lir.port<[16], sub [8]>]} : tensor<16xf32>
}

// -----

// expected-error@+1 {{expected @stage at stage accessed, found "linear"}}
lir.kernel @stage "linear" () -> () {
}

// -----

// (S4) elements that are apart, the last of them after the array.
lir.kernel @sliced "accessed" (%x: tensor<16xf32>) -> tensor<8xf32> loops [#lir.loop<0, work 8, inc 8, dim 0, parallel>] {
  // expected-error@+1 {{S4: expected elements of the input, which has 16, found 0 to 21; run convert-snippets-to-lir again}}
  %0 = lir.load %x {count = 8 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[8], strides [3], sub [8]>, #lir.port<[8], sub [8]>]} : (tensor<16xf32>) -> tensor<8xf32>
  %1 = lir.store %0 {count = 8 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[8], sub [8]>, #lir.port<[8], sub [8]>]} : tensor<8xf32>
  lir.result %1 {index = 0 : i64, lir.ports = [#lir.port<[8], sub [8]>]} : tensor<8xf32>
}
