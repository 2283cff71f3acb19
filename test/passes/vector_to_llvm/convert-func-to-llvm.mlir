// RUN: snippets-opt %s -p convert-func-to-llvm | filecheck %s

// Attributes of function and arguments are kept, `private` becomes internal, `index` i64.
// CHECK-LABEL: llvm.func internal @body(%x: !llvm.ptr {llvm.noalias}, %{{.*}}: i64) attributes {no_unwind} {
// CHECK: llvm.return
// CHECK-LABEL: llvm.func @kernel(%a: !llvm.ptr, %{{.*}}: i64) -> f32 attributes {snippets.kernel, snippets.domain = 4 : i64, no_unwind} {
// CHECK-NEXT: llvm.call @body(%a, %{{.*}}) : (!llvm.ptr, i64) -> ()
// CHECK-NEXT: %[[V:.*]] = llvm.call @external(%a) : (!llvm.ptr) -> f32
// CHECK-NEXT: llvm.return %[[V]] : f32
// CHECK: llvm.func @external(!llvm.ptr) -> f32
func.func private @body(%x: !llvm.ptr {llvm.noalias}, %n: index) {
  func.return
}
func.func @kernel(%a: !llvm.ptr, %n: i64) -> f32 attributes {snippets.kernel, snippets.domain = 4 : i64} {
  %i = builtin.unrealized_conversion_cast %n : i64 to index
  func.call @body(%a, %i) : (!llvm.ptr, index) -> ()
  %0 = func.call @external(%a) : (!llvm.ptr) -> f32
  func.return %0 : f32
}
func.func private @external(!llvm.ptr) -> f32

// Does not fire: host functions.
// CHECK-LABEL: func.func @main
// CHECK: func.return
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  func.return %a : tensor<4xf32>
}

// The range of a call may be cut: see `passes/vector_to_llvm/parallel_calls.py`.
// CHECK-LABEL: llvm.func @cut
// CHECK: %[[G:.*]] = llvm.mlir.constant(64) : i64
// CHECK-NEXT: llvm.call @piece_launch(%{{.*}}, %{{.*}}, %{{.*}}, %[[G]]) : (i64, i64, f32, i64) -> ()
// CHECK: llvm.func internal @piece(
// CHECK: llvm.func internal @piece_launch(%[[B:.*]]: i64, %[[E:.*]]: i64, %[[X:.*]]: f32, %[[GRAIN:.*]]: i64) {
// CHECK-NEXT: %[[TEAM:.*]] = llvm.mlir.addressof @snippets_team : !llvm.ptr
// CHECK: %[[MANY:.*]] = llvm.icmp "sgt"
// CHECK-NEXT: llvm.cond_br %[[MANY]], ^bb2, ^bb1
// CHECK-NEXT: ^bb1:
// CHECK-NEXT: llvm.call @piece(%[[B]], %[[E]], %[[X]]) : (i64, i64, f32) -> ()
// CHECK: ^bb2:
// CHECK: llvm.store %{{.*}}, %[[MEMORY:.*]] {alignment = 8 : i64} : !llvm.struct<(i64, i64, f32)>, !llvm.ptr
// CHECK: llvm.mlir.addressof @piece_range
// CHECK: llvm.call %{{.*}}(%{{.*}}, %{{.*}}, %[[MEMORY]], {{.*}}) : !llvm.ptr,
// CHECK: llvm.func internal @piece_range(%{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i64) {
// CHECK: llvm.call @piece(
// CHECK: llvm.mlir.global weak @snippets_team(dense<0> : tensor<3xi64>)
func.func @cut(%b: index, %e: index, %x: f32) {
  func.call @piece(%b, %e, %x) {snippets.grain = 64 : i64} : (index, index, f32) -> ()
  func.return
}
func.func private @piece(%b: index, %e: index, %x: f32) {
  func.return
}
