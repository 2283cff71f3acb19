// A scaled copy into a buffer, then an activation of it.
func.func @two_loops(%A: memref<1024xf32>, %B: memref<1024xf32>, %x: f32) {
  %zero = arith.constant 0.0 : f32
  %T = memref.alloc() : memref<1024xf32>
  affine.for %i = 0 to 1024 {
    %0 = affine.load %A[%i] : memref<1024xf32>
    %1 = arith.mulf %0, %x : f32
    affine.store %1, %T[%i] : memref<1024xf32>
  }
  affine.for %j = 0 to 1024 {
    %2 = affine.load %T[%j] : memref<1024xf32>
    %3 = arith.maximumf %2, %zero : f32
    affine.store %3, %B[%j] : memref<1024xf32>
  }
  memref.dealloc %T : memref<1024xf32>
  func.return
}
