// RUN: snippets-opt %s -p lir-insert-specific-iterations --split-input-file | filecheck %s

// The blocks of loop 0 do what is left of it, so that it has one part; they have a main part and a tail.
// CHECK-LABEL: @blocks "expanded"
// CHECK-SAME: loops [#lir.loop<0, work ?0, inc 8, dim 0>, #lir.loop<2, work ?0, inc 8, dim 0, whole of 0>, #lir.loop<3, work ?0, inc 4, dim 0, inner of 2>, #lir.loop<4, work ?0, inc 4, dim 0, inner of 2, main of 3>, #lir.loop<5, work ?0, inc 4, dim 0, inner of 2, last of 3>]
// CHECK: lir.loop_begin 2
// CHECK-NEXT: lir.loop_begin 4
// CHECK-NEXT: lir.load %a {count = 4 : i64
// CHECK-SAME: loops [2: dim 0 ptr 1 fin ?0*-1, 4: dim 0 ptr 1 fin 0]
// CHECK: lir.loop_end 4
// CHECK-NEXT: lir.loop_begin 5
// CHECK-NEXT: lir.load %a {count = -1 : i64
// CHECK-SAME: loops [2: dim 0 ptr 1 fin ?0*-1, 5: dim 0 ptr 1 fin ?0*-1]
// CHECK: lir.loop_end 5
// CHECK-NEXT: lir.loop_end 2
// CHECK-NOT: lir.loop_begin
lir.kernel @blocks "looped" (%a: tensor<?xf32, #lir.sizes<?0>>) -> tensor<?xf32, #lir.sizes<?0>> loops [#lir.loop<0, work ?0, inc 8, dim 0>, #lir.loop<1, work 8, inc 4, dim 0, inner of 0>] {
  lir.loop_begin 0
  lir.loop_begin 1
  %0 = lir.load %a {count = 4 : i64, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[?0], sub [4], loops [0: dim 0 ptr 1 fin ?0*-1, 1: dim 0 ptr 1 fin -8]>, #lir.port<[?0], sub [4]>]} : tensor<?xf32, #lir.sizes<?0>>
  %1 = snippets.abs %0 {lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[?0], sub [4]>, #lir.port<[?0], sub [4]>]} : tensor<?xf32, #lir.sizes<?0>>
  %2 = lir.store %1 {count = 4 : i64, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[?0], sub [4]>, #lir.port<[?0], sub [4], loops [0: dim 0 ptr 1 fin ?0*-1, 1: dim 0 ptr 1 fin -8]>]} : tensor<?xf32, #lir.sizes<?0>>
  lir.loop_end 1
  lir.loop_end 0
  lir.result %2 {index = 0 : i64, lir.ports = [#lir.port<[?0], sub [4]>]} : tensor<?xf32, #lir.sizes<?0>>
}

// -----

// Known work along another dim than the vectors': the last block is short, and there is one code for all.
// CHECK-LABEL: @rows "expanded"
// CHECK-SAME: #lir.loop<2, work 200, inc 64, dim 1, whole of 0>, #lir.loop<3, work 64, inc 1, dim 1, inner of 2>]
// CHECK: lir.loop_begin 2
// CHECK-NEXT: lir.loop_begin 3
// CHECK: lir.loop_end 3
// CHECK-NEXT: lir.loop_end 2
// CHECK-NOT: lir.loop_begin
lir.kernel @rows "looped" (%a: tensor<200x1xf32>) -> tensor<200x1xf32> loops [#lir.loop<0, work 200, inc 64, dim 1>, #lir.loop<1, work 64, inc 1, dim 1, inner of 0>] {
  lir.loop_begin 0
  lir.loop_begin 1
  %0 = lir.load %a {count = 1 : i64, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[200, 1], sub [1], loops [0: dim 1 ptr 1 fin -200, 1: dim 1 ptr 1 fin -64]>, #lir.port<[200, 1], sub [1]>]} : tensor<200x1xf32>
  %1 = snippets.abs %0 {lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[200, 1], sub [1]>, #lir.port<[200, 1], sub [1]>]} : tensor<200x1xf32>
  %2 = lir.store %1 {count = 1 : i64, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[200, 1], sub [1]>, #lir.port<[200, 1], sub [1], loops [0: dim 1 ptr 1 fin -200, 1: dim 1 ptr 1 fin -64]>]} : tensor<200x1xf32>
  lir.loop_end 1
  lir.loop_end 0
  lir.result %2 {index = 0 : i64, lir.ports = [#lir.port<[200, 1], sub [1]>]} : tensor<200x1xf32>
}

// -----

// Does not fire: threads share the loop.
// CHECK-LABEL: @shared "expanded"
// CHECK-NOT: whole
lir.kernel @shared "looped" (%a: tensor<200x1xf32>) -> tensor<200x1xf32> loops [#lir.loop<0, work 200, inc 64, dim 1, parallel>, #lir.loop<1, work 64, inc 1, dim 1, inner of 0>] {
  lir.loop_begin 0
  lir.loop_begin 1
  %0 = lir.load %a {count = 1 : i64, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[200, 1], sub [1], loops [0: dim 1 ptr 1 fin -200, 1: dim 1 ptr 1 fin -64]>, #lir.port<[200, 1], sub [1]>]} : tensor<200x1xf32>
  %1 = snippets.abs %0 {lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[200, 1], sub [1]>, #lir.port<[200, 1], sub [1]>]} : tensor<200x1xf32>
  %2 = lir.store %1 {count = 1 : i64, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[200, 1], sub [1]>, #lir.port<[200, 1], sub [1], loops [0: dim 1 ptr 1 fin -200, 1: dim 1 ptr 1 fin -64]>]} : tensor<200x1xf32>
  lir.loop_end 1
  lir.loop_end 0
  lir.result %2 {index = 0 : i64, lir.ports = [#lir.port<[200, 1], sub [1]>]} : tensor<200x1xf32>
}

// -----

// Does not fire: there is no whole block.
// CHECK-LABEL: @short "expanded"
// CHECK-NOT: whole
lir.kernel @short "looped" (%a: tensor<200x1xf32>) -> tensor<200x1xf32> loops [#lir.loop<0, work 200, inc 256, dim 1>, #lir.loop<1, work 256, inc 1, dim 1, inner of 0>] {
  lir.loop_begin 0
  lir.loop_begin 1
  %0 = lir.load %a {count = 1 : i64, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[200, 1], sub [1], loops [0: dim 1 ptr 1 fin -200, 1: dim 1 ptr 1 fin -256]>, #lir.port<[200, 1], sub [1]>]} : tensor<200x1xf32>
  %1 = snippets.abs %0 {lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[200, 1], sub [1]>, #lir.port<[200, 1], sub [1]>]} : tensor<200x1xf32>
  %2 = lir.store %1 {count = 1 : i64, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[200, 1], sub [1]>, #lir.port<[200, 1], sub [1], loops [0: dim 1 ptr 1 fin -200, 1: dim 1 ptr 1 fin -256]>]} : tensor<200x1xf32>
  lir.loop_end 1
  lir.loop_end 0
  lir.result %2 {index = 0 : i64, lir.ports = [#lir.port<[200, 1], sub [1]>]} : tensor<200x1xf32>
}

// -----

// Does not fire: short blocks are faster with bounds that are known.
// CHECK-LABEL: @short_blocks "expanded"
// CHECK-NOT: whole
lir.kernel @short_blocks "looped" (%a: tensor<200x1xf32>) -> tensor<200x1xf32> loops [#lir.loop<0, work 200, inc 16, dim 1>, #lir.loop<1, work 16, inc 1, dim 1, inner of 0>] {
  lir.loop_begin 0
  lir.loop_begin 1
  %0 = lir.load %a {count = 1 : i64, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[200, 1], sub [1], loops [0: dim 1 ptr 1 fin -200, 1: dim 1 ptr 1 fin -16]>, #lir.port<[200, 1], sub [1]>]} : tensor<200x1xf32>
  %1 = snippets.abs %0 {lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[200, 1], sub [1]>, #lir.port<[200, 1], sub [1]>]} : tensor<200x1xf32>
  %2 = lir.store %1 {count = 1 : i64, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[200, 1], sub [1]>, #lir.port<[200, 1], sub [1], loops [0: dim 1 ptr 1 fin -200, 1: dim 1 ptr 1 fin -16]>]} : tensor<200x1xf32>
  lir.loop_end 1
  lir.loop_end 0
  lir.result %2 {index = 0 : i64, lir.ports = [#lir.port<[200, 1], sub [1]>]} : tensor<200x1xf32>
}

// -----

// Does not fire: of known work along the vectors there are two parts, each with blocks of its own.
// CHECK-LABEL: @known "expanded"
// CHECK-SAME: work 16, inc 8, dim 0, main of 0>
// CHECK-SAME: work 4, inc 4, dim 0, last of 0>
// CHECK-NOT: whole
lir.kernel @known "looped" (%a: tensor<20xf32>) -> tensor<20xf32> loops [#lir.loop<0, work 20, inc 8, dim 0>, #lir.loop<1, work 8, inc 4, dim 0, inner of 0>] {
  lir.loop_begin 0
  lir.loop_begin 1
  %0 = lir.load %a {count = 4 : i64, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[20], sub [4], loops [0: dim 0 ptr 1 fin -20, 1: dim 0 ptr 1 fin -8]>, #lir.port<[20], sub [4]>]} : tensor<20xf32>
  %1 = snippets.abs %0 {lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[20], sub [4]>, #lir.port<[20], sub [4]>]} : tensor<20xf32>
  %2 = lir.store %1 {count = 4 : i64, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[20], sub [4]>, #lir.port<[20], sub [4], loops [0: dim 0 ptr 1 fin -20, 1: dim 0 ptr 1 fin -8]>]} : tensor<20xf32>
  lir.loop_end 1
  lir.loop_end 0
  lir.result %2 {index = 0 : i64, lir.ports = [#lir.port<[20], sub [4]>]} : tensor<20xf32>
}

// -----

// Does not fire: loop 0 has an access of its own by vectors, whose tail is masked.
// CHECK-LABEL: @by_vectors "expanded"
// CHECK-SAME: main of 0>
// CHECK-SAME: last of 0>
// CHECK-NOT: whole
lir.kernel @by_vectors "looped" (%a: tensor<?xf32, #lir.sizes<?0>>) -> (tensor<?xf32, #lir.sizes<?0>>, tensor<?xf32, #lir.sizes<?0>>) loops [#lir.loop<0, work ?0, inc 8, dim 0>, #lir.loop<1, work 8, inc 4, dim 0, inner of 0>] {
  lir.loop_begin 0
  %3 = lir.load %a {count = 8 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[?0], sub [8], loops [0: dim 0 ptr 1 fin ?0*-1]>, #lir.port<[?0], sub [8]>]} : tensor<?xf32, #lir.sizes<?0>>
  %4 = lir.store %3 {count = 8 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[?0], sub [8]>, #lir.port<[?0], sub [8], loops [0: dim 0 ptr 1 fin ?0*-1]>]} : tensor<?xf32, #lir.sizes<?0>>
  lir.loop_begin 1
  %0 = lir.load %a {count = 4 : i64, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[?0], sub [4], loops [0: dim 0 ptr 1 fin ?0*-1, 1: dim 0 ptr 1 fin -8]>, #lir.port<[?0], sub [4]>]} : tensor<?xf32, #lir.sizes<?0>>
  %2 = lir.store %0 {count = 4 : i64, lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[?0], sub [4]>, #lir.port<[?0], sub [4], loops [0: dim 0 ptr 1 fin ?0*-1, 1: dim 0 ptr 1 fin -8]>]} : tensor<?xf32, #lir.sizes<?0>>
  lir.loop_end 1
  lir.loop_end 0
  lir.result %2 {index = 0 : i64, lir.ports = [#lir.port<[?0], sub [4]>]} : tensor<?xf32, #lir.sizes<?0>>
  lir.result %4 {index = 1 : i64, lir.ports = [#lir.port<[?0], sub [8]>]} : tensor<?xf32, #lir.sizes<?0>>
}
