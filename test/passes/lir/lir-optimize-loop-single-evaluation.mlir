// RUN: snippets-opt %s -p lir-optimize-loop-single-evaluation | filecheck %s

// The main loop of one iteration and the tail move once; what the second loop of two iterations does is left.
// CHECK: lir.load %a {count = 8 : i64, {{.*}}loops [4: dim 0 ptr 0 fin 8]>
// CHECK: lir.load %a {count = 5 : i64, {{.*}}loops [7: dim 0 ptr 0 fin -8]>
// CHECK: lir.kernel @twin
// CHECK: lir.load %a {count = 8 : i64, {{.*}}loops [0: dim 0 ptr 1 fin -16]>
lir.kernel @gaps "expanded" (%a: tensor<13xf32>) -> tensor<13xf32> loops [#lir.loop<0, work 13, inc 8, dim 0>, #lir.loop<7, work 5, inc 5, dim 0, last of 0>, #lir.loop<4, work 8, inc 8, dim 0, main of 0>] {
  lir.loop_begin 4
  %0 = lir.load %a {count = 8 : i64, lir.loops = array<i64: 4>, lir.ports = [#lir.port<[13], sub [8], loops [4: dim 0 ptr 1 fin 0]>, #lir.port<[13], sub [8]>]} : tensor<13xf32>
  %1 = lir.store %0 {count = 8 : i64, lir.loops = array<i64: 4>, lir.ports = [#lir.port<[13], sub [8]>, #lir.port<[13], sub [8], loops [4: dim 0 ptr 1 fin 0]>]} : tensor<13xf32>
  lir.loop_end 4
  lir.loop_begin 7
  %2 = lir.load %a {count = 5 : i64, lir.loops = array<i64: 7>, lir.ports = [#lir.port<[13], sub [8], loops [7: dim 0 ptr 1 fin -13]>, #lir.port<[13], sub [8]>]} : tensor<13xf32>
  %3 = lir.store %2 {count = 5 : i64, lir.loops = array<i64: 7>, lir.ports = [#lir.port<[13], sub [8]>, #lir.port<[13], sub [8], loops [7: dim 0 ptr 1 fin -13]>]} : tensor<13xf32>
  lir.loop_end 7
  lir.result %1, %3 {index = 0 : i64, lir.ports = [#lir.port<[13]>, #lir.port<[13]>]} : tensor<13xf32>
}

lir.kernel @twin "expanded" (%a: tensor<16xf32>) -> tensor<16xf32> loops [#lir.loop<0, work 16, inc 8, dim 0>] {
  lir.loop_begin 0
  %0 = lir.load %a {count = 8 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[16], sub [8], loops [0: dim 0 ptr 1 fin -16]>, #lir.port<[16], sub [8]>]} : tensor<16xf32>
  %1 = lir.store %0 {count = 8 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[16], sub [8]>, #lir.port<[16], sub [8], loops [0: dim 0 ptr 1 fin -16]>]} : tensor<16xf32>
  lir.loop_end 0
  lir.result %1 {index = 0 : i64, lir.ports = [#lir.port<[16]>]} : tensor<16xf32>
}
