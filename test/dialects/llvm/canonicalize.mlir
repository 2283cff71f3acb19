// RUN: snippets-opt %s --canonicalize | filecheck %s

// What computes or only reads goes when it is unused; stores, changes and fences stay.
// CHECK-LABEL: @effects
// CHECK-NEXT: llvm.store
// CHECK-NEXT: llvm.mlir.constant
// CHECK-NEXT: llvm.atomicrmw add
// CHECK-NEXT: llvm.fence release
// CHECK-NEXT: llvm.return
llvm.func @effects(%p: !llvm.ptr, %a: vector<8xf32>, %m: vector<8xi1>) {
  %0 = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> f32
  %1 = llvm.intr.fabs(%a) : (vector<8xf32>) -> vector<8xf32>
  %2 = llvm.getelementptr %p[1] : (!llvm.ptr) -> !llvm.ptr, f32
  %3 = llvm.intr.masked.load %p, %m, %a {alignment = 4 : i32} : (!llvm.ptr, vector<8xi1>, vector<8xf32>) -> vector<8xf32>
  llvm.store %a, %p {alignment = 4 : i64} : vector<8xf32>, !llvm.ptr
  %4 = llvm.mlir.constant(1) : i64
  %5 = llvm.atomicrmw add %p, %4 monotonic {alignment = 8 : i64} : !llvm.ptr, i64
  llvm.fence release
  llvm.return
}
