// RUN: snippets-opt %s -p 'affine-loop-peeling{size=8}' | filecheck %s
// RUN: snippets-opt %s -p 'affine-loop-peeling{size=8},affine-loop-peeling{size=8}' | filecheck %s
// RUN: snippets-opt %s -p 'affine-loop-peeling{size=8},affine-super-vectorize{virtual-vector-size=8}' | filecheck %s --check-prefix=VECTORS
// RUN: not snippets-opt %s -p 'affine-loop-peeling{size=0}' 2>&1 | filecheck %s --check-prefix=ZERO

// ZERO: error: pass 'affine-loop-peeling': size takes 1 or more, found 0

// Whole vectors in the first part, a mask in the second.
// VECTORS-LABEL: func.func @symbol(
// VECTORS: vector.transfer_write %{{.*}}, %A[%i] {in_bounds = [true]} : vector<8xf32>, memref<?xf32>
// VECTORS: %[[MASK:.*]] = vector.create_mask
// VECTORS: vector.transfer_write %{{.*}}, %A[%i_1], %[[MASK]] : vector<8xf32>, memref<?xf32>

// CHECK-LABEL: func.func @constant(
// CHECK-NEXT: affine.for %i = 3 to 43 {
// CHECK-NEXT: affine.store %x, %A[%i] : memref<64xf32>
// CHECK-NEXT: }
// CHECK-NEXT: affine.for %i_1 = 43 to 45 {
// CHECK-NEXT: affine.store %x, %A[%i_1] : memref<64xf32>
// CHECK-NEXT: }
func.func @constant(%A: memref<64xf32>, %x: f32) {
  affine.for %i = 3 to 45 {
    affine.store %x, %A[%i] : memref<64xf32>
  }
  func.return
}

// The second part has no iteration below the lower bound, whatever %n is.
// CHECK-LABEL: func.func @symbol(
// CHECK-NEXT: affine.for %i = %m to affine_map<()[s0, s1] -> ((s0 + ((((s1 + -1) + (s0 * -1)) floordiv 8) * 8)))>()[%m, %n] {
// CHECK-NEXT: affine.store %x, %A[%i] : memref<?xf32>
// CHECK-NEXT: }
// CHECK-NEXT: affine.for %i_1 = max affine_map<()[s0, s1] -> (s0, (s0 + ((((s1 + -1) + (s0 * -1)) floordiv 8) * 8)))>()[%m, %n] to affine_map<()[s0] -> ((s0 + -1))>()[%n] {
// CHECK-NEXT: affine.store %x, %A[%i_1] : memref<?xf32>
// CHECK-NEXT: }
func.func @symbol(%A: memref<?xf32>, %m: index, %n: index, %x: f32) {
  affine.for %i = %m to affine_map<()[s0] -> (s0 - 1)>()[%n] {
    affine.store %x, %A[%i] : memref<?xf32>
  }
  func.return
}

// Values go on from the first part to the second; only inner loops are split.
// CHECK-LABEL: func.func @carried(
// CHECK-NEXT: %r = affine.for %i = 0 to 20 iter_args(%a = %x) -> (f32) {
// CHECK-NEXT: %[[V0:.*]] = affine.for %j = 0 to 16 iter_args(%b = %a) -> (f32) {
// CHECK-NEXT: %[[V1:.*]] = affine.load %A[%i, %j] : memref<20x20xf32>
// CHECK-NEXT: %[[V2:.*]] = arith.addf %b, %[[V1]] : f32
// CHECK-NEXT: affine.yield %[[V2]] : f32
// CHECK-NEXT: }
// CHECK-NEXT: %s = affine.for %j_1 = 16 to 20 iter_args(%b_1 = %[[V0]]) -> (f32) {
// CHECK-NEXT: %[[V3:.*]] = affine.load %A[%i, %j_1] : memref<20x20xf32>
// CHECK-NEXT: %[[V4:.*]] = arith.addf %b_1, %[[V3]] : f32
// CHECK-NEXT: affine.yield %[[V4]] : f32
// CHECK-NEXT: }
// CHECK-NEXT: affine.yield %s : f32
// CHECK-NEXT: }
func.func @carried(%A: memref<20x20xf32>, %x: f32) -> f32 {
  %r = affine.for %i = 0 to 20 iter_args(%a = %x) -> (f32) {
    %s = affine.for %j = 0 to 20 iter_args(%b = %a) -> (f32) {
      %0 = affine.load %A[%i, %j] : memref<20x20xf32>
      %1 = arith.addf %b, %0 : f32
      affine.yield %1 : f32
    }
    affine.yield %s : f32
  }
  func.return %r : f32
}

// Not: a multiple already, fewer iterations than the size, a step, two upper bounds.
// CHECK-LABEL: func.func @left(
// CHECK-NEXT: affine.for %i = 0 to 64 {
// CHECK-NEXT: affine.store %x, %A[%i] : memref<64xf32>
// CHECK-NEXT: }
// CHECK-NEXT: affine.for %i_1 = 0 to 7 {
// CHECK-NEXT: affine.store %x, %A[%i_1] : memref<64xf32>
// CHECK-NEXT: }
// CHECK-NEXT: affine.for %i_2 = 0 to 63 step 2 {
// CHECK-NEXT: affine.store %x, %A[%i_2] : memref<64xf32>
// CHECK-NEXT: }
// CHECK-NEXT: affine.for %i_3 = 0 to min affine_map<()[s0] -> (s0, 20)>()[%n] {
// CHECK-NEXT: affine.store %x, %A[%i_3] : memref<64xf32>
// CHECK-NEXT: }
func.func @left(%A: memref<64xf32>, %n: index, %x: f32) {
  affine.for %i = 0 to 64 {
    affine.store %x, %A[%i] : memref<64xf32>
  }
  affine.for %i = 0 to 7 {
    affine.store %x, %A[%i] : memref<64xf32>
  }
  affine.for %i = 0 to 63 step 2 {
    affine.store %x, %A[%i] : memref<64xf32>
  }
  affine.for %i = 0 to min affine_map<()[s0] -> (s0, 20)>()[%n] {
    affine.store %x, %A[%i] : memref<64xf32>
  }
  func.return
}
