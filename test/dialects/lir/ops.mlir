// RUN: snippets-opt %s | snippets-opt | filecheck %s
// RUN: snippets-opt %s --print-op-generic | snippets-opt | filecheck %s

// CHECK-LABEL: func.func @main
// CHECK: lir.call @k(%x) : (tensor<13xf32>) -> tensor<13xf32>
func.func @main(%x: tensor<13xf32>) -> tensor<13xf32> {
  %0 = lir.call @k(%x) : (tensor<13xf32>) -> tensor<13xf32>
  func.return %0 : tensor<13xf32>
}

// CHECK: lir.kernel @k "expanded" (%a: tensor<13xf32>) -> tensor<13xf32> loops [#lir.loop<0, work 13, inc 8, dim 0, parallel>, #lir.loop<1, work 8, inc 8, dim 0, parallel, main of 0>, #lir.loop<2, work 5, inc 5, dim 0, parallel, last of 0>] attributes {note = "x"} {
// CHECK-NEXT: lir.loop_begin 1
// CHECK-NEXT: lir.load %a {count = 8 : i64, lir.loops = array<i64: 1>, lir.ports = [#lir.port<[13], sub [8], reg "gpr0", loops [1: dim 0 ptr 1 fin 0]>, #lir.port<[13], layout [0], sub [8], reg "vec0">]} : tensor<13xf32>
// CHECK-NEXT: lir.store
// CHECK-NEXT: lir.loop_end 1
// CHECK-NEXT: lir.loop_begin 2
// CHECK-NEXT: lir.broadcast_load %a {count = 1 : i64
// CHECK-NEXT: lir.store
// CHECK-NEXT: lir.loop_end 2
// CHECK-NEXT: lir.result %{{.*}}, %{{.*}} {index = 0 : i64
lir.kernel @k "expanded" (%a: tensor<13xf32>) -> tensor<13xf32> loops [#lir.loop<0, work 13, inc 8, dim 0, parallel>, #lir.loop<1, work 8, inc 8, dim 0, parallel, main of 0>, #lir.loop<2, work 5, inc 5, dim 0, parallel, last of 0>] attributes {note = "x"} {
  lir.loop_begin 1
  %0 = lir.load %a {count = 8 : i64, lir.loops = array<i64: 1>, lir.ports = [#lir.port<[13], sub [8], reg "gpr0", loops [1: dim 0 ptr 1 fin 0]>, #lir.port<[13], layout [0], sub [8], reg "vec0">]} : tensor<13xf32>
  %1 = lir.store %0 {count = 8 : i64, lir.loops = array<i64: 1>, lir.ports = [#lir.port<[13], sub [8], reg "vec0">, #lir.port<[13], sub [8], reg "gpr1", loops [1: dim 0 ptr 1 fin 0]>]} : tensor<13xf32>
  lir.loop_end 1
  lir.loop_begin 2
  %2 = lir.broadcast_load %a {count = 1 : i64, lir.loops = array<i64: 2>, lir.ports = [#lir.port<[13], sub [1], reg "gpr0", loops [2: dim 0 ptr 1 fin -13]>, #lir.port<[13], sub [8], reg "vec0">]} : tensor<13xf32>
  %3 = lir.store %2 {count = 5 : i64, lir.loops = array<i64: 2>, lir.ports = [#lir.port<[13], sub [8], reg "vec0">, #lir.port<[13], sub [8], reg "gpr1", loops [2: dim 0 ptr 1 fin -13]>]} : tensor<13xf32>
  lir.loop_end 2
  lir.result %1, %3 {index = 0 : i64, lir.ports = [#lir.port<[13]>, #lir.port<[13]>]} : tensor<13xf32>
}

// Carried values pass through the markers.
// CHECK: lir.kernel @carried "looped"
// CHECK: %[[A:.*]] = lir.loop_begin 0 (%{{.*}}) : tensor<f32>
// CHECK: %{{.*}} = lir.loop_end 0 (%{{.*}}) : tensor<f32>
lir.kernel @carried "looped" (%a: tensor<8xf32>) -> () loops [#lir.loop<0, work 8, inc 8, dim 0>] {
  %0 = snippets.scalar 0.0 : f32 {lir.loops = array<i64>, lir.ports = [#lir.port<[1]>]}
  %1 = lir.loop_begin 0 (%0) : tensor<f32>
  %2 = snippets.abs %1 {lir.loops = array<i64: 0>, lir.ports = [#lir.port<[1]>, #lir.port<[1]>]} : tensor<f32>
  %3 = lir.loop_end 0 (%2) : tensor<f32>
}

// Reductions: neutral lanes, an accumulator, a fold; a buffer with all that is decided about it.
// CHECK: lir.kernel @reduction "accessed"
// CHECK-SAME: #lir.loop<1, work 64, inc 32, dim 0>, #lir.loop<2, work 32, inc 16, dim 0, inner of 1>] attributes {lir.scratch = 64 : i64}
// CHECK: %[[F:[a-z0-9]+]] = lir.fill %{{.*}} {offset = 16 : i64, value = 0.000000e+00 : f32, lir.loops
// CHECK: %[[A:[a-z0-9]+]] = lir.accumulate %[[F]] {kind = "sum", lir.loops
// CHECK: lir.horizon %{{.*}} {kind = "sum", {{.*}} : (tensor<4x64xf32>) -> tensor<4x1xf32>
// CHECK: lir.buffer %{{.*}} {size = 4 : i64, reg_group = 0 : i64, cluster = 1 : i64, offset = 0 : i64, lir.loops = array<i64: 0>
lir.kernel @reduction "accessed" (%x: tensor<4x64xf32>) -> tensor<4x1xf32> loops [#lir.loop<0, work 4, inc 1, dim 1, parallel>, #lir.loop<1, work 64, inc 32, dim 0>, #lir.loop<2, work 32, inc 16, dim 0, inner of 1>] attributes {lir.scratch = 64 : i64} {
  %l = lir.load %x {count = 16 : i64, lir.loops = array<i64: 0, 1, 2>, lir.ports = [#lir.port<[4, 64], sub [16]>, #lir.port<[4, 64], sub [16]>]} : tensor<4x64xf32>
  %f = lir.fill %l {offset = 16 : i64, value = 0.0 : f32, lir.loops = array<i64: 0, 1, 2>, lir.ports = [#lir.port<[4, 64], sub [16]>, #lir.port<[4, 64], sub [16]>]} : tensor<4x64xf32>
  %a = lir.accumulate %f {kind = "sum", lir.loops = array<i64: 0, 1, 2>, lir.ports = [#lir.port<[4, 64], sub [16]>, #lir.port<[4, 16], sub [16]>]} : tensor<4x64xf32>
  %b = lir.accumulate %a {kind = "sum", lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[4, 16], sub [16]>, #lir.port<[4, 16], sub [16]>]} : tensor<4x64xf32>
  %h = lir.horizon %b {kind = "sum", lir.loops = array<i64: 0>, lir.ports = [#lir.port<[4, 16], sub [16]>, #lir.port<[4, 1], sub [1]>]} : (tensor<4x64xf32>) -> tensor<4x1xf32>
  %s = lir.store %h {count = 1 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[4, 1], sub [1]>, #lir.port<[1, 1], sub [1]>]} : tensor<4x1xf32>
  %m = lir.buffer %s {size = 4 : i64, reg_group = 0 : i64, cluster = 1 : i64, offset = 0 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[1, 1], sub [1]>, #lir.port<[1, 1], sub [1]>]} : tensor<4x1xf32>
  %q = lir.load %m {count = 1 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[1, 1], sub [1]>, #lir.port<[4, 1], sub [1]>]} : tensor<4x1xf32>
  %t = lir.store %q {count = 1 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[4, 1], sub [1]>, #lir.port<[4, 1], sub [1]>]} : tensor<4x1xf32>
  lir.result %t {index = 0 : i64, lir.ports = [#lir.port<[4, 1], sub [1]>]} : tensor<4x1xf32>
}

// Scans: prefixes of the lanes, and what is carried from vector to vector.
// CHECK: lir.kernel @scan "marked"
// CHECK: %[[P:[a-z0-9]+]] = lir.prefix %{{.*}} {kind = "max", lir.loops
// CHECK: lir.scan %[[P]] {kind = "max", dim = 0 : i64, prefixed, lir.loops
// CHECK: lir.last_lane %[[P]] {lir.loops
lir.kernel @scan "marked" (%x: tensor<64xf32>) -> () loops [#lir.loop<0, work 64, inc 16, dim 0>] {
  %p = lir.prefix %x {kind = "max", lir.loops = array<i64: 0>, lir.ports = [#lir.port<[64], sub [16]>, #lir.port<[64], sub [16]>]} : tensor<64xf32>
  %s = lir.scan %p {kind = "max", dim = 0 : i64, prefixed, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[64], sub [16]>, #lir.port<[64], sub [16]>]} : tensor<64xf32>
  %l = lir.last_lane %p {lir.loops = array<i64: 0>, lir.ports = [#lir.port<[64], sub [16]>, #lir.port<[16], sub [16]>]} : tensor<64xf32>
}

// CHECK: lir.kernel @unrolled "looped" (%a: tensor<40xf32>) -> tensor<40xf32> loops [#lir.loop<0, work 40, inc 8, dim 0, parallel>, #lir.loop<1, work 32, inc 16, dim 0, parallel, unrolled of 0>, #lir.loop<2, work 8, inc 8, dim 0, parallel, main of 0>]
// CHECK: lir.load %a {count = 8 : i64, offset = 8 : i64
// CHECK-NEXT: lir.store %{{.*}} {count = 8 : i64, offset = 8 : i64
// CHECK: lir.broadcast_load %a {count = 1 : i64, offset = 3 : i64
lir.kernel @unrolled "looped" (%a: tensor<40xf32>) -> tensor<40xf32> loops [#lir.loop<0, work 40, inc 8, dim 0, parallel>, #lir.loop<1, work 32, inc 16, dim 0, parallel, unrolled of 0>, #lir.loop<2, work 8, inc 8, dim 0, parallel, main of 0>] {
  lir.loop_begin 1
  %0 = lir.load %a {count = 8 : i64, lir.loops = array<i64: 1>, lir.ports = [#lir.port<[40], sub [8], loops [1: dim 0 ptr 1 fin 0]>, #lir.port<[40], sub [8]>]} : tensor<40xf32>
  %1 = lir.store %0 {count = 8 : i64, lir.loops = array<i64: 1>, lir.ports = [#lir.port<[40], sub [8]>, #lir.port<[40], sub [8], loops [1: dim 0 ptr 1 fin 0]>]} : tensor<40xf32>
  %2 = lir.load %a {count = 8 : i64, offset = 8 : i64, lir.loops = array<i64: 1>, lir.ports = [#lir.port<[40], sub [8], loops [1: dim 0 fixed]>, #lir.port<[40], sub [8]>]} : tensor<40xf32>
  %3 = lir.store %2 {count = 8 : i64, offset = 8 : i64, lir.loops = array<i64: 1>, lir.ports = [#lir.port<[40], sub [8]>, #lir.port<[40], sub [8], loops [1: dim 0 fixed]>]} : tensor<40xf32>
  lir.loop_end 1
  lir.loop_begin 2
  %4 = lir.broadcast_load %a {count = 1 : i64, offset = 3 : i64, lir.loops = array<i64: 2>, lir.ports = [#lir.port<[40], sub [1], loops [2: dim 0 ptr 1 fin -40]>, #lir.port<[40], sub [8]>]} : tensor<40xf32>
  %5 = lir.store %4 {count = 8 : i64, lir.loops = array<i64: 2>, lir.ports = [#lir.port<[40], sub [8]>, #lir.port<[40], sub [8], loops [2: dim 0 ptr 1 fin -40]>]} : tensor<40xf32>
  lir.loop_end 2
  lir.result %1, %3, %5 {index = 0 : i64, lir.ports = [#lir.port<[40]>, #lir.port<[40]>, #lir.port<[40]>]} : tensor<40xf32>
}

// Where values are kept: registers and slots.
// CHECK-LABEL: lir.kernel @registers "assigned"
// CHECK-NEXT: %0 = lir.load %a {count = 8 : i64, lir.loops = array<i64>, lir.ports = [#lir.port<[8], sub [8], reg "gpr0/slot3">, #lir.port<[8], sub [8], reg "vec1">]} : tensor<8xf32>
// CHECK-NEXT: %1 = lir.move %0 {lir.loops = array<i64>, lir.ports = [#lir.port<[8], sub [8], reg "vec1">, #lir.port<[8], sub [8], reg "vec0">]} : tensor<8xf32>
// CHECK-NEXT: %2 = lir.spill %1 {lir.loops = array<i64>, lir.ports = [#lir.port<[8], sub [8], reg "vec0">, #lir.port<[8], sub [8], reg "slot0">]} : tensor<8xf32>
// CHECK-NEXT: lir.reg_spill_begin ["vec1/slot1", "vec0/slot2"] {lir.loops = array<i64>}
// CHECK-NEXT: lir.reg_spill_end ["vec1/slot1", "vec0/slot2"] {lir.loops = array<i64>}
// CHECK-NEXT: %3 = lir.reload %2 {lir.loops = array<i64>, lir.ports = [#lir.port<[8], sub [8], reg "slot0">, #lir.port<[8], sub [8], reg "vec2">]} : tensor<8xf32>
lir.kernel @registers "assigned" (%a: tensor<8xf32>) -> () attributes {lir.slots = 4 : i64} {
  %0 = lir.load %a {count = 8 : i64, lir.loops = array<i64>, lir.ports = [#lir.port<[8], sub [8], reg "gpr0/slot3">, #lir.port<[8], sub [8], reg "vec1">]} : tensor<8xf32>
  %1 = lir.move %0 {lir.loops = array<i64>, lir.ports = [#lir.port<[8], sub [8], reg "vec1">, #lir.port<[8], sub [8], reg "vec0">]} : tensor<8xf32>
  %2 = lir.spill %1 {lir.loops = array<i64>, lir.ports = [#lir.port<[8], sub [8], reg "vec0">, #lir.port<[8], sub [8], reg "slot0">]} : tensor<8xf32>
  lir.reg_spill_begin ["vec1/slot1", "vec0/slot2"] {lir.loops = array<i64>}
  lir.reg_spill_end ["vec1/slot1", "vec0/slot2"] {lir.loops = array<i64>}
  %3 = lir.reload %2 {lir.loops = array<i64>, lir.ports = [#lir.port<[8], sub [8], reg "slot0">, #lir.port<[8], sub [8], reg "vec2">]} : tensor<8xf32>
}

// CHECK: lir.kernel @product "linear"
// CHECK-NEXT: lir.brgemm %{{.*}}, %{{.*}} {lir.loops = array<i64>
// CHECK-NEXT: lir.brgemm %{{.*}}, %{{.*}} {unfused, lir.loops = array<i64>
lir.kernel @product "linear" (%a: tensor<4x3x1xf32>, %b: tensor<2x1x3x5xf32>) -> tensor<2x4x1x5xf32> {
  %0 = lir.brgemm %a, %b {lir.loops = array<i64>, lir.ports = [#lir.port<[1, 4, 3, 1]>, #lir.port<[2, 1, 3, 5]>, #lir.port<[2, 4, 1, 5]>]} : (tensor<4x3x1xf32>, tensor<2x1x3x5xf32>) -> tensor<2x4x1x5xf32>
  %1 = lir.brgemm %a, %b {unfused, lir.loops = array<i64>, lir.ports = [#lir.port<[1, 4, 3, 1]>, #lir.port<[2, 1, 3, 5]>, #lir.port<[2, 4, 1, 5]>]} : (tensor<4x3x1xf32>, tensor<2x1x3x5xf32>) -> tensor<2x4x1x5xf32>
  %2 = snippets.add %0, %1 {lir.loops = array<i64>, lir.ports = [#lir.port<[2, 4, 1, 5]>, #lir.port<[2, 4, 1, 5]>, #lir.port<[2, 4, 1, 5]>]} : tensor<2x4x1x5xf32>
  lir.result %2 {index = 0 : i64, lir.ports = [#lir.port<[2, 4, 1, 5]>]} : tensor<2x4x1x5xf32>
}

// CHECK: lir.kernel @copied "linear"
// CHECK-NEXT: lir.brgemm_copy_b %{{.*}} {lir.loops = array<i64>
lir.kernel @copied "linear" (%a: tensor<1x3x5xf32>) -> tensor<1x3x5xf32> {
  %0 = lir.brgemm_copy_b %a {lir.loops = array<i64>, lir.ports = [#lir.port<[1, 3, 5]>, #lir.port<[1, 3, 5]>]} : tensor<1x3x5xf32>
  lir.result %0 {index = 0 : i64, lir.ports = [#lir.port<[1, 3, 5]>]} : tensor<1x3x5xf32>
}

// CHECK: lir.kernel @panels "linear"
// CHECK-NEXT: lir.panels %{{.*}} {lir.loops = array<i64>, lir.ports = [#lir.port<[2, 3, 4]>, #lir.port<[1, 3, 5], panels 4, sub [1]>]} : (tensor<2x3x4xf32>) -> tensor<1x3x5xf32>
lir.kernel @panels "linear" (%a: tensor<2x3x4xf32>) -> () {
  %0 = lir.panels %a {lir.loops = array<i64>, lir.ports = [#lir.port<[2, 3, 4]>, #lir.port<[1, 3, 5], panels 4, sub [1]>]} : (tensor<2x3x4xf32>) -> tensor<1x3x5xf32>
}

// CHECK: lir.kernel @parts "linear"
// CHECK: %[[P:.*]] = lir.part %{{.*}} {offset = 0 : i64, lir.loops = array<i64>, lir.ports = [#lir.port<[2, 3]>, #lir.port<[2, 5]>]} : (tensor<2x3xf32>) -> tensor<2x5xf32>
// CHECK-NEXT: %[[Q:.*]] = lir.part %{{.*}} {offset = 3 : i64
// CHECK-NEXT: lir.result %[[P]], %[[Q]] {index = 0 : i64, lir.ports = [#lir.port<[2, 3], strides [5, 1]>, #lir.port<[2, 2], strides [5, 1]>]} : tensor<2x5xf32>
lir.kernel @parts "linear" (%a: tensor<2x3xf32>, %b: tensor<2x2xf32>) -> tensor<2x5xf32> {
  %0 = snippets.relu %a {lir.loops = array<i64>, lir.ports = [#lir.port<[2, 3]>, #lir.port<[2, 3]>]} : tensor<2x3xf32>
  %1 = snippets.relu %b {lir.loops = array<i64>, lir.ports = [#lir.port<[2, 2]>, #lir.port<[2, 2]>]} : tensor<2x2xf32>
  %2 = lir.part %0 {offset = 0 : i64, lir.loops = array<i64>, lir.ports = [#lir.port<[2, 3]>, #lir.port<[2, 5]>]} : (tensor<2x3xf32>) -> tensor<2x5xf32>
  %3 = lir.part %1 {offset = 3 : i64, lir.loops = array<i64>, lir.ports = [#lir.port<[2, 2]>, #lir.port<[2, 5]>]} : (tensor<2x2xf32>) -> tensor<2x5xf32>
  lir.result %2, %3 {index = 0 : i64, lir.ports = [#lir.port<[2, 3], strides [5, 1]>, #lir.port<[2, 2], strides [5, 1]>]} : tensor<2x5xf32>
}

// CHECK: lir.kernel @rows "accessed"
// CHECK: lir.gather %x, %{{.*}} {count = 8 : i64, limits = [6 : i64], steps = [19 : i64], from_end, lir.loops
lir.kernel @rows "accessed" (%x: tensor<7x19xf32>, %i: tensor<5xi64>) -> tensor<5x19xf32> loops [#lir.loop<0, work 5, inc 1, dim 1, parallel>, #lir.loop<1, work 19, inc 8, dim 0>] {
  %0 = lir.load %i {count = 1 : i64, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[5, 1], sub [1]>, #lir.port<[5, 1], sub [1]>]} : tensor<5xi64>
  %1 = lir.gather %x, %0 {count = 8 : i64, limits = [6 : i64], steps = [19 : i64], from_end, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[1, 19], strides [0, 1], sub [8]>, #lir.port<[5, 1], sub [1]>, #lir.port<[5, 19], sub [8]>]} : (tensor<7x19xf32>, tensor<5xi64>) -> tensor<5x19xf32>
  %2 = lir.store %1 {count = 8 : i64, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[5, 19], sub [8]>, #lir.port<[5, 19], sub [8]>]} : tensor<5x19xf32>
  lir.result %2 {index = 0 : i64, lir.ports = [#lir.port<[5, 19]>]} : tensor<5x19xf32>
}

// Loops that run in some calls.
// CHECK: lir.kernel @calls "marked" () -> () loops [#lir.loop<0, work ?1, inc 8, dim 0, for ?0 below 6>, #lir.loop<1, work 64, inc 8, dim 0, jam 2, for ?0*4 from 6>]
lir.kernel @calls "marked" () -> () loops [#lir.loop<0, work ?1, inc 8, dim 0, for ?0 below 6>, #lir.loop<1, work 64, inc 8, dim 0, for ?0*4 from 6, jam 2>] {
}
