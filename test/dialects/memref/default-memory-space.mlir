// RUN: snippets-opt %s | filecheck %s
// RUN: snippets-opt %s --print-op-generic | snippets-opt | filecheck %s

// The memory space 0 is the default one: both spellings are one type.
// CHECK-LABEL: func.func @fill(%A: memref<128xf32>, %B: memref<*xf32>, %C: memref<4xf32, 1 : i64>, %D: memref<4xf32, strided<[2]>>)
// CHECK: affine.store %{{.*}}, %A[%{{.*}}] : memref<128xf32>
func.func @fill(%A: memref<128xf32>, %B: memref<*xf32, 0>, %C: memref<4xf32, 1>, %D: memref<4xf32, strided<[2]>, 0>) {
  %f1 = arith.constant 1.0 : f32
  affine.for %i0 = 0 to 32 {
    affine.store %f1, %A[%i0] : memref<128xf32, 0>
  }
  return
}
