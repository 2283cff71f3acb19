// C += A B, as it is written down.
func.func @matmul(%A: memref<256x256xf32>, %B: memref<256x256xf32>, %C: memref<256x256xf32>) {
  affine.for %i = 0 to 256 {
    affine.for %j = 0 to 256 {
      affine.for %k = 0 to 256 {
        %a = affine.load %A[%i, %k] : memref<256x256xf32>
        %b = affine.load %B[%k, %j] : memref<256x256xf32>
        %c = affine.load %C[%i, %j] : memref<256x256xf32>
        %0 = arith.mulf %a, %b : f32
        %1 = arith.addf %c, %0 : f32
        affine.store %1, %C[%i, %j] : memref<256x256xf32>
      }
    }
  }
  func.return
}
