// RUN: snippets-opt %s --load-pass-plugin=%S/inputs/part_plugin.py -p lir-insert-specific-iterations | filecheck %s

// A handler of each part: the first iteration is a part of its own, and each part runs its handlers.
// CHECK-LABEL: lir.kernel @all "expanded"
// CHECK-SAME: loops [#lir.loop<0, work 11, inc 4, dim 0>, #lir.loop<1, work 4, inc 4, dim 0, first of 0>, #lir.loop<2, work 4, inc 4, dim 0, main of 0>, #lir.loop<3, work 3, inc 3, dim 0, last of 0>]
// CHECK: lir.loop_begin 1
// CHECK-NEXT: lir.load %a {count = 4 : i64, {{.*}}loops [1: dim 0 ptr 1 fin 0]
// CHECK: lir.store {{.*}}note = "first"
// CHECK: lir.loop_begin 2
// CHECK: lir.store {{.*}}note = "main 7"
// CHECK: lir.loop_begin 3
// CHECK-NEXT: lir.load %a {count = 3 : i64, {{.*}}sub [4], loops [3: dim 0 ptr 1 fin -11]
// CHECK: lir.store {{.*}}note = "last"
// CHECK: lir.result %{{.*}}, %{{.*}}, %{{.*}} {index = 0 : i64
lir.kernel @all "looped" (%a: tensor<11xf32>) -> tensor<11xf32> loops [#lir.loop<0, work 11, inc 4, dim 0, handlers [first "mine-note-part", main "mine-note-part" 7, last "mine-note-part"]>] {
  lir.loop_begin 0
  %0 = lir.load %a {count = 4 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[11], sub [4], loops [0: dim 0 ptr 1 fin -11]>, #lir.port<[11], sub [4]>]} : tensor<11xf32>
  %1 = snippets.abs %0 {lir.loops = array<i64: 0>, lir.ports = [#lir.port<[11], sub [4]>, #lir.port<[11], sub [4]>]} : tensor<11xf32>
  %2 = lir.store %1 {count = 4 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[11], sub [4]>, #lir.port<[11], sub [4], loops [0: dim 0 ptr 1 fin -11]>]} : tensor<11xf32>
  lir.loop_end 0
  lir.result %2 {index = 0 : i64, lir.ports = [#lir.port<[11], sub [4]>]} : tensor<11xf32>
}

// No tail: the handlers of the last part have nothing to handle, those of the main part have the whole loop.
// CHECK-LABEL: lir.kernel @main "expanded"
// CHECK-SAME: loops [#lir.loop<0, work 8, inc 4, dim 0>, #lir.loop<1, work 8, inc 4, dim 0, main of 0>]
// CHECK: lir.load %a {{.*}}loops [1: dim 0 ptr 1 fin -8]
// CHECK: lir.store {{.*}}note = "main"
// CHECK-NOT: lir.loop_begin
lir.kernel @main "looped" (%a: tensor<8xf32>) -> tensor<8xf32> loops [#lir.loop<0, work 8, inc 4, dim 0, handlers [main "mine-note-part", last "mine-note-part"]>] {
  lir.loop_begin 0
  %0 = lir.load %a {count = 4 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[8], sub [4], loops [0: dim 0 ptr 1 fin -8]>, #lir.port<[8], sub [4]>]} : tensor<8xf32>
  %1 = snippets.abs %0 {lir.loops = array<i64: 0>, lir.ports = [#lir.port<[8], sub [4]>, #lir.port<[8], sub [4]>]} : tensor<8xf32>
  %2 = lir.store %1 {count = 4 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[8], sub [4]>, #lir.port<[8], sub [4], loops [0: dim 0 ptr 1 fin -8]>]} : tensor<8xf32>
  lir.loop_end 0
  lir.result %2 {index = 0 : i64, lir.ports = [#lir.port<[8], sub [4]>]} : tensor<8xf32>
}

// Does not fire: there is no tail, and no other handler.
// CHECK-LABEL: lir.kernel @nothing "expanded"
// CHECK-SAME: loops [#lir.loop<0, work 8, inc 4, dim 0>]
// CHECK: lir.loop_begin 0
lir.kernel @nothing "looped" (%a: tensor<8xf32>) -> tensor<8xf32> loops [#lir.loop<0, work 8, inc 4, dim 0, handlers [last "mine-note-part"]>] {
  lir.loop_begin 0
  %0 = lir.load %a {count = 4 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[8], sub [4], loops [0: dim 0 ptr 1 fin -8]>, #lir.port<[8], sub [4]>]} : tensor<8xf32>
  %1 = snippets.abs %0 {lir.loops = array<i64: 0>, lir.ports = [#lir.port<[8], sub [4]>, #lir.port<[8], sub [4]>]} : tensor<8xf32>
  %2 = lir.store %1 {count = 4 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[8], sub [4]>, #lir.port<[8], sub [4], loops [0: dim 0 ptr 1 fin -8]>]} : tensor<8xf32>
  lir.loop_end 0
  lir.result %2 {index = 0 : i64, lir.ports = [#lir.port<[8], sub [4]>]} : tensor<8xf32>
}

// The handlers that the compiler has: the tail's vectors are narrower, the accesses are not masked.
// CHECK-LABEL: lir.kernel @narrow "expanded"
// CHECK: lir.load %a {count = 3 : i64, {{.*}}#lir.port<[7], sub [3]>]}
// CHECK: lir.store {{.*}}count = 3 : i64, {{.*}}#lir.port<[7], sub [3], loops [2: dim 0 ptr 1 fin -7]>]
lir.kernel @narrow "looped" (%a: tensor<7xf32>) -> tensor<7xf32> loops [#lir.loop<0, work 7, inc 4, dim 0, handlers [last "update-subtensors" 3]>] {
  lir.loop_begin 0
  %0 = lir.load %a {count = 4 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[7], sub [4], loops [0: dim 0 ptr 1 fin -7]>, #lir.port<[7], sub [4]>]} : tensor<7xf32>
  %1 = snippets.abs %0 {lir.loops = array<i64: 0>, lir.ports = [#lir.port<[7], sub [4]>, #lir.port<[7], sub [4]>]} : tensor<7xf32>
  %2 = lir.store %1 {count = 4 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[7], sub [4]>, #lir.port<[7], sub [4], loops [0: dim 0 ptr 1 fin -7]>]} : tensor<7xf32>
  lir.loop_end 0
  lir.result %2 {index = 0 : i64, lir.ports = [#lir.port<[7], sub [4]>]} : tensor<7xf32>
}
