// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx2},lir-init-live-ranges' --split-input-file | filecheck %s
// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx2},lir-init-live-ranges{live-sets=true}' --split-input-file | filecheck %s --check-prefix=SETS
// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx2},lir-init-live-ranges,lir-assign-registers,lir-insert-reg-spills' --split-input-file --verify-each --check-each -o /dev/null
// RUN: not snippets-opt %s -p 'snippets-set-target{target=x86-64-avx2},lir-insert-specific-iterations,lir-init-live-ranges' --split-input-file 2>&1 | filecheck %s --check-prefix=STAGE

// STAGE: error: {{.*}}expected @sum at stage looped, found "expanded"

// Initial, block, next and final value of the sum are one register. Pointers are named on the ports
// that touch memory, counters on the begin markers of loops that are not shared by threads.
// CHECK-LABEL: @sum
// CHECK: %z = snippets.scalar {{.*}}reg "%vec0"
// CHECK-NEXT: lir.loop_begin 0{{$}}
// CHECK-NEXT: %init = snippets.broadcast %z {{.*}}reg "%vec0">, {{.*}}reg "%vec1">
// CHECK-NEXT: %in = lir.loop_begin 1 (%init) {{.*}}reg "%vec1">, {{.*}}reg "%vec1">], lir.counter = "%gpr2"
// CHECK-NEXT: %a = lir.load %x {{.*}}reg "%gpr0", {{.*}}reg "%vec2"
// CHECK-NEXT: %next = snippets.add %in, %a {{.*}}reg "%vec1">, {{.*}}reg "%vec2">, {{.*}}reg "%vec1">
// CHECK-NEXT: %out = lir.loop_end 1 (%next) {{.*}}reg "%vec1">, {{.*}}reg "%vec1">
// CHECK-NEXT: %r = snippets.abs %out {{.*}}reg "%vec1">, {{.*}}reg "%vec3">
// CHECK: lir.load %x {{.*}}reg "%gpr0"
// CHECK: lir.store {{.*}}reg "%gpr1"
// CHECK: lir.result {{.*}}sub [8]>]

// SETS-LABEL: @sum
// SETS: snippets.scalar {{.*}}lir.live = ""
// SETS: snippets.add %in, %a {{.*}}lir.live = "%vec1 %vec2"
// SETS: %r = snippets.abs {{.*}}lir.live = "%vec1 %vec3"
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

// One value begins two sums: the second gets a copy.
// CHECK-LABEL: @two
// CHECK: [[COPY:%.*]] = lir.move %init {{.*}}reg "%vec1">, {{.*}}reg "%vec2">
// CHECK-NEXT: lir.loop_begin 1 (%init, [[COPY]])
lir.kernel @two "looped" (%x: tensor<4x16xf32>) -> tensor<4x16xf32> loops [#lir.loop<0, work 4, inc 1, dim 1, parallel>, #lir.loop<1, work 16, inc 8, dim 0>, #lir.loop<2, work 16, inc 8, dim 0>] {
  %z = snippets.scalar 0.000000e+00 : f32 {lir.loops = array<i64>, lir.ports = [#lir.port<[1, 1], sub [1]>]}
  lir.loop_begin 0
  %init = snippets.broadcast %z {lir.loops = array<i64: 0>, lir.ports = [#lir.port<[1, 1], sub [1]>, #lir.port<[4, 16], sub [8]>]} : (tensor<f32>) -> tensor<4x16xf32>
  %p, %q = lir.loop_begin 1 (%init, %init) : tensor<4x16xf32>, tensor<4x16xf32>
  %a = lir.load %x {count = 8 : i64, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[4, 16], sub [8], loops [0: dim 1 ptr 16 fin -64, 1: dim 0 ptr 1 fin -16]>, #lir.port<[4, 16], sub [8]>]} : tensor<4x16xf32>
  %pn = snippets.add %p, %a {lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[4, 16], sub [8]>, #lir.port<[4, 16], sub [8]>, #lir.port<[4, 16], sub [8]>]} : tensor<4x16xf32>
  %qn = snippets.multiply %q, %a {lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[4, 16], sub [8]>, #lir.port<[4, 16], sub [8]>, #lir.port<[4, 16], sub [8]>]} : tensor<4x16xf32>
  %pf, %qf = lir.loop_end 1 (%pn, %qn) : tensor<4x16xf32>, tensor<4x16xf32>
  %m = snippets.add %pf, %qf {lir.loops = array<i64: 0>, lir.ports = [#lir.port<[4, 16], sub [8]>, #lir.port<[4, 16], sub [8]>, #lir.port<[4, 16], sub [8]>]} : tensor<4x16xf32>
  lir.loop_begin 2
  %s = lir.store %m {count = 8 : i64, lir.loops = array<i64: 0, 2>, lir.ports = [#lir.port<[4, 16], sub [8]>, #lir.port<[4, 16], sub [8], loops [0: dim 1 ptr 16 fin -64, 2: dim 0 ptr 1 fin -16]>]} : tensor<4x16xf32>
  lir.loop_end 2
  lir.loop_end 0
  lir.result %s {index = 0 : i64, lir.ports = [#lir.port<[4, 16], sub [8]>]} : tensor<4x16xf32>
}
func.func @main(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %0 = lir.call @two(%x) : (tensor<4x16xf32>) -> tensor<4x16xf32>
  func.return %0 : tensor<4x16xf32>
}

// -----

// Nothing is carried: no copies, and a register for each value.
// CHECK-LABEL: @straight
// CHECK-NOT: lir.move
// CHECK: %c = snippets.add %a, %b {{.*}}reg "%vec0">, {{.*}}reg "%vec1">, {{.*}}reg "%vec2">
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
