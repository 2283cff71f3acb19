// RUN: snippets-opt %s -p 'affine-super-vectorize{virtual-vector-size=8}' | filecheck %s

// Elements lie side by side in rows that may begin anywhere; the rows of what is stored are apart.
// CHECK-LABEL: @strided
// CHECK: affine.for %j = 0 to 64 step 8 {
// CHECK: %[[V:.*]] = vector.transfer_read %A[%i, %j], %{{.*}} {in_bounds = [true]} : memref<?x64xf32, strided<[?, 1], offset: ?>>, vector<8xf32>
// CHECK-NEXT: vector.transfer_write %[[V]], %B[%i, %j] {in_bounds = [true]} : vector<8xf32>, memref<16x64xf32, strided<[100, 1], offset: 3>>
func.func @strided(%A: memref<?x64xf32, strided<[?, 1], offset: ?>>, %B: memref<16x64xf32, strided<[100, 1], offset: 3>>) {
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to 64 {
      %0 = affine.load %A[%i, %j] : memref<?x64xf32, strided<[?, 1], offset: ?>>
      affine.store %0, %B[%i, %j] : memref<16x64xf32, strided<[100, 1], offset: 3>>
    }
  }
  func.return
}

// A part of memory whose cells are apart.
// CHECK-LABEL: @strided_part
// CHECK: affine.for %j = 0 to 32 step 8 {
// CHECK: vector.transfer_write
func.func @strided_part(%A: memref<?x?xf32>, %n: index, %x: f32) {
  %B = memref.subview %A[%n, 5] [8, 32] [2, 1] : memref<?x?xf32> to memref<8x32xf32, strided<[?, 1], offset: ?>>
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 32 {
      affine.store %x, %B[%i, %j] : memref<8x32xf32, strided<[?, 1], offset: ?>>
    }
  }
  func.return
}

// Does not fire: rows of 64 elements that are 63 apart, and one cell for all.
// CHECK-LABEL: @rows_overlap
// CHECK-NOT: vector
func.func @rows_overlap(%A: memref<16x64xf32, strided<[63, 1]>>, %B: memref<64xf32, strided<[0]>>, %x: f32) {
  affine.for %j = 0 to 64 {
    affine.store %x, %A[3, %j] : memref<16x64xf32, strided<[63, 1]>>
  }
  affine.for %j = 0 to 64 {
    affine.store %x, %B[%j] : memref<64xf32, strided<[0]>>
  }
  func.return
}
