// RUN: snippets-opt %s -p lir-insert-loops --split-input-file --verify-diagnostics

// The ops of loop 0 do not stand together.
// expected-error @+1 {{in @apart: the ops of loop 0 do not stand together; run lir-fuse-loops}}
lir.kernel @apart "accessed" (%a: tensor<8xf32>) -> () loops [#lir.loop<0, work 8, inc 8, dim 0>, #lir.loop<1, work 8, inc 8, dim 0>] {
  %0 = lir.load %a {count = 8 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[8]>, #lir.port<[8], sub [8]>]} : tensor<8xf32>
  %1 = lir.load %a {count = 8 : i64, lir.loops = array<i64: 1>, lir.ports = [#lir.port<[8]>, #lir.port<[8], sub [8]>]} : tensor<8xf32>
  %2 = lir.load %a {count = 8 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[8]>, #lir.port<[8], sub [8]>]} : tensor<8xf32>
}

// -----

// The innermost loop has to walk the dim of a scan.
lir.kernel @order "accessed" (%x: tensor<4x8xf32>) -> tensor<4x8xf32> loops [#lir.loop<0, work 4, inc 1, dim 1>, #lir.loop<1, work 8, inc 8, dim 0>] {
  %0 = lir.load %x {count = 8 : i64, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[4, 8], sub [8]>, #lir.port<[4, 8], sub [8]>]} : tensor<4x8xf32>
  // expected-error @+1 {{expected a loop over all of dim 1 innermost around lir.scan, found loops [0, 1]; run lir-mark-loops before lir-insert-loops}}
  %1 = lir.scan %0 {kind = "sum", dim = 1 : i64, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[4, 8], sub [8]>, #lir.port<[4, 8], sub [8]>]} : tensor<4x8xf32>
  %2 = lir.store %1 {count = 8 : i64, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[4, 8], sub [8]>, #lir.port<[4, 8], sub [8]>]} : tensor<4x8xf32>
  lir.result %2 {index = 0 : i64, lir.ports = [#lir.port<[4, 8], sub [8]>]} : tensor<4x8xf32>
}
