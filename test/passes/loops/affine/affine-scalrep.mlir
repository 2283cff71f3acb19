// RUN: snippets-opt %s -p affine-scalrep | filecheck %s
// RUN: snippets-opt %s -p affine-loop-fusion,affine-scalrep,affine-scalrep | filecheck %s

// From a store to a load, through a chain of them; the memory is not read any more.
// CHECK-LABEL: func.func @chain(
// CHECK-NEXT: affine.for %i = 0 to 64 {
// CHECK-NEXT: %[[V0:.*]] = arith.addf %x, %x : f32
// CHECK-NEXT: affine.store %[[V0]], %A[%i] : memref<64xf32>
// CHECK-NEXT: }
func.func @chain(%A: memref<64xf32>, %x: f32) {
  %T = memref.alloc() : memref<64xf32>
  %U = memref.alloca() : memref<64xf32>
  affine.for %i = 0 to 64 {
    affine.store %x, %T[%i] : memref<64xf32>
    %0 = affine.load %T[%i] : memref<64xf32>
    affine.store %0, %U[%i] : memref<64xf32>
    %1 = affine.load %U[%i] : memref<64xf32>
    %2 = arith.addf %0, %1 : f32
    affine.store %2, %A[%i] : memref<64xf32>
  }
  memref.dealloc %T : memref<64xf32>
  func.return
}

// A load is not repeated; a store to another subscript that differs by a constant does not matter.
// CHECK-LABEL: func.func @loads(
// CHECK-NEXT: affine.for %i = 0 to 63 {
// CHECK-NEXT: %[[V0:.*]] = affine.load %A[%i] : memref<64xf32>
// CHECK-NEXT: affine.store %[[V0]], %A[%i + 1] : memref<64xf32>
// CHECK-NEXT: affine.store %[[V0]], %B[%i] : memref<64xf32>
// CHECK-NEXT: }
func.func @loads(%A: memref<64xf32>, %B: memref<64xf32>) {
  affine.for %i = 0 to 63 {
    %0 = affine.load %A[%i] : memref<64xf32>
    affine.store %0, %A[%i + 1] : memref<64xf32>
    %1 = affine.load %A[%i] : memref<64xf32>
    affine.store %1, %B[%i] : memref<64xf32>
  }
  func.return
}

// It does where it may be the same cell, in the same memref or in a view of it.
// CHECK-LABEL: func.func @overwritten(
// CHECK-NEXT: %V = memref.reinterpret_cast %A to offset: [0], sizes: [64], strides: [1] : memref<64xf32> to memref<64xf32>
// CHECK-NEXT: affine.for %i = 0 to 64 {
// CHECK-NEXT: %[[V0:.*]] = affine.load %A[%i] : memref<64xf32>
// CHECK-NEXT: affine.store %x, %A[symbol(%n)] : memref<64xf32>
// CHECK-NEXT: %[[V1:.*]] = affine.load %A[%i] : memref<64xf32>
// CHECK-NEXT: affine.store %x, %V[%i] : memref<64xf32>
// CHECK-NEXT: %[[V2:.*]] = affine.load %A[%i] : memref<64xf32>
// CHECK-NEXT: %[[V3:.*]] = arith.addf %[[V1]], %[[V2]] : f32
// CHECK-NEXT: %[[V4:.*]] = arith.addf %[[V0]], %[[V3]] : f32
// CHECK-NEXT: affine.store %[[V4]], %B[%i] : memref<64xf32>
// CHECK-NEXT: }
func.func @overwritten(%A: memref<64xf32>, %B: memref<64xf32>, %n: index, %x: f32) {
  %V = memref.reinterpret_cast %A to offset: [0], sizes: [64], strides: [1] : memref<64xf32> to memref<64xf32>
  affine.for %i = 0 to 64 {
    %0 = affine.load %A[%i] : memref<64xf32>
    affine.store %x, %A[symbol(%n)] : memref<64xf32>
    %1 = affine.load %A[%i] : memref<64xf32>
    affine.store %x, %V[%i] : memref<64xf32>
    %2 = affine.load %A[%i] : memref<64xf32>
    %3 = arith.addf %1, %2 : f32
    %4 = arith.addf %0, %3 : f32
    affine.store %4, %B[%i] : memref<64xf32>
  }
  func.return
}

// A loop in between forgets what it writes, and nothing else; a call forgets everything.
// CHECK-LABEL: func.func @inner(
// CHECK-NEXT: %[[V0:.*]] = affine.load %A[0] : memref<64xf32>
// CHECK-NEXT: %[[V1:.*]] = affine.load %B[0] : memref<64xf32>
// CHECK-NEXT: affine.for %i = 0 to 64 {
// CHECK-NEXT: affine.store %x, %A[%i] : memref<64xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %[[V2:.*]] = affine.load %A[0] : memref<64xf32>
// CHECK-NEXT: func.call @anything() : () -> ()
// CHECK-NEXT: %[[V3:.*]] = affine.load %B[0] : memref<64xf32>
// CHECK-NEXT: %[[V4:.*]] = arith.addf %[[V1]], %[[V3]] : f32
func.func @inner(%A: memref<64xf32>, %B: memref<64xf32>, %x: f32) -> (f32, f32, f32, f32) {
  %0 = affine.load %A[0] : memref<64xf32>
  %1 = affine.load %B[0] : memref<64xf32>
  affine.for %i = 0 to 64 {
    affine.store %x, %A[%i] : memref<64xf32>
  }
  %2 = affine.load %A[0] : memref<64xf32>
  %3 = affine.load %B[0] : memref<64xf32>
  func.call @anything() : () -> ()
  %4 = affine.load %B[0] : memref<64xf32>
  %5 = arith.addf %3, %4 : f32
  func.return %0, %1, %2, %5 : f32, f32, f32, f32
}
func.func private @anything()

// Memory that is returned is read by somebody.
// CHECK-LABEL: func.func @returned(
// CHECK-NEXT: %T = memref.alloc() : memref<64xf32>
// CHECK-NEXT: affine.store %x, %T[3] : memref<64xf32>
func.func @returned(%x: f32) -> memref<64xf32> {
  %T = memref.alloc() : memref<64xf32>
  affine.store %x, %T[3] : memref<64xf32>
  func.return %T : memref<64xf32>
}
