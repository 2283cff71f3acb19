// RUN: snippets-opt %s -p llvm-request-c-wrappers,finalize-memref-to-llvm,convert-func-to-llvm | filecheck %s

// CHECK: llvm.func @public(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr {llvm.noalias}, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i64, %x: f32) -> !llvm.struct<(f32, {{.*}})>
// CHECK: llvm.func @_mlir_ciface_public(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: f32)
// CHECK: llvm.call @public
// CHECK: llvm.store
// CHECK: llvm.return
func.func @public(%A: memref<?xf32> {llvm.noalias}, %x: f32) -> (f32, memref<?xf32>) {
  func.return %x, %A : f32, memref<?xf32>
}

// Does not fire: private functions.
// CHECK: llvm.func internal @private
// CHECK-NOT: _mlir_ciface_private
func.func private @private(%A: memref<?xf32>) {
  func.return
}
