// RUN: snippets-opt %s -p 'affine-super-vectorize{virtual-vector-size=8}' | filecheck %s
// RUN: snippets-opt %s -p 'affine-super-vectorize{virtual-vector-size=8}' | snippets-opt - | filecheck %s
// RUN: snippets-opt %s -p 'affine-super-vectorize{virtual-vector-size=4,8}' | filecheck %s --check-prefix=ROWS

// A matrix product: %j steps through the innermost dim; with two sizes %i goes along.
// CHECK-LABEL: func.func @matmul(
// CHECK-NEXT: affine.for %i = 0 to 16 {
// CHECK-NEXT: affine.for %j = 0 to 64 step 8 {
// CHECK-NEXT: affine.for %k = 0 to 32 {
// CHECK-NEXT: %[[V0:.*]] = ub.poison : f32
// CHECK-NEXT: %a = vector.transfer_read %A[%i, %k], %[[V0]] {in_bounds = [true], permutation_map = affine_map<(d0, d1) -> (0)>} : memref<16x32xf32>, vector<8xf32>
// CHECK-NEXT: %[[V1:.*]] = ub.poison : f32
// CHECK-NEXT: %b = vector.transfer_read %B[%k, %j], %[[V1]] {in_bounds = [true]} : memref<32x64xf32>, vector<8xf32>
// CHECK-NEXT: %[[V2:.*]] = ub.poison : f32
// CHECK-NEXT: %c = vector.transfer_read %C[%i, %j], %[[V2]] {in_bounds = [true]} : memref<16x64xf32>, vector<8xf32>
// CHECK-NEXT: %p = arith.mulf %a, %b : vector<8xf32>
// CHECK-NEXT: %s = arith.addf %c, %p : vector<8xf32>
// CHECK-NEXT: vector.transfer_write %s, %C[%i, %j] {in_bounds = [true]} : vector<8xf32>, memref<16x64xf32>
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: }
// ROWS-LABEL: func.func @matmul(
// ROWS-NEXT: affine.for %i = 0 to 16 step 4 {
// ROWS-NEXT: affine.for %j = 0 to 64 step 8 {
// ROWS-NEXT: affine.for %k = 0 to 32 {
// ROWS-NEXT: %[[V0:.*]] = ub.poison : f32
// ROWS-NEXT: %a = vector.transfer_read %A[%i, %k], %[[V0]] {in_bounds = [true, true], permutation_map = affine_map<(d0, d1) -> (d0, 0)>} : memref<16x32xf32>, vector<4x8xf32>
// ROWS-NEXT: %[[V1:.*]] = ub.poison : f32
// ROWS-NEXT: %b = vector.transfer_read %B[%k, %j], %[[V1]] {in_bounds = [true, true], permutation_map = affine_map<(d0, d1) -> (0, d1)>} : memref<32x64xf32>, vector<4x8xf32>
// ROWS-NEXT: %[[V2:.*]] = ub.poison : f32
// ROWS-NEXT: %c = vector.transfer_read %C[%i, %j], %[[V2]] {in_bounds = [true, true]} : memref<16x64xf32>, vector<4x8xf32>
// ROWS-NEXT: %p = arith.mulf %a, %b : vector<4x8xf32>
// ROWS-NEXT: %s = arith.addf %c, %p : vector<4x8xf32>
// ROWS-NEXT: vector.transfer_write %s, %C[%i, %j] {in_bounds = [true, true]} : vector<4x8xf32>, memref<16x64xf32>
// ROWS-NEXT: }
// ROWS-NEXT: }
// ROWS-NEXT: }
func.func @matmul(%A: memref<16x32xf32>, %B: memref<32x64xf32>, %C: memref<16x64xf32>) {
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to 64 {
      affine.for %k = 0 to 32 {
        %a = affine.load %A[%i, %k] : memref<16x32xf32>
        %b = affine.load %B[%k, %j] : memref<32x64xf32>
        %c = affine.load %C[%i, %j] : memref<16x64xf32>
        %p = arith.mulf %a, %b : f32
        %s = arith.addf %c, %p : f32
        affine.store %s, %C[%i, %j] : memref<16x64xf32>
      }
    }
  }
  func.return
}

