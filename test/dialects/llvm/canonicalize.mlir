// RUN: snippets-opt %s --canonicalize | filecheck %s

// What computes or only reads goes when it is unused; stores and fences stay.
// CHECK-LABEL: @effects
// CHECK-NEXT: llvm.store
// CHECK-NEXT: llvm.fence release
// CHECK-NEXT: llvm.return
llvm.func @effects(%p: !llvm.ptr, %a: vector<8xf32>, %m: vector<8xi1>) {
  %0 = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> f32
  %1 = llvm.intr.fabs(%a) : (vector<8xf32>) -> vector<8xf32>
  %2 = llvm.getelementptr %p[1] : (!llvm.ptr) -> !llvm.ptr, f32
  %3 = llvm.intr.masked.load %p, %m, %a {alignment = 4 : i32} : (!llvm.ptr, vector<8xi1>, vector<8xf32>) -> vector<8xf32>
  llvm.store %a, %p {alignment = 4 : i64} : vector<8xf32>, !llvm.ptr
  llvm.fence release
  llvm.return
}
