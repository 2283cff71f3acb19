// The mean of the four neighbours of every inner cell.
func.func @stencil(%A: memref<1024x1024xf32>, %B: memref<1024x1024xf32>) {
  %quarter = arith.constant 0.25 : f32
  affine.for %i = 1 to 1023 {
    affine.for %j = 1 to 1023 {
      %up = affine.load %A[%i - 1, %j] : memref<1024x1024xf32>
      %down = affine.load %A[%i + 1, %j] : memref<1024x1024xf32>
      %left = affine.load %A[%i, %j - 1] : memref<1024x1024xf32>
      %right = affine.load %A[%i, %j + 1] : memref<1024x1024xf32>
      %0 = arith.addf %up, %down : f32
      %1 = arith.addf %left, %right : f32
      %2 = arith.addf %0, %1 : f32
      %3 = arith.mulf %2, %quarter : f32
      affine.store %3, %B[%i, %j] : memref<1024x1024xf32>
    }
  }
  func.return
}
