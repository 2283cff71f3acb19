// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx2},lir-init-live-ranges,lir-assign-registers' --split-input-file | filecheck %s
// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx2},lir-init-live-ranges,lir-assign-registers{vectors=2 general=2}' --split-input-file | filecheck %s --check-prefix=FEW
// RUN: not snippets-opt %s -p 'snippets-set-target{target=x86-64-avx2},lir-assign-registers' --split-input-file 2>&1 | filecheck %s --check-prefix=NAMES
// RUN: not snippets-opt %s -p 'snippets-set-target{target=x86-64-avx2},lir-init-live-ranges,lir-assign-registers{masks=2}' --split-input-file 2>&1 | filecheck %s --check-prefix=MASKS
// RUN: not snippets-opt %s -p 'snippets-set-target{target=x86-64-avx2},lir-init-live-ranges,lir-assign-registers{vectors=1025}' --split-input-file 2>&1 | filecheck %s --check-prefix=MANY

// NAMES: error: expected the ports of snippets.scalar to name abstract registers, found none; run lir-init-live-ranges first
// MASKS: error: pass 'lir-assign-registers': expected no option masks: the target x86-64-avx2 keeps vectors of i1 in vector registers
// MANY: error: pass 'lir-assign-registers': expected vectors of 0 to 1024 registers, found 1025

// A register is free again after the op that reads it last; the scalar takes one that is left.
// CHECK-LABEL: @sum
// CHECK: %z = snippets.scalar {{.*}}reg "vec4"
// CHECK: %in = lir.loop_begin 1 (%init) {{.*}}reg "vec0">, {{.*}}reg "vec0">], lir.counter = "gpr2"
// CHECK-NEXT: %a = lir.load %x {{.*}}reg "gpr0", {{.*}}reg "vec1"
// CHECK-NEXT: %next = snippets.add %in, %a {{.*}}reg "vec0">, {{.*}}reg "vec1">, {{.*}}reg "vec0">
// CHECK: %r = snippets.abs %out {{.*}}reg "vec0">, {{.*}}reg "vec2">
// CHECK: lir.loop_begin 2 {lir.counter = "gpr2"}
// CHECK-NOT: slot

// With two registers in each file, values and pointers have slots, and the scalar is an immediate.
// FEW-LABEL: @sum
// FEW: %z = snippets.scalar {{.*}}sub [1]>]}
// FEW: %in = lir.loop_begin 1 (%init) {{.*}}reg "slot2">, {{.*}}reg "slot2">], lir.counter = "gpr0"
// FEW-NEXT: %a = lir.load %x {{.*}}reg "gpr1/slot0", {{.*}}reg "vec0"
// FEW-NEXT: %next = snippets.add %in, %a {{.*}}reg "vec1/slot2">, {{.*}}reg "vec0">, {{.*}}reg "vec1/slot2">
// FEW: %r = snippets.abs %out {{.*}}reg "slot2">, {{.*}}reg "vec0/slot3">
// FEW: lir.store %e {{.*}}reg "vec0">, {{.*}}reg "gpr1/slot1"
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

// CHECK-LABEL: @straight
// CHECK: %c = snippets.add %a, %b {{.*}}reg "vec0">, {{.*}}reg "vec2">, {{.*}}reg "vec1">
// FEW-LABEL: @straight
// FEW: %a = lir.load %x {{.*}}reg "gpr1/slot0", {{.*}}reg "vec0/slot2"
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
