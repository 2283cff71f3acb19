// RUN: snippets-opt %s | snippets-opt - | filecheck %s
// RUN: snippets-opt --mlir-print-op-generic %s | snippets-opt - | filecheck %s

// CHECK: memref.global "private" constant @c : memref<4xf32> = dense<[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00]>
memref.global "private" constant @c : memref<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]>
// CHECK-NEXT: memref.global "private" @u : memref<4xf32> = uninitialized
memref.global "private" @u : memref<4xf32> = uninitialized
// CHECK-NEXT: memref.global @d : memref<4xf32> {alignment = 64 : i64}
memref.global @d : memref<4xf32> {alignment = 64 : i64}

// CHECK-LABEL: @memory
func.func @memory(%A: memref<?x?xf32>, %B: memref<8x16xf32>, %i: index, %x: f32, %n: index) {
  // CHECK-NEXT: %0 = memref.cast %B : memref<8x16xf32> to memref<?x?xf32>
  %0 = memref.cast %B : memref<8x16xf32> to memref<?x?xf32>
  // CHECK-NEXT: memref.copy %A, %0 : memref<?x?xf32> to memref<?x?xf32>
  memref.copy %A, %0 : memref<?x?xf32> to memref<?x?xf32>
  // CHECK-NEXT: %1 = memref.rank %A : memref<?x?xf32>
  %1 = memref.rank %A : memref<?x?xf32>
  // CHECK-NEXT: %2 = memref.dim %A, %i : memref<?x?xf32>
  %2 = memref.dim %A, %i : memref<?x?xf32>
  // CHECK-NEXT: %3 = memref.extract_aligned_pointer_as_index %A : memref<?x?xf32> -> index
  %3 = memref.extract_aligned_pointer_as_index %A : memref<?x?xf32> -> index
  // CHECK-NEXT: %4 = memref.transpose %B (d0, d1) -> (d1, d0) : memref<8x16xf32> to memref<16x8xf32, strided<[1, 16]>>
  %4 = memref.transpose %B (a, b) -> (b, a) : memref<8x16xf32> to memref<16x8xf32, strided<[1, 16]>>
  // CHECK-NEXT: %5 = memref.atomic_rmw addf %x, %A[%i, %n] : (f32, memref<?x?xf32>) -> f32
  %5 = memref.atomic_rmw addf %x, %A[%i, %n] : (f32, memref<?x?xf32>) -> f32
  // CHECK-NEXT: %6 = memref.memory_space_cast %A : memref<?x?xf32> to memref<?x?xf32, 1
  %6 = memref.memory_space_cast %A : memref<?x?xf32> to memref<?x?xf32, 1>
  // CHECK-NEXT: memref.prefetch %A[%i, %n], read, locality<3>, data : memref<?x?xf32>
  memref.prefetch %A[%i, %n], read, locality<3>, data : memref<?x?xf32>
  // CHECK-NEXT: memref.prefetch %A[%i, %n], write, locality<0>, instr : memref<?x?xf32>
  memref.prefetch %A[%i, %n], write, locality<0>, instr : memref<?x?xf32>
  // CHECK-NEXT: %7 = memref.cast %A : memref<?x?xf32> to memref<*xf32>
  %7 = memref.cast %A : memref<?x?xf32> to memref<*xf32>
  func.return
}
