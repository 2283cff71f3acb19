// RUN: snippets-opt %s -p 'affine-super-vectorize{virtual-vector-size=4}' | filecheck %s
// RUN: snippets-opt %s -p 'affine-super-vectorize{virtual-vector-size=4}' | snippets-opt - | filecheck %s

// Lanes past the end of a loop: where a store needs a mask and where it does not.

// The loop ends before its memref: without a mask the second vector would write past 6.
// CHECK-LABEL: func.func @shorter_than_memref(
// CHECK-NEXT: %[[V0:.*]] = vector.broadcast %x : f32 to vector<4xf32>
// CHECK-NEXT: affine.for %i = 0 to 6 step 4 {
// CHECK-NEXT: %[[V1:.*]] = affine.apply affine_map<(d0) -> (((d0 * -1) + 6))>(%i)
// CHECK-NEXT: %[[V2:.*]] = vector.create_mask %[[V1]] : vector<4xi1>
// CHECK-NEXT: vector.transfer_write %[[V0]], %A[%i], %[[V2]] : vector<4xf32>, memref<64xf32>
// CHECK-NEXT: }
func.func @shorter_than_memref(%A: memref<64xf32>, %x: f32) {
  affine.for %i = 0 to 6 {
    affine.store %x, %A[%i] : memref<64xf32>
  }
  func.return
}

// The number of iterations is a multiple: every lane is one of them, so it is in bounds.
// CHECK-LABEL: func.func @whole_vectors(
// CHECK-NEXT: %[[V0:.*]] = vector.broadcast %x : f32 to vector<4xf32>
// CHECK-NEXT: affine.for %i = 4 to 12 step 4 {
// CHECK-NEXT: vector.transfer_write %[[V0]], %A[%i] {in_bounds = [true]} : vector<4xf32>, memref<64xf32>
// CHECK-NEXT: }
func.func @whole_vectors(%A: memref<64xf32>, %x: f32) {
  affine.for %i = 4 to 12 {
    affine.store %x, %A[%i] : memref<64xf32>
  }
  func.return
}

// CHECK-LABEL: func.func @whole_vectors_of_symbol(
// CHECK-NEXT: %[[V0:.*]] = vector.broadcast %x : f32 to vector<4xf32>
// CHECK-NEXT: affine.for %i = 0 to affine_map<()[s0] -> ((s0 * 8))>()[%n] step 4 {
// CHECK-NEXT: vector.transfer_write %[[V0]], %A[%i] {in_bounds = [true]} : vector<4xf32>, memref<?xf32>
// CHECK-NEXT: }
func.func @whole_vectors_of_symbol(%A: memref<?xf32>, %n: index, %x: f32) {
  affine.for %i = 0 to affine_map<()[s0] -> (s0 * 8)>()[%n] {
    affine.store %x, %A[%i] : memref<?xf32>
  }
  func.return
}

// The transfers stop at the end of the memrefs, which is the end of the loop.
// CHECK-LABEL: func.func @ends_with_memref(
// CHECK-NEXT: %[[V0:.*]] = vector.broadcast %x : f32 to vector<4xf32>
// CHECK-NEXT: affine.for %i = 0 to 6 step 4 {
// CHECK-NEXT: vector.transfer_write %[[V0]], %A[%i] : vector<4xf32>, memref<6xf32>
// CHECK-NEXT: %[[V1:.*]] = affine.apply affine_map<(d0) -> ((d0 + 1))>(%i)
// CHECK-NEXT: vector.transfer_write %[[V0]], %B[%[[V1]]] : vector<4xf32>, memref<7xf32>
// CHECK-NEXT: }
func.func @ends_with_memref(%A: memref<6xf32>, %B: memref<7xf32>, %x: f32) {
  affine.for %i = 0 to 6 {
    affine.store %x, %A[%i] : memref<6xf32>
    affine.store %x, %B[%i + 1] : memref<7xf32>
  }
  func.return
}

