// RUN: snippets-opt %s -p 'affine-super-vectorize{virtual-vector-size=2,4}' | filecheck %s
// RUN: snippets-opt %s -p 'affine-super-vectorize{virtual-vector-size=2,4}' | snippets-opt - | filecheck %s

// CHECK-LABEL: func.func @two_dims(
// CHECK-NEXT: %[[V0:.*]] = vector.broadcast %x : f32 to vector<2x4xf32>
// CHECK-NEXT: affine.for %i = 0 to %m step 2 {
// CHECK-NEXT: affine.for %j = 0 to %n step 4 {
// CHECK-NEXT: %[[V1:.*]] = affine.apply affine_map<(d0)[s0] -> (((d0 * -1) + s0))>(%i)[%m]
// CHECK-NEXT: %[[V2:.*]] = affine.apply affine_map<(d0)[s0] -> (((d0 * -1) + s0))>(%j)[%n]
// CHECK-NEXT: %[[V3:.*]] = vector.create_mask %[[V1]], %[[V2]] : vector<2x4xi1>
// CHECK-NEXT: vector.transfer_write %[[V0]], %A[%i, %j], %[[V3]] : vector<2x4xf32>, memref<?x?xf32>
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @two_dims(%A: memref<?x?xf32>, %m: index, %n: index, %x: f32) {
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      affine.store %x, %A[%i, %j] : memref<?x?xf32>
    }
  }
  func.return
}

// The mask has the shape of what is written in the memref.
// CHECK-LABEL: func.func @transposed(
// CHECK-NEXT: %[[V0:.*]] = vector.broadcast %x : f32 to vector<2x4xf32>
// CHECK-NEXT: affine.for %i = 0 to %m step 2 {
// CHECK-NEXT: affine.for %j = 0 to %n step 4 {
// CHECK-NEXT: %[[V1:.*]] = affine.apply affine_map<(d0)[s0] -> (((d0 * -1) + s0))>(%j)[%n]
// CHECK-NEXT: %[[V2:.*]] = affine.apply affine_map<(d0)[s0] -> (((d0 * -1) + s0))>(%i)[%m]
// CHECK-NEXT: %[[V3:.*]] = vector.create_mask %[[V1]], %[[V2]] : vector<4x2xi1>
// CHECK-NEXT: vector.transfer_write %[[V0]], %A[%j, %i], %[[V3]] {permutation_map = affine_map<(d0, d1) -> (d1, d0)>} : vector<2x4xf32>, memref<?x?xf32>
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @transposed(%A: memref<?x?xf32>, %m: index, %n: index, %x: f32) {
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      affine.store %x, %A[%j, %i] : memref<?x?xf32>
    }
  }
  func.return
}

// CHECK-LABEL: func.func @one_of_two(
// CHECK-NEXT: %[[V0:.*]] = vector.broadcast %x : f32 to vector<2x4xf32>
// CHECK-NEXT: affine.for %i = 0 to 32 step 2 {
// CHECK-NEXT: affine.for %j = 0 to %n step 4 {
// CHECK-NEXT: %[[V1:.*]] = arith.constant 2 : index
// CHECK-NEXT: %[[V2:.*]] = affine.apply affine_map<(d0)[s0] -> (((d0 * -1) + s0))>(%j)[%n]
// CHECK-NEXT: %[[V3:.*]] = vector.create_mask %[[V1]], %[[V2]] : vector<2x4xi1>
// CHECK-NEXT: vector.transfer_write %[[V0]], %A[%i, %j], %[[V3]] {in_bounds = [true, false]} : vector<2x4xf32>, memref<64x?xf32>
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @one_of_two(%A: memref<64x?xf32>, %n: index, %x: f32) {
  affine.for %i = 0 to 32 {
    affine.for %j = 0 to %n {
      affine.store %x, %A[%i, %j] : memref<64x?xf32>
    }
  }
  func.return
}
