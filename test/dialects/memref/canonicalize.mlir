// RUN: snippets-opt %s --canonicalize | filecheck %s

// Sizes that the type or the allocation says, casts that are nothing.
// CHECK-LABEL: @sizes
// CHECK: %[[C:.*]] = arith.constant 8 : index
// CHECK: func.return %[[C]], %n, %A
func.func @sizes(%A: memref<8x?xf32>, %n: index) -> (index, index, memref<8x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = memref.dim %A, %c0 : memref<8x?xf32>
  %B = memref.alloc(%n) : memref<4x?xf32>
  memref.dealloc %B : memref<4x?xf32>
  %1 = memref.dim %B, %c1 : memref<4x?xf32>
  %2 = memref.cast %A : memref<8x?xf32> to memref<?x?xf32>
  %3 = memref.cast %2 : memref<?x?xf32> to memref<8x?xf32>
  func.return %0, %1, %3 : index, index, memref<8x?xf32>
}

// Does not fire: a size that only the memref knows; copies and atomic updates stay.
// CHECK-LABEL: @stays
// CHECK: memref.dim
// CHECK: memref.copy
// CHECK: memref.atomic_rmw
func.func @stays(%A: memref<8x?xf32>, %B: memref<8x?xf32>, %i: index, %x: f32) -> index {
  %0 = memref.dim %A, %i : memref<8x?xf32>
  memref.copy %A, %B : memref<8x?xf32> to memref<8x?xf32>
  %1 = memref.atomic_rmw addf %x, %A[%i, %i] : (f32, memref<8x?xf32>) -> f32
  func.return %0 : index
}