// Constants stand at the start of the vectorized body, uniform values right after what makes them:
// an argument, an index of a loop that stays scalar, and a load of a loop around.
// CHECK-LABEL: func.func @uniform(
// CHECK-NEXT: %[[V0:.*]] = vector.broadcast %x : f32 to vector<8xf32>
// CHECK-NEXT: %two = arith.constant 2.000000e+00 : f32
// CHECK-NEXT: affine.for %i = 0 to 16 {
// CHECK-NEXT: %[[V1:.*]] = vector.broadcast %i : index to vector<8xindex>
// CHECK-NEXT: %d = affine.load %D[%i] : memref<16xf32>
// CHECK-NEXT: %[[V2:.*]] = vector.broadcast %d : f32 to vector<8xf32>
// CHECK-NEXT: affine.for %j = 0 to 64 step 8 {
// CHECK-NEXT: %[[V3:.*]] = arith.constant dense<2.000000e+00> : vector<8xf32>
// CHECK-NEXT: %[[V4:.*]] = ub.poison : f32
// CHECK-NEXT: %a = vector.transfer_read %A[%i, %j], %[[V4]] {in_bounds = [true]} : memref<16x64xf32>, vector<8xf32>
// CHECK-NEXT: %[[V5:.*]] = arith.mulf %a, %[[V3]] : vector<8xf32>
// CHECK-NEXT: %[[V6:.*]] = arith.addf %[[V5]], %[[V2]] : vector<8xf32>
// CHECK-NEXT: %[[V7:.*]] = arith.subf %[[V6]], %[[V0]] : vector<8xf32>
// CHECK-NEXT: %[[V8:.*]] = arith.mulf %[[V7]], %[[V3]] : vector<8xf32>
// CHECK-NEXT: vector.transfer_write %[[V8]], %A[%i, %j] {in_bounds = [true]} : vector<8xf32>, memref<16x64xf32>
// CHECK-NEXT: %[[V9:.*]] = arith.index_cast %[[V1]] : vector<8xindex> to vector<8xi64>
// CHECK-NEXT: vector.transfer_write %[[V9]], %E[%i, %j] {in_bounds = [true]} : vector<8xi64>, memref<16x64xi64>
// CHECK-NEXT: }
// CHECK-NEXT: }
// ROWS-LABEL: func.func @uniform(
// ROWS-NEXT: %two = arith.constant 2.000000e+00 : f32
// ROWS-NEXT: affine.for %i = 0 to 16 {
// ROWS-NEXT: %d = affine.load %D[%i] : memref<16xf32>
// ROWS-NEXT: affine.for %j = 0 to 64 {
// ROWS-NEXT: %a = affine.load %A[%i, %j] : memref<16x64xf32>
// ROWS-NEXT: %[[V0:.*]] = arith.mulf %a, %two : f32
// ROWS-NEXT: %[[V1:.*]] = arith.addf %[[V0]], %d : f32
// ROWS-NEXT: %[[V2:.*]] = arith.subf %[[V1]], %x : f32
// ROWS-NEXT: %[[V3:.*]] = arith.mulf %[[V2]], %two : f32
// ROWS-NEXT: affine.store %[[V3]], %A[%i, %j] : memref<16x64xf32>
// ROWS-NEXT: %[[V4:.*]] = arith.index_cast %i : index to i64
// ROWS-NEXT: affine.store %[[V4]], %E[%i, %j] : memref<16x64xi64>
// ROWS-NEXT: }
// ROWS-NEXT: }
func.func @uniform(%A: memref<16x64xf32>, %D: memref<16xf32>, %E: memref<16x64xi64>, %x: f32) {
  %two = arith.constant 2.0 : f32
  affine.for %i = 0 to 16 {
    %d = affine.load %D[%i] : memref<16xf32>
    affine.for %j = 0 to 64 {
      %a = affine.load %A[%i, %j] : memref<16x64xf32>
      %0 = arith.mulf %a, %two : f32
      %1 = arith.addf %0, %d : f32
      %2 = arith.subf %1, %x : f32
      %3 = arith.mulf %2, %two : f32
      affine.store %3, %A[%i, %j] : memref<16x64xf32>
      %4 = arith.index_cast %i : index to i64
      affine.store %4, %E[%i, %j] : memref<16x64xi64>
    }
  }
  func.return
}

