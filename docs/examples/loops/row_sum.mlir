// The sum of every row.
func.func @row_sum(%A: memref<1024x1024xf32>, %S: memref<1024xf32>) {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to 1024 {
    %s = affine.for %j = 0 to 1024 iter_args(%acc = %zero) -> (f32) {
      %0 = affine.load %A[%i, %j] : memref<1024x1024xf32>
      %1 = arith.addf %acc, %0 : f32
      affine.yield %1 : f32
    }
    affine.store %s, %S[%i] : memref<1024xf32>
  }
  func.return
}
