// RUN: snippets-opt %s -p finalize-memref-to-llvm | filecheck %s

// CHECK: llvm.func @malloc(i64) -> !llvm.ptr
// CHECK-NEXT: llvm.func @free(!llvm.ptr)
// CHECK-NEXT: llvm.func @aligned_alloc(i64, i64) -> !llvm.ptr

// CHECK: llvm.mlir.global internal constant @c(dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>)
memref.global "private" constant @c : memref<1x2xf32> = dense<[[1.0, 2.0]]>

// CHECK-LABEL: @access
// CHECK: %[[P:.*]] = llvm.extractvalue %{{.*}}[1]
// CHECK-NEXT: %[[Q:.*]] = llvm.getelementptr inbounds %[[P]][%{{.*}}] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT: %v = llvm.load %[[Q]] {alignment = 4 : i64} : !llvm.ptr -> f32
// CHECK: llvm.store %v, %{{.*}} {alignment = 4 : i64, nontemporal} : f32, !llvm.ptr
func.func @access(%A: memref<?x4xf32>, %i: index, %j: index) {
  %v = memref.load %A[%i, %j] : memref<?x4xf32>
  memref.store %v, %A[%j, %i] {nontemporal = true} : memref<?x4xf32>
  func.return
}

// Booleans are bytes in memory.
// CHECK-LABEL: @booleans
// CHECK: %[[B:.*]] = llvm.load %{{.*}} {alignment = 1 : i64} : !llvm.ptr -> i8
// CHECK-NEXT: llvm.trunc %[[B]] : i8 to i1
func.func @booleans(%A: memref<4xi1>, %i: index) {
  %v = memref.load %A[%i] : memref<4xi1>
  func.return
}

// CHECK-LABEL: @allocations
// CHECK: llvm.call @malloc(%{{.*}}) : (i64) -> !llvm.ptr
// CHECK: llvm.call @aligned_alloc(%{{.*}}, %{{.*}}) : (i64, i64) -> !llvm.ptr
// CHECK: llvm.alloca %{{.*}} x f32 {alignment = 32 : i64}
// CHECK: llvm.call @free(%{{.*}}) : (!llvm.ptr) -> ()
// CHECK: llvm.mlir.addressof @c : !llvm.ptr
func.func @allocations(%n: index) {
  %a = memref.alloc(%n) : memref<?x8xf32>
  %b = memref.alloc() {alignment = 64 : i64} : memref<4xf32>
  %s = memref.alloca() {alignment = 32 : i64} : memref<4xf32>
  memref.dealloc %a : memref<?x8xf32>
  %g = memref.get_global @c : memref<1x2xf32>
  func.return
}

// CHECK-LABEL: @views
// CHECK-NOT: memref.subview
// CHECK-NOT: memref.cast
func.func @views(%A: memref<8x16xf32>, %n: index, %c: index) -> (index, index) {
  %0 = memref.subview %A[%n, 2] [1, 4] [1, 2] : memref<8x16xf32> to memref<4xf32, strided<[2], offset: ?>>
  %1 = memref.cast %A : memref<8x16xf32> to memref<?x?xf32>
  %2 = memref.collapse_shape %A [[0, 1]] : memref<8x16xf32> into memref<128xf32>
  %3 = memref.expand_shape %2 [[0, 1]] output_shape [4, 32] : memref<128xf32> into memref<4x32xf32>
  %4 = memref.transpose %A (a, b) -> (b, a) : memref<8x16xf32> to memref<16x8xf32, strided<[1, 16]>>
  %5 = memref.reinterpret_cast %A to offset: [%n], sizes: [4], strides: [1] : memref<8x16xf32> to memref<4xf32, strided<[1], offset: ?>>
  %6 = memref.dim %1, %c : memref<?x?xf32>
  %7 = memref.rank %1 : memref<?x?xf32>
  func.return %6, %7 : index, index
}

// Does not fire: memrefs without a rank, copies.
// CHECK-LABEL: @other
// CHECK: memref.cast
// CHECK: memref.copy
func.func @other(%A: memref<4xf32>, %B: memref<4xf32>) {
  %0 = memref.cast %A : memref<4xf32> to memref<*xf32>
  memref.copy %A, %B : memref<4xf32> to memref<4xf32>
  func.return
}

// Addresses and hints.
// CHECK-LABEL: @addresses
// CHECK: llvm.mlir.constant(4) : i64
// CHECK-NEXT: llvm.extractvalue %[[A:.*]][3, 1]
// CHECK-NEXT: llvm.extractvalue %[[A]][4, 0]
// CHECK: llvm.getelementptr inbounds %{{.*}} : (!llvm.ptr, i64) -> !llvm.ptr, i8
// CHECK: llvm.getelementptr inbounds %{{.*}} : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK: llvm.call_intrinsic "llvm.prefetch.p0"
// CHECK-NEXT: %[[P:.*]] = llvm.extractvalue %[[A]][1]
// CHECK-NEXT: llvm.ptrtoint %[[P]] : !llvm.ptr to i64
func.func @addresses(%A: memref<4x?xf32>, %B: memref<64xi8>, %n: index) -> index {
  %a = memref.assume_alignment %A, 64 : memref<4x?xf32>
  %base, %offset, %sizes:2, %strides:2 = memref.extract_strided_metadata %a : memref<4x?xf32> -> memref<f32>, index, index, index, index, index
  %v = memref.view %B[%n][] : memref<64xi8> to memref<4xf32>
  %s = memref.memory_space_cast %v : memref<4xf32> to memref<4xf32, 1 : i32>
  memref.prefetch %a[%n, %n], read, locality<3>, data : memref<4x?xf32>
  %p = memref.extract_aligned_pointer_as_index %a : memref<4x?xf32> -> index
  func.return %p : index
}
