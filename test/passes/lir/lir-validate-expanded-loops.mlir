// RUN: snippets-opt %s -p lir-validate-expanded-loops --split-input-file --disable-verify --verify-diagnostics

// expected-error @+1 {{E1: expected the parts of loop 0 to have 13 units of work together, found 12}}
lir.kernel @work "expanded" (%a: tensor<13xf32>) -> () loops [#lir.loop<0, work 13, inc 8, dim 0>, #lir.loop<1, work 8, inc 8, dim 0, main of 0>, #lir.loop<2, work 4, inc 4, dim 0, last of 0>] {
  lir.loop_begin 1
  lir.loop_end 1
  lir.loop_begin 2
  lir.loop_end 2
}

// -----

lir.kernel @early "expanded" (%a: tensor<13xf32>) -> () loops [#lir.loop<0, work 13, inc 8, dim 0>, #lir.loop<1, work 8, inc 8, dim 0, main of 0>, #lir.loop<2, work 5, inc 5, dim 0, last of 0>] {
  lir.loop_begin 1
  // expected-error @+1 {{E1: expected no finalization offset in loop 1, which other parts follow, found -8}}
  %0 = lir.load %a {count = 8 : i64, lir.loops = array<i64: 1>, lir.ports = [#lir.port<[13], sub [8], loops [1: dim 0 ptr 1 fin -8]>, #lir.port<[13], sub [8]>]} : tensor<13xf32>
  lir.loop_end 1
  lir.loop_begin 2
  lir.loop_end 2
}

// -----

lir.kernel @back "expanded" (%a: tensor<13xf32>) -> () loops [#lir.loop<0, work 13, inc 8, dim 0>, #lir.loop<1, work 8, inc 8, dim 0, main of 0>, #lir.loop<2, work 5, inc 5, dim 0, last of 0>] {
  lir.loop_begin 1
  lir.loop_end 1
  lir.loop_begin 2
  // expected-error @+1 {{E2: over all parts of loop 0 the pointer of lir.load moves by 8 elements; expected a finalization offset of -13 in loop 2}}
  %0 = lir.load %a {count = 5 : i64, lir.loops = array<i64: 2>, lir.ports = [#lir.port<[13], sub [8], loops [2: dim 0 ptr 1 fin -5]>, #lir.port<[13], sub [8]>]} : tensor<13xf32>
  lir.loop_end 2
}

// -----

lir.kernel @tail "expanded" (%a: tensor<13xf32>) -> () loops [#lir.loop<0, work 13, inc 8, dim 0>] {
  lir.loop_begin 0
  // expected-error @+1 {{E3: loop 0 has a tail of 5; run lir-insert-specific-iterations}}
  %0 = lir.load %a {count = 8 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[13], sub [8], loops [0: dim 0 ptr 1 fin -13]>, #lir.port<[13], sub [8]>]} : tensor<13xf32>
  lir.loop_end 0
}

// -----

// What the pipeline makes passes.
lir.kernel @right "expanded" (%a: tensor<13xf32>) -> () loops [#lir.loop<0, work 13, inc 8, dim 0>, #lir.loop<1, work 8, inc 8, dim 0, main of 0>, #lir.loop<2, work 5, inc 5, dim 0, last of 0>] {
  lir.loop_begin 1
  %0 = lir.load %a {count = 8 : i64, lir.loops = array<i64: 1>, lir.ports = [#lir.port<[13], sub [8], loops [1: dim 0 ptr 1 fin 0]>, #lir.port<[13], sub [8]>]} : tensor<13xf32>
  lir.loop_end 1
  lir.loop_begin 2
  %1 = lir.load %a {count = 5 : i64, lir.loops = array<i64: 2>, lir.ports = [#lir.port<[13], sub [8], loops [2: dim 0 ptr 1 fin -13]>, #lir.port<[13], sub [8]>]} : tensor<13xf32>
  lir.loop_end 2
}
