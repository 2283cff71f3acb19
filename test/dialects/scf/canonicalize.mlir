// RUN: snippets-opt %s --canonicalize | filecheck %s

// A parallel loop that only reads goes; one that writes stays.
// CHECK-LABEL: @effects
// CHECK-NEXT: scf.parallel
// CHECK-NEXT: memref.store
func.func @effects(%A: memref<?xf32>, %a: index, %n: index, %x: f32) {
  scf.parallel (%i) = (%a) to (%n) step (%n) {
    %0 = memref.load %A[%i] : memref<?xf32>
    scf.reduce
  }
  scf.parallel (%i) = (%a) to (%n) step (%n) {
    memref.store %x, %A[%i] : memref<?xf32>
    scf.reduce
  }
  func.return
}
