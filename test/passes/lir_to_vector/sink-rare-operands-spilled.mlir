// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx2},snippets-to-lir,lir-to-vector' --mlir-print-ir-after=lir-insert-reg-spills 2>&1 | filecheck %s

// The large arguments of f64 need more registers than there are: values of that side leave theirs,
// in the linear IR. In the code, they have no slots, so all four lookups are in the branch.
// CHECK: lir.spill
// CHECK: lir.reload
// CHECK: func.func
// CHECK: scf.for
// CHECK-NOT: llvm.intr.masked.gather
// CHECK: scf.if
// CHECK-COUNT-4: llvm.intr.masked.gather
// CHECK-NOT: llvm.store
// CHECK: } else {
// CHECK-NEXT: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: llvm.store
func.func @main(%x: tensor<64xf64>) -> tensor<64xf64> {
  %0 = snippets.sin %x : tensor<64xf64>
  func.return %0 : tensor<64xf64>
}
