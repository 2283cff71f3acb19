// RUN: snippets-opt %s -p lir-insert-loops --split-input-file --verify-diagnostics

// The ops of loop 0 do not stand together.
// expected-error @+1 {{in @apart: the ops of loop 0 do not stand together; run lir-fuse-loops}}
lir.kernel @apart "accessed" (%a: tensor<8xf32>) -> () loops [#lir.loop<0, work 8, inc 8, dim 0>, #lir.loop<1, work 8, inc 8, dim 0>] {
  %0 = lir.load %a {count = 8 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[8]>, #lir.port<[8]>]} : tensor<8xf32>
  %1 = lir.load %a {count = 8 : i64, lir.loops = array<i64: 1>, lir.ports = [#lir.port<[8]>, #lir.port<[8]>]} : tensor<8xf32>
  %2 = lir.load %a {count = 8 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[8]>, #lir.port<[8]>]} : tensor<8xf32>
}
