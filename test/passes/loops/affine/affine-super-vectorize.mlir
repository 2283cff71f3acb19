// RUN: snippets-opt %s -p 'affine-super-vectorize{virtual-vector-size=256 test-fastest-varying=0}' | filecheck %s
// RUN: snippets-opt %s -p 'affine-super-vectorize{virtual-vector-size=32,256 test-fastest-varying=1,0}' | filecheck %s --check-prefix=ROWS
// RUN: snippets-opt %s -p 'affine-super-vectorize{virtual-vector-size=256 test-fastest-varying=0},affine-super-vectorize{virtual-vector-size=256}' | filecheck %s

// The example of the vectorizer's own documentation. Every loop ends where its memrefs end, so that
// the transfers need no masks.
// CHECK-LABEL: func.func @vector_add_2d(%M: index, %N: index) -> f32 {
// CHECK-NEXT:    %A = memref.alloc(%M, %N) : memref<?x?xf32>
// CHECK-NEXT:    %B = memref.alloc(%M, %N) : memref<?x?xf32>
// CHECK-NEXT:    %C = memref.alloc(%M, %N) : memref<?x?xf32>
// CHECK-NEXT:    %f1 = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:    %f2 = arith.constant 2.000000e+00 : f32
// CHECK-NEXT:    affine.for %i0 = 0 to %M {
// CHECK-NEXT:      affine.for %i1 = 0 to %N step 256 {
// CHECK-NEXT:        %[[ONE:.*]] = arith.constant dense<1.000000e+00> : vector<256xf32>
// CHECK-NEXT:        vector.transfer_write %[[ONE]], %A[%i0, %i1] : vector<256xf32>, memref<?x?xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    affine.for %i2 = 0 to %M {
// CHECK-NEXT:      affine.for %i3 = 0 to %N step 256 {
// CHECK-NEXT:        %[[TWO:.*]] = arith.constant dense<2.000000e+00> : vector<256xf32>
// CHECK-NEXT:        vector.transfer_write %[[TWO]], %B[%i2, %i3] : vector<256xf32>, memref<?x?xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    affine.for %i4 = 0 to %M {
// CHECK-NEXT:      affine.for %i5 = 0 to %N step 256 {
// CHECK-NEXT:        %[[C2:.*]] = arith.constant dense<2.000000e+00> : vector<256xf32>
// CHECK-NEXT:        %[[C1:.*]] = arith.constant dense<1.000000e+00> : vector<256xf32>
// CHECK-NEXT:        %[[P0:.*]] = ub.poison : f32
// CHECK-NEXT:        %a5 = vector.transfer_read %A[%i4, %i5], %[[P0]] : memref<?x?xf32>, vector<256xf32>
// CHECK-NEXT:        %[[P1:.*]] = ub.poison : f32
// CHECK-NEXT:        %b5 = vector.transfer_read %B[%i4, %i5], %[[P1]] : memref<?x?xf32>, vector<256xf32>
// CHECK-NEXT:        %s5 = arith.addf %a5, %b5 : vector<256xf32>
// CHECK-NEXT:        %s6 = arith.addf %s5, %[[C1]] : vector<256xf32>
// CHECK-NEXT:        %s7 = arith.addf %s5, %[[C2]] : vector<256xf32>
// CHECK-NEXT:        %s8 = arith.addf %s7, %s6 : vector<256xf32>
// CHECK-NEXT:        vector.transfer_write %s8, %C[%i4, %i5] : vector<256xf32>, memref<?x?xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    %c7 = arith.constant 7 : index
// CHECK-NEXT:    %c42 = arith.constant 42 : index
// CHECK-NEXT:    %res = memref.load %C[%c7, %c42] : memref<?x?xf32>
// CHECK-NEXT:    func.return %res : f32

