// RUN: snippets-opt %s | snippets-opt - | filecheck %s
// RUN: snippets-opt --mlir-print-op-generic %s | snippets-opt - | filecheck %s

// CHECK-LABEL: @moves
func.func @moves(%a: vector<4x8xf32>, %b: vector<8xf32>, %s: f32, %i: index, %z: vector<f32>) {
  // CHECK-NEXT: %0 = vector.transpose %a, [1, 0] : vector<4x8xf32> to vector<8x4xf32>
  %0 = vector.transpose %a, [1, 0] : vector<4x8xf32> to vector<8x4xf32>
  // CHECK-NEXT: %1 = vector.shape_cast %a : vector<4x8xf32> to vector<32xf32>
  %1 = vector.shape_cast %a : vector<4x8xf32> to vector<32xf32>
  // CHECK-NEXT: %2 = vector.extract %a[2] : vector<8xf32> from vector<4x8xf32>
  %2 = vector.extract %a[2] : vector<8xf32> from vector<4x8xf32>
  // CHECK-NEXT: %3 = vector.insert %b, %a [%i] : vector<8xf32> into vector<4x8xf32>
  %3 = vector.insert %b, %a [%i] : vector<8xf32> into vector<4x8xf32>
  // CHECK-NEXT: %4 = vector.extract_strided_slice %a {offsets = [1 : i64, 2 : i64], sizes = [2 : i64, 4 : i64], strides = [1 : i64, 1 : i64]} : vector<4x8xf32> to vector<2x4xf32>
  %4 = vector.extract_strided_slice %a {offsets = [1, 2], sizes = [2, 4], strides = [1, 1]} : vector<4x8xf32> to vector<2x4xf32>
  // CHECK-NEXT: %5 = vector.insert_strided_slice %4, %a {offsets = [1 : i64, 2 : i64], strides = [1 : i64, 1 : i64]} : vector<2x4xf32> into vector<4x8xf32>
  %5 = vector.insert_strided_slice %4, %a {offsets = [1, 2], strides = [1, 1]} : vector<2x4xf32> into vector<4x8xf32>
  // CHECK-NEXT: %6 = vector.interleave %a, %a : vector<4x8xf32> -> vector<4x16xf32>
  %6 = vector.interleave %a, %a : vector<4x8xf32> -> vector<4x16xf32>
  // CHECK-NEXT: %7, %8 = vector.deinterleave %a : vector<4x8xf32> -> vector<4x4xf32>
  %7, %8 = vector.deinterleave %a : vector<4x8xf32> -> vector<4x4xf32>
  // CHECK-NEXT: %9 = vector.extract %z[] : f32 from vector<f32>
  %9 = vector.extract %z[] : f32 from vector<f32>
  // CHECK-NEXT: %10 = vector.shuffle %a, %a [0, -1] : vector<4x8xf32>, vector<4x8xf32>
  %10 = vector.shuffle %a, %a [0, -1] : vector<4x8xf32>, vector<4x8xf32>
  func.return
}

// CHECK-LABEL: @combine
func.func @combine(%a: vector<4x8xf32>, %t: vector<8x4xf32>, %c: vector<4x4xf32>, %b: vector<8xf32>, %r: vector<4xf32>, %s: f32) {
  // CHECK-NEXT: %0 = vector.multi_reduction <add>, %a, %r [1] : vector<4x8xf32> to vector<4xf32>
  %0 = vector.multi_reduction <add>, %a, %r [1] : vector<4x8xf32> to vector<4xf32>
  // CHECK-NEXT: %1 = vector.multi_reduction <maximumf>, %a, %s [0, 1] : vector<4x8xf32> to f32
  %1 = vector.multi_reduction <maximumf>, %a, %s [0, 1] : vector<4x8xf32> to f32
  // CHECK-NEXT: %2 = vector.contract {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %a, %t, %c : vector<4x8xf32>, vector<8x4xf32> into vector<4x4xf32>
  %2 = vector.contract {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]} %a, %t, %c : vector<4x8xf32>, vector<8x4xf32> into vector<4x4xf32>
  // CHECK-NEXT: %3 = vector.outerproduct %r, %b, %a {kind = #vector.kind<maximumf>} : vector<4xf32>, vector<8xf32>
  %3 = vector.outerproduct %r, %b, %a {kind = #vector.kind<maximumf>} : vector<4xf32>, vector<8xf32>
  // CHECK-NEXT: %4 = vector.outerproduct %r, %s {kind = #vector.kind<add>} : vector<4xf32>, f32
  %4 = vector.outerproduct %r, %s : vector<4xf32>, f32
  // CHECK-NEXT: vector.print %a : vector<4x8xf32>
  vector.print %a : vector<4x8xf32>
  // CHECK-NEXT: vector.print %s : f32 punctuation <no_punctuation>
  vector.print %s : f32 punctuation <no_punctuation>
  // CHECK-NEXT: vector.print punctuation <comma>
  vector.print punctuation <comma>
  // CHECK-NEXT: vector.print str "hello"
  vector.print str "hello"
  func.return
}

// CHECK-LABEL: @chosen
func.func @chosen(%A: memref<?x?xf32>, %i: index, %v: vector<8xi32>, %m: vector<8xi1>, %p: vector<8xf32>) {
  // CHECK-NEXT: %0 = vector.gather %A[%i, %i] [%v], %m, %p : memref<?x?xf32>, vector<8xi32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
  %0 = vector.gather %A[%i, %i] [%v], %m, %p : memref<?x?xf32>, vector<8xi32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
  // CHECK-NEXT: vector.scatter %A[%i, %i] [%v], %m, %p : memref<?x?xf32>, vector<8xi32>, vector<8xi1>, vector<8xf32>
  vector.scatter %A[%i, %i] [%v], %m, %p : memref<?x?xf32>, vector<8xi32>, vector<8xi1>, vector<8xf32>
  // CHECK-NEXT: %1 = vector.expandload %A[%i, %i], %m, %p : memref<?x?xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
  %1 = vector.expandload %A[%i, %i], %m, %p : memref<?x?xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
  // CHECK-NEXT: vector.compressstore %A[%i, %i], %m, %p : memref<?x?xf32>, vector<8xi1>, vector<8xf32>
  vector.compressstore %A[%i, %i], %m, %p : memref<?x?xf32>, vector<8xi1>, vector<8xf32>
  // CHECK-NEXT: %2 = vector.load %A[%i, %i] {nontemporal = true, alignment = 16 : i64} : memref<?x?xf32>, vector<4x8xf32>
  %2 = vector.load %A[%i, %i] {nontemporal = true, alignment = 16 : i64} : memref<?x?xf32>, vector<4x8xf32>
  func.return
}