// One value for each row, or for each column.
// CHECK-LABEL: func.func @broadcast(
// CHECK-NEXT: affine.for %i = 0 to 16 {
// CHECK-NEXT: affine.for %j = 0 to 64 step 8 {
// CHECK-NEXT: %[[V0:.*]] = ub.poison : f32
// CHECK-NEXT: %r = vector.transfer_read %R[%j], %[[V0]] {in_bounds = [true]} : memref<64xf32>, vector<8xf32>
// CHECK-NEXT: %[[V1:.*]] = affine.apply affine_map<(d0) -> (d0)>(%i)
// CHECK-NEXT: %[[V2:.*]] = affine.apply affine_map<(d0) -> (0)>(%i)
// CHECK-NEXT: %[[V3:.*]] = ub.poison : f32
// CHECK-NEXT: %b = vector.transfer_read %B[%[[V1]], %[[V2]]], %[[V3]] {in_bounds = [true], permutation_map = affine_map<(d0, d1) -> (0)>} : memref<16x1xf32>, vector<8xf32>
// CHECK-NEXT: %s = arith.addf %r, %b : vector<8xf32>
// CHECK-NEXT: vector.transfer_write %s, %A[%i, %j] {in_bounds = [true]} : vector<8xf32>, memref<16x64xf32>
// CHECK-NEXT: }
// CHECK-NEXT: }
// ROWS-LABEL: func.func @broadcast(
// ROWS-NEXT: affine.for %i = 0 to 16 step 4 {
// ROWS-NEXT: affine.for %j = 0 to 64 step 8 {
// ROWS-NEXT: %[[V0:.*]] = ub.poison : f32
// ROWS-NEXT: %r = vector.transfer_read %R[%j], %[[V0]] {in_bounds = [true, true], permutation_map = affine_map<(d0) -> (0, d0)>} : memref<64xf32>, vector<4x8xf32>
// ROWS-NEXT: %[[V1:.*]] = affine.apply affine_map<(d0) -> (d0)>(%i)
// ROWS-NEXT: %[[V2:.*]] = affine.apply affine_map<(d0) -> (0)>(%i)
// ROWS-NEXT: %[[V3:.*]] = ub.poison : f32
// ROWS-NEXT: %b = vector.transfer_read %B[%[[V1]], %[[V2]]], %[[V3]] {in_bounds = [true, true], permutation_map = affine_map<(d0, d1) -> (d0, 0)>} : memref<16x1xf32>, vector<4x8xf32>
// ROWS-NEXT: %s = arith.addf %r, %b : vector<4x8xf32>
// ROWS-NEXT: vector.transfer_write %s, %A[%i, %j] {in_bounds = [true, true]} : vector<4x8xf32>, memref<16x64xf32>
// ROWS-NEXT: }
// ROWS-NEXT: }
func.func @broadcast(%A: memref<16x64xf32>, %R: memref<64xf32>, %B: memref<16x1xf32>) {
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to 64 {
      %r = affine.load %R[%j] : memref<64xf32>
      %b = affine.load %B[%i, 0] : memref<16x1xf32>
      %s = arith.addf %r, %b : f32
      affine.store %s, %A[%i, %j] : memref<16x64xf32>
    }
  }
  func.return
}

