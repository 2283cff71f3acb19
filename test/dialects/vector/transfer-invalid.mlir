// RUN: snippets-opt %s --split-input-file --verify-diagnostics

func.func @f(%A: memref<?x?xf32>, %i: index, %p: f32) {
  // expected-error @+1 {{C1: expected 2 indices of memref<?x?xf32>, found 1}}
  %0 = vector.transfer_read %A[%i], %p : memref<?x?xf32>, vector<8xf32>
  func.return
}

// -----

func.func @f(%A: memref<?x?xf32>, %i: index, %p: f32) {
  // expected-error @+1 {{C2: expected a permutation map from 2 dimensions to 1 results, found (d0) -> (d0)}}
  %0 = vector.transfer_read %A[%i, %i], %p {permutation_map = affine_map<(d0) -> (d0)>} : memref<?x?xf32>, vector<8xf32>
  func.return
}

// -----

func.func @f(%A: memref<?x?xf32>, %i: index, %p: f32) {
  // expected-error @+1 {{C3: expected different dimensions or 0 as results of the permutation map, found (d0, d1) -> (d0, d0)}}
  %0 = vector.transfer_read %A[%i, %i], %p {permutation_map = affine_map<(d0, d1) -> (d0, d0)>} : memref<?x?xf32>, vector<8x8xf32>
  func.return
}

// -----

func.func @f(%A: memref<?x?xf32>, %i: index, %v: vector<8xf32>) {
  // expected-error @+1 {{C3: expected different dimensions as results of the permutation map, found (d0, d1) -> (0)}}
  vector.transfer_write %v, %A[%i, %i] {permutation_map = affine_map<(d0, d1) -> (0)>} : vector<8xf32>, memref<?x?xf32>
  func.return
}

// -----

func.func @f(%A: memref<?x?xf32>, %i: index, %p: f32) {
  // expected-error @+1 {{C4: expected 1 flags in in_bounds, found 2}}
  %0 = vector.transfer_read %A[%i, %i], %p {in_bounds = [true, true]} : memref<?x?xf32>, vector<8xf32>
  func.return
}

// -----

func.func @f(%A: memref<?xf32>, %i: index, %p: f32, %m: vector<4xi1>) {
  // expected-error @+1 {{C5: expected a mask of type vector<8xi1>, found vector<4xi1>}}
  %0 = "vector.transfer_read"(%A, %i, %p, %m) <{in_bounds = [false], operandSegmentSizes = array<i32: 1, 1, 1, 1>, permutation_map = affine_map<(d0) -> (d0)>}> : (memref<?xf32>, index, f32, vector<4xi1>) -> vector<8xf32>
  func.return
}

// -----

func.func @f(%A: memref<?xf32>, %i: index, %p: f32) {
  // expected-error @+1 {{C6: expected elements of memref<?xf32>, found vector<8xf64> and padding f32}}
  %0 = vector.transfer_read %A[%i], %p : memref<?xf32>, vector<8xf64>
  func.return
}

// -----

func.func @f(%A: memref<?xvector<4xf32>>, %i: index, %p: vector<4xf32>, %m: vector<2xi1>) {
  // expected-error @+1 {{C6: expected no mask of memory of vectors, found one}}
  %0 = vector.transfer_read %A[%i], %p, %m : memref<?xvector<4xf32>>, vector<2x4xf32>
  func.return
}

// -----

func.func @f(%A: memref<?xf32>, %i: index, %p: f32) {
  // expected-error @+1 {{expected a memref or tensor and a vector, found f32 and vector<8xf32>}}
  %0 = vector.transfer_read %A[%i], %p : f32, vector<8xf32>
  func.return
}
