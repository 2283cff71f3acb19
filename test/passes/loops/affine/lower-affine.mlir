// RUN: snippets-opt %s -p lower-affine --split-input-file --verify-diagnostics | filecheck %s

// CHECK-LABEL: @loop
// CHECK: %[[L:.*]] = arith.maxsi %k, %n : index
// CHECK-NEXT: %[[U:.*]] = arith.minsi
// CHECK: scf.for %j = %[[L]] to %[[U]] step
// CHECK: } {tag}
func.func @loop(%A: memref<?xf32>, %n: index, %x: f32) {
  affine.for %k = 0 to %n {
    affine.for %j = max affine_map<(d0)[s0] -> (d0, s0)>(%k)[%n] to min affine_map<(d0)[s0] -> (d0 + 8, s0)>(%k)[%n] step 2 {
      affine.store %x, %A[%j] {kept} : memref<?xf32>
    } {tag}
  }
  func.return
}

// Quotients round down also below 0: -1 - (-1 - i) / 2. Remainders are not negative.
// CHECK-LABEL: @divisions
// CHECK: %[[M:.*]] = arith.subi %[[ONE:.*]], %i : index
// CHECK: %[[S:.*]] = arith.select %{{.*}}, %[[M]], %i : index
// CHECK-NEXT: %[[Q:.*]] = arith.divsi %[[S]]
// CHECK-NEXT: arith.subi %[[ONE]], %[[Q]] : index
// CHECK: %[[R:.*]] = arith.remsi %i
// CHECK: arith.cmpi slt, %[[R]]
// CHECK: arith.cmpi sgt, %i
func.func @divisions(%i: index) -> (index, index, index) {
  %0 = affine.apply affine_map<(d0) -> (d0 floordiv 2)>(%i)
  %1 = affine.apply affine_map<(d0) -> (d0 mod 3)>(%i)
  %2 = affine.apply affine_map<(d0) -> (d0 ceildiv 2)>(%i)
  func.return %0, %1, %2 : index, index, index
}

// CHECK-LABEL: @extrema
// CHECK: %[[A:.*]] = arith.addi %i
// CHECK: %[[B:.*]] = arith.minsi %[[A]], %n : index
// CHECK: %[[C:.*]] = arith.maxsi %i, %n : index
// CHECK-NEXT: func.return %[[B]], %[[C]]
func.func @extrema(%i: index, %n: index) -> (index, index) {
  %0 = affine.min affine_map<(d0)[s0] -> (d0 + 4, s0)>(%i)[%n]
  %1 = affine.max affine_map<(d0)[s0] -> (d0, s0)>(%i)[%n]
  func.return %0, %1 : index, index
}

// CHECK-LABEL: @choice
// CHECK: %[[A:.*]] = arith.cmpi sge
// CHECK: %[[B:.*]] = arith.cmpi eq
// CHECK-NEXT: %[[C:.*]] = arith.andi %[[A]], %[[B]] : i1
// CHECK-NEXT: %r = scf.if %[[C]] -> (f32) {
// CHECK-NEXT: scf.yield %x : f32
func.func @choice(%i: index, %x: f32, %y: f32) -> f32 {
  %r = affine.if affine_set<(d0) : (d0 - 2 >= 0, d0 - 5 == 0)>(%i) -> f32 {
    affine.yield %x : f32
  } else {
    affine.yield %y : f32
  }
  func.return %r : f32
}

// CHECK-LABEL: @parallel
// CHECK: %[[Z:.*]] = arith.constant -0.000000e+00 : f32
// CHECK-NEXT: %s = scf.parallel (%p) = ({{.*}}) to ({{.*}}) step ({{.*}}) init (%[[Z]]) -> (f32) {
// CHECK: %v = vector.load
// CHECK: vector.store %v
// CHECK: memref.prefetch
// CHECK: scf.reduce(%x : f32) {
// CHECK: arith.addf
func.func @parallel(%A: memref<?xf32>, %x: f32) -> f32 {
  %s = affine.parallel (%p) = (0) to (10) reduce ("addf") -> (f32) {
    %v = affine.vector_load %A[%p] : memref<?xf32>, vector<8xf32>
    affine.vector_store %v, %A[%p + 8] : memref<?xf32>, vector<8xf32>
    affine.prefetch %A[%p], read, locality<3>, data : memref<?xf32>
    affine.yield %x : f32
  }
  func.return %s : f32
}

// Does not fire: loops of scf.
// CHECK-LABEL: @other
// CHECK-NEXT: scf.for %i = %n to %n step %n {
func.func @other(%n: index) {
  scf.for %i = %n to %n step %n {
  }
  func.return
}

// -----

func.func @assign(%x: f32) -> f32 {
  // expected-error @+1 {{expected a reduction with a neutral element, found "assign" of f32}}
  %s = affine.parallel (%p) = (0) to (10) reduce ("assign") -> (f32) {
    affine.yield %x : f32
  }
  func.return %s : f32
}
