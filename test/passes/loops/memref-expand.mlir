// RUN: snippets-opt %s -p memref-expand | filecheck %s

// CHECK-LABEL: @copy
// CHECK: scf.for %[[I:.*]] =
// CHECK-NEXT: scf.for %[[J:.*]] =
// CHECK-NEXT: %[[V:.*]] = memref.load %A[%[[I]], %[[J]]] : memref<?x4xf32>
// CHECK-NEXT: memref.store %[[V]], %B[%[[I]], %[[J]]] : memref<?x4xf32, strided<[8, 2]>>
// CHECK-NOT: memref.copy
func.func @copy(%A: memref<?x4xf32>, %B: memref<?x4xf32, strided<[8, 2]>>) {
  memref.copy %A, %B : memref<?x4xf32> to memref<?x4xf32, strided<[8, 2]>>
  func.return
}

// CHECK-LABEL: @point
// CHECK: %[[V:.*]] = memref.load %A[] : memref<f32>
// CHECK-NEXT: memref.store %[[V]], %B[] : memref<f32>
func.func @point(%A: memref<f32>, %B: memref<f32>) {
  memref.copy %A, %B : memref<f32> to memref<f32>
  func.return
}

// Does not fire: memrefs without a rank.
// CHECK-LABEL: @unranked
// CHECK-NEXT: memref.copy
func.func @unranked(%A: memref<*xf32>, %B: memref<*xf32>) {
  memref.copy %A, %B : memref<*xf32> to memref<*xf32>
  func.return
}
