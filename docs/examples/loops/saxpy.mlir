// y = a * x + y, of any size.
func.func @saxpy(%a: f32, %x: memref<?xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %y, %c0 : memref<?xf32>
  affine.for %i = 0 to %n {
    %0 = affine.load %x[%i] : memref<?xf32>
    %1 = affine.load %y[%i] : memref<?xf32>
    %2 = arith.mulf %a, %0 : f32
    %3 = arith.addf %2, %1 : f32
    affine.store %3, %y[%i] : memref<?xf32>
  }
  func.return
}