// %i is in the innermost dim of both memrefs; the sum over %k stays a loop that carries a vector.
// CHECK-LABEL: func.func @columns(
// CHECK-NEXT: %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: affine.for %i = 0 to 64 step 8 {
// CHECK-NEXT: %[[V0:.*]] = arith.constant dense<0.000000e+00> : vector<8xf32>
// CHECK-NEXT: %s = affine.for %k = 0 to 32 iter_args(%acc = %[[V0]]) -> (vector<8xf32>) {
// CHECK-NEXT: %[[V1:.*]] = ub.poison : f32
// CHECK-NEXT: %a = vector.transfer_read %A[%k, %i], %[[V1]] {in_bounds = [true]} : memref<32x64xf32>, vector<8xf32>
// CHECK-NEXT: %n = arith.addf %acc, %a : vector<8xf32>
// CHECK-NEXT: affine.yield %n : vector<8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: vector.transfer_write %s, %S[%i] {in_bounds = [true]} : vector<8xf32>, memref<64xf32>
// CHECK-NEXT: }
// ROWS-LABEL: func.func @columns(
// ROWS-NEXT: %zero = arith.constant 0.000000e+00 : f32
// ROWS-NEXT: affine.for %i = 0 to 64 {
// ROWS-NEXT: %s = affine.for %k = 0 to 32 iter_args(%acc = %zero) -> (f32) {
// ROWS-NEXT: %a = affine.load %A[%k, %i] : memref<32x64xf32>
// ROWS-NEXT: %n = arith.addf %acc, %a : f32
// ROWS-NEXT: affine.yield %n : f32
// ROWS-NEXT: }
// ROWS-NEXT: affine.store %s, %S[%i] : memref<64xf32>
// ROWS-NEXT: }
func.func @columns(%A: memref<32x64xf32>, %S: memref<64xf32>) {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to 64 {
    %s = affine.for %k = 0 to 32 iter_args(%acc = %zero) -> (f32) {
      %a = affine.load %A[%k, %i] : memref<32x64xf32>
      %n = arith.addf %acc, %a : f32
      affine.yield %n : f32
    }
    affine.store %s, %S[%i] : memref<64xf32>
  }
  func.return
}

// Two loops in one: each gets its own constant, which dominates its use.
// CHECK-LABEL: func.func @two_inner_loops(
// CHECK-NEXT: %[[V0:.*]] = vector.broadcast %x : f32 to vector<8xf32>
// CHECK-NEXT: %one = arith.constant 1.000000e+00 : f32
// CHECK-NEXT: affine.for %i = 0 to 16 {
// CHECK-NEXT: affine.for %j = 0 to 64 step 8 {
// CHECK-NEXT: %[[V1:.*]] = arith.constant dense<1.000000e+00> : vector<8xf32>
// CHECK-NEXT: %[[V2:.*]] = ub.poison : f32
// CHECK-NEXT: %a = vector.transfer_read %A[%i, %j], %[[V2]] {in_bounds = [true]} : memref<16x64xf32>, vector<8xf32>
// CHECK-NEXT: %s = arith.addf %a, %[[V1]] : vector<8xf32>
// CHECK-NEXT: vector.transfer_write %s, %A[%i, %j] {in_bounds = [true]} : vector<8xf32>, memref<16x64xf32>
// CHECK-NEXT: }
// CHECK-NEXT: affine.for %k = 0 to 64 step 8 {
// CHECK-NEXT: %[[V3:.*]] = arith.constant dense<1.000000e+00> : vector<8xf32>
// CHECK-NEXT: %[[V4:.*]] = ub.poison : f32
// CHECK-NEXT: %b = vector.transfer_read %B[%i, %k], %[[V4]] {in_bounds = [true]} : memref<16x64xf32>, vector<8xf32>
// CHECK-NEXT: %s_1 = arith.addf %b, %[[V3]] : vector<8xf32>
// CHECK-NEXT: %t = arith.addf %s_1, %[[V0]] : vector<8xf32>
// CHECK-NEXT: vector.transfer_write %t, %B[%i, %k] {in_bounds = [true]} : vector<8xf32>, memref<16x64xf32>
// CHECK-NEXT: }
// CHECK-NEXT: }
// ROWS-LABEL: func.func @two_inner_loops(
// ROWS-NEXT: %[[V0:.*]] = vector.broadcast %x : f32 to vector<4x8xf32>
// ROWS-NEXT: %one = arith.constant 1.000000e+00 : f32
// ROWS-NEXT: affine.for %i = 0 to 16 step 4 {
// ROWS-NEXT: affine.for %j = 0 to 64 step 8 {
// ROWS-NEXT: %[[V1:.*]] = arith.constant dense<1.000000e+00> : vector<4x8xf32>
// ROWS-NEXT: %[[V2:.*]] = ub.poison : f32
// ROWS-NEXT: %a = vector.transfer_read %A[%i, %j], %[[V2]] {in_bounds = [true, true]} : memref<16x64xf32>, vector<4x8xf32>
// ROWS-NEXT: %s = arith.addf %a, %[[V1]] : vector<4x8xf32>
// ROWS-NEXT: vector.transfer_write %s, %A[%i, %j] {in_bounds = [true, true]} : vector<4x8xf32>, memref<16x64xf32>
// ROWS-NEXT: }
// ROWS-NEXT: affine.for %k = 0 to 64 step 8 {
// ROWS-NEXT: %[[V3:.*]] = arith.constant dense<1.000000e+00> : vector<4x8xf32>
// ROWS-NEXT: %[[V4:.*]] = ub.poison : f32
// ROWS-NEXT: %b = vector.transfer_read %B[%i, %k], %[[V4]] {in_bounds = [true, true]} : memref<16x64xf32>, vector<4x8xf32>
// ROWS-NEXT: %s_1 = arith.addf %b, %[[V3]] : vector<4x8xf32>
// ROWS-NEXT: %t = arith.addf %s_1, %[[V0]] : vector<4x8xf32>
// ROWS-NEXT: vector.transfer_write %t, %B[%i, %k] {in_bounds = [true, true]} : vector<4x8xf32>, memref<16x64xf32>
// ROWS-NEXT: }
// ROWS-NEXT: }
func.func @two_inner_loops(%A: memref<16x64xf32>, %B: memref<16x64xf32>, %x: f32) {
  %one = arith.constant 1.0 : f32
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to 64 {
      %a = affine.load %A[%i, %j] : memref<16x64xf32>
      %s = arith.addf %a, %one : f32
      affine.store %s, %A[%i, %j] : memref<16x64xf32>
    }
    affine.for %k = 0 to 64 {
      %b = affine.load %B[%i, %k] : memref<16x64xf32>
      %s = arith.addf %b, %one : f32
      %t = arith.addf %s, %x : f32
      affine.store %t, %B[%i, %k] : memref<16x64xf32>
    }
  }
  func.return
}

