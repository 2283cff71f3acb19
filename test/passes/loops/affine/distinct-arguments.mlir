// RUN: snippets-opt %s -p 'affine-super-vectorize{virtual-vector-size=4}' | filecheck %s
// RUN: snippets-opt %s -p affine-loop-fusion | filecheck %s
// RUN: snippets-opt %s -p affine-scalrep | filecheck %s
// RUN: snippets-opt %s -p affine-parallelize | filecheck %s
// RUN: snippets-opt %s -p affine-parallelize,affine-parallelize | filecheck %s

// %B is stored to: what was changed is right only when nobody else has its memory. A view of it
// counts as the argument.
// CHECK-LABEL: func.func @copy(%A: memref<64xf32> {snippets.name = "source"}, %B: memref<64xf32> {llvm.noalias}) {
func.func @copy(%A: memref<64xf32> {snippets.name = "source"}, %B: memref<64xf32>) {
  %V = memref.cast %B : memref<64xf32> to memref<?xf32>
  affine.for %i = 0 to 64 {
    %0 = affine.load %A[%i] : memref<64xf32>
    %1 = affine.load %A[%i] : memref<64xf32>
    %2 = arith.addf %0, %1 : f32
    affine.store %2, %V[%i] : memref<?xf32>
  }
  affine.for %j = 0 to 64 {
    %3 = affine.load %A[%j] : memref<64xf32>
    affine.store %3, %V[%j] : memref<?xf32>
  }
  func.return
}

// No other memref; nothing that the passes change; nothing stored to.
// CHECK-LABEL: func.func @alone(%A: memref<64xf32>, %x: f32) {
func.func @alone(%A: memref<64xf32>, %x: f32) {
  affine.for %i = 0 to 64 {
    affine.store %x, %A[%i] : memref<64xf32>
  }
  func.return
}
// CHECK-LABEL: func.func @untouched(%A: memref<64xf32>, %B: memref<64xf32>) {
func.func @untouched(%A: memref<64xf32>, %B: memref<64xf32>) {
  affine.for %i = 0 to 63 {
    %0 = affine.load %B[%i] : memref<64xf32>
    affine.store %0, %B[%i + 1] : memref<64xf32>
  }
  func.return
}
// CHECK-LABEL: func.func @read(%A: memref<64xf32>, %B: memref<64xf32>) {
func.func @read(%A: memref<64xf32>, %B: memref<64xf32>) {
  %T = memref.alloc() : memref<64xf32>
  affine.for %i = 0 to 63 {
    %0 = affine.load %B[%i] : memref<64xf32>
    affine.store %0, %T[%i] : memref<64xf32>
  }
  func.return
}
