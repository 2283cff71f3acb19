// RUN: snippets-opt %s -p convert-lir-to-vector --split-input-file | filecheck %s

// A last part does any rest. So blocks of 16384 keys, more than most calls have, do not count, nor
// do 64, which would make 192 of 48: all loops end at a multiple of 48.
// CHECK-LABEL: @dynamic.body
// CHECK: %[[K:.*]] = arith.constant 48 : i64
// CHECK-COUNT-6: arith.divui %{{.*}}, %[[K]]
// CHECK-NOT: arith.divui
lir.kernel @dynamic "expanded" (%a: tensor<?x?xf32, #lir.sizes<?0, ?0>>) -> () loops [#lir.loop<0, work ?0, inc 8, dim 1>, #lir.loop<1, work ?0, inc 48, dim 0, diagonal 3 of 0>, #lir.loop<2, work ?0, inc 48, dim 0, main of 1, diagonal 3 of 0>, #lir.loop<3, work ?0, inc 48, dim 0, last of 1, diagonal 3 of 0>, #lir.loop<4, work ?0, inc 16384, dim 0, diagonal 3 of 0>, #lir.loop<5, work ?0, inc 16384, dim 0, main of 4, diagonal 3 of 0>, #lir.loop<6, work ?0, inc 16384, dim 0, last of 4, diagonal 3 of 0>, #lir.loop<7, work ?0, inc 16, dim 0, diagonal 3 of 0>, #lir.loop<8, work ?0, inc 64, dim 0, unrolled of 7, diagonal 3 of 0>, #lir.loop<9, work ?0, inc 16, dim 0, last of 7, diagonal 3 of 0>] {
  lir.loop_begin 0
  lir.loop_begin 2
  lir.loop_end 2
  lir.loop_begin 3
  lir.loop_end 3
  lir.loop_begin 5
  lir.loop_end 5
  lir.loop_begin 6
  lir.loop_end 6
  lir.loop_begin 8
  lir.loop_end 8
  lir.loop_begin 9
  lir.loop_end 9
  lir.loop_end 0
}

// -----

// Twin: a loop without a last part leaves nothing, so its blocks of 192 count.
// CHECK-LABEL: @multiple.body
// CHECK: %[[K:.*]] = arith.constant 192 : i64
// CHECK-COUNT-3: arith.divui %{{.*}}, %[[K]]
// CHECK-NOT: arith.divui
lir.kernel @multiple "expanded" (%a: tensor<?x?xf32, #lir.sizes<?0*192, ?0*192>>) -> () loops [#lir.loop<0, work ?0*192, inc 8, dim 1>, #lir.loop<1, work ?0*192, inc 48, dim 0, diagonal 3 of 0>, #lir.loop<2, work ?0*192, inc 48, dim 0, main of 1, diagonal 3 of 0>, #lir.loop<3, work ?0*192, inc 48, dim 0, last of 1, diagonal 3 of 0>, #lir.loop<4, work ?0*192, inc 192, dim 0, diagonal 3 of 0>] {
  lir.loop_begin 0
  lir.loop_begin 2
  lir.loop_end 2
  lir.loop_begin 3
  lir.loop_end 3
  lir.loop_begin 4
  lir.loop_end 4
  lir.loop_end 0
}

// -----

// Twin: parts of known work have constant bounds, so all their increments count.
// CHECK-LABEL: @static.body
// CHECK: %[[K:.*]] = arith.constant 192 : i64
// CHECK-COUNT-4: arith.divui %{{.*}}, %[[K]]
// CHECK-NOT: arith.divui
lir.kernel @static "expanded" (%a: tensor<500x500xf32>) -> () loops [#lir.loop<0, work 500, inc 125, dim 1>, #lir.loop<1, work 500, inc 48, dim 0, diagonal 3 of 0>, #lir.loop<2, work 480, inc 48, dim 0, main of 1, diagonal 3 of 0>, #lir.loop<3, work 20, inc 20, dim 0, last of 1, diagonal 3 of 0>, #lir.loop<4, work 500, inc 64, dim 0, diagonal 3 of 0>, #lir.loop<5, work 448, inc 64, dim 0, main of 4, diagonal 3 of 0>, #lir.loop<6, work 52, inc 52, dim 0, last of 4, diagonal 3 of 0>] {
  lir.loop_begin 0
  lir.loop_begin 2
  lir.loop_end 2
  lir.loop_begin 3
  lir.loop_end 3
  lir.loop_begin 5
  lir.loop_end 5
  lir.loop_begin 6
  lir.loop_end 6
  lir.loop_end 0
}

// -----

// The call decides the diagonal: the kernel reads ?1, the second of its sizes.
// CHECK-LABEL: @after_a_cache.body
// CHECK: %[[BLOCK:.*]] = arith.constant 125 : i64
// CHECK: %[[AT:.*]] = llvm.getelementptr %rt[1]
// CHECK: %[[DISTANCE:.*]] = llvm.load %[[AT]]
// CHECK: arith.addi %[[DISTANCE]], %[[BLOCK]]
lir.kernel @after_a_cache "expanded" (%a: tensor<500x500xf32>) -> () loops [#lir.loop<0, work 500, inc 125, dim 1>, #lir.loop<1, work 500, inc 50, dim 0, diagonal ?1 of 0>] {
  lir.loop_begin 0
  lir.loop_begin 1
  lir.loop_end 1
  lir.loop_end 0
}
