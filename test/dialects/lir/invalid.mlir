// RUN: snippets-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{L1: in @k: expected a stage of linear, marked}}
lir.kernel @k "late" () -> () {
}

// -----

// expected-error @+1 {{L2: in @k: expected snippets.relu to have 2 ports in `lir.ports`, found 1}}
lir.kernel @k "linear" (%a: tensor<4xf32>) -> () {
  %0 = snippets.relu %a {lir.ports = [#lir.port<[4]>]} : tensor<4xf32>
}

// -----

// expected-error @+1 {{L3: in @k: expected results 0 to 0 once each, found [1]}}
lir.kernel @k "linear" (%a: tensor<4xf32>) -> tensor<4xf32> {
  lir.result %a {index = 1 : i64, lir.ports = [#lir.port<[4]>]} : tensor<4xf32>
}

// -----

// expected-error @+1 {{L3: in @k: expected result 0 of tensor<8xf32>, found tensor<4xf32>}}
lir.kernel @k "linear" (%a: tensor<4xf32>) -> tensor<8xf32> {
  lir.result %a {index = 0 : i64, lir.ports = [#lir.port<[4]>]} : tensor<4xf32>
}

// -----

// expected-error @+1 {{L4: in @k: snippets.relu names loop 7, which is not in the table}}
lir.kernel @k "marked" (%a: tensor<4xf32>) -> () {
  %0 = snippets.relu %a {lir.loops = array<i64: 7>, lir.ports = [#lir.port<[4]>, #lir.port<[4]>]} : tensor<4xf32>
}

// -----

// expected-error @+1 {{expected a distance of 0 or more, found -1}}
lir.kernel @k "marked" () -> () loops [#lir.loop<0, work 4, inc 4, dim 0, diagonal -1 of 0>] {
}

// -----

// expected-error @+1 {{Expected 'from'}}
lir.kernel @k "marked" () -> () loops [#lir.loop<0, work 4, inc 4, dim 0, for ?0 above 6>] {
}

// -----

// expected-error @+1 {{expected a distance of 0 or more, found ?0 + -1}}
lir.kernel @k "marked" () -> () loops [#lir.loop<0, work 4, inc 4, dim 0, diagonal ?0 + -1 of 0>] {
}

// -----

// expected-error @+1 {{L4: in @k: loop 0 names loop 7, which is not in the table}}
lir.kernel @k "marked" () -> () loops [#lir.loop<0, work 4, inc 4, dim 0, diagonal 0 of 7>] {
}

// -----

// expected-error @+1 {{L4: in @k: expected snippets.relu in loop 1, around loop 0 that ends at its diagonal, found loops [0]}}
lir.kernel @k "marked" (%a: tensor<8x4xf32>) -> () loops [#lir.loop<0, work 4, inc 4, dim 0, diagonal 0 of 1>, #lir.loop<1, work 8, inc 1, dim 1>] {
  %0 = snippets.relu %a {lir.loops = array<i64: 0>, lir.ports = [#lir.port<[8, 4]>, #lir.port<[8, 4]>]} : tensor<8x4xf32>
}

// -----

// expected-error @+1 {{L4: in @k: expected lir.buffer outside of loop 0: 2 of its iterations run together, and each would need a buffer of its own}}
lir.kernel @k "accessed" (%a: tensor<8x4xf32>) -> () loops [#lir.loop<0, work 8, inc 1, dim 1, jam 2>] {
  %0 = lir.store %a {count = 4 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[8, 4]>, #lir.port<[1, 4]>]} : tensor<8x4xf32>
  %1 = lir.buffer %0 {lir.loops = array<i64: 0>, lir.ports = [#lir.port<[1, 4]>, #lir.port<[1, 4]>]} : tensor<8x4xf32>
}

// -----

// expected-error @+1 {{L4: in @k: loop 0 walks dim 1, counted from the last; the ports have 1 dims}}
lir.kernel @k "marked" (%a: tensor<4xf32>) -> () loops [#lir.loop<0, work 4, inc 4, dim 1>] {
  %0 = snippets.relu %a {lir.loops = array<i64: 0>, lir.ports = [#lir.port<[4]>, #lir.port<[4]>]} : tensor<4xf32>
}

// -----

// expected-error @+1 {{L4: in @k: in loop 0 a port of [4] moves along dim 1, counted from the last}}
lir.kernel @k "marked" (%a: tensor<4xf32>) -> () loops [#lir.loop<0, work 4, inc 4, dim 0>] {
  %0 = snippets.relu %a {lir.loops = array<i64: 0>, lir.ports = [#lir.port<[4], loops [0: dim 1 ptr 1 fin -4]>, #lir.port<[4]>]} : tensor<4xf32>
}

// -----

// expected-error @+1 {{L4: in @k: expected unique loop ids in the table}}
lir.kernel @k "marked" () -> () loops [#lir.loop<0, work 4, inc 4, dim 0>, #lir.loop<0, work 4, inc 4, dim 0>] {
}

// -----

// expected-error @+1 {{L5: in @k: loop 0 has no lir.loop_end}}
lir.kernel @k "looped" () -> () loops [#lir.loop<0, work 4, inc 4, dim 0>] {
  lir.loop_begin 0
}

// -----

// expected-error @+1 {{L5: in @k: lir.loop_end 0 closes no open loop}}
lir.kernel @k "looped" () -> () loops [#lir.loop<0, work 4, inc 4, dim 0>, #lir.loop<1, work 4, inc 4, dim 0>] {
  lir.loop_begin 0
  lir.loop_begin 1
  lir.loop_end 0
  lir.loop_end 1
}

// -----

// expected-error @+1 {{L5: in @k: expected lir.load in loops [0], found [] in `lir.loops`}}
lir.kernel @k "looped" (%a: tensor<4xf32>) -> () loops [#lir.loop<0, work 4, inc 4, dim 0>] {
  lir.loop_begin 0
  %0 = lir.load %a {count = 4 : i64, lir.loops = array<i64>, lir.ports = [#lir.port<[4]>, #lir.port<[4]>]} : tensor<4xf32>
  lir.loop_end 0
}

// -----

// expected-error @+1 {{L6: in @k: snippets.relu in loops [] uses a value defined in loops [0]}}
lir.kernel @k "looped" (%a: tensor<4xf32>) -> () loops [#lir.loop<0, work 4, inc 4, dim 0>] {
  lir.loop_begin 0
  %0 = lir.load %a {count = 4 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[4]>, #lir.port<[4]>]} : tensor<4xf32>
  lir.loop_end 0
  %1 = snippets.relu %0 {lir.loops = array<i64>, lir.ports = [#lir.port<[4]>, #lir.port<[4]>]} : tensor<4xf32>
}

// -----

// expected-error @+1 {{L7: in @k: expected snippets.relu to read an argument through a lir.load}}
lir.kernel @k "accessed" (%a: tensor<4xf32>) -> () {
  %0 = snippets.relu %a {lir.loops = array<i64>, lir.ports = [#lir.port<[4]>, #lir.port<[4]>]} : tensor<4xf32>
}

// -----

// expected-error @+1 {{L8: in @k: over loop 0 the pointer of lir.load moves by 2 elements; expected a finalization offset of -4, found -2}}
lir.kernel @k "accessed" (%a: tensor<4xf32>) -> () loops [#lir.loop<0, work 4, inc 4, dim 0>] {
  %0 = lir.load %a {count = 4 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[4], loops [0: dim 0 ptr 1 fin -2]>, #lir.port<[4]>]} : tensor<4xf32>
}

// -----

// expected-error @+1 {{L9: in @k: loop 0 has a tail of 1; run lir-insert-specific-iterations}}
lir.kernel @k "expanded" () -> () loops [#lir.loop<0, work 5, inc 4, dim 0>] {
}

// -----

// expected-error @+2 {{expected an increment of at least 1}}
lir.kernel @k "marked" () -> ()
  loops [#lir.loop<0, work 5, inc 0, dim 0>] {
}

// -----

lir.kernel @k "linear" (%a: tensor<8xf32>) -> () {
  // expected-error @+1 {{expected lir.accumulate of kind sum, prod, max, maxnum, min, found "mean"}}
  %0 = lir.accumulate %a {kind = "mean", lir.loops = array<i64>, lir.ports = [#lir.port<[8]>, #lir.port<[8]>]} : tensor<8xf32>
}

// -----

lir.kernel @k "linear" (%a: tensor<8xi32>) -> () {
  // expected-error @+1 {{expected floats for lir.horizon of kind maxnum, found i32; max is for integers}}
  %0 = lir.horizon %a {kind = "maxnum", lir.loops = array<i64>, lir.ports = [#lir.port<[8]>, #lir.port<[1]>]} : (tensor<8xi32>) -> tensor<1xi32>
}

// -----

lir.kernel @k "linear" (%a: tensor<8xf32>) -> () {
  // expected-error @+1 {{expected lir.prefix of kind sum, prod, max, min, found "maxnum"}}
  %0 = lir.prefix %a {kind = "maxnum", lir.loops = array<i64>, lir.ports = [#lir.port<[8]>, #lir.port<[8]>]} : tensor<8xf32>
}

// -----

lir.kernel @k "linear" (%a: tensor<8xf32>) -> () {
  // expected-error @+1 {{expected lir.scan along a dim of 0 or more, found -1}}
  %0 = lir.scan %a {kind = "sum", dim = -1 : i64, lir.loops = array<i64>, lir.ports = [#lir.port<[8]>, #lir.port<[8]>]} : tensor<8xf32>
}

// -----

lir.kernel @k "linear" (%a: tensor<4x8xf32>) -> () {
  // expected-error @+1 {{expected lir.scan along dim 0, found 1}}
  %0 = lir.scan %a {kind = "sum", dim = 1 : i64, prefixed, lir.loops = array<i64>, lir.ports = [#lir.port<[4, 8]>, #lir.port<[4, 8]>]} : tensor<4x8xf32>
}

// -----

lir.kernel @k "linear" (%a: tensor<8xf32>) -> () {
  // expected-error @+1 {{expected lir.buffer to take the targets of lir.store ops, found an argument}}
  %0 = lir.buffer %a {lir.loops = array<i64>, lir.ports = [#lir.port<[8]>, #lir.port<[8]>]} : tensor<8xf32>
}

// -----

// expected-error @+1 {{L7: in @k: expected snippets.relu to read memory through a lir.load}}
lir.kernel @k "accessed" (%a: tensor<8xf32>) -> () loops [#lir.loop<0, work 8, inc 8, dim 0>] {
  %0 = lir.load %a {count = 8 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[8]>, #lir.port<[8]>]} : tensor<8xf32>
  %1 = lir.store %0 {count = 8 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[8]>, #lir.port<[8]>]} : tensor<8xf32>
  %2 = lir.buffer %1 {lir.loops = array<i64>, lir.ports = [#lir.port<[8]>, #lir.port<[8]>]} : tensor<8xf32>
  %3 = snippets.relu %2 {lir.loops = array<i64: 0>, lir.ports = [#lir.port<[8]>, #lir.port<[8]>]} : tensor<8xf32>
}

// -----

// expected-error @+1 {{L8: in @k: expected lir.load to find its pointer where the iteration of the kernel began, found it 16 bytes away: a loop before does not take it back}}
lir.kernel @k "expanded" (%a: tensor<4xf32>) -> () loops [#lir.loop<0, work 4, inc 4, dim 0>, #lir.loop<1, work 4, inc 4, dim 0>] {
  lir.loop_begin 0
  %0 = lir.load %a {count = 4 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[4], sub [4], loops [0: dim 0 ptr 1 fin 0]>, #lir.port<[4], sub [4]>]} : tensor<4xf32>
  lir.loop_end 0
  lir.loop_begin 1
  %1 = lir.load %a {count = 4 : i64, lir.loops = array<i64: 1>, lir.ports = [#lir.port<[4], sub [4], loops [1: dim 0 ptr 1 fin -4]>, #lir.port<[4], sub [4]>]} : tensor<4xf32>
  lir.loop_end 1
}

// -----

// expected-error @+1 {{L8: in @k: expected the units of the parallel loop 0 to take each pointer back, found one that ends 16 bytes away}}
lir.kernel @k "expanded" (%a: tensor<2x4xf32>) -> () loops [#lir.loop<0, work 2, inc 1, dim 1, parallel>, #lir.loop<1, work 4, inc 4, dim 0>] {
  lir.loop_begin 0
  lir.loop_begin 1
  %0 = lir.load %a {count = 4 : i64, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[2, 4], sub [4], loops [0: dim 1 fixed, 1: dim 0 ptr 1 fin 0]>, #lir.port<[2, 4], sub [4]>]} : tensor<2x4xf32>
  lir.loop_end 1
  lir.loop_end 0
}

// -----

// expected-error @+1 {{L10: in @k: expected lir.load without an offset before the loops are inserted, found 8}}
lir.kernel @k "accessed" (%a: tensor<16xf32>) -> () loops [#lir.loop<0, work 8, inc 8, dim 0>] {
  %0 = lir.load %a {count = 8 : i64, offset = 8 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[16], sub [8]>, #lir.port<[16], sub [8]>]} : tensor<16xf32>
}

// -----

// expected-error @+1 {{L11: in @k: expected loop 0, of which loop 1 is a part, in the table and over dim 0, found none}}
lir.kernel @k "looped" () -> () loops [#lir.loop<1, work 8, inc 8, dim 0, main of 0>] {
}

// -----

// expected-error @+1 {{L11: in @k: expected loop 0, of which loop 1 is a part, in the table and over dim 0, found one over dim 1}}
lir.kernel @k "looped" () -> () loops [#lir.loop<0, work 8, inc 8, dim 1>, #lir.loop<1, work 8, inc 8, dim 0, main of 0>] {
}

// -----

// expected-error @+1 {{L11: in @k: expected the increment of the unrolled loop 1 to be a multiple of 8, that of loop 0, found 12}}
lir.kernel @k "looped" () -> () loops [#lir.loop<0, work 24, inc 8, dim 0>, #lir.loop<1, work 24, inc 12, dim 0, unrolled of 0>] {
}

// -----

// expected-error @+1 {{L11: in @k: expected loop 2 to do what is left of loop 1, which is known at run time, by a divisor of 8, found work 8 by 4}}
lir.kernel @k "expanded" () -> () loops [#lir.loop<0, work ?0, inc 8, dim 0>, #lir.loop<1, work ?0, inc 8, dim 0, whole of 0>, #lir.loop<2, work 8, inc 4, dim 0, inner of 1>] {
}

// -----

// expected-error @+1 {{L11: in @k: expected loop 2 to do what is left of loop 1, which is known at run time, by a divisor of 8, found work ?0 by 3}}
lir.kernel @k "expanded" () -> () loops [#lir.loop<0, work ?0, inc 8, dim 0>, #lir.loop<1, work ?0, inc 8, dim 0, whole of 0>, #lir.loop<2, work ?0, inc 3, dim 0, inner of 1>] {
}

// -----

// expected-error @+1 {{L12: in @k: expected a register on port 1 of lir.load, found none}}
lir.kernel @k "assigned" (%a: tensor<8xf32>) -> () attributes {lir.slots = 1 : i64} {
  %0 = lir.load %a {count = 8 : i64, lir.loops = array<i64>, lir.ports = [#lir.port<[8], sub [8], reg "gpr0">, #lir.port<[8], sub [8]>]} : tensor<8xf32>
}

// -----

// expected-error @+1 {{L12: in @k: expected a register of vec on port 1 of lir.load}}
lir.kernel @k "assigned" (%a: tensor<8xf32>) -> () attributes {lir.slots = 1 : i64} {
  %0 = lir.load %a {count = 8 : i64, lir.loops = array<i64>, lir.ports = [#lir.port<[8], sub [8], reg "gpr0">, #lir.port<[8], sub [8], reg "mask0">]} : tensor<8xf32>
}

// -----

// expected-error @+1 {{L12: in @k: expected a general-purpose register on port 0 of lir.load}}
lir.kernel @k "assigned" (%a: tensor<8xf32>) -> () attributes {lir.slots = 1 : i64} {
  %0 = lir.load %a {count = 8 : i64, lir.loops = array<i64>, lir.ports = [#lir.port<[8], sub [8], reg "vec0">, #lir.port<[8], sub [8], reg "vec1">]} : tensor<8xf32>
}

// -----

// expected-error @+1 {{L12: in @k: expected a physical register on port 1 of lir.load; run lir-insert-reg-spills}}
lir.kernel @k "assigned" (%a: tensor<8xf32>) -> () attributes {lir.slots = 1 : i64} {
  %0 = lir.load %a {count = 8 : i64, lir.loops = array<i64>, lir.ports = [#lir.port<[8], sub [8], reg "gpr0">, #lir.port<[8], sub [8], reg "%vec1">]} : tensor<8xf32>
}

// -----

// expected-error @+1 {{L12: in @k: expected a register of vec on port 1 of lir.load}}
lir.kernel @k "assigned" (%a: tensor<8xf32>) -> () attributes {lir.slots = 1 : i64} {
  %0 = lir.load %a {count = 8 : i64, lir.loops = array<i64>, lir.ports = [#lir.port<[8], sub [8], reg "gpr0">, #lir.port<[8], sub [8], reg "vec1/slot0">]} : tensor<8xf32>
}

// -----

// expected-error @+1 {{L12: in @k: expected registers as vec3, mask1+mask2 or gpr0/slot2, found 'xmm3'}}
lir.kernel @k "assigned" (%a: tensor<8xf32>) -> () attributes {lir.slots = 1 : i64} {
  %0 = lir.load %a {count = 8 : i64, lir.loops = array<i64>, lir.ports = [#lir.port<[8], sub [8], reg "gpr0">, #lir.port<[8], sub [8], reg "xmm3">]} : tensor<8xf32>
}

// -----

// expected-error @+1 {{L12: in @k: port 0 of snippets.abs names a slot, but its value is in a register}}
lir.kernel @k "assigned" (%a: tensor<8xf32>) -> () attributes {lir.slots = 1 : i64} {
  %0 = lir.load %a {count = 8 : i64, lir.loops = array<i64>, lir.ports = [#lir.port<[8], sub [8], reg "gpr0">, #lir.port<[8], sub [8], reg "vec0">]} : tensor<8xf32>
  %1 = snippets.abs %0 {lir.loops = array<i64>, lir.ports = [#lir.port<[8], sub [8], reg "slot0">, #lir.port<[8], sub [8], reg "vec1">]} : tensor<8xf32>
}

// -----

// expected-error @+1 {{L12: in @k: expected a slot on port 1 of lir.spill, found a register}}
lir.kernel @k "assigned" (%a: tensor<8xf32>) -> () attributes {lir.slots = 1 : i64} {
  %0 = lir.load %a {count = 8 : i64, lir.loops = array<i64>, lir.ports = [#lir.port<[8], sub [8], reg "gpr0">, #lir.port<[8], sub [8], reg "vec0">]} : tensor<8xf32>
  %1 = lir.spill %0 {lir.loops = array<i64>, lir.ports = [#lir.port<[8], sub [8], reg "vec0">, #lir.port<[8], sub [8], reg "vec1">]} : tensor<8xf32>
}

// -----

// expected-error @+1 {{L14: in @k: lir.spill names slot1; the kernel has 1 slots}}
lir.kernel @k "assigned" (%a: tensor<8xf32>) -> () attributes {lir.slots = 1 : i64} {
  %0 = lir.load %a {count = 8 : i64, lir.loops = array<i64>, lir.ports = [#lir.port<[8], sub [8], reg "gpr0">, #lir.port<[8], sub [8], reg "vec0">]} : tensor<8xf32>
  %1 = lir.spill %0 {lir.loops = array<i64>, lir.ports = [#lir.port<[8], sub [8], reg "vec0">, #lir.port<[8], sub [8], reg "slot1">]} : tensor<8xf32>
}

// -----

// expected-error @+1 {{L13: in @k: expected value 0 that loop 0 carries at one place, found vec0, vec0, vec1, vec0}}
lir.kernel @k "assigned" (%a: tensor<8xf32>) -> () loops [#lir.loop<0, work 8, inc 8, dim 0>] attributes {lir.slots = 1 : i64} {
  %0 = lir.load %a {count = 8 : i64, lir.loops = array<i64>, lir.ports = [#lir.port<[8], sub [8], reg "gpr0">, #lir.port<[8], sub [8], reg "vec0">]} : tensor<8xf32>
  %1 = lir.loop_begin 0 (%0) : tensor<8xf32> {lir.ports = [#lir.port<[8], sub [8], reg "vec0">, #lir.port<[8], sub [8], reg "vec0">]}
  %2 = lir.loop_end 0 (%1) : tensor<8xf32> {lir.ports = [#lir.port<[8], sub [8], reg "vec1">, #lir.port<[8], sub [8], reg "vec0">]}
}

// -----

// expected-error @+1 {{L12: in @k: expected ports on lir.loop_begin 0, which carries values, found none}}
lir.kernel @k "assigned" (%a: tensor<8xf32>) -> () loops [#lir.loop<0, work 8, inc 8, dim 0>] attributes {lir.slots = 1 : i64} {
  %0 = lir.load %a {count = 8 : i64, lir.loops = array<i64>, lir.ports = [#lir.port<[8], sub [8], reg "gpr0">, #lir.port<[8], sub [8], reg "vec0">]} : tensor<8xf32>
  %1 = lir.loop_begin 0 (%0) : tensor<8xf32>
  %2 = lir.loop_end 0 (%1) : tensor<8xf32>
}

// -----

lir.kernel @k "linear" (%a: tensor<8xf32>) -> () {
  // expected-error @+1 {{expected lir.reg_spill_begin to save registers as vec3/slot1, found vec3}}
  lir.reg_spill_begin ["vec3"]
}

// -----

lir.kernel @k "linear" (%a: tensor<8xf32>) -> () {
  // expected-error @+1 {{expected lir.move to keep the type tensor<8xf32>, found tensor<4xf32>}}
  %0 = lir.move %a {lir.ports = [#lir.port<[8]>, #lir.port<[4]>]} : (tensor<8xf32>) -> tensor<4xf32>
}

// -----

// expected-error @+1 {{L15: in @k: expected a non-temporal store to write a result of the kernel and no buffer}}
lir.kernel @k "looped" (%a: tensor<64xf32>) -> () loops [#lir.loop<0, work 64, inc 8, dim 0>, #lir.loop<1, work 64, inc 8, dim 0>] {
  lir.loop_begin 0
  %0 = lir.load %a {count = 8 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[64], sub [8], loops [0: dim 0 ptr 1 fin -64]>, #lir.port<[64], sub [8]>]} : tensor<64xf32>
  %1 = lir.store %0 {count = 8 : i64, nontemporal, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[64], sub [8]>, #lir.port<[64], sub [8], loops [0: dim 0 ptr 1 fin -64]>]} : tensor<64xf32>
  lir.loop_end 0
  %2 = lir.buffer %1 {lir.ports = [#lir.port<[64]>, #lir.port<[64]>], lir.loops = array<i64>} : tensor<64xf32>
}

// -----

// A tail is masked.
// expected-error @+1 {{L15: in @k: expected a non-temporal store of whole vectors of 16 bytes or more and of neighbours, found 5 elements in 32 bytes}}
lir.kernel @k "looped" (%a: tensor<64xf32>) -> tensor<64xf32> loops [#lir.loop<0, work 64, inc 8, dim 0>] {
  lir.loop_begin 0
  %0 = lir.load %a {count = 8 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[64], sub [8], loops [0: dim 0 ptr 1 fin -64]>, #lir.port<[64], sub [8]>]} : tensor<64xf32>
  %1 = lir.store %0 {count = 5 : i64, nontemporal, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[64], sub [8]>, #lir.port<[64], sub [8], loops [0: dim 0 ptr 1 fin -64]>]} : tensor<64xf32>
  lir.loop_end 0
  lir.result %1 {index = 0 : i64, lir.ports = [#lir.port<[64]>]} : tensor<64xf32>
}

// -----

// Three elements of 4 bytes are not a vector.
// expected-error @+1 {{L15: in @k: expected a non-temporal store of whole vectors of 16 bytes or more and of neighbours, found 3 elements in 12 bytes}}
lir.kernel @k "looped" (%a: tensor<63xf32>) -> tensor<63xf32> loops [#lir.loop<0, work 63, inc 3, dim 0>] {
  lir.loop_begin 0
  %0 = lir.load %a {count = 3 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[63], sub [3], loops [0: dim 0 ptr 1 fin -63]>, #lir.port<[63], sub [3]>]} : tensor<63xf32>
  %1 = lir.store %0 {count = 3 : i64, nontemporal, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[63], sub [3]>, #lir.port<[63], sub [3], loops [0: dim 0 ptr 1 fin -63]>]} : tensor<63xf32>
  lir.loop_end 0
  lir.result %1 {index = 0 : i64, lir.ports = [#lir.port<[63]>]} : tensor<63xf32>
}

// -----

// expected-error @+1 {{L15: in @k: expected a non-temporal store in a loop over the last dim of its array}}
lir.kernel @k "looped" (%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = lir.load %a {count = 8 : i64, lir.loops = array<i64>, lir.ports = [#lir.port<[8], sub [8]>, #lir.port<[8], sub [8]>]} : tensor<8xf32>
  %1 = lir.store %0 {count = 8 : i64, nontemporal, lir.loops = array<i64>, lir.ports = [#lir.port<[8], sub [8]>, #lir.port<[8], sub [8]>]} : tensor<8xf32>
  lir.result %1 {index = 0 : i64, lir.ports = [#lir.port<[8]>]} : tensor<8xf32>
}

// -----

// The loop over rows is the innermost one.
// expected-error @+1 {{L15: in @k: expected a non-temporal store in a loop over the last dim of its array}}
lir.kernel @k "looped" (%a: tensor<4x8xf32>) -> tensor<4x8xf32> loops [#lir.loop<0, work 4, inc 1, dim 1>] {
  lir.loop_begin 0
  %0 = lir.load %a {count = 8 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[4, 8], sub [8], loops [0: dim 1 ptr 8 fin -32]>, #lir.port<[4, 8], sub [8]>]} : tensor<4x8xf32>
  %1 = lir.store %0 {count = 8 : i64, nontemporal, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[4, 8], sub [8]>, #lir.port<[4, 8], sub [8], loops [0: dim 1 ptr 8 fin -32]>]} : tensor<4x8xf32>
  lir.loop_end 0
  lir.result %1 {index = 0 : i64, lir.ports = [#lir.port<[4, 8]>]} : tensor<4x8xf32>
}

// -----

// expected-error @+1 {{L15: in @k: expected `nontemporal_from` of 1 or more on a store with `nontemporal`}}
lir.kernel @k "looped" (%a: tensor<64xf32>) -> tensor<64xf32> loops [#lir.loop<0, work 64, inc 8, dim 0>] {
  lir.loop_begin 0
  %0 = lir.load %a {count = 8 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[64], sub [8], loops [0: dim 0 ptr 1 fin -64]>, #lir.port<[64], sub [8]>]} : tensor<64xf32>
  %1 = lir.store %0 {count = 8 : i64, nontemporal_from = 100 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[64], sub [8]>, #lir.port<[64], sub [8], loops [0: dim 0 ptr 1 fin -64]>]} : tensor<64xf32>
  lir.loop_end 0
  lir.result %1 {index = 0 : i64, lir.ports = [#lir.port<[64]>]} : tensor<64xf32>
}

// -----

// A static loop has nothing to ask a call for.
// expected-error @+1 {{L15: in @k: expected `nontemporal_from` in a kernel with one loop, parallel and dynamic, found loops [0]}}
lir.kernel @k "looped" (%a: tensor<64xf32>) -> tensor<64xf32> loops [#lir.loop<0, work 64, inc 8, dim 0, parallel>] {
  lir.loop_begin 0
  %0 = lir.load %a {count = 8 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[64], sub [8], loops [0: dim 0 ptr 1 fin -64]>, #lir.port<[64], sub [8]>]} : tensor<64xf32>
  %1 = lir.store %0 {count = 8 : i64, nontemporal, nontemporal_from = 100 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[64], sub [8]>, #lir.port<[64], sub [8], loops [0: dim 0 ptr 1 fin -64]>]} : tensor<64xf32>
  lir.loop_end 0
  lir.result %1 {index = 0 : i64, lir.ports = [#lir.port<[64]>]} : tensor<64xf32>
}

// -----

// expected-error @+1 {{L16: in @k: expected loop 0, which has no work, not to be parallel}}
lir.kernel @k "linear" () -> () loops [#lir.loop<0, work 0, inc 8, dim 0, parallel>] {
}

// -----

// expected-error @+1 {{L16: in @k: expected a store of tensor<8xf32> in loops with work, found loop 0}}
lir.kernel @k "looped" (%a: tensor<8xf32>) -> tensor<8xf32> loops [#lir.loop<0, work 0, inc 1, dim 1>] {
  lir.loop_begin 0
  %0 = lir.load %a {count = 8 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[1, 8], sub [8]>, #lir.port<[1, 8], sub [8]>]} : tensor<8xf32>
  %1 = lir.store %0 {count = 8 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[1, 8], sub [8]>, #lir.port<[1, 8], sub [8]>]} : tensor<8xf32>
  lir.loop_end 0
  lir.result %1 {index = 0 : i64, lir.ports = [#lir.port<[1, 8]>]} : tensor<8xf32>
}

// -----

// expected-error @+1 {{L17: in @missing_output: expected a buffer of f32 in an output of that type, found output 1}}
lir.kernel @missing_output "marked" (%a: tensor<8xf32>) -> tensor<8xf32> loops [] {
  %1 = lir.store %a {count = 8 : i64, lir.loops = array<i64>, lir.ports = [#lir.port<[8]>, #lir.port<[8]>]} : tensor<8xf32>
  %2 = lir.buffer %1 {output = 1 : i64, lir.loops = array<i64>, lir.ports = [#lir.port<[8]>, #lir.port<[8]>]} : tensor<8xf32>
  %3 = lir.store %2 {count = 8 : i64, lir.loops = array<i64>, lir.ports = [#lir.port<[8]>, #lir.port<[8]>]} : tensor<8xf32>
  lir.result %3 {index = 0 : i64, lir.ports = [#lir.port<[8]>]} : tensor<8xf32>
}

// -----

// expected-error @+1 {{L17: in @other_elements: expected a buffer of f32 in an output of that type, found output 0 of tensor<8xi32>}}
lir.kernel @other_elements "marked" (%a: tensor<8xf32>, %b: tensor<8xi32>) -> tensor<8xi32> loops [] {
  %1 = lir.store %a {count = 8 : i64, lir.loops = array<i64>, lir.ports = [#lir.port<[8]>, #lir.port<[8]>]} : tensor<8xf32>
  %2 = lir.buffer %1 {output = 0 : i64, lir.loops = array<i64>, lir.ports = [#lir.port<[8]>, #lir.port<[8]>]} : tensor<8xf32>
  %3 = lir.store %b {count = 8 : i64, lir.loops = array<i64>, lir.ports = [#lir.port<[8]>, #lir.port<[8]>]} : tensor<8xi32>
  lir.result %3 {index = 0 : i64, lir.ports = [#lir.port<[8]>]} : tensor<8xi32>
}

// -----

lir.kernel @two_places "marked" (%a: tensor<8xf32>) -> tensor<8xf32> loops [] {
  %1 = lir.store %a {count = 8 : i64, lir.loops = array<i64>, lir.ports = [#lir.port<[8]>, #lir.port<[8]>]} : tensor<8xf32>
  // expected-error @+1 {{expected lir.buffer with `offset` or `output`, found both}}
  %2 = lir.buffer %1 {output = 0 : i64, offset = 0 : i64, lir.loops = array<i64>, lir.ports = [#lir.port<[8]>, #lir.port<[8]>]} : tensor<8xf32>
  lir.result %1 {index = 0 : i64, lir.ports = [#lir.port<[8]>]} : tensor<8xf32>
}

// -----

lir.kernel @product "linear" (%a: tensor<4x3x1xf32>, %b: tensor<1x2x5xf32>) -> tensor<4x1x5xf32> {
  // expected-error @+1 {{lir.brgemm: expected operands of rank 3 or more that broadcast, found 4x3x1 and 1x2x5}}
  %0 = lir.brgemm %a, %b {lir.ports = [#lir.port<[4, 3, 1]>, #lir.port<[1, 2, 5]>, #lir.port<[4, 1, 5]>]} : (tensor<4x3x1xf32>, tensor<1x2x5xf32>) -> tensor<4x1x5xf32>
}

// -----

lir.kernel @product "linear" (%a: tensor<4x3x1xf32>, %b: tensor<1x3x5xf32>) -> tensor<4x3x5xf32> {
  // expected-error @+1 {{lir.brgemm: expected a result of 4x1x5, found 4x3x5}}
  %0 = lir.brgemm %a, %b {lir.ports = [#lir.port<[4, 3, 1]>, #lir.port<[1, 3, 5]>, #lir.port<[4, 3, 5]>]} : (tensor<4x3x1xf32>, tensor<1x3x5xf32>) -> tensor<4x3x5xf32>
}

// -----

lir.kernel @product "linear" (%a: tensor<4x3x1xf32>, %b: tensor<1x3x5xf64>) -> tensor<4x1x5xf32> {
  // expected-error @+1 {{lir.brgemm: expected one element type, found f32, f64}}
  %0 = lir.brgemm %a, %b {lir.ports = [#lir.port<[4, 3, 1]>, #lir.port<[1, 3, 5]>, #lir.port<[4, 1, 5]>]} : (tensor<4x3x1xf32>, tensor<1x3x5xf64>) -> tensor<4x1x5xf32>
}

// -----

lir.kernel @copied "linear" (%a: tensor<1x3x5xf32>) -> tensor<1x3x5xf64> {
  // expected-error @+1 {{lir.brgemm_copy_b: expected a result of tensor<1x3x5xf32>, found tensor<1x3x5xf64>}}
  %0 = lir.brgemm_copy_b %a {lir.ports = [#lir.port<[1, 3, 5]>, #lir.port<[1, 3, 5]>]} : (tensor<1x3x5xf32>) -> tensor<1x3x5xf64>
}

// -----

lir.kernel @wide "linear" (%a: tensor<2x3x4xf32>) -> () {
  // expected-error @+1 {{lir.panels: expected [panels, rows, width] of a matrix tensor<1x3x9xf32>, found tensor<2x3x4xf32>}}
  %0 = lir.panels %a {lir.ports = [#lir.port<[2, 3, 4]>, #lir.port<[1, 3, 9]>]} : (tensor<2x3x4xf32>) -> tensor<1x3x9xf32>
}

// -----

lir.kernel @both "linear" (%a: tensor<3x4xf32>) -> () {
  // expected-error @+1 {{expected panels of at least 1 column, and no layout with them}}
  %0 = snippets.relu %a {lir.ports = [#lir.port<[3, 4], layout [1, 0], panels 4>, #lir.port<[3, 4]>]} : tensor<3x4xf32>
}

// -----

// expected-error @+1 {{L18: in @few: expected parts with the 8 elements of result 0, found 7}}
lir.kernel @few "linear" (%a: tensor<3xf32>, %b: tensor<4xf32>) -> tensor<8xf32> {
  %0 = snippets.relu %a {lir.loops = array<i64>, lir.ports = [#lir.port<[3]>, #lir.port<[3]>]} : tensor<3xf32>
  %1 = snippets.relu %b {lir.loops = array<i64>, lir.ports = [#lir.port<[4]>, #lir.port<[4]>]} : tensor<4xf32>
  %2 = lir.part %0 {offset = 0 : i64, lir.loops = array<i64>, lir.ports = [#lir.port<[3]>, #lir.port<[8]>]} : (tensor<3xf32>) -> tensor<8xf32>
  %3 = lir.part %1 {offset = 3 : i64, lir.loops = array<i64>, lir.ports = [#lir.port<[4]>, #lir.port<[8]>]} : (tensor<4xf32>) -> tensor<8xf32>
  lir.result %2, %3 {index = 0 : i64, lir.ports = [#lir.port<[3], strides [1]>, #lir.port<[4], strides [1]>]} : tensor<8xf32>
}

// -----

// expected-error @+1 {{L18: in @twice: parts of result 0 overlap}}
lir.kernel @twice "linear" (%a: tensor<4xf32>) -> tensor<8xf32> {
  %0 = snippets.relu %a {lir.loops = array<i64>, lir.ports = [#lir.port<[4]>, #lir.port<[4]>]} : tensor<4xf32>
  %2 = lir.part %0 {offset = 0 : i64, lir.loops = array<i64>, lir.ports = [#lir.port<[4]>, #lir.port<[8]>]} : (tensor<4xf32>) -> tensor<8xf32>
  %3 = lir.part %0 {offset = 3 : i64, lir.loops = array<i64>, lir.ports = [#lir.port<[4]>, #lir.port<[8]>]} : (tensor<4xf32>) -> tensor<8xf32>
  lir.result %2, %3 {index = 0 : i64, lir.ports = [#lir.port<[4], strides [1]>, #lir.port<[4], strides [1]>]} : tensor<8xf32>
}

// -----

// expected-error @+1 {{L18: in @wide_loop: expected snippets.relu, a part of an output, in loops of its own sizes, found loop 0 of work 7}}
lir.kernel @wide_loop "marked" (%a: tensor<1xf32>, %b: tensor<7xf32>) -> tensor<8xf32> loops [#lir.loop<0, work 7, inc 1, dim 0>] {
  %0 = snippets.relu %a {lir.loops = array<i64: 0>, lir.ports = [#lir.port<[1]>, #lir.port<[1]>]} : tensor<1xf32>
  %1 = snippets.relu %b {lir.loops = array<i64: 0>, lir.ports = [#lir.port<[7]>, #lir.port<[7]>]} : tensor<7xf32>
  %2 = lir.part %0 {offset = 0 : i64, lir.loops = array<i64>, lir.ports = [#lir.port<[1]>, #lir.port<[8]>]} : (tensor<1xf32>) -> tensor<8xf32>
  %3 = lir.part %1 {offset = 1 : i64, lir.loops = array<i64>, lir.ports = [#lir.port<[7]>, #lir.port<[8]>]} : (tensor<7xf32>) -> tensor<8xf32>
  lir.result %2, %3 {index = 0 : i64, lir.ports = [#lir.port<[1], strides [1]>, #lir.port<[7], strides [1]>]} : tensor<8xf32>
}

// -----

lir.kernel @outside "linear" (%a: tensor<4xf32>) -> () {
  // expected-error @+1 {{lir.part: expected tensor<4xf32> inside of tensor<8xf32>, found it at offset 5}}
  %0 = lir.part %a {offset = 5 : i64, lir.ports = [#lir.port<[4]>, #lir.port<[8]>]} : (tensor<4xf32>) -> tensor<8xf32>
}

// -----

lir.kernel @other_part "linear" (%a: tensor<4xf32>) -> () {
  // expected-error @+1 {{lir.part: expected a part of tensor<8xf64>, found tensor<4xf32>}}
  %0 = lir.part %a {offset = 0 : i64, lir.ports = [#lir.port<[4]>, #lir.port<[8]>]} : (tensor<4xf32>) -> tensor<8xf64>
}

// -----

lir.kernel @no_step "accessed" (%x: tensor<7xf32>, %i: tensor<5xi64>) -> () {
  %0 = lir.load %i {count = 1 : i64, lir.ports = [#lir.port<[5]>, #lir.port<[5]>]} : tensor<5xi64>
  // expected-error @+1 {{lir.gather: expected a limit and a step for each of 1 places}}
  %1 = lir.gather %x, %0 {count = 1 : i64, limits = [6 : i64], steps = [], lir.ports = [#lir.port<[1]>, #lir.port<[5]>, #lir.port<[5]>]} : (tensor<7xf32>, tensor<5xi64>) -> tensor<5xf32>
}

// -----

// expected-error @+1 {{L7: in @place_in_memory: expected lir.gather to read an argument through a lir.load}}
lir.kernel @place_in_memory "accessed" (%x: tensor<7xf32>, %i: tensor<5xi64>) -> () {
  %1 = lir.gather %x, %i {count = 1 : i64, limits = [6 : i64], steps = [1 : i64], lir.ports = [#lir.port<[1]>, #lir.port<[5]>, #lir.port<[5]>]} : (tensor<7xf32>, tensor<5xi64>) -> tensor<5xf32>
}

// -----

lir.kernel @k "accessed" (%a: tensor<4xi32>) -> () loops [#lir.loop<0, work 4, inc 4, dim 0>] {
  %0 = lir.load %a {count = 4 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[4], sub [4]>, #lir.port<[4], sub [4]>]} : tensor<4xi32>
  // expected-error @+1 {{expected floats of one type in lir.store with `accumulate`, found i32}}
  %1 = lir.store %0 {count = 4 : i64, accumulate, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[4], sub [4]>, #lir.port<[4], sub [4]>]} : tensor<4xi32>
}

// -----

lir.kernel @k "accessed" (%a: tensor<4xf32>) -> tensor<4xf32> loops [#lir.loop<0, work 4, inc 4, dim 0>] {
  %0 = lir.load %a {count = 4 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[4], sub [4]>, #lir.port<[4], sub [4]>]} : tensor<4xf32>
  // expected-error @+1 {{expected the target of lir.store with `accumulate` in a lir.buffer, found lir.result}}
  %1 = lir.store %0 {count = 4 : i64, accumulate, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[4], sub [4]>, #lir.port<[4], sub [4]>]} : tensor<4xf32>
  lir.result %1 {index = 0 : i64, lir.ports = [#lir.port<[4], sub [4]>]} : tensor<4xf32>
}

// -----

lir.kernel @k "accessed" (%a: tensor<4xf32>) -> () loops [#lir.loop<0, work 4, inc 4, dim 0>] {
  %0 = lir.load %a {count = 4 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[4], sub [4]>, #lir.port<[4], sub [4]>]} : tensor<4xf32>
  // expected-error @+1 {{expected lir.store with `accumulate` or `nontemporal`, found both}}
  %1 = lir.store %0 {count = 4 : i64, accumulate, nontemporal, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[4], sub [4]>, #lir.port<[4], sub [4]>]} : tensor<4xf32>
}

// -----

lir.kernel @k "accessed" (%a: tensor<4xf32>) -> () loops [#lir.loop<0, work 4, inc 4, dim 0>] {
  %0 = lir.load %a {count = 4 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[4], sub [4]>, #lir.port<[4], sub [4]>]} : tensor<4xf32>
  %1 = lir.store %0 {count = 4 : i64, accumulate, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[4], sub [4]>, #lir.port<[4], sub [4]>]} : tensor<4xf32>
  // expected-error @+1 {{expected a store in lir.buffer that fills it, found only some with `accumulate`}}
  %2 = lir.buffer %1 {lir.loops = array<i64>, lir.ports = [#lir.port<[4]>, #lir.port<[4]>]} : tensor<4xf32>
}

// -----

// expected-error @+1 {{L19: in @k: expected lir.store of 4 elements, as its ports say, found a count of 2}}
lir.kernel @k "accessed" (%a: tensor<4xf32>) -> tensor<4xf32> loops [#lir.loop<0, work 4, inc 4, dim 0>] {
  %0 = lir.load %a {count = 4 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[4], sub [4]>, #lir.port<[4], sub [4]>]} : tensor<4xf32>
  %1 = lir.store %0 {count = 2 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[4], sub [4]>, #lir.port<[4], sub [4]>]} : tensor<4xf32>
  lir.result %1 {index = 0 : i64, lir.ports = [#lir.port<[4], sub [4]>]} : tensor<4xf32>
}

// -----

// expected-error @+1 {{L19: in @k: expected lir.load of 1 to 4 elements, found a count of 0}}
lir.kernel @k "expanded" (%a: tensor<4xf32>) -> tensor<4xf32> loops [#lir.loop<0, work 4, inc 4, dim 0>] {
  lir.loop_begin 0
  %0 = lir.load %a {count = 0 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[4], sub [4], loops [0: dim 0 fixed]>, #lir.port<[4], sub [4]>]} : tensor<4xf32>
  %1 = lir.store %0 {count = 4 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[4], sub [4]>, #lir.port<[4], sub [4], loops [0: dim 0 fixed]>]} : tensor<4xf32>
  lir.loop_end 0
  lir.result %1 {index = 0 : i64, lir.ports = [#lir.port<[4], sub [4]>]} : tensor<4xf32>
}

// -----

// expected-error @+1 {{L19: in @k: expected lir.broadcast_load of 1 elements, as its ports say, found a count of 4}}
lir.kernel @k "accessed" (%a: tensor<1xf32>) -> () loops [#lir.loop<0, work 4, inc 4, dim 0>] {
  %0 = lir.broadcast_load %a {count = 4 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[1], sub [1]>, #lir.port<[4], sub [4]>]} : (tensor<1xf32>) -> tensor<4xf32>
}

// -----

// expected-error @+1 {{L20: in @k: expected snippets.relu to read 12 elements 2 apart of a slice, found a port of 12 elements 1 apart}}
lir.kernel @k "linear" (%a: tensor<3x8xf32>) -> tensor<3x4xf32> {
  %0 = snippets.slice %a {starts = array<i64: 0, 0>, steps = array<i64: 1, 2>, lir.ports = [#lir.port<[3, 8]>, #lir.port<[3, 4]>]} : (tensor<3x8xf32>) -> tensor<3x4xf32>
  %1 = snippets.relu %0 {lir.ports = [#lir.port<[3, 4], strides [4, 1]>, #lir.port<[3, 4]>]} : tensor<3x4xf32>
  lir.result %1 {index = 0 : i64, lir.ports = [#lir.port<[3, 4]>]} : tensor<3x4xf32>
}

// -----

// expected-error @+1 {{L20: in @k: expected strides for 2 dims of a port, found 1}}
lir.kernel @k "linear" (%a: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %0 = snippets.relu %a {lir.ports = [#lir.port<[3, 4], strides [4]>, #lir.port<[3, 4]>]} : tensor<3x4xf32>
  lir.result %0 {index = 0 : i64, lir.ports = [#lir.port<[3, 4]>]} : tensor<3x4xf32>
}

// -----

// expected-error @+1 {{L20: in @k: expected snippets.relu to read 3 elements 1 apart, 4 elements 3 apart of a transpose, found a port of 12 elements 1 apart}}
lir.kernel @k "marked" (%a: tensor<4x3xf32>) -> tensor<3x4xf32> loops [#lir.loop<0, work 3, inc 1, dim 1, parallel>, #lir.loop<1, work 4, inc 4, dim 0>] {
  %t = snippets.transpose %a {permutation = array<i64: 1, 0>, lir.loops = array<i64>, lir.ports = [#lir.port<[4, 3]>, #lir.port<[3, 4]>]} : (tensor<4x3xf32>) -> tensor<3x4xf32>
  %0 = snippets.relu %t {lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[3, 4], sub [4]>, #lir.port<[3, 4], sub [4]>]} : tensor<3x4xf32>
  lir.result %0 {index = 0 : i64, lir.ports = [#lir.port<[3, 4], sub [4]>]} : tensor<3x4xf32>
}

// -----

// L20 does not fire: the port has the order of the transpose.
lir.kernel @k "marked" (%a: tensor<4x3xf32>) -> tensor<3x4xf32> loops [#lir.loop<0, work 3, inc 1, dim 1, parallel>, #lir.loop<1, work 4, inc 4, dim 0>] {
  %t = snippets.transpose %a {permutation = array<i64: 1, 0>, lir.loops = array<i64>, lir.ports = [#lir.port<[4, 3]>, #lir.port<[3, 4]>]} : (tensor<4x3xf32>) -> tensor<3x4xf32>
  %0 = snippets.relu %t {lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[3, 4], layout [1, 0], sub [4]>, #lir.port<[3, 4], sub [4]>]} : tensor<3x4xf32>
  lir.result %0 {index = 0 : i64, lir.ports = [#lir.port<[3, 4], sub [4]>]} : tensor<3x4xf32>
}

// -----

// expected-error @+1 {{L21: in @k: expected snippets.relu to have a port with the elements of [16, 33], found [16, 1]}}
lir.kernel @k "linear" (%a: tensor<16x33xf32>) -> tensor<16x33xf32> {
  %0 = snippets.relu %a {lir.ports = [#lir.port<[16, 1]>, #lir.port<[16, 33]>]} : tensor<16x33xf32>
  lir.result %0 {index = 0 : i64, lir.ports = [#lir.port<[16, 33]>]} : tensor<16x33xf32>
}

// -----

// expected-error @+1 {{L21: in @k: expected operands of snippets.relu to broadcast to [33, 16], found [16, 33]}}
lir.kernel @k "linear" (%a: tensor<16x33xf32>) -> tensor<16x33xf32> {
  %0 = snippets.relu %a {lir.ports = [#lir.port<[16, 33]>, #lir.port<[33, 16]>]} : tensor<16x33xf32>
  lir.result %0 {index = 0 : i64, lir.ports = [#lir.port<[16, 33]>]} : tensor<16x33xf32>
}

// -----

// L21 does not fire: dims are collapsed, a row is repeated, and lanes of partial results are fewer than what they hold.
lir.kernel @k "marked" (%a: tensor<16x33xf32>, %b: tensor<33xf32>) -> tensor<16x1xf32> loops [#lir.loop<0, work 16, inc 1, dim 1, parallel>, #lir.loop<1, work 33, inc 8, dim 0>] {
  %0 = snippets.add %a, %b {lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[16, 33], sub [8]>, #lir.port<[1, 33], sub [8]>, #lir.port<[16, 33], sub [8]>]} : (tensor<16x33xf32>, tensor<33xf32>) -> tensor<16x33xf32>
  %f = lir.fill %0 {offset = 8 : i64, value = 0xff800000 : f32, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[16, 33], sub [8]>, #lir.port<[16, 33], sub [8]>]} : tensor<16x33xf32>
  %1 = lir.accumulate %f {kind = "max", lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[16, 33], sub [8]>, #lir.port<[16, 8], sub [8]>]} : tensor<16x33xf32>
  %2 = lir.horizon %1 {kind = "max", lir.loops = array<i64: 0>, lir.ports = [#lir.port<[16, 8], sub [8]>, #lir.port<[16, 1], sub [1]>]} : (tensor<16x33xf32>) -> tensor<16x1xf32>
  lir.result %2 {index = 0 : i64, lir.ports = [#lir.port<[16, 1], sub [1]>]} : tensor<16x1xf32>
}

// -----

// expected-error @+1 {{L22: in @k: expected snippets.abs to read [16, 33] by 8, as it is made, found [16, 33] by 4}}
lir.kernel @k "marked" (%a: tensor<16x33xf32>) -> tensor<16x33xf32> loops [#lir.loop<0, work 16, inc 1, dim 1, parallel>, #lir.loop<1, work 33, inc 8, dim 0>] {
  %0 = snippets.relu %a {lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[16, 33], sub [8]>, #lir.port<[16, 33], sub [8]>]} : tensor<16x33xf32>
  %1 = snippets.abs %0 {lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[16, 33], sub [4]>, #lir.port<[16, 33], sub [8]>]} : tensor<16x33xf32>
  lir.result %1 {index = 0 : i64, lir.ports = [#lir.port<[16, 33]>]} : tensor<16x33xf32>
}

// -----

// expected-error @+1 {{L22: in @k: expected lir.accumulate to make [16, 8], found [16, 9]}}
lir.kernel @k "marked" (%a: tensor<16x33xf32>) -> tensor<16x1xf32> loops [#lir.loop<0, work 16, inc 1, dim 1, parallel>, #lir.loop<1, work 33, inc 8, dim 0>] {
  %0 = snippets.relu %a {lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[16, 33], sub [8]>, #lir.port<[16, 33], sub [8]>]} : tensor<16x33xf32>
  %f = lir.fill %0 {offset = 8 : i64, value = 0.000000e+00 : f32, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[16, 33], sub [8]>, #lir.port<[16, 33], sub [8]>]} : tensor<16x33xf32>
  %1 = lir.accumulate %f {kind = "sum", lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[16, 33], sub [8]>, #lir.port<[16, 9], sub [8]>]} : tensor<16x33xf32>
  %2 = lir.horizon %1 {kind = "sum", lir.loops = array<i64: 0>, lir.ports = [#lir.port<[16, 9], sub [8]>, #lir.port<[16, 1], sub [1]>]} : (tensor<16x33xf32>) -> tensor<16x1xf32>
  lir.result %2 {index = 0 : i64, lir.ports = [#lir.port<[16, 1], sub [1]>]} : tensor<16x1xf32>
}

// -----

// L22 holds in loops that have markers, too:
// expected-error @+1 {{L22: in @k: expected snippets.abs to read [37] by 8, as it is made, found [37] by 4}}
lir.kernel @k "looped" (%x: tensor<37xf32>) -> tensor<37xf32> loops [#lir.loop<0, work 37, inc 8, dim 0, parallel>] {
  lir.loop_begin 0
  %0 = lir.load %x {count = 8 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[37], sub [8], loops [0: dim 0 ptr 1 fin -37]>, #lir.port<[37], sub [8]>]} : tensor<37xf32>
  %1 = snippets.relu %0 {lir.loops = array<i64: 0>, lir.ports = [#lir.port<[37], sub [8]>, #lir.port<[37], sub [8]>]} : tensor<37xf32>
  %2 = snippets.abs %1 {lir.loops = array<i64: 0>, lir.ports = [#lir.port<[37], sub [4]>, #lir.port<[37], sub [8]>]} : tensor<37xf32>
  %3 = lir.store %2 {count = 8 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[37], sub [8]>, #lir.port<[37], sub [8], loops [0: dim 0 ptr 1 fin -37]>]} : tensor<37xf32>
  lir.loop_end 0
  lir.result %3 {index = 0 : i64, lir.ports = [#lir.port<[37]>]} : tensor<37xf32>
}

// -----

// expected-error @+1 {{L22: in @k: expected lir.store to read [37] by 4, as it is made, found [37] by 8}}
lir.kernel @k "looped" (%x: tensor<37xf32>) -> tensor<37xf32> loops [#lir.loop<0, work 37, inc 8, dim 0, parallel>] {
  lir.loop_begin 0
  %0 = lir.load %x {count = 8 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[37], sub [8], loops [0: dim 0 ptr 1 fin -37]>, #lir.port<[37], sub [8]>]} : tensor<37xf32>
  %1 = snippets.relu %0 {lir.loops = array<i64: 0>, lir.ports = [#lir.port<[37], sub [8]>, #lir.port<[37], sub [8]>]} : tensor<37xf32>
  %2 = snippets.abs %1 {lir.loops = array<i64: 0>, lir.ports = [#lir.port<[37], sub [8]>, #lir.port<[37], sub [4]>]} : tensor<37xf32>
  %3 = lir.store %2 {count = 8 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[37], sub [8]>, #lir.port<[37], sub [8], loops [0: dim 0 ptr 1 fin -37]>]} : tensor<37xf32>
  lir.loop_end 0
  lir.result %3 {index = 0 : i64, lir.ports = [#lir.port<[37]>]} : tensor<37xf32>
}

// -----

// and does not fire where all tiles are equal; a result has none.
lir.kernel @k "looped" (%x: tensor<37xf32>) -> tensor<37xf32> loops [#lir.loop<0, work 37, inc 8, dim 0, parallel>] {
  lir.loop_begin 0
  %0 = lir.load %x {count = 8 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[37], sub [8], loops [0: dim 0 ptr 1 fin -37]>, #lir.port<[37], sub [8]>]} : tensor<37xf32>
  %1 = snippets.relu %0 {lir.loops = array<i64: 0>, lir.ports = [#lir.port<[37], sub [8]>, #lir.port<[37], sub [8]>]} : tensor<37xf32>
  %2 = snippets.abs %1 {lir.loops = array<i64: 0>, lir.ports = [#lir.port<[37], sub [8]>, #lir.port<[37], sub [8]>]} : tensor<37xf32>
  %3 = lir.store %2 {count = 8 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[37], sub [8]>, #lir.port<[37], sub [8], loops [0: dim 0 ptr 1 fin -37]>]} : tensor<37xf32>
  lir.loop_end 0
  lir.result %3 {index = 0 : i64, lir.ports = [#lir.port<[37]>]} : tensor<37xf32>
}

// -----

// expected-error @+1 {{L23: in @k: expected snippets.relu in a loop that walks the 16 elements of [16, 33] in dim 1, counted from the last, found loop 0 of 1}}
lir.kernel @k "marked" (%a: tensor<16x33xf32>) -> tensor<16x33xf32> loops [#lir.loop<0, work 1, inc 1, dim 1, parallel>, #lir.loop<1, work 33, inc 8, dim 0>] {
  %0 = snippets.relu %a {lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[16, 33], sub [8]>, #lir.port<[16, 33], sub [8]>]} : tensor<16x33xf32>
  lir.result %0 {index = 0 : i64, lir.ports = [#lir.port<[16, 33], sub [8]>]} : tensor<16x33xf32>
}

// -----

// expected-error @+1 {{L23: in @k: expected loop 0 to move by 1, which snippets.relu handles at a time, found an increment of 2}}
lir.kernel @k "marked" (%a: tensor<16x33xf32>) -> tensor<16x33xf32> loops [#lir.loop<0, work 16, inc 2, dim 1, parallel>, #lir.loop<1, work 33, inc 8, dim 0>] {
  %0 = snippets.relu %a {lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[16, 33], sub [8]>, #lir.port<[16, 33], sub [8]>]} : tensor<16x33xf32>
  lir.result %0 {index = 0 : i64, lir.ports = [#lir.port<[16, 33], sub [8]>]} : tensor<16x33xf32>
}

// -----

// expected-error @+1 {{L23: in @k: expected loop 1 to move by 8, which snippets.relu handles at a time, found an increment of 16}}
lir.kernel @k "marked" (%a: tensor<16x33xf32>) -> tensor<16x33xf32> loops [#lir.loop<0, work 16, inc 1, dim 1, parallel>, #lir.loop<1, work 33, inc 16, dim 0>] {
  %0 = snippets.relu %a {lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[16, 33], sub [8]>, #lir.port<[16, 33], sub [8]>]} : tensor<16x33xf32>
  lir.result %0 {index = 0 : i64, lir.ports = [#lir.port<[16, 33], sub [8]>]} : tensor<16x33xf32>
}

// -----

// expected-error @+1 {{L23: in @k: expected snippets.relu in a loop that walks the 33 elements of [16, 33] in dim 0, counted from the last, found none}}
lir.kernel @k "marked" (%a: tensor<16x33xf32>) -> tensor<16x33xf32> loops [#lir.loop<0, work 16, inc 1, dim 1, parallel>, #lir.loop<1, work 33, inc 8, dim 0>] {
  %0 = snippets.relu %a {lir.loops = array<i64: 0>, lir.ports = [#lir.port<[16, 33], sub [8]>, #lir.port<[16, 33], sub [8]>]} : tensor<16x33xf32>
  lir.result %0 {index = 0 : i64, lir.ports = [#lir.port<[16, 33], sub [8]>]} : tensor<16x33xf32>
}

// -----

// expected-error @+1 {{L23: in @k: expected loop 2, of work 3, inside of loop 0, with that increment and over dim 1, around snippets.relu}}
lir.kernel @k "marked" (%a: tensor<16x33xf32>) -> tensor<16x33xf32> loops [#lir.loop<0, work 16, inc 4, dim 1, parallel>, #lir.loop<1, work 33, inc 8, dim 0>, #lir.loop<2, work 3, inc 1, dim 1, inner of 0>] {
  %0 = snippets.relu %a {lir.loops = array<i64: 0, 2, 1>, lir.ports = [#lir.port<[16, 33], sub [8]>, #lir.port<[16, 33], sub [8]>]} : tensor<16x33xf32>
  lir.result %0 {index = 0 : i64, lir.ports = [#lir.port<[16, 33], sub [8]>]} : tensor<16x33xf32>
}

// -----

// expected-error @+1 {{L23: in @k: expected snippets.relu in one loop over dim 1, found loops 0 and 2}}
lir.kernel @k "marked" (%a: tensor<16x33xf32>) -> tensor<16x33xf32> loops [#lir.loop<0, work 16, inc 1, dim 1, parallel>, #lir.loop<1, work 33, inc 8, dim 0>, #lir.loop<2, work 16, inc 1, dim 1>] {
  %0 = snippets.relu %a {lir.loops = array<i64: 0, 2, 1>, lir.ports = [#lir.port<[16, 33], sub [8]>, #lir.port<[16, 33], sub [8]>]} : tensor<16x33xf32>
  lir.result %0 {index = 0 : i64, lir.ports = [#lir.port<[16, 33], sub [8]>]} : tensor<16x33xf32>
}

// -----

// expected-error @+1 {{L24: in @k: expected lir.fill with 0xff800000 : f32, which is neutral for max, before lir.accumulate, found 0.000000e+00 : f32}}
lir.kernel @k "marked" (%a: tensor<16x33xf32>) -> tensor<16x1xf32> loops [#lir.loop<0, work 16, inc 1, dim 1, parallel>, #lir.loop<1, work 33, inc 8, dim 0>] {
  %0 = snippets.relu %a {lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[16, 33], sub [8]>, #lir.port<[16, 33], sub [8]>]} : tensor<16x33xf32>
  %f = lir.fill %0 {offset = 8 : i64, value = 0.000000e+00 : f32, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[16, 33], sub [8]>, #lir.port<[16, 33], sub [8]>]} : tensor<16x33xf32>
  %1 = lir.accumulate %f {kind = "max", lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[16, 33], sub [8]>, #lir.port<[16, 8], sub [8]>]} : tensor<16x33xf32>
  %2 = lir.horizon %1 {kind = "max", lir.loops = array<i64: 0>, lir.ports = [#lir.port<[16, 8], sub [8]>, #lir.port<[16, 1], sub [1]>]} : (tensor<16x33xf32>) -> tensor<16x1xf32>
  lir.result %2 {index = 0 : i64, lir.ports = [#lir.port<[16, 1], sub [1]>]} : tensor<16x1xf32>
}

// -----

// expected-error @+1 {{L24: in @k: expected lir.accumulate to read a lir.fill, since the last vector of its loop may be short}}
lir.kernel @k "marked" (%a: tensor<16x33xf32>) -> tensor<16x1xf32> loops [#lir.loop<0, work 16, inc 1, dim 1, parallel>, #lir.loop<1, work 33, inc 8, dim 0>] {
  %0 = snippets.relu %a {lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[16, 33], sub [8]>, #lir.port<[16, 33], sub [8]>]} : tensor<16x33xf32>
  %1 = lir.accumulate %0 {kind = "sum", lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[16, 33], sub [8]>, #lir.port<[16, 8], sub [8]>]} : tensor<16x33xf32>
  %2 = lir.horizon %1 {kind = "sum", lir.loops = array<i64: 0>, lir.ports = [#lir.port<[16, 8], sub [8]>, #lir.port<[16, 1], sub [1]>]} : (tensor<16x33xf32>) -> tensor<16x1xf32>
  lir.result %2 {index = 0 : i64, lir.ports = [#lir.port<[16, 1], sub [1]>]} : tensor<16x1xf32>
}

// -----

// expected-error @+1 {{L24: in @k: expected lir.fill at offset 8, all lanes, before there are tails, found 4}}
lir.kernel @k "marked" (%a: tensor<16x33xf32>) -> tensor<16x1xf32> loops [#lir.loop<0, work 16, inc 1, dim 1, parallel>, #lir.loop<1, work 33, inc 8, dim 0>] {
  %0 = snippets.relu %a {lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[16, 33], sub [8]>, #lir.port<[16, 33], sub [8]>]} : tensor<16x33xf32>
  %f = lir.fill %0 {offset = 4 : i64, value = 0.000000e+00 : f32, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[16, 33], sub [8]>, #lir.port<[16, 33], sub [8]>]} : tensor<16x33xf32>
  %1 = lir.accumulate %f {kind = "sum", lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[16, 33], sub [8]>, #lir.port<[16, 8], sub [8]>]} : tensor<16x33xf32>
  %2 = lir.horizon %1 {kind = "sum", lir.loops = array<i64: 0>, lir.ports = [#lir.port<[16, 8], sub [8]>, #lir.port<[16, 1], sub [1]>]} : (tensor<16x33xf32>) -> tensor<16x1xf32>
  lir.result %2 {index = 0 : i64, lir.ports = [#lir.port<[16, 1], sub [1]>]} : tensor<16x1xf32>
}

// -----

// L22 to L24 do not fire: a block of rows in a loop over blocks,
lir.kernel @k "marked" (%a: tensor<16x33xf32>) -> tensor<16x33xf32> loops [#lir.loop<0, work 16, inc 4, dim 1, parallel>, #lir.loop<1, work 33, inc 8, dim 0>, #lir.loop<2, work 4, inc 1, dim 1, inner of 0>] {
  %0 = snippets.relu %a {lir.loops = array<i64: 0, 2, 1>, lir.ports = [#lir.port<[16, 33], sub [8]>, #lir.port<[16, 33], sub [8]>]} : tensor<16x33xf32>
  lir.result %0 {index = 0 : i64, lir.ports = [#lir.port<[16, 33], sub [8]>]} : tensor<16x33xf32>
}

// -----

// nor where no vector of a reduction is short,
lir.kernel @k "marked" (%a: tensor<16x32xf32>) -> tensor<16x1xf32> loops [#lir.loop<0, work 16, inc 1, dim 1, parallel>, #lir.loop<1, work 32, inc 8, dim 0>] {
  %0 = snippets.relu %a {lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[16, 32], sub [8]>, #lir.port<[16, 32], sub [8]>]} : tensor<16x32xf32>
  %1 = lir.accumulate %0 {kind = "sum", lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[16, 32], sub [8]>, #lir.port<[16, 8], sub [8]>]} : tensor<16x32xf32>
  %2 = lir.horizon %1 {kind = "sum", lir.loops = array<i64: 0>, lir.ports = [#lir.port<[16, 8], sub [8]>, #lir.port<[16, 1], sub [1]>]} : (tensor<16x32xf32>) -> tensor<16x1xf32>
  lir.result %2 {index = 0 : i64, lir.ports = [#lir.port<[16, 1], sub [1]>]} : tensor<16x1xf32>
}

// -----

// nor with neutral lanes after one that is.
lir.kernel @k "marked" (%a: tensor<16x33xf32>) -> tensor<16x1xf32> loops [#lir.loop<0, work 16, inc 1, dim 1, parallel>, #lir.loop<1, work 33, inc 8, dim 0>] {
  %0 = snippets.relu %a {lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[16, 33], sub [8]>, #lir.port<[16, 33], sub [8]>]} : tensor<16x33xf32>
  %f = lir.fill %0 {offset = 8 : i64, value = 0.000000e+00 : f32, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[16, 33], sub [8]>, #lir.port<[16, 33], sub [8]>]} : tensor<16x33xf32>
  %1 = lir.accumulate %f {kind = "sum", lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[16, 33], sub [8]>, #lir.port<[16, 8], sub [8]>]} : tensor<16x33xf32>
  %2 = lir.horizon %1 {kind = "sum", lir.loops = array<i64: 0>, lir.ports = [#lir.port<[16, 8], sub [8]>, #lir.port<[16, 1], sub [1]>]} : (tensor<16x33xf32>) -> tensor<16x1xf32>
  lir.result %2 {index = 0 : i64, lir.ports = [#lir.port<[16, 1], sub [1]>]} : tensor<16x1xf32>
}

// -----

// expected-error @+1 {{L12: in @k: expected registers as vec3, mask1+mask2 or gpr0/slot2, found '%x'}}
lir.kernel @k "linear" (%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = snippets.relu %a {lir.ports = [#lir.port<[4], reg "%x">, #lir.port<[4]>]} : tensor<4xf32>
  lir.result %0 {index = 0 : i64, lir.ports = [#lir.port<[4]>]} : tensor<4xf32>
}

// -----

lir.kernel @k "linear" (%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{expected sizes of 0 or more}}
  %0 = snippets.relu %a {lir.ports = [#lir.port<[-4]>, #lir.port<[4]>]} : tensor<4xf32>
  lir.result %0 {index = 0 : i64, lir.ports = [#lir.port<[4]>]} : tensor<4xf32>
}

// -----

lir.kernel @k "linear" (%a: tensor<16x33xf32>) -> tensor<16x33xf32> {
  // expected-error @+1 {{expected a layout that names each dim of 2 once}}
  %0 = snippets.relu %a {lir.ports = [#lir.port<[16, 33], layout [1, 1]>, #lir.port<[16, 33]>]} : tensor<16x33xf32>
  lir.result %0 {index = 0 : i64, lir.ports = [#lir.port<[16, 33]>]} : tensor<16x33xf32>
}

// -----

lir.kernel @k "linear" (%a: tensor<16x33xf32>) -> tensor<16x33xf32> {
  // expected-error @+1 {{expected a tile of at least 1 element of 2 dims at most}}
  %0 = snippets.relu %a {lir.ports = [#lir.port<[16, 33], sub [-8]>, #lir.port<[16, 33]>]} : tensor<16x33xf32>
  lir.result %0 {index = 0 : i64, lir.ports = [#lir.port<[16, 33]>]} : tensor<16x33xf32>
}

// -----

lir.kernel @k "expanded" (%a: tensor<8xf32>) -> tensor<8xf32> loops [#lir.loop<0, work 8, inc 8, dim 0>] {
  lir.loop_begin 0
  %0 = lir.load %a {count = 4 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[8], sub [8], loops [0: dim 0 ptr 1 fin -8]>, #lir.port<[8], sub [8]>]} : tensor<8xf32>
  // expected-error @+1 {{A3: expected lir.store of 8 lanes that its value has, found 4 lanes}}
  %1 = lir.store %0 {count = 8 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[8], sub [8]>, #lir.port<[8], sub [8], loops [0: dim 0 ptr 1 fin -8]>]} : tensor<8xf32>
  lir.loop_end 0
  lir.result %1 {index = 0 : i64, lir.ports = [#lir.port<[8], sub [8]>]} : tensor<8xf32>
}

// -----

// A3 does not fire: the other lanes are filled.
lir.kernel @k "expanded" (%a: tensor<8xf32>) -> tensor<8xf32> loops [#lir.loop<0, work 8, inc 8, dim 0>] {
  lir.loop_begin 0
  %0 = lir.load %a {count = 4 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[8], sub [8], loops [0: dim 0 ptr 1 fin -8]>, #lir.port<[8], sub [8]>]} : tensor<8xf32>
  %f = lir.fill %0 {offset = 4 : i64, value = 0.0 : f32, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[8], sub [8]>, #lir.port<[8], sub [8]>]} : tensor<8xf32>
  %1 = lir.store %f {count = 8 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[8], sub [8]>, #lir.port<[8], sub [8], loops [0: dim 0 ptr 1 fin -8]>]} : tensor<8xf32>
  lir.loop_end 0
  lir.result %1 {index = 0 : i64, lir.ports = [#lir.port<[8], sub [8]>]} : tensor<8xf32>
}

// -----

// expected-error @+1 {{L8: in @k: expected the motion of the pointer of lir.store in loops [0], found that in loops []; run lir-init-loops}}
lir.kernel @k "looped" (%a: tensor<8xf32>) -> tensor<8xf32> loops [#lir.loop<0, work 8, inc 4, dim 0>] {
  lir.loop_begin 0
  %0 = lir.load %a {count = 4 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[8], sub [4], loops [0: dim 0 ptr 1 fin -8]>, #lir.port<[8], sub [4]>]} : tensor<8xf32>
  %1 = lir.store %0 {count = 4 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[8], sub [4]>, #lir.port<[8], sub [4]>]} : tensor<8xf32>
  lir.loop_end 0
  lir.result %1 {index = 0 : i64, lir.ports = [#lir.port<[8], sub [4]>]} : tensor<8xf32>
}

// -----

// Does not fire: the ports say how they move; before the loops are there, nothing moves.
lir.kernel @k "looped" (%a: tensor<8xf32>) -> tensor<8xf32> loops [#lir.loop<0, work 8, inc 4, dim 0>] {
  lir.loop_begin 0
  %0 = lir.load %a {count = 4 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[8], sub [4], loops [0: dim 0 ptr 1 fin -8]>, #lir.port<[8], sub [4]>]} : tensor<8xf32>
  %1 = lir.store %0 {count = 4 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[8], sub [4]>, #lir.port<[8], sub [4], loops [0: dim 0 ptr 1 fin -8]>]} : tensor<8xf32>
  lir.loop_end 0
  lir.result %1 {index = 0 : i64, lir.ports = [#lir.port<[8], sub [4]>]} : tensor<8xf32>
}

// -----

lir.kernel @k "accessed" (%a: tensor<8xf32>) -> tensor<8xf32> loops [#lir.loop<0, work 8, inc 4, dim 0>] {
  %0 = lir.load %a {count = 4 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[8], sub [4]>, #lir.port<[8], sub [4]>]} : tensor<8xf32>
  %1 = lir.store %0 {count = 4 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[8], sub [4]>, #lir.port<[8], sub [4]>]} : tensor<8xf32>
  lir.result %1 {index = 0 : i64, lir.ports = [#lir.port<[8], sub [4]>]} : tensor<8xf32>
}

// -----

// expected-error @+1 {{L20: in @k: expected snippets.gather to read 7 elements 5 apart at a place, found a port of 7 elements 6 apart}}
lir.kernel @k "linear" (%a: tensor<7x5xf32>, %i: tensor<i64>) -> tensor<7xf32> {
  %0 = snippets.gather %a, %i {axis = 1 : i64, lir.loops = array<i64>, lir.ports = [#lir.port<[7], strides [6]>, #lir.port<[1]>, #lir.port<[7]>]} : (tensor<7x5xf32>, tensor<i64>) -> tensor<7xf32>
  lir.result %0 {index = 0 : i64, lir.ports = [#lir.port<[7]>]} : tensor<7xf32>
}

// -----

// Does not fire: a column.
lir.kernel @k "linear" (%a: tensor<7x5xf32>, %i: tensor<i64>) -> tensor<7xf32> {
  %0 = snippets.gather %a, %i {axis = 1 : i64, lir.loops = array<i64>, lir.ports = [#lir.port<[7], strides [5]>, #lir.port<[1]>, #lir.port<[7]>]} : (tensor<7x5xf32>, tensor<i64>) -> tensor<7xf32>
  lir.result %0 {index = 0 : i64, lir.ports = [#lir.port<[7]>]} : tensor<7xf32>
}

// -----

// expected-error @+1 {{L20: in @k: expected lir.gather to read the 35 elements of its array, found places from 0 to 35}}
lir.kernel @k "accessed" (%a: tensor<7x5xf32>, %i: tensor<i64>) -> tensor<7xf32> loops [#lir.loop<0, work 7, inc 1, dim 0, parallel>] {
  %0 = lir.load %i {count = 1 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[1], sub [1]>, #lir.port<[1], sub [1]>]} : tensor<i64>
  %1 = lir.gather %a, %0 {count = 1 : i64, limits = [5 : i64], steps = [1 : i64], lir.loops = array<i64: 0>, lir.ports = [#lir.port<[7], strides [5], sub [1]>, #lir.port<[1], sub [1]>, #lir.port<[7], sub [1]>]} : (tensor<7x5xf32>, tensor<i64>) -> tensor<7xf32>
  %2 = lir.store %1 {count = 1 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[7], sub [1]>, #lir.port<[7], sub [1]>]} : tensor<7xf32>
  lir.result %2 {index = 0 : i64, lir.ports = [#lir.port<[7], sub [1]>]} : tensor<7xf32>
}

// -----

// Does not fire: the last column.
lir.kernel @k "accessed" (%a: tensor<7x5xf32>, %i: tensor<i64>) -> tensor<7xf32> loops [#lir.loop<0, work 7, inc 1, dim 0, parallel>] {
  %0 = lir.load %i {count = 1 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[1], sub [1]>, #lir.port<[1], sub [1]>]} : tensor<i64>
  %1 = lir.gather %a, %0 {count = 1 : i64, limits = [4 : i64], steps = [1 : i64], lir.loops = array<i64: 0>, lir.ports = [#lir.port<[7], strides [5], sub [1]>, #lir.port<[1], sub [1]>, #lir.port<[7], sub [1]>]} : (tensor<7x5xf32>, tensor<i64>) -> tensor<7xf32>
  %2 = lir.store %1 {count = 1 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[7], sub [1]>, #lir.port<[7], sub [1]>]} : tensor<7xf32>
  lir.result %2 {index = 0 : i64, lir.ports = [#lir.port<[7], sub [1]>]} : tensor<7xf32>
}

// -----

// expected-error @+1 {{L4: in @k: expected the step ?62 of loop 0 as the choice, found none}}
lir.kernel @k "linear" (%a: tensor<7xf32>) -> tensor<7xf32> loops [#lir.loop<0, work 7, inc 4, dim 0, step ?62>] {
  %0 = snippets.relu %a {lir.loops = array<i64>, lir.ports = [#lir.port<[7]>, #lir.port<[7]>]} : tensor<7xf32>
  lir.result %0 {index = 0 : i64, lir.ports = [#lir.port<[7]>]} : tensor<7xf32>
}

// -----

// Does not fire: the call chooses 4 or 2.
lir.kernel @k "linear" (%a: tensor<7xf32>) -> tensor<7xf32> loops [#lir.loop<0, work 7, inc 4, dim 0, step ?62>] attributes {lir.choices = [[#snippets.size<?0*4 : i64>, 64 : i64, 4 : i64, 2 : i64]]} {
  %0 = snippets.relu %a {lir.loops = array<i64>, lir.ports = [#lir.port<[7]>, #lir.port<[7]>]} : tensor<7xf32>
  lir.result %0 {index = 0 : i64, lir.ports = [#lir.port<[7]>]} : tensor<7xf32>
}

// -----

// expected-error @+1 {{L4: in @k: expected one array of a size, a limit and falling numbers}}
lir.kernel @k "linear" (%a: tensor<7xf32>) -> tensor<7xf32> attributes {lir.choices = [[#snippets.size<?0*4 : i64>, 64 : i64, 2 : i64, 4 : i64]]} {
  %0 = snippets.relu %a {lir.loops = array<i64>, lir.ports = [#lir.port<[7]>, #lir.port<[7]>]} : tensor<7xf32>
  lir.result %0 {index = 0 : i64, lir.ports = [#lir.port<[7]>]} : tensor<7xf32>
}

// -----

// expected-error @+1 {{L4: in @k: expected one array of a size, a limit and falling numbers}}
lir.kernel @k "linear" (%a: tensor<7xf32>) -> tensor<7xf32> attributes {lir.choices = [[#snippets.size<?0*4 : i64>, 64 : i64, 4 : i64, 2 : i64], [#snippets.size<?0*4 : i64>, 64 : i64, 4 : i64, 2 : i64]]} {
  %0 = snippets.relu %a {lir.loops = array<i64>, lir.ports = [#lir.port<[7]>, #lir.port<[7]>]} : tensor<7xf32>
  lir.result %0 {index = 0 : i64, lir.ports = [#lir.port<[7]>]} : tensor<7xf32>
}
