// RUN: snippets-opt %s -p affine-parallelize | filecheck %s
// RUN: snippets-opt %s -p 'affine-parallelize{max-nested=1}' | filecheck %s --check-prefix=ONE
// RUN: not snippets-opt %s -p 'affine-parallelize{max-nested=-1}' 2>&1 | filecheck %s --check-prefix=NEGATIVE
// RUN: snippets-opt %s -p 'affine-parallelize{max-nested=1},affine-super-vectorize{virtual-vector-size=8}' | filecheck %s --check-prefix=VECTORS

// NEGATIVE: error: pass 'affine-parallelize': max-nested takes 0 or more, found -1

// CHECK-LABEL: func.func @nest(
// CHECK-NEXT: affine.parallel (%i) = (0) to (64) {
// CHECK-NEXT: affine.parallel (%j) = (0) to (32) {
// CHECK-NEXT: affine.store %x, %A[%i, %j] : memref<64x32xf32>
// CHECK-NEXT: }
// CHECK-NEXT: }
// ONE-LABEL: func.func @nest(
// ONE-NEXT: affine.parallel (%i) = (0) to (64) {
// ONE-NEXT: affine.for %j = 0 to 32 {
// ONE-NEXT: affine.store %x, %A[%i, %j] : memref<64x32xf32>
// ONE-NEXT: }
// ONE-NEXT: }
// VECTORS-LABEL: func.func @nest(
// VECTORS-NEXT: %[[V0:.*]] = vector.broadcast %x : f32 to vector<8xf32>
// VECTORS-NEXT: affine.parallel (%i) = (0) to (64) {
// VECTORS-NEXT: affine.for %j = 0 to 32 step 8 {
// VECTORS-NEXT: vector.transfer_write %[[V0]], %A[%i, %j] {in_bounds = [true]} : vector<8xf32>, memref<64x32xf32>
// VECTORS-NEXT: }
// VECTORS-NEXT: }
func.func @nest(%A: memref<64x32xf32>, %x: f32) {
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to 32 {
      affine.store %x, %A[%i, %j] : memref<64x32xf32>
    }
  }
  func.return
}

// Bounds and steps stay.
// CHECK-LABEL: func.func @bounds(
// CHECK-NEXT: affine.parallel (%i) = (max(0, symbol(%n) - 64)) to (min(symbol(%n), 7)) step (2) {
// CHECK-NEXT: affine.store %x, %A[%i] : memref<?xf32>
// CHECK-NEXT: }
func.func @bounds(%A: memref<?xf32>, %n: index, %x: f32) {
  affine.for %i = max affine_map<()[s0] -> (0, s0 - 64)>()[%n] to min affine_map<()[s0] -> (s0, 7)>()[%n] step 2 {
    affine.store %x, %A[%i] : memref<?xf32>
  }
  func.return
}

// The outer loop carries a dependence, the inner one does not.
// CHECK-LABEL: func.func @inner(
// CHECK-NEXT: affine.for %i = 1 to 64 {
// CHECK-NEXT: affine.parallel (%j) = (0) to (32) {
// CHECK-NEXT: %[[V0:.*]] = affine.load %A[%i - 1, %j] : memref<64x32xf32>
// CHECK-NEXT: affine.store %[[V0]], %A[%i, %j] : memref<64x32xf32>
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @inner(%A: memref<64x32xf32>) {
  affine.for %i = 1 to 64 {
    affine.for %j = 0 to 32 {
      %0 = affine.load %A[%i - 1, %j] : memref<64x32xf32>
      affine.store %0, %A[%i, %j] : memref<64x32xf32>
    }
  }
  func.return
}

// A carried value, and a call.
// CHECK-LABEL: func.func @refused(
// CHECK-NEXT: %s = affine.for %i = 0 to 64 iter_args(%a = %x) -> (f32) {
// CHECK-NEXT: %[[V0:.*]] = affine.load %A[%i] : memref<64xf32>
// CHECK-NEXT: %[[V1:.*]] = arith.addf %a, %[[V0]] : f32
// CHECK-NEXT: affine.yield %[[V1]] : f32
// CHECK-NEXT: }
// CHECK-NEXT: affine.for %j = 0 to 64 {
// CHECK-NEXT: func.call @anything() : () -> ()
// CHECK-NEXT: }
func.func @refused(%A: memref<64xf32>, %x: f32) -> f32 {
  %s = affine.for %i = 0 to 64 iter_args(%a = %x) -> (f32) {
    %0 = affine.load %A[%i] : memref<64xf32>
    %1 = arith.addf %a, %0 : f32
    affine.yield %1 : f32
  }
  affine.for %j = 0 to 64 {
    func.call @anything() : () -> ()
  }
  func.return %s : f32
}
func.func private @anything()
