// RUN: snippets-opt %s --canonicalize | filecheck %s

// Maps of constants are evaluated, rounding divisions down.
// CHECK-LABEL: @fold
func.func @fold(%i: index, %n: index) -> (index, index, index, index, index) {
  %c5 = arith.constant -5 : index
  %c0 = arith.constant 0 : index
  %a = affine.apply affine_map<(d0) -> (d0 mod 3)>(%c5)
  %b = affine.min affine_map<(d0)[s0] -> (d0 floordiv 2, s0, 7)>(%c5)[%c0]
  %c = affine.max affine_map<(d0) -> (d0 ceildiv 2, -9)>(%c5)
  %d = affine.apply affine_map<(d0)[s0] -> (s0)>(%i)[%n]
  %e = affine.min affine_map<(d0) -> (d0)>(%i)
  // CHECK-NEXT: %a = arith.constant 1 : index
  // CHECK-NEXT: %b = arith.constant -3 : index
  // CHECK-NEXT: %c = arith.constant -2 : index
  // CHECK-NEXT: func.return %a, %b, %c, %n, %i
  func.return %a, %b, %c, %d, %e : index, index, index, index, index
}

// Unused loads and loops that only read go; stores stay.
// CHECK-LABEL: @effects
// CHECK-NEXT: affine.for %i = 0 to 8 {
// CHECK-NEXT: affine.store %x, %A[%i] : memref<8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return
func.func @effects(%A: memref<8xf32>, %x: f32) {
  affine.for %i = 0 to 8 {
    %0 = affine.load %A[%i] : memref<8xf32>
    affine.store %x, %A[%i] : memref<8xf32>
  }
  affine.for %i = 0 to 8 {
    %0 = affine.load %A[%i] : memref<8xf32>
  }
  affine.parallel (%i) = (0) to (8) {
    %0 = affine.vector_load %A[0] : memref<8xf32>, vector<8xf32>
  }
  func.return
}
