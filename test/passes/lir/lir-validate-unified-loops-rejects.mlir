// RUN: snippets-opt %s -p 'lir-validate-unified-loops' --disable-verify --split-input-file --verify-diagnostics

// (U1) loop 1 is inside of loop 0 and by itself.
lir.kernel @inside "accessed" (%x: tensor<16xf32>) -> tensor<16xf32> loops [#lir.loop<0, work 4, inc 1, dim 1>, #lir.loop<1, work 16, inc 8, dim 0>] {
  %0 = lir.load %x {count = 8 : i64, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[1, 16], sub [8]>, #lir.port<[1, 16], sub [8]>]} : tensor<16xf32>
  // expected-error@+1 {{U1: expected loop 1 inside of loops [0], found it inside of []; run lir-fuse-loops again}}
  %1 = snippets.relu %0 {lir.loops = array<i64: 1>, lir.ports = [#lir.port<[1, 16], sub [8]>, #lir.port<[1, 16], sub [8]>]} : tensor<16xf32>
  %2 = lir.store %1 {count = 8 : i64, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[1, 16], sub [8]>, #lir.port<[1, 16], sub [8]>]} : tensor<16xf32>
  lir.result %2 {index = 0 : i64, lir.ports = [#lir.port<[16], sub [8]>]} : tensor<16xf32>
}

// -----

// (U1) an op of loop 1 between ops of loop 0.
lir.kernel @apart "accessed" (%x: tensor<16xf32>) -> tensor<16xf32> loops [#lir.loop<0, work 16, inc 8, dim 0>, #lir.loop<1, work 16, inc 8, dim 0>] {
  %0 = lir.load %x {count = 8 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[16], sub [8]>, #lir.port<[16], sub [8]>]} : tensor<16xf32>
  %9 = snippets.relu %0 {lir.loops = array<i64: 1>, lir.ports = [#lir.port<[16], sub [8]>, #lir.port<[16], sub [8]>]} : tensor<16xf32>
  // expected-error@+1 {{U1: expected the ops of loop 0 to stand together, found snippets.relu after others}}
  %1 = snippets.relu %0 {lir.loops = array<i64: 0>, lir.ports = [#lir.port<[16], sub [8]>, #lir.port<[16], sub [8]>]} : tensor<16xf32>
  %2 = lir.store %1 {count = 8 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[16], sub [8]>, #lir.port<[16], sub [8]>]} : tensor<16xf32>
  lir.result %2 {index = 0 : i64, lir.ports = [#lir.port<[16], sub [8]>]} : tensor<16xf32>
}

// -----

// (U2) both loops walk all of dim 0.
lir.kernel @same_dim "accessed" (%x: tensor<16xf32>) -> tensor<16xf32> loops [#lir.loop<0, work 16, inc 8, dim 0>, #lir.loop<1, work 16, inc 8, dim 0>] {
  // expected-error@+1 {{U2: expected loop 1 to run a block of loop 0, which walks dim 0 around it, found inner of None}}
  %0 = lir.load %x {count = 8 : i64, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[16], sub [8]>, #lir.port<[16], sub [8]>]} : tensor<16xf32>
  %1 = snippets.relu %0 {lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[16], sub [8]>, #lir.port<[16], sub [8]>]} : tensor<16xf32>
  %2 = lir.store %1 {count = 8 : i64, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[16], sub [8]>, #lir.port<[16], sub [8]>]} : tensor<16xf32>
  lir.result %2 {index = 0 : i64, lir.ports = [#lir.port<[16], sub [8]>]} : tensor<16xf32>
}

// -----

// (U3) the loop is longer than the array.
lir.kernel @work "accessed" (%x: tensor<16xf32>) -> tensor<16xf32> loops [#lir.loop<0, work 24, inc 8, dim 0, parallel>] {
  // expected-error@+1 {{U3: expected the port of lir.load to have size 24 or 1 in dim 0, which loop 0 walks, found 16}}
  %0 = lir.load %x {count = 8 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[16], sub [8]>, #lir.port<[16], sub [8]>]} : tensor<16xf32>
  %1 = snippets.relu %0 {lir.loops = array<i64: 0>, lir.ports = [#lir.port<[16], sub [8]>, #lir.port<[16], sub [8]>]} : tensor<16xf32>
  %2 = lir.store %1 {count = 8 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[16], sub [8]>, #lir.port<[16], sub [8]>]} : tensor<16xf32>
  lir.result %2 {index = 0 : i64, lir.ports = [#lir.port<[16], sub [8]>]} : tensor<16xf32>
}

// -----

// (U4) vectors of 8 in a loop that steps by 4.
lir.kernel @step "accessed" (%x: tensor<16xf32>) -> tensor<16xf32> loops [#lir.loop<0, work 16, inc 4, dim 0, parallel>] {
  // expected-error@+1 {{U4: expected lir.load of 8 elements in a loop over the last dim that steps by as many, found 4}}
  %0 = lir.load %x {count = 8 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[16], sub [8]>, #lir.port<[16], sub [8]>]} : tensor<16xf32>
  %1 = snippets.relu %0 {lir.loops = array<i64: 0>, lir.ports = [#lir.port<[16], sub [8]>, #lir.port<[16], sub [8]>]} : tensor<16xf32>
  %2 = lir.store %1 {count = 8 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[16], sub [8]>, #lir.port<[16], sub [8]>]} : tensor<16xf32>
  lir.result %2 {index = 0 : i64, lir.ports = [#lir.port<[16], sub [8]>]} : tensor<16xf32>
}

// -----

// (U5) threads cannot share a loop that each of them runs again and again.
lir.kernel @parallel "accessed" (%x: tensor<16xf32>) -> tensor<16xf32> loops [#lir.loop<0, work 4, inc 1, dim 1>, #lir.loop<1, work 16, inc 8, dim 0, parallel>] {
  // expected-error@+1 {{U5: expected parallel loop 1 in parallel loops only, found it inside of loops [0]}}
  %0 = lir.load %x {count = 8 : i64, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[1, 16], sub [8]>, #lir.port<[1, 16], sub [8]>]} : tensor<16xf32>
  %1 = snippets.relu %0 {lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[1, 16], sub [8]>, #lir.port<[1, 16], sub [8]>]} : tensor<16xf32>
  %2 = lir.store %1 {count = 8 : i64, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[1, 16], sub [8]>, #lir.port<[1, 16], sub [8]>]} : tensor<16xf32>
  lir.result %2 {index = 0 : i64, lir.ports = [#lir.port<[16], sub [8]>]} : tensor<16xf32>
}

// -----

// expected-error@+1 {{expected @stage at stage accessed, found "linear"}}
lir.kernel @stage "linear" () -> () {
}