// A chain of affine.apply, a constant as a subscript, and one of a constant inside of the loop.
// CHECK-LABEL: func.func @subscripts(
// CHECK-NEXT: affine.for %i = 0 to 16 {
// CHECK-NEXT: affine.for %j = 0 to 64 step 8 {
// CHECK-NEXT: %c2 = arith.constant 2 : index
// CHECK-NEXT: %j1 = affine.apply affine_map<(d0) -> ((d0 + 3))>(%j)
// CHECK-NEXT: %j2 = affine.apply affine_map<(d0, d1) -> ((d0 + d1))>(%j1, %c2)
// CHECK-NEXT: %[[V0:.*]] = ub.poison : f32
// CHECK-NEXT: %a = vector.transfer_read %A[%c2, %j2], %[[V0]] {in_bounds = [true]} : memref<3x80xf32>, vector<8xf32>
// CHECK-NEXT: vector.transfer_write %a, %B[%i, %j] {in_bounds = [true]} : vector<8xf32>, memref<16x64xf32>
// CHECK-NEXT: }
// CHECK-NEXT: }
// ROWS-LABEL: func.func @subscripts(
// ROWS-NEXT: affine.for %i = 0 to 16 step 4 {
// ROWS-NEXT: affine.for %j = 0 to 64 step 8 {
// ROWS-NEXT: %c2 = arith.constant 2 : index
// ROWS-NEXT: %j1 = affine.apply affine_map<(d0) -> ((d0 + 3))>(%j)
// ROWS-NEXT: %j2 = affine.apply affine_map<(d0, d1) -> ((d0 + d1))>(%j1, %c2)
// ROWS-NEXT: %[[V0:.*]] = ub.poison : f32
// ROWS-NEXT: %a = vector.transfer_read %A[%c2, %j2], %[[V0]] {in_bounds = [true, true], permutation_map = affine_map<(d0, d1) -> (0, d1)>} : memref<3x80xf32>, vector<4x8xf32>
// ROWS-NEXT: vector.transfer_write %a, %B[%i, %j] {in_bounds = [true, true]} : vector<4x8xf32>, memref<16x64xf32>
// ROWS-NEXT: }
// ROWS-NEXT: }
func.func @subscripts(%A: memref<3x80xf32>, %B: memref<16x64xf32>) {
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to 64 {
      %c2 = arith.constant 2 : index
      %j1 = affine.apply affine_map<(d0) -> (d0 + 3)>(%j)
      %j2 = affine.apply affine_map<(d0, d1) -> (d0 + d1)>(%j1, %c2)
      %a = affine.load %A[%c2, %j2] : memref<3x80xf32>
      affine.store %a, %B[%i, %j] : memref<16x64xf32>
    }
  }
  func.return
}

