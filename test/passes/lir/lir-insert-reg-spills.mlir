// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx2},lir-init-live-ranges,lir-assign-registers{vectors=2},lir-insert-reg-spills' --split-input-file --verify-each --check-each | filecheck %s
// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx2},lir-init-live-ranges,lir-assign-registers,lir-insert-reg-spills{calls=snippets.abs}' --split-input-file --verify-each --check-each | filecheck %s --check-prefix=CALLS
// RUN: not snippets-opt %s -p 'snippets-set-target{target=x86-64-avx2},lir-insert-specific-iterations,lir-insert-reg-spills' --split-input-file 2>&1 | filecheck %s --check-prefix=STAGE

// STAGE: error: {{.*}}expected @sum at stage looped, found "expanded"

// What the loop carries is in slot 0; `%r` is written to slot 1 and read from there.
// CHECK-LABEL: @sum "assigned"
// CHECK-SAME: lir.scratch = 128 : i64, lir.slot_base = 0 : i64, lir.slots = 2 : i64
// CHECK: [[INIT:%.*]] = lir.spill %init {{.*}}reg "vec0">, {{.*}}reg "slot0">
// CHECK-NEXT: %in = lir.loop_begin 1 ([[INIT]]) {{.*}}reg "slot0">, {{.*}}reg "slot0">
// CHECK: [[IN:%.*]] = lir.reload %in {{.*}}reg "slot0">, {{.*}}reg "vec1">
// CHECK-NEXT: %next = snippets.add [[IN]], %a {{.*}}reg "vec1">, {{.*}}reg "vec0">, {{.*}}reg "vec1">
// CHECK-NEXT: [[NEXT:%.*]] = lir.spill %next {{.*}}reg "vec1">, {{.*}}reg "slot0">
// CHECK-NEXT: %out = lir.loop_end 1 ([[NEXT]])
// CHECK: [[R:%.*]] = lir.spill %r {{.*}}reg "slot1">
// CHECK: %d = snippets.add %y, [[R]] {{.*}}reg "slot1">