// Only the second store needs the mask.
// CHECK-LABEL: func.func @ends_before_one_memref(
// CHECK-NEXT: %[[V0:.*]] = vector.broadcast %x : f32 to vector<4xf32>
// CHECK-NEXT: affine.for %i = 0 to 6 step 4 {
// CHECK-NEXT: %[[V1:.*]] = affine.apply affine_map<(d0) -> (((d0 * -1) + 6))>(%i)
// CHECK-NEXT: %[[V2:.*]] = vector.create_mask %[[V1]] : vector<4xi1>
// CHECK-NEXT: vector.transfer_write %[[V0]], %A[%i] : vector<4xf32>, memref<6xf32>
// CHECK-NEXT: %[[V3:.*]] = affine.apply affine_map<(d0) -> ((d0 + 1))>(%i)
// CHECK-NEXT: vector.transfer_write %[[V0]], %B[%[[V3]]], %[[V2]] : vector<4xf32>, memref<8xf32>
// CHECK-NEXT: }
func.func @ends_before_one_memref(%A: memref<6xf32>, %B: memref<8xf32>, %x: f32) {
  affine.for %i = 0 to 6 {
    affine.store %x, %A[%i] : memref<6xf32>
    affine.store %x, %B[%i + 1] : memref<8xf32>
  }
  func.return
}

// CHECK-LABEL: func.func @ends_with_dim(
// CHECK-NEXT: %[[V0:.*]] = vector.broadcast %x : f32 to vector<4xf32>
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %n = memref.dim %A, %c0 : memref<?xf32>
// CHECK-NEXT: affine.for %i = 0 to %n step 4 {
// CHECK-NEXT: vector.transfer_write %[[V0]], %A[%i] : vector<4xf32>, memref<?xf32>
// CHECK-NEXT: }
func.func @ends_with_dim(%A: memref<?xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %A, %c0 : memref<?xf32>
  affine.for %i = 0 to %n {
    affine.store %x, %A[%i] : memref<?xf32>
  }
  func.return
}

// CHECK-LABEL: func.func @symbol(
// CHECK-NEXT: %[[V0:.*]] = vector.broadcast %x : f32 to vector<4xf32>
// CHECK-NEXT: affine.for %i = 0 to %n step 4 {
// CHECK-NEXT: %[[V1:.*]] = affine.apply affine_map<(d0)[s0] -> (((d0 * -1) + s0))>(%i)[%n]
// CHECK-NEXT: %[[V2:.*]] = vector.create_mask %[[V1]] : vector<4xi1>
// CHECK-NEXT: vector.transfer_write %[[V0]], %A[%i], %[[V2]] : vector<4xf32>, memref<?xf32>
// CHECK-NEXT: }
func.func @symbol(%A: memref<?xf32>, %n: index, %x: f32) {
  affine.for %i = 0 to %n {
    affine.store %x, %A[%i] : memref<?xf32>
  }
  func.return
}

// CHECK-LABEL: func.func @minimum(
// CHECK-NEXT: %[[V0:.*]] = vector.broadcast %x : f32 to vector<4xf32>
// CHECK-NEXT: affine.for %i = 0 to min affine_map<()[s0, s1] -> (s0, (s1 + -2))>()[%n, %m] step 4 {
// CHECK-NEXT: %[[V1:.*]] = affine.min affine_map<()[s0, s1] -> (s0, (s1 + -2))>()[%n, %m]
// CHECK-NEXT: %[[V2:.*]] = affine.apply affine_map<(d0)[s0] -> (((d0 * -1) + s0))>(%i)[%[[V1]]]
// CHECK-NEXT: %[[V3:.*]] = vector.create_mask %[[V2]] : vector<4xi1>
// CHECK-NEXT: vector.transfer_write %[[V0]], %A[%i], %[[V3]] : vector<4xf32>, memref<?xf32>
// CHECK-NEXT: }
func.func @minimum(%A: memref<?xf32>, %n: index, %m: index, %x: f32) {
  affine.for %i = 0 to min affine_map<()[s0, s1] -> (s0, s1 - 2)>()[%n, %m] {
    affine.store %x, %A[%i] : memref<?xf32>
  }
  func.return
}

