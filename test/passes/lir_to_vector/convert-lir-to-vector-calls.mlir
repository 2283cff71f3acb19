// RUN: snippets-opt %s -p convert-lir-to-vector --split-input-file | filecheck %s

// Two nests over the same units, each for other calls. The domain has the smaller grain; the nest
// with the larger one begins and ends at its nearest multiples, or at the end of the domain. A nest
// that the call does not run has the range 0 to 0.
// CHECK: snippets.domain = 240 : i64, snippets.grain = 8 : i64
// CHECK: func.func private @calls.body({{.*}}, %begin: i64, %end: i64)
// CHECK-DAG: %[[ZERO:[0-9]+]] = arith.constant 0
// CHECK-DAG: %[[ALL:[0-9]+]] = arith.constant 240
// CHECK-DAG: %[[HALF:[0-9]+]] = arith.constant 8
// CHECK-DAG: %[[GRAIN:[0-9]+]] = arith.constant 16
// CHECK-DAG: %[[BOUND:[0-9]+]] = arith.constant 4
// CHECK: %[[FIRST:[0-9]+]] = arith.maxsi
// CHECK: %[[UP:[0-9]+]] = arith.addi %[[FIRST]], %[[HALF]]
// CHECK-NEXT: %[[OVER:[0-9]+]] = arith.remui %[[UP]], %[[GRAIN]]
// CHECK-NEXT: %[[NEAR:[0-9]+]] = arith.subi %[[UP]], %[[OVER]]
// CHECK-NEXT: %[[INSIDE:[0-9]+]] = arith.minsi %[[NEAR]], %[[ALL]]
// CHECK-NEXT: %[[BEFORE:[0-9]+]] = arith.cmpi slt, %[[FIRST]], %[[ALL]]
// CHECK-NEXT: %[[FROM:[0-9]+]] = arith.select %[[BEFORE]], %[[INSIDE]], %[[FIRST]]
// CHECK: arith.cmpi slt, %{{[0-9]+}}, %[[BOUND]]
// CHECK: %[[LOWER:[0-9]+]] = arith.select %{{[0-9]+}}, %[[FROM]], %[[ZERO]]
// CHECK: scf.for %{{.*}} = %[[LOWER]] to %{{[0-9]+}} step %[[GRAIN]]
// CHECK-NOT: arith.remui
// CHECK: arith.cmpi sge, %{{[0-9]+}}, %[[BOUND]]
// CHECK: scf.for %{{.*}} to %{{[0-9]+}} step %[[HALF]]
lir.kernel @calls "expanded" (%x: tensor<240xf32>, %n: tensor<?xf32, #lir.sizes<?0>>) -> tensor<240xf32> loops [#lir.loop<0, work 240, inc 8, dim 0, parallel, for ?0 from 4>, #lir.loop<1, work 240, inc 16, dim 0, parallel, for ?0 below 4>] {
  lir.loop_begin 1
  %1 = lir.load %x {count = 8 : i64, lir.loops = array<i64: 1>, lir.ports = [#lir.port<[240], sub [8], reg "gpr0", loops [1: dim 0 ptr 1 fin -240]>, #lir.port<[240], sub [8], reg "vec0">]} : tensor<240xf32>
  %2 = lir.store %1 {count = 8 : i64, lir.loops = array<i64: 1>, lir.ports = [#lir.port<[240], sub [8], reg "vec0">, #lir.port<[240], sub [8], reg "gpr1", loops [1: dim 0 ptr 1 fin -240]>]} : tensor<240xf32>
  %3 = lir.load %x {count = 8 : i64, offset = 8 : i64, lir.loops = array<i64: 1>, lir.ports = [#lir.port<[240], sub [8], reg "gpr0", loops [1: dim 0 fixed]>, #lir.port<[240], sub [8], reg "vec0">]} : tensor<240xf32>
  %4 = lir.store %3 {count = 8 : i64, offset = 8 : i64, lir.loops = array<i64: 1>, lir.ports = [#lir.port<[240], sub [8], reg "vec0">, #lir.port<[240], sub [8], reg "gpr1", loops [1: dim 0 fixed]>]} : tensor<240xf32>
  lir.loop_end 1
  lir.loop_begin 0
  %5 = lir.load %x {count = 8 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[240], sub [8], reg "gpr0", loops [0: dim 0 ptr 1 fin -240]>, #lir.port<[240], sub [8], reg "vec0">]} : tensor<240xf32>
  %6 = lir.store %5 {count = 8 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[240], sub [8], reg "vec0">, #lir.port<[240], sub [8], reg "gpr1", loops [0: dim 0 ptr 1 fin -240]>]} : tensor<240xf32>
  lir.loop_end 0
  lir.result %6, %4, %2 {index = 0 : i64, lir.ports = [#lir.port<[240], sub [8]>, #lir.port<[240], sub [8]>, #lir.port<[240], sub [8]>]} : tensor<240xf32>
}

// -----

// One nest that does not run in all calls.
// CHECK: func.func private @one.body
// CHECK: arith.cmpi slt, %{{[0-9]+}}, %{{[0-9]+}}
// CHECK: arith.cmpi sge
// CHECK-NEXT: arith.select
// CHECK-NEXT: %[[LOWER:[0-9]+]] = arith.select
// CHECK-NEXT: %[[UPPER:[0-9]+]] = arith.select
// CHECK: scf.for %{{.*}} = %[[LOWER]] to %[[UPPER]]
lir.kernel @one "expanded" (%x: tensor<240xf32>, %n: tensor<?xf32, #lir.sizes<?0>>) -> tensor<240xf32> loops [#lir.loop<0, work 240, inc 8, dim 0, parallel, for ?0 from 4>] {
  lir.loop_begin 0
  %5 = lir.load %x {count = 8 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[240], sub [8], reg "gpr0", loops [0: dim 0 ptr 1 fin -240]>, #lir.port<[240], sub [8], reg "vec0">]} : tensor<240xf32>
  %6 = lir.store %5 {count = 8 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[240], sub [8], reg "vec0">, #lir.port<[240], sub [8], reg "gpr1", loops [0: dim 0 ptr 1 fin -240]>]} : tensor<240xf32>
  lir.loop_end 0
  lir.result %6 {index = 0 : i64, lir.ports = [#lir.port<[240], sub [8]>]} : tensor<240xf32>
}
