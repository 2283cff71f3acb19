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