// i + j goes with one loop, not with two in one dim.
// CHECK-LABEL: func.func @convolution(
// CHECK-NEXT: affine.for %i = 0 to 64 step 8 {
// CHECK-NEXT: affine.for %k = 0 to 16 {
// CHECK-NEXT: %[[V0:.*]] = affine.apply affine_map<(d0, d1) -> ((d0 + d1))>(%i, %k)
// CHECK-NEXT: %[[V1:.*]] = ub.poison : f32
// CHECK-NEXT: %a = vector.transfer_read %A[%[[V0]]], %[[V1]] {in_bounds = [true]} : memref<80xf32>, vector<8xf32>
// CHECK-NEXT: %[[V2:.*]] = ub.poison : f32
// CHECK-NEXT: %w = vector.transfer_read %K[%k], %[[V2]] {in_bounds = [true], permutation_map = affine_map<(d0) -> (0)>} : memref<16xf32>, vector<8xf32>
// CHECK-NEXT: %[[V3:.*]] = ub.poison : f32
// CHECK-NEXT: %c = vector.transfer_read %C[%i], %[[V3]] {in_bounds = [true]} : memref<64xf32>, vector<8xf32>
// CHECK-NEXT: %p = arith.mulf %a, %w : vector<8xf32>
// CHECK-NEXT: %s = arith.addf %c, %p : vector<8xf32>
// CHECK-NEXT: vector.transfer_write %s, %C[%i] {in_bounds = [true]} : vector<8xf32>, memref<64xf32>
// CHECK-NEXT: }
// CHECK-NEXT: }
// ROWS-LABEL: func.func @convolution(
// ROWS-NEXT: affine.for %i = 0 to 64 {
// ROWS-NEXT: affine.for %k = 0 to 16 {
// ROWS-NEXT: %a = affine.load %A[%i + %k] : memref<80xf32>
// ROWS-NEXT: %w = affine.load %K[%k] : memref<16xf32>
// ROWS-NEXT: %c = affine.load %C[%i] : memref<64xf32>
// ROWS-NEXT: %p = arith.mulf %a, %w : f32
// ROWS-NEXT: %s = arith.addf %c, %p : f32
// ROWS-NEXT: affine.store %s, %C[%i] : memref<64xf32>
// ROWS-NEXT: }
// ROWS-NEXT: }
func.func @convolution(%A: memref<80xf32>, %K: memref<16xf32>, %C: memref<64xf32>) {
  affine.for %i = 0 to 64 {
    affine.for %k = 0 to 16 {
      %a = affine.load %A[%i + %k] : memref<80xf32>
      %w = affine.load %K[%k] : memref<16xf32>
      %c = affine.load %C[%i] : memref<64xf32>
      %p = arith.mulf %a, %w : f32
      %s = arith.addf %c, %p : f32
      affine.store %s, %C[%i] : memref<64xf32>
    }
  }
  func.return
}

