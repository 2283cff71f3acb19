// RUN: snippets-opt %s | snippets-opt - | filecheck %s
// RUN: snippets-opt --mlir-print-op-generic %s | snippets-opt - | filecheck %s

// CHECK-LABEL: @parallel
func.func @parallel(%A: memref<?xf32>, %a: index, %n: index, %x: f32) {
  // CHECK-NEXT: scf.parallel (%i, %j) = (%a, %a) to (%n, %n) step (%n, %n) {
  scf.parallel (%i, %j) = (%a, %a) to (%n, %n) step (%n, %n) {
    // CHECK-NEXT: memref.store %x, %A[%i] : memref<?xf32>
    memref.store %x, %A[%i] : memref<?xf32>
    // CHECK-NEXT: scf.reduce
    scf.reduce
  // CHECK-NEXT: } {tag}
  } {tag}
  // CHECK-NEXT: %s = scf.parallel (%k) = (%a) to (%n) step (%n) init (%x) -> (f32) {
  %s = scf.parallel (%k) = (%a) to (%n) step (%n) init (%x) -> f32 {
    // CHECK-NEXT: scf.reduce(%x : f32) {
    scf.reduce(%x : f32) {
    ^bb0(%l: f32, %r: f32):
      %1 = arith.addf %l, %r : f32
      scf.reduce.return %1 : f32
    }
  }
  // CHECK: scf.reduce(%x, %a : f32, index) {
  // CHECK: }, {
  // CHECK-NEXT: ^bb0(%{{.*}}: index, %{{.*}}: index):
  %t:2 = scf.parallel (%k) = (%a) to (%n) step (%n) init (%x, %a) -> (f32, index) {
    scf.reduce(%x, %a : f32, index) {
    ^bb0(%l: f32, %r: f32):
      %1 = arith.addf %l, %r : f32
      scf.reduce.return %1 : f32
    }, {
    ^bb0(%l: index, %r: index):
      %1 = arith.addi %l, %r : index
      scf.reduce.return %1 : index
    }
  }
  func.return
}
