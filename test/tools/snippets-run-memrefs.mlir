// RUN: snippets-run %s --shape A=5x7 --shape B=7 --verify --report | filecheck %s
// RUN: not snippets-run %s --shape A=5x7 --shape B=8 2>&1 | filecheck %s --check-prefix=BOUNDS

// The results, then the memrefs that the function may have written.
// CHECK: out0: scalar float32 max_abs={{.*}} ok
// CHECK-NEXT: B: 7 float32 max_abs={{.*}} ok
// CHECK-NEXT: 0 kernel(s), 0 op(s) in no kernel
// BOUNDS: error: --shape: 8 does not fit input B: 7xfloat32
func.func @column_sums(%A: memref<?x7xf32> {snippets.name = "A"},
                       %B: memref<7xf32, strided<[3]>> {snippets.name = "B"}) -> f32 {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %n = memref.dim %A, %c0 : memref<?x7xf32>
  affine.for %j = 0 to 7 {
    %s = affine.for %i = 0 to %n iter_args(%t = %z) -> f32 {
      %0 = affine.load %A[%i, %j] : memref<?x7xf32>
      %1 = arith.addf %t, %0 : f32
      affine.yield %1 : f32
    }
    affine.store %s, %B[%j] : memref<7xf32, strided<[3]>>
  }
  %r = affine.load %B[2] : memref<7xf32, strided<[3]>>
  func.return %r : f32
}