// ROWS-LABEL: func.func @vector_add_2d(%M: index, %N: index) -> f32 {
// ROWS:         affine.for %i0 = 0 to %M step 32 {
// ROWS-NEXT:      affine.for %i1 = 0 to %N step 256 {
// ROWS-NEXT:        %[[ONE:.*]] = arith.constant dense<1.000000e+00> : vector<32x256xf32>
// ROWS-NEXT:        vector.transfer_write %[[ONE]], %A[%i0, %i1] : vector<32x256xf32>, memref<?x?xf32>
// ROWS-NEXT:      }
// ROWS-NEXT:    }
// ROWS-NEXT:    affine.for %i2 = 0 to %M step 32 {
// ROWS-NEXT:      affine.for %i3 = 0 to %N step 256 {
// ROWS-NEXT:        %[[TWO:.*]] = arith.constant dense<2.000000e+00> : vector<32x256xf32>
// ROWS-NEXT:        vector.transfer_write %[[TWO]], %B[%i2, %i3] : vector<32x256xf32>, memref<?x?xf32>
// ROWS-NEXT:      }
// ROWS-NEXT:    }
// ROWS-NEXT:    affine.for %i4 = 0 to %M step 32 {
// ROWS-NEXT:      affine.for %i5 = 0 to %N step 256 {
// ROWS-NEXT:        %[[C2:.*]] = arith.constant dense<2.000000e+00> : vector<32x256xf32>
// ROWS-NEXT:        %[[C1:.*]] = arith.constant dense<1.000000e+00> : vector<32x256xf32>
// ROWS-NEXT:        %[[P0:.*]] = ub.poison : f32
// ROWS-NEXT:        %a5 = vector.transfer_read %A[%i4, %i5], %[[P0]] : memref<?x?xf32>, vector<32x256xf32>
// ROWS-NEXT:        %[[P1:.*]] = ub.poison : f32
// ROWS-NEXT:        %b5 = vector.transfer_read %B[%i4, %i5], %[[P1]] : memref<?x?xf32>, vector<32x256xf32>
// ROWS-NEXT:        %s5 = arith.addf %a5, %b5 : vector<32x256xf32>
// ROWS-NEXT:        %s6 = arith.addf %s5, %[[C1]] : vector<32x256xf32>
// ROWS-NEXT:        %s7 = arith.addf %s5, %[[C2]] : vector<32x256xf32>
// ROWS-NEXT:        %s8 = arith.addf %s7, %s6 : vector<32x256xf32>
// ROWS-NEXT:        vector.transfer_write %s8, %C[%i4, %i5] : vector<32x256xf32>, memref<?x?xf32>
func.func @vector_add_2d(%M : index, %N : index) -> f32 {
  %A = memref.alloc(%M, %N) : memref<?x?xf32>
  %B = memref.alloc(%M, %N) : memref<?x?xf32>
  %C = memref.alloc(%M, %N) : memref<?x?xf32>
  %f1 = arith.constant 1.0 : f32
  %f2 = arith.constant 2.0 : f32
  affine.for %i0 = 0 to %M {
    affine.for %i1 = 0 to %N {
      affine.store %f1, %A[%i0, %i1] : memref<?x?xf32>
    }
  }
  affine.for %i2 = 0 to %M {
    affine.for %i3 = 0 to %N {
      affine.store %f2, %B[%i2, %i3] : memref<?x?xf32>
    }
  }
  affine.for %i4 = 0 to %M {
    affine.for %i5 = 0 to %N {
      %a5 = affine.load %A[%i4, %i5] : memref<?x?xf32>
      %b5 = affine.load %B[%i4, %i5] : memref<?x?xf32>
      %s5 = arith.addf %a5, %b5 : f32
      %s6 = arith.addf %s5, %f1 : f32
      %s7 = arith.addf %s5, %f2 : f32
      %s8 = arith.addf %s7, %s6 : f32
      affine.store %s8, %C[%i4, %i5] : memref<?x?xf32>
    }
  }
  %c7 = arith.constant 7 : index
  %c42 = arith.constant 42 : index
  %res = memref.load %C[%c7, %c42] : memref<?x?xf32>
  func.return %res : f32
}