// One iteration, whatever the step is.
// CHECK-LABEL: func.func @one_step(
// CHECK-NEXT: %[[V0:.*]] = vector.broadcast %x : f32 to vector<4xf32>
// CHECK-NEXT: affine.for %i = 0 to 3 step 16 {
// CHECK-NEXT: %[[V1:.*]] = arith.constant 1 : index
// CHECK-NEXT: %[[V2:.*]] = vector.create_mask %[[V1]] : vector<4xi1>
// CHECK-NEXT: vector.transfer_write %[[V0]], %A[%i], %[[V2]] : vector<4xf32>, memref<64xf32>
// CHECK-NEXT: }
func.func @one_step(%A: memref<64xf32>, %x: f32) {
  affine.for %i = 0 to 3 step 4 {
    affine.store %x, %A[%i] : memref<64xf32>
  }
  func.return
}

// What lanes past the end load is not used.
// CHECK-LABEL: func.func @loads_need_none(
// CHECK-NEXT: affine.for %i = 0 to 6 step 4 {
// CHECK-NEXT: %[[V0:.*]] = affine.apply affine_map<(d0) -> ((d0 + 3))>(%i)
// CHECK-NEXT: %[[V1:.*]] = ub.poison : f32
// CHECK-NEXT: %[[V2:.*]] = vector.transfer_read %A[%[[V0]]], %[[V1]] : memref<64xf32>, vector<4xf32>
// CHECK-NEXT: vector.transfer_write %[[V2]], %B[%i] : vector<4xf32>, memref<6xf32>
// CHECK-NEXT: }
func.func @loads_need_none(%A: memref<64xf32>, %B: memref<6xf32>) {
  affine.for %i = 0 to 6 {
    %0 = affine.load %A[%i + 3] : memref<64xf32>
    affine.store %0, %B[%i] : memref<6xf32>
  }
  func.return
}

// Lanes past the end divide by 1: their divisor may be 0, or poison.
// CHECK-LABEL: func.func @divisor(
// CHECK-NEXT: affine.for %i = 0 to 6 step 4 {
// CHECK-NEXT: %[[V0:.*]] = affine.apply affine_map<(d0) -> (((d0 * -1) + 6))>(%i)
// CHECK-NEXT: %[[V1:.*]] = vector.create_mask %[[V0]] : vector<4xi1>
// CHECK-NEXT: %[[V2:.*]] = ub.poison : i32
// CHECK-NEXT: %[[V3:.*]] = vector.transfer_read %A[%i], %[[V2]] : memref<6xi32>, vector<4xi32>
// CHECK-NEXT: %[[V4:.*]] = ub.poison : i32
// CHECK-NEXT: %[[V5:.*]] = vector.transfer_read %B[%i], %[[V4]] : memref<6xi32>, vector<4xi32>
// CHECK-NEXT: %[[V6:.*]] = arith.constant dense<1> : vector<4xi32>
// CHECK-NEXT: %[[V7:.*]] = arith.select %[[V1]], %[[V5]], %[[V6]] : vector<4xi1>, vector<4xi32>
// CHECK-NEXT: %[[V8:.*]] = arith.divsi %[[V3]], %[[V7]] : vector<4xi32>
// CHECK-NEXT: vector.transfer_write %[[V8]], %A[%i] : vector<4xi32>, memref<6xi32>
// CHECK-NEXT: }
func.func @divisor(%A: memref<6xi32>, %B: memref<6xi32>) {
  affine.for %i = 0 to 6 {
    %0 = affine.load %A[%i] : memref<6xi32>
    %1 = affine.load %B[%i] : memref<6xi32>
    %2 = arith.divsi %0, %1 : i32
    affine.store %2, %A[%i] : memref<6xi32>
  }
  func.return
}
