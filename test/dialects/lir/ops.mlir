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
// CHECK-NEXT: lir.load %a {count = 8 : i64, lir.loops = array<i64: 1>, lir.ports = [#lir.port<[13], sub [8], loops [1: dim 0 ptr 1 fin 0]>, #lir.port<[13], layout [0], sub [8], reg "vec0">]} : tensor<13xf32>
// CHECK-NEXT: lir.store
// CHECK-NEXT: lir.loop_end 1
// CHECK-NEXT: lir.loop_begin 2
// CHECK-NEXT: lir.broadcast_load %a {count = 1 : i64
// CHECK-NEXT: lir.store
// CHECK-NEXT: lir.loop_end 2
// CHECK-NEXT: lir.result %{{.*}}, %{{.*}} {index = 0 : i64
lir.kernel @k "expanded" (%a: tensor<13xf32>) -> tensor<13xf32> loops [#lir.loop<0, work 13, inc 8, dim 0, parallel>, #lir.loop<1, work 8, inc 8, dim 0, parallel, main of 0>, #lir.loop<2, work 5, inc 5, dim 0, parallel, last of 0>] attributes {note = "x"} {
  lir.loop_begin 1
  %0 = lir.load %a {count = 8 : i64, lir.loops = array<i64: 1>, lir.ports = [#lir.port<[13], sub [8], loops [1: dim 0 ptr 1 fin 0]>, #lir.port<[13], layout [0], sub [8], reg "vec0">]} : tensor<13xf32>
  %1 = lir.store %0 {count = 8 : i64, lir.loops = array<i64: 1>, lir.ports = [#lir.port<[13], sub [8]>, #lir.port<[13], sub [8], loops [1: dim 0 ptr 1 fin 0]>]} : tensor<13xf32>
  lir.loop_end 1
  lir.loop_begin 2
  %2 = lir.broadcast_load %a {count = 1 : i64, lir.loops = array<i64: 2>, lir.ports = [#lir.port<[1], sub [1], loops [2: dim 0 fixed]>, #lir.port<[13], sub [8]>]} : tensor<13xf32>
  %3 = lir.store %2 {count = 5 : i64, lir.loops = array<i64: 2>, lir.ports = [#lir.port<[13], sub [8]>, #lir.port<[13], sub [8], loops [2: dim 0 ptr 1 fin -13]>]} : tensor<13xf32>
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
