// RUN: snippets-opt %s -p lir-insert-specific-iterations --split-input-file --verify-diagnostics

// expected-error @+2 {{loop 2: no handler is called "set-fill-ofset"; did you mean 'set-fill-offset'?}}
lir.kernel @unknown "looped" (%a: tensor<7xf32>) -> tensor<7xf32> loops [#lir.loop<0, work 7, inc 4, dim 0, handlers [last "set-fill-ofset" 3]>] {
  lir.loop_begin 0
  %0 = lir.load %a {count = 4 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[7], sub [4], loops [0: dim 0 ptr 1 fin -7]>, #lir.port<[7], sub [4]>]} : tensor<7xf32>
  %1 = snippets.abs %0 {lir.loops = array<i64: 0>, lir.ports = [#lir.port<[7], sub [4]>, #lir.port<[7], sub [4]>]} : tensor<7xf32>
  %2 = lir.store %1 {count = 4 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[7], sub [4]>, #lir.port<[7], sub [4], loops [0: dim 0 ptr 1 fin -7]>]} : tensor<7xf32>
  lir.loop_end 0
  lir.result %2 {index = 0 : i64, lir.ports = [#lir.port<[7], sub [4]>]} : tensor<7xf32>
}

// -----

// expected-error @+2 {{loop 1: expected a number of elements for handler "set-fill-offset", found none}}
lir.kernel @number "looped" (%a: tensor<8xf32>) -> tensor<8xf32> loops [#lir.loop<0, work 8, inc 4, dim 0, handlers [main "set-fill-offset"]>] {
  lir.loop_begin 0
  %0 = lir.load %a {count = 4 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[8], sub [4], loops [0: dim 0 ptr 1 fin -8]>, #lir.port<[8], sub [4]>]} : tensor<8xf32>
  %1 = snippets.abs %0 {lir.loops = array<i64: 0>, lir.ports = [#lir.port<[8], sub [4]>, #lir.port<[8], sub [4]>]} : tensor<8xf32>
  %2 = lir.store %1 {count = 4 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[8], sub [4]>, #lir.port<[8], sub [4], loops [0: dim 0 ptr 1 fin -8]>]} : tensor<8xf32>
  lir.loop_end 0
  lir.result %2 {index = 0 : i64, lir.ports = [#lir.port<[8], sub [4]>]} : tensor<8xf32>
}

// -----

// expected-error @+2 {{expected no handlers of the first iteration of loop 0: threads share it}}
lir.kernel @shared "looped" (%a: tensor<7xf32>) -> tensor<7xf32> loops [#lir.loop<0, work 7, inc 4, dim 0, parallel, handlers [first "set-fill-offset" 3]>] {
  lir.loop_begin 0
  %0 = lir.load %a {count = 4 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[7], sub [4], loops [0: dim 0 ptr 1 fin -7]>, #lir.port<[7], sub [4]>]} : tensor<7xf32>
  %1 = snippets.abs %0 {lir.loops = array<i64: 0>, lir.ports = [#lir.port<[7], sub [4]>, #lir.port<[7], sub [4]>]} : tensor<7xf32>
  %2 = lir.store %1 {count = 4 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[7], sub [4]>, #lir.port<[7], sub [4], loops [0: dim 0 ptr 1 fin -7]>]} : tensor<7xf32>
  lir.loop_end 0
  lir.result %2 {index = 0 : i64, lir.ports = [#lir.port<[7], sub [4]>]} : tensor<7xf32>
}

// -----

// expected-error @+2 {{loop 1: its vectors cannot have -1 lanes: how much it has to do is known only at run time}}
lir.kernel @rest "looped" (%a: tensor<8xf32>) -> tensor<8xf32> loops [#lir.loop<0, work 8, inc 4, dim 0, handlers [main "update-subtensors" -1]>] {
  lir.loop_begin 0
  %0 = lir.load %a {count = 4 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[8], sub [4], loops [0: dim 0 ptr 1 fin -8]>, #lir.port<[8], sub [4]>]} : tensor<8xf32>
  %1 = snippets.abs %0 {lir.loops = array<i64: 0>, lir.ports = [#lir.port<[8], sub [4]>, #lir.port<[8], sub [4]>]} : tensor<8xf32>
  %2 = lir.store %1 {count = 4 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[8], sub [4]>, #lir.port<[8], sub [4], loops [0: dim 0 ptr 1 fin -8]>]} : tensor<8xf32>
  lir.loop_end 0
  lir.result %2 {index = 0 : i64, lir.ports = [#lir.port<[8], sub [4]>]} : tensor<8xf32>
}

// -----

// expected-error @+1 {{expected `first`, `main` or `last`, and the name of a handler}}
lir.kernel @part "looped" (%a: tensor<8xf32>) -> tensor<8xf32> loops [#lir.loop<0, work 8, inc 4, dim 0, handlers [unrolled "set-fill-offset" 3]>] {
  lir.loop_begin 0
  %0 = lir.load %a {count = 4 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[8], sub [4], loops [0: dim 0 ptr 1 fin -8]>, #lir.port<[8], sub [4]>]} : tensor<8xf32>
  %1 = snippets.abs %0 {lir.loops = array<i64: 0>, lir.ports = [#lir.port<[8], sub [4]>, #lir.port<[8], sub [4]>]} : tensor<8xf32>
  %2 = lir.store %1 {count = 4 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[8], sub [4]>, #lir.port<[8], sub [4], loops [0: dim 0 ptr 1 fin -8]>]} : tensor<8xf32>
  lir.loop_end 0
  lir.result %2 {index = 0 : i64, lir.ports = [#lir.port<[8], sub [4]>]} : tensor<8xf32>
}