// Reads and writes of one cell, in one iteration, are no reason against it; neither are two halves
// that do not meet.
// CHECK-LABEL: func.func @independent(
// CHECK-NEXT: affine.for %i = 0 to 64 step 8 {
// CHECK-NEXT: %[[V0:.*]] = ub.poison : f32
// CHECK-NEXT: %[[V1:.*]] = vector.transfer_read %A[%i], %[[V0]] {in_bounds = [true]} : memref<128xf32>, vector<8xf32>
// CHECK-NEXT: %[[V2:.*]] = affine.apply affine_map<(d0) -> ((d0 + 64))>(%i)
// CHECK-NEXT: %[[V3:.*]] = ub.poison : f32
// CHECK-NEXT: %[[V4:.*]] = vector.transfer_read %A[%[[V2]]], %[[V3]] {in_bounds = [true]} : memref<128xf32>, vector<8xf32>
// CHECK-NEXT: %[[V5:.*]] = arith.maximumf %[[V1]], %[[V4]] : vector<8xf32>
// CHECK-NEXT: vector.transfer_write %[[V5]], %A[%i] {in_bounds = [true]} : vector<8xf32>, memref<128xf32>
// CHECK-NEXT: }
// ROWS-LABEL: func.func @independent(
// ROWS-NEXT: affine.for %i = 0 to 64 {
// ROWS-NEXT: %[[V0:.*]] = affine.load %A[%i] : memref<128xf32>
// ROWS-NEXT: %[[V1:.*]] = affine.load %A[%i + 64] : memref<128xf32>
// ROWS-NEXT: %[[V2:.*]] = arith.maximumf %[[V0]], %[[V1]] : f32
// ROWS-NEXT: affine.store %[[V2]], %A[%i] : memref<128xf32>
// ROWS-NEXT: }
func.func @independent(%A: memref<128xf32>) {
  affine.for %i = 0 to 64 {
    %0 = affine.load %A[%i] : memref<128xf32>
    %1 = affine.load %A[%i + 64] : memref<128xf32>
    %2 = arith.maximumf %0, %1 : f32
    affine.store %2, %A[%i] : memref<128xf32>
  }
  func.return
}

// Comparisons, choices and conversions keep their attributes.
// CHECK-LABEL: func.func @elementwise(
// CHECK-NEXT: %[[V0:.*]] = vector.broadcast %x : f32 to vector<8xf32>
// CHECK-NEXT: affine.for %i = 0 to 64 step 8 {
// CHECK-NEXT: %[[V1:.*]] = ub.poison : f32
// CHECK-NEXT: %a = vector.transfer_read %A[%i], %[[V1]] {in_bounds = [true]} : memref<64xf32>, vector<8xf32>
// CHECK-NEXT: %[[V2:.*]] = arith.cmpf olt, %a, %[[V0]] : vector<8xf32>
// CHECK-NEXT: %[[V3:.*]] = arith.select %[[V2]], %a, %[[V0]] : vector<8xi1>, vector<8xf32>
// CHECK-NEXT: %[[V4:.*]] = math.exp %[[V3]] fastmath<contract> : vector<8xf32>
// CHECK-NEXT: %[[V5:.*]] = arith.fptosi %[[V4]] : vector<8xf32> to vector<8xi32>
// CHECK-NEXT: vector.transfer_write %[[V5]], %B[%i] {in_bounds = [true]} : vector<8xi32>, memref<64xi32>
// CHECK-NEXT: }
// ROWS-LABEL: func.func @elementwise(
// ROWS-NEXT: affine.for %i = 0 to 64 {
// ROWS-NEXT: %a = affine.load %A[%i] : memref<64xf32>
// ROWS-NEXT: %[[V0:.*]] = arith.cmpf olt, %a, %x : f32
// ROWS-NEXT: %[[V1:.*]] = arith.select %[[V0]], %a, %x : f32
// ROWS-NEXT: %[[V2:.*]] = math.exp %[[V1]] fastmath<contract> : f32
// ROWS-NEXT: %[[V3:.*]] = arith.fptosi %[[V2]] : f32 to i32
// ROWS-NEXT: affine.store %[[V3]], %B[%i] : memref<64xi32>
// ROWS-NEXT: }
func.func @elementwise(%A: memref<64xf32>, %B: memref<64xi32>, %x: f32) {
  affine.for %i = 0 to 64 {
    %a = affine.load %A[%i] : memref<64xf32>
    %0 = arith.cmpf olt, %a, %x : f32
    %1 = arith.select %0, %a, %x : f32
    %2 = math.exp %1 fastmath<contract> : f32
    %3 = arith.fptosi %2 : f32 to i32
    affine.store %3, %B[%i] : memref<64xi32>
  }
  func.return
}