// Around a call the registers that live on are saved: the scalar's and that of `%r`.
// CALLS-LABEL: @sum "assigned"
// CALLS: lir.reg_spill_begin ["vec4/slot0"]
// CALLS-NEXT: %r = snippets.abs
// CALLS-NEXT: lir.reg_spill_end ["vec4/slot0"]
// CALLS: lir.reg_spill_begin ["vec4/slot0", "vec2/slot1"]
// CALLS-NEXT: %e = snippets.abs
// CALLS-NEXT: lir.reg_spill_end ["vec4/slot0", "vec2/slot1"]
lir.kernel @sum "looped" (%x: tensor<4x16xf32>) -> tensor<4x16xf32> loops [#lir.loop<0, work 4, inc 1, dim 1, parallel>, #lir.loop<1, work 16, inc 8, dim 0>, #lir.loop<2, work 16, inc 8, dim 0>] {
  %z = snippets.scalar 0.000000e+00 : f32 {lir.loops = array<i64>, lir.ports = [#lir.port<[1, 1], sub [1]>]}
  lir.loop_begin 0
  %init = snippets.broadcast %z {lir.loops = array<i64: 0>, lir.ports = [#lir.port<[1, 1], sub [1]>, #lir.port<[4, 16], sub [8]>]} : (tensor<f32>) -> tensor<4x16xf32>
  %in = lir.loop_begin 1 (%init) : tensor<4x16xf32>
  %a = lir.load %x {count = 8 : i64, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[4, 16], sub [8], loops [0: dim 1 ptr 16 fin -64, 1: dim 0 ptr 1 fin -16]>, #lir.port<[4, 16], sub [8]>]} : tensor<4x16xf32>
  %next = snippets.add %in, %a {lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[4, 16], sub [8]>, #lir.port<[4, 16], sub [8]>, #lir.port<[4, 16], sub [8]>]} : tensor<4x16xf32>
  %out = lir.loop_end 1 (%next) : tensor<4x16xf32>
  %r = snippets.abs %out {lir.loops = array<i64: 0>, lir.ports = [#lir.port<[4, 16], sub [8]>, #lir.port<[4, 16], sub [8]>]} : tensor<4x16xf32>
  lir.loop_begin 2
  %y = lir.load %x {count = 8 : i64, lir.loops = array<i64: 0, 2>, lir.ports = [#lir.port<[4, 16], sub [8], loops [0: dim 1 ptr 16 fin -64, 2: dim 0 ptr 1 fin -16]>, #lir.port<[4, 16], sub [8]>]} : tensor<4x16xf32>
  %d = snippets.add %y, %r {lir.loops = array<i64: 0, 2>, lir.ports = [#lir.port<[4, 16], sub [8]>, #lir.port<[4, 16], sub [8]>, #lir.port<[4, 16], sub [8]>]} : tensor<4x16xf32>
  %e = snippets.abs %d {lir.loops = array<i64: 0, 2>, lir.ports = [#lir.port<[4, 16], sub [8]>, #lir.port<[4, 16], sub [8]>]} : tensor<4x16xf32>
  %s = lir.store %e {count = 8 : i64, lir.loops = array<i64: 0, 2>, lir.ports = [#lir.port<[4, 16], sub [8]>, #lir.port<[4, 16], sub [8], loops [0: dim 1 ptr 16 fin -64, 2: dim 0 ptr 1 fin -16]>]} : tensor<4x16xf32>
  lir.loop_end 2
  lir.loop_end 0
  lir.result %s {index = 0 : i64, lir.ports = [#lir.port<[4, 16], sub [8]>]} : tensor<4x16xf32>
}
func.func @main(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %0 = lir.call @sum(%x) : (tensor<4x16xf32>) -> tensor<4x16xf32>
  func.return %0 : tensor<4x16xf32>
}

// -----

// CHECK-LABEL: @straight "assigned"
// CHECK: [[A:%.*]] = lir.spill %a
// CHECK-NEXT: snippets.abs [[A]]
// CALLS-LABEL: @straight "assigned"
// CALLS-NOT: lir.spill
// CALLS: lir.reg_spill_begin ["vec0/slot0"]
lir.kernel @straight "looped" (%x: tensor<4x16xf32>) -> tensor<4x16xf32> loops [#lir.loop<0, work 4, inc 1, dim 1, parallel>, #lir.loop<1, work 16, inc 8, dim 0>, #lir.loop<2, work 16, inc 8, dim 0>] {
  lir.loop_begin 0
  lir.loop_begin 1
  %a = lir.load %x {count = 8 : i64, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[4, 16], sub [8], loops [0: dim 1 ptr 16 fin -64, 1: dim 0 ptr 1 fin -16]>, #lir.port<[4, 16], sub [8]>]} : tensor<4x16xf32>
  %b = snippets.abs %a {lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[4, 16], sub [8]>, #lir.port<[4, 16], sub [8]>]} : tensor<4x16xf32>
  %c = snippets.add %a, %b {lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[4, 16], sub [8]>, #lir.port<[4, 16], sub [8]>, #lir.port<[4, 16], sub [8]>]} : tensor<4x16xf32>
  %s = lir.store %c {count = 8 : i64, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[4, 16], sub [8]>, #lir.port<[4, 16], sub [8], loops [0: dim 1 ptr 16 fin -64, 1: dim 0 ptr 1 fin -16]>]} : tensor<4x16xf32>
  lir.loop_end 1
  lir.loop_end 0
  lir.result %s {index = 0 : i64, lir.ports = [#lir.port<[4, 16], sub [8]>]} : tensor<4x16xf32>
}
func.func @main(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %0 = lir.call @straight(%x) : (tensor<4x16xf32>) -> tensor<4x16xf32>
  func.return %0 : tensor<4x16xf32>
}
