// RUN: snippets-opt %s -p lower-vector-transfers | filecheck %s

// CHECK-LABEL: @inside
// CHECK-NEXT: %0 = vector.load %A[%i] : memref<?xf32>, vector<8xf32>
// CHECK-NEXT: vector.store %0, %A[%i] : memref<?xf32>, vector<8xf32>
func.func @inside(%A: memref<?xf32>, %i: index, %p: f32) {
  %0 = vector.transfer_read %A[%i], %p {in_bounds = [true]} : memref<?xf32>, vector<8xf32>
  vector.transfer_write %0, %A[%i] {in_bounds = [true]} : vector<8xf32>, memref<?xf32>
  func.return
}

// CHECK-LABEL: @bounds
// CHECK: %[[N:.*]] = memref.dim %A
// CHECK-NEXT: %[[L:.*]] = arith.subi %[[N]], %i : index
// CHECK-NEXT: %[[M:.*]] = vector.create_mask %[[L]] : vector<8xi1>
// CHECK-NEXT: %[[B:.*]] = arith.andi %[[M]], %m : vector<8xi1>
// CHECK-NEXT: %[[P:.*]] = vector.broadcast %p : f32 to vector<8xf32>
// CHECK-NEXT: vector.maskedload %A[%i], %[[B]], %[[P]]
// CHECK: vector.maskedstore %A[%i]
func.func @bounds(%A: memref<?xf32>, %i: index, %p: f32, %m: vector<8xi1>) {
  %0 = vector.transfer_read %A[%i], %p, %m : memref<?xf32>, vector<8xf32>
  vector.transfer_write %0, %A[%i] : vector<8xf32>, memref<?xf32>
  func.return
}

// CHECK-LABEL: @broadcast
// CHECK-NEXT: %[[S:.*]] = memref.load %A[%i] : memref<?xf32>
// CHECK-NEXT: vector.broadcast %[[S]] : f32 to vector<8xf32>
func.func @broadcast(%A: memref<?xf32>, %i: index, %p: f32) -> vector<8xf32> {
  %0 = vector.transfer_read %A[%i], %p {permutation_map = affine_map<(d0) -> (0)>} : memref<?xf32>, vector<8xf32>
  func.return %0 : vector<8xf32>
}

// What may run out of bounds with a stride gets a mask and stays a transfer.
// CHECK-LABEL: @strided
// CHECK: %[[M:.*]] = vector.create_mask
// CHECK-NEXT: vector.transfer_read %A[%i, %i], %p, %[[M]] {in_bounds = [true], permutation_map = affine_map<(d0, d1) -> (d0)>}
func.func @strided(%A: memref<?x?xf32>, %i: index, %p: f32) -> vector<8xf32> {
  %0 = vector.transfer_read %A[%i, %i], %p {permutation_map = affine_map<(d0, d1) -> (d0)>} : memref<?x?xf32>, vector<8xf32>
  func.return %0 : vector<8xf32>
}

// Does not fire: two dimensions, tensors.
// CHECK-LABEL: @other
// CHECK-NEXT: vector.transfer_read
// CHECK-NEXT: vector.transfer_read
func.func @other(%A: memref<?x?xf32>, %t: tensor<?xf32>, %i: index, %p: f32) {
  %0 = vector.transfer_read %A[%i, %i], %p : memref<?x?xf32>, vector<2x8xf32>
  %1 = vector.transfer_read %t[%i], %p : tensor<?xf32>, vector<8xf32>
  vector.transfer_write %0, %A[%i, %i] : vector<2x8xf32>, memref<?x?xf32>
  func.return
}
