// RUN: snippets-opt %s | snippets-opt - | filecheck %s
// RUN: snippets-opt --mlir-print-op-generic %s | snippets-opt - | filecheck %s

// CHECK-LABEL: @transfers
func.func @transfers(%A: memref<?x?xf32>, %i: index, %p: f32, %m: vector<8xi1>, %t: tensor<?x?xf32>, %mm: vector<8x4xi1>, %z: memref<f32>) {
  // CHECK-NEXT: %0 = vector.transfer_read %A[%i, %i], %p, %m {foo, permutation_map = affine_map<(d0, d1) -> (0, d1)>} : memref<?x?xf32>, vector<4x8xf32>
  %0 = vector.transfer_read %A[%i, %i], %p, %m {permutation_map = affine_map<(d0, d1) -> (0, d1)>, foo} : memref<?x?xf32>, vector<4x8xf32>
  // CHECK-NEXT: %1 = vector.transfer_read %A[%i, %i], %p, %mm {in_bounds = [true, false], permutation_map = affine_map<(d0, d1) -> (d1, d0)>} : memref<?x?xf32>, vector<4x8xf32>
  %1 = vector.transfer_read %A[%i, %i], %p, %mm {in_bounds = [true, false], permutation_map = affine_map<(d0, d1) -> (d1, d0)>} : memref<?x?xf32>, vector<4x8xf32>
  // CHECK-NEXT: %2 = vector.transfer_read %t[%i, %i], %p : tensor<?x?xf32>, vector<4x8xf32>
  %2 = vector.transfer_read %t[%i, %i], %p : tensor<?x?xf32>, vector<4x8xf32>
  // CHECK-NEXT: %3 = vector.transfer_write %2, %t[%i, %i] {in_bounds = [true, true]} : vector<4x8xf32>, tensor<?x?xf32>
  %3 = vector.transfer_write %2, %t[%i, %i] {in_bounds = [true, true]} : vector<4x8xf32>, tensor<?x?xf32>
  // CHECK-NEXT: %4 = vector.transfer_read %z[], %p : memref<f32>, vector<f32>
  %4 = vector.transfer_read %z[], %p : memref<f32>, vector<f32>
  // CHECK-NEXT: vector.transfer_write %4, %z[] : vector<f32>, memref<f32>
  vector.transfer_write %4, %z[] : vector<f32>, memref<f32>
  // CHECK-NEXT: vector.transfer_write %1, %A[%i, %i], %mm {permutation_map = affine_map<(d0, d1) -> (d1, d0)>} : vector<4x8xf32>, memref<?x?xf32>
  vector.transfer_write %1, %A[%i, %i], %mm {permutation_map = affine_map<(d0, d1) -> (d1, d0)>} : vector<4x8xf32>, memref<?x?xf32>
  func.return
}
