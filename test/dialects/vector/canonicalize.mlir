// RUN: snippets-opt %s --canonicalize | filecheck %s

// What only reads memory and what computes goes when it is unused; stores stay.
// CHECK-LABEL: @effects
// CHECK-NEXT: vector.store
// CHECK-NEXT: func.return
func.func @effects(%p: memref<16xf32>, %n: index, %a: vector<8xf32>) {
  %0 = vector.load %p[%n] : memref<16xf32>, vector<8xf32>
  %1 = vector.reduction <add>, %a : vector<8xf32> into f32
  %2 = vector.create_mask %n : vector<8xi1>
  %3 = vector.bitcast %a : vector<8xf32> to vector<8xi32>
  vector.store %a, %p[%n] : memref<16xf32>, vector<8xf32>
  func.return
}
